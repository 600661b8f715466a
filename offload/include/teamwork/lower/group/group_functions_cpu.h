/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group functions on a CPU, where one thread runs a group. The work-items of an nd_range take turns in the order of
 * their ids: each leaves its value for the others, and the last one to come computes for all. A sub-group is a single
 * work-item. (The pass of a CPU device in the standard mapping refuses nd_range kernels; it only compiles this.)
 */
#ifndef TEAMWORK_LOWER_GROUP_FUNCTIONS_CPU_H
#define TEAMWORK_LOWER_GROUP_FUNCTIONS_CPU_H

/* Values of 4 bytes have places of their own behind those of 8: what one function leaves there may not have been read
   by all when the next one, for another type, begins. Both begin at a cache line, so that no vector lies in two. */
TW_DEVICE_INLINE void *tw_internal_exchange(tw_nd_item item, size_t element_bytes)
{
    unsigned char *places = (unsigned char *)__builtin_assume_aligned(item.tw_group_->tw_exchange_, 64);
    return element_bytes > 4 ? places : places + (8 * (tw_local_linear_range(item) + 1) + 63) / 64 * 64;
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

/* Reductions over private values have four vectors of chains, which live in registers. Vectors are written out: what
   a compiler makes of single chains at the end passes through memory, in pieces that a processor cannot forward from
   its stores. */
#define TW_INTERNAL_CHAINS(type) (4 * TW_INTERNAL_LANES(type))
#define TW_INTERNAL_LANES(type) (32 / sizeof(type))
#define TW_INTERNAL_COMBINE_BITS(a, b, op) ((op) == TW_AND ? (a) & (b) : (op) == TW_OR ? (a) | (b) : (a) ^ (b))
#define TW_INTERNAL_COMBINE_BITS_int TW_INTERNAL_COMBINE_BITS
#define TW_INTERNAL_COMBINE_BITS_uint TW_INTERNAL_COMBINE_BITS
#define TW_INTERNAL_COMBINE_BITS_long TW_INTERNAL_COMBINE_BITS
#define TW_INTERNAL_COMBINE_BITS_ulong TW_INTERNAL_COMBINE_BITS
#define TW_INTERNAL_COMBINE_BITS_llong TW_INTERNAL_COMBINE_BITS
#define TW_INTERNAL_COMBINE_BITS_ullong TW_INTERNAL_COMBINE_BITS
#define TW_INTERNAL_COMBINE_BITS_float(a, b, op) (a)
#define TW_INTERNAL_COMBINE_BITS_double(a, b, op) (a)

/* Addresses, not vectors, go in: without AVX the compiler warns of vectors that are passed, though nothing is called.
   */
#define TW_INTERNAL_DEFINE_CHAINS(type, suffix, lowest, highest, combine)                                              \
    typedef type tw_internal_lanes_##suffix __attribute__((ext_vector_type(TW_INTERNAL_LANES(type))));                 \
    TW_DEVICE_INLINE void tw_internal_combine_lanes_##suffix(tw_internal_lanes_##suffix *with, const void *x,          \
                                                             tw_operation op)                                          \
    {                                                                                                                  \
        tw_internal_lanes_##suffix a = *with, b;                                                                       \
        __builtin_memcpy(&b, x, sizeof b);                                                                             \
        switch (op) {                                                                                                  \
        case TW_SUM:                                                                                                   \
            a += b;                                                                                                    \
            break;                                                                                                     \
        case TW_PRODUCT:                                                                                               \
            a *= b;                                                                                                    \
            break;                                                                                                     \
        case TW_MIN:                                                                                                   \
            a = __builtin_elementwise_min(b, a);                                                                       \
            break;                                                                                                     \
        case TW_MAX:                                                                                                   \
            a = __builtin_elementwise_max(b, a);                                                                       \
            break;                                                                                                     \
        default:                                                                                                       \
            a = TW_INTERNAL_COMBINE_BITS_##suffix(a, b, op);                                                           \
        }                                                                                                              \
        *with = a;                                                                                                     \
    }                                                                                                                  \
    TW_DEVICE_INLINE type tw_internal_reduce_chains_##suffix(const type *x, size_t count, tw_operation op)             \
    {                                                                                                                  \
        enum { LANES = TW_INTERNAL_LANES(type) };                                                                      \
        tw_internal_lanes_##suffix chains[4];                                                                          \
        __builtin_memcpy(chains, x, sizeof chains);                                                                    \
        for (size_t i = 4 * LANES; i < count; i += 4 * LANES)                                                          \
            _Pragma("unroll") for (unsigned c = 0; c < 4; ++c)                                                         \
                tw_internal_combine_lanes_##suffix(&chains[c], x + i + c * LANES, op);                                 \
        tw_internal_combine_lanes_##suffix(&chains[0], &chains[2], op);                                                \
        tw_internal_combine_lanes_##suffix(&chains[1], &chains[3], op);                                                \
        tw_internal_combine_lanes_##suffix(&chains[0], &chains[1], op);                                                \
        type all[LANES];                                                                                               \
        __builtin_memcpy(all, &chains[0], sizeof all);                                                                 \
        _Pragma("unroll") for (unsigned half = LANES / 2; half; half /= 2)                                             \
            _Pragma("unroll") for (unsigned c = 0; c < half; ++c) all[c] = combine(all[c], all[c + half], op);         \
        return all[0];                                                                                                 \
    }
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_CHAINS)
#undef TW_INTERNAL_DEFINE_CHAINS

