/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Mandelbrot set as an image: each work-item follows four points of its pixel at once in a tw_float4 and writes
 * their mean colour. As a range kernel, and as a hierarchical one whose groups first look at the edge of their tile:
 * where all of that is inside of the set, so is the tile, which has no holes. Both are compared with a sequential loop.
 *
 * On several devices each draws some of the rows. Rows in the middle take many times as long as those at the edge, so
 * how the picture is divided matters. It is drawn several times; the times are of the first time and of the last.
 *
 *     mandelbrot [--devices LIST] [FILE.png [WIDTH]]     devices.h has the lists; writes the picture too, where it is
 *                                                        built with libpng
 */
#include "devices.h"

#include <math.h>
#include <teamwork/math.h>
#include <teamwork/vector.h>
#ifdef MANDELBROT_PNG
#include <png.h>
#endif

enum { WIDTH = 300, MAX_WIDTH = 16384, TILE = 8, LIMIT = 256, TIMES = 6 };

/* Points are followed until they are so far away, squared: beyond, the distance tells how close the next step was. */
#define FAR 256.0f

/* The part of the plane that the image shows. */
struct view {
    float left, top, step;
};

/* How many steps each of four points stays within FAR, with a fraction that makes it smooth; LIMIT for the set's. */
static inline tw_float4 steps(tw_float4 x0, tw_float4 y0)
{
    tw_float4 x = x0, y = y0, square = {0, 0, 0, 0};
    tw_int4 count = {0, 0, 0, 0}, inside = {-1, -1, -1, -1};
    for (int i = 0; i < LIMIT; ++i) {
        const tw_float4 xx = x * x, yy = y * y;
        square = tw_select(square, xx + yy, inside); /* of the first place outside */
        inside = inside & (square <= FAR);           /* -1 where it is */
        if (!tw_any(inside))
            break;
        count -= inside;
        y = 2.0f * x * y + y0;
        x = xx - yy + x0;
    }
    const tw_float4 fraction = tw_log2(tw_log2(tw_fmax(square, FAR)) / tw_log2(FAR));
    return tw_select(tw_convert_float4(count) - fraction, (tw_float4)LIMIT, count == LIMIT);
}

/* The four points of pixel (column, row). */
static inline tw_float4 pixel_steps(const struct view *view, size_t column, size_t row)
{
    const tw_float4 dx = {0.25f, 0.75f, 0.25f, 0.75f}, dy = {0.25f, 0.25f, 0.75f, 0.75f};
    return steps(view->left + view->step * ((float)column + dx), view->top + view->step * ((float)row + dy));
}

/* From night blue by white and gold to brown for points that escape, over and over, slower and slower; black for the
   set. */
static inline tw_float4 colour(tw_float4 counts)
{
    enum { STOPS = 5 };
    const tw_float4 stops[STOPS + 1] = {{0.01f, 0.03f, 0.20f, 1}, {0.10f, 0.38f, 0.78f, 1}, {0.93f, 1.0f, 1.0f, 1},
                                        {1.0f, 0.67f, 0.10f, 1},  {0.30f, 0.06f, 0.12f, 1}, {0.01f, 0.03f, 0.20f, 1}};
    tw_float4 sum = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const float turns = 0.45f * tw_log2(tw_fmax(counts[i], 0.0f) + 1.0f) - 0.72f;
        const float along = STOPS * (turns - tw_floor(turns));
        const int at = along < STOPS - 1 ? (int)along : STOPS - 1;
        const tw_float4 set = {0, 0, 0, 1};
        sum += counts[i] == LIMIT ? set : tw_mix(stops[at], stops[at + 1], along - (float)at);
    }
    return sum / 4.0f;
}

static inline tw_uchar4 pixel_of(tw_float4 colour)
{
    return tw_convert_uchar4_sat_rte(colour * 255.0f);
}

struct mandelbrot {
    struct view view;
    TW_VIEW(tw_uchar4, 2) out;
};

static inline void mandelbrot(tw_item item, const struct mandelbrot *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    tw_at(k->out, row, column) = pixel_of(colour(pixel_steps(&k->view, column, row)));
}
TW_RANGE_KERNEL(mandelbrot, 2);

static inline void mandelbrot_tiles(tw_group group, const struct mandelbrot *k)
{
    TW_LOCAL(int, on_edge_outside, [TILE][TILE]); /* of each pixel: on the edge of the tile, and not all in the set */

    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_local_id(item, 0), j = tw_local_id(item, 1);
        const bool edge = i == 0 || j == 0 || i == TILE - 1 || j == TILE - 1;
        const tw_float4 counts =
            edge ? pixel_steps(&k->view, tw_global_id(item, 1), tw_global_id(item, 0)) : (tw_float4)LIMIT;
        on_edge_outside[i][j] = tw_any(counts < (float)LIMIT);
    }

    int outside = 0;
    for (int i = 0; i < TILE; ++i)
        for (int j = 0; j < TILE; ++j)
            outside |= on_edge_outside[i][j];

    tw_parallel_for_work_item(group, item) {
        const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
        const tw_float4 counts = outside ? pixel_steps(&k->view, column, row) : (tw_float4)LIMIT;
        if (row < tw_extent(k->out, 0) && column < tw_extent(k->out, 1))
            tw_at(k->out, row, column) = pixel_of(colour(counts));
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(mandelbrot) mandelbrot_tiles, TILE, TILE);

/* What is drawn: the whole set, two rows for three columns. */
struct picture {
    size_t width, height;
    struct view view;
    tw_uchar4 *pixels;
    tw_float4 *expected; /* colours from 0 to 255 */
};

