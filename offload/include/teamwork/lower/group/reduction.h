/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/reduction.h> declares. */
#ifndef TEAMWORK_LOWER_REDUCTION_H
#define TEAMWORK_LOWER_REDUCTION_H

#include <teamwork/lower/group/group_functions.h>
#include <teamwork/lower/kernel/host.h>
#include <teamwork/lower/kernel/simt.h>
#include <teamwork/lower/kernel/teams.h>

#define TW_INTERNAL_OP(reduction) ((tw_operation)(sizeof *(reduction).tw_op - 1))

/* ---- parts --------------------------------------------------------------------------------------------------------

   A CPU cuts the range into parts that depend on the range alone (tw_internal_parts), and a GPU into as many as it runs
   teams. Each part leaves one value of 8 bytes for each member, the values of a member side by side; then all are
   combined in one order. */

/* What is done with a member; the functions that do it are inlined, and the stage is a constant. */
enum tw_internal_stage {
    TW_INTERNAL_RESET, /* sets the value to the operation's identity */
    TW_INTERNAL_LEAVE, /* leaves the value as that of part `part` */
    TW_INTERNAL_FINISH /* combines the values of `part` parts with the target */
};

TW_DEVICE_INLINE void *tw_internal_slot(unsigned char *slots, size_t member, size_t part)
{
    return slots + (member * TW_INTERNAL_MAX_PARTS + part) * 8;
}

/* Copies to or from memory of OpenMP's device `to` or `from`, or of the host where that is negative. */
TW_DEVICE_INLINE void tw_internal_move(void *target, int to, const void *source, int from, size_t bytes)
{
    if (to < 0 && from < 0)
        __builtin_memcpy(target, source, bytes);
    else
        (void)omp_target_memcpy(target, source, bytes, 0, 0, to < 0 ? omp_get_initial_device() : to,
                                from < 0 ? omp_get_initial_device() : from);
}

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

/* The sub-group of this thread of a reduction's team. */
TW_DEVICE_INLINE tw_sub_group tw_internal_range_sub_group(void)
{
    return tw_internal_sub_group(tw_internal_thread(), TW_INTERNAL_SIMT_RANGE_THREADS);
}

/* The item of a place in the range; `here` has all that items have in common. */
TW_DEVICE_INLINE tw_item tw_internal_reduction_item(size_t linear, size_t total, tw_item here,
                                                    struct tw_internal_split split, unsigned dims)
{
    uint32_t id[3];
    if (dims > 1 && total >> 31) {
        tw_internal_delinearize(linear, here.tw_range_, dims, here.tw_id_);
        for (unsigned d = 0; d < dims; ++d)
            here.tw_id_[d] += here.tw_offset_[d];
        return here;
    }
    if (dims == 1) {
        here.tw_id_[0] = linear + here.tw_offset_[0];
        return here;
    }
    tw_internal_split_id((uint32_t)linear, split, dims, id);
    for (unsigned d = 0; d < dims; ++d)
        here.tw_id_[d] = id[d] + here.tw_offset_[d];
    return here;
}

#endif

// clang-format off
/* The value is the work-item's own, or that of its thread: the kernel's view of it is const, the object is not. Any
   order of additions is as good, which lets the compiler vectorize them. */
