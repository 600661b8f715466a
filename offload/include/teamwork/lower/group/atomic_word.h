/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic operations on words: integers of 8 to 64 bits, float and double. Included by atomic.h, whose macros treat an
 * object as the word of its size: bool as an unsigned byte, pointers as 64-bit integers.
 *
 * Words are accessed through types that may alias any other, since an object may have another type of its size.
 */
#ifndef TEAMWORK_LOWER_ATOMIC_WORD_H
#define TEAMWORK_LOWER_ATOMIC_WORD_H

#include <stdbool.h>

#include <teamwork/lower/kernel/region.h>
#include <teamwork/memory.h>

/* diagnose_if is clang's, and stands where GCC has no attributes */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"

typedef int8_t __attribute__((may_alias)) tw_internal_int8;
typedef uint8_t __attribute__((may_alias)) tw_internal_uint8;
typedef int16_t __attribute__((may_alias)) tw_internal_int16;
typedef uint16_t __attribute__((may_alias)) tw_internal_uint16;
typedef int32_t __attribute__((may_alias)) tw_internal_int32;
typedef uint32_t __attribute__((may_alias)) tw_internal_uint32;
typedef int64_t __attribute__((may_alias)) tw_internal_int64;
typedef uint64_t __attribute__((may_alias)) tw_internal_uint64;
typedef float __attribute__((may_alias)) tw_internal_float;
typedef double __attribute__((may_alias)) tw_internal_double;

/* The words: X(T, type for arithmetic that wraps). */
#define TW_INTERNAL_NARROW_WORDS(X)                                                                                    \
    X(tw_internal_int8, uint8_t)                                                                                       \
    X(tw_internal_uint8, uint8_t)                                                                                      \
    X(tw_internal_int16, uint16_t)                                                                                     \
    X(tw_internal_uint16, uint16_t)
#define TW_INTERNAL_WIDE_WORDS(X)                                                                                      \
    X(tw_internal_int32, uint32_t)                                                                                     \
    X(tw_internal_uint32, uint32_t)                                                                                    \
    X(tw_internal_int64, uint64_t)                                                                                     \
    X(tw_internal_uint64, uint64_t)
#define TW_INTERNAL_INTEGER_WORDS(X)                                                                                   \
    TW_INTERNAL_NARROW_WORDS(X)                                                                                        \
    TW_INTERNAL_WIDE_WORDS(X)
#define TW_INTERNAL_REAL_WORDS(X)                                                                                      \
    X(tw_internal_float, float)                                                                                        \
    X(tw_internal_double, double)

/* What an object is. */
enum tw_internal_kind {
    TW_INTERNAL_NO_OBJECT = 0,
    TW_INTERNAL_INTEGER = 1,
    TW_INTERNAL_BOOL = 2,
    TW_INTERNAL_REAL = 4,
    TW_INTERNAL_POINTER = 8
};

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
#define TW_INTERNAL_DEFINE_SAME_REAL(T, bits)                                                                          \
    TW_OVERLOADED bool tw_internal_same_bits(T a, T b)                                                                 \
    {                                                                                                                  \
        bits x, y;                                                                                                     \
        __builtin_memcpy(&x, &a, sizeof x);                                                                            \
        __builtin_memcpy(&y, &b, sizeof y);                                                                            \
        return x == y;                                                                                                 \
    }
TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_SAME)
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
#define TW_INTERNAL_DEFINE_EXTREMES(T, U)                                                                              \
    TW_INTERNAL_DEFINE_EXTREME(min, T, <)                                                                              \
    TW_INTERNAL_DEFINE_EXTREME(max, T, >)

/*
 * The halves define, overloaded for each word T, what is done where others may access the object:
 *     T    tw_internal_atomic_load(T *, order, scope)
 *     void tw_internal_atomic_store(T *, T, order, scope)
 *     T    tw_internal_atomic_exchange(T *, T, order, scope)
 *     T    tw_internal_atomic_swap_if(T *, T expected, T desired, success, failure, scope), a compare-exchange
 *     T    tw_internal_atomic_fetch_OP(T *, T, order, scope)
 *     void tw_internal_atomic_fence(order, scope)
 *     void tw_internal_compiler_fence(order), around an ordinary access
 */
#ifdef __NVPTX__
#include <teamwork/lower/group/atomic_nvptx.h>
#else
#include <teamwork/lower/group/atomic_builtin.h>
#endif

/* ---- what an operation may be called with ------------------------------------------------------------------------ */

