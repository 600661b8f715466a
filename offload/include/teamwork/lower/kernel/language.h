/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What C and C++ write differently: pointers that convert to any type, questions about types, and the linkage of
 * kernels. Files without kernels include it, too, with any compiler.
 */
#ifndef TEAMWORK_LOWER_LANGUAGE_H
#define TEAMWORK_LOWER_LANGUAGE_H

#include <teamwork/export.h>

/*
 * Addresses of data: void * in C. In C++, where a void * does not become another pointer by itself, an object that does.
 * One that is for reading becomes a pointer to const alone.
 */
#ifdef __cplusplus
template <typename T> struct tw_internal_if_void;
template <> struct tw_internal_if_void<void> {
    typedef int type;
};
template <> struct tw_internal_if_void<const void> {
    typedef int type;
};

/* Made of a void * alone: no other pointer becomes one by the way. */
struct tw_internal_address {
    void *tw_at_;

    template <typename T, typename tw_internal_if_void<T>::type = 0>
    __attribute__((always_inline)) tw_internal_address(T *at) : tw_at_(at)
    {
    }
    template <typename T> __attribute__((always_inline)) operator T *() const
    {
        return (T *)tw_at_;
    }
    __attribute__((always_inline)) explicit operator bool() const
    {
        return tw_at_ != nullptr;
    }
};
struct tw_internal_const_address {
    const void *tw_at_;

    template <typename T, typename tw_internal_if_void<T>::type = 0>
    __attribute__((always_inline)) tw_internal_const_address(T *at) : tw_at_(at)
    {
    }
    template <typename T> __attribute__((always_inline)) operator const T *() const
    {
        return (const T *)tw_at_;
    }
    __attribute__((always_inline)) explicit operator bool() const
    {
        return tw_at_ != nullptr;
    }
};
/* Comparisons, with nullptr and NULL too. */
#define TW_INTERNAL_COMPARE(address)                                                                                   \
    template <typename T> inline bool operator==(address a, T *b)                                                      \
    {                                                                                                                  \
        return a.tw_at_ == b;                                                                                          \
    }                                                                                                                  \
    template <typename T> inline bool operator!=(address a, T *b)                                                      \
    {                                                                                                                  \
        return a.tw_at_ != b;                                                                                          \
    }                                                                                                                  \
    inline bool operator==(address a, decltype(nullptr))                                                               \
    {                                                                                                                  \
        return !a.tw_at_;                                                                                              \
    }                                                                                                                  \
    inline bool operator!=(address a, decltype(nullptr))                                                               \
    {                                                                                                                  \
        return a.tw_at_;                                                                                               \
    }
TW_INTERNAL_COMPARE(tw_internal_address)
TW_INTERNAL_COMPARE(tw_internal_const_address)
#undef TW_INTERNAL_COMPARE
#define TW_INTERNAL_ADDRESS struct tw_internal_address
#define TW_INTERNAL_CONST_ADDRESS struct tw_internal_const_address
#else
#define TW_INTERNAL_ADDRESS void *
#define TW_INTERNAL_CONST_ADDRESS const void *
#endif

/* Whether an expression, as it is passed to a function, has a type. */
#ifdef __cplusplus
#define TW_INTERNAL_IS(expression, ...) __is_same(__decay(decltype(expression)), __VA_ARGS__)
#else
#define TW_INTERNAL_IS(expression, ...) _Generic((expression), __VA_ARGS__: 1, default: 0)
#endif

/* C++: the address of an object that lives until the end of the expression. */
#ifdef __cplusplus
template <typename T> __attribute__((always_inline)) inline T *tw_internal_address_of(T &&object)
{
    return &object;
}
#endif

/* An assertion, at file scope, in a function or in a struct. */
#ifdef __cplusplus
#define TW_INTERNAL_STATIC_ASSERT(...) static_assert(__VA_ARGS__)
#else
#define TW_INTERNAL_STATIC_ASSERT(...) _Static_assert(__VA_ARGS__)
#endif

/* Objects and functions that C and C++ files share, in any namespace. */
#ifdef __cplusplus
#define TW_INTERNAL_EXTERN extern "C"
#else
#define TW_INTERNAL_EXTERN extern
#endif

#endif
