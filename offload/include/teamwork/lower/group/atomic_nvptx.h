/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic operations on NVIDIA GPUs. Included by atomic_word.h, which says what is defined here.
 *
 * clang's NVPTX backend cannot select ordered loads and stores nor fences, and drops order and scope from
 * read-modify-writes, which then are relaxed at gpu scope. So relaxed operations are the compiler's, for which it also
 * infers the address space: an addition to local memory becomes the instruction for shared memory, and one without a
 * use of its result a reduction. (clang 19 makes relaxed loads and stores volatile, which PTX defines as relaxed at
 * system scope; later ones use the scope.) All else is PTX of the PTX memory model (sm_70 on), on generic addresses:
 *
 *                 load                      store                     read-modify-write           fence
 *     relaxed     ld.volatile               st.volatile               atom.op or                  nothing
 *                                                                     atom.relaxed.sys.op
 *     acquire     ld.acquire.S                                        atom.acquire.S.op           fence.acq_rel.S
 *     release                               st.release.S              atom.release.S.op           fence.acq_rel.S
 *     acq_rel                                                         atom.acq_rel.S.op           fence.acq_rel.S
 *     seq_cst     fence.sc.S ld.acquire.S   fence.sc.S st.release.S   fence.sc.S atom.acq_rel.S   fence.sc.S
 *
 * S is cta up to work-group scope, gpu, or sys. The mapping is the one that has been proven for scoped C++ (Lustig,
 * Sahasrabuddhe, Giroux: A Formal Analysis of the NVIDIA PTX Memory Consistency Model, ASPLOS 2019).
 *
 * PTX has no such operations of 8 bits, and of 16 bits only compare-exchange. They are done on the aligned 32-bit word
 * around the object, loads and stores too: the memory model says nothing of accesses that overlap in part.
 */
#ifndef TEAMWORK_LOWER_ATOMIC_NVPTX_H
#define TEAMWORK_LOWER_ATOMIC_NVPTX_H

/* One statement `X(order, scope, ...)` for the scope, and for the order, at hand. In the end one is left. */
#define TW_INTERNAL_PTX_SCOPES(scope, X, order, ...)                                                                   \
    if ((scope) <= TW_SCOPE_WORK_GROUP)                                                                                \
        X(order, ".cta", __VA_ARGS__);                                                                                 \
    else if ((scope) == TW_SCOPE_DEVICE)                                                                               \
        X(order, ".gpu", __VA_ARGS__);                                                                                 \
    else                                                                                                               \
        X(order, ".sys", __VA_ARGS__);
#define TW_INTERNAL_PTX_ORDERS(order, scope, X, ...)                                                                   \
    if ((order) == TW_ORDER_RELAXED) {                                                                                 \
        TW_INTERNAL_PTX_SCOPES(scope, X, ".relaxed", __VA_ARGS__)                                                      \
    } else if ((order) == TW_ORDER_ACQUIRE) {                                                                          \
        TW_INTERNAL_PTX_SCOPES(scope, X, ".acquire", __VA_ARGS__)                                                      \
    } else if ((order) == TW_ORDER_RELEASE) {                                                                          \
        TW_INTERNAL_PTX_SCOPES(scope, X, ".release", __VA_ARGS__)                                                      \
    } else {                                                                                                           \
        TW_INTERNAL_PTX_SCOPES(scope, X, ".acq_rel", __VA_ARGS__)                                                      \
    }

/* r: the constraint for a register of the type. */
#define TW_INTERNAL_PTX_LOAD(order, scope, bits, r, object, value)                                                     \
    __asm__ volatile("ld" order scope bits " %0, [%1];" : "=" r(value) : "l"(object) : "memory")
#define TW_INTERNAL_PTX_STORE(order, scope, bits, r, object, value)                                                    \
    __asm__ volatile("st" order scope bits " [%0], %1;" : : "l"(object), r(value) : "memory")
#define TW_INTERNAL_PTX_MODIFY(order, scope, op, r, object, operand, old)                                              \
    __asm__ volatile("atom" order scope op " %0, [%1], %2;" : "=" r(old) : "l"(object), r(operand) : "memory")
#define TW_INTERNAL_PTX_COMPARE(order, scope, bits, r, object, expected, desired, old)                                 \
    __asm__ volatile("atom" order scope ".cas" bits " %0, [%1], %2, %3;"                                               \
                     : "=" r(old)                                                                                      \
                     : "l"(object), r(expected), r(desired)                                                            \
                     : "memory")
