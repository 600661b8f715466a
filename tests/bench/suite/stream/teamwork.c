/* SPDX-License-Identifier: Apache-2.0 */
/* The stream programs in Teamwork. */
#include <stdlib.h>

#include "stream.h"
#include "teamwork_side.h"

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

struct state {
    size_t n, groups;
    tw_buffer *x, *y, *out;
    double dot;
};

static void close_state(void *memory)
{
    struct state *s = memory;
    bench_passed(tw_buffer_destroy(&s->x));
    bench_passed(tw_buffer_destroy(&s->y));
    bench_passed(tw_buffer_destroy(&s->out));
    free(s);
}

static void *open_state(const struct stream *problem, bool two, size_t results)
{
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    size_t units = 0;
    tw_device_info(tw_queue_device(bench_queue()), TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units);
    s->n = problem->n;
    s->groups = 4 * units < STREAM_MOST_GROUPS ? 4 * units : STREAM_MOST_GROUPS;
    s->x = suite_buffer(problem->x, sizeof(double), s->n);
    s->y = two ? suite_buffer(problem->y, sizeof(double), s->n) : NULL;
    s->out = suite_buffer(NULL, sizeof(double), results);
    if (s->x && (s->y || !two) && s->out)
        return s;
    close_state(s);
    return NULL;
}

static void *open_one(const void *problem)
{
    return open_state(problem, false, ((const struct stream *)problem)->n);
}

static void *open_two(const void *problem)
{
    return open_state(problem, true, ((const struct stream *)problem)->n);
}

static void *open_dot(const void *problem)
{
    return open_state(problem, true, STREAM_MOST_GROUPS);
}

static bool fetch(void *state, void *result)
{
    struct state *s = state;
    return suite_buffer_get(s->out, result, s->n * sizeof(double));
}

static bool fetch_dot(void *state, void *result)
{
    memcpy(result, &((struct state *)state)->dot, sizeof(double));
    return true;
}

static bool run_copy(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(s->n), stream_copy, .x = tw_read(cg, s->x), .out = tw_discard_write(cg, s->out));
    return suite_submit_and_wait(cg);
}

static bool run_mul(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(s->n), stream_mul, .x = tw_read(cg, s->x), .out = tw_discard_write(cg, s->out));
    return suite_submit_and_wait(cg);
}

static bool run_add(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(s->n), stream_add, .x = tw_read(cg, s->x), .y = tw_read(cg, s->y),
                    .out = tw_discard_write(cg, s->out));
    return suite_submit_and_wait(cg);
}

static bool run_triad(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(s->n), stream_triad, .x = tw_read(cg, s->x), .y = tw_read(cg, s->y),
                    .out = tw_discard_write(cg, s->out));
    return suite_submit_and_wait(cg);
}

/* The host accessor waits for the kernel: nothing else has to. */
static bool run_dot(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(s->n), stream_dot, .x = tw_read(cg, s->x), .y = tw_read(cg, s->y),
                    .sum = TW_REDUCE_INIT(cg, s->out));
    return suite_submit(cg) && suite_buffer_get(s->out, &s->dot, sizeof s->dot);
}

static bool add_parts(struct state *s)
{
    double parts[STREAM_MOST_GROUPS];
    if (!suite_buffer_get(s->out, parts, s->groups * sizeof(double)))
        return false;
    s->dot = 0;
    for (size_t i = 0; i < s->groups; ++i)
        s->dot += parts[i];
    return true;
}

static bool run_dot_parts(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(s->groups * STREAM_GROUP), tw_range_1d(STREAM_GROUP)),
                             stream_dot_parts, .x = tw_read(cg, s->x), .y = tw_read(cg, s->y),
                             .parts = tw_discard_write(cg, s->out), .n = s->n);
    return suite_submit(cg) && add_parts(s);
}

static bool run_dot_hierarchical(void *state)
{
    struct state *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(s->groups), tw_range_1d(STREAM_GROUP), stream_dot_hierarchical,
                               .x = tw_read(cg, s->x), .y = tw_read(cg, s->y), .parts = tw_discard_write(cg, s->out),
                               .n = s->n);
    return suite_submit(cg) && add_parts(s);
}

#define ONE_VERSION(name, open_state)                                                                                  \
    static const struct suite_version name##_versions[] = {{.form = "flat",                                            \
                                                            .kind = "range",                                           \
                                                            .open = open_state,                                        \
                                                            .run = run_##name,                                         \
                                                            .fetch = fetch,                                            \
                                                            .close = close_state}};                                    \
    const struct suite_versions suite_stream_##name##_teamwork = SUITE_VERSIONS(name##_versions)

ONE_VERSION(copy, open_one);
ONE_VERSION(mul, open_one);
ONE_VERSION(add, open_two);
ONE_VERSION(triad, open_two);

#define DOT_VERSION(form_, kind_, run_)                                                                                \
    {.form = form_, .kind = kind_, .open = open_dot, .run = run_, .fetch = fetch_dot, .close = close_state}
static const struct suite_version dot_versions[] = {
    DOT_VERSION("reduction", "reduction", run_dot),
    DOT_VERSION("parts", "nd_range", run_dot_parts),
    DOT_VERSION("parts", "hierarchical", run_dot_hierarchical),
};
const struct suite_versions suite_stream_dot_teamwork = SUITE_VERSIONS(dot_versions);