#define TW_INTERNAL_DEFINE_REDUCTION(type, suffix, lowest, highest, combine)                                           \
    TW_OVERLOADED void tw_internal_accumulate(const type *value, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)  \
    {                                                                                                                  \
        TW_INTERNAL_PRAGMA(clang fp reassociate(on))                                                                   \
        type *const to = (type *)(uintptr_t)value;                                                                     \
        *to = op == TW_SUM ? *to + x : op == TW_PRODUCT ? *to * x : combine(*to, x, op);                               \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_LEAVE_AND_FINISH(type, suffix, combine)                                                         \
    TW_OVERLOADED void tw_internal_member(enum tw_internal_stage stage, type *value, type *target, size_t keep,        \
                                          tw_operation op, unsigned char *slots, size_t member, size_t part,           \
                                          int device)                                                                  \
    {                                                                                                                  \
        if (stage == TW_INTERNAL_RESET)                                                                                \
            *value = tw_internal_identity_##suffix(op);                                                                \
        else if (stage == TW_INTERNAL_LEAVE)                                                                           \
            tw_internal_leave(value, (type *)tw_internal_slot(slots, member, part), op);                               \
        else                                                                                                           \
            tw_internal_finish(target, keep, (type *)tw_internal_slot(slots, member, 0), part, device, op);            \
    }

#ifdef TW_INTERNAL_PASS_SIMT
/* A part is a team; the last team finishes. */
#define TW_INTERNAL_DEFINE_LEAVE_AND_FINISH(type, suffix, combine)                                                     \
    TW_OVERLOADED void tw_internal_leave(type *value, type *slot, tw_operation op)                                     \
    {                                                                                                                  \
        *value = tw_internal_team_reduce_##suffix(tw_internal_range_sub_group(), *value, op);                          \
        if (tw_internal_thread() == 0)                                                                                 \
            *slot = *value;                                                                                            \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_finish(type *target, size_t keep, const type *slots, size_t teams, int device,      \
                                          tw_operation op)                                                             \
    {                                                                                                                  \
        const volatile type *parts = (const volatile type *)slots;                                                     \
        type all = tw_internal_identity_##suffix(op);                                                                  \
        (void)device;                                                                                                  \
        for (unsigned i = tw_internal_thread(); i < (unsigned)teams; i += TW_INTERNAL_SIMT_RANGE_THREADS)              \
            all = combine(all, parts[i * (8 / sizeof all)], op);                                                       \
        all = tw_internal_team_reduce_##suffix(tw_internal_range_sub_group(), all, op);                                \
        if (tw_internal_thread() == 0)                                                                                 \
            *target = keep ? combine(*target, all, op) : all;                                                          \
    }
#else
/* A part is a loop of one thread; the host finishes. The target is in memory of OpenMP's device `device`. */
#define TW_INTERNAL_DEFINE_LEAVE_AND_FINISH(type, suffix, combine)                                                     \
    TW_OVERLOADED void tw_internal_leave(type *value, type *slot, tw_operation op)                                     \
    {                                                                                                                  \
        (void)op;                                                                                                      \
        *slot = *value;                                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_finish(type *target, size_t keep, const type *slots, size_t parts, int device,      \
                                          tw_operation op)                                                             \
    {                                                                                                                  \
        type all = tw_internal_identity_##suffix(op), old;                                                             \
        for (size_t i = 0; i < parts; ++i)                                                                             \
            all = combine(all, slots[i * (8 / sizeof all)], op);                                                       \
        if (keep) {                                                                                                    \
            tw_internal_move(&old, -1, target, device, sizeof old);                                                    \
            all = combine(old, all, op);                                                                               \
        }                                                                                                              \
        tw_internal_move(target, device, &all, -1, sizeof all);                                                        \
    }
#endif

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_REDUCTION)
#pragma clang diagnostic pop
#undef TW_INTERNAL_DEFINE_REDUCTION
#undef TW_INTERNAL_DEFINE_LEAVE_AND_FINISH

/* Does a stage for each member of a kernel's block; `members` is TW_INTERNAL_MEMBERS(a, b ..., 4, 3, 2, 1, ).
   Expands to:

       void dot_tw_members(stage, tw_k, slots, part, device) { tw_internal_member(stage, &tw_k->sum ...); } */
#define TW_INTERNAL_REDUCED_MEMBERS(name, members)                                                                     \
    TW_DEVICE_INLINE void name##_tw_members(enum tw_internal_stage tw_stage, name##_tw_block *tw_k,                    \
                                            unsigned char *tw_slots, size_t tw_part, int tw_device)                    \
    {                                                                                                                  \
        members                                                                                                        \
    }
/* Only inside of that function, whose parameters it names. */
#define TW_INTERNAL_MEMBER(i, member)                                                                                  \
    tw_internal_member(tw_stage, &tw_k->member.tw_value, tw_k->member.tw_target, tw_k->member.tw_keep,                 \
                       TW_INTERNAL_OP(tw_k->member), tw_slots, i, tw_part, tw_device);
#define TW_INTERNAL_MEMBERS(a, b, c, d, count, ...) TW_INTERNAL_MEMBERS_##count(a, b, c, d)
#define TW_INTERNAL_MEMBERS_1(a, b, c, d) TW_INTERNAL_MEMBER(0, a)
#define TW_INTERNAL_MEMBERS_2(a, b, c, d) TW_INTERNAL_MEMBER(0, a) TW_INTERNAL_MEMBER(1, b)
#define TW_INTERNAL_MEMBERS_3(a, b, c, d) TW_INTERNAL_MEMBER(0, a) TW_INTERNAL_MEMBER(1, b) TW_INTERNAL_MEMBER(2, c)
#define TW_INTERNAL_MEMBERS_4(a, b, c, d)                                                                              \
    TW_INTERNAL_MEMBER(0, a) TW_INTERNAL_MEMBER(1, b) TW_INTERNAL_MEMBER(2, c) TW_INTERNAL_MEMBER(3, d)

/* ---- host -------------------------------------------------------------------------------------------------------- */

#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_HOST_PART(name, options)
#else
/* A part, of rows or pieces of them.
   Expands to: void dot_tw_part(launch, block, slots, part, parts) { for (...) dot_tw_row(...); } */
#define TW_INTERNAL_HOST_PART(name, options)                                                                           \
    TW_INTERNAL_HOST_ROW(name, options)                                                                                \
    static void name##_tw_part(const struct tw_internal_launch *tw_launch, const name##_tw_block *tw_args,             \
                               unsigned char *tw_slots, size_t tw_part, size_t tw_parts)                               \
    {                                                                                                                  \
        name##_tw_block tw_mine = *tw_args;                                                                            \
        const size_t tw_r[3] = {tw_launch->range[0], tw_launch->range[1], tw_launch->range[2]};                        \
        const size_t tw_o[3] = {tw_launch->offset[0], tw_launch->offset[1], tw_launch->offset[2]};                     \
        const size_t tw_total = tw_r[0] * tw_r[1] * tw_r[2], tw_length = tw_r[name##_tw_dims - 1];                     \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_part + 1, tw_parts);                               \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, tw_slots, tw_part, -1);                                         \
        for (size_t tw_at = tw_internal_piece_first(tw_total, tw_part, tw_parts); tw_at < tw_past;) {                  \
            const size_t tw_rest = tw_length - tw_at % tw_length;                                                      \
            const size_t tw_count = tw_past - tw_at < tw_rest ? tw_past - tw_at : tw_rest;                             \
            name##_tw_row(tw_at / tw_length, tw_o[name##_tw_dims - 1] + tw_at % tw_length, tw_count, tw_r, tw_o,       \
                          &tw_mine, name##_tw_dims);                                                                   \
            tw_at += tw_count;                                                                                         \
        }                                                                                                              \
        name##_tw_members(TW_INTERNAL_LEAVE, &tw_mine, tw_slots, tw_part, -1);                                         \
    }
#endif

#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_HOST_REDUCTION(name)
#else
/* The parts of a piece of the launch, and what is left to one thread. Expands to:

       static void dot_tw_host(launch, piece, pieces) { for (...) dot_tw_part(...); }
       static void dot_tw_host_end(launch) { dot_tw_members(TW_INTERNAL_FINISH, ...); } */
#define TW_INTERNAL_HOST_REDUCTION(name)                                                                               \
    TW_INTERNAL_HOST_FUNCTION(name)                                                                                    \
    {                                                                                                                  \
        const size_t tw_parts =                                                                                        \
            tw_internal_parts(tw_launch->range[0] * tw_launch->range[1] * tw_launch->range[2]);                        \
        const size_t tw_past = tw_internal_piece_first(tw_parts, tw_piece + 1, tw_pieces);                             \
        for (size_t tw_part = tw_internal_piece_first(tw_parts, tw_piece, tw_pieces); tw_part < tw_past; ++tw_part)    \
            name##_tw_part(tw_launch, (const name##_tw_block *)tw_launch->args, (unsigned char *)tw_launch->scratch,   \
                           tw_part, tw_parts);                                                                         \
    }                                                                                                                  \
    static void name##_tw_host_end(struct tw_internal_launch *tw_launch)                                               \
    {                                                                                                                  \
        name##_tw_block tw_args = *(const name##_tw_block *)tw_launch->args;                                           \
        name##_tw_members(TW_INTERNAL_FINISH, &tw_args, (unsigned char *)tw_launch->scratch,                           \
                          tw_internal_parts(tw_launch->range[0] * tw_launch->range[1] * tw_launch->range[2]), -1);     \
    }
