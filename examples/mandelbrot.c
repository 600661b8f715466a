/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Mandelbrot set as an image: each work-item follows four points of its pixel at once in a tw_float4 and writes
 * their mean colour. As a range kernel, and as a hierarchical one whose groups first look at the edge of their tile:
 * where all of that is inside of the set, so is the tile, which has no holes. Both are compared with a sequential loop.
 *
 *     mandelbrot [FILE.png [WIDTH]]     writes the picture too, where it is built with libpng
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/image.h>
#include <teamwork/math.h>
#include <teamwork/teamwork.h>
#include <teamwork/vector.h>
#ifdef MANDELBROT_PNG
#include <png.h>
#endif

enum { WIDTH = 300, MAX_WIDTH = 4096, TILE = 8, LIMIT = 256 };

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

struct mandelbrot {
    struct view view;
    tw_image_2d out;
};

static inline void mandelbrot(tw_item item, const struct mandelbrot *k)
{
    const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
    tw_write_imagef(tw_image_as(k->out, TW_RGBA, TW_UNORM_INT8), tw_get_global_id(item),
                    colour(pixel_steps(&k->view, column, row)));
}
TW_RANGE_KERNEL(mandelbrot, 2);

struct mandelbrot_tiles {
    struct view view;
    tw_image_2d out;
};

static inline void mandelbrot_tiles(tw_group group, const struct mandelbrot_tiles *k)
{
    const tw_image_2d out = tw_image_as(k->out, TW_RGBA, TW_UNORM_INT8);
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
        if (row < (size_t)tw_get_image_height(out) && column < (size_t)tw_get_image_width(out))
            tw_write_imagef(out, (tw_int2){(int)column, (int)row}, colour(counts));
    }
}
TW_WORK_GROUP_KERNEL(mandelbrot_tiles, TILE, TILE);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

/* What is drawn: the whole set, two rows for three columns. */
struct picture {
    size_t width, height;
    struct view view;
    unsigned char *pixels[2]; /* of the range kernel, and of the hierarchical one */
};

static void draw(tw_queue *queue, bool tiles, const struct picture *picture)
{
    const tw_image_layout layout = {
        .order = TW_RGBA, .type = TW_UNORM_INT8, .size = tw_range_2d(picture->height, picture->width)};
    tw_image *image;
    check(tw_image_create_over(picture->pixels[tiles], layout, &image));
    tw_command_group *cg = tw_queue_begin(queue);
    if (tiles)
        tw_parallel_for_work_group(cg,
                                   tw_range_2d((picture->height + TILE - 1) / TILE, (picture->width + TILE - 1) / TILE),
                                   tw_range_2d(TILE, TILE), mandelbrot_tiles, .view = picture->view,
                                   .out = tw_discard_write_image_2d(cg, image));
    else
        tw_parallel_for(cg, layout.size, mandelbrot, .view = picture->view,
                        .out = tw_discard_write_image_2d(cg, image));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_image_destroy(&image)); /* waits for the kernel */
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

/* Pixels that differ by more than rounding: at the edge of the set single precision may count otherwise. */
static void count_wrong(const struct picture *picture, size_t wrong[2])
{
    wrong[0] = wrong[1] = 0;
    for (size_t row = 0; row < picture->height; ++row)
        for (size_t column = 0; column < picture->width; ++column) {
            const struct view *view = &picture->view;
            tw_float4 counts;
            for (int i = 0; i < 4; ++i)
                counts[i] =
                    (float)reference((double)view->left + (double)view->step * ((double)column + 0.25 + 0.5 * (i % 2)),
                                     (double)view->top + (double)view->step * ((double)row + 0.25 + 0.5 * (i / 2)));
            const tw_float4 expected = colour(counts) * 255.0f;
            for (int kind = 0; kind < 2; ++kind) {
                bool differs = false;
                for (int c = 0; c < 4; ++c) {
                    const float error =
                        (float)picture->pixels[kind][4 * (row * picture->width + column) + (size_t)c] - expected[c];
                    differs = differs || error > 1.5f || error < -1.5f;
                }
                wrong[kind] += differs;
            }
        }
}

/* A picture for the terminal: every tenth row and fifth column. */
static void print(const struct picture *picture)
{
    for (size_t row = 0; row < picture->height; row += 10) {
        for (size_t column = 0; column < picture->width; column += 5) {
            const unsigned char *p = &picture->pixels[0][4 * (row * picture->width + column)];
            const int light = p[0] + p[1] + p[2];
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
    if (png_image_write_to_file(&png, path, 0, picture->pixels[0], 0, NULL))
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
    const long width = count > 2 ? strtol(arguments[2], NULL, 10) : WIDTH;
    if (width < TILE || width > MAX_WIDTH) {
        fprintf(stderr, "mandelbrot: the width is from %d to %d\n", TILE, MAX_WIDTH);
        return 2;
    }
    struct picture picture = {.width = (size_t)width, .height = (size_t)width * 2 / 3};
    picture.view = (struct view){-2.375f, -1.2f, 3.6f / (float)width};
    const size_t pixels = picture.width * picture.height;
    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (int kind = 0; kind < 2; ++kind) {
        picture.pixels[kind] = malloc(4 * pixels);
        if (!picture.pixels[kind])
            return 1;
        draw(queue, kind == 1, &picture);
    }
    check(tw_queue_destroy(&queue));

    size_t wrong[2];
    count_wrong(&picture, wrong);
    if (count < 2)
        print(&picture);
    const bool written = count < 2 || write_png(&picture, arguments[1]);
    printf("%zu pixels; unlike the sequential loop: %zu of the range kernel, %zu of the hierarchical one\n", pixels,
           wrong[0], wrong[1]);
    free(picture.pixels[0]);
    free(picture.pixels[1]);
    return !written || wrong[0] > pixels / 50 || wrong[1] > pixels / 50;
}
