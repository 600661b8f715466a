/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels. Both forms say at the start which formats they are for, so that reads and writes are compiled for them;
 * the launches check that the images have them.
 */
#include "filters.h"

#include <math.h>

#define SOURCE_FORMAT TW_RGBA, TW_UNORM_INT8
#define SOURCE_AS_INTEGERS TW_RGBA, TW_UNSIGNED_INT8
#define BETWEEN_FORMAT TW_RGBA, TW_FLOAT

/* ---- the Gaussian, a work-item a pixel --------------------------------------------------------------------------- */

/* The block of all kernels of the Gaussian. */
struct blur {
    tw_const_image_2d in;
    tw_image_2d out;
    const float *weights;
    int radius;
};

/* One pass, along (dx, dy). What lies beyond the edge is the edge. */
static inline tw_float4 blurred(tw_const_image_2d in, const struct blur *b, int x, int y, int dx, int dy)
{
    const tw_sampler edge = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_NEAREST);
    tw_float4 sum = {0, 0, 0, 0};
    for (int i = -b->radius; i <= b->radius; ++i)
        sum += b->weights[i + b->radius] * tw_read_imagef(in, edge, (tw_int2){x + i * dx, y + i * dy});
    return sum;
}

static inline void blur_rows(tw_item item, const struct blur *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    const tw_const_image_2d in = tw_image_as(k->in, SOURCE_FORMAT);
    tw_write_imagef(tw_image_as(k->out, BETWEEN_FORMAT), (tw_int2){x, y}, blurred(in, k, x, y, 1, 0));
}
TW_RANGE_KERNEL(static TW_BLOCK(blur) blur_rows, 2);

static inline void blur_columns(tw_item item, const struct blur *k)
{
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    const tw_const_image_2d in = tw_image_as(k->in, BETWEEN_FORMAT);
    tw_write_imagef(tw_image_as(k->out, SOURCE_FORMAT), (tw_int2){x, y}, blurred(in, k, x, y, 0, 1));
}
TW_RANGE_KERNEL(static TW_BLOCK(blur) blur_columns, 2);

/* ---- the Gaussian, a tile in local memory for each work-group ---------------------------------------------------- */

enum { LINE = FILTER_TILE + 2 * FILTER_MAX_RADIUS };

static inline void blur_row_tiles(tw_group group, const struct blur *k)
{
    TW_LOCAL(tw_float4, tile, [FILTER_TILE][LINE]);
    const tw_sampler edge = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_NEAREST);
    const tw_const_image_2d in = tw_image_as(k->in, SOURCE_FORMAT);
    const tw_image_2d out = tw_image_as(k->out, BETWEEN_FORMAT);
    const int left = (int)tw_group_id(group, 1) * FILTER_TILE, top = (int)tw_group_id(group, 0) * FILTER_TILE;
    const int radius = k->radius;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(FILTER_TILE, (size_t)(FILTER_TILE + 2 * radius))) {
        const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1);
        tile[i][j] = tw_read_imagef(in, edge, (tw_int2){left + j - radius, top + i});
    }
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1);
        tw_float4 sum = {0, 0, 0, 0};
        for (int r = 0; r <= 2 * radius; ++r)
            sum += k->weights[r] * tile[i][j + r];
        if (left + j < tw_get_image_width(out) && top + i < tw_get_image_height(out))
            tw_write_imagef(out, (tw_int2){left + j, top + i}, sum);
    }
}
TW_WORK_GROUP_KERNEL(static TW_BLOCK(blur) blur_row_tiles, FILTER_TILE, FILTER_TILE);

static inline void blur_column_tiles(tw_group group, const struct blur *k)
{
    TW_LOCAL(tw_float4, tile, [LINE][FILTER_TILE]);
    const tw_sampler edge = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_NEAREST);
    const tw_const_image_2d in = tw_image_as(k->in, BETWEEN_FORMAT);
    const tw_image_2d out = tw_image_as(k->out, SOURCE_FORMAT);
    const int left = (int)tw_group_id(group, 1) * FILTER_TILE, top = (int)tw_group_id(group, 0) * FILTER_TILE;
    const int radius = k->radius;

    tw_parallel_for_work_item_range(group, item, tw_range_2d((size_t)(FILTER_TILE + 2 * radius), FILTER_TILE)) {
        const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1);
        tile[i][j] = tw_read_imagef(in, edge, (tw_int2){left + j, top + i - radius});
    }
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_local_id(item, 0), j = (int)tw_local_id(item, 1);
        tw_float4 sum = {0, 0, 0, 0};
        for (int r = 0; r <= 2 * radius; ++r)
            sum += k->weights[r] * tile[i + r][j];
        if (left + j < tw_get_image_width(out) && top + i < tw_get_image_height(out))
            tw_write_imagef(out, (tw_int2){left + j, top + i}, sum);
    }
}
TW_WORK_GROUP_KERNEL(static TW_BLOCK(blur) blur_column_tiles, FILTER_TILE, FILTER_TILE);

static tw_range tiles_of(const tw_image *image)
{
    const tw_range size = tw_image_range(image);
    return tw_range_2d((size.size[0] + FILTER_TILE - 1) / FILTER_TILE, (size.size[1] + FILTER_TILE - 1) / FILTER_TILE);
}

