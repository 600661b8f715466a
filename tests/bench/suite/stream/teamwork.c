/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in Teamwork. */
#include "../arrays_teamwork.h"
#include "stream.h"

/* ---- kernels --------------------------------------------------------------------------------------------------- */

struct stream_copy {
    const double *x;
    double *out;
};

static inline void stream_copy(tw_item item, const struct stream_copy *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->x[i];
}
TW_RANGE_KERNEL(stream_copy, 1);

struct stream_mul {
    const double *x;
    double *out;
};

static inline void stream_mul(tw_item item, const struct stream_mul *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = STREAM_SCALE * k->x[i];
}
TW_RANGE_KERNEL(stream_mul, 1);

struct stream_add {
    const double *x, *y;
    double *out;
};

static inline void stream_add(tw_item item, const struct stream_add *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->x[i] + k->y[i];
}
TW_RANGE_KERNEL(stream_add, 1);

struct stream_triad {
    const double *x, *y;
    double *out;
};

static inline void stream_triad(tw_item item, const struct stream_triad *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->x[i] + STREAM_SCALE * k->y[i];
}
TW_RANGE_KERNEL(stream_triad, 1);

struct stream_dot {
    const double *x, *y;
    TW_REDUCTION(double, TW_SUM) sum;
};

static inline void stream_dot(tw_item item, const struct stream_dot *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_combine(k->sum, k->x[i] * k->y[i]);
}
TW_RANGE_REDUCTION(stream_dot, 1, sum);

/* Each work-item takes every so manieth element, as many as there are work-items; each group writes its part of the
   sum. */
struct stream_dot_parts {
    const double *x, *y;
    double *parts;
    size_t n;
};

