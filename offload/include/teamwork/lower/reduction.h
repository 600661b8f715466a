/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Reductions: range kernels whose work-items together compute one value for each of up to four buffer elements (those of later
 * revisions of SYCL).
 *
 *     struct dot { const double *x, *y; TW_REDUCTION(double, TW_SUM) sum; };
 *     static inline void dot(tw_item item, const struct dot *k)
 *     {
 *         size_t i = tw_global_id(item, 0);
 *         tw_combine(k->sum, k->x[i] * k->y[i]);
 *     }
 *     TW_RANGE_REDUCTION(dot, 1, sum);
 *     ...
 *     tw_parallel_for(cg, tw_range_1d(n), dot, .x = tw_read(cg, x), .y = tw_read(cg, y), .sum = TW_REDUCE(cg, total));
 *
 * TW_REDUCTION(type, op) is the type of a member of the block: type is one of those of group_functions.h, op a constant
 * tw_operation. tw_combine(k->member, x) adds x to the result; a work-item may do so any number of times, but cannot see what
 * the others add. TW_RANGE_REDUCTION(name, dims, member...), instead of TW_RANGE_KERNEL(name, dims), names the members; the kernel is
 * launched, and declared in other files, as a range kernel.
 *
 * Where the result goes, in the launch:
 *
 *     TW_REDUCE(cg, buffer)               element 0, combined with the value that it has
 *     TW_REDUCE_INIT(cg, buffer)          element 0, whose value is replaced
 *     TW_REDUCE_AT(cg, buffer, index)     TW_REDUCE_INIT_AT(cg, buffer, index)     another element
 *
 * with the errors of accessors, and TW_ERROR_INVALID_RANGE where the buffer has no such element. Buffers hold the reduction's type.
 *
 * Results are reproducible: on one device, the same range gives the same bits in every run, also with another number of host
 * threads. Sums of floating point are taken in another order than a loop's, and on different devices in different ones.
 */
#ifndef TEAMWORK_LOWER_REDUCTION_H
#define TEAMWORK_LOWER_REDUCTION_H

#include <teamwork/lower/group_functions.h>
#include <teamwork/lower/host.h>
#include <teamwork/lower/simt.h>
#include <teamwork/lower/teams.h>

#define TW_REDUCTION(type, op)                                                                                         \
    struct {                                                                                                           \
        type tw_value, *tw_target;                                                                                     \
        size_t tw_keep;                                                                                                \
        char (*tw_op)[(op) + 1]; /* for its size alone: the operation as a constant */                                 \
    }
#define TW_INTERNAL_OP(reduction) ((tw_operation)(sizeof *(reduction).tw_op - 1))

#define TW_REDUCE(group, buffer) TW_REDUCE_AT(group, buffer, 0)
#define TW_REDUCE_INIT(group, buffer) TW_REDUCE_INIT_AT(group, buffer, 0)
#define TW_REDUCE_AT(group, buffer, index)                                                                             \
    {.tw_target = tw_internal_reduction(group, buffer, index, true), .tw_keep = 1}
#define TW_REDUCE_INIT_AT(group, buffer, index)                                                                        \
    {.tw_target = tw_internal_reduction(group, buffer, index, false), .tw_keep = 0}

#define tw_combine(reduction, x) tw_internal_accumulate(&(reduction).tw_value, (x), TW_INTERNAL_OP(reduction))

/* The value is the work-item's own, or that of its thread: the kernel's view of it is const, the object is not. Any order of
   additions is as good, which lets the compiler vectorize them. */