#define TW_INTERNAL_REFUSE(condition, message) __attribute__((diagnose_if(condition, message, "error")))

/* What an object must be for an operation. */
#define TW_INTERNAL_FOR_ALL(kind)                                                                                      \
    TW_INTERNAL_REFUSE((kind) == TW_INTERNAL_NO_OBJECT,                                                                \
                       "atomic operations are for integers of 8 to 64 bits, bool, float, double and pointers")
#define TW_INTERNAL_FOR_SUMS(kind)                                                                                     \
    TW_INTERNAL_FOR_ALL(kind)                                                                                          \
    TW_INTERNAL_REFUSE((kind) == TW_INTERNAL_BOOL,                                                                     \
                       "atomic add and sub are for integers, float, double and pointers; bool has and, or and xor")
#define TW_INTERNAL_FOR_EXTREMES(kind)                                                                                 \
    TW_INTERNAL_FOR_ALL(kind)                                                                                          \
    TW_INTERNAL_REFUSE(!((kind) & (TW_INTERNAL_INTEGER | TW_INTERNAL_REAL)),                                           \
                       "atomic min and max are for integers, float and double")
#define TW_INTERNAL_FOR_BITS(kind)                                                                                     \
    TW_INTERNAL_FOR_ALL(kind)                                                                                          \
    TW_INTERNAL_REFUSE(!((kind) & (TW_INTERNAL_INTEGER | TW_INTERNAL_BOOL)),                                           \
                       "atomic and, or and xor are for integers and bool")

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

/* ---- the operations on words ------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DEFINE_LOAD(T, U)                                                                                  \
    TW_OVERLOADED T tw_internal_load(const volatile T *object, tw_memory_order order, tw_memory_scope scope,           \
                                     unsigned kind) TW_INTERNAL_FOR_ALL(kind) TW_INTERNAL_CHECK(order, scope)          \
        TW_INTERNAL_CHECK_LOAD(order)                                                                                  \
    {                                                                                                                  \
        (void)kind;                                                                                                    \
        if (tw_internal_contended(scope))                                                                              \
            return tw_internal_atomic_load((T *)object, order, scope);                                                 \
        const T value = *(T *)object;                                                                                  \
        tw_internal_compiler_fence(order);                                                                             \
        return value;                                                                                                  \
    }

#define TW_INTERNAL_DEFINE_STORE(T, U)                                                                                 \
    TW_OVERLOADED void tw_internal_store(volatile T *object, T value, tw_memory_order order, tw_memory_scope scope,    \
                                         unsigned kind) TW_INTERNAL_FOR_ALL(kind) TW_INTERNAL_CHECK(order, scope)      \
        TW_INTERNAL_CHECK_STORE(order)                                                                                 \
    {                                                                                                                  \
        (void)kind;                                                                                                    \
        if (tw_internal_contended(scope)) {                                                                            \
            tw_internal_atomic_store((T *)object, value, order, scope);                                                \
        } else {                                                                                                       \
            tw_internal_compiler_fence(order);                                                                         \
            *(T *)object = value;                                                                                      \
        }                                                                                                              \
    }

/* For `what`, a read-modify-write FOR some kinds of objects; PLAIN(T, U, object, old, operand) is the ordinary one. */
#define TW_INTERNAL_DEFINE_MODIFY(what, FOR, T, U, PLAIN)                                                              \
    TW_OVERLOADED T tw_internal_##what(volatile T *object, T operand, tw_memory_order order, tw_memory_scope scope,    \
                                       unsigned kind) FOR(kind) TW_INTERNAL_CHECK(order, scope)                        \
    {                                                                                                                  \
        (void)kind;                                                                                                    \
        if (tw_internal_contended(scope))                                                                              \
            return tw_internal_atomic_##what((T *)object, operand, order, scope);                                      \
        tw_internal_compiler_fence(order);                                                                             \
        const T old = *(T *)object;                                                                                    \
        PLAIN(T, U, (T *)object, old, operand);                                                                        \
        tw_internal_compiler_fence(order);                                                                             \
        return old;                                                                                                    \
    }

