/* SPDX-License-Identifier: Apache-2.0 */
/* The bilateral filter in Teamwork. */
#include "../arrays_teamwork.h"
#include "bilateral.h"

#include <teamwork/math.h>

enum { RADIUS = BILATERAL_RADIUS, ROWS = BILATERAL_ROWS, COLUMNS = BILATERAL_COLUMNS };
enum { HIGH = ROWS + 2 * RADIUS, WIDE = COLUMNS + 2 * RADIUS }; /* a tile with its border */

/* The new value of a pixel; `corner` is that which is RADIUS above and left of it, and `at` the offset of both rows.
   Full unrolling makes the distances constants, and on a CPU lets the loop over pixels vectorize. */
__attribute__((always_inline)) static inline float filtered(const float *corner, size_t pitch, size_t at)
{
    const float here = (corner + RADIUS * pitch + RADIUS)[at];
    float sum = 0, weights = 0;
#pragma clang loop unroll(full)
    for (int y = 0; y <= 2 * RADIUS; ++y)
#pragma clang loop unroll(full)
        for (int x = 0; x <= 2 * RADIUS; ++x) {
            const int dy = y - RADIUS, dx = x - RADIUS;
            const float value = (corner + (unsigned)y * pitch + x)[at], difference = value - here;
            const float weight =
                tw_exp((float)(dx * dx + dy * dy) * BILATERAL_NEAR + difference * difference * BILATERAL_ALIKE);
            sum += weight * value;
            weights += weight;
        }
    return sum / weights;
}

struct bilateral_flat {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void bilateral_flat(tw_item item, const struct bilateral_flat *k)
{
    const unsigned start = (unsigned)tw_global_id(item, 0) * k->pitch;
    const size_t column = tw_global_id(item, 1);
    (k->out + start)[column] = filtered(k->in + start - RADIUS * k->pitch - RADIUS, k->pitch, column);
}
TW_RANGE_KERNEL(bilateral_flat, 2);

struct bilateral_tiled {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void bilateral_tiled(tw_group group, const struct bilateral_tiled *k)
{
    TW_LOCAL(float, tile, [HIGH][WIDE]);
    const unsigned corner =
        (unsigned)tw_group_id(group, 0) * ROWS * k->pitch + (unsigned)tw_group_id(group, 1) * COLUMNS;
    const float *in = k->in + corner - RADIUS * k->pitch - RADIUS;
    float *out = k->out + corner;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(HIGH, WIDE)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (in + i * k->pitch)[j];
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        (out + i * k->pitch)[j] = filtered(tile[i], WIDE, j);
    }
}
TW_WORK_GROUP_KERNEL(bilateral_tiled, ROWS, COLUMNS);

struct bilateral_nd {
    const float *in;
    float *out;
    unsigned pitch;
};

static inline void bilateral_nd(tw_nd_item item, const struct bilateral_nd *k)
{
    TW_LOCAL(float, tile, [HIGH * WIDE]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const unsigned corner = (unsigned)tw_group_id(item, 0) * ROWS * k->pitch + (unsigned)tw_group_id(item, 1) * COLUMNS;
    const float *in = k->in + corner - RADIUS * k->pitch - RADIUS;

    for (unsigned at = i * COLUMNS + j; at < HIGH * WIDE; at += ROWS * COLUMNS)
        tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[corner + i * k->pitch + j] = filtered(tile, WIDE, i * WIDE + j);
}
TW_ND_RANGE_KERNEL(bilateral_nd, ROWS, COLUMNS);

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const struct bilateral *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, s->at[BILATERAL_IN]);
    float *out = tw_write(cg, s->at[BILATERAL_OUT]);
    if (in && out)
        tw_parallel_for(cg, tw_range_2d(problem->rows, problem->columns), bilateral_flat,
                        .in = in + bilateral_first(problem), .out = out + bilateral_first(problem),
                        .pitch = problem->pitch);
    return suite_submit_and_wait(cg);
}

static bool run_tiled(void *state)
{
    const struct suite_teamwork *s = state;
    const struct bilateral *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, s->at[BILATERAL_IN]);
    float *out = tw_write(cg, s->at[BILATERAL_OUT]);
    if (in && out)
        tw_parallel_for_work_group(cg, tw_range_2d(problem->rows / ROWS, problem->columns / COLUMNS),
                                   tw_range_2d(ROWS, COLUMNS), bilateral_tiled, .in = in + bilateral_first(problem),
                                   .out = out + bilateral_first(problem), .pitch = problem->pitch);
    return suite_submit_and_wait(cg);
}

static bool run_nd(void *state)
{
    const struct suite_teamwork *s = state;
    const struct bilateral *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, s->at[BILATERAL_IN]);
    float *out = tw_write(cg, s->at[BILATERAL_OUT]);
    const tw_nd_range range =
        tw_nd_range_make(tw_range_2d(problem->rows, problem->columns), tw_range_2d(ROWS, COLUMNS));
    if (in && out)
        tw_parallel_for_nd_range(cg, range, bilateral_nd, .in = in + bilateral_first(problem),
                                 .out = out + bilateral_first(problem), .pitch = problem->pitch);
    return suite_submit_and_wait(cg);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION("flat", "range", run_flat),
    SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_tiled),
    SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_nd),
};
const struct suite_versions suite_bilateral_teamwork = SUITE_VERSIONS(versions);