#define TW_INTERNAL_PTX_FENCE(order, scope, unused) __asm__ volatile("fence" order scope ";" : : : "memory")

TW_DEVICE_INLINE void tw_internal_ptx_fence_sc(tw_memory_scope scope){
    TW_INTERNAL_PTX_SCOPES(scope, TW_INTERNAL_PTX_FENCE, ".sc", )}

TW_DEVICE_INLINE void tw_internal_atomic_fence(tw_memory_order order, tw_memory_scope scope)
{
    if (order == TW_ORDER_SEQ_CST) {
        tw_internal_ptx_fence_sc(scope);
    } else if (order != TW_ORDER_RELAXED) {
        TW_INTERNAL_PTX_SCOPES(scope, TW_INTERNAL_PTX_FENCE, ".acq_rel", )
    }
}

/* A work-item sees its own accesses in order anyway. */
TW_DEVICE_INLINE void tw_internal_compiler_fence(tw_memory_order order)
{
    (void)order;
}

/* Whether the compiler's own relaxed read-modify-write, at gpu scope, is enough. */
TW_DEVICE_INLINE bool tw_internal_ptx_is_plain(tw_memory_order order, tw_memory_scope scope)
{
    return order == TW_ORDER_RELAXED && scope <= TW_SCOPE_DEVICE;
}

/* The order that has what both have: acquire and release are bits. */
TW_DEVICE_INLINE tw_memory_order tw_internal_ptx_join(tw_memory_order a, tw_memory_order b)
{
    return a == TW_ORDER_SEQ_CST || b == TW_ORDER_SEQ_CST ? TW_ORDER_SEQ_CST
                                                          : (tw_memory_order)((unsigned)a | (unsigned)b);
}

#define TW_INTERNAL_DEFINE_PTX_BASIC(T, bits, r)                                                                       \
    TW_OVERLOADED T tw_internal_atomic_load(T *object, tw_memory_order order, tw_memory_scope scope)                   \
    {                                                                                                                  \
        T value;                                                                                                       \
        if (order == TW_ORDER_RELAXED) {                                                                               \
            TW_INTERNAL_BUILTIN(load, scope, object, &value, __ATOMIC_RELAXED);                                        \
            return value;                                                                                              \
        }                                                                                                              \
        if (order == TW_ORDER_SEQ_CST)                                                                                 \
            tw_internal_ptx_fence_sc(scope);                                                                           \
        TW_INTERNAL_PTX_SCOPES(scope, TW_INTERNAL_PTX_LOAD, ".acquire", bits, r, object, value)                        \
        return value;                                                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED void tw_internal_atomic_store(T *object, T value, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        if (order == TW_ORDER_RELAXED) {                                                                               \
            TW_INTERNAL_BUILTIN(store, scope, object, &value, __ATOMIC_RELAXED);                                       \
            return;                                                                                                    \
        }                                                                                                              \
        if (order == TW_ORDER_SEQ_CST)                                                                                 \
            tw_internal_ptx_fence_sc(scope);                                                                           \
        TW_INTERNAL_PTX_SCOPES(scope, TW_INTERNAL_PTX_STORE, ".release", bits, r, object, value)                       \
    }                                                                                                                  \
    TW_OVERLOADED T tw_internal_atomic_exchange(T *object, T operand, tw_memory_order order, tw_memory_scope scope)    \
    {                                                                                                                  \
        T old;                                                                                                         \
        if (tw_internal_ptx_is_plain(order, scope)) {                                                                  \
            TW_INTERNAL_BUILTIN(exchange, scope, object, &operand, &old, __ATOMIC_RELAXED);                            \
            return old;                                                                                                \
        }                                                                                                              \
        if (order == TW_ORDER_SEQ_CST)                                                                                 \
            tw_internal_ptx_fence_sc(scope);                                                                           \
        TW_INTERNAL_PTX_ORDERS(order, scope, TW_INTERNAL_PTX_MODIFY, ".exch" bits, r, object, operand, old)            \
        return old;                                                                                                    \
    }                                                                                                                  \
    TW_OVERLOADED T tw_internal_atomic_swap_if(T *object, T expected, T desired, tw_memory_order success,              \
                                               tw_memory_order failure, tw_memory_scope scope)                         \
    {                                                                                                                  \
        const tw_memory_order order = tw_internal_ptx_join(success, failure);                                          \
        if (tw_internal_ptx_is_plain(order, scope)) {                                                                  \
            TW_INTERNAL_BUILTIN(compare_exchange, scope, object, &expected, &desired, false, __ATOMIC_RELAXED,         \
                                __ATOMIC_RELAXED);                                                                     \
            return expected;                                                                                           \
        }                                                                                                              \
        if (order == TW_ORDER_SEQ_CST)                                                                                 \
            tw_internal_ptx_fence_sc(scope);                                                                           \
        T old;                                                                                                         \
        TW_INTERNAL_PTX_ORDERS(order, scope, TW_INTERNAL_PTX_COMPARE, bits, r, object, expected, desired, old)         \
        return old;                                                                                                    \
    }

/* The compiler's and PTX's name of a read-modify-write. */
#define TW_INTERNAL_DEFINE_PTX(what, op, T, r)                                                                         \
    TW_OVERLOADED T tw_internal_atomic_##what(T *object, T operand, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        if (tw_internal_ptx_is_plain(order, scope))                                                                    \
            return TW_INTERNAL_BUILTIN(what, scope, object, operand, __ATOMIC_RELAXED);                                \
        T old;                                                                                                         \
        if (order == TW_ORDER_SEQ_CST)                                                                                 \
            tw_internal_ptx_fence_sc(scope);                                                                           \
        TW_INTERNAL_PTX_ORDERS(order, scope, TW_INTERNAL_PTX_MODIFY, op, r, object, operand, old)                      \
        return old;                                                                                                    \
    }