static inline void stream_dot_parts(tw_nd_item item, const struct stream_dot_parts *k)
{
    double sum = 0;
    for (size_t i = tw_global_id(item, 0); i < k->n; i += tw_global_range(item, 0))
        sum += k->x[i] * k->y[i];
    sum = tw_reduce_over_group(item, sum, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->parts[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(stream_dot_parts, STREAM_GROUP);

/* The same; the loop over the array is around the loops over work-items. On a GPU all groups go through the array
   together, on a CPU each has a part of its own, for memory is read fastest in its order. */
struct stream_dot_hierarchical {
    const double *x, *y;
    double *parts;
    size_t n;
};

static inline void stream_dot_hierarchical(tw_group group, const struct stream_dot_hierarchical *k)
{
    TW_PRIVATE(group, double, sum);
    const size_t groups = tw_group_range(group, 0), turns = k->n / STREAM_GROUP, share = (turns + groups - 1) / groups;
    const size_t begin = (TW_ON_GPU ? 1 : share) * tw_group_id(group, 0) * STREAM_GROUP;
    const size_t end = TW_ON_GPU || begin + share * STREAM_GROUP > k->n ? k->n : begin + share * STREAM_GROUP;
    const size_t step = (TW_ON_GPU ? groups : 1) * STREAM_GROUP;
    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = 0;
    }
    for (size_t first = begin; first < end; first += step) {
        tw_parallel_for_work_item(group, item) {
            const size_t i = first + tw_local_id(item, 0);
            tw_private(sum, item) += k->x[i] * k->y[i];
        }
    }
    const double all = tw_reduce_over_group(group, sum, TW_SUM);
    TW_ONCE(group) {
        k->parts[tw_group_id(group, 0)] = all;
    }
}
TW_WORK_GROUP_KERNEL(stream_dot_hierarchical, STREAM_GROUP);

/* ---- versions -------------------------------------------------------------------------------------------------- */

#define X tw_read(cg, s->at[STREAM_X])
#define Y tw_read(cg, s->at[STREAM_Y])
#define OUT tw_discard_write(cg, s->at[STREAM_OUT])

SUITE_TEAMWORK_RUN(run_copy, stream, tw_parallel_for, tw_range_1d(p->n), stream_copy, .x = X, .out = OUT)
SUITE_TEAMWORK_RUN(run_mul, stream, tw_parallel_for, tw_range_1d(p->n), stream_mul, .x = X, .out = OUT)
SUITE_TEAMWORK_RUN(run_add, stream, tw_parallel_for, tw_range_1d(p->n), stream_add, .x = X, .y = Y, .out = OUT)
SUITE_TEAMWORK_RUN(run_triad, stream, tw_parallel_for, tw_range_1d(p->n), stream_triad, .x = X, .y = Y, .out = OUT)

SUITE_TEAMWORK_LIST(stream_copy, SUITE_TEAMWORK_VERSION("flat", "range", run_copy))
SUITE_TEAMWORK_LIST(stream_mul, SUITE_TEAMWORK_VERSION("flat", "range", run_mul))
SUITE_TEAMWORK_LIST(stream_add, SUITE_TEAMWORK_VERSION("flat", "range", run_add))
SUITE_TEAMWORK_LIST(stream_triad, SUITE_TEAMWORK_VERSION("flat", "range", run_triad))

/* ---- the dot product, whose result is on the host when a run ends ------------------------------------------------ */

struct dot {
    struct suite_teamwork *common;
    size_t groups;
    double sum;
};

static void *open_dot(const void *problem)
{
    size_t units = 0;
    struct dot *d = calloc(1, sizeof *d);
    if (!d || !(d->common = suite_teamwork_open(problem))) {
        free(d);
        return NULL;
    }
    tw_device_info(tw_queue_device(bench_queue()), TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units);
    d->groups = 4 * units < STREAM_MOST_GROUPS ? 4 * units : STREAM_MOST_GROUPS;
    return d;
}

static bool fetch_dot(void *state, void *result)
{
    memcpy(result, &((struct dot *)state)->sum, sizeof(double));
    return true;
}

static void close_dot(void *state)
{
    suite_teamwork_close(((struct dot *)state)->common);
    free(state);
}

/* The host accessor waits for the kernel: nothing else has to. */
static bool add_parts(struct dot *d, tw_command_group *cg, size_t count)
{
    double parts[STREAM_MOST_GROUPS];
    if (!suite_submit(cg) || !suite_buffer_get(d->common->at[STREAM_OUT], parts, count * sizeof(double)))
        return false;
    d->sum = 0;
    for (size_t i = 0; i < count; ++i)
        d->sum += parts[i];
    return true;
}

static bool run_dot(void *state)
{
    struct dot *d = state;
    const struct suite_teamwork *s = d->common;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(((const struct stream *)s->problem)->n), stream_dot, .x = X, .y = Y,
                    .sum = TW_REDUCE_INIT(cg, s->at[STREAM_OUT]));
    return add_parts(d, cg, 1);
}

static bool run_dot_parts(void *state)
{
    struct dot *d = state;
    const struct suite_teamwork *s = d->common;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(d->groups * STREAM_GROUP), tw_range_1d(STREAM_GROUP)),
                             stream_dot_parts, .x = X, .y = Y, .parts = OUT,
                             .n = ((const struct stream *)s->problem)->n);
    return add_parts(d, cg, d->groups);
}

static bool run_dot_hierarchical(void *state)
{
    struct dot *d = state;
    const struct suite_teamwork *s = d->common;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(d->groups), tw_range_1d(STREAM_GROUP), stream_dot_hierarchical, .x = X,
                               .y = Y, .parts = OUT, .n = ((const struct stream *)s->problem)->n);
    return add_parts(d, cg, d->groups);
}

SUITE_TEAMWORK_LIST(stream_dot, {"reduction", "reduction", open_dot, run_dot, fetch_dot, close_dot},
                    {"parts", "nd_range", open_dot, run_dot_parts, fetch_dot, close_dot},
                    {"parts", "hierarchical", open_dot, run_dot_hierarchical, fetch_dot, close_dot})
