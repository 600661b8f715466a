/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Hierarchical kernels on a CPU as a GPU runs them (TW_CHECK_GROUP_SCOPE): each work-item runs group scope, with
 * variables of its own, on a stack of its own, and meets the others at the edges of loops. A kernel that breaks the
 * rules of group scope so gives wrong results here too, or TW_ERROR_DIVERGENT_BARRIER.
 */
#ifndef TEAMWORK_LOWER_WORK_ITEM_CHECKED_H
#define TEAMWORK_LOWER_WORK_ITEM_CHECKED_H

TW_DEVICE_INLINE size_t tw_internal_checked_thread(tw_group group)
{
    return ((size_t)group->tw_thread_[0] * group->tw_local_[1] + group->tw_thread_[1]) * group->tw_local_[2]
           + group->tw_thread_[2];
}

TW_DEVICE_INLINE bool tw_internal_checked_barrier(tw_group group, int line)
{
    ((struct tw_internal_group *)group->tw_exchange_)->tw_switched_ = true; /* the items function's own */
    group->tw_cpu_->barrier(group->tw_run_, tw_internal_checked_thread(group), line);
    return true;
}

/* Of a loop over another range: the work-item that comes next, or past the last one. */
struct tw_internal_checked_loop {
    struct tw_internal_points points;
    size_t next, total;
};

TW_DEVICE_INLINE struct tw_internal_checked_loop tw_internal_checked_begin(tw_group group,
                                                                           struct tw_internal_points points, int line)
{
    const struct tw_internal_checked_loop loop = {points, tw_internal_checked_thread(group),
                                                  tw_range_count(points.range)};
    tw_internal_checked_barrier(group, line);
    return loop;
}

TW_DEVICE_INLINE bool tw_internal_checked_more(tw_group group, const struct tw_internal_checked_loop *loop, int line)
{
    return loop->next < loop->total || !tw_internal_checked_barrier(group, line);
}

#define TW_INTERNAL_WORK_ITEMS(group, which, ignored, options, item, ...)                                              \
    for (struct tw_internal_checked_loop tw_loop = tw_internal_checked_begin(group, which, __LINE__);                  \
         tw_internal_checked_more(group, &tw_loop, __LINE__); tw_loop.next += tw_local_linear_range(group))            \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_linear_item(group, &tw_loop.points, tw_loop.next))

#define TW_INTERNAL_ONCE(group)                                                                                        \
    for (bool tw_open = tw_internal_checked_barrier(group, __LINE__);                                                  \
         tw_open || !tw_internal_checked_barrier(group, __LINE__); tw_open = false)                                    \
        for (bool tw_once = tw_internal_checked_thread(group) == 0; tw_once; tw_once = false)

#define TW_INTERNAL_PRIVATE(group, type, name, dims, ...) type name[1] dims
#define TW_INTERNAL_PRIVATE_AT(name, item, value, place, indices)                                                      \
    ((name)[0 * sizeof(tw_internal_private_at(item, place, !TW_INTERNAL_IS_ARRAY(value)))] indices)

#endif