/* PTX has no subtraction. */
#define TW_INTERNAL_DEFINE_PTX_SUM(T, type, r)                                                                         \
    TW_INTERNAL_DEFINE_PTX(fetch_add, ".add." type, T, r)                                                              \
    TW_OVERLOADED T tw_internal_atomic_fetch_sub(T *object, T operand, tw_memory_order order, tw_memory_scope scope)   \
    {                                                                                                                  \
        return tw_internal_atomic_fetch_add(object, -operand, order, scope);                                           \
    }

#define TW_INTERNAL_DEFINE_PTX_NUMBER(T, type, r)                                                                      \
    TW_INTERNAL_DEFINE_PTX(fetch_min, ".min." type, T, r)                                                              \
    TW_INTERNAL_DEFINE_PTX(fetch_max, ".max." type, T, r)
#define TW_INTERNAL_DEFINE_PTX_INTEGER(T, width, r)                                                                    \
    TW_INTERNAL_DEFINE_PTX_BASIC(T, ".b" width, r)                                                                     \
    TW_INTERNAL_DEFINE_PTX_SUM(T, "u" width, r)                                                                        \
    TW_INTERNAL_DEFINE_PTX(fetch_and, ".and.b" width, T, r)                                                            \
    TW_INTERNAL_DEFINE_PTX(fetch_or, ".or.b" width, T, r)                                                              \
    TW_INTERNAL_DEFINE_PTX(fetch_xor, ".xor.b" width, T, r)                                                            \
    TW_INTERNAL_DEFINE_PTX_NUMBER(T, "u" width, r)
#define TW_INTERNAL_DEFINE_PTX_REAL(T, width, r)                                                                       \
    TW_INTERNAL_DEFINE_PTX_BASIC(T, ".b" width, r)                                                                     \
    TW_INTERNAL_DEFINE_PTX_SUM(T, "f" width, r)                                                                        \
    TW_INTERNAL_DEFINE_EXTREMES(T, T)

TW_INTERNAL_DEFINE_PTX_INTEGER(tw_internal_uint32, "32", "r")
TW_INTERNAL_DEFINE_PTX_INTEGER(tw_internal_uint64, "64", "l")
TW_INTERNAL_DEFINE_PTX_NUMBER(tw_internal_int32, "s32", "r")
TW_INTERNAL_DEFINE_PTX_NUMBER(tw_internal_int64, "s64", "l")
TW_INTERNAL_DEFINE_PTX_REAL(tw_internal_float, "32", "f")
TW_INTERNAL_DEFINE_PTX_REAL(tw_internal_double, "64", "d")

/* ---- 8 and 16 bits: a part of the aligned 32-bit word around them ------------------------------------------------ */

/* Not (tw_internal_uint32 *)(address & ~3): of a sum the compiler still knows the address space. */
#define TW_INTERNAL_AROUND(object) ((tw_internal_uint32 *)(void *)((char *)(object) - ((uintptr_t)(object) & 3)))
#define TW_INTERNAL_SHIFT(object) ((unsigned)((uintptr_t)(object) & 3) * 8)

