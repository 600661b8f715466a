/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's iteration in Teamwork. */
#include "../arrays_teamwork.h"
#include "jacobi.h"

struct jacobi_flat {
    const float *in;
    float *out;
    unsigned pitch;
    TW_REDUCTION(double, TW_SUM) change;
};

static inline void jacobi_flat(tw_item item, const struct jacobi_flat *k)
{
    const size_t at = (size_t)((unsigned)tw_global_id(item, 0) * k->pitch) + tw_global_id(item, 1);
    const float *here = k->in + at, *up = here - k->pitch, *down = here + k->pitch;
    const float mean = 0.25f * (up[0] + down[0] + here[-1] + here[1]);
    const double change = (double)(mean - here[0]);
    k->out[at] = mean;
    tw_combine(k->change, change * change);
}
TW_RANGE_REDUCTION(jacobi_flat, 2, change);

struct jacobi_tiled {
    const float *in;
    float *out;
    double *sums; /* one for each group */
    unsigned pitch;
};

static inline void jacobi_tiled(tw_group group, const struct jacobi_tiled *k)
{
    TW_LOCAL(float, tile, [JACOBI_ROWS + 2][JACOBI_COLUMNS + 2]);
    TW_PRIVATE(group, double, change);
    const size_t corner = (size_t)((unsigned)tw_group_id(group, 0) * JACOBI_ROWS * k->pitch)
                          + (unsigned)tw_group_id(group, 1) * JACOBI_COLUMNS;
    const float *in = k->in + corner - k->pitch - 1;
    float *out = k->out + corner;

    tw_parallel_for_work_item_range(group, item, tw_range_2d(JACOBI_ROWS + 2, JACOBI_COLUMNS + 2)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (in + i * k->pitch)[j];
    }
    tw_parallel_for_work_item(group, item) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        const float mean = 0.25f * (tile[i][j + 1] + tile[i + 2][j + 1] + tile[i + 1][j] + tile[i + 1][j + 2]);
        const double difference = (double)(mean - tile[i + 1][j + 1]);
        (out + i * k->pitch)[j] = mean;
        tw_private(change, item) = difference * difference;
    }
    const double sum = tw_reduce_over_group(group, change, TW_SUM);
    TW_ONCE(group) {
        k->sums[tw_group_linear_id(group)] = sum;
    }
}
TW_WORK_GROUP_KERNEL(jacobi_tiled, JACOBI_ROWS, JACOBI_COLUMNS);

struct jacobi_nd {
    const float *in;
    float *out;
    double *sums;
    unsigned pitch;
};

static inline void jacobi_nd(tw_nd_item item, const struct jacobi_nd *k)
{
    enum { WIDE = JACOBI_COLUMNS + 2, CELLS = (JACOBI_ROWS + 2) * WIDE };
    TW_LOCAL(float, tile, [CELLS]);
    const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const size_t corner = (size_t)((unsigned)tw_group_id(item, 0) * JACOBI_ROWS * k->pitch)
                          + (unsigned)tw_group_id(item, 1) * JACOBI_COLUMNS;
    const float *in = k->in + corner - k->pitch - 1;

    for (unsigned at = i * JACOBI_COLUMNS + j; at < CELLS; at += JACOBI_ROWS * JACOBI_COLUMNS)
        tile[at] = in[at / WIDE * k->pitch + at % WIDE];
    tw_barrier(item, TW_LOCAL_SPACE);
    const float *here = &tile[(i + 1) * WIDE + j + 1];
    const float mean = 0.25f * (here[-WIDE] + here[WIDE] + here[-1] + here[1]);
    const double difference = (double)(mean - here[0]);
    k->out[corner + i * k->pitch + j] = mean;
    const double sum = tw_reduce_over_group(item, difference * difference, TW_SUM);
    if (i == 0 && j == 0)
        k->sums[tw_group_linear_id(item)] = sum;
}
TW_ND_RANGE_KERNEL(jacobi_nd, JACOBI_ROWS, JACOBI_COLUMNS);

