/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic operations on ordinary objects, and fences (spec 3.4, Tables 3.2 and 3.3; orders, scopes, further types and
 * fences as in later revisions). For kernels of every form and for host code.
 *
 *     T    tw_atomic_load(const T *object [, order, scope])
 *     void tw_atomic_store(T *object, T value [, order, scope])
 *     T    tw_atomic_exchange(T *object, T value [, order, scope])
 *     bool tw_atomic_compare_exchange_strong(T *object, T *expected, T desired [, success, failure, scope])
 *     bool tw_atomic_compare_exchange_weak(T *object, T *expected, T desired [, success, failure, scope])
 *     T    tw_atomic_fetch_OP(T *object, T operand [, order, scope])    OP: add, sub, min, max, and, or, xor
 *     void tw_atomic_fence(order, scope)
 *
 * T is int, long, long long, their unsigned types, float, double or void *; `object` may point to volatile. There is
 * no and, or, xor for float and double, and no fetch_OP for void *. Objects of other pointer types are reached by a
 * cast to (void **).
 *
 * Without order and scope an operation is relaxed, at device scope. For counters in local memory give
 * (TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP): where one thread runs a whole group, as on the host, that is an ordinary
 * addition, and many times faster.
 *
 * fetch_OP and exchange return the old value. Integers wrap. min and max of float and double replace the object only if
 * the operand compares less, or greater: a NaN neither replaces nor is replaced. A compare-exchange compares bits, so
 * -0.0 differs from 0.0, and a NaN equals itself; it returns true if it stored `desired`, else it leaves the actual
 * value in *expected. The weak form may fail although the values are equal, for use in loops; on today's devices it
 * does not. Both are macros that evaluate each argument once.
 *
 * Orders: a load is relaxed, acquire or seq_cst; a store relaxed, release or seq_cst; the failure order of a
 * compare-exchange is that of a load, and not stronger than `success`. Anything else that is constant is an error at
 * the line of the call; what is not constant is strengthened to an order that exists. Orders and scopes should be
 * constants: others are told apart at run time.
 *
 * The scope is a promise that only work-items of that scope access the object at the time, which counts for relaxed
 * operations too. Objects are aligned to their size. While an object is accessed atomically it must not be
 * accessed in any other way. NVIDIA GPUs need sm_70 or later.
 *
 * A work-item must not wait for what another one has yet to do, but for groups that run at the same time: see
 * docs/memory_model.md.
 */
#ifndef TEAMWORK_LOWER_ATOMIC_H
#define TEAMWORK_LOWER_ATOMIC_H

#include <stdbool.h>

#include <teamwork/lower/region.h>
#include <teamwork/memory.h>

/* diagnose_if is clang's, and stands where GCC has no attributes */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"

/* The types: X(T, type for arithmetic that wraps). */
#define TW_INTERNAL_ATOMIC_INTEGERS(X)                                                                                 \
    X(int, unsigned)                                                                                                   \
    X(unsigned, unsigned)                                                                                              \
    X(long, unsigned long)                                                                                             \
    X(unsigned long, unsigned long)                                                                                    \
    X(long long, unsigned long long)                                                                                   \
    X(unsigned long long, unsigned long long)
#define TW_INTERNAL_ATOMIC_REALS(X)                                                                                    \
    X(float, float)                                                                                                    \
    X(double, double)
#define TW_INTERNAL_ATOMIC_POINTERS(X) X(tw_internal_pointer, tw_internal_pointer)
typedef void *tw_internal_pointer;

/* Whether other threads may access an object of that scope. Where one thread runs a whole group, there are none up to
   the group's scope: operations are ordinary accesses. */
TW_DEVICE_INLINE bool tw_internal_contended(tw_memory_scope scope)
{
#ifdef TW_INTERNAL_PASS_HOST
    return scope > TW_SCOPE_WORK_GROUP;
#else
    return scope > TW_SCOPE_WORK_ITEM;
#endif
}

/* clang's atomic built-in `what`, with the scope where the target has scopes. */
#ifdef TW_INTERNAL_GPU_PASS
TW_DEVICE_INLINE int tw_internal_builtin_scope(tw_memory_scope scope)
{
    return scope <= TW_SCOPE_WORK_GROUP ? __MEMORY_SCOPE_WRKGRP
           : scope == TW_SCOPE_DEVICE   ? __MEMORY_SCOPE_DEVICE
                                        : __MEMORY_SCOPE_SYSTEM;
}
#define TW_INTERNAL_BUILTIN(what, scope, ...) __scoped_atomic_##what(__VA_ARGS__, tw_internal_builtin_scope(scope))
#else
#define TW_INTERNAL_BUILTIN(what, scope, ...) ((void)(scope), __atomic_##what(__VA_ARGS__))
#endif

