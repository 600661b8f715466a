/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group functions on a CPU, where one thread runs a group. The work-items of an nd_range take turns in the order of their ids:
 * each leaves its value for the others, and the last one to come computes for all. A sub-group is a single work-item.
 * (The pass of a CPU device in the standard mapping refuses nd_range kernels; it only compiles this.)
 */
#ifndef TEAMWORK_LOWER_GROUP_FUNCTIONS_CPU_H
#define TEAMWORK_LOWER_GROUP_FUNCTIONS_CPU_H

/* Values of 4 bytes have places of their own behind those of 8: what one function leaves there may not have been read by all when
   the next one, for another type, begins. */
TW_DEVICE_INLINE void *tw_internal_exchange(tw_nd_item item, size_t element_bytes)
{
    unsigned char *places = (unsigned char *)item.tw_group_->tw_exchange_;
    return element_bytes > 4 ? places : places + 8 * (tw_local_linear_range(item) + 1);
}

TW_DEVICE_INLINE void tw_internal_sub_group_barrier(tw_sub_group sub_group)
{
    (void)sub_group;
}

TW_DEVICE_INLINE unsigned long long tw_internal_ballot(tw_sub_group sub_group, bool x)
{
    (void)sub_group;
    return x;
}

#define TW_INTERNAL_DEFINE_GROUP_FUNCTIONS(type, suffix, lowest, highest, combine)                                     \
    TW_INTERNAL_DEFINE_OVER_PRIVATE_LOOPS(type, suffix, combine)                                                       \
    TW_OVERLOADED type tw_reduce_over_group(tw_nd_item item, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)      \
    {                                                                                                                  \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        const size_t me = tw_local_linear_id(item), count = tw_local_linear_range(item);                               \
        slots[me] = x;                                                                                                 \
        if (tw_internal_marker_once() || me == count - 1)                                                              \
            slots[count] = tw_reduce_over_group(item.tw_group_, (const type *)slots, op);                              \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        return slots[count];                                                                                           \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(tw_nd_item item, type x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        const size_t me = tw_local_linear_id(item), count = tw_local_linear_range(item);                               \
        slots[me] = x;                                                                                                 \
        if (tw_internal_marker_once() || me == count - 1)                                                              \
            tw_inclusive_scan_over_group(item.tw_group_, slots, op);                                                   \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        return slots[me];                                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(tw_nd_item item, type x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        const size_t me = tw_local_linear_id(item), count = tw_local_linear_range(item);                               \
        slots[me] = x;                                                                                                 \
        if (tw_internal_marker_once() || me == count - 1)                                                              \
            tw_exclusive_scan_over_group(item.tw_group_, slots, op);                                                   \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        return slots[me];                                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_nd_item item, type x, size_t from)                                        \
    {                                                                                                                  \
        /* in the giver's own place: the last one may hold a sum that others have not read yet */                      \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        if (tw_local_linear_id(item) == from)                                                                          \
            slots[from] = x;                                                                                           \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        const type result = slots[from];                                                                               \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0); /* before the next one overwrites it */                       \
        return result;                                                                                                 \
    }                                                                                                                  \
    TW_OVERLOADED type tw_reduce_over_group(tw_sub_group sub_group, type x, tw_operation op)                           \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        (void)sub_group, (void)op;                                                                                     \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(tw_sub_group sub_group, type x, tw_operation op)                   \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        (void)sub_group, (void)op;                                                                                     \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(tw_sub_group sub_group, type x, tw_operation op)                   \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        (void)sub_group, (void)x;                                                                                      \
        return tw_internal_identity_##suffix(op);                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_ALONE(type, tw_group_broadcast)                                                                 \
    TW_INTERNAL_DEFINE_ALONE(type, tw_select_from_group)                                                               \
    TW_INTERNAL_DEFINE_ALONE(type, tw_permute_group_by_xor)                                                            \
    TW_INTERNAL_DEFINE_ALONE(type, tw_shift_group_left)                                                                \
    TW_INTERNAL_DEFINE_ALONE(type, tw_shift_group_right)

/* What a single work-item can only give itself. */
#define TW_INTERNAL_DEFINE_ALONE(type, function)                                                                       \
    TW_OVERLOADED type function(tw_sub_group sub_group, type x, size_t which)                                          \
    {                                                                                                                  \
        (void)sub_group, (void)which;                                                                                  \
        return x;                                                                                                      \
    }

TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_GROUP_FUNCTIONS)
#undef TW_INTERNAL_DEFINE_GROUP_FUNCTIONS
#undef TW_INTERNAL_DEFINE_ALONE

/* How many work-items of the group say so. */
TW_DEVICE_INLINE unsigned tw_internal_count_of_group(tw_nd_item item, bool x)
{
    return tw_reduce_over_group(item, (unsigned)x, TW_SUM);
}

#endif
