/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group algorithms of work-items that take turns on one thread of a CPU. Each leaves its value for the others; behind
 * the last one, that one computes for all. Values of up to 8 bytes are left in places of the group, of larger ones the
 * address: each then finds the result in its own variable.
 */
#ifndef TEAMWORK_LOWER_GROUP_ALGORITHMS_CPU_H
#define TEAMWORK_LOWER_GROUP_ALGORITHMS_CPU_H

/* A work-item, as one of those that come to a function together. */
typedef tw_nd_item tw_internal_group_member;

TW_OVERLOADED tw_internal_group_member tw_internal_group_member_of(tw_nd_item item)
{
    return item;
}

#define TW_INTERNAL_GROUP_PARTS(name) NULL
#define TW_INTERNAL_DEFINE_PARTS(type, name)
#define TW_INTERNAL_LANES_ROOM 1

/* For a type of group_functions.h: the fast way to reduce many values. */
#define TW_INTERNAL_ALL(suffix) tw_internal_all_##suffix
#define TW_INTERNAL_DEFINE_GROUP_ALL(type, suffix)                                                                     \
    TW_LANGUAGE_INLINE void tw_internal_all_##suffix(void *to, const void *values, size_t count, const void *op)       \
    {                                                                                                                  \
        *(type *)to = tw_internal_reduce_array_##suffix((const type *)values, count, *(const tw_operation *)op);       \
    }

/* The place of work-item `i`: 4 or 8 bytes. Behind the places of all there is one more. */
TW_LANGUAGE_INLINE unsigned char *tw_internal_exchange_slot(tw_internal_group_member me, size_t bytes, size_t i)
{
    return (unsigned char *)tw_internal_exchange(me, bytes) + i * (bytes > 4 ? 8 : 4);
}

/* The value that work-item `i` has left. */
TW_LANGUAGE_INLINE void *tw_internal_exchange_left(tw_internal_group_member me, size_t bytes, size_t i)
{
    unsigned char *const slot = tw_internal_exchange_slot(me, bytes, i);
    return bytes > 8 ? *(void **)(void *)slot : slot;
}

TW_LANGUAGE_INLINE void tw_internal_exchange_leave(tw_internal_group_member me, void *x, size_t bytes)
{
    unsigned char *const slot = tw_internal_exchange_slot(me, bytes, tw_local_linear_id(me));
    if (bytes > 8)
        *(void **)(void *)slot = x;
    else
        __builtin_memcpy(slot, x, bytes);
}

/* True for one work-item, which goes on when all are here; the others go to the barrier that comes next. */
TW_LANGUAGE_INLINE bool tw_internal_exchange_last(tw_internal_group_member me)
{
    return tw_internal_marker_once() || tw_local_linear_id(me) == tw_local_linear_range(me) - 1;
}

/* One work-item gives all a value; all take it behind the next barrier. */
TW_LANGUAGE_INLINE void tw_internal_exchange_give_all(tw_internal_group_member me, const void *x, size_t bytes)
{
    const size_t count = tw_local_linear_range(me);
    if (bytes <= 8)
        __builtin_memcpy(tw_internal_exchange_slot(me, bytes, count), x, bytes);
    else
        for (size_t i = 0; i < count; ++i)
            __builtin_memcpy(tw_internal_exchange_left(me, bytes, i), x, bytes);
}

TW_LANGUAGE_INLINE void tw_internal_exchange_take(tw_internal_group_member me, void *x, size_t bytes)
{
    tw_internal_barrier_at(me, TW_LOCAL_SPACE, 0);
    if (bytes <= 8)
        __builtin_memcpy(x, tw_internal_exchange_slot(me, bytes, tw_local_linear_range(me)), bytes);
}

TW_LANGUAGE_INLINE void tw_internal_reduce_values(tw_internal_group_member me, void *x, struct tw_internal_operator how)
{
    const size_t count = tw_local_linear_range(me);
    tw_internal_exchange_leave(me, x, how.bytes);
    if (tw_internal_exchange_last(me)) {
        tw_internal_copy_value(how.spare, tw_internal_exchange_left(me, how.bytes, 0), how);
        for (size_t i = 1; i < count; ++i)
            how.combine(how.spare, how.spare, tw_internal_exchange_left(me, how.bytes, i), how.op);
        tw_internal_exchange_give_all(me, how.spare, how.bytes);
    }
    tw_internal_exchange_take(me, x, how.bytes);
}

