/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/atomic.h> declares. */
#ifndef TEAMWORK_LOWER_ATOMIC_H
#define TEAMWORK_LOWER_ATOMIC_H

#include <stddef.h>

#include <teamwork/lower/group/atomic_word.h>

#if __SIZEOF_LONG__ != 8 || __SIZEOF_POINTER__ != 8
#error "Teamwork's atomic operations need a target whose long and pointers have 64 bits"
#endif

/* diagnose_if is clang's, and stands where GCC has no attributes */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"

/* ---- the object -------------------------------------------------------------------------------------------------- */

/* The types: X(T, the number that it is treated as, the word, kind). */
#define TW_INTERNAL_ATOMIC_TYPES(X)                                                                                    \
    X(bool, tw_internal_uint8, tw_internal_uint8, TW_INTERNAL_BOOL)                                                    \
    X(char, tw_internal_char, tw_internal_uint8, TW_INTERNAL_INTEGER)                                                  \
    X(signed char, tw_internal_int8, tw_internal_uint8, TW_INTERNAL_INTEGER)                                           \
    X(unsigned char, tw_internal_uint8, tw_internal_uint8, TW_INTERNAL_INTEGER)                                        \
    X(short, tw_internal_int16, tw_internal_uint16, TW_INTERNAL_INTEGER)                                               \
    X(unsigned short, tw_internal_uint16, tw_internal_uint16, TW_INTERNAL_INTEGER)                                     \
    X(int, tw_internal_int32, tw_internal_uint32, TW_INTERNAL_INTEGER)                                                 \
    X(unsigned, tw_internal_uint32, tw_internal_uint32, TW_INTERNAL_INTEGER)                                           \
    X(long, tw_internal_int64, tw_internal_uint64, TW_INTERNAL_INTEGER)                                                \
    X(unsigned long, tw_internal_uint64, tw_internal_uint64, TW_INTERNAL_INTEGER)                                      \
    X(long long, tw_internal_int64, tw_internal_uint64, TW_INTERNAL_INTEGER)                                           \
    X(unsigned long long, tw_internal_uint64, tw_internal_uint64, TW_INTERNAL_INTEGER)                                 \
    X(float, tw_internal_float, tw_internal_float, TW_INTERNAL_REAL)                                                   \
    X(double, tw_internal_double, tw_internal_double, TW_INTERNAL_REAL)
#ifdef __CHAR_UNSIGNED__
typedef tw_internal_uint8 tw_internal_char;
#else
typedef tw_internal_int8 tw_internal_char;
#endif

/* Declarations that hide those of the operation around this one, which is not worth a warning. */
#define TW_INTERNAL_HIDE(...)                                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic push)                                                                          \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wshadow")                                                            \
    TW_INTERNAL_PRAGMA(clang diagnostic ignored "-Wunused-local-typedef")                                              \
    __VA_ARGS__                                                                                                        \
    TW_INTERNAL_PRAGMA(clang diagnostic pop)

#ifdef __cplusplus
#include <teamwork/lower/group/atomic_cxx.h>
#else
// clang-format off
#define TW_INTERNAL_KIND_IF(T, number, word, kind) T: kind,
#define TW_INTERNAL_KIND(value)                                                                                        \
    _Generic((value), TW_INTERNAL_ATOMIC_TYPES(TW_INTERNAL_KIND_IF)                                                    \
             default: TW_INTERNAL_IS_POINTER(value) ? TW_INTERNAL_POINTER : TW_INTERNAL_NO_OBJECT)
#define TW_INTERNAL_NUMBER_IF(T, number, word, kind) T: (number)0,
#define TW_INTERNAL_WORD_IF(T, number, word, kind) T: (word)0,
#define TW_INTERNAL_WORD(value, IF)                                                                                    \
    __typeof__(_Generic((value), TW_INTERNAL_ATOMIC_TYPES(IF)                                                          \
               default: __builtin_choose_expr(TW_INTERNAL_IS_POINTER(value), (tw_internal_uint64)0, 0u)))
// clang-format on
#define TW_INTERNAL_IS_POINTER(value) (__builtin_classify_type(value) == 5)

