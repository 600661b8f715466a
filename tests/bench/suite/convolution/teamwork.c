/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian filter in Teamwork: straight from global memory, or through tiles with their halo in local memory. */
#include "../arrays_teamwork.h"
#include "convolution.h"

enum {
    RADIUS = CONVOLUTION_RADIUS,
    ROWS = CONVOLUTION_GROUP_ROWS,
    COLUMNS = CONVOLUTION_GROUP_COLUMNS,
    /* what a group filters: rows by the first launch, columns by the second */
    WIDTH = COLUMNS * CONVOLUTION_ROW_TILE,
    HEIGHT = ROWS * CONVOLUTION_COLUMN_TILE
};

/* Of the pixel at `in`; neighbours are `step` numbers apart. */
static inline __attribute__((always_inline)) float weighted_sum(const float *in, size_t step,
                                                                const struct convolution_weights *w)
{
    float sum = in[0] * w->at[0];
#pragma clang loop unroll(full)
    for (size_t d = 1; d <= RADIUS; ++d)
        sum += (*(in - d * step) + in[d * step]) * w->at[d];
    return sum;
}

/* ---- flat -------------------------------------------------------------------------------------------------------- */

/* Pointers to the first pixel inside of the border, as in all of these blocks. */
struct convolution_rows {
    const float *in;
    float *out;
    unsigned pitch;
    struct convolution_weights weights;
};

static inline void convolution_rows(tw_item item, const struct convolution_rows *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0) * k->pitch;
    const size_t column = tw_global_id(item, 1);
    (k->out + row)[column] = weighted_sum(&(k->in + row)[column], 1, &k->weights);
}
TW_RANGE_KERNEL(convolution_rows, 2);

struct convolution_columns {
    const float *in;
    float *out;
    unsigned pitch;
    struct convolution_weights weights;
};

static inline void convolution_columns(tw_item item, const struct convolution_columns *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0) * k->pitch;
    const size_t column = tw_global_id(item, 1);
    (k->out + row)[column] = weighted_sum(&(k->in + row)[column], k->pitch, &k->weights);
}
TW_RANGE_KERNEL(convolution_columns, 2);

/* ---- tiled, as hierarchical kernels ------------------------------------------------------------------------------ */

struct convolution_group_rows {
    const float *in;
    float *out;
    unsigned pitch;
    struct convolution_weights weights;
};

static inline void convolution_group_rows(tw_group group, const struct convolution_group_rows *k)
{
    TW_LOCAL(float, tile, [ROWS][WIDTH + 2 * RADIUS]);
    const unsigned corner = (unsigned)tw_group_id(group, 0) * ROWS * k->pitch + (unsigned)tw_group_id(group, 1) * WIDTH;
    const float *in = k->in + corner - RADIUS;
    float *out = k->out + corner;

    /* as wide as the group's pixels, and then what is left and right of them: no division by another width */
    tw_parallel_for_work_item_range(group, item, tw_range_2d(ROWS, WIDTH)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][RADIUS + j] = (in + i * k->pitch + RADIUS)[j];
    }
    tw_parallel_for_work_item_range(group, item, tw_range_2d(ROWS, RADIUS)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (in + i * k->pitch)[j];
        tile[i][RADIUS + WIDTH + j] = (in + i * k->pitch + RADIUS + WIDTH)[j];
    }
    tw_parallel_for_work_item_range(group, item, tw_range_2d(ROWS, WIDTH)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        (out + i * k->pitch)[j] = weighted_sum(&tile[i][RADIUS + j], 1, &k->weights);
    }
}
TW_WORK_GROUP_KERNEL(convolution_group_rows, ROWS, COLUMNS);

struct convolution_group_columns {
    const float *in;
    float *out;
    unsigned pitch;
    struct convolution_weights weights;
};

static inline void convolution_group_columns(tw_group group, const struct convolution_group_columns *k)
{
    TW_LOCAL(float, tile, [HEIGHT + 2 * RADIUS][COLUMNS]);
    const unsigned corner =
        (unsigned)tw_group_id(group, 0) * HEIGHT * k->pitch + (unsigned)tw_group_id(group, 1) * COLUMNS;
    const float *in = k->in + corner - RADIUS * k->pitch;
    float *out = k->out + corner;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(HEIGHT + 2 * RADIUS, COLUMNS)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (in + i * k->pitch)[j];
    }
    tw_parallel_for_work_item_range(group, item, tw_range_2d(HEIGHT, COLUMNS)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        (out + i * k->pitch)[j] = weighted_sum(&tile[RADIUS + i][j], COLUMNS, &k->weights);
    }
}
TW_WORK_GROUP_KERNEL(convolution_group_columns, ROWS, COLUMNS);

/* ---- tiled, as nd_range kernels ---------------------------------------------------------------------------------- */

struct convolution_item_rows {
    const float *in;
    float *out;
    unsigned pitch;
    struct convolution_weights weights;
};