/* Whether two values have the same bits. */
#define TW_INTERNAL_DEFINE_SAME(T, U)                                                                                  \
    TW_OVERLOADED bool tw_internal_same_bits(T a, T b)                                                                 \
    {                                                                                                                  \
        return a == b;                                                                                                 \
    }
#define TW_INTERNAL_DEFINE_SAME_REAL(T, word)                                                                          \
    TW_OVERLOADED bool tw_internal_same_bits(T a, T b)                                                                 \
    {                                                                                                                  \
        word x, y;                                                                                                     \
        __builtin_memcpy(&x, &a, sizeof x);                                                                            \
        __builtin_memcpy(&y, &b, sizeof y);                                                                            \
        return x == y;                                                                                                 \
    }
TW_INTERNAL_ATOMIC_INTEGERS(TW_INTERNAL_DEFINE_SAME)
TW_INTERNAL_ATOMIC_POINTERS(TW_INTERNAL_DEFINE_SAME)
TW_INTERNAL_DEFINE_SAME_REAL(float, uint32_t)
TW_INTERNAL_DEFINE_SAME_REAL(double, uint64_t)

/* The order of an operation that reads and may not write: what is left of the order of a read-modify-write. */
TW_DEVICE_INLINE tw_memory_order tw_internal_read_order(tw_memory_order order)
{
    return order == TW_ORDER_RELEASE ? TW_ORDER_RELAXED : order == TW_ORDER_ACQ_REL ? TW_ORDER_ACQUIRE : order;
}

TW_DEVICE_INLINE bool tw_internal_releases(tw_memory_order order)
{
    return order >= TW_ORDER_RELEASE;
}

/*
 * tw_internal_atomic_fetch_min and _max by compare-exchange. `wins` compares the operand with the old value. Without a
 * release in the order, nothing is written unless the operand wins; else the old value is, since who reads it later
 * must synchronize with this operation.
 */
#define TW_INTERNAL_DEFINE_EXTREME(op, T, wins)                                                                        \
    TW_OVERLOADED T tw_internal_atomic_fetch_##op(T *object, T operand, tw_memory_order order, tw_memory_scope scope)  \
    {                                                                                                                  \
        const tw_memory_order failure = tw_internal_read_order(order);                                                 \
        T old = tw_internal_atomic_load(object, failure, scope);                                                       \
        while (operand wins old || tw_internal_releases(order)) {                                                      \
            const T next = operand wins old ? operand : old;                                                           \
            const T seen = tw_internal_atomic_swap_if(object, old, next, order, failure, scope);                       \
            if (tw_internal_same_bits(seen, old))                                                                      \
                break;                                                                                                 \
            old = seen;                                                                                                \
        }                                                                                                              \
        return old;                                                                                                    \
    }

/*
 * The halves define, overloaded for T, what is done where others may access the object:
 *     T    tw_internal_atomic_load(T *, order, scope)
 *     void tw_internal_atomic_store(T *, T, order, scope)
 *     T    tw_internal_atomic_exchange(T *, T, order, scope)
 *     T    tw_internal_atomic_swap_if(T *, T expected, T desired, success, failure, scope), a compare-exchange
 *     T    tw_internal_atomic_fetch_OP(T *, T, order, scope)
 *     void tw_internal_atomic_fence(order, scope)
 *     void tw_internal_compiler_fence(order), around an ordinary access
 */
#ifdef __NVPTX__
#include <teamwork/lower/atomic_nvptx.h>
#else
#include <teamwork/lower/atomic_builtin.h>
#endif

/* ---- which orders and scopes an operation may have --------------------------------------------------------------- */

#define TW_INTERNAL_REFUSE(condition, message) __attribute__((diagnose_if(condition, message, "error")))
#define TW_INTERNAL_CHECK(order, scope)                                                                                \
    TW_INTERNAL_REFUSE((unsigned)(order) > TW_ORDER_SEQ_CST, "this is not a tw_memory_order")                          \
    TW_INTERNAL_REFUSE((unsigned)(scope) > TW_SCOPE_SYSTEM, "this is not a tw_memory_scope")
#define TW_INTERNAL_CHECK_LOAD(order)                                                                                  \
    TW_INTERNAL_REFUSE((order) == TW_ORDER_RELEASE || (order) == TW_ORDER_ACQ_REL,                                     \
                       "an atomic load writes nothing to release: its order is relaxed, acquire or seq_cst")
#define TW_INTERNAL_CHECK_STORE(order)                                                                                 \
    TW_INTERNAL_REFUSE((order) == TW_ORDER_ACQUIRE || (order) == TW_ORDER_ACQ_REL,                                     \
                       "an atomic store reads nothing to acquire: its order is relaxed, release or seq_cst")