#endif

/* ---- teams: a part is a turn of one loop over teams and threads, and the host combines --------------------------- */

#if !defined(TW_INTERNAL_TEAMS_BUILT) || defined(TW_INTERNAL_DEVICE_PASS)
#define TW_INTERNAL_TEAMS_REDUCTION_END(name)
#else
/* Expands to:

       static void dot_tw_teams_reduction(launch) { dot_tw_teams(launch); dot_tw_members(TW_INTERNAL_FINISH, ...); } */
#define TW_INTERNAL_TEAMS_REDUCTION_END(name)                                                                          \
    static void name##_tw_teams_reduction(struct tw_internal_launch *tw_launch)                                        \
    {                                                                                                                  \
        name##_tw_block tw_args = *(const name##_tw_block *)tw_launch->args;                                           \
        unsigned char tw_slots[TW_INTERNAL_SCRATCH_BYTES] __attribute__((aligned(64)));                                \
        name##_tw_teams(tw_launch);                                                                                    \
        tw_internal_move(tw_slots, -1, tw_launch->scratch, tw_launch->device, sizeof tw_slots);                        \
        if (!tw_launch->fell_back)                                                                                     \
            name##_tw_members(TW_INTERNAL_FINISH, &tw_args, tw_slots,                                                  \
                              tw_internal_parts(tw_launch->range[0] * tw_launch->range[1] * tw_launch->range[2]),      \
                              tw_launch->device);                                                                      \
    }
