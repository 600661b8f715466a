/* SPDX-License-Identifier: Apache-2.0 */
/** Versions in Teamwork: each array is a buffer, from open() to close(). Functions print what went wrong. */
#ifndef TEAMWORK_SUITE_ARRAYS_TEAMWORK_H
#define TEAMWORK_SUITE_ARRAYS_TEAMWORK_H

#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "arrays.h"

/** The state of a version. */
struct suite_teamwork {
    const void *problem;
    tw_buffer *at[SUITE_ARRAYS]; /**< of the arrays, as the problem numbers them */
};

void *suite_teamwork_open(const void *problem);
bool suite_teamwork_fetch(void *state, void *result);
void suite_teamwork_close(void *state);

/** The first `bytes` of a buffer. */
bool suite_buffer_get(tw_buffer *buffer, void *result, size_t bytes);

static inline bool suite_submit(tw_command_group *cg)
{
    return bench_passed(tw_queue_submit(bench_queue(), cg, NULL));
}

static inline bool suite_wait(void)
{
    return bench_passed(tw_queue_wait(bench_queue()));
}

static inline bool suite_submit_and_wait(tw_command_group *cg)
{
    return suite_submit(cg) && suite_wait();
}

/** A version with its run(). */
#define SUITE_TEAMWORK_VERSION(form, kind, run)                                                                        \
    {form, kind, suite_teamwork_open, run, suite_teamwork_fetch, suite_teamwork_close}

/** The versions of a program. */
#define SUITE_TEAMWORK_LIST(name, ...) SUITE_LIST(suite_##name##_teamwork, __VA_ARGS__)

/**
 * The run() of a version that launches one kernel: `launch` is the macro that does so, what follows are its arguments
 * behind the group `cg`, in which `s` is the state and `p` the problem, a `struct tag`.
 */
#define SUITE_TEAMWORK_RUN(name, tag, launch, ...)                                                                     \
    static bool name(void *state)                                                                                      \
    {                                                                                                                  \
        const struct suite_teamwork *s = state;                                                                        \
        const struct tag *p = s->problem;                                                                              \
        tw_command_group *cg = tw_queue_begin(bench_queue());                                                          \
        launch(cg, __VA_ARGS__);                                                                                       \
        return suite_submit_and_wait(cg);                                                                              \
    }

/**
 * The runs of a kernel that is written in all forms: NAME_range, NAME_items (nd_range) and NAME_group, which share the
 * block `struct tag`. `block` makes it, of a command group and a state; `items` says how many work-items there are, of a
 * state, and `local` how many a group has; the last group may be partly beyond the items.
 */
#define SUITE_TEAMWORK_FORMS(name, tag, block, items, local)                                                           \
    SUITE_TEAMWORK_FORM(name##_range, suite_launch_range, tag, block, items, local)                                    \
    SUITE_TEAMWORK_FORM(name##_items, suite_launch_items, tag, block, items, local)                                    \
    SUITE_TEAMWORK_FORM(name##_group, suite_launch_groups, tag, block, items, local)

#define SUITE_TEAMWORK_FORM(name, launch, tag, block, items, local)                                                    \
    static bool run_##name(void *state)                                                                                \
    {                                                                                                                  \
        tw_command_group *cg = tw_queue_begin(bench_queue());                                                          \
        const struct tag block_ = block(cg, state);                                                                    \
        launch(cg, items(state), local, TW_KERNEL(name), &block_, sizeof block_);                                      \
        return suite_submit_and_wait(cg);                                                                              \
    }

/** Their versions. */
#define SUITE_TEAMWORK_FORM_VERSIONS(form, name)                                                                       \
    SUITE_TEAMWORK_VERSION(form, "range", run_##name##_range),                                                         \
        SUITE_TEAMWORK_VERSION(form, "nd_range", run_##name##_items),                                                  \
        SUITE_TEAMWORK_VERSION(form, "hierarchical", run_##name##_group)

/** Groups for a range of work-items. */
static inline tw_range suite_groups(tw_range items, tw_range local)
{
    for (unsigned d = 0; d < items.dims; ++d)
        items.size[d] = (items.size[d] + local.size[d] - 1) / local.size[d];
    return items;
}

static inline void suite_launch_range(tw_command_group *cg, tw_range items, tw_range local, const tw_kernel *kernel,
                                      const void *block, size_t bytes)
{
    (void)local;
    tw_parallel_for_kernel(cg, items, kernel, block, bytes);
}

static inline void suite_launch_items(tw_command_group *cg, tw_range items, tw_range local, const tw_kernel *kernel,
                                      const void *block, size_t bytes)
{
    tw_range whole = suite_groups(items, local);
    for (unsigned d = 0; d < whole.dims; ++d)
        whole.size[d] *= local.size[d];
    tw_parallel_for_nd_range_kernel(cg, tw_nd_range_make(whole, local), kernel, block, bytes);
}

static inline void suite_launch_groups(tw_command_group *cg, tw_range items, tw_range local, const tw_kernel *kernel,
                                       const void *block, size_t bytes)
{
    tw_parallel_for_work_group_kernel(cg, suite_groups(items, local), local, kernel, block, bytes);
}

#endif