#define BLUR(cg, from, to)                                                                                             \
    .in = tw_read_image_2d(cg, from), .out = tw_discard_write_image_2d(cg, to),                                        \
    .weights = tw_read_constant(cg, weights), .radius = radius

tw_status filter_blur(tw_queue *queue, enum filter_form form, tw_image *in, tw_image *between, tw_image *out,
                      tw_buffer *weights, int radius)
{
    const tw_range tile = tw_range_2d(FILTER_TILE, FILTER_TILE);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_image_require(cg, in, SOURCE_FORMAT);
    tw_image_require(cg, between, BETWEEN_FORMAT);
    if (form == FILTER_RANGE)
        tw_parallel_for(cg, tw_image_range(in), blur_rows, BLUR(cg, in, between));
    else
        tw_parallel_for_work_group(cg, tiles_of(in), tile, blur_row_tiles, BLUR(cg, in, between));
    const tw_status status = tw_queue_submit(queue, cg, NULL);
    if (status != TW_SUCCESS)
        return status;
    cg = tw_queue_begin(queue);
    tw_image_require(cg, out, SOURCE_FORMAT);
    if (form == FILTER_RANGE)
        tw_parallel_for(cg, tw_image_range(out), blur_columns, BLUR(cg, between, out));
    else
        tw_parallel_for_work_group(cg, tiles_of(out), tile, blur_column_tiles, BLUR(cg, between, out));
    return tw_queue_submit(queue, cg, NULL);
}

/* ---- rotation ---------------------------------------------------------------------------------------------------- */

struct turn {
    tw_const_image_2d in;
    tw_image_2d out;
    float cosine, sine;
};

/* Where the middle of pixel (x, y) of an image was before. */
static inline tw_float2 before_turn(tw_image_2d image, float cosine, float sine, int x, int y)
{
    const tw_float2 middle = {0.5f * (float)tw_get_image_width(image), 0.5f * (float)tw_get_image_height(image)};
    const tw_float2 to = (tw_float2){(float)x + 0.5f, (float)y + 0.5f} - middle;
    const tw_float2 from = {cosine * to.x + sine * to.y, cosine * to.y - sine * to.x};
    return from + middle;
}

/* Without interpolation pixels are only copied: as integers, that is what the compiler makes of it. */
static inline void turn_nearest(tw_item item, const struct turn *k)
{
    const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP, TW_FILTER_NEAREST);
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    const tw_const_image_2d in = tw_image_as(k->in, SOURCE_AS_INTEGERS);
    tw_write_imageui(tw_image_as(k->out, SOURCE_AS_INTEGERS), (tw_int2){x, y},
                     tw_read_imageui(in, sampler, before_turn(k->out, k->cosine, k->sine, x, y)));
}
TW_RANGE_KERNEL(static TW_BLOCK(turn) turn_nearest, 2);

static inline void turn_linear(tw_item item, const struct turn *k)
{
    const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP, TW_FILTER_LINEAR);
    const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
    const tw_const_image_2d in = tw_image_as(k->in, SOURCE_FORMAT);
    tw_write_imagef(tw_image_as(k->out, SOURCE_FORMAT), (tw_int2){x, y},
                    tw_read_imagef(in, sampler, before_turn(k->out, k->cosine, k->sine, x, y)));
}
TW_RANGE_KERNEL(static TW_BLOCK(turn) turn_linear, 2);

/* For both filters: the image has its sampler, which a GPU's own samplers may be. */
struct turn_tiles {
    tw_sampled_image_2d in;
    tw_image_2d out;
    float cosine, sine;
};

static inline void turn_tiles(tw_group group, const struct turn_tiles *k)
{
    const tw_image_2d out = tw_image_as(k->out, SOURCE_FORMAT);
    const tw_sampled_image_2d in = tw_image_as(k->in, SOURCE_FORMAT);
    tw_parallel_for_work_item(group, item) {
        const int x = (int)tw_global_id(item, 1), y = (int)tw_global_id(item, 0);
        if (x < tw_get_image_width(out) && y < tw_get_image_height(out))
            tw_write_imagef(out, (tw_int2){x, y}, tw_read_imagef(in, before_turn(out, k->cosine, k->sine, x, y)));
    }
}
TW_WORK_GROUP_KERNEL(static turn_tiles, FILTER_TILE, FILTER_TILE);

#define TURN(cg) .out = tw_discard_write_image_2d(cg, out), .cosine = (float)cos(angle), .sine = (float)sin(angle)

tw_status filter_rotate(tw_queue *queue, enum filter_form form, tw_image *in, tw_image *out, double angle,
                        tw_filter_mode filter)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_image_require(cg, in, SOURCE_FORMAT);
    tw_image_require(cg, out, SOURCE_FORMAT);
    if (form == FILTER_HIERARCHICAL)
        tw_parallel_for_work_group(cg, tiles_of(out), tw_range_2d(FILTER_TILE, FILTER_TILE), turn_tiles, TURN(cg),
                                   .in = tw_sample_image_2d(cg, in, tw_sampler_make(false, TW_ADDRESS_CLAMP, filter)));
    else if (filter == TW_FILTER_LINEAR)
        tw_parallel_for(cg, tw_image_range(out), turn_linear, TURN(cg), .in = tw_read_image_2d(cg, in));
    else
        tw_parallel_for(cg, tw_image_range(out), turn_nearest, TURN(cg), .in = tw_read_image_2d(cg, in));
    return tw_queue_submit(queue, cg, NULL);
}