/* An expression about tw_object, which points to the object, of tw_kind, of the unqualified type tw_type, and is
   treated as a tw_word; tw_sum is the type of what is added to it. What is no object for atomic operations is treated
   as an int, so that there is one error. In `how` checks are made once for all words. */
// clang-format off
#define TW_INTERNAL_ATOMIC(object, ...)                                                                                \
    __extension__({                                                                                                    \
        TW_INTERNAL_HIDE(                                                                                              \
            __auto_type const tw_object = &*(object);                                                                  \
            enum { tw_kind = TW_INTERNAL_KIND(*tw_object) };                                                           \
            typedef __typeof__(__builtin_choose_expr(tw_kind, ((void)0, *tw_object), 0)) tw_type;                      \
            typedef TW_INTERNAL_WORD(*tw_object, TW_INTERNAL_WORD_IF) tw_word;                                         \
            typedef __typeof__(__builtin_choose_expr(tw_kind == TW_INTERNAL_POINTER, (ptrdiff_t)0, (tw_type)0)) tw_sum;)\
        __VA_ARGS__;                                                                                                   \
    })
// clang-format on

/* `value`, converted to the object's type as in an assignment, as a word; what the operation refuses anyway is 0. */
#define TW_INTERNAL_OPERAND(accepted, value)                                                                           \
    ((tw_word)((tw_type){__builtin_choose_expr(!!(tw_kind & (accepted)), (value), 0)}))
/* The types that the object is treated as by operations to which the sign matters, and by bitwise ones: these are not for
   floating point, which has no function to call, not even for an error. */
#define TW_INTERNAL_NUMBER TW_INTERNAL_WORD(*tw_object, TW_INTERNAL_NUMBER_IF)
#define TW_INTERNAL_BITS __typeof__(__builtin_choose_expr(tw_kind == TW_INTERNAL_REAL, 0u, (tw_word)0))
/* What is added, in bytes where the object is a pointer. */
#define TW_INTERNAL_STEPS(value)                                                                                       \
    ((tw_word)((tw_word)((tw_sum){__builtin_choose_expr(!!tw_kind, (value), 0)}) * (tw_word)TW_INTERNAL_ELEMENT_BYTES))
#define TW_INTERNAL_ELEMENT_BYTES                                                                                      \
    sizeof(*__builtin_choose_expr(tw_kind == TW_INTERNAL_POINTER, ((void)0, *tw_object), (char *)0))
/* Of a compare-exchange. */
#define TW_INTERNAL_IS_SAME_TYPE __builtin_types_compatible_p(tw_type, __typeof__((void)0, *tw_expected))
#define TW_INTERNAL_EXPECTED_VALUE __builtin_choose_expr(tw_same, *tw_expected, (tw_type)0)
#define TW_INTERNAL_FOUND_VALUE __builtin_choose_expr(tw_same, (tw_type)tw_found, *tw_expected)
#endif

/* As the word's functions take it. An object that is const is an error of the assignment, which is not evaluated. */
#define TW_INTERNAL_READ_OBJECT ((const volatile tw_word *)tw_object)
#define TW_INTERNAL_WRITTEN_OBJECT(word) ((void)sizeof(*tw_object = *tw_object), (volatile word *)tw_object)
#define TW_INTERNAL_ANY_KIND (TW_INTERNAL_INTEGER | TW_INTERNAL_BOOL | TW_INTERNAL_REAL | TW_INTERNAL_POINTER)

/* ---- the operations: X(function on words, object, value, order, scope) ------------------------------------------- */

#define TW_INTERNAL_LOAD(object, order, scope)                                                                         \
    TW_INTERNAL_ATOMIC(object, (tw_type)tw_internal_scoped_load(TW_INTERNAL_READ_OBJECT,                               \
                                                                tw_internal_how_load(order, scope, tw_kind)))

#define TW_INTERNAL_STORE(store, object, value, order, scope)                                                          \
    TW_INTERNAL_ATOMIC(object,                                                                                         \
                       store(TW_INTERNAL_WRITTEN_OBJECT(tw_word), TW_INTERNAL_OPERAND(TW_INTERNAL_ANY_KIND, value),    \
                             tw_internal_how_store(order, scope, tw_kind)))

