/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers reductions with an operation of the program (<teamwork/reduction.h>): what reduction.h does for the types that
 * tw_operation is for, with functions that are made for each operation.
 *
 * Values of any size lie in the slots of the parts as others do, in as many columns of 8 bytes as they need, side by
 * side. Each has a lock behind it: where threads share what their part has (teams), there are no atomic operations on
 * structs.
 */
#ifndef TEAMWORK_LOWER_REDUCTION_OWN_H
#define TEAMWORK_LOWER_REDUCTION_OWN_H

#include <teamwork/lower/group/reduction.h>

/* The bytes of a value, in words, and with its lock. */
#define TW_INTERNAL_OWN_BYTES(type) ((sizeof(type) + 7) / 8 * 8)
#define TW_INTERNAL_OWN_STRIDE(type) (TW_INTERNAL_OWN_BYTES(type) + 8)

TW_DEVICE_INLINE unsigned char *tw_internal_own_slot(const struct tw_internal_reducing *here, size_t column,
                                                     size_t part, size_t stride)
{
    return (unsigned char *)tw_internal_slot(here, column, 0) + part * stride;
}

// clang-format off
#ifdef TW_INTERNAL_PASS_TEAMS
/* Takes the lock, or not: threads of a sub-group that wait for one of them must let it go on. */
TW_DEVICE_INLINE bool tw_internal_take_lock(void *lock)
{
    return tw_internal_atomic_swap_if((tw_internal_uint32 *)lock, 0u, 1u, TW_ORDER_ACQUIRE, TW_ORDER_RELAXED,
                                      TW_SCOPE_DEVICE) == 0u;
}
#define TW_INTERNAL_DEFINE_OWN_ADD(name, type, function)                                                               \
    TW_DEVICE_INLINE void name##_tw_add(unsigned char *slot, type x)                                                   \
    {                                                                                                                  \
        unsigned char *const lock = slot + TW_INTERNAL_OWN_BYTES(type);                                                \
        for (bool done = false; !done;) {                                                                              \
            if (!tw_internal_take_lock(lock))                                                                          \
                continue;                                                                                              \
            *(type *)(void *)slot = function(*(type *)(void *)slot, x);                                                \
            tw_internal_atomic_store((tw_internal_uint32 *)(void *)lock, 0u, TW_ORDER_RELEASE, TW_SCOPE_DEVICE);       \
            done = true;                                                                                               \
        }                                                                                                              \
    }
#define TW_INTERNAL_IF_SHARED_OWN(name, target, x)                                                                     \
    if ((target)->shared) {                                                                                            \
        name##_tw_add((unsigned char *)(target)->to, x);                                                               \
        return;                                                                                                        \
    }
#else
#define TW_INTERNAL_DEFINE_OWN_ADD(name, type, function)                                                               \
    TW_DEVICE_INLINE void name##_tw_add(unsigned char *slot, type x)                                                   \
    {                                                                                                                  \
        *(type *)(void *)slot = function(*(type *)(void *)slot, x);                                                    \
    }
#define TW_INTERNAL_IF_SHARED_OWN(name, target, x)
#endif

