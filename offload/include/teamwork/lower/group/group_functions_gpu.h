/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Group functions on a GPU: within a sub-group by warp instructions, between sub-groups through team-local memory,
 * where each leaves its part and all read those of the others between two barriers.
 */
#ifndef TEAMWORK_LOWER_GROUP_FUNCTIONS_GPU_H
#define TEAMWORK_LOWER_GROUP_FUNCTIONS_GPU_H

#define TW_INTERNAL_MAX_SUB_GROUPS 32u
#define TW_INTERNAL_FEW_PARTS 8u

/* All lanes have the same sum, and NVIDIA's GPUs write it once: that takes no branch. */
#ifdef __NVPTX__
#define TW_INTERNAL_ALL_STORE(op) ((op) == TW_SUM)
#else
#define TW_INTERNAL_ALL_STORE(op) false
#endif

TW_DEVICE_INLINE void tw_internal_gpu_barrier(void)
{
#ifdef TW_INTERNAL_PASS_SIMT
    tw_internal_barrier();
#else
    tw_internal_team_barrier();
#endif
}

/* ---- words of 32 bits between the work-items of a sub-group ------------------------------------------------------ */

#define TW_INTERNAL_SHUFFLED(suffix, sub_group, x, kind, which) tw_internal_shuffle_##suffix(sub_group, x, kind, which)

#ifdef __NVPTX__

/* The work-items of a sub-group are the first so many of a warp. */
TW_DEVICE_INLINE unsigned tw_internal_lanes(tw_sub_group sub_group)
{
    return sub_group.tw_size_ >= 32 ? ~0u : (1u << sub_group.tw_size_) - 1;
}

TW_DEVICE_INLINE int tw_internal_shuffle_word(tw_sub_group sub_group, int word, enum tw_internal_shuffle kind,
                                              int which)
{
    const unsigned lanes = tw_internal_lanes(sub_group);
    switch (kind) {
    case TW_INTERNAL_FROM:
        return __nvvm_shfl_sync_idx_i32(lanes, word, which, 31);
    case TW_INTERNAL_XOR:
        return __nvvm_shfl_sync_bfly_i32(lanes, word, which, 31);
    case TW_INTERNAL_AFTER:
        return __nvvm_shfl_sync_down_i32(lanes, word, which, 31);
    default:
        return __nvvm_shfl_sync_up_i32(lanes, word, which, 0);
    }
}

TW_DEVICE_INLINE unsigned long long tw_internal_ballot(tw_sub_group sub_group, bool x)
{
    return (unsigned)__nvvm_vote_ballot_sync(tw_internal_lanes(sub_group), x);
}

TW_DEVICE_INLINE void tw_internal_sub_group_barrier(tw_sub_group sub_group)
{
    __nvvm_bar_warp_sync(tw_internal_lanes(sub_group));
}

#else /* AMDGCN */

/* The word of lane ^ which, by an instruction that takes as long as an addition, where there is one: in *result. All
   lanes must be there: it reads 0 from others. */
TW_DEVICE_INLINE bool tw_internal_near_word(int word, int which, int *result)
{
    switch (which) {
    case 1:
        *result = __builtin_amdgcn_update_dpp(0, word, 0xb1, 15, 15, true); /* quad_perm: 1 0 3 2 */
        return true;
    case 2:
        *result = __builtin_amdgcn_update_dpp(0, word, 0x4e, 15, 15, true); /* quad_perm: 2 3 0 1 */
        return true;
    case 3:
        *result = __builtin_amdgcn_update_dpp(0, word, 0x1b, 15, 15, true); /* quad_perm: 3 2 1 0 */
        return true;
    case 7:
        *result = __builtin_amdgcn_update_dpp(0, word, 0x141, 15, 15, true); /* row_half_mirror */
        return true;
    case 15:
        *result = __builtin_amdgcn_update_dpp(0, word, 0x140, 15, 15, true); /* row_mirror */
        return true;
    default:
        return false;
    }
}