static inline void convolution_item_rows(tw_nd_item item, const struct convolution_item_rows *k)
{
    TW_LOCAL(float, tile, [ROWS][WIDTH + 2 * RADIUS]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned corner = (unsigned)tw_global_id(item, 0) * k->pitch + (unsigned)tw_group_id(item, 1) * WIDTH;
    const float *in = k->in + corner - RADIUS;
    float *out = k->out + corner;

#pragma clang loop unroll(full)
    for (unsigned at = 0; at < WIDTH + 2 * RADIUS; at += COLUMNS)
        if (at + j < WIDTH + 2 * RADIUS)
            tile[i][at + j] = in[at + j];
    tw_barrier(item, TW_LOCAL_SPACE);
#pragma clang loop unroll(full)
    for (unsigned at = 0; at < WIDTH; at += COLUMNS)
        out[at + j] = weighted_sum(&tile[i][RADIUS + at + j], 1, &k->weights);
}
TW_ND_RANGE_KERNEL(convolution_item_rows, ROWS, COLUMNS);

struct convolution_item_columns {
    const float *in;
    float *out;
    unsigned pitch;
    struct convolution_weights weights;
};

static inline void convolution_item_columns(tw_nd_item item, const struct convolution_item_columns *k)
{
    TW_LOCAL(float, tile, [HEIGHT + 2 * RADIUS][COLUMNS]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned corner = (unsigned)tw_group_id(item, 0) * HEIGHT * k->pitch + (unsigned)tw_global_id(item, 1);
    const float *in = k->in + corner - RADIUS * k->pitch;
    float *out = k->out + corner;

#pragma clang loop unroll(full)
    for (unsigned at = 0; at < HEIGHT + 2 * RADIUS; at += ROWS)
        tile[at + i][j] = in[(at + i) * k->pitch];
    tw_barrier(item, TW_LOCAL_SPACE);
#pragma clang loop unroll(full)
    for (unsigned at = 0; at < HEIGHT; at += ROWS)
        out[(at + i) * k->pitch] = weighted_sum(&tile[RADIUS + at + i][j], COLUMNS, &k->weights);
}
_Static_assert(2 * RADIUS % ROWS == 0, "every work-item loads as many pixels");
TW_ND_RANGE_KERNEL(convolution_item_columns, ROWS, COLUMNS);

/* ---- versions: borders are kept, so access is write and not discard ---------------------------------------------- */

/* The pointers of a launch: from array `from` to array `to`. NULL where the group already failed. */
struct pass {
    const float *in;
    float *out;
};

static struct pass pass_of(const struct suite_teamwork *s, tw_command_group *cg, unsigned from, unsigned to)
{
    const size_t inside = convolution_inside(s->problem);
    const float *in = tw_read(cg, s->at[from]);
    float *out = tw_write(cg, s->at[to]);
    return (struct pass){in ? in + inside : NULL, out ? out + inside : NULL};
}

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const struct convolution *c = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    struct pass pass = pass_of(s, cg, CONVOLUTION_IN, CONVOLUTION_BETWEEN);
    tw_parallel_for(cg, tw_range_2d(c->side, c->side), convolution_rows, .in = pass.in, .out = pass.out,
                    .pitch = (unsigned)c->pitch, .weights = c->weights);
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    pass = pass_of(s, cg, CONVOLUTION_BETWEEN, CONVOLUTION_OUT);
    tw_parallel_for(cg, tw_range_2d(c->side, c->side), convolution_columns, .in = pass.in, .out = pass.out,
                    .pitch = (unsigned)c->pitch, .weights = c->weights);
    return suite_submit_and_wait(cg);
}

static bool run_groups(void *state)
{
    const struct suite_teamwork *s = state;
    const struct convolution *c = s->problem;
    const tw_range local = tw_range_2d(ROWS, COLUMNS);
    tw_command_group *cg = tw_queue_begin(bench_queue());
    struct pass pass = pass_of(s, cg, CONVOLUTION_IN, CONVOLUTION_BETWEEN);
    tw_parallel_for_work_group(cg, tw_range_2d(c->side / ROWS, c->side / WIDTH), local, convolution_group_rows,
                               .in = pass.in, .out = pass.out, .pitch = (unsigned)c->pitch, .weights = c->weights);
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    pass = pass_of(s, cg, CONVOLUTION_BETWEEN, CONVOLUTION_OUT);
    tw_parallel_for_work_group(cg, tw_range_2d(c->side / HEIGHT, c->side / COLUMNS), local, convolution_group_columns,
                               .in = pass.in, .out = pass.out, .pitch = (unsigned)c->pitch, .weights = c->weights);
    return suite_submit_and_wait(cg);
}

static bool run_items(void *state)
{
    const struct suite_teamwork *s = state;
    const struct convolution *c = s->problem;
    const tw_range local = tw_range_2d(ROWS, COLUMNS);
    const tw_range across = tw_range_2d(c->side, c->side / CONVOLUTION_ROW_TILE);
    const tw_range down = tw_range_2d(c->side / CONVOLUTION_COLUMN_TILE, c->side);
    tw_command_group *cg = tw_queue_begin(bench_queue());
    struct pass pass = pass_of(s, cg, CONVOLUTION_IN, CONVOLUTION_BETWEEN);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(across, local), convolution_item_rows, .in = pass.in, .out = pass.out,
                             .pitch = (unsigned)c->pitch, .weights = c->weights);
    if (!suite_submit(cg))
        return false;
    cg = tw_queue_begin(bench_queue());
    pass = pass_of(s, cg, CONVOLUTION_BETWEEN, CONVOLUTION_OUT);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(down, local), convolution_item_columns, .in = pass.in,
                             .out = pass.out, .pitch = (unsigned)c->pitch, .weights = c->weights);
    return suite_submit_and_wait(cg);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION("flat", "range", run_flat),
    SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_groups),
    SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_items),
};
const struct suite_versions suite_convolution_teamwork = SUITE_VERSIONS(versions);