#ifdef TW_INTERNAL_PASS_SIMT
/* Reads a part of another team, past this multiprocessor's cache. */
TW_DEVICE_INLINE void tw_internal_load_own(void *to, const unsigned char *slot, size_t bytes)
{
    TW_INTERNAL_PRAGMA(clang loop unroll(full))
    for (size_t at = 0; at < bytes; at += 8) {
        const uint64_t word = *(const volatile uint64_t *)(const volatile void *)(slot + at);
        __builtin_memcpy((unsigned char *)to + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}

/* A part is a team; the last team finishes. tw_team(): what all of the team have, right in thread 0. */
#define TW_INTERNAL_DEFINE_OWN_ENDS(name, type, function)                                                              \
    TW_LANGUAGE_INLINE type *name##_tw_scratch(void)                                                                   \
    {                                                                                                                  \
        TW_INTERNAL_SCRATCH(type)                                                                                      \
        return (type *)tw_internal_own_address(scratch);                                                               \
    }                                                                                                                  \
    TW_DEVICE_INLINE type name##_tw_team(const struct tw_internal_reducing *here, type x)                              \
    {                                                                                                                  \
        const tw_sub_group sub_group = tw_internal_sub_group(here->thread, here->threads);                             \
        type *const parts = name##_tw_scratch();                                                                       \
        for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2) {                                              \
            type other;                                                                                                \
            tw_internal_shuffle_value(sub_group, &other, &x, sizeof x, TW_INTERNAL_AFTER, delta);                                           \
            if (sub_group.tw_lane_ + delta < sub_group.tw_size_)                                                       \
                x = function(x, other);                                                                                \
        }                                                                                                              \
        if (sub_group.tw_lane_ == 0)                                                                                   \
            parts[sub_group.tw_id_] = x;                                                                               \
        tw_internal_barrier();                                                                                         \
        for (unsigned i = 1; here->thread == 0 && i < sub_group.tw_count_; ++i)                                        \
            x = function(x, parts[i]);                                                                                 \
        tw_internal_barrier();                                                                                         \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_DEVICE_INLINE void name##_tw_leave(type x, size_t column, const struct tw_internal_reducing *here)              \
    {                                                                                                                  \
        x = name##_tw_team(here, x);                                                                                   \
        if (here->thread == 0)                                                                                         \
            *(type *)(void *)tw_internal_own_slot(here, column, here->part, TW_INTERNAL_OWN_STRIDE(type)) = x;         \
    }                                                                                                                  \
    TW_DEVICE_INLINE void name##_tw_finish(type *target, bool keep, size_t column,                                     \
                                           const struct tw_internal_reducing *here)                                    \
    {                                                                                                                  \
        const struct tw_internal_slots from = here->combined;                                                          \
        unsigned char *const slots = tw_internal_own_slot(here, column, from.first, TW_INTERNAL_OWN_STRIDE(type));     \
        type all = name##_tw_neutral(), next;                                                                          \
        TW_INTERNAL_PRAGMA(clang loop unroll(disable))                                                                 \
        for (unsigned i = here->thread; i < from.count; i += here->threads) {                                          \
            tw_internal_load_own(&next, slots + (size_t)i * from.apart * TW_INTERNAL_OWN_STRIDE(type), sizeof next);   \
            all = function(all, next);                                                                                 \
        }                                                                                                              \
        all = name##_tw_team(here, all);                                                                               \
        if (here->thread)                                                                                              \
            return;                                                                                                    \
        if (from.all)                                                                                                  \
            *target = keep ? function(*target, all) : all;                                                             \
        else                                                                                                           \
            *(type *)(void *)slots = all;                                                                              \
    }
TW_LANGUAGE_INLINE void *tw_internal_own_address(void *scratch) /* not of a variable of the function, as it looks */
{
    return scratch;
}
#else
/* A part is a loop of one thread, and the host finishes. */
#define TW_INTERNAL_DEFINE_OWN_ENDS(name, type, function)                                                              \
    TW_DEVICE_INLINE void name##_tw_leave(type x, size_t column, const struct tw_internal_reducing *here)              \
    {                                                                                                                  \
        *(type *)(void *)tw_internal_own_slot(here, column, here->part, TW_INTERNAL_OWN_STRIDE(type)) = x;             \
    }                                                                                                                  \
    TW_DEVICE_INLINE void name##_tw_finish(type *target, bool keep, size_t column,                                     \
                                           const struct tw_internal_reducing *here)                                    \
    {                                                                                                                  \
        type all = name##_tw_neutral(), old;                                                                           \
        if (keep && !here->part)                                                                                       \
            return; /* nothing to combine: the target keeps its bits */                                                \
        for (size_t i = 0; i < here->part; ++i)                                                                        \
            all = function(all, *(const type *)(const void *)tw_internal_own_slot(here, column, i,                     \
                                                                                  TW_INTERNAL_OWN_STRIDE(type)));      \
        if (keep) {                                                                                                    \
            tw_internal_move(&old, -1, target, here->device, sizeof old);                                              \
            all = function(old, all);                                                                                  \
        }                                                                                                              \
        tw_internal_move(target, here->device, &all, -1, sizeof all);                                                  \
    }