#define TW_INTERNAL_EXCHANGE(exchange, object, value, order, scope)                                                    \
    TW_INTERNAL_ATOMIC(object, (tw_type)exchange(TW_INTERNAL_WRITTEN_OBJECT(tw_word),                                  \
                                                 TW_INTERNAL_OPERAND(TW_INTERNAL_ANY_KIND, value),                     \
                                                 tw_internal_how_exchange(order, scope, tw_kind)))

/* Minimum and maximum depend on the sign. */
#define TW_INTERNAL_EXTREME(modify, object, value, order, scope)                                                       \
    TW_INTERNAL_ATOMIC(object, typedef TW_INTERNAL_NUMBER tw_number;                                                   \
                       (tw_type)modify(TW_INTERNAL_WRITTEN_OBJECT(tw_number),                                          \
                                       (tw_number)TW_INTERNAL_OPERAND(TW_INTERNAL_ANY_KIND, value),                    \
                                       tw_internal_how_extreme(order, scope, tw_kind)))

/* Pointers step by elements. */
#define TW_INTERNAL_SUM(add, object, value, order, scope)                                                              \
    TW_INTERNAL_ATOMIC(object, (tw_type)add(TW_INTERNAL_WRITTEN_OBJECT(tw_word), TW_INTERNAL_STEPS(value),             \
                                            tw_internal_how_sum(order, scope, tw_kind)))

#define TW_INTERNAL_BITWISE(modify, object, value, order, scope)                                                       \
    TW_INTERNAL_ATOMIC(object, (tw_type)modify(TW_INTERNAL_WRITTEN_OBJECT(TW_INTERNAL_BITS),                           \
                                               TW_INTERNAL_OPERAND(TW_INTERNAL_INTEGER | TW_INTERNAL_BOOL, value),     \
                                               tw_internal_how_bits(order, scope, tw_kind)))

// clang-format off
#define TW_INTERNAL_COMPARE_EXCHANGE(object, expected, desired, success, failure, scope)                               \
    TW_INTERNAL_ATOMIC(object,                                                                                         \
        TW_INTERNAL_HIDE(                                                                                              \
            __auto_type const tw_expected = &*(expected);                                                              \
            enum { tw_same = TW_INTERNAL_IS_SAME_TYPE };                                                               \
            const tw_word tw_value = (tw_word)TW_INTERNAL_EXPECTED_VALUE;                                              \
            const tw_word tw_found =                                                                                   \
                tw_internal_scoped_swap_if(TW_INTERNAL_WRITTEN_OBJECT(tw_word), tw_value,                                     \
                                    TW_INTERNAL_OPERAND(TW_INTERNAL_ANY_KIND, desired),                                \
                                    tw_internal_how_swap_if(success, failure, scope, tw_kind, tw_same));)              \
        *tw_expected = TW_INTERNAL_FOUND_VALUE;                                                                        \
        tw_internal_same_bits(tw_found, tw_value))
// clang-format on

/* ---- with order and scope, or without ---------------------------------------------------------------------------- */

/* The macro for as many arguments as there are. */
#define TW_INTERNAL_COUNTED(a1, a2, a3, a4, a5, a6, macro, ...) macro

TW_DEVICE_INLINE int tw_internal_order_without_scope(void)
    TW_INTERNAL_REFUSE(1, "an atomic operation has its order and its scope as last arguments, or neither")
{
    return 0;
}
#define TW_INTERNAL_BAD_COUNT(...) tw_internal_order_without_scope()

#define TW_INTERNAL_LOAD_OF(...)                                                                                       \
    TW_INTERNAL_COUNTED(__VA_ARGS__, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_BAD_COUNT,              \
                        TW_INTERNAL_LOAD, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_LOAD_1, )(__VA_ARGS__)
#define TW_INTERNAL_LOAD_1(object) TW_INTERNAL_LOAD(object, TW_ORDER_RELAXED, TW_SCOPE_DEVICE)

#define TW_INTERNAL_APPLY(X, function, ...)                                                                            \
    TW_INTERNAL_COUNTED(__VA_ARGS__, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_APPLY_4,                \
                        TW_INTERNAL_BAD_COUNT, TW_INTERNAL_APPLY_2, TW_INTERNAL_BAD_COUNT, )(X, function, __VA_ARGS__)
