/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/non_uniform_groups.h> declares. */
#ifndef TEAMWORK_LOWER_NON_UNIFORM_GROUPS_H
#define TEAMWORK_LOWER_NON_UNIFORM_GROUPS_H

#include <teamwork/lower/group/group_functions.h>

/** A part of a sub-group, as one of its work-items sees it. */
typedef struct tw_sub_group_part {
    unsigned long long tw_lanes_; /* its work-items, as bits */
    unsigned tw_lane_;            /* this one, in the sub-group */
    unsigned tw_id_, tw_count_;   /* of the part, and of all parts */
    bool tw_even_;                /* neighbours, as many as a power of two, of which the first is a multiple */
} tw_sub_group_part;

TW_LANGUAGE_INLINE unsigned tw_internal_count_lanes(unsigned long long lanes)
{
    return (unsigned)__builtin_popcountll(lanes);
}

/* The lanes before one. */
TW_LANGUAGE_INLINE unsigned long long tw_internal_lanes_before(unsigned lane)
{
    return lane < 64 ? (1ull << lane) - 1 : ~0ull;
}

TW_LANGUAGE_INLINE size_t tw_part_local_id(tw_sub_group_part part)
{
    return tw_internal_count_lanes(part.tw_lanes_ & tw_internal_lanes_before(part.tw_lane_));
}

TW_LANGUAGE_INLINE size_t tw_part_local_range(tw_sub_group_part part)
{
    return tw_internal_count_lanes(part.tw_lanes_);
}

TW_LANGUAGE_INLINE size_t tw_part_id(tw_sub_group_part part)
{
    return part.tw_id_;
}

