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

/* Operations are on unsigned and real words, X(W); minimum and maximum also take signed ones, X(T, W), where W is the
   word of that size. */
#define TW_INTERNAL_NARROW_WORDS(X) X(tw_internal_uint8) X(tw_internal_uint16)
#define TW_INTERNAL_INTEGER_WORDS(X) TW_INTERNAL_NARROW_WORDS(X) X(tw_internal_uint32) X(tw_internal_uint64)
#define TW_INTERNAL_REAL_WORDS(X) X(tw_internal_float) X(tw_internal_double)
#define TW_INTERNAL_NARROW_NUMBERS(X)                                                                                  \
    X(tw_internal_int8, tw_internal_uint8)                                                                             \
    X(tw_internal_uint8, tw_internal_uint8)                                                                            \
    X(tw_internal_int16, tw_internal_uint16)                                                                           \
    X(tw_internal_uint16, tw_internal_uint16)
#define TW_INTERNAL_WIDE_NUMBERS(X)                                                                                    \
    X(tw_internal_int32, tw_internal_uint32)                                                                           \
    X(tw_internal_uint32, tw_internal_uint32)                                                                          \
    X(tw_internal_int64, tw_internal_uint64)                                                                           \
    X(tw_internal_uint64, tw_internal_uint64)
#define TW_INTERNAL_REAL_NUMBERS(X)                                                                                    \
    X(tw_internal_float, tw_internal_float)                                                                            \
    X(tw_internal_double, tw_internal_double)

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
#define TW_INTERNAL_DEFINE_SAME(T)                                                                                     \
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
#define TW_INTERNAL_DEFINE_EXTREME(op, T, W, wins)                                                                     \
    TW_INTERNAL_ROLE("writes")                                                                                         \
    TW_OVERLOADED T tw_internal_atomic_fetch_##op(T *object, T operand, tw_memory_order order, tw_memory_scope scope)  \
    {                                                                                                                  \
        const tw_memory_order failure = tw_internal_read_order(order);                                                 \
        W *const word = (W *)object;                                                                                   \
        T old = (T)tw_internal_atomic_load(word, failure, scope);                                                      \
        while (operand wins old || tw_internal_releases(order)) {                                                      \
            const T next = operand wins old ? operand : old;                                                           \
            const W seen = tw_internal_atomic_swap_if(word, (W)old, (W)next, order, failure, scope);                   \
            if (tw_internal_same_bits(seen, (W)old))                                                                   \
                break;                                                                                                 \
            old = (T)seen;                                                                                             \
        }                                                                                                              \
        return old;                                                                                                    \
    }
#define TW_INTERNAL_DEFINE_EXTREMES(T, W)                                                                              \
    TW_INTERNAL_DEFINE_EXTREME(min, T, W, <)                                                                           \
    TW_INTERNAL_DEFINE_EXTREME(max, T, W, >)

/*
 * The halves define, overloaded for each word T, what is done where others may access the object:
 *     T    tw_internal_atomic_load(T *, order, scope)
 *     void tw_internal_atomic_store(T *, T, order, scope)
 *     T    tw_internal_atomic_exchange(T *, T, order, scope)
 *     T    tw_internal_atomic_swap_if(T *, T expected, T desired, success, failure, scope), a compare-exchange
 *     T    tw_internal_atomic_fetch_OP(T *, T, order, scope), for min and max of signed words too
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

#define TW_INTERNAL_CHECK(order, scope)                                                                                \
    TW_INTERNAL_REFUSE((unsigned)(order) > TW_ORDER_SEQ_CST, "this is not a tw_memory_order")                          \
    TW_INTERNAL_REFUSE((unsigned)(scope) > TW_SCOPE_SYSTEM, "this is not a tw_memory_scope")
#define TW_INTERNAL_CHECK_OBJECT(kind)                                                                                 \
    TW_INTERNAL_REFUSE((kind) == TW_INTERNAL_NO_OBJECT,                                                                \
                       "atomic operations are for integers of 8 to 64 bits, bool, float, double and pointers")

/* How an operation is done: its order and scope in one number, checked once for all words. */
TW_DEVICE_INLINE unsigned tw_internal_how(tw_memory_order order, tw_memory_scope scope)
{
    return (unsigned)order | (unsigned)scope << 8;
}
TW_DEVICE_INLINE tw_memory_order tw_internal_order(unsigned how)
{
    return (tw_memory_order)(how & 255);
}
TW_DEVICE_INLINE tw_memory_scope tw_internal_scope(unsigned how)
{
    return (tw_memory_scope)(how >> 8 & 255);
}