#define TW_INTERNAL_DEFINE_GROUP_FUNCTIONS(type, suffix, lowest, highest, combine)                                     \
    TW_INTERNAL_DEFINE_ARRAY_LOOPS(type, suffix, combine)                                                              \
    TW_OVERLOADED type tw_reduce_over_group(tw_nd_item item, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)      \
    {                                                                                                                  \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        const size_t me = tw_local_linear_id(item), count = tw_local_linear_range(item);                               \
        slots[me] = x;                                                                                                 \
        if (tw_internal_marker_once() || me == count - 1)                                                              \
            slots[count] = tw_internal_reduce_array_##suffix(slots, count, op);                                        \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        return *(const type *)TW_INTERNAL_SAME(slots + count);                                                         \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_SCAN_OF_ITEMS(type, suffix, tw_inclusive_scan_over_group, tw_internal_inclusive_array_##suffix) \
    TW_INTERNAL_DEFINE_SCAN_OF_ITEMS(type, suffix, tw_exclusive_scan_over_group, tw_internal_exclusive_array_##suffix) \
    TW_OVERLOADED type tw_group_broadcast(tw_nd_item item, type x, size_t from)                                        \
    {                                                                                                                  \
        /* in the giver's own place: the last one may hold a sum that others have not read yet */                      \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        if (tw_local_linear_id(item) == from)                                                                          \
            slots[from] = x;                                                                                           \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        const type result = *(const type *)TW_INTERNAL_SAME(slots + from);                                             \
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
    TW_INTERNAL_DEFINE_SHUFFLES(type, suffix)                                                                          \
    TW_INTERNAL_DEFINE_OVER_PRIVATE(type, suffix)

/* `scan` is the function's name: the last work-item to come calls `array`. */
#define TW_INTERNAL_DEFINE_SCAN_OF_ITEMS(type, suffix, scan, array)                                                    \
    TW_OVERLOADED type scan(tw_nd_item item, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)                      \
    {                                                                                                                  \
        type *const slots = (type *)tw_internal_exchange(item, sizeof(type));                                          \
        const size_t me = tw_local_linear_id(item), count = tw_local_linear_range(item);                               \
        slots[me] = x;                                                                                                 \
        if (tw_internal_marker_once() || me == count - 1)                                                              \
            array(slots, count, op);                                                                                   \
        tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);                                                               \
        return slots[me];                                                                                              \
    }

/* Hierarchical kernels: one thread has the values of all; or, where group scope is checked, each work-item comes. */
#if defined(TW_CHECK_GROUP_SCOPE) && defined(TW_INTERNAL_PASS_HOST)
TW_OVERLOADED tw_nd_item tw_internal_group_member_of(tw_group group)
{
    const tw_nd_item item = {{group->tw_thread_[0], group->tw_thread_[1], group->tw_thread_[2]},
                             (tw_group)group->tw_exchange_};
    return item;
}
#define TW_INTERNAL_DEFINE_OVER_PRIVATE(type, suffix)                                                                  \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, tw_operation op)                            \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        return tw_reduce_over_group(tw_internal_group_member_of(group), *x, op);                                       \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        *x = tw_inclusive_scan_over_group(tw_internal_group_member_of(group), *x, op);                                 \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        *x = tw_exclusive_scan_over_group(tw_internal_group_member_of(group), *x, op);                                 \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_group group, const type *x, size_t from)                                  \
    {                                                                                                                  \
        return tw_group_broadcast(tw_internal_group_member_of(group), *x, from);                                       \
    }
#else
#define TW_INTERNAL_DEFINE_OVER_PRIVATE(type, suffix) TW_INTERNAL_DEFINE_OVER_PRIVATE_ARRAYS(type, suffix)
#endif

/* A single work-item can only give a value to itself. */
#define TW_INTERNAL_SHUFFLED(suffix, sub_group, x, kind, which) ((void)(sub_group), (void)(which), (x))

TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_GROUP_FUNCTIONS)
#undef TW_INTERNAL_DEFINE_GROUP_FUNCTIONS
#undef TW_INTERNAL_DEFINE_OVER_PRIVATE

/* How many work-items of the group say so. */
TW_DEVICE_INLINE unsigned tw_internal_count_of_group(tw_nd_item item, bool x)
{
    return tw_reduce_over_group(item, (unsigned)x, TW_SUM);
}

#endif