/* The word of the lane that is 1, 2, 4 or 8 before in the same row of 16; 0 where there is none. */
TW_DEVICE_INLINE int tw_internal_row_word(int word, unsigned delta)
{
    return delta == 1   ? __builtin_amdgcn_update_dpp(0, word, 0x111, 15, 15, true)
           : delta == 2 ? __builtin_amdgcn_update_dpp(0, word, 0x112, 15, 15, true)
           : delta == 4 ? __builtin_amdgcn_update_dpp(0, word, 0x114, 15, 15, true)
                        : __builtin_amdgcn_update_dpp(0, word, 0x118, 15, 15, true);
}

TW_DEVICE_INLINE int tw_internal_shuffle_word(tw_sub_group sub_group, int word, enum tw_internal_shuffle kind,
                                              int which)
{
    const int me = (int)sub_group.tw_lane_;
    int near;
    if (__builtin_constant_p(which)) {
        if (kind == TW_INTERNAL_FROM)
            return __builtin_amdgcn_readlane(word, which);
        if (kind == TW_INTERNAL_XOR && sub_group.tw_even_ && tw_internal_near_word(word, which, &near))
            return near;
    }
    const int from = kind == TW_INTERNAL_FROM    ? which
                     : kind == TW_INTERNAL_XOR   ? me ^ which
                     : kind == TW_INTERNAL_AFTER ? me + which
                                                 : me - which;
    return __builtin_amdgcn_ds_bpermute(from << 2, word);
}

TW_DEVICE_INLINE unsigned long long tw_internal_ballot(tw_sub_group sub_group, bool x)
{
    (void)sub_group;
    return __builtin_amdgcn_ballot_w64(x);
}

TW_DEVICE_INLINE void tw_internal_sub_group_barrier(tw_sub_group sub_group)
{
    (void)sub_group;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

#endif

/* The bytes of x, of another work-item, word by word. */
TW_DEVICE_INLINE void tw_internal_shuffle_value(tw_sub_group sub_group, void *to, const void *x, size_t bytes,
                                                enum tw_internal_shuffle kind, size_t which)
{
    for (size_t at = 0; at < bytes; at += 4) {
        const size_t some = bytes - at < 4 ? bytes - at : 4;
        int word = 0;
        __builtin_memcpy(&word, (const unsigned char *)x + at, some);
        word = tw_internal_shuffle_word(sub_group, word, kind, (int)which);
        __builtin_memcpy((unsigned char *)to + at, &word, some);
    }
}

/* ---- the sub-group of a thread that is a work-item of a hierarchical kernel -------------------------------------- */

#ifdef TW_INTERNAL_PASS_SIMT
TW_DEVICE_INLINE tw_sub_group tw_internal_own_sub_group(tw_group group)
{
    return tw_internal_sub_group(tw_internal_thread(), (unsigned)tw_local_linear_range(group));
}
#endif

/* Where sub-groups leave their parts: one place for a type, however many calls there are. Four words are read at once. */
#define TW_INTERNAL_SCRATCH(type)                                                                                      \
    __attribute__((aligned(16))) type scratch[TW_INTERNAL_MAX_SUB_GROUPS];                                             \
    TW_INTERNAL_PRAGMA(omp allocate(scratch) allocator(omp_pteam_mem_alloc))                                           \
    tw_internal_share(scratch);

/* The 32-bit reductions that NVIDIA has in hardware since sm_80, for full warps. */
#if defined(__NVPTX__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TW_INTERNAL_REDUX 1
TW_DEVICE_INLINE bool tw_internal_redux(tw_sub_group sub_group, int *x, tw_operation op, bool is_signed)
{
    if (sub_group.tw_size_ < 32 || op == TW_PRODUCT)
        return false;
    *x = op == TW_SUM                ? __nvvm_redux_sync_add(*x, -1)
         : op == TW_AND              ? __nvvm_redux_sync_and(*x, -1)
         : op == TW_OR               ? __nvvm_redux_sync_or(*x, -1)
         : op == TW_XOR              ? __nvvm_redux_sync_xor(*x, -1)
         : op == TW_MIN && is_signed ? __nvvm_redux_sync_min(*x, -1)
         : op == TW_MIN              ? (int)__nvvm_redux_sync_umin((unsigned)*x, -1)
         : is_signed                 ? __nvvm_redux_sync_max(*x, -1)
                                     : (int)__nvvm_redux_sync_umax((unsigned)*x, -1);
    return true;
}
#else
TW_DEVICE_INLINE bool tw_internal_redux(tw_sub_group sub_group, int *x, tw_operation op, bool is_signed)
{
    (void)sub_group, (void)x, (void)op, (void)is_signed;
    return false;
}
#endif

/* The instruction, where there is one for the type. */
#define TW_INTERNAL_REDUX_OF(type, sub_group, x, op)                                                                   \
    if ((type)0.5 == 0 && sizeof(type) == 4) {                                                                         \
        int word = (int)x;                                                                                             \
        if (tw_internal_redux(sub_group, &word, op, (type) - 1 < 0))                                                   \
            return (type)word;                                                                                         \
    }

/* The sub-groups of AMD GPUs consist of rows of 16 lanes, in which lanes reach some others without memory: one of the
   neighbouring lane, pair, four or eight, which all have the same by then. Then the rows go together. */
#ifdef __AMDGCN__
#define TW_INTERNAL_REDUCE_ROWS(suffix, sub_group, x, op, combine)                                                     \
    if (sub_group.tw_even_) {                                                                                          \
        x = combine(x, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_XOR, 1), op);                            \
        x = combine(x, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_XOR, 2), op);                            \
        x = combine(x, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_XOR, 7), op);                            \
        x = combine(x, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_XOR, 15), op);                           \
        const __typeof__(x) first = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 0),                   \
                            second = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 16);                 \
        if (sub_group.tw_max_ == 32)                                                                                   \
            return combine(first, second, op);                                                                         \
        const __typeof__(x) third = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 32),                  \
                            fourth = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 48);                 \
        return combine(combine(first, second, op), combine(third, fourth, op), op);                                    \
    }

