/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Mandelbrot set as an image: each work-item follows four points of its pixel at once in a tw_float4 and writes
 * their mean colour. As a range kernel, and as a hierarchical one whose groups first look at the edge of their tile:
 * where all of that is inside of the set, so is the tile, which has no holes. Both are compared with a sequential loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/image.h>
#include <teamwork/teamwork.h>
#include <teamwork/vector.h>

enum { WIDTH = 300, HEIGHT = 200, TILE = 8, LIMIT = 256 };

/* The part of the plane that the image shows. */
struct view {
    float left, top, step;
};

/* How often each of four points stays within a distance of 2; LIMIT for those of the set. */
static inline tw_int4 iterations(tw_float4 x0, tw_float4 y0)
{
    tw_float4 x = x0, y = y0;
    tw_int4 count = {0, 0, 0, 0};
    for (int i = 0; i < LIMIT; ++i) {
        const tw_float4 xx = x * x, yy = y * y;
        const tw_int4 inside = xx + yy <= 4.0f; /* -1 where it is */
        if (!tw_any(inside))
            break;
        count -= inside;
        y = 2.0f * x * y + y0;
        x = xx - yy + x0;
    }
    return count;
}

/* The four points of pixel (column, row). */
static inline tw_int4 pixel_iterations(const struct view *view, size_t column, size_t row)
{
    const tw_float4 dx = {0.25f, 0.75f, 0.25f, 0.75f}, dy = {0.25f, 0.25f, 0.75f, 0.75f};
    return iterations(view->left + view->step * ((float)column + dx), view->top + view->step * ((float)row + dy));
}

/* Blue to white for points that escape, black for the set. */
static inline tw_float4 colour(tw_int4 counts)
{
    tw_float4 sum = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const float t = (float)counts[i] / LIMIT;
        const tw_float4 outside = {t, tw_clamp(2.0f * t, 0.0f, 1.0f), tw_mix(0.4f, 1.0f, t), 1.0f};
        const tw_float4 set = {0, 0, 0, 1};
        sum += counts[i] == LIMIT ? set : outside;
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
                    colour(pixel_iterations(&k->view, column, row)));
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
        const tw_int4 counts =
            edge ? pixel_iterations(&k->view, tw_global_id(item, 1), tw_global_id(item, 0)) : (tw_int4)LIMIT;
        on_edge_outside[i][j] = tw_any(counts < LIMIT);
    }

    int outside = 0;
    for (int i = 0; i < TILE; ++i)
        for (int j = 0; j < TILE; ++j)
            outside |= on_edge_outside[i][j];

    tw_parallel_for_work_item(group, item) {
        const size_t row = tw_global_id(item, 0), column = tw_global_id(item, 1);
        const tw_int4 counts = outside ? pixel_iterations(&k->view, column, row) : (tw_int4)LIMIT;
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

static const struct view view = {-2.2f, -1.0f, 0.01f};

static void draw(tw_queue *queue, bool tiles, unsigned char *pixels)
{
    const tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = tw_range_2d(HEIGHT, WIDTH)};
    tw_image *image;
    check(tw_image_create_over(pixels, layout, &image));
    tw_command_group *cg = tw_queue_begin(queue);
    if (tiles)
        tw_parallel_for_work_group(cg, tw_range_2d((HEIGHT + TILE - 1) / TILE, (WIDTH + TILE - 1) / TILE),
                                   tw_range_2d(TILE, TILE), mandelbrot_tiles, .view = view,
                                   .out = tw_discard_write_image_2d(cg, image));
    else
        tw_parallel_for(cg, layout.size, mandelbrot, .view = view, .out = tw_discard_write_image_2d(cg, image));
    check(tw_queue_submit(queue, cg, NULL));
    check(tw_image_destroy(&image)); /* waits for the kernel */
}

/* One point after another, in double precision. */
static int reference(double x0, double y0)
{
    double x = x0, y = y0;
    int i = 0;
    for (; i < LIMIT && x * x + y * y <= 4; ++i) {
        const double next = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = next;
    }
    return i;
}

/* Pixels that differ by more than rounding: at the edge of the set single precision may count otherwise. */
static int count_wrong(const unsigned char *pixels)
{
    int wrong = 0;
    for (int row = 0; row < HEIGHT; ++row)
        for (int column = 0; column < WIDTH; ++column) {
            tw_int4 counts;
            for (int i = 0; i < 4; ++i)
                counts[i] = reference((double)view.left + (double)view.step * (column + 0.25 + 0.5 * (i % 2)),
                                      (double)view.top + (double)view.step * (row + 0.25 + 0.5 * (i / 2)));
            const tw_float4 expected = colour(counts) * 255.0f;
            for (int c = 0; c < 4; ++c) {
                const float error = (float)pixels[4 * (row * WIDTH + column) + c] - expected[c];
                if (error > 1.5f || error < -1.5f) {
                    ++wrong;
                    break;
                }
            }
        }
    return wrong;
}

int main(void)
{
    static unsigned char pixels[2][4 * WIDTH * HEIGHT];
    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    draw(queue, false, pixels[0]);
    draw(queue, true, pixels[1]);
    check(tw_queue_destroy(&queue));

    /* a picture for the terminal: every tenth row and fifth column */
    for (int row = 0; row < HEIGHT; row += 10) {
        for (int column = 0; column < WIDTH; column += 5) {
            const unsigned char *p = &pixels[0][4 * (row * WIDTH + column)];
            putchar(p[2] ? " .:+"[p[1] / 64] : '#'); /* blue is 0 in the set alone */
        }
        putchar('\n');
    }
    const int wrong[2] = {count_wrong(pixels[0]), count_wrong(pixels[1])};
    printf("%d pixels; unlike the sequential loop: %d of the range kernel, %d of the hierarchical one\n",
           WIDTH * HEIGHT, wrong[0], wrong[1]);
    return wrong[0] > WIDTH * HEIGHT / 50 || wrong[1] > WIDTH * HEIGHT / 50;
}