#define TW_INTERNAL_DEFINE_PART(T)                                                                                     \
    TW_OVERLOADED tw_internal_uint32 tw_internal_with_part(const T *object, tw_internal_uint32 word, T part)           \
    {                                                                                                                  \
        const unsigned shift = TW_INTERNAL_SHIFT(object);                                                              \
        return (word & ~((tw_internal_uint32)(T) - 1 << shift)) | (tw_internal_uint32)part << shift;                   \
    }                                                                                                                  \
    TW_OVERLOADED T tw_internal_atomic_load(T *object, tw_memory_order order, tw_memory_scope scope)                   \
    {                                                                                                                  \
        return (T)(tw_internal_atomic_load(TW_INTERNAL_AROUND(object), order, scope) >> TW_INTERNAL_SHIFT(object));    \
    }                                                                                                                  \
    TW_OVERLOADED T tw_internal_atomic_swap_if(T *object, T expected, T desired, tw_memory_order success,              \
                                               tw_memory_order failure, tw_memory_scope scope)                         \
    {                                                                                                                  \
        tw_internal_uint32 *const around = TW_INTERNAL_AROUND(object);                                                 \
        tw_internal_uint32 word = tw_internal_atomic_load(around, failure, scope);                                     \
        for (;;) {                                                                                                     \
            const T old = (T)(word >> TW_INTERNAL_SHIFT(object));                                                      \
            if (old != expected)                                                                                       \
                return old;                                                                                            \
            const tw_internal_uint32 next = tw_internal_with_part(object, word, desired);                              \
            const tw_internal_uint32 seen = tw_internal_atomic_swap_if(around, word, next, success, failure, scope);   \
            if (seen == word)                                                                                          \
                return old;                                                                                            \
            word = seen;                                                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_PART_MODIFY(exchange, T, operand)                                                               \
    TW_INTERNAL_DEFINE_PART_MODIFY(fetch_add, T, (T)(old + operand))                                                   \
    TW_INTERNAL_DEFINE_PART_MODIFY(fetch_sub, T, (T)(old - operand))                                                   \
    TW_INTERNAL_DEFINE_PART_BITS(fetch_and, T, tw_internal_with_part(object, ~(tw_internal_uint32)0, operand))         \
    TW_INTERNAL_DEFINE_PART_BITS(fetch_or, T, tw_internal_with_part(object, 0, operand))                               \
    TW_INTERNAL_DEFINE_PART_BITS(fetch_xor, T, tw_internal_with_part(object, 0, operand))                              \
    TW_OVERLOADED void tw_internal_atomic_store(T *object, T value, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        tw_internal_atomic_exchange(object, value, order, scope);                                                      \
    }

/* A read-modify-write that makes `next` of old and operand: tried again if the word has changed meanwhile. */
#define TW_INTERNAL_DEFINE_PART_MODIFY(what, T, next)                                                                  \
    TW_OVERLOADED T tw_internal_atomic_##what(T *object, T operand, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        tw_internal_uint32 *const around = TW_INTERNAL_AROUND(object);                                                 \
        tw_internal_uint32 word = tw_internal_atomic_load(around, TW_ORDER_RELAXED, scope);                            \
        for (;;) {                                                                                                     \
            const T old = (T)(word >> TW_INTERNAL_SHIFT(object));                                                      \
            const tw_internal_uint32 seen = tw_internal_atomic_swap_if(                                                \
                around, word, tw_internal_with_part(object, word, next), order, TW_ORDER_RELAXED, scope);              \
            if (seen == word)                                                                                          \
                return old;                                                                                            \
            word = seen;                                                                                               \
        }                                                                                                              \
    }
/* One that leaves the rest of the word as it is, with the operand `whole` for all of it. */
#define TW_INTERNAL_DEFINE_PART_BITS(what, T, whole)                                                                   \
    TW_OVERLOADED T tw_internal_atomic_##what(T *object, T operand, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        return (T)(tw_internal_atomic_##what(TW_INTERNAL_AROUND(object), whole, order, scope)                          \
                   >> TW_INTERNAL_SHIFT(object));                                                                      \
    }

TW_INTERNAL_NARROW_WORDS(TW_INTERNAL_DEFINE_PART)
TW_INTERNAL_NARROW_NUMBERS(TW_INTERNAL_DEFINE_EXTREMES)

#endif