#define TW_INTERNAL_DEFINE_REDUCTION(type, suffix, lowest, highest, combine)                                           \
    TW_OVERLOADED void tw_internal_accumulate(const type *value, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)  \
    {                                                                                                                  \
        TW_INTERNAL_PRAGMA(clang fp reassociate(on))                                                                   \
        type *const to = (type *)(uintptr_t)value;                                                                     \
        *to = op == TW_SUM ? *to + x : op == TW_PRODUCT ? *to * x : combine(*to, x, op);                               \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_reset(type *value, tw_operation op)                                                 \
    {                                                                                                                  \
        *value = tw_internal_identity_##suffix(op);                                                                    \
    }                                                                                                                  \
    TW_OVERLOADED type tw_internal_combine(type a, type b, tw_operation op)                                            \
    {                                                                                                                  \
        return combine(a, b, op);                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_REDUCTION_SIMT(type, suffix)

#ifdef TW_INTERNAL_PASS_SIMT
#define TW_INTERNAL_DEFINE_REDUCTION_SIMT(type, suffix)                                                                \
    TW_OVERLOADED type tw_internal_team_reduce(tw_sub_group sub_group, type x, tw_operation op)                        \
    {                                                                                                                  \
        return tw_internal_team_reduce_##suffix(sub_group, x, op);                                                     \
    }                                                                                                                  \
    /* by the last team: the parts of all teams, in one order */                                                       \
    TW_OVERLOADED void tw_internal_finish(type *target, size_t keep, const void *slots, unsigned teams,                \
                                          tw_sub_group sub_group, tw_operation op)                                     \
    {                                                                                                                  \
        const volatile type *parts = (const volatile type *)slots;                                                     \
        type all = tw_internal_identity_##suffix(op);                                                                  \
        for (unsigned i = tw_internal_thread(); i < teams; i += TW_INTERNAL_SIMT_RANGE_THREADS)                        \
            all = tw_internal_combine(all, parts[i * (8 / sizeof all)], op);                                           \
        all = tw_internal_team_reduce(sub_group, all, op);                                                             \
        if (tw_internal_thread() == 0)                                                                                 \
            *target = keep ? tw_internal_combine(*target, all, op) : all;                                              \
    }
#else
#define TW_INTERNAL_DEFINE_REDUCTION_SIMT(type, suffix)
#endif

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_REDUCTION)
#pragma clang diagnostic pop
#undef TW_INTERNAL_DEFINE_REDUCTION

/* X(name, number, member) for each of one to four members. */
#define TW_INTERNAL_EACH(X, name, ...)                                                                                 \
    TW_INTERNAL_PICK(__VA_ARGS__, TW_INTERNAL_EACH_4, TW_INTERNAL_EACH_3, TW_INTERNAL_EACH_2, TW_INTERNAL_EACH_1, )    \
    (X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_1(X, name, a) X(name, 0, a)
#define TW_INTERNAL_EACH_2(X, name, a, b) X(name, 0, a) X(name, 1, b)
#define TW_INTERNAL_EACH_3(X, name, a, b, c) X(name, 0, a) X(name, 1, b) X(name, 2, c)
#define TW_INTERNAL_EACH_4(X, name, a, b, c, d) X(name, 0, a) X(name, 1, b) X(name, 2, c) X(name, 3, d)

/* ---- parts -----------------------------------------------------------------------------------------------------------

   A CPU cuts the range into parts that depend on the range alone, and a GPU into as many as it runs teams. Each part leaves one
   value of 8 bytes for each member, the values of a member side by side; then all are combined in one order. */

TW_DEVICE_INLINE size_t tw_internal_parts(size_t total)
{
    const size_t parts = (total + 1023) / 1024;
    return parts < 512 ? parts : 512;
}

#define TW_INTERNAL_VALUE(name, member) __typeof__(((struct name *)NULL)->member.tw_value)
#define TW_INTERNAL_SLOT(name, i, member, part)                                                                        \
    (*(TW_INTERNAL_VALUE(name, member) *)(void *)(tw_slots + ((i) * (size_t)TW_INTERNAL_MAX_PARTS + (part)) * 8))
#define TW_INTERNAL_RESET_MEMBER(name, i, member)                                                                      \
    tw_internal_reset(&tw_mine.member.tw_value, TW_INTERNAL_OP(tw_mine.member));
#define TW_INTERNAL_LEAVE_MEMBER(name, i, member) TW_INTERNAL_SLOT(name, i, member, tw_part) = tw_mine.member.tw_value;

/* The function that runs a part on a CPU: rows, or pieces of them. */
#define TW_INTERNAL_REDUCTION_PART(name, dims_, ...)                                                                   \
    static void name##_tw_part(const struct tw_internal_launch *tw_launch, const struct name *tw_args,                 \
                               unsigned char *tw_slots, size_t tw_part, size_t tw_parts)                               \
    {                                                                                                                  \
        struct name tw_mine = *tw_args;                                                                                \
        const size_t tw_r[3] = {tw_launch->range[0], tw_launch->range[1], tw_launch->range[2]};                        \
        const size_t tw_o[3] = {tw_launch->offset[0], tw_launch->offset[1], tw_launch->offset[2]};                     \
        const size_t tw_total = tw_r[0] * tw_r[1] * tw_r[2], tw_length = tw_r[dims_ - 1];                              \
        size_t tw_at = tw_internal_piece_first(tw_total, tw_part, tw_parts);                                           \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_part + 1, tw_parts);                               \
        TW_INTERNAL_EACH(TW_INTERNAL_RESET_MEMBER, name, __VA_ARGS__)                                                  \
        while (tw_at < tw_past) {                                                                                      \
            const size_t tw_row = tw_at / tw_length, tw_rest = tw_length - tw_at % tw_length;                          \
            const size_t tw_count = tw_past - tw_at < tw_rest ? tw_past - tw_at : tw_rest;                             \
            const size_t tw_first = tw_o[dims_ - 1] + tw_at % tw_length, tw_end = tw_first + tw_count;                 \
            TW_INTERNAL_SIMD                                                                                           \
            for (size_t tw_i = tw_first; tw_i != tw_end; ++tw_i) {                                                     \
                TW_INTERNAL_INLINE_CALL(name(tw_internal_item(tw_row, tw_i, tw_r, tw_o, dims_), &tw_mine))             \
            }                                                                                                          \
            tw_at += tw_count;                                                                                         \
        }                                                                                                              \
        TW_INTERNAL_EACH(TW_INTERNAL_LEAVE_MEMBER, name, __VA_ARGS__)                                                  \
    }