static void submit(tw_queue *queue, bool tiles, const struct picture *picture, tw_buffer *pixels)
{
    tw_command_group *cg = tw_queue_begin(queue);
    if (tiles)
        tw_parallel_for_work_group(cg,
                                   tw_range_2d((picture->height + TILE - 1) / TILE, (picture->width + TILE - 1) / TILE),
                                   tw_range_2d(TILE, TILE), mandelbrot_tiles, .view = picture->view,
                                   .out = TW_DISCARD_WRITE_VIEW(cg, pixels, 2));
    else
        tw_parallel_for(cg, tw_range_2d(picture->height, picture->width), mandelbrot, .view = picture->view,
                        .out = TW_DISCARD_WRITE_VIEW(cg, pixels, 2));
    check(tw_queue_submit(queue, cg, NULL));
}

/* Draws the picture several times, and stores the seconds of each. */
static void draw(tw_queue *queue, bool tiles, const struct picture *picture, double taken[TIMES])
{
    tw_buffer *pixels;
    check(tw_buffer_create_over(picture->pixels, sizeof(tw_uchar4), tw_range_2d(picture->height, picture->width),
                                &pixels));
    for (int i = 0; i < TIMES; ++i) {
        const double start = seconds();
        submit(queue, tiles, picture, pixels);
        check(tw_queue_wait(queue));
        taken[i] = seconds() - start;
    }
    check(tw_buffer_destroy(&pixels)); /* brings the picture to the host */
}

/* One point after another, in double precision. */
static double reference(double x0, double y0)
{
    double x = x0, y = y0;
    int i = 0;
    for (; i < LIMIT && x * x + y * y <= (double)FAR; ++i) {
        const double next = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = next;
    }
    return i == LIMIT ? i : i - log2(log2(x * x + y * y) / log2((double)FAR));
}

static void compute_expected(const struct picture *picture)
{
    const struct view *view = &picture->view;
    for (size_t row = 0; row < picture->height; ++row)
        for (size_t column = 0; column < picture->width; ++column) {
            tw_float4 counts;
            for (int i = 0; i < 4; ++i)
                counts[i] =
                    (float)reference((double)view->left + (double)view->step * ((double)column + 0.25 + 0.5 * (i % 2)),
                                     (double)view->top + (double)view->step * ((double)row + 0.25 + 0.5 * (i / 2)));
            picture->expected[row * picture->width + column] = colour(counts) * 255.0f;
        }
}

/* Pixels that differ by more than rounding: at the edge of the set single precision may count otherwise. */
static size_t count_wrong(const struct picture *picture)
{
    size_t wrong = 0;
    for (size_t i = 0; i < picture->width * picture->height; ++i) {
        bool differs = false;
        for (int c = 0; c < 4; ++c) {
            const float error = (float)picture->pixels[i][c] - picture->expected[i][c];
            differs = differs || error > 1.5f || error < -1.5f;
        }
        wrong += differs;
    }
    return wrong;
}

/* A picture for the terminal: every tenth row and fifth column. */
static void print(const struct picture *picture)
{
    for (size_t row = 0; row < picture->height; row += 10) {
        for (size_t column = 0; column < picture->width; column += 5) {
            const tw_uchar4 pixel = picture->pixels[row * picture->width + column];
            const int light = pixel[0] + pixel[1] + pixel[2];
            putchar(light ? " .:+"[light / 192] : '#'); /* the set alone is black */
        }
        putchar('\n');
    }
}

static bool write_png(const struct picture *picture, const char *path)
{
#ifdef MANDELBROT_PNG
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)picture->width,
                     .height = (png_uint_32)picture->height,
                     .format = PNG_FORMAT_RGBA};
    if (png_image_write_to_file(&png, path, 0, picture->pixels, 0, NULL))
        return true;
    fprintf(stderr, "mandelbrot: %s: %s\n", path, png.message);
#else
    (void)picture;
    fprintf(stderr, "mandelbrot: %s: built without libpng: install libpng-dev and build again\n", path);
#endif
    return false;
}

int main(int count, char **arguments)
{
    const struct devices devices = take_devices(&count, arguments);
    const long width = count > 2 ? strtol(arguments[2], NULL, 10) : WIDTH;
    if (width < TILE || width > MAX_WIDTH) {
        fprintf(stderr, "mandelbrot: the width is from %d to %d\n", TILE, MAX_WIDTH);
        return 2;
    }
    struct picture picture = {.width = (size_t)width, .height = (size_t)width * 2 / 3};
    const size_t pixels = picture.width * picture.height;
    picture.view = (struct view){-2.375f, -1.2f, 3.6f / (float)width};
    picture.pixels = allocate(pixels, sizeof *picture.pixels);
    picture.expected = allocate(pixels, sizeof *picture.expected);
    compute_expected(&picture);

    bool right = true;
    tw_queue *queue;
    printf("%zu pixels\n", pixels);
    for (size_t run = 0; (queue = create_queue(&devices, run)); ++run) {
        for (int tiles = 0; tiles < 2; ++tiles) {
            double taken[TIMES];
            memset(picture.pixels, 0, pixels * sizeof *picture.pixels);
            draw(queue, tiles, &picture, taken);
            const bool close = count_wrong(&picture) <= pixels / 50;
            right &= report(queue, tiles ? "hierarchical, first" : "range, first", taken[0], close);
            right &= report(queue, tiles ? "hierarchical, last" : "range, last", taken[TIMES - 1], close);
        }
        check(tw_queue_destroy(&queue));
    }
    if (count < 2)
        print(&picture);
    else
        right &= write_png(&picture, arguments[1]);
    free(picture.pixels);
    free(picture.expected);
    return !right;
}
