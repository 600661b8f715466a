/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/reduction.h> declares. */
#ifndef TEAMWORK_LOWER_REDUCTION_H
#define TEAMWORK_LOWER_REDUCTION_H

#include <teamwork/lower/group/atomic_word.h>
#include <teamwork/lower/group/group_functions.h>
#include <teamwork/lower/kernel/host.h>
#include <teamwork/lower/kernel/simt.h>
#include <teamwork/lower/kernel/teams.h>

/* The operation, TW_INTERNAL_OWN_OPERATION for one of the program; and the columns of slots that a value takes. */
#define TW_INTERNAL_OP(reduction) ((tw_operation)(sizeof *(reduction).tw_op - 1))
#define TW_INTERNAL_OWN_OPERATION 7
#define TW_INTERNAL_COLUMNS(reduction) (sizeof(reduction).tw_value + 7) / 8

/* An index of an array, 0 instead of one that the array does not have. */
TW_DEVICE_INLINE size_t tw_internal_checked_index(struct tw_internal_bounds *bounds, size_t count, size_t index)
{
    const size_t range[3] = {count, 1, 1};
    if (index < count)
        return index;
#ifdef TW_INTERNAL_GPU_PASS
    (void)bounds, (void)range;
    __builtin_trap();
#else
    tw_internal_out_of_bounds(bounds, range, 1, index, 0, 0, 1);
#endif
    return 0;
}

/* In C the overloads below would take pointers of other types too. */
#define TW_INTERNAL_IS_VALUE(reduction) TW_INTERNAL_IS((reduction).tw_target, struct tw_internal_target)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */
TW_DEVICE_INLINE int tw_internal_is_value(int right)
    __attribute__((diagnose_if(!right, "the member is an array: tw_combine_at(member, index, x)", "error")))
{
    return right;
}
TW_DEVICE_INLINE int tw_internal_is_array(int right)
    __attribute__((diagnose_if(!right, "the member is one value: tw_combine(member, x)", "error")))
{
    return right;
}
#pragma clang diagnostic pop

/* ---- parts --------------------------------------------------------------------------------------------------------

   A CPU cuts a launch into parts that depend on the launch alone (tw_internal_launch_parts), and a GPU into as many as
   it runs teams. Each part leaves one value of 8 bytes for each member that is one value, the values of a member side
   by side, in a column of slots; then all are combined in one order. Of many teams, TW_INTERNAL_NEAR_PARTS each combine
   theirs first.

   Of an array a CPU has a copy for each part. A GPU has one in global memory, to which work-items add atomically, and
   in the simt lowering a small array has another one in the memory of each team. An element of a copy is by XOR what it
   has more than the neutral value (group_functions.h), so zeroed memory has that of any operation. */

#ifdef TW_INTERNAL_PASS_SIMT
#define TW_INTERNAL_SLOT_PARTS TW_INTERNAL_MAX_PARTS
#else
#define TW_INTERNAL_SLOT_PARTS TW_INTERNAL_LOOP_PARTS
#endif

/* What is done with a member; the functions that do it are inlined, and the stage is a constant. */
enum tw_internal_stage {
    TW_INTERNAL_RESET,  /* sets the value to the operation's neutral one, or makes a copy of the array */
    TW_INTERNAL_LEAVE,  /* leaves the value as that of the part */
    TW_INTERNAL_FINISH, /* combines the values of all parts with the target */
    /* where a part is of groups, and not in the simt lowering: */
    TW_INTERNAL_OPEN, /* makes the part's value the target, and sets it to the neutral one, or makes a copy of the array */
    TW_INTERNAL_BEGIN, /* sets the own value of a work-item, or group, to the neutral one */
    TW_INTERNAL_ADD    /* combines it with the part's value */
};

/* The values that the last team combines. */
struct tw_internal_slots {
    unsigned first, apart, count; /* of part `first`, and each `apart` on */
    bool all;                     /* the target gets the result; else the slot of the first one */
};

/* What a stage is told. */
struct tw_internal_reducing {
    unsigned char *slots, *arrays; /* of the scratch memory */
    size_t part;                   /* when finishing, how many; in the simt lowering the team */
    size_t array_bytes;            /* from a copy of all arrays to the next; 0: there is one */
    int device; /* OpenMP's number of the device whose memory has the targets, for the host; -1: its own */
    /* in the simt lowering: */
    unsigned threads;       /* of a team */
    unsigned thread, teams; /* since tw_internal_ending() */
    struct tw_internal_slots combined;
};

TW_DEVICE_INLINE struct tw_internal_reducing tw_internal_reducing(uint64_t scratch, size_t part, size_t array_bytes,
                                                                  unsigned threads)
{
    unsigned char *const slots = (unsigned char *)(uintptr_t)scratch;
    unsigned char *const counter = slots + TW_INTERNAL_SLOT_BYTES(TW_INTERNAL_SLOT_PARTS);
    const struct tw_internal_reducing here = {
        slots, counter + TW_INTERNAL_COUNTER_BYTES, part, array_bytes, -1, threads, 0, 0, {0, 0, 0, false}};
    return here;
}

/* In a launch on a CPU. */
TW_DEVICE_INLINE struct tw_internal_reducing tw_internal_reducing_of(const struct tw_internal_launch *launch,
                                                                     size_t part)
{
    return tw_internal_reducing((uint64_t)(uintptr_t)launch->scratch, part, launch->array_bytes, 1);
}

TW_DEVICE_INLINE void *tw_internal_slot(const struct tw_internal_reducing *here, size_t column, size_t part)
{
    return here->slots + (column * TW_INTERNAL_SLOT_PARTS + part) * 8;
}

TW_DEVICE_INLINE void *tw_internal_copy(const struct tw_internal_reducing *here, size_t part, size_t place)
{
    return here->arrays + part * here->array_bytes + place;
}

/* Copies to or from memory of OpenMP's device `to` or `from`, or of the host where that is negative. The teams lowering
   has others, so a file without it need not be linked with libomptarget. */