#define TW_INTERNAL_DEFINE_HOW(what, ...)                                                                              \
    TW_INTERNAL_ROLE_WITH("scope", 1)                                                                                  \
    TW_DEVICE_INLINE unsigned tw_internal_how_##what(tw_memory_order order, tw_memory_scope scope, unsigned kind)      \
        TW_INTERNAL_CHECK_OBJECT(kind) TW_INTERNAL_CHECK(order, scope) __VA_ARGS__                                     \
    {                                                                                                                  \
        (void)kind;                                                                                                    \
        return tw_internal_how(order, scope);                                                                          \
    }
TW_INTERNAL_DEFINE_HOW(load,
                       TW_INTERNAL_REFUSE((order) == TW_ORDER_RELEASE || (order) == TW_ORDER_ACQ_REL,
                                          "an atomic load writes nothing to release: its order is relaxed, acquire or "
                                          "seq_cst"))
TW_INTERNAL_DEFINE_HOW(store,
                       TW_INTERNAL_REFUSE((order) == TW_ORDER_ACQUIRE || (order) == TW_ORDER_ACQ_REL,
                                          "an atomic store reads nothing to acquire: its order is relaxed, release or "
                                          "seq_cst"))
TW_INTERNAL_DEFINE_HOW(exchange, )
TW_INTERNAL_DEFINE_HOW(sum, TW_INTERNAL_REFUSE((kind) == TW_INTERNAL_BOOL,
                                               "atomic add and sub are for integers, float, double and pointers; bool "
                                               "has and, or and xor"))
TW_INTERNAL_DEFINE_HOW(extreme, TW_INTERNAL_REFUSE(!((kind) & (TW_INTERNAL_INTEGER | TW_INTERNAL_REAL)),
                                                   "atomic min and max are for integers, float and double"))
TW_INTERNAL_DEFINE_HOW(bits, TW_INTERNAL_REFUSE(!((kind) & (TW_INTERNAL_INTEGER | TW_INTERNAL_BOOL)),
                                                "atomic and, or and xor are for integers and bool"))

/* Of a compare-exchange, with the order of a failure above the scope. same_type: what is expected has the object's
   type. */
TW_INTERNAL_ROLE_WITH("scope", 2)
TW_DEVICE_INLINE unsigned
tw_internal_how_swap_if(tw_memory_order success, tw_memory_order failure, tw_memory_scope scope, unsigned kind,
                        bool same_type) TW_INTERNAL_CHECK_OBJECT(kind) TW_INTERNAL_CHECK(success, scope)
    TW_INTERNAL_REFUSE(!same_type,
                       "a compare-exchange takes the address of a variable of the object's own type, with the expected "
                       "value")
        TW_INTERNAL_REFUSE((failure) == TW_ORDER_RELEASE || (failure) == TW_ORDER_ACQ_REL,
                           "a failed compare-exchange writes nothing to release: its order is relaxed, acquire or "
                           "seq_cst")
            TW_INTERNAL_REFUSE((unsigned)(failure) > TW_ORDER_SEQ_CST, "this is not a tw_memory_order")
                TW_INTERNAL_REFUSE(((failure) == TW_ORDER_ACQUIRE && (success) == TW_ORDER_RELAXED)
                                       || ((failure) == TW_ORDER_SEQ_CST && (success) != TW_ORDER_SEQ_CST),
                                   "the failure order of a compare-exchange is stronger than its success order")
{
    (void)kind, (void)same_type;
    return tw_internal_how(success, scope) | (unsigned)failure << 16;
}

