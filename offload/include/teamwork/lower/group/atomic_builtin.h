/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic operations by the compiler's built-ins: on CPUs, which know one scope, and on AMD GPUs, where clang's
 * built-ins take the scope. Included by atomic_word.h, which says what is defined here.
 */
#ifndef TEAMWORK_LOWER_ATOMIC_BUILTIN_H
#define TEAMWORK_LOWER_ATOMIC_BUILTIN_H

TW_DEVICE_INLINE int tw_internal_builtin_order(tw_memory_order order)
{
    return order == TW_ORDER_RELAXED   ? __ATOMIC_RELAXED
           : order == TW_ORDER_ACQUIRE ? __ATOMIC_ACQUIRE
           : order == TW_ORDER_RELEASE ? __ATOMIC_RELEASE
           : order == TW_ORDER_ACQ_REL ? __ATOMIC_ACQ_REL
                                       : __ATOMIC_SEQ_CST;
}

/* What only reads, or only writes, in an order that is for both: the stronger one that exists. */
TW_DEVICE_INLINE int tw_internal_load_order(tw_memory_order order)
{
    return order == TW_ORDER_RELAXED   ? __ATOMIC_RELAXED
           : order == TW_ORDER_ACQUIRE ? __ATOMIC_ACQUIRE
                                       : __ATOMIC_SEQ_CST;
}
TW_DEVICE_INLINE int tw_internal_store_order(tw_memory_order order)
{
    return order == TW_ORDER_RELAXED   ? __ATOMIC_RELAXED
           : order == TW_ORDER_RELEASE ? __ATOMIC_RELEASE
                                       : __ATOMIC_SEQ_CST;
}

#define TW_INTERNAL_DEFINE_BUILTIN_BASIC(T)                                                                            \
    TW_INTERNAL_ROLE("writes")                                                                                         \
    TW_OVERLOADED T tw_internal_atomic_load(T *object, tw_memory_order order, tw_memory_scope scope)                   \
    {                                                                                                                  \
        T value;                                                                                                       \
        TW_INTERNAL_BUILTIN(load, scope, object, &value, tw_internal_load_order(order));                               \
        return value;                                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_ROLE("writes")                                                                                         \
    TW_OVERLOADED void tw_internal_atomic_store(T *object, T value, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        TW_INTERNAL_BUILTIN(store, scope, object, &value, tw_internal_store_order(order));                             \
    }                                                                                                                  \
    TW_INTERNAL_ROLE("writes")                                                                                         \
    TW_OVERLOADED T tw_internal_atomic_exchange(T *object, T value, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        T old;                                                                                                         \
        TW_INTERNAL_BUILTIN(exchange, scope, object, &value, &old, tw_internal_builtin_order(order));                  \
        return old;                                                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_ROLE("writes")                                                                                         \
    TW_OVERLOADED T tw_internal_atomic_swap_if(T *object, T expected, T desired, tw_memory_order success,              \
                                               tw_memory_order failure, tw_memory_scope scope)                         \
    {                                                                                                                  \
        TW_INTERNAL_BUILTIN(compare_exchange, scope, object, &expected, &desired, false,                               \
                            tw_internal_builtin_order(success), tw_internal_load_order(failure));                      \
        return expected;                                                                                               \
    }

#define TW_INTERNAL_DEFINE_BUILTIN(what, T)                                                                            \
    TW_INTERNAL_ROLE("writes")                                                                                         \
    TW_OVERLOADED T tw_internal_atomic_##what(T *object, T operand, tw_memory_order order, tw_memory_scope scope)      \
    {                                                                                                                  \
        return TW_INTERNAL_BUILTIN(what, scope, object, operand, tw_internal_builtin_order(order));                    \
    }
#define TW_INTERNAL_DEFINE_BUILTIN_SUM(T)                                                                              \
    TW_INTERNAL_DEFINE_BUILTIN(fetch_add, T)                                                                           \
    TW_INTERNAL_DEFINE_BUILTIN(fetch_sub, T)
#define TW_INTERNAL_DEFINE_BUILTIN_BITWISE(T)                                                                          \
    TW_INTERNAL_DEFINE_BUILTIN(fetch_and, T)                                                                           \
    TW_INTERNAL_DEFINE_BUILTIN(fetch_or, T)                                                                            \
    TW_INTERNAL_DEFINE_BUILTIN(fetch_xor, T)

TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_BUILTIN_BASIC)
TW_INTERNAL_REAL_WORDS(TW_INTERNAL_DEFINE_BUILTIN_BASIC)
TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_BUILTIN_SUM)
TW_INTERNAL_REAL_WORDS(TW_INTERNAL_DEFINE_BUILTIN_SUM)
TW_INTERNAL_INTEGER_WORDS(TW_INTERNAL_DEFINE_BUILTIN_BITWISE)
TW_INTERNAL_NARROW_NUMBERS(TW_INTERNAL_DEFINE_EXTREMES)
TW_INTERNAL_WIDE_NUMBERS(TW_INTERNAL_DEFINE_EXTREMES)
TW_INTERNAL_REAL_NUMBERS(TW_INTERNAL_DEFINE_EXTREMES)

TW_DEVICE_INLINE void tw_internal_compiler_fence(tw_memory_order order)
{
    if (order != TW_ORDER_RELAXED)
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#ifdef __AMDGCN__
/* The built-in takes constants only. */
#define TW_INTERNAL_FENCE_AT(order, name)                                                                              \
    switch (order) {                                                                                                   \
    case TW_ORDER_RELAXED:                                                                                             \
        break;                                                                                                         \
    case TW_ORDER_ACQUIRE:                                                                                             \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, name);                                                                \
        break;                                                                                                         \
    case TW_ORDER_RELEASE:                                                                                             \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, name);                                                                \
        break;                                                                                                         \
    case TW_ORDER_ACQ_REL:                                                                                             \
        __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, name);                                                                \
        break;                                                                                                         \
    default:                                                                                                           \
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, name);                                                                \
    }
TW_DEVICE_INLINE void tw_internal_atomic_fence(tw_memory_order order, tw_memory_scope scope)
{
    if (scope == TW_SCOPE_SYSTEM)
        TW_INTERNAL_FENCE_AT(order, "")
    else if (scope == TW_SCOPE_DEVICE)
        TW_INTERNAL_FENCE_AT(order, "agent")
    else if (scope == TW_SCOPE_WORK_GROUP)
        TW_INTERNAL_FENCE_AT(order, "workgroup")
    else
        TW_INTERNAL_FENCE_AT(order, "wavefront")
}
#else
TW_DEVICE_INLINE void tw_internal_atomic_fence(tw_memory_order order, tw_memory_scope scope)
{
    (void)scope;
    __atomic_thread_fence(tw_internal_builtin_order(order));
}
#endif

#endif
