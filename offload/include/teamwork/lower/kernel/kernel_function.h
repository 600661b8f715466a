/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_KERNEL_FUNCTION() (<teamwork/kernel_definition.h>): the struct of a block, the kernel's function, and the
 * head of a function that has the members for parameters. Expands to:
 *
 *     struct saxpy { float a; const float *x; float *y; };
 *     static void saxpy_tw_body(const struct saxpy *tw_block_, tw_item item, float a, const float *x, float *y);
 *     static inline void saxpy(tw_item tw_point_, const struct saxpy *tw_block_)
 *     {
 *         saxpy_tw_body(tw_block_, tw_point_, tw_block_->a, tw_block_->x, tw_block_->y);
 *     }
 *     static void saxpy_tw_body(const struct saxpy *tw_block_, tw_item item, float a, const float *x, float *y)
 */
#ifndef TEAMWORK_LOWER_KERNEL_FUNCTION_H
#define TEAMWORK_LOWER_KERNEL_FUNCTION_H

#include <stddef.h>

#include <teamwork/lower/kernel/language.h>

// clang-format off

/* TW_INTERNAL_EACH_TUPLE(X, name, (double *, y), (size_t, n))
   Expands to: X(name, double *, y) X(name, size_t, n); for up to 16 tuples, of two or three */
#define TW_INTERNAL_EACH_TUPLE(X, name, ...)                                                                           \
    TW_INTERNAL_COUNT_TUPLES(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )(X, name, __VA_ARGS__)
#define TW_INTERNAL_COUNT_TUPLES(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...)                           \
    TW_INTERNAL_EACH_TUPLE_##count
#define TW_INTERNAL_TUPLE(X, name, tuple) TW_INTERNAL_TUPLE_WITH(X, name, TW_INTERNAL_UNPACKED tuple)
#define TW_INTERNAL_TUPLE_WITH(X, ...) X(__VA_ARGS__)
#define TW_INTERNAL_UNPACKED(...) __VA_ARGS__
#define TW_INTERNAL_EACH_TUPLE_1(X, name, a) TW_INTERNAL_TUPLE(X, name, a)
#define TW_INTERNAL_EACH_TUPLE_2(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_1(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_3(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_2(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_4(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_3(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_5(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_4(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_6(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_5(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_7(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_6(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_8(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_7(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_9(X, name, a, ...)                                                                      \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_8(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_10(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_9(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_11(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_10(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_12(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_11(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_13(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_12(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_14(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_13(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_15(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_14(X, name, __VA_ARGS__)
#define TW_INTERNAL_EACH_TUPLE_16(X, name, a, ...)                                                                     \
    TW_INTERNAL_TUPLE(X, name, a) TW_INTERNAL_EACH_TUPLE_15(X, name, __VA_ARGS__)

/* A tuple is (type, member), or (type, operation, member) for one that reduces, whose parameter is a pointer. */
#define TW_INTERNAL_BODY_FOURTH(a, b, c, d, ...) d
#define TW_INTERNAL_BODY_MEMBER(name, ...)                                                                             \
    TW_INTERNAL_BODY_FOURTH(__VA_ARGS__, TW_INTERNAL_BODY_REDUCTION, TW_INTERNAL_BODY_VALUE, )(name, __VA_ARGS__)
#define TW_INTERNAL_BODY_VALUE(name, type, member) type member;
#define TW_INTERNAL_BODY_REDUCTION(name, type, operation, member) TW_REDUCTION(type, operation) member;
#define TW_INTERNAL_BODY_PARAMETER(name, ...)                                                                          \
    TW_INTERNAL_BODY_FOURTH(__VA_ARGS__, TW_INTERNAL_BODY_POINTER_PARAMETER, TW_INTERNAL_BODY_VALUE_PARAMETER, )       \
    (name, __VA_ARGS__)
#define TW_INTERNAL_BODY_VALUE_PARAMETER(name, type, member) , __typeof__(((const struct name *)NULL)->member) member
#define TW_INTERNAL_BODY_POINTER_PARAMETER(name, type, operation, member)                                              \
    , __typeof__(((const struct name *)NULL)->member) *member
#define TW_INTERNAL_BODY_ARGUMENT(name, ...)                                                                           \
    TW_INTERNAL_BODY_FOURTH(__VA_ARGS__, TW_INTERNAL_BODY_POINTER_ARGUMENT, TW_INTERNAL_BODY_VALUE_ARGUMENT, )         \
    (name, __VA_ARGS__)
#define TW_INTERNAL_BODY_VALUE_ARGUMENT(name, type, member) , tw_block_->member
#define TW_INTERNAL_BODY_POINTER_ARGUMENT(name, type, operation, member) , &tw_block_->member

#define TW_INTERNAL_KERNEL_FUNCTION(name, item_type, item, ...)                                                        \
    struct name {                                                                                                      \
        TW_INTERNAL_EACH_TUPLE(TW_INTERNAL_BODY_MEMBER, name, __VA_ARGS__)                                             \
    };                                                                                                                 \
    TW_DEVICE_INLINE void name##_tw_body(const struct name *tw_block_, item_type item TW_INTERNAL_EACH_TUPLE(          \
                                             TW_INTERNAL_BODY_PARAMETER, name, __VA_ARGS__));                          \
    static inline void name(item_type tw_point_, const struct name *tw_block_)                                         \
    {                                                                                                                  \
        name##_tw_body(tw_block_, tw_point_ TW_INTERNAL_EACH_TUPLE(TW_INTERNAL_BODY_ARGUMENT, name, __VA_ARGS__));     \
    }                                                                                                                  \
    TW_DEVICE_INLINE void name##_tw_body(__attribute__((unused)) const struct name *tw_block_,                         \
                                         item_type item TW_INTERNAL_EACH_TUPLE(TW_INTERNAL_BODY_PARAMETER, name,       \
                                                                               __VA_ARGS__))
#define TW_INTERNAL_TASK_FUNCTION(name, ...)                                                                           \
    struct name {                                                                                                      \
        TW_INTERNAL_EACH_TUPLE(TW_INTERNAL_BODY_MEMBER, name, __VA_ARGS__)                                             \
    };                                                                                                                 \
    TW_DEVICE_INLINE void name##_tw_body(const struct name *tw_block_ TW_INTERNAL_EACH_TUPLE(                          \
        TW_INTERNAL_BODY_PARAMETER, name, __VA_ARGS__));                                                               \
    static inline void name(const struct name *tw_block_)                                                              \
    {                                                                                                                  \
        name##_tw_body(tw_block_ TW_INTERNAL_EACH_TUPLE(TW_INTERNAL_BODY_ARGUMENT, name, __VA_ARGS__));                \
    }                                                                                                                  \
    TW_DEVICE_INLINE void name##_tw_body(__attribute__((unused)) const struct name *tw_block_ TW_INTERNAL_EACH_TUPLE(  \
        TW_INTERNAL_BODY_PARAMETER, name, __VA_ARGS__))
// clang-format on

#endif