#endif

#if defined(TW_INTERNAL_PASS_SIMT) || !defined(TW_INTERNAL_TEAMS_BUILT)
#define TW_INTERNAL_TEAMS_REDUCTION(name)
#elif defined(TW_INTERNAL_GPU_PASS)
/* Expands to: void dot_tw_teams_body(words, part) { for (...) dot_tw_call(item, block); leave the members' values } */
#define TW_INTERNAL_TEAMS_REDUCTION(name)                                                                              \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        const struct tw_internal_teams_captures *const tw_head = tw_internal_teams_head(tw_words);                     \
        unsigned char *const tw_slots = (unsigned char *)(uintptr_t)tw_head->memory;                                   \
        const size_t tw_total = tw_head->r0 * tw_head->r1 * tw_head->r2;                                               \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_block tw_mine = *(const name##_tw_block *)tw_internal_block(                                         \
            tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy);                                             \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, tw_slots, tw_part, -1);                                         \
        for (size_t tw_i = tw_part; tw_i < tw_total; tw_i += tw_internal_parts(tw_total))                              \
            name##_tw_call(tw_internal_turn_item(tw_words, tw_i, name##_tw_dims), &tw_mine);                           \
        name##_tw_members(TW_INTERNAL_LEAVE, &tw_mine, tw_slots, tw_part, -1);                                         \
    }