/* ---- the operations on words ------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DEFINE_LOAD(T)                                                                                     \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_OVERLOADED T tw_internal_scoped_load(const volatile T *object, unsigned how)                                    \
    {                                                                                                                  \
        if (tw_internal_contended(tw_internal_scope(how)))                                                             \
            return tw_internal_atomic_load((T *)object, tw_internal_order(how), tw_internal_scope(how));               \
        const T value = *(T *)object;                                                                                  \
        tw_internal_compiler_fence(tw_internal_order(how));                                                            \
        return value;                                                                                                  \
    }

#define TW_INTERNAL_DEFINE_STORE(T)                                                                                    \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_INTERNAL_ROLE("writes") TW_OVERLOADED void tw_internal_scoped_store(volatile T *object, T value, unsigned how)  \
    {                                                                                                                  \
        if (tw_internal_contended(tw_internal_scope(how))) {                                                           \
            tw_internal_atomic_store((T *)object, value, tw_internal_order(how), tw_internal_scope(how));              \
        } else {                                                                                                       \
            tw_internal_compiler_fence(tw_internal_order(how));                                                        \
            *(T *)object = value;                                                                                      \
        }                                                                                                              \
    }

/* For `what`, a read-modify-write; `plain` makes an ordinary one of *to, old and operand. */
#define TW_INTERNAL_DEFINE_MODIFY(what, T, plain)                                                                      \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_INTERNAL_ROLE("writes") TW_OVERLOADED T tw_internal_scoped_##what(volatile T *object, T operand, unsigned how)  \
    {                                                                                                                  \
        if (tw_internal_contended(tw_internal_scope(how)))                                                             \
            return tw_internal_atomic_##what((T *)object, operand, tw_internal_order(how), tw_internal_scope(how));    \
        tw_internal_compiler_fence(tw_internal_order(how));                                                            \
        T *const to = (T *)object;                                                                                     \
        const T old = *to;                                                                                             \
        plain;                                                                                                         \
        tw_internal_compiler_fence(tw_internal_order(how));                                                            \
        return old;                                                                                                    \
    }

/*
 * Compare-exchange, which returns what it found. Not a function with an out-parameter: clang 19's openmp-opt runs
 * before these functions are inlined, and takes a variable that such a function, with atomics in it, changes for
 * unchanged in the next turn of a loop.
 */
#define TW_INTERNAL_DEFINE_SWAP_IF(T)                                                                                  \
    TW_INTERNAL_ROLE("sharing")                                                                                        \
    TW_OVERLOADED T tw_internal_scoped_swap_if(volatile T *object, T expected, T desired, unsigned how)                \
    {                                                                                                                  \
        const tw_memory_order success = tw_internal_order(how), failure = tw_internal_order(how >> 16);                \
        if (tw_internal_contended(tw_internal_scope(how)))                                                             \
            return tw_internal_atomic_swap_if((T *)object, expected, desired, success, failure,                        \
                                              tw_internal_scope(how));                                                 \
        tw_internal_compiler_fence(success);                                                                           \
        const T old = *(T *)object;                                                                                    \
        if (tw_internal_same_bits(old, expected))                                                                      \
            *(T *)object = desired;                                                                                    \
        tw_internal_compiler_fence(success);                                                                           \
        return old;                                                                                                    \
    }

#define TW_INTERNAL_DEFINE_WORD(T)                                                                                     \
    TW_INTERNAL_DEFINE_LOAD(T)                                                                                         \
    TW_INTERNAL_DEFINE_STORE(T)                                                                                        \
    TW_INTERNAL_DEFINE_MODIFY(exchange, T, *to = operand)                                                              \
    TW_INTERNAL_DEFINE_SWAP_IF(T)                                                                                      \
    TW_INTERNAL_DEFINE_MODIFY(fetch_add, T, *to = (T)(old + operand))                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_sub, T, *to = (T)(old - operand))
#define TW_INTERNAL_DEFINE_BITWISE(T)                                                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_and, T, *to = (T)(old & operand))                                                  \
    TW_INTERNAL_DEFINE_MODIFY(fetch_or, T, *to = (T)(old | operand))                                                   \
    TW_INTERNAL_DEFINE_MODIFY(fetch_xor, T, *to = (T)(old ^ operand))
#define TW_INTERNAL_DEFINE_NUMBER(T, W)                                                                                \
    TW_INTERNAL_DEFINE_MODIFY(fetch_min, T, if (operand < old) *to = operand)                                          \
    TW_INTERNAL_DEFINE_MODIFY(fetch_max, T, if (operand > old) *to = operand)

TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_WORD)
TW_INTERNAL_REAL_WORDS(TW_INTERNAL_DEFINE_WORD)
TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_BITWISE)
TW_INTERNAL_NARROW_NUMBERS(TW_INTERNAL_DEFINE_NUMBER)
TW_INTERNAL_WIDE_NUMBERS(TW_INTERNAL_DEFINE_NUMBER)
TW_INTERNAL_REAL_NUMBERS(TW_INTERNAL_DEFINE_NUMBER)

#pragma clang diagnostic pop

#endif