/* Combines what the parts left with the target, in memory of OpenMP's device `to`, or of the host where that is negative. */
TW_DEVICE_INLINE void tw_internal_move(void *target, int to, const void *source, int from, size_t bytes)
{
    if (to < 0 && from < 0)
        __builtin_memcpy(target, source, bytes);
    else
        (void)omp_target_memcpy(target, source, bytes, 0, 0, to < 0 ? omp_get_initial_device() : to,
                                from < 0 ? omp_get_initial_device() : from);
}
#define TW_INTERNAL_FINISH_MEMBER(name, i, member)                                                                     \
    {                                                                                                                  \
        TW_INTERNAL_VALUE(name, member) tw_all, tw_old;                                                                \
        tw_internal_reset(&tw_all, TW_INTERNAL_OP(tw_args->member));                                                   \
        for (size_t tw_part = 0; tw_part < tw_parts; ++tw_part)                                                        \
            tw_all = tw_internal_combine(tw_all, TW_INTERNAL_SLOT(name, i, member, tw_part),                           \
                                         TW_INTERNAL_OP(tw_args->member));                                             \
        if (tw_args->member.tw_keep) {                                                                                 \
            tw_internal_move(&tw_old, -1, tw_args->member.tw_target, tw_device, sizeof tw_old);                        \
            tw_all = tw_internal_combine(tw_old, tw_all, TW_INTERNAL_OP(tw_args->member));                             \
        }                                                                                                              \
        tw_internal_move(tw_args->member.tw_target, tw_device, &tw_all, -1, sizeof tw_all);                            \
    }

#define TW_INTERNAL_HOST_REDUCTION(name, launch)                                                                       \
    {                                                                                                                  \
        const size_t tw_parts = tw_internal_parts((launch)->range[0] * (launch)->range[1] * (launch)->range[2]);       \
        const size_t tw_past = tw_internal_piece_first(tw_parts, tw_piece + 1, tw_pieces);                             \
        for (size_t tw_part = tw_internal_piece_first(tw_parts, tw_piece, tw_pieces); tw_part < tw_past; ++tw_part)    \
            name##_tw_part(launch, (const struct name *)(launch)->args, (unsigned char *)(launch)->scratch, tw_part,   \
                           tw_parts);                                                                                  \
    }

/* What is left to one thread when all parts are done. */
#define TW_INTERNAL_HOST_REDUCTION_END(name, launch, ...)                                                              \
    {                                                                                                                  \
        unsigned char *const tw_slots = (unsigned char *)(launch)->scratch;                                            \
        const struct name *const tw_args = (const struct name *)(launch)->args;                                        \
        const int tw_device = -1;                                                                                      \
        const size_t tw_parts = tw_internal_parts((launch)->range[0] * (launch)->range[1] * (launch)->range[2]);       \
        TW_INTERNAL_EACH(TW_INTERNAL_FINISH_MEMBER, name, __VA_ARGS__)                                                 \
    }