/* The x of all lanes up to this one together: of a row, and then with the rows before. */
#define TW_INTERNAL_DEFINE_SCAN_ROWS(type, suffix, combine)                                                            \
    TW_DEVICE_INLINE type tw_internal_scan_rows_##suffix(tw_sub_group sub_group, type x, tw_operation op)              \
    {                                                                                                                  \
        const unsigned lane = sub_group.tw_lane_ % 16, row = sub_group.tw_lane_ / 16;                                  \
        for (unsigned delta = 1; delta < 16; delta *= 2) {                                                             \
            type other;                                                                                                \
            int words[sizeof x / 4];                                                                                   \
            __builtin_memcpy(words, &x, sizeof x);                                                                     \
            for (size_t i = 0; i < sizeof x / 4; ++i)                                                                  \
                words[i] = tw_internal_row_word(words[i], delta);                                                      \
            __builtin_memcpy(&other, words, sizeof x);                                                                 \
            if (lane >= delta)                                                                                         \
                x = combine(other, x, op);                                                                             \
        }                                                                                                              \
        type before = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 15);                                \
        if (sub_group.tw_max_ > 32) {                                                                                  \
            const type two = combine(before, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 31), op);    \
            const type three = combine(two, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 47), op);     \
            before = row == 1 ? before : row == 2 ? two : three;                                                       \
        }                                                                                                              \
        return row ? combine(before, x, op) : x;                                                                       \
    }
#define TW_INTERNAL_SCAN_ROWS(suffix, sub_group, x, op)                                                                \
    if (sub_group.tw_even_)                                                                                            \
        return tw_internal_scan_rows_##suffix(sub_group, x, op);
#else
#define TW_INTERNAL_REDUCE_ROWS(suffix, sub_group, x, op, combine)
#define TW_INTERNAL_DEFINE_SCAN_ROWS(type, suffix, combine)
#define TW_INTERNAL_SCAN_ROWS(suffix, sub_group, x, op)
#endif