TW_DEVICE_INLINE void tw_internal_move(void *target, int to, const void *source, int from, size_t bytes)
{
#ifdef TW_INTERNAL_TEAMS_BUILT
    if (to >= 0 || from >= 0) {
        (void)omp_target_memcpy(target, source, bytes, 0, 0, to < 0 ? omp_get_initial_device() : to,
                                from < 0 ? omp_get_initial_device() : from);
        return;
    }
#endif
    (void)to, (void)from;
    __builtin_memcpy(target, source, bytes);
}

#ifdef TW_INTERNAL_PASS_SIMT

TW_DEVICE_INLINE uint32_t tw_internal_teams(unsigned threads)
{
#ifdef __NVPTX__
    (void)threads;
    return (uint32_t)__nvvm_read_ptx_sreg_nctaid_x();
#else
    return (uint32_t)__builtin_amdgcn_grid_size_x() / threads;
#endif
}

/* Adds 1 to a counter in global memory, behind all that this team has stored before the last barrier. NVIDIA's
   instruction waits for the stores; a fence would throw away what the multiprocessor has in its cache, too. */
TW_DEVICE_INLINE unsigned tw_internal_count_behind(unsigned *counter)
{
#ifdef __NVPTX__
    unsigned before;
    __asm__ volatile("atom.release.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"((__attribute__((address_space(1))) unsigned *)counter)
                     : "memory");
    return before;
#else
    return tw_internal_atomic_fetch_add((tw_internal_uint32 *)counter, 1u, TW_ORDER_RELEASE, TW_SCOPE_DEVICE);
#endif
}

/* Whether the condition is true in thread 0 of the team, which alone may ask. */
TW_DEVICE_INLINE bool tw_internal_in_first_thread(unsigned thread, bool condition)
{
#ifdef __NVPTX__
    (void)thread;
    return __nvvm_bar0_or(condition) != 0;
#else
    return tw_internal_team_broadcast_uint(thread, condition, 0) != 0;
#endif
}

/* Completes `here` for the stages at the end of a team. What they need is read again: otherwise the compiler keeps it in
   registers while the work-items run. */
TW_DEVICE_INLINE struct tw_internal_reducing tw_internal_ending(struct tw_internal_reducing here)
{
#ifdef __NVPTX__
    unsigned team;
    __asm__ volatile("mov.u32 %0, %%tid.x;" : "=r"(here.thread));
    __asm__ volatile("mov.u32 %0, %%ctaid.x;" : "=r"(team));
    __asm__ volatile("mov.u32 %0, %%nctaid.x;" : "=r"(here.teams));
    here.part = team;
#else
    here.thread = tw_internal_thread();
    here.part = tw_internal_team();
    here.teams = tw_internal_teams(here.threads);
#endif
    return here;
}

/* What the last team combines: `apart` is 1 for values of teams, and TW_INTERNAL_NEAR_PARTS for what comes of these. */
TW_DEVICE_INLINE struct tw_internal_slots tw_internal_combined(const struct tw_internal_reducing *here, unsigned apart)
{
    const unsigned teams = here->teams, near = TW_INTERNAL_NEAR_PARTS;
    const bool all = teams <= TW_INTERNAL_ONE_LEVEL_PARTS || apart > 1;
    const unsigned first = all ? 0 : (unsigned)here->part / near * near;
    const unsigned rest = (teams - first + apart - 1) / apart;
    const struct tw_internal_slots slots = {first, apart, all || rest < near ? rest : near, all};
    return slots;
}

/* Whether all values have been left that `here` says: true for the last team. The counters are zero before and after:
   one of all, and one of each TW_INTERNAL_NEAR_PARTS. */
TW_DEVICE_INLINE bool tw_internal_last_team(const struct tw_internal_reducing *here)
{
    const struct tw_internal_slots slots = here->combined;
    unsigned *const counters = (unsigned *)(void *)(here->arrays - TW_INTERNAL_COUNTER_BYTES);
    unsigned *const counter = counters + (slots.all ? 0 : 1 + slots.first / TW_INTERNAL_NEAR_PARTS);
    bool last = false;
    if (here->thread == 0) {
        last = tw_internal_count_behind(counter) == slots.count - 1;
        if (last) {
            *counter = 0;
            tw_internal_atomic_fence(TW_ORDER_ACQUIRE, TW_SCOPE_DEVICE);
        }
    }
    return tw_internal_in_first_thread(here->thread, last);
}

/* The item of a place in the range; `here` has all that items have in common. */
TW_DEVICE_INLINE tw_item tw_internal_reduction_item(size_t linear, size_t total, tw_item here,
                                                    const struct tw_internal_simt_captures *head, unsigned dims)
{
    const size_t range[3] = {head->r0, head->r1, head->r2}, offset[3] = {head->o0, head->o1, head->o2};
    uint32_t id[3];
    if (dims > 1 && total >> 31) {
        tw_internal_delinearize(linear, range, dims, here.tw_id_);
        for (unsigned d = 0; d < dims; ++d)
            here.tw_id_[d] += offset[d];
        return here;
    }
    if (dims == 1) {
        here.tw_id_[0] = linear + offset[0];
        return here;
    }
    tw_internal_split_id((uint32_t)linear, tw_internal_simt_split(head), dims, id);
    for (unsigned d = 0; d < dims; ++d)
        here.tw_id_[d] = id[d] + offset[d];
    return here;
}

#endif

// clang-format off
/* What a type needs for atomic operations and for copies. `word` is the type of atomic.h, and `bits` that of its size.
   tw_internal_coded_SUFFIX(): a value as an element of a copy, and back. tw_internal_add_atomically_SUFFIX(): `to` is
   coded or not. */