/* ---- teams: a part is a turn of one loop over teams and threads, and the host combines ------------------------------ */

#if defined(TW_INTERNAL_PASS_SIMT)
#define TW_INTERNAL_TEAMS_REDUCTION_BODY(name, words, dims_, ...)
#elif defined(TW_INTERNAL_GPU_PASS)
#define TW_INTERNAL_TEAMS_REDUCTION_BODY(name, words, dims_, ...)                                                      \
    if (TW_INTERNAL_SERVES(name, words)) {                                                                             \
        TW_INTERNAL_REBUILD(name, words)                                                                               \
        struct name tw_mine = *tw_args;                                                                                \
        unsigned char *const tw_slots = (unsigned char *)(uintptr_t)tw_scratch;                                        \
        const tw_item tw_here = {{0, 0, 0}, {tw_r0, tw_r1, tw_r2}, {tw_o0, tw_o1, tw_o2}, dims_};                      \
        TW_INTERNAL_EACH(TW_INTERNAL_RESET_MEMBER, name, __VA_ARGS__)                                                  \
        for (size_t tw_i = tw_part; tw_i < tw_total; tw_i += tw_parts) {                                               \
            TW_INTERNAL_INLINE_CALL(name(tw_internal_teams_range_item(tw_i, tw_here, dims_), &tw_mine))                \
        }                                                                                                              \
        TW_INTERNAL_EACH(TW_INTERNAL_LEAVE_MEMBER, name, __VA_ARGS__)                                                  \
    }
#else
#define TW_INTERNAL_TEAMS_REDUCTION_BODY(name, words, dims_, ...)                                                      \
    if (!TW_INTERNAL_SERVES(name, words)) {                                                                            \
    } else if (tw_internal_on_device()) {                                                                              \
        TW_INTERNAL_REBUILD(name, words)                                                                               \
        name##_tw_part((const struct tw_internal_launch *)(uintptr_t)tw_launch_word, tw_args,                          \
                       (unsigned char *)(uintptr_t)tw_scratch, tw_part, tw_parts);                                     \
    } else {                                                                                                           \
        tw_internal_fell_back(tw_launch_word);                                                                         \
    }
#endif