#endif

/* What a kernel's members with this operation are, and what is done with them. Expands to:

       struct least_tw_own { struct least value; };
       static struct least least_tw_neutral(void) { return (struct least){INFINITY, 0}; }
       void tw_internal_accumulate(const struct least_tw_own *, ..., struct least x, ...)  and the other overloads */
#define TW_INTERNAL_DEFINE_OWN_REDUCTION(name, type, function, ...)                                                    \
    struct name##_tw_own {                                                                                             \
        type value;                                                                                                    \
        unsigned char lock[8]; /* in slots */                                                                          \
    };                                                                                                                 \
    TW_INTERNAL_STATIC_ASSERT(TW_INTERNAL_OWN_STRIDE(type) <= 64, "values of reductions have at most 56 bytes");       \
    TW_INTERNAL_STATIC_ASSERT(__alignof__(type) <= 8, "values of reductions are aligned to 8 bytes or less");          \
    TW_DEVICE_INLINE type name##_tw_neutral(void)                                                                      \
    {                                                                                                                  \
        const type neutral = {__VA_ARGS__};                                                                            \
        return neutral;                                                                                                \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_OWN_ADD(name, type, function)                                                                   \
    TW_INTERNAL_DEFINE_OWN_ENDS(name, type, function)                                                                  \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_OVERLOADED void tw_internal_accumulate(const struct name##_tw_own *value,                                       \
                                              const struct tw_internal_target *target, type x, tw_operation op)        \
    {                                                                                                                  \
        (void)op, (void)target;                                                                                        \
        TW_INTERNAL_IF_SHARED_OWN(name, target, x)                                                                     \
        type *const to = (type *)(uintptr_t)&value->value;                                                             \
        *to = function(*to, x);                                                                                        \
    }                                                                                                                  \
    TW_OVERLOADED bool tw_internal_fits(const struct name##_tw_own *value, const struct tw_internal_target *target)    \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        return target->element_bytes == sizeof(type);                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_merge(const struct name##_tw_own *value, const struct tw_internal_target *to,       \
                                         const struct tw_internal_target *from, tw_operation op)                       \
    {                                                                                                                  \
        (void)value, (void)op;                                                                                         \
        *(type *)to->to = function(*(type *)to->to, *(const type *)from->to);                                          \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_member(enum tw_internal_stage stage, struct name##_tw_own *value,                   \
                                          struct tw_internal_target *target, tw_operation op,                          \
                                          const struct tw_internal_reducing *here, size_t column)                      \
    {                                                                                                                  \
        (void)op;                                                                                                      \
        if (stage == TW_INTERNAL_RESET || stage == TW_INTERNAL_BEGIN) {                                                \
            value->value = name##_tw_neutral();                                                                        \
            target->shared = false;                                                                                    \
        } else if (stage == TW_INTERNAL_LEAVE) {                                                                       \
            name##_tw_leave(value->value, column, here);                                                               \
        } else if (stage == TW_INTERNAL_FINISH) {                                                                      \
            name##_tw_finish((type *)target->to, target->keep, column, here);                                          \
        } else if (stage == TW_INTERNAL_OPEN) {                                                                        \
            target->to = tw_internal_own_slot(here, column, here->part, TW_INTERNAL_OWN_STRIDE(type));                 \
            target->shared = true;                                                                                     \
            *(type *)target->to = name##_tw_neutral();                                                                 \
            *(uint64_t *)(void *)((unsigned char *)target->to + TW_INTERNAL_OWN_BYTES(type)) = 0;                      \
        } else {                                                                                                       \
            name##_tw_add((unsigned char *)target->to, value->value);                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    struct name##_tw_own
// clang-format on

#endif