#define TW_INTERNAL_DEFINE_SHARED(type, suffix, word, bits, combine)                                                   \
    TW_DEVICE_INLINE type tw_internal_coded_##suffix(type x, tw_operation op)                                          \
    {                                                                                                                  \
        const type neutral = tw_internal_neutral_##suffix(op);                                                        \
        bits a, b;                                                                                                     \
        __builtin_memcpy(&a, &x, sizeof a);                                                                            \
        __builtin_memcpy(&b, &neutral, sizeof b);                                                                     \
        a ^= b;                                                                                                        \
        __builtin_memcpy(&x, &a, sizeof x);                                                                            \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_DEVICE_INLINE void tw_internal_add_atomically_##suffix(type *to, type x, tw_operation op, bool coded)           \
    {                                                                                                                  \
        const tw_memory_order order = TW_ORDER_RELAXED;                                                                \
        const tw_memory_scope scope = TW_SCOPE_DEVICE;                                                                 \
        if (op == TW_SUM) {                                                                                            \
            (void)tw_internal_atomic_fetch_add((word *)to, (word)x, order, scope);                                     \
            return;                                                                                                    \
        }                                                                                                              \
        word old = tw_internal_atomic_load((word *)to, order, scope), seen;                                            \
        for (;; old = seen) {                                                                                          \
            const type before = coded ? tw_internal_coded_##suffix((type)old, op) : (type)old;                         \
            const type after = combine(before, x, op);                                                                 \
            const word next = (word)(coded ? tw_internal_coded_##suffix(after, op) : after);                           \
            if (tw_internal_same_bits(next, old))                                                                      \
                return;                                                                                                \
            seen = tw_internal_atomic_swap_if((word *)to, old, next, order, order, scope);                             \
            if (tw_internal_same_bits(seen, old))                                                                      \
                return;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_ADD_TO_TEAM(type, suffix, word)

/* tw_internal_add_to_team_SUFFIX(): likewise to an element of a copy in the memory of a team, which the pointer's type
   says: LLVM would make one access of this one and that to a copy elsewhere, and find out where it leads each time. */
#ifdef TW_INTERNAL_PASS_SIMT
#define TW_INTERNAL_DEFINE_ADD_TO_TEAM(type, suffix, word)                                                             \
    TW_DEVICE_INLINE void tw_internal_add_to_team_##suffix(type *to, type x, tw_operation op)                          \
    {                                                                                                                  \
        if (op == TW_SUM)                                                                                              \
            (void)__scoped_atomic_fetch_add((__attribute__((address_space(3))) word *)to, (word)x, __ATOMIC_RELAXED,   \
                                            __MEMORY_SCOPE_DEVICE);                                                    \
        else                                                                                                           \
            tw_internal_add_atomically_##suffix(to, x, op, true);                                                      \
    }
#else
#define TW_INTERNAL_DEFINE_ADD_TO_TEAM(type, suffix, word)
#endif

TW_INTERNAL_DEFINE_SHARED(int, int, tw_internal_uint32, uint32_t, tw_internal_combine_int)
TW_INTERNAL_DEFINE_SHARED(unsigned, uint, tw_internal_uint32, uint32_t, tw_internal_combine_uint)
TW_INTERNAL_DEFINE_SHARED(long, long, tw_internal_uint64, uint64_t, tw_internal_combine_long)
TW_INTERNAL_DEFINE_SHARED(unsigned long, ulong, tw_internal_uint64, uint64_t, tw_internal_combine_ulong)
TW_INTERNAL_DEFINE_SHARED(long long, llong, tw_internal_uint64, uint64_t, tw_internal_combine_llong)
TW_INTERNAL_DEFINE_SHARED(unsigned long long, ullong, tw_internal_uint64, uint64_t, tw_internal_combine_ullong)
TW_INTERNAL_DEFINE_SHARED(float, float, tw_internal_float, uint32_t, tw_internal_combine_float)
TW_INTERNAL_DEFINE_SHARED(double, double, tw_internal_double, uint64_t, tw_internal_combine_double)
#undef TW_INTERNAL_DEFINE_SHARED
#undef TW_INTERNAL_DEFINE_ADD_TO_TEAM

/* In C an operation of the program would find these, too, by a pointer to another type. */
#define TW_INTERNAL_CHECKED_VALUE                                                                                      \
    __attribute__((diagnose_if(op > TW_XOR, "the value has another type than the reduction's operation", "error")))

/* The value is the work-item's own, or that of its thread: the kernel's view of it is const, the object is not. Any
   order of additions is as good, which lets the compiler vectorize them. */
#define TW_INTERNAL_DEFINE_REDUCTION(type, suffix, lowest, highest, combine)                                           \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_OVERLOADED void tw_internal_accumulate(const type *value, const struct tw_internal_target *target, type x,      \
                                              tw_operation op) TW_INTERNAL_CHECKED(suffix) TW_INTERNAL_CHECKED_VALUE   \
    {                                                                                                                  \
        TW_INTERNAL_PRAGMA(clang fp reassociate(on))                                                                   \
        TW_INTERNAL_IF_SHARED(target, suffix, x, op)                                                                   \
        type *const to = (type *)(uintptr_t)value;                                                                     \
        (void)target;                                                                                                  \
        *to = op == TW_SUM ? *to + x : op == TW_PRODUCT ? *to * x : combine(*to, x, op);                               \
    }                                                                                                                  \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_OVERLOADED void tw_internal_accumulate_at(type *const *values, const struct tw_internal_array *array,           \
                                                 size_t index, type x, tw_operation op) TW_INTERNAL_CHECKED(suffix)    \
    {                                                                                                                  \
        TW_INTERNAL_ADD_TO_COPY(type, suffix, *values, array, index, x, op, combine)                                   \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_internal_fits(type *const *values, const struct tw_internal_array *array)                    \
    {                                                                                                                  \
        (void)values;                                                                                                  \
        return array->element_bytes == sizeof(type);                                                                   \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_internal_fits(const type *value, const struct tw_internal_target *target)                    \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        return target->element_bytes == sizeof(type);                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_merge(const type *value, const struct tw_internal_target *to,                       \
                                         const struct tw_internal_target *from, tw_operation op)                       \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        *(type *)to->to = combine(*(type *)to->to, *(const type *)from->to, op);                                       \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_merge(type *const *values, const struct tw_internal_array *to,                      \
                                         const struct tw_internal_array *from, tw_operation op)                        \
    {                                                                                                                  \
        (void)values;                                                                                                  \
        for (unsigned i = 0; i < to->count; ++i)                                                                       \
            ((type *)to->to)[i] = combine(((type *)to->to)[i], ((const type *)from->to)[i], op);                       \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_LEAVE_AND_FINISH(type, suffix, combine)                                                         \
    TW_OVERLOADED void tw_internal_member(enum tw_internal_stage stage, type *value,                                   \
                                          struct tw_internal_target *target, tw_operation op,                          \
                                          const struct tw_internal_reducing *here, size_t column)                      \
    {                                                                                                                  \
        if (stage == TW_INTERNAL_RESET || stage == TW_INTERNAL_BEGIN) {                                                \
            *value = tw_internal_neutral_##suffix(op);                                                                \
            target->shared = false;                                                                                    \
        } else if (stage == TW_INTERNAL_LEAVE) {                                                                       \
            tw_internal_leave(value, (type *)tw_internal_slot(here, column, here->part), op, here);                    \
        } else if (stage == TW_INTERNAL_FINISH) {                                                                      \
            tw_internal_finish((type *)target->to, target->keep, (type *)tw_internal_slot(here, column, 0), op, here); \
        } else if (stage == TW_INTERNAL_OPEN) {                                                                        \
            target->to = tw_internal_slot(here, column, here->part);                                                   \
            target->shared = true;                                                                                     \
            *(type *)target->to = tw_internal_neutral_##suffix(op);                                                   \
        } else {                                                                                                       \
            TW_INTERNAL_ADD_TO_PART(type, suffix, (type *)target->to, *value, op, combine)                             \
        }                                                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_member(enum tw_internal_stage stage, type **values,                                 \
                                          struct tw_internal_array *array, tw_operation op,                            \
                                          const struct tw_internal_reducing *here, size_t column)                      \
    {                                                                                                                  \
        (void)column;                                                                                                  \
        if (stage == TW_INTERNAL_RESET || stage == TW_INTERNAL_OPEN) {                                                 \
            *values = (type *)tw_internal_copy(here, TW_INTERNAL_GPU_ARRAYS ? 0 : here->part, array->place);           \
            tw_internal_reset_array(*values, array, here);                                                             \
        } else if (stage == TW_INTERNAL_LEAVE) {                                                                       \
            tw_internal_leave_array(*values, array, op, here);                                                         \
        } else if (stage == TW_INTERNAL_FINISH) {                                                                      \
            tw_internal_finish_array((type *)array->to, (type *)tw_internal_copy(here, 0, array->place), array, op,    \
                                     here);                                                                            \
        }                                                                                                              \
    }

#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_GPU_ARRAYS true
#else
#define TW_INTERNAL_GPU_ARRAYS false
#endif

/* In the teams lowering the work-items of a group may be threads that share what their part has. */
#ifdef TW_INTERNAL_PASS_TEAMS
#define TW_INTERNAL_IF_SHARED(target, suffix, x, op)                                                                   \
    if ((target)->shared) {                                                                                            \
        tw_internal_add_atomically_##suffix((TW_INTERNAL_ADDRESS)(target)->to, x, op, false);                          \
        return;                                                                                                        \
    }
#define TW_INTERNAL_ADD_TO_PART(type, suffix, to, x, op, combine)                                                      \
    tw_internal_add_atomically_##suffix(to, x, op, false);
#else
#define TW_INTERNAL_IF_SHARED(target, suffix, x, op)
#define TW_INTERNAL_ADD_TO_PART(type, suffix, to, x, op, combine)                                                      \
    TW_INTERNAL_PRAGMA(clang fp reassociate(on))                                                                       \
    type *const part = to;                                                                                             \
    *part = op == TW_SUM ? *part + x : op == TW_PRODUCT ? *part * x : combine(*part, x, op);
#endif

#if defined(TW_INTERNAL_PASS_SIMT)
#define TW_INTERNAL_ADD_TO_COPY(type, suffix, values, array, index, x, op, combine)                                    \
    if ((array)->local)                                                                                                \
        tw_internal_add_to_team_##suffix((type *)tw_internal_team_copy(array) + (index), x, op);                       \
    else                                                                                                               \
        tw_internal_add_atomically_##suffix((values) + (index), x, op, true);
#elif defined(TW_INTERNAL_PASS_TEAMS)
#define TW_INTERNAL_ADD_TO_COPY(type, suffix, values, array, index, x, op, combine)                                    \
    (void)(array);                                                                                                     \
    tw_internal_add_atomically_##suffix((values) + (index), x, op, true);
#else
#define TW_INTERNAL_ADD_TO_COPY(type, suffix, values, array, index, x, op, combine)                                    \
    type *const to = (values) + (index);                                                                               \
    (void)(array);                                                                                                     \
    *to = tw_internal_coded_##suffix(combine(tw_internal_coded_##suffix(*to, op), x, op), op);
#endif

#ifdef TW_INTERNAL_PASS_SIMT
/* The copy of an array in the memory of this team. */
TW_DEVICE_INLINE void *tw_internal_team_copy(const struct tw_internal_array *array)
{
    return tw_internal_dynamic_memory + (array->local - 1);
}

/* The parts that a thread of the last team loads before it combines them: they are under way together. */
#define TW_INTERNAL_PARTS_AHEAD 2u

/* A part is a team; the last team finishes. The edges of the stages are barriers: any thread may add to any element. */
#define TW_INTERNAL_DEFINE_LEAVE_AND_FINISH(type, suffix, combine)                                                     \
    TW_OVERLOADED void tw_internal_leave(type *value, type *slot, tw_operation op,                                     \
                                         const struct tw_internal_reducing *here)                                      \
    {                                                                                                                  \
        const tw_sub_group sub_group = tw_internal_sub_group(here->thread, here->threads);                             \
        *value = tw_internal_team_reduce_##suffix(sub_group, *value, op);                                              \
        if (here->thread == 0)                                                                                         \
            *slot = *value;                                                                                            \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_finish(type *target, bool keep, const type *slots, tw_operation op,                 \
                                          const struct tw_internal_reducing *here)                                     \
    {                                                                                                                  \
        const tw_sub_group sub_group = tw_internal_sub_group(here->thread, here->threads);                             \
        const volatile type *parts = (const volatile type *)slots;                                                     \
        type all = tw_internal_neutral_##suffix(op), next[TW_INTERNAL_PARTS_AHEAD];                                   \
        const struct tw_internal_slots from = here->combined;                                                          \
        const unsigned step = here->threads, count = from.count;                                                       \
        TW_INTERNAL_PRAGMA(clang loop unroll(disable))                                                                 \
        for (unsigned i = here->thread; i < count; i += TW_INTERNAL_PARTS_AHEAD * step) {                              \
            TW_INTERNAL_PRAGMA(clang loop unroll(full))                                                                \
            for (unsigned k = 0; k < TW_INTERNAL_PARTS_AHEAD; ++k)                                                     \
                next[k] = i + k * step < count                                                                         \
                              ? parts[(from.first + (i + k * step) * from.apart) * (8 / sizeof all)]                   \
                              : tw_internal_neutral_##suffix(op);                                                     \
            TW_INTERNAL_PRAGMA(clang loop unroll(full))                                                                \
            for (unsigned k = 0; k < TW_INTERNAL_PARTS_AHEAD; ++k)                                                     \
                all = combine(all, next[k], op);                                                                       \
        }                                                                                                              \
        all = tw_internal_team_reduce_##suffix(sub_group, all, op);                                                    \
        if (here->thread == 0) {                                                                                       \
            type *const to = from.all ? target : (type *)slots + from.first * (8 / sizeof all);                        \
            *to = keep && from.all ? combine(*to, all, op) : all;                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_reset_array(type *values, const struct tw_internal_array *array,                    \
                                               const struct tw_internal_reducing *here)                                \
    {                                                                                                                  \
        (void)values;                                                                                                  \
        if (!array->local)                                                                                             \
            return;                                                                                                    \
        for (unsigned i = tw_internal_thread(); i < array->count; i += here->threads)                                  \
            ((type *)tw_internal_team_copy(array))[i] = 0;                                                             \
        tw_internal_barrier();                                                                                         \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_leave_array(type *values, const struct tw_internal_array *array, tw_operation op,   \
                                               const struct tw_internal_reducing *here)                                \
    {                                                                                                                  \
        if (array->local) {                                                                                            \
            tw_internal_barrier();                                                                                     \
            for (unsigned i = here->thread; i < array->count; i += here->threads) {                                    \
                const type x = tw_internal_coded_##suffix(((type *)tw_internal_team_copy(array))[i], op);              \
                if (x != tw_internal_neutral_##suffix(op))                                                            \
                    tw_internal_add_atomically_##suffix(values + i, x, op, true);                                      \
            }                                                                                                          \
        }                                                                                                              \
        tw_internal_barrier();                                                                                         \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_finish_array(type *to, type *copy, const struct tw_internal_array *array,           \
                                                tw_operation op, const struct tw_internal_reducing *here)              \
    {                                                                                                                  \
        if (!here->combined.all)                                                                                       \
            return;                                                                                                    \
        for (unsigned i = here->thread; i < array->count; i += here->threads) {                                        \
            const type all = tw_internal_coded_##suffix(((volatile type *)copy)[i], op);                               \
            copy[i] = 0;                                                                                               \
            to[i] = array->keep ? combine(to[i], all, op) : all;                                                       \
        }                                                                                                              \
    }
#else
/* A part is a loop of one thread, and the host finishes. It takes an array in pieces, each from all copies in their
   order; the one copy of a GPU is zero again. */
#define TW_INTERNAL_DEFINE_LEAVE_AND_FINISH(type, suffix, combine)                                                     \
    TW_OVERLOADED void tw_internal_leave(type *value, type *slot, tw_operation op,                                     \
                                         const struct tw_internal_reducing *here)                                      \
    {                                                                                                                  \
        (void)op, (void)here;                                                                                          \
        *slot = *value;                                                                                                \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_finish(type *target, bool keep, const type *slots, tw_operation op,                 \
                                          const struct tw_internal_reducing *here)                                     \
    {                                                                                                                  \
        type all = tw_internal_neutral_##suffix(op), old;                                                              \
        if (keep && !here->part)                                                                                       \
            return; /* nothing to combine: the target keeps its bits */                                                \
        for (size_t i = 0; i < here->part; ++i)                                                                        \
            all = combine(all, slots[i * (8 / sizeof all)], op);                                                       \
        if (keep) {                                                                                                    \
            tw_internal_move(&old, -1, target, here->device, sizeof old);                                              \
            all = combine(old, all, op);                                                                               \
        }                                                                                                              \
        tw_internal_move(target, here->device, &all, -1, sizeof all);                                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_reset_array(type *values, const struct tw_internal_array *array,                    \
                                               const struct tw_internal_reducing *here)                                \
    {                                                                                                                  \
        (void)here;                                                                                                    \
        if (!TW_INTERNAL_GPU_ARRAYS)                                                                                   \
            __builtin_memset(values, 0, array->count * sizeof(type));                                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_leave_array(type *values, const struct tw_internal_array *array, tw_operation op,   \
                                               const struct tw_internal_reducing *here)                                \
    {                                                                                                                  \
        (void)values, (void)array, (void)op, (void)here;                                                               \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_finish_array(type *to, type *copy, const struct tw_internal_array *array,           \
                                                tw_operation op, const struct tw_internal_reducing *here)              \
    {                                                                                                                  \
        enum { PIECE = 512 };                                                                                          \
        type all[PIECE], more[PIECE];                                                                                  \
        const size_t copies = here->array_bytes ? here->part : 1;                                                      \
        if (array->keep && !here->part)                                                                                \
            return;                                                                                                    \
        for (size_t first = 0; first < array->count; first += PIECE) {                                                 \
            const size_t rest = array->count - first, count = rest < PIECE ? rest : PIECE;                             \
            const size_t bytes = count * sizeof(type);                                                                 \
            for (size_t i = 0; i < count; ++i)                                                                         \
                all[i] = tw_internal_neutral_##suffix(op);                                                            \
            for (size_t c = 0; c < copies; ++c) {                                                                      \
                tw_internal_move(more, -1, (unsigned char *)(copy + first) + c * here->array_bytes, here->device,      \
                                 bytes);                                                                               \
                for (size_t i = 0; i < count; ++i)                                                                     \
                    all[i] = combine(all[i], tw_internal_coded_##suffix(more[i], op), op);                             \
            }                                                                                                          \
            if (!here->array_bytes) {                                                                                  \
                __builtin_memset(more, 0, bytes);                                                                      \
                tw_internal_move(copy + first, here->device, more, -1, bytes);                                         \
            }                                                                                                          \
            if (array->keep) {                                                                                         \
                tw_internal_move(more, -1, to + first, here->device, bytes);                                           \
                for (size_t i = 0; i < count; ++i)                                                                     \
                    all[i] = combine(more[i], all[i], op);                                                             \
            }                                                                                                          \
            tw_internal_move(to + first, here->device, all, -1, bytes);                                                \
        }                                                                                                              \
    }
#endif

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat" /* diagnose_if is clang's */
TW_INTERNAL_GROUP_TYPES(TW_INTERNAL_DEFINE_REDUCTION)
#pragma clang diagnostic pop
#undef TW_INTERNAL_DEFINE_REDUCTION
#undef TW_INTERNAL_DEFINE_LEAVE_AND_FINISH

/* Functions that do something for each reduced member of a kernel's block. Expands to:

       void dot_tw_members(stage, tw_k, here) { tw_internal_member(stage, &tw_k->sum ...); }
       static const char *dot_tw_misfit(block, members)
       {
           if (!tw_internal_fits(&tw_k->sum ...))
               return "sum";
           *members = 0 + 1;
           return NULL;
       }
       static void dot_tw_merge(block, other) { tw_internal_merge(&tw_k->sum, &tw_other->sum ...); } */
#define TW_INTERNAL_REDUCED_MEMBERS_OF(...) TW_INTERNAL_REDUCED_MEMBERS(__VA_ARGS__)
#define TW_INTERNAL_REDUCED_MEMBERS(name, ...)                                                                         \
    TW_DEVICE_INLINE void name##_tw_members(enum tw_internal_stage tw_do, name##_tw_block *tw_k,                       \
                                            const struct tw_internal_reducing *tw_in)                                  \
    {                                                                                                                  \
        TW_INTERNAL_STATIC_ASSERT(TW_INTERNAL_MEMBERS(TW_INTERNAL_PLUS_COLUMNS, __VA_ARGS__) <= 8,                     \
                                  "a kernel reduces up to 64 bytes");                                                  \
        size_t tw_at = 0;                                                                                              \
        TW_INTERNAL_MEMBERS(TW_INTERNAL_MEMBER, __VA_ARGS__)                                                           \
    }                                                                                                                  \
    static __attribute__((unused)) const char *name##_tw_misfit(const void *tw_args, unsigned *tw_count)               \
    {                                                                                                                  \
        const name##_tw_block *const tw_k = (const name##_tw_block *)tw_args;                                          \
        TW_INTERNAL_MEMBERS(TW_INTERNAL_MISFIT, __VA_ARGS__)                                                           \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    static __attribute__((unused)) void name##_tw_merge(const void *tw_args, const void *tw_more)                      \
    {                                                                                                                  \
        const name##_tw_block *const tw_k = (const name##_tw_block *)tw_args;                                          \
        const name##_tw_block *const tw_other = (const name##_tw_block *)tw_more;                                      \
        TW_INTERNAL_MEMBERS(TW_INTERNAL_MERGE, __VA_ARGS__)                                                            \
    }
/* Only inside of those functions, whose parameters they name. */
#define TW_INTERNAL_MEMBER(i, member)                                                                                  \
    tw_internal_member(tw_do, &tw_k->member.tw_value, &tw_k->member.tw_target, TW_INTERNAL_OP(tw_k->member), tw_in,    \
                       tw_at);                                                                                         \
    tw_at += TW_INTERNAL_COLUMNS(tw_k->member);
#define TW_INTERNAL_PLUS_COLUMNS(i, member) +TW_INTERNAL_COLUMNS(tw_k->member)
#define TW_INTERNAL_MISFIT(i, member)                                                                                  \
    if (!tw_internal_fits(&tw_k->member.tw_value, &tw_k->member.tw_target))                                            \
        return #member;                                                                                                \
    *tw_count = i + 1;
#define TW_INTERNAL_MERGE(i, member)                                                                                   \
    tw_internal_merge(&tw_k->member.tw_value, &tw_k->member.tw_target, &tw_other->member.tw_target,                    \
                      TW_INTERNAL_OP(tw_k->member));

/* TW_INTERNAL_MEMBERS(X, sum, bins)  Expands to: X(0, sum) X(1, bins); for up to eight members */
#define TW_INTERNAL_MEMBERS(...) TW_INTERNAL_COUNTED_MEMBERS(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, )
#define TW_INTERNAL_COUNTED_MEMBERS(X, a, b, c, d, e, f, g, h, count, ...)                                             \
    TW_INTERNAL_MEMBERS_##count(X, a, b, c, d, e, f, g, h)
#define TW_INTERNAL_MEMBERS_1(X, a, ...) X(0, a)
#define TW_INTERNAL_MEMBERS_2(X, a, b, ...) X(0, a) X(1, b)
#define TW_INTERNAL_MEMBERS_3(X, a, b, c, ...) X(0, a) X(1, b) X(2, c)
#define TW_INTERNAL_MEMBERS_4(X, a, b, c, d, ...) X(0, a) X(1, b) X(2, c) X(3, d)
#define TW_INTERNAL_MEMBERS_5(X, a, b, c, d, e, ...) X(0, a) X(1, b) X(2, c) X(3, d) X(4, e)
#define TW_INTERNAL_MEMBERS_6(X, a, b, c, d, e, f, ...) X(0, a) X(1, b) X(2, c) X(3, d) X(4, e) X(5, f)
#define TW_INTERNAL_MEMBERS_7(X, a, b, c, d, e, f, g, ...) X(0, a) X(1, b) X(2, c) X(3, d) X(4, e) X(5, f) X(6, g)
#define TW_INTERNAL_MEMBERS_8(X, a, b, c, d, e, f, g, h)                                                               \
    X(0, a) X(1, b) X(2, c) X(3, d) X(4, e) X(5, f) X(6, g) X(7, h)

/* ---- host -------------------------------------------------------------------------------------------------------- */

#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_HOST_PART(name, options, values)
#else
/* A part, of rows or pieces of them.
   Expands to: void dot_tw_part(launch, block, slots, part, parts) { for (...) dot_tw_row(...); } */
#define TW_INTERNAL_HOST_PART(name, options, values)                                                                   \
    TW_INTERNAL_HOST_ROW(name, options)                                                                                \
    TW_INTERNAL_ROLE("part=" #name)                                                                                    \
    static void name##_tw_part(struct tw_internal_launch *tw_launch, const name##_tw_block *tw_args, size_t tw_part,   \
                               size_t tw_parts)                                                                        \
    {                                                                                                                  \
        const struct tw_internal_reducing tw_here = tw_internal_reducing_of(tw_launch, tw_part);                       \
        name##_tw_block tw_mine = *tw_args;                                                                            \
        values##_MINE(name)                                                                                            \
        const struct tw_internal_rows tw_rows = tw_internal_rows(tw_launch, name##_tw_dims);                           \
        const size_t tw_total = tw_launch->range[0] * tw_launch->range[1] * tw_launch->range[2];                       \
        const size_t tw_length = tw_launch->range[name##_tw_dims - 1];                                                 \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_part + 1, tw_parts);                               \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, &tw_here);                                                      \
        for (size_t tw_at = tw_internal_piece_first(tw_total, tw_part, tw_parts); tw_at < tw_past;) {                  \
            const size_t tw_rest = tw_length - tw_at % tw_length;                                                      \
            const size_t tw_count = tw_past - tw_at < tw_rest ? tw_past - tw_at : tw_rest;                             \
            name##_tw_row(tw_at / tw_length, tw_rows.first[name##_tw_dims - 1] + tw_at % tw_length, tw_count,          \
                          &tw_rows, &tw_mine, name##_tw_dims);                                                         \
            tw_at += tw_count;                                                                                         \
        }                                                                                                              \
        name##_tw_members(TW_INTERNAL_LEAVE, &tw_mine, &tw_here);                                                      \
    }
#endif

#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_HOST_REDUCTION(name, groups)
#else
/* The parts of a piece of the launch, and what is left to one thread. Expands to:

       static void dot_tw_host_reduction(launch, piece, pieces) { for (...) dot_tw_part(...); }
       static void dot_tw_host_end(launch) { dot_tw_members(TW_INTERNAL_FINISH, ...); } */
#define TW_INTERNAL_HOST_REDUCTION(name, groups)                                                                       \
    TW_INTERNAL_ROLE("host=" #name)                                                                                    \
    static void name##_tw_host_reduction(struct tw_internal_launch *tw_launch, size_t tw_piece, size_t tw_pieces)      \
    {                                                                                                                  \
        const size_t tw_parts = tw_internal_launch_parts(tw_launch, groups);                                           \
        const size_t tw_past = tw_internal_piece_first(tw_parts, tw_piece + 1, tw_pieces);                             \
        for (size_t tw_part = tw_internal_piece_first(tw_parts, tw_piece, tw_pieces); tw_part < tw_past; ++tw_part)    \
            name##_tw_part(tw_launch, (const name##_tw_block *)tw_launch->args, tw_part, tw_parts);                    \
    }                                                                                                                  \
    TW_INTERNAL_ROLE("host=" #name)                                                                                    \
    static void name##_tw_host_end(struct tw_internal_launch *tw_launch)                                               \
    {                                                                                                                  \
        const struct tw_internal_reducing tw_here =                                                                    \
            tw_internal_reducing_of(tw_launch, tw_internal_launch_parts(tw_launch, groups));                           \
        name##_tw_block tw_args = *(const name##_tw_block *)tw_launch->args;                                           \
        if (!__atomic_load_n(&tw_launch->fell_back, __ATOMIC_RELAXED))                                                 \
            name##_tw_members(TW_INTERNAL_FINISH, &tw_args, &tw_here);                                                 \
    }
#endif

/* ---- teams: a part is a turn of one loop over teams and threads, and the host combines --------------------------- */

TW_DEVICE_INLINE size_t tw_internal_teams_parts(const struct tw_internal_launch *launch, bool groups)
{
    const size_t total = launch->range[0] * launch->range[1] * launch->range[2];
    return launch->cpu ? tw_internal_launch_parts(launch, groups)
           : groups    ? tw_internal_group_parts(total)
                       : tw_internal_parts(total);
}

/* Fetches the slots to `slots`, and the counter, which says whether a group did not get its threads. False: the kernel
   did not run. */
TW_DEVICE_INLINE bool tw_internal_teams_fetch(struct tw_internal_launch *launch, struct tw_internal_reducing *here,
                                              unsigned char *slots, bool groups)
{
    const size_t bytes = TW_INTERNAL_SLOT_BYTES(TW_INTERNAL_LOOP_PARTS);
    int refused = 0;
    tw_internal_move(slots, -1, launch->scratch, launch->device, bytes);
    tw_internal_move(&refused, -1, (unsigned char *)launch->scratch + bytes, launch->device, sizeof refused);
    *here = tw_internal_reducing((uint64_t)(uintptr_t)launch->scratch, 0, launch->cpu ? launch->array_bytes : 0, 1);
    here->slots = slots;
    here->device = launch->device;
    here->part = tw_internal_teams_parts(launch, groups);
    if (refused)
        launch->fell_back = TW_INTERNAL_NO_THREADS;
    return !launch->fell_back;
}

#if !defined(TW_INTERNAL_TEAMS_BUILT) || defined(TW_INTERNAL_DEVICE_PASS)
#define TW_INTERNAL_TEAMS_REDUCTION_END(name, groups)
#else
/* Expands to:

       static void dot_tw_teams_reduction(launch)
       {
           if (there are parts)
               dot_tw_teams(launch);
           dot_tw_members(TW_INTERNAL_FINISH, ...);
       } */
#define TW_INTERNAL_TEAMS_REDUCTION_END(name, groups)                                                                  \
    static void name##_tw_teams_reduction(struct tw_internal_launch *tw_launch)                                        \
    {                                                                                                                  \
        name##_tw_block tw_args = *(const name##_tw_block *)tw_launch->args;                                           \
        unsigned char tw_slots[TW_INTERNAL_SLOT_BYTES(TW_INTERNAL_LOOP_PARTS)] __attribute__((aligned(64)));           \
        struct tw_internal_reducing tw_here;                                                                           \
        if (tw_internal_teams_parts(tw_launch, groups)) /* else there are no work-items */                             \
            name##_tw_teams(tw_launch);                                                                                \
        if (tw_internal_teams_fetch(tw_launch, &tw_here, tw_slots, groups))                                            \
            name##_tw_members(TW_INTERNAL_FINISH, &tw_args, &tw_here);                                                 \
    }
#endif

#if defined(TW_INTERNAL_PASS_SIMT) || !defined(TW_INTERNAL_TEAMS_BUILT)
#define TW_INTERNAL_TEAMS_REDUCTION(name, values)
#elif defined(TW_INTERNAL_GPU_PASS)
/* Expands to: void dot_tw_teams_body(words, part) { for (...) dot_tw_call(item, block); leave the members' values } */
#define TW_INTERNAL_TEAMS_REDUCTION(name, values)                                                                      \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        const struct tw_internal_teams_captures *const tw_head = tw_internal_teams_head(tw_words);                     \
        const struct tw_internal_reducing tw_here = tw_internal_reducing(tw_head->memory, tw_part, 0, 1);              \
        const size_t tw_total = tw_head->r0 * tw_head->r1 * tw_head->r2;                                               \
        name##_tw_block tw_copy;                                                                                       \
        TW_INTERNAL_ON_STACK(tw_copy)                                                                                  \
        name##_tw_block tw_mine = *(const name##_tw_block *)tw_internal_block(                                         \
            tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy);                                             \
        TW_INTERNAL_ON_STACK(tw_mine)                                                                                  \
        values##_MINE(name)                                                                                            \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, &tw_here);                                                      \
        for (size_t tw_i = tw_part; tw_i < tw_total; tw_i += tw_internal_parts(tw_total))                              \
            name##_tw_call(tw_internal_turn_item(tw_words, tw_i, name##_tw_dims), &tw_mine);                           \
        name##_tw_members(TW_INTERNAL_LEAVE, &tw_mine, &tw_here);                                                      \
    }
#else
/* A CPU device takes parts as the host does. Expands to: void dot_tw_teams_body(words, part) { dot_tw_part(...); } */
#define TW_INTERNAL_TEAMS_REDUCTION(name, values) TW_INTERNAL_TEAMS_PART(name, false)
#endif

/* Expands to: void dot_tw_teams_body(words, part) { dot_tw_part(launch, block, part, parts); } */
#define TW_INTERNAL_TEAMS_PART(name, groups)                                                                           \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        struct tw_internal_launch *const tw_launch = tw_internal_teams_launch(tw_words);                               \
        name##_tw_part(tw_launch,                                                                                      \
                       (const name##_tw_block *)tw_internal_block(tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy,        \
                                                                  sizeof tw_copy),                                     \
                       tw_part, tw_internal_launch_parts(tw_launch, groups));                                          \
    }

/* ---- simt: resident teams stride over the range, and the last one combines --------------------------------------- */

#ifdef TW_INTERNAL_PASS_SIMT
/* Several items at a time without a condition between them, so that their loads are under way together. The scratch
   memory takes the place of a range kernel's shape. Expands to:

       void dot_tw_simt_body(words, count) { for (...) dot_tw_call(item, block); leave the values; the last team: finish } */
#define TW_INTERNAL_SIMT_REDUCTION(name, values)                                                                       \
    TW_INTERNAL_ROLE("simt=" #name)                                                                                    \
    TW_DEVICE_INLINE void name##_tw_simt_body(const uint64_t *tw_words, unsigned tw_count)                             \
    {                                                                                                                  \
        const struct tw_internal_simt_captures *const tw_head = tw_internal_simt_head(tw_words);                       \
        const tw_item tw_point = {{0, 0, 0}, {tw_head->w0, tw_head->w1, tw_head->w2},                                  \
                                  {tw_head->f0, tw_head->f1, tw_head->f2}, name##_tw_dims};                            \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_block tw_mine = *(const name##_tw_block *)tw_internal_simt_block(                                    \
            tw_words, tw_count, &tw_copy, sizeof tw_copy);                                                             \
        values##_MINE(name)                                                                                            \
        const size_t tw_total = tw_head->r0 * tw_head->r1 * tw_head->r2;                                               \
        const size_t tw_team = tw_internal_team();                                                                     \
        const size_t tw_stride =                                                                                       \
            (size_t)tw_internal_teams(TW_INTERNAL_SIMT_RANGE_THREADS) * TW_INTERNAL_SIMT_RANGE_THREADS;                \
        struct tw_internal_reducing tw_here =                                                                          \
            tw_internal_reducing(tw_head->shape, tw_team, 0, TW_INTERNAL_SIMT_RANGE_THREADS);                          \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, &tw_here);                                                      \
        size_t tw_i = tw_team * TW_INTERNAL_SIMT_RANGE_THREADS + tw_internal_thread();                                 \
        for (; tw_i + 3 * tw_stride < tw_total; tw_i += 4 * tw_stride) {                                               \
            TW_INTERNAL_PRAGMA(clang loop unroll(full))                                                                \
            for (size_t tw_k = 0; tw_k < 4; ++tw_k)                                                                    \
                name##_tw_call(tw_internal_reduction_item(tw_i + tw_k * tw_stride, tw_total, tw_point, tw_head,        \
                                                          name##_tw_dims), &tw_mine);                                  \
        }                                                                                                              \
        for (; tw_i < tw_total; tw_i += tw_stride)                                                                     \
            name##_tw_call(tw_internal_reduction_item(tw_i, tw_total, tw_point, tw_head, name##_tw_dims), &tw_mine);   \
        TW_INTERNAL_SIMT_FINISH(name, tw_mine, tw_here)                                                                \
    }

/* Expands to: leave the values; the last team of those that are near, and that of all: finish */
#define TW_INTERNAL_SIMT_FINISH(name, mine, here)                                                                      \
    (here) = tw_internal_ending(here);                                                                                 \
    name##_tw_members(TW_INTERNAL_LEAVE, &(mine), &(here));                                                            \
    for (unsigned tw_apart = 1; tw_apart; tw_apart = (here).combined.all ? 0 : TW_INTERNAL_NEAR_PARTS) {               \
        (here).combined = tw_internal_combined(&(here), tw_apart);                                                     \
        if (!tw_internal_last_team(&(here)))                                                                           \
            break;                                                                                                     \
        name##_tw_members(TW_INTERNAL_FINISH, &(mine), &(here));                                                       \
    }
#else
#define TW_INTERNAL_SIMT_REDUCTION(name, values)
#endif

// clang-format on

#endif
