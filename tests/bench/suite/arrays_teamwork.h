/* SPDX-License-Identifier: Apache-2.0 */
/** Versions in Teamwork of programs with arrays: each array is a buffer, from open() to close(). */
#ifndef TEAMWORK_SUITE_ARRAYS_TEAMWORK_H
#define TEAMWORK_SUITE_ARRAYS_TEAMWORK_H

#include "arrays.h"
#include "teamwork_side.h"

/** The state of a version. */
struct suite_teamwork {
    const void *problem;
    tw_buffer *at[SUITE_ARRAYS];       /**< of the arrays, as the problem numbers them */
    tw_buffer *pristine[SUITE_ARRAYS]; /**< of those that are restored: what they held at first */
};

void *suite_teamwork_open(const void *problem);
bool suite_teamwork_reset(void *state);
bool suite_teamwork_fetch(void *state, void *result);
void suite_teamwork_close(void *state);

/** A version with its run(), and one whose arrays are to be restored. */
#define SUITE_TEAMWORK_VERSION(form, kind, run)                                                                        \
    {form, kind, suite_teamwork_open, NULL, run, suite_teamwork_fetch, suite_teamwork_close}
#define SUITE_TEAMWORK_VERSION_RESET(form, kind, run)                                                                  \
    {form, kind, suite_teamwork_open, suite_teamwork_reset, run, suite_teamwork_fetch, suite_teamwork_close}

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