#define TW_INTERNAL_CHECK_FAILURE(success, failure)                                                                    \
    TW_INTERNAL_REFUSE((failure) == TW_ORDER_RELEASE || (failure) == TW_ORDER_ACQ_REL,                                 \
                       "a failed compare-exchange writes nothing to release: its order is relaxed, acquire or "        \
                       "seq_cst")                                                                                      \
    TW_INTERNAL_REFUSE((unsigned)(failure) > TW_ORDER_SEQ_CST, "this is not a tw_memory_order")                        \
    TW_INTERNAL_REFUSE(((failure) == TW_ORDER_ACQUIRE && (success) == TW_ORDER_RELAXED)                                \
                           || ((failure) == TW_ORDER_SEQ_CST && (success) != TW_ORDER_SEQ_CST),                        \
                       "the failure order of a compare-exchange is stronger than its success order")

/* ---- the operations ---------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DEFINE_LOAD(T, U)                                                                                  \
    TW_OVERLOADED T tw_atomic_load(const volatile T *object, tw_memory_order order, tw_memory_scope scope)             \
        TW_INTERNAL_CHECK(order, scope) TW_INTERNAL_CHECK_LOAD(order)                                                  \
    {                                                                                                                  \
        if (tw_internal_contended(scope))                                                                              \
            return tw_internal_atomic_load((T *)object, order, scope);                                                 \
        const T value = *(T *)object;                                                                                  \
        tw_internal_compiler_fence(order);                                                                             \
        return value;                                                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED T tw_atomic_load(const volatile T *object)                                                           \
    {                                                                                                                  \
        return tw_atomic_load(object, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);                                              \
    }

#define TW_INTERNAL_DEFINE_STORE(T, U)                                                                                 \
    TW_OVERLOADED void tw_atomic_store(volatile T *object, T value, tw_memory_order order, tw_memory_scope scope)      \
        TW_INTERNAL_CHECK(order, scope) TW_INTERNAL_CHECK_STORE(order)                                                 \
    {                                                                                                                  \
        if (tw_internal_contended(scope)) {                                                                            \
            tw_internal_atomic_store((T *)object, value, order, scope);                                                \
        } else {                                                                                                       \
            tw_internal_compiler_fence(order);                                                                         \
            *(T *)object = value;                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    TW_OVERLOADED void tw_atomic_store(volatile T *object, T value)                                                    \
    {                                                                                                                  \
        tw_atomic_store(object, value, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);                                             \
    }

/* For `what`, a read-modify-write; PLAIN(T, U, object, old, operand) is the ordinary one. */
#define TW_INTERNAL_DEFINE_MODIFY(what, T, U, PLAIN)                                                                   \
    TW_OVERLOADED T tw_atomic_##what(volatile T *object, T operand, tw_memory_order order, tw_memory_scope scope)      \
        TW_INTERNAL_CHECK(order, scope)                                                                                \
    {                                                                                                                  \
        if (tw_internal_contended(scope))                                                                              \
            return tw_internal_atomic_##what((T *)object, operand, order, scope);                                      \
        tw_internal_compiler_fence(order);                                                                             \
        const T old = *(T *)object;                                                                                    \
        PLAIN(T, U, (T *)object, old, operand);                                                                        \
        tw_internal_compiler_fence(order);                                                                             \
        return old;                                                                                                    \
    }                                                                                                                  \
    TW_OVERLOADED T tw_atomic_##what(volatile T *object, T operand)                                                    \
    {                                                                                                                  \
        return tw_atomic_##what(object, operand, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);                                   \
    }

#define TW_INTERNAL_PLAIN_EXCHANGE(T, U, object, old, operand) *(object) = (operand)
#define TW_INTERNAL_PLAIN_ADD(T, U, object, old, operand) *(object) = (T)((U)(old) + (U)(operand))
#define TW_INTERNAL_PLAIN_SUB(T, U, object, old, operand) *(object) = (T)((U)(old) - (U)(operand))
#define TW_INTERNAL_PLAIN_AND(T, U, object, old, operand) *(object) = (old) & (operand)
#define TW_INTERNAL_PLAIN_OR(T, U, object, old, operand) *(object) = (old) | (operand)
#define TW_INTERNAL_PLAIN_XOR(T, U, object, old, operand) *(object) = (old) ^ (operand)
#define TW_INTERNAL_PLAIN_MIN(T, U, object, old, operand)                                                              \
    if ((operand) < (old))                                                                                             \
    *(object) = (operand)
#define TW_INTERNAL_PLAIN_MAX(T, U, object, old, operand)                                                              \
    if ((operand) > (old))                                                                                             \
    *(object) = (operand)

/*
 * Compare-exchange, which returns what it found. Not a function with an out-parameter: clang 19's openmp-opt runs
 * before these functions are inlined, and takes a variable that such a function, with atomics in it, changes for
 * unchanged in the next turn of a loop. `type` is the address of what is expected; only its type counts.
 */