#define TW_INTERNAL_PLAIN_EXCHANGE(T, U, object, old, operand) *(object) = (operand)
#define TW_INTERNAL_PLAIN_ADD(T, U, object, old, operand) *(object) = (T)((U)(old) + (U)(operand))
#define TW_INTERNAL_PLAIN_SUB(T, U, object, old, operand) *(object) = (T)((U)(old) - (U)(operand))
#define TW_INTERNAL_PLAIN_AND(T, U, object, old, operand) *(object) = (T)((old) & (operand))
#define TW_INTERNAL_PLAIN_OR(T, U, object, old, operand) *(object) = (T)((old) | (operand))
#define TW_INTERNAL_PLAIN_XOR(T, U, object, old, operand) *(object) = (T)((old) ^ (operand))
#define TW_INTERNAL_PLAIN_MIN(T, U, object, old, operand)                                                              \
    if ((operand) < (old))                                                                                             \
    *(object) = (operand)
#define TW_INTERNAL_PLAIN_MAX(T, U, object, old, operand)                                                              \
    if ((operand) > (old))                                                                                             \
    *(object) = (operand)

/*
 * Compare-exchange, which returns what it found. Not a function with an out-parameter: clang 19's openmp-opt runs
 * before these functions are inlined, and takes a variable that such a function, with atomics in it, changes for
 * unchanged in the next turn of a loop. same_type: whether what is expected has the object's type.
 */
#define TW_INTERNAL_DEFINE_SWAP_IF(T, U)                                                                               \
    TW_OVERLOADED T tw_internal_swap_if(volatile T *object, T expected, T desired, tw_memory_order success,            \
                                        tw_memory_order failure, tw_memory_scope scope, unsigned kind, bool same_type) \
        TW_INTERNAL_FOR_ALL(kind)                                                                                      \
            TW_INTERNAL_REFUSE(!same_type,                                                                             \
                               "a compare-exchange takes the address of a variable of the object's own type, with "    \
                               "the expected value") TW_INTERNAL_CHECK(success, scope)                                 \
                TW_INTERNAL_CHECK_FAILURE(success, failure)                                                            \
    {                                                                                                                  \
        (void)kind;                                                                                                    \
        (void)same_type;                                                                                               \
        if (tw_internal_contended(scope))                                                                              \
            return tw_internal_atomic_swap_if((T *)object, expected, desired, success, failure, scope);                \
        tw_internal_compiler_fence(success);                                                                           \
        const T old = *(T *)object;                                                                                    \
        if (tw_internal_same_bits(old, expected))                                                                      \
            *(T *)object = desired;                                                                                    \
        tw_internal_compiler_fence(success);                                                                           \
        return old;                                                                                                    \
    }

#define TW_INTERNAL_DEFINE_WORD(T, U)                                                                                  \
    TW_INTERNAL_DEFINE_LOAD(T, U)                                                                                      \
    TW_INTERNAL_DEFINE_STORE(T, U)                                                                                     \
    TW_INTERNAL_DEFINE_MODIFY(exchange, TW_INTERNAL_FOR_ALL, T, U, TW_INTERNAL_PLAIN_EXCHANGE)                         \
    TW_INTERNAL_DEFINE_SWAP_IF(T, U)                                                                                   \
    TW_INTERNAL_DEFINE_MODIFY(fetch_add, TW_INTERNAL_FOR_SUMS, T, U, TW_INTERNAL_PLAIN_ADD)                            \
    TW_INTERNAL_DEFINE_MODIFY(fetch_sub, TW_INTERNAL_FOR_SUMS, T, U, TW_INTERNAL_PLAIN_SUB)                            \
    TW_INTERNAL_DEFINE_MODIFY(fetch_min, TW_INTERNAL_FOR_EXTREMES, T, U, TW_INTERNAL_PLAIN_MIN)                        \
    TW_INTERNAL_DEFINE_MODIFY(fetch_max, TW_INTERNAL_FOR_EXTREMES, T, U, TW_INTERNAL_PLAIN_MAX)
#define TW_INTERNAL_DEFINE_BITWISE(T, U)                                                                               \
    TW_INTERNAL_DEFINE_MODIFY(fetch_and, TW_INTERNAL_FOR_BITS, T, U, TW_INTERNAL_PLAIN_AND)                            \
    TW_INTERNAL_DEFINE_MODIFY(fetch_or, TW_INTERNAL_FOR_BITS, T, U, TW_INTERNAL_PLAIN_OR)                              \
    TW_INTERNAL_DEFINE_MODIFY(fetch_xor, TW_INTERNAL_FOR_BITS, T, U, TW_INTERNAL_PLAIN_XOR)

TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_WORD)
TW_INTERNAL_REAL_WORDS(TW_INTERNAL_DEFINE_WORD)
TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_BITWISE)

#pragma clang diagnostic pop

#endif
