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
struct tw_internal_address {
    void *tw_at_;

    __attribute__((always_inline)) tw_internal_address(void *at) : tw_at_(at)
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

    __attribute__((always_inline)) tw_internal_const_address(const void *at) : tw_at_(at)
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

/* Objects and functions that C and C++ files share, in any namespace. */
#ifdef __cplusplus
#define TW_INTERNAL_EXTERN extern "C"
#else
#define TW_INTERNAL_EXTERN extern
#endif

#endif