TW_LANGUAGE_INLINE void tw_internal_scan_values(tw_internal_group_member me, void *x, const void *init, bool exclusive,
                                                struct tw_internal_operator how)
{
    const size_t count = tw_local_linear_range(me), bytes = how.bytes;
    tw_internal_exchange_leave(me, x, bytes);
    if (tw_internal_exchange_last(me)) {
        unsigned char *const before = how.spare, *const here = how.spare + bytes;
        if (init)
            __builtin_memcpy(before, init, bytes);
        for (size_t i = 0; i < count; ++i) {
            void *const at = tw_internal_exchange_left(me, bytes, i);
            __builtin_memcpy(here, at, bytes);
            if (exclusive)
                __builtin_memcpy(at, before, bytes);
            if (init || i > 0)
                how.combine(before, before, here, how.op);
            else
                __builtin_memcpy(before, here, bytes);
            if (!exclusive)
                __builtin_memcpy(at, before, bytes);
        }
    }
    tw_internal_barrier_at(me, TW_LOCAL_SPACE, 0);
    if (bytes <= 8)
        __builtin_memcpy(x, tw_internal_exchange_slot(me, bytes, tw_local_linear_id(me)), bytes);
}

TW_LANGUAGE_INLINE void tw_internal_broadcast_value(tw_internal_group_member me, void *x, size_t from,
                                                    struct tw_internal_operator how)
{
    if (tw_local_linear_id(me) == from)
        tw_internal_exchange_leave(me, x, how.bytes);
    tw_internal_barrier_at(me, TW_LOCAL_SPACE, 0);
    tw_internal_copy_value(how.spare, tw_internal_exchange_left(me, how.bytes, from), how);
    tw_internal_barrier_at(me, TW_LOCAL_SPACE, 0); /* before the next one overwrites it */
    tw_internal_copy_value(x, how.spare, how);
}

/* Whether x is true for any work-item. */
TW_LANGUAGE_INLINE bool tw_internal_any_value(tw_internal_group_member me, bool x)
{
    return tw_internal_count_of_group(me, x) > 0;
}

/* ---- a sub-group is one work-item -------------------------------------------------------------------------------- */

TW_LANGUAGE_INLINE tw_sub_group tw_internal_own_sub_group(tw_group group)
{
    (void)group;
    return tw_internal_sub_group(0, 1);
}

TW_LANGUAGE_INLINE void tw_internal_reduce_lanes(tw_sub_group sub_group, void *x, struct tw_internal_operator how)
{
    (void)sub_group, (void)x, (void)how;
}

TW_LANGUAGE_INLINE void tw_internal_scan_lanes(tw_sub_group sub_group, void *x, const void *init, bool exclusive,
                                               struct tw_internal_operator how)
{
    (void)sub_group;
    if (exclusive)
        tw_internal_copy_value(x, init, how);
    else if (init)
        how.combine(x, init, x, how.op);
}

TW_LANGUAGE_INLINE void tw_internal_shuffle_value(tw_sub_group sub_group, void *to, const void *x, size_t bytes,
                                                  enum tw_internal_shuffle kind, size_t which)
{
    (void)sub_group, (void)kind, (void)which;
    if (to != x)
        __builtin_memcpy(to, x, bytes);
}

/* ---- over a range of memory -------------------------------------------------------------------------------------- */

TW_OVERLOADED void tw_internal_joint_reduce(tw_internal_group_member me, void *to, const void *values, size_t count,
                                            struct tw_internal_operator how)
{
    tw_internal_exchange_leave(me, to, how.bytes);
    if (tw_internal_exchange_last(me)) {
        tw_internal_copy_value(how.spare, to, how); /* of an empty range */
        if (count)
            tw_internal_serial_reduce(how.spare, values, count, how);
        tw_internal_exchange_give_all(me, how.spare, how.bytes);
    }
    tw_internal_exchange_take(me, to, how.bytes);
}

TW_OVERLOADED void tw_internal_joint_scan(tw_internal_group_member me, void *to, const void *values, size_t count,
                                          const void *init, bool exclusive, struct tw_internal_operator how)
{
    if (tw_internal_exchange_last(me))
        tw_internal_serial_scan(to, values, count, init, exclusive, how);
    tw_internal_barrier_at(me, TW_GLOBAL_AND_LOCAL, 0);
}

TW_OVERLOADED bool tw_internal_joint_any(tw_internal_group_member me, const void *values, size_t count, size_t bytes,
                                         tw_internal_test test, const void *user)
{
    unsigned any = 0;
    if (tw_internal_exchange_last(me)) {
        any = tw_internal_serial_any(values, count, bytes, test, user);
        tw_internal_exchange_give_all(me, &any, sizeof any);
    }
    tw_internal_exchange_take(me, &any, sizeof any);
    return any != 0;
}

TW_OVERLOADED void tw_internal_joint_sort(tw_internal_group_member me, struct tw_internal_sort sort)
{
    if (tw_internal_exchange_last(me))
        tw_internal_serial_sort(sort);
    tw_internal_barrier_at(me, TW_GLOBAL_AND_LOCAL, 0);
}

#endif