TW_LANGUAGE_INLINE size_t tw_part_range(tw_sub_group_part part)
{
    return part.tw_count_;
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */

TW_LANGUAGE_INLINE tw_sub_group_part tw_get_fixed_size_group(tw_sub_group sub_group, unsigned size)
    __attribute__((diagnose_if(size == 0 || (size & (size - 1)) != 0, "the size of parts is a power of two", "error")))
{
    const unsigned width = size < sub_group.tw_max_ ? size : sub_group.tw_max_;
    const unsigned first = sub_group.tw_lane_ & ~(width - 1);
    const unsigned past = first + width < sub_group.tw_size_ ? first + width : sub_group.tw_size_;
    const tw_sub_group_part part = {tw_internal_lanes_before(past) & ~tw_internal_lanes_before(first),
                                    sub_group.tw_lane_, first / width, (sub_group.tw_size_ + width - 1) / width,
                                    past - first == width};
    return part;
}

#pragma clang diagnostic pop

TW_LANGUAGE_INLINE tw_sub_group_part tw_get_ballot_group(tw_sub_group sub_group, bool x)
{
    const unsigned long long all = tw_internal_lanes_before(sub_group.tw_size_), yes = tw_internal_ballot(sub_group, x);
    const tw_sub_group_part part = {x ? yes : all & ~yes, sub_group.tw_lane_, x, 2, false};
    return part;
}

/* The lanes that run the calling thread's instruction. */
TW_LANGUAGE_INLINE unsigned long long tw_internal_active_lanes(void)
{
#if defined(__NVPTX__)
    unsigned lanes;
    __asm__ volatile("activemask.b32 %0;" : "=r"(lanes));
    return lanes;
#elif defined(__AMDGCN__)
    return __builtin_amdgcn_ballot_w64(true);
#else
    return 1;
#endif
}

TW_LANGUAGE_INLINE tw_sub_group_part tw_get_opportunistic_group(tw_sub_group sub_group)
{
    const tw_sub_group_part part = {tw_internal_active_lanes() & tw_internal_lanes_before(sub_group.tw_size_),
                                    sub_group.tw_lane_, 0, 1, false};
    return part;
}

/* The lane of work-item `n` of a part. */
TW_LANGUAGE_INLINE unsigned tw_internal_lane_of(tw_sub_group_part part, unsigned n)
{
    unsigned long long lanes = part.tw_lanes_;
    unsigned lane = 0;
    if (part.tw_even_)
        return (part.tw_lane_ & ~(tw_internal_count_lanes(lanes) - 1)) + n;
    _Pragma("unroll") for (unsigned half = 32; half; half /= 2)
    {
        const unsigned low = tw_internal_count_lanes(lanes & tw_internal_lanes_before(half));
        if (n >= low) {
            n -= low;
            lanes >>= half;
            lane += half;
        }
    }
    return lane;
}

/* ---- between work-items ------------------------------------------------------------------------------------------ */

TW_LANGUAGE_INLINE int tw_internal_part_word(tw_sub_group_part part, int word, unsigned lane)
{
#if defined(__NVPTX__)
    return __nvvm_shfl_sync_idx_i32((unsigned)part.tw_lanes_, word, (int)lane, 31);
#elif defined(__AMDGCN__)
    return (void)part, __builtin_amdgcn_ds_bpermute((int)(lane << 2), word);
#else
    return (void)part, (void)lane, word;
#endif
}

/* The lanes of the part for which x is true. */
TW_LANGUAGE_INLINE unsigned long long tw_internal_part_votes(tw_sub_group_part part, bool x)
{
#if defined(__NVPTX__)
    return (unsigned)__nvvm_vote_ballot_sync((unsigned)part.tw_lanes_, x) & part.tw_lanes_;
#elif defined(__AMDGCN__)
    return __builtin_amdgcn_ballot_w64(x) & part.tw_lanes_;
#else
    return (void)part, x;
#endif
}

TW_OVERLOADED unsigned long long tw_group_ballot(tw_sub_group_part part, bool x)
{
    const unsigned long long yes = tw_internal_part_votes(part, x);
    if (part.tw_even_)
        return yes >> (part.tw_lane_ & ~(tw_internal_count_lanes(part.tw_lanes_) - 1));
    unsigned long long result = 0;
    unsigned n = 0;
    for (unsigned long long rest = part.tw_lanes_; rest; rest &= rest - 1)
        result |= (yes & (rest & -rest) ? 1ull : 0ull) << n++;
    return result;
}
TW_OVERLOADED bool tw_any_of_group(tw_sub_group_part part, bool x)
{
    return tw_internal_part_votes(part, x) != 0;
}
TW_OVERLOADED bool tw_all_of_group(tw_sub_group_part part, bool x)
{
    return tw_internal_part_votes(part, !x) == 0;
}
TW_OVERLOADED bool tw_none_of_group(tw_sub_group_part part, bool x)
{
    return tw_internal_part_votes(part, x) == 0;
}

TW_OVERLOADED void tw_internal_group_barrier(tw_sub_group_part part, int line)
{
    (void)part, (void)line;
#if defined(__NVPTX__)
    __nvvm_bar_warp_sync((unsigned)part.tw_lanes_);
#elif defined(__AMDGCN__)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#endif
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */

/* Work-items that a shift or a scan does not find get their own value. */
#define TW_INTERNAL_DEFINE_PART_FUNCTIONS(type, suffix, lowest, highest, combine)                                      \
    TW_OVERLOADED type tw_internal_part_value(tw_sub_group_part part, type x, unsigned lane)                           \
    {                                                                                                                  \
        int words[sizeof x / 4];                                                                                       \
        __builtin_memcpy(words, &x, sizeof x);                                                                         \
        for (size_t i = 0; i < sizeof x / 4; ++i)                                                                      \
            words[i] = tw_internal_part_word(part, words[i], lane);                                                    \
        __builtin_memcpy(&x, words, sizeof x);                                                                         \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_select_from_group(tw_sub_group_part part, type x, size_t from)                               \
    {                                                                                                                  \
        const unsigned n = (unsigned)from, all = (unsigned)tw_part_local_range(part);                                  \
        return tw_internal_part_value(part, x, n < all ? tw_internal_lane_of(part, n) : part.tw_lane_);                \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_sub_group_part part, type x, size_t from)                                 \
    {                                                                                                                  \
        return tw_select_from_group(part, x, from);                                                                    \
    }                                                                                                                  \
    TW_OVERLOADED type tw_shift_group_left(tw_sub_group_part part, type x, size_t delta)                               \
    {                                                                                                                  \
        return tw_select_from_group(part, x, tw_part_local_id(part) + delta);                                          \
    }                                                                                                                  \
    TW_OVERLOADED type tw_shift_group_right(tw_sub_group_part part, type x, size_t delta)                              \
    {                                                                                                                  \
        const size_t me = tw_part_local_id(part);                                                                      \
        return tw_select_from_group(part, x, me >= delta ? me - delta : me);                                           \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(tw_sub_group_part part, type x, tw_operation op)                   \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        const size_t me = tw_part_local_id(part), all = tw_part_local_range(part);                                     \
        for (size_t delta = 1; delta < all; delta *= 2) {                                                              \
            const type other = tw_shift_group_right(part, x, delta);                                                   \
            if (me >= delta)                                                                                           \
                x = combine(other, x, op);                                                                             \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(tw_sub_group_part part, type x, tw_operation op)                   \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        const type first = tw_internal_identity_##suffix(op);                                                          \
        const type before = tw_shift_group_right(part, tw_inclusive_scan_over_group(part, x, op), 1);                  \
        if (tw_part_local_id(part) == 0)                                                                               \
            return first;                                                                                              \
        return op == TW_MIN || op == TW_MAX ? combine(first, before, op) : before; /* which may be a NaN */            \
    }                                                                                                                  \
    /* In pairs where all have one; else each takes what those behind it have, and the first one has all. */           \
    TW_OVERLOADED type tw_reduce_over_group(tw_sub_group_part part, type x, tw_operation op)                           \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        const unsigned me = (unsigned)tw_part_local_id(part), all = (unsigned)tw_part_local_range(part);               \
        if (part.tw_even_ && ((type)0.5 == 0 || op == TW_SUM || op == TW_PRODUCT)) {                                   \
            for (unsigned delta = 1; delta < all; delta *= 2)                                                          \
                x = combine(x, tw_internal_part_value(part, x, part.tw_lane_ ^ delta), op);                            \
            return x;                                                                                                  \
        }                                                                                                              \
        for (unsigned delta = 1; delta < all; delta *= 2) {                                                            \
            const type other = tw_shift_group_left(part, x, delta);                                                    \
            if (me + delta < all)                                                                                      \
                x = combine(x, other, op);                                                                             \
        }                                                                                                              \
        return tw_select_from_group(part, x, 0);                                                                       \
    }
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_PART_FUNCTIONS)
#undef TW_INTERNAL_DEFINE_PART_FUNCTIONS

#pragma clang diagnostic pop

#endif