#define TW_INTERNAL_TEAMS_REDUCTION_REGION(name, words, dims_, ...)                                                    \
    TW_INTERNAL_PRAGMA(omp target teams distribute parallel for device(tw_device) thread_limit(tw_threads)             \
                       firstprivate(TW_INTERNAL_TEAMS_CAPTURE, tw_total, tw_parts, tw_scratch,                         \
                                    TW_INTERNAL_CAPTURE_##words))                                                      \
    for (size_t tw_part = 0; tw_part < tw_parts; ++tw_part) {                                                          \
        (void)tw_r0, (void)tw_r1, (void)tw_r2, (void)tw_o0, (void)tw_o1, (void)tw_o2, (void)tw_dims, (void)tw_total;   \
        (void)tw_scratch;                                                                                              \
        TW_INTERNAL_MENTION_WORDS(words)                                                                               \
        TW_INTERNAL_TEAMS_REDUCTION_BODY(name, words, dims_, __VA_ARGS__)                                              \
    }

#define TW_INTERNAL_TEAMS_REDUCTION(name, launch, dims_, ...)                                                          \
    {                                                                                                                  \
        TW_INTERNAL_TEAMS_DECLARE(launch)                                                                              \
        const int tw_threads = (launch)->max_threads < 256 ? (int)(launch)->max_threads : 256;                         \
        const size_t tw_parts = tw_internal_parts(tw_total);                                                           \
        const uint64_t tw_scratch = (uint64_t)(uintptr_t)(launch)->scratch;                                            \
        TW_INTERNAL_WITH_WORDS_(TW_INTERNAL_TEAMS_REDUCTION_REGION, name, launch, dims_, __VA_ARGS__)                  \
        const struct name *const tw_args = (const struct name *)(launch)->args;                                        \
        unsigned char tw_space[TW_INTERNAL_SCRATCH_BYTES] __attribute__((aligned(64)));                                \
        unsigned char *const tw_slots = tw_space;                                                                      \
        tw_internal_move(tw_slots, -1, (launch)->scratch, tw_device, TW_INTERNAL_SCRATCH_BYTES);                       \
        if (!(launch)->fell_back)                                                                                      \
            TW_INTERNAL_EACH(TW_INTERNAL_FINISH_MEMBER, name, __VA_ARGS__)                                             \
    }

/* ---- simt: resident teams stride over the range, and the last one combines ------------------------------------------ */

#ifdef TW_INTERNAL_PASS_SIMT

TW_DEVICE_INLINE uint32_t tw_internal_teams(void)
{
#ifdef __NVPTX__
    return (uint32_t)__nvvm_read_ptx_sreg_nctaid_x();
#else
    return (uint32_t)__builtin_amdgcn_grid_size_x() / TW_INTERNAL_SIMT_RANGE_THREADS;
#endif
}

TW_DEVICE_INLINE void tw_internal_device_fence(void)
{
#ifdef __NVPTX__
    __nvvm_membar_gl();
#else
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
#endif
}

/* Whether the other teams have left their values: true for one team. `counter` is zero before and after. */
TW_DEVICE_INLINE bool tw_internal_last_team(unsigned *counter)
{
    unsigned last = 0;
    if (tw_internal_thread() == 0) {
        tw_internal_device_fence();
        last = __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED) == tw_internal_teams() - 1;
        if (last)
            *counter = 0;
        tw_internal_device_fence();
    }
    return tw_internal_team_broadcast_uint(tw_internal_thread(), last, 0) != 0;
}

TW_DEVICE_INLINE tw_item tw_internal_reduction_item(size_t linear, size_t total, tw_item item,
                                                    struct tw_internal_split split, unsigned dims)
{
    uint32_t id[3];
    if (dims > 1 && total >> 31)
        return tw_internal_teams_range_item(linear, item, dims);
    if (dims == 1) {
        item.tw_id_[0] = linear + item.tw_offset_[0];
        return item;
    }
    tw_internal_split_id((uint32_t)linear, split, dims, id);
    for (unsigned d = 0; d < dims; ++d)
        item.tw_id_[d] = id[d] + item.tw_offset_[d];
    return item;
}

#define TW_INTERNAL_SIMT_LEAVE_MEMBER(name, i, member)                                                                 \
    tw_mine.member.tw_value =                                                                                          \
        tw_internal_team_reduce(tw_own, tw_mine.member.tw_value, TW_INTERNAL_OP(tw_mine.member));                      \
    if (tw_internal_thread() == 0)                                                                                     \
    TW_INTERNAL_LEAVE_MEMBER(name, i, member)
#define TW_INTERNAL_SIMT_FINISH_MEMBER(name, i, member)                                                                \
    tw_internal_finish(tw_mine.member.tw_target, tw_mine.member.tw_keep, &TW_INTERNAL_SLOT(name, i, member, 0),        \
                       tw_internal_teams(), tw_own, TW_INTERNAL_OP(tw_mine.member));

#define TW_INTERNAL_SIMT_REDUCTION_BODY(name, words, dims_, ...)                                                       \
    if (TW_INTERNAL_SERVES(name, words)) {                                                                             \
        TW_INTERNAL_REBUILD(name, words)                                                                               \
        struct name tw_mine = *tw_args;                                                                                \
        unsigned char *const tw_slots = (unsigned char *)(uintptr_t)tw_shape;                                          \
        const struct tw_internal_split tw_split = TW_INTERNAL_SIMT_SPLIT;                                              \
        const tw_item tw_here = {{0, 0, 0}, {tw_r0, tw_r1, tw_r2}, {tw_o0, tw_o1, tw_o2}, dims_};                      \
        const size_t tw_total = tw_r0 * tw_r1 * tw_r2;                                                                 \
        const size_t tw_stride = (size_t)tw_internal_teams() * TW_INTERNAL_SIMT_RANGE_THREADS;                         \
        const size_t tw_part = tw_internal_team();                                                                     \
        const tw_sub_group tw_own = tw_internal_sub_group(tw_internal_thread(), TW_INTERNAL_SIMT_RANGE_THREADS);       \
        TW_INTERNAL_EACH(TW_INTERNAL_RESET_MEMBER, name, __VA_ARGS__)                                                  \
        size_t tw_i = tw_part * TW_INTERNAL_SIMT_RANGE_THREADS + tw_internal_thread();                                 \
        /* several at a time without a condition between them, so that their loads are under way together */           \
        for (; tw_i + 3 * tw_stride < tw_total; tw_i += 4 * tw_stride) {                                               \
            TW_INTERNAL_PRAGMA(clang loop unroll(full))                                                                \
            for (size_t tw_k = 0; tw_k < 4; ++tw_k) {                                                                  \
                TW_INTERNAL_INLINE_CALL(                                                                               \
                    name(tw_internal_reduction_item(tw_i + tw_k * tw_stride, tw_total, tw_here, tw_split, dims_),      \
                         &tw_mine))                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (; tw_i < tw_total; tw_i += tw_stride) {                                                                   \
            TW_INTERNAL_INLINE_CALL(                                                                                   \
                name(tw_internal_reduction_item(tw_i, tw_total, tw_here, tw_split, dims_), &tw_mine))                  \
        }                                                                                                              \
        TW_INTERNAL_EACH(TW_INTERNAL_SIMT_LEAVE_MEMBER, name, __VA_ARGS__)                                             \
        if (tw_internal_last_team((unsigned *)(uintptr_t)(tw_shape + TW_INTERNAL_SCRATCH_BYTES))) {                    \
            TW_INTERNAL_EACH(TW_INTERNAL_SIMT_FINISH_MEMBER, name, __VA_ARGS__)                                        \
        }                                                                                                              \
    }
#else
#define TW_INTERNAL_SIMT_REDUCTION_BODY(name, words, dims_, ...) TW_INTERNAL_SIMT_OTHER_PASS
#endif

/* As a range kernel's, with the scratch memory in place of the shape. */
#define TW_INTERNAL_SIMT_REDUCTION_REGION(name, words, dims_, ...)                                                     \
    TW_INTERNAL_SIMT_PRAGMA(words)                                                                                     \
    {                                                                                                                  \
        TW_INTERNAL_SIMT_MENTION(words)                                                                                \
        TW_INTERNAL_SIMT_REDUCTION_BODY(name, words, dims_, __VA_ARGS__)                                               \
    }
#define TW_INTERNAL_SIMT_REDUCTION(name, launch, dims_, ...)                                                           \
    {                                                                                                                  \
        struct tw_internal_simt_grid tw_grid;                                                                          \
        const struct tw_internal_simt_captures tw_captures = tw_internal_simt_reduction_captures(launch, &tw_grid);    \
        TW_INTERNAL_SIMT_DECLARE(launch, tw_grid, tw_captures)                                                         \
        TW_INTERNAL_WITH_WORDS_(TW_INTERNAL_SIMT_REDUCTION_REGION, name, launch, dims_, __VA_ARGS__)                   \
    }

/* ---- defining them --------------------------------------------------------------------------------------------------- */

#define TW_RANGE_REDUCTION(name, dims_, ...)                                                                           \
    TW_INTERNAL_CHECK_KERNEL(name, "(tw_item item, const struct " #name " *k)", tw_item, const struct name *)          \
    TW_INTERNAL_REDUCTION_PART(name, dims_, __VA_ARGS__)                                                               \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    TW_INTERNAL_HOST_REDUCTION(name, tw_launch)                                                                        \
    static void name##_tw_host_end(struct tw_internal_launch *tw_launch) TW_INTERNAL_HOST_REDUCTION_END(               \
        name, tw_launch, __VA_ARGS__) static void name##_tw_offload(struct tw_internal_launch *tw_launch){             \
        TW_INTERNAL_OFFLOAD(TW_INTERNAL_SIMT_REDUCTION(name, tw_launch, dims_, __VA_ARGS__),                           \
                            TW_INTERNAL_TEAMS_REDUCTION(name, tw_launch, dims_, __VA_ARGS__),                          \
                            tw_launch)} TW_INTERNAL_KERNEL_OBJECT(range, TW_INTERNAL_REDUCTION, name, dims_, 0, 0, 0,  \
                                                                  name##_tw_host_end)

#endif