#define TW_INTERNAL_DEFINE_GROUP_FUNCTIONS(type, suffix, lowest, highest, combine)                                     \
    TW_DEVICE_INLINE type tw_internal_shuffle_##suffix(tw_sub_group sub_group, type x, enum tw_internal_shuffle kind,  \
                                                       size_t which)                                                   \
    {                                                                                                                  \
        int words[sizeof x / 4];                                                                                       \
        __builtin_memcpy(words, &x, sizeof x);                                                                         \
        for (size_t i = 0; i < sizeof x / 4; ++i)                                                                      \
            words[i] = tw_internal_shuffle_word(sub_group, words[i], kind, (int)which);                                \
        __builtin_memcpy(&x, words, sizeof x);                                                                         \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_SHUFFLES(type, suffix)                                                                          \
    TW_INTERNAL_DEFINE_SCAN_ROWS(type, suffix, combine)                                                                \
    /* The x of the first `count` lanes, at most `most`, together, for all. Lanes behind them have the neutral one. */ \
    TW_DEVICE_INLINE type tw_internal_reduce_lanes_##suffix(tw_sub_group sub_group, type x, tw_operation op,           \
                                                            unsigned most, unsigned count)                             \
    {                                                                                                                  \
        TW_INTERNAL_REDUX_OF(type, sub_group, x, op)                                                                   \
        TW_INTERNAL_REDUCE_ROWS(suffix, sub_group, x, op, combine)                                                     \
        /* In pairs of lanes: both end with the same, but for the least of a NaN and a number or of zeros. */          \
        if (count == sub_group.tw_max_ && ((type)0.5 == 0 || op == TW_SUM || op == TW_PRODUCT)) {                      \
            for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2)                                            \
                x = combine(x, tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_XOR, delta), op);                \
            return x;                                                                                                  \
        }                                                                                                              \
        for (unsigned delta = 1; delta < most; delta *= 2) {                                                           \
            const type other = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_AFTER, delta);                   \
            if (sub_group.tw_lane_ + delta < count)                                                                    \
                x = combine(x, other, op);                                                                             \
        }                                                                                                              \
        return tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_FROM, 0);                                        \
    }                                                                                                                  \
    TW_OVERLOADED type tw_reduce_over_group(tw_sub_group sub_group, type x, tw_operation op)                           \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        return tw_internal_reduce_lanes_##suffix(sub_group, x, op, sub_group.tw_max_, sub_group.tw_size_);             \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(tw_sub_group sub_group, type x, tw_operation op)                   \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        TW_INTERNAL_SCAN_ROWS(suffix, sub_group, x, op)                                                                \
        for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2) {                                              \
            const type other = tw_internal_shuffle_##suffix(sub_group, x, TW_INTERNAL_BEFORE, delta);                  \
            if (sub_group.tw_lane_ >= delta)                                                                           \
                x = combine(other, x, op);                                                                             \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(tw_sub_group sub_group, type x, tw_operation op)                   \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        const type all = tw_inclusive_scan_over_group(sub_group, x, op);                                               \
        const type first = tw_internal_identity_##suffix(op);                                                          \
        const type before = tw_internal_shuffle_##suffix(sub_group, all, TW_INTERNAL_BEFORE, 1);                       \
        if (sub_group.tw_lane_ == 0)                                                                                   \
            return first;                                                                                              \
        return op == TW_MIN || op == TW_MAX ? combine(first, before, op) : before; /* which may be a NaN */            \
    }                                                                                                                  \
    /* All parts together. Many are read by a lane each: read by all, they would take a register each. */              \
    TW_DEVICE_INLINE type tw_internal_all_parts_##suffix(tw_sub_group sub_group, const type *parts, tw_operation op)   \
    {                                                                                                                  \
        const unsigned lane = sub_group.tw_lane_, count = sub_group.tw_count_;                                         \
        type all = parts[0];                                                                                           \
        if (count > TW_INTERNAL_FEW_PARTS && sub_group.tw_even_) {                                                     \
            if (lane > 0)                                                                                              \
                all = lane < count ? parts[lane] : tw_internal_neutral_##suffix(op);                                   \
            return tw_internal_reduce_lanes_##suffix(sub_group, all, op, count, count);                                \
        }                                                                                                              \
        for (unsigned i = 1; i < TW_INTERNAL_FEW_PARTS; ++i)                                                           \
            if (i < count)                                                                                             \
                all = combine(all, parts[i], op);                                                                      \
        TW_INTERNAL_PRAGMA(clang loop unroll(disable))                                                                 \
        for (unsigned i = TW_INTERNAL_FEW_PARTS; i < count; ++i)                                                       \
            all = combine(all, parts[i], op);                                                                          \
        return all;                                                                                                    \
    }                                                                                                                  \
    TW_DEVICE_INLINE type tw_internal_team_reduce_##suffix(tw_sub_group sub_group, type x, tw_operation op)            \
    {                                                                                                                  \
        TW_INTERNAL_SCRATCH(type)                                                                                      \
        type all = tw_reduce_over_group(sub_group, x, op);                                                             \
        if (sub_group.tw_count_ == 1)                                                                                  \
            return all;                                                                                                \
        if (sub_group.tw_lane_ == 0 || TW_INTERNAL_ALL_STORE(op))                                                      \
            scratch[sub_group.tw_id_] = all;                                                                           \
        tw_internal_gpu_barrier();                                                                                     \
        all = tw_internal_all_parts_##suffix(sub_group, scratch, op);                                                  \
        tw_internal_gpu_barrier();                                                                                     \
        return all;                                                                                                    \
    }                                                                                                                  \
    /* inclusive and exclusive */                                                                                      \
    TW_DEVICE_INLINE type tw_internal_team_scan_##suffix(tw_sub_group sub_group, type x, tw_operation op,              \
                                                         bool exclusive)                                               \
    {                                                                                                                  \
        TW_INTERNAL_SCRATCH(type)                                                                                      \
        const type up_to = tw_inclusive_scan_over_group(sub_group, x, op);                                             \
        const type prior = tw_internal_shuffle_##suffix(sub_group, up_to, TW_INTERNAL_BEFORE, 1);                      \
        if (sub_group.tw_lane_ == sub_group.tw_size_ - 1)                                                              \
            scratch[sub_group.tw_id_] = up_to;                                                                         \
        tw_internal_gpu_barrier();                                                                                     \
        type before = exclusive ? tw_internal_identity_##suffix(op) : tw_internal_neutral_##suffix(op);                \
        for (unsigned i = 0; i < sub_group.tw_id_; ++i)                                                                \
            before = combine(before, scratch[i], op);                                                                  \
        tw_internal_gpu_barrier();                                                                                     \
        if (!exclusive)                                                                                                \
            return combine(before, up_to, op);                                                                         \
        return sub_group.tw_lane_ ? combine(before, prior, op) : before;                                               \
    }                                                                                                                  \
    TW_DEVICE_INLINE type tw_internal_team_broadcast_##suffix(size_t me, type x, size_t from)                          \
    {                                                                                                                  \
        TW_INTERNAL_SCRATCH(type)                                                                                      \
        if (me == from)                                                                                                \
            scratch[0] = x;                                                                                            \
        tw_internal_gpu_barrier();                                                                                     \
        x = scratch[0];                                                                                                \
        tw_internal_gpu_barrier();                                                                                     \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED type tw_reduce_over_group(tw_nd_item item, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)      \
    {                                                                                                                  \
        return tw_internal_team_reduce_##suffix(tw_get_sub_group(item), x, op);                                        \
    }                                                                                                                  \
    TW_OVERLOADED type tw_inclusive_scan_over_group(tw_nd_item item, type x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        return tw_internal_team_scan_##suffix(tw_get_sub_group(item), x, op, false);                                   \
    }                                                                                                                  \
    TW_OVERLOADED type tw_exclusive_scan_over_group(tw_nd_item item, type x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        return tw_internal_team_scan_##suffix(tw_get_sub_group(item), x, op, true);                                    \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_nd_item item, type x, size_t from)                                        \
    {                                                                                                                  \
        return tw_internal_team_broadcast_##suffix(tw_local_linear_id(item), x, from);                                 \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_OVER_PRIVATE(type, suffix, combine)

/* Hierarchical kernels. simt: each thread has its work-item's value. teams: the initial thread has all. */
#ifdef TW_INTERNAL_PASS_SIMT
#define TW_INTERNAL_DEFINE_OVER_PRIVATE(type, suffix, combine)                                                         \
    TW_OVERLOADED type tw_reduce_over_group(tw_group group, const type *x, tw_operation op)                            \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        return tw_internal_team_reduce_##suffix(tw_internal_own_sub_group(group), *x, op);                             \
    }                                                                                                                  \
    TW_OVERLOADED void tw_inclusive_scan_over_group(tw_group group, type *x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        *x = tw_internal_team_scan_##suffix(tw_internal_own_sub_group(group), *x, op, false);                          \
    }                                                                                                                  \
    TW_OVERLOADED void tw_exclusive_scan_over_group(tw_group group, type *x, tw_operation op)                          \
        TW_INTERNAL_CHECKED(suffix)                                                                                    \
    {                                                                                                                  \
        *x = tw_internal_team_scan_##suffix(tw_internal_own_sub_group(group), *x, op, true);                           \
    }                                                                                                                  \
    TW_OVERLOADED type tw_group_broadcast(tw_group group, const type *x, size_t from)                                  \
    {                                                                                                                  \
        (void)group;                                                                                                   \
        return tw_internal_team_broadcast_##suffix(tw_internal_thread(), *x, from);                                    \
    }
#else
#define TW_INTERNAL_CHAINS(type) 8
#define TW_INTERNAL_DEFINE_OVER_PRIVATE(type, suffix, combine)                                                         \
    TW_DEVICE_INLINE type tw_internal_reduce_chains_##suffix(const type *x, size_t count, tw_operation op)             \
    {                                                                                                                  \
        enum { CHAINS = TW_INTERNAL_CHAINS(type) };                                                                    \
        type chains[CHAINS];                                                                                           \
        _Pragma("unroll") for (unsigned c = 0; c < CHAINS; ++c) chains[c] = x[c];                                      \
        for (size_t i = CHAINS; i < count; i += CHAINS)                                                                \
            _Pragma("unroll") for (unsigned c = 0; c < CHAINS; ++c) chains[c] = combine(chains[c], x[i + c], op);      \
        _Pragma("unroll") for (unsigned half = CHAINS / 2; half; half /= 2)                                            \
            _Pragma("unroll") for (unsigned c = 0; c < half; ++c) chains[c] =                                          \
                combine(chains[c], chains[c + half], op);                                                              \
        return chains[0];                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_ARRAY_LOOPS(type, suffix, combine)                                                              \
    TW_INTERNAL_DEFINE_OVER_PRIVATE_ARRAYS(type, suffix)
#endif

TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_GROUP_FUNCTIONS)
#undef TW_INTERNAL_DEFINE_GROUP_FUNCTIONS
#undef TW_INTERNAL_DEFINE_OVER_PRIVATE

/* How many work-items of the group say so. */
TW_DEVICE_INLINE unsigned tw_internal_count_of_group(tw_nd_item item, bool x)
{
#if defined(__NVPTX__) && defined(TW_INTERNAL_PASS_SIMT)
    /* Not the builtin: LLVM's openmp-opt pass takes it for a barrier alone, which it removes where it finds it
       redundant. */
    unsigned count;
    (void)item;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                     : "=r"(count)
                     : "r"((unsigned)x)
                     : "memory");
    return count;
#else
    return tw_reduce_over_group(item, (unsigned)x, TW_SUM);
#endif
}

#endif
