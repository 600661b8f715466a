/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Hierarchical kernels on a CPU as a GPU runs them (TW_CHECK_GROUP_SCOPE): each work-item runs group scope, with
 * variables of its own, on a stack of its own, and meets the others at the edges of loops. A kernel that breaks the
 * rules of group scope so gives wrong results here too, or TW_ERROR_DIVERGENT_BARRIER; and TW_ERROR_GROUP_SCOPE if the
 * group's first work-item changes TW_LOCAL memory between two loops.
 */
#ifndef TEAMWORK_LOWER_WORK_ITEM_CHECKED_H
#define TEAMWORK_LOWER_WORK_ITEM_CHECKED_H

TW_DEVICE_INLINE size_t tw_internal_checked_thread(tw_group group)
{
    return ((size_t)group->tw_thread_[0] * group->tw_local_[1] + group->tw_thread_[1]) * group->tw_local_[2]
           + group->tw_thread_[2];
}

/* The TW_LOCAL variables of the group that a thread runs, and what was in them when the first work-item left the last
   barrier, which was in `line`. */
struct tw_internal_checked_local {
    const void *at;
    size_t bytes;
    struct tw_internal_checked_local *next;
    uint64_t group; /* the last one that declared it */
};
struct tw_internal_checked_memory {
    struct tw_internal_checked_local *first;
    uint64_t group, hash;
    int line;
    bool known; /* no group function was at a barrier since then */
};

static inline __attribute__((unused)) struct tw_internal_checked_memory *tw_internal_checked_memory(void)
{
    static __thread struct tw_internal_checked_memory memory; /* not outside: images for devices would lack it */
    return &memory;
}

static inline __attribute__((unused)) uint64_t tw_internal_checked_hash(void)
{
    uint64_t hash = 0;
    for (const struct tw_internal_checked_local *l = tw_internal_checked_memory()->first; l; l = l->next)
        for (size_t i = 0; i < l->bytes; ++i)
            hash = (hash ^ ((const unsigned char *)l->at)[i]) * 0x100000001b3 + 1;
    return hash;
}

/* Where a variable is declared. Each work-item comes, the first one first. */
static inline __attribute__((unused)) bool tw_internal_checked_declare(struct tw_internal_checked_local *local,
                                                                       const void *at, size_t bytes)
{
    if (local->group == tw_internal_checked_memory()->group)
        return false;
    local->at = at;
    local->bytes = bytes;
    local->next = tw_internal_checked_memory()->first;
    local->group = tw_internal_checked_memory()->group;
    tw_internal_checked_memory()->first = local;
    tw_internal_checked_memory()->hash = tw_internal_checked_hash();
    return true;
}

/* Where group scope begins for the first work-item, and where it ends. */
static inline __attribute__((unused)) void tw_internal_checked_enter(int line)
{
    tw_internal_checked_memory()->hash = tw_internal_checked_hash();
    tw_internal_checked_memory()->line = line;
    tw_internal_checked_memory()->known = true;
}
static inline __attribute__((unused)) void tw_internal_checked_leave(tw_group group, int line)
{
    if (tw_internal_checked_memory()->known && tw_internal_checked_memory()->hash != tw_internal_checked_hash())
        group->tw_cpu_->diverge(group->tw_run_, 0, 0, tw_internal_checked_memory()->line, line);
}

/* Around a whole kernel. */
static inline __attribute__((unused)) void tw_internal_checked_first(void)
{
    ++tw_internal_checked_memory()->group;
    tw_internal_checked_memory()->first = NULL;
    tw_internal_checked_enter(0);
}

TW_DEVICE_INLINE bool tw_internal_checked_barrier(tw_group group, int line)
{
    ((struct tw_internal_group *)group->tw_exchange_)->tw_switched_ = true; /* the items function's own */
    group->tw_cpu_->barrier(group->tw_run_, tw_internal_checked_thread(group), line);
    if (tw_internal_checked_thread(group) == 0)
        tw_internal_checked_enter(line);
    return true;
}

/* The barrier in front of a loop. */
TW_DEVICE_INLINE bool tw_internal_checked_open(tw_group group, int line)
{
    if (tw_internal_checked_thread(group) == 0)
        tw_internal_checked_leave(group, line);
    return tw_internal_checked_barrier(group, line);
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
    tw_internal_checked_open(group, line);
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
    for (bool tw_open = tw_internal_checked_open(group, __LINE__);                                                     \
         tw_open || !tw_internal_checked_barrier(group, __LINE__); tw_open = false)                                    \
        for (bool tw_once = tw_internal_checked_thread(group) == 0; tw_once; tw_once = false)

#define TW_INTERNAL_PRIVATE(group, type, name, dims, ...) type name[1] dims
#define TW_INTERNAL_PRIVATE_AT(name, item, value, place, indices)                                                      \
    ((name)[0 * sizeof(tw_internal_private_at(item, place, !TW_INTERNAL_IS_ARRAY(value)))] indices)

/* Behind the declaration of a TW_LOCAL variable. */
#define TW_INTERNAL_CHECK_LOCAL(name) TW_INTERNAL_CHECK_LOCAL_(name)
#define TW_INTERNAL_CHECK_LOCAL_(name)                                                                                 \
    static __thread struct tw_internal_checked_local name##_tw_checked;                                                \
    const bool name##_tw_declared __attribute__((unused)) =                                                            \
        tw_internal_checked_declare(&name##_tw_checked, &name, sizeof(name));

#endif