#define TW_INTERNAL_APPLY_2(X, function, object, value) X(function, object, value, TW_ORDER_RELAXED, TW_SCOPE_DEVICE)
#define TW_INTERNAL_APPLY_4(X, function, object, value, order, scope) X(function, object, value, order, scope)

#define TW_INTERNAL_COMPARE_OF(...)                                                                                    \
    TW_INTERNAL_COUNTED(__VA_ARGS__, TW_INTERNAL_COMPARE_EXCHANGE, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_BAD_COUNT,       \
                        TW_INTERNAL_COMPARE_EXCHANGE_3, TW_INTERNAL_BAD_COUNT, TW_INTERNAL_BAD_COUNT, )(__VA_ARGS__)
#define TW_INTERNAL_COMPARE_EXCHANGE_3(object, expected, desired)                                                      \
    TW_INTERNAL_COMPARE_EXCHANGE(object, expected, desired, TW_ORDER_RELAXED, TW_ORDER_RELAXED, TW_SCOPE_DEVICE)

#define tw_atomic_load(...) TW_INTERNAL_LOAD_OF(__VA_ARGS__)
#define tw_atomic_store(...) TW_INTERNAL_APPLY(TW_INTERNAL_STORE, tw_internal_scoped_store, __VA_ARGS__)
#define tw_atomic_exchange(...) TW_INTERNAL_APPLY(TW_INTERNAL_EXCHANGE, tw_internal_scoped_exchange, __VA_ARGS__)
#define tw_atomic_compare_exchange_strong(...) TW_INTERNAL_COMPARE_OF(__VA_ARGS__)
#define tw_atomic_compare_exchange_weak(...) TW_INTERNAL_COMPARE_OF(__VA_ARGS__)
#define tw_atomic_fetch_add(...) TW_INTERNAL_APPLY(TW_INTERNAL_SUM, tw_internal_scoped_fetch_add, __VA_ARGS__)
#define tw_atomic_fetch_sub(...) TW_INTERNAL_APPLY(TW_INTERNAL_SUM, tw_internal_scoped_fetch_sub, __VA_ARGS__)
#define tw_atomic_fetch_min(...) TW_INTERNAL_APPLY(TW_INTERNAL_EXTREME, tw_internal_scoped_fetch_min, __VA_ARGS__)
#define tw_atomic_fetch_max(...) TW_INTERNAL_APPLY(TW_INTERNAL_EXTREME, tw_internal_scoped_fetch_max, __VA_ARGS__)
#define tw_atomic_fetch_and(...) TW_INTERNAL_APPLY(TW_INTERNAL_BITWISE, tw_internal_scoped_fetch_and, __VA_ARGS__)
#define tw_atomic_fetch_or(...) TW_INTERNAL_APPLY(TW_INTERNAL_BITWISE, tw_internal_scoped_fetch_or, __VA_ARGS__)
#define tw_atomic_fetch_xor(...) TW_INTERNAL_APPLY(TW_INTERNAL_BITWISE, tw_internal_scoped_fetch_xor, __VA_ARGS__)

/* Whether the operations take objects of a type: 1 or 0, a constant. */
#ifdef __cplusplus
#define TW_INTERNAL_IS_ATOMIC(...) (tw_internal_atomic<__VA_ARGS__>::kind != TW_INTERNAL_NO_OBJECT)
#else
#define TW_INTERNAL_IS_ATOMIC(...) (TW_INTERNAL_KIND(*(__VA_ARGS__ *)sizeof(__VA_ARGS__)) != TW_INTERNAL_NO_OBJECT)
#endif

/* What the type of a reference says; `instead` stands for TW_ORDER_ACQ_REL. */
#define TW_INTERNAL_REF_ORDER(ref, instead)                                                                            \
    (sizeof *(ref).tw_order_ - 1 == TW_ORDER_ACQ_REL ? (instead) : (tw_memory_order)(sizeof *(ref).tw_order_ - 1))
#define TW_INTERNAL_REF_SCOPE(ref) ((tw_memory_scope)(sizeof *(ref).tw_scope_ - 1))
#define TW_INTERNAL_BY_REF(operation, ref, value)                                                                      \
    tw_atomic_##operation((ref).tw_object_, value, TW_INTERNAL_REF_ORDER(ref, TW_ORDER_ACQ_REL),                       \
                          TW_INTERNAL_REF_SCOPE(ref))

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