struct jacobi_sum {
    const double *sums;
    TW_REDUCTION(double, TW_SUM) change;
};

static inline void jacobi_sum(tw_item item, const struct jacobi_sum *k)
{
    tw_combine(k->change, k->sums[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(jacobi_sum, 1, change);

/* Submits one sweep. */
typedef bool (*sweep)(const struct suite_teamwork *s, tw_buffer *from, tw_buffer *to);

static bool sweep_flat(const struct suite_teamwork *s, tw_buffer *from, tw_buffer *to)
{
    const struct jacobi *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    if (in && out)
        tw_parallel_for(cg, tw_range_2d(problem->side, problem->side), jacobi_flat, .in = in + jacobi_first(problem),
                        .out = out + jacobi_first(problem), .pitch = problem->pitch,
                        .change = TW_REDUCE_INIT(cg, s->at[JACOBI_CHANGE]));
    return suite_submit(cg);
}

static bool add_sums(const struct suite_teamwork *s)
{
    const struct jacobi *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(jacobi_tiles(problem)), jacobi_sum, .sums = tw_read(cg, s->at[JACOBI_SUMS]),
                    .change = TW_REDUCE_INIT(cg, s->at[JACOBI_CHANGE]));
    return suite_submit(cg);
}

static bool sweep_tiled(const struct suite_teamwork *s, tw_buffer *from, tw_buffer *to)
{
    const struct jacobi *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    if (in && out)
        tw_parallel_for_work_group(cg, tw_range_2d(problem->side / JACOBI_ROWS, problem->side / JACOBI_COLUMNS),
                                   tw_range_2d(JACOBI_ROWS, JACOBI_COLUMNS), jacobi_tiled,
                                   .in = in + jacobi_first(problem), .out = out + jacobi_first(problem),
                                   .sums = tw_discard_write(cg, s->at[JACOBI_SUMS]), .pitch = problem->pitch);
    return suite_submit(cg) && add_sums(s);
}

static bool sweep_nd(const struct suite_teamwork *s, tw_buffer *from, tw_buffer *to)
{
    const struct jacobi *problem = s->problem;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    const float *in = tw_read(cg, from);
    float *out = tw_write(cg, to);
    const tw_nd_range range =
        tw_nd_range_make(tw_range_2d(problem->side, problem->side), tw_range_2d(JACOBI_ROWS, JACOBI_COLUMNS));
    if (in && out)
        tw_parallel_for_nd_range(cg, range, jacobi_nd, .in = in + jacobi_first(problem),
                                 .out = out + jacobi_first(problem), .sums = tw_discard_write(cg, s->at[JACOBI_SUMS]),
                                 .pitch = problem->pitch);
    return suite_submit(cg) && add_sums(s);
}

static bool iterate(void *state, sweep sweep)
{
    const struct suite_teamwork *s = state;
    const struct jacobi *problem = s->problem;
    double change = 2 * problem->tolerance;
    for (unsigned step = 0; step < problem->most_sweeps && change > problem->tolerance; ++step)
        if (!sweep(s, s->at[step % 2 ? JACOBI_B : JACOBI_A], s->at[step % 2 ? JACOBI_A : JACOBI_B])
            || !suite_buffer_get(s->at[JACOBI_CHANGE], &change, sizeof change))
            return false;
    return suite_wait();
}

static bool run_flat(void *state)
{
    return iterate(state, sweep_flat);
}

static bool run_tiled(void *state)
{
    return iterate(state, sweep_tiled);
}

static bool run_nd(void *state)
{
    return iterate(state, sweep_nd);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION_RESET("flat", "reduction", run_flat),
    SUITE_TEAMWORK_VERSION_RESET("tiled", "hierarchical", run_tiled),
    SUITE_TEAMWORK_VERSION_RESET("tiled", "nd_range", run_nd),
};
const struct suite_versions suite_jacobi_teamwork = SUITE_VERSIONS(versions);