#define TW_INTERNAL_DEFINE_SWAP_IF(T, U)                                                                               \
    TW_OVERLOADED T tw_internal_swap_if(volatile T *object, T *type, T expected, T desired, tw_memory_order success,   \
                                        tw_memory_order failure, tw_memory_scope scope)                                \
        TW_INTERNAL_CHECK(success, scope) TW_INTERNAL_CHECK_FAILURE(success, failure)                                  \
    {                                                                                                                  \
        (void)type;                                                                                                    \
        if (tw_internal_contended(scope))                                                                              \
            return tw_internal_atomic_swap_if((T *)object, expected, desired, success, failure, scope);                \
        tw_internal_compiler_fence(success);                                                                           \
        const T old = *(T *)object;                                                                                    \
        if (tw_internal_same_bits(old, expected))                                                                      \
            *(T *)object = desired;                                                                                    \
        tw_internal_compiler_fence(success);                                                                           \
        return old;                                                                                                    \
    }                                                                                                                  \
    TW_OVERLOADED T tw_internal_swap_if(volatile T *object, T *type, T expected, T desired)                            \
    {                                                                                                                  \
        return tw_internal_swap_if(object, type, expected, desired, TW_ORDER_RELAXED, TW_ORDER_RELAXED,                \
                                   TW_SCOPE_DEVICE);                                                                   \
    }

/* ...: desired, or desired, success, failure, scope. */
#define tw_atomic_compare_exchange_strong(object, expected, ...)                                                       \
    __extension__({                                                                                                    \
        __typeof__(&*(expected)) const tw_expected = (expected);                                                       \
        const __typeof__(*tw_expected) tw_value = *tw_expected;                                                        \
        *tw_expected = tw_internal_swap_if(object, tw_expected, tw_value, __VA_ARGS__);                                \
        tw_internal_same_bits(*tw_expected, tw_value);                                                                 \
    })
#define tw_atomic_compare_exchange_weak(object, expected, ...)                                                         \
    tw_atomic_compare_exchange_strong(object, expected, __VA_ARGS__)

#define TW_INTERNAL_DEFINE_BASIC(T, U)                                                                                 \
    TW_INTERNAL_DEFINE_LOAD(T, U)                                                                                      \
    TW_INTERNAL_DEFINE_STORE(T, U)                                                                                     \
    TW_INTERNAL_DEFINE_MODIFY(exchange, T, U, TW_INTERNAL_PLAIN_EXCHANGE)                                              \
    TW_INTERNAL_DEFINE_SWAP_IF(T, U)
#define TW_INTERNAL_DEFINE_ARITHMETIC(T, U)                                                                            \
    TW_INTERNAL_DEFINE_MODIFY(fetch_add, T, U, TW_INTERNAL_PLAIN_ADD)                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_sub, T, U, TW_INTERNAL_PLAIN_SUB)                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_min, T, U, TW_INTERNAL_PLAIN_MIN)                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_max, T, U, TW_INTERNAL_PLAIN_MAX)
#define TW_INTERNAL_DEFINE_BITWISE(T, U)                                                                               \
    TW_INTERNAL_DEFINE_MODIFY(fetch_and, T, U, TW_INTERNAL_PLAIN_AND)                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_or, T, U, TW_INTERNAL_PLAIN_OR)                                                    \
    TW_INTERNAL_DEFINE_MODIFY(fetch_xor, T, U, TW_INTERNAL_PLAIN_XOR)

TW_INTERNAL_ATOMIC_INTEGERS(TW_INTERNAL_DEFINE_BASIC)
TW_INTERNAL_ATOMIC_REALS(TW_INTERNAL_DEFINE_BASIC)
TW_INTERNAL_ATOMIC_POINTERS(TW_INTERNAL_DEFINE_BASIC)
TW_INTERNAL_ATOMIC_INTEGERS(TW_INTERNAL_DEFINE_ARITHMETIC)
TW_INTERNAL_ATOMIC_REALS(TW_INTERNAL_DEFINE_ARITHMETIC)
TW_INTERNAL_ATOMIC_INTEGERS(TW_INTERNAL_DEFINE_BITWISE)

/**
 * Orders accesses for the work-items in `scope`: with TW_ORDER_ACQUIRE, what comes after the fence after the relaxed
 * loads before it; with TW_ORDER_RELEASE, what comes before the fence before the relaxed stores after it; with the
 * stronger orders both. A relaxed fence does nothing. A barrier of the group is a fence at the group's scope.
 */
TW_DEVICE_INLINE void tw_atomic_fence(tw_memory_order order, tw_memory_scope scope) TW_INTERNAL_CHECK(order, scope)
{
    if (tw_internal_contended(scope))
        tw_internal_atomic_fence(order, scope);
    else
        tw_internal_compiler_fence(order);
}

#pragma clang diagnostic pop

#endif