#else
/* A CPU device takes parts as the host does. Expands to: void dot_tw_teams_body(words, part) { dot_tw_part(...); } */
#define TW_INTERNAL_TEAMS_REDUCTION(name)                                                                              \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        const struct tw_internal_teams_captures *const tw_head = tw_internal_teams_head(tw_words);                     \
        name##_tw_part(tw_internal_teams_launch(tw_words),                                                             \
                       tw_internal_block(tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy),                \
                       (unsigned char *)(uintptr_t)tw_head->memory, tw_part,                                           \
                       tw_internal_parts(tw_head->r0 * tw_head->r1 * tw_head->r2));                                    \
    }
#endif

/* ---- simt: resident teams stride over the range, and the last one combines --------------------------------------- */

#ifdef TW_INTERNAL_PASS_SIMT
/* Several items at a time without a condition between them, so that their loads are under way together. The scratch
   memory takes the place of a range kernel's shape. Expands to:

       void dot_tw_simt_body(words) { for (...) dot_tw_call(item, block); leave the values; the last team: finish } */
#define TW_INTERNAL_SIMT_REDUCTION(name)                                                                               \
    TW_DEVICE_INLINE void name##_tw_simt_body(const uint64_t *tw_words)                                                \
    {                                                                                                                  \
        const struct tw_internal_simt_captures *const tw_head = tw_internal_simt_head(tw_words);                       \
        const struct tw_internal_split tw_split = tw_internal_simt_split(tw_head);                                     \
        const tw_item tw_here = {{0, 0, 0}, {tw_head->r0, tw_head->r1, tw_head->r2},                                   \
                                 {tw_head->o0, tw_head->o1, tw_head->o2}, name##_tw_dims};                             \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_block tw_mine = *(const name##_tw_block *)tw_internal_block(                                         \
            tw_words + TW_INTERNAL_SIMT_WORDS, &tw_copy, sizeof tw_copy);                                              \
        unsigned char *const tw_slots = (unsigned char *)(uintptr_t)tw_head->shape;                                    \
        const size_t tw_total = tw_head->r0 * tw_head->r1 * tw_head->r2;                                               \
        const size_t tw_stride = (size_t)tw_internal_teams() * TW_INTERNAL_SIMT_RANGE_THREADS;                         \
        const size_t tw_team = tw_internal_team();                                                                     \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, tw_slots, tw_team, -1);                                         \
        size_t tw_i = tw_team * TW_INTERNAL_SIMT_RANGE_THREADS + tw_internal_thread();                                 \
        for (; tw_i + 3 * tw_stride < tw_total; tw_i += 4 * tw_stride) {                                               \
            TW_INTERNAL_PRAGMA(clang loop unroll(full))                                                                \
            for (size_t tw_k = 0; tw_k < 4; ++tw_k)                                                                    \
                name##_tw_call(tw_internal_reduction_item(tw_i + tw_k * tw_stride, tw_total, tw_here, tw_split,        \
                                                          name##_tw_dims), &tw_mine);                                  \
        }                                                                                                              \
        for (; tw_i < tw_total; tw_i += tw_stride)                                                                     \
            name##_tw_call(tw_internal_reduction_item(tw_i, tw_total, tw_here, tw_split, name##_tw_dims), &tw_mine);   \
        name##_tw_members(TW_INTERNAL_LEAVE, &tw_mine, tw_slots, tw_team, -1);                                         \
        if (tw_internal_last_team((unsigned *)(void *)(tw_slots + TW_INTERNAL_SCRATCH_BYTES)))                         \
            name##_tw_members(TW_INTERNAL_FINISH, &tw_mine, tw_slots, tw_internal_teams(), -1);                        \
    }
#else
#define TW_INTERNAL_SIMT_REDUCTION(name)
#endif
// clang-format on

#endif
