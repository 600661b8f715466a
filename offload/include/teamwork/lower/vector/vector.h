/* SPDX-License-Identifier: Apache-2.0 */
/** The types of <teamwork/vector.h>, and lists of them. */
#ifndef TEAMWORK_LOWER_VECTOR_H
#define TEAMWORK_LOWER_VECTOR_H

#ifndef __clang__
#error "Teamwork's vector types need clang"
#endif

#include <limits.h>

#if CHAR_MIN == 0 || LONG_MAX != 0x7fffffffffffffff
#error "Teamwork's vector types need a signed char (-fsigned-char) and a long of 64 bits"
#endif

/*
 * Vectors wider than the target's registers travel between functions as the enabled instruction set has it, of which
 * clang warns at each call, in the user's lines. The functions of these headers are always inlined, so nothing
 * travels. Files that hand such vectors to functions in other files must be compiled for the same instruction set.
 */
#pragma clang diagnostic ignored "-Wpsabi"

typedef char tw_char;
typedef signed char tw_schar;
typedef unsigned char tw_uchar;
typedef short tw_short;
typedef unsigned short tw_ushort;
typedef int tw_int;
typedef unsigned int tw_uint;
typedef long tw_long;
typedef unsigned long tw_ulong;
typedef long long tw_longlong;
typedef unsigned long long tw_ulonglong;
typedef _Float16 tw_half;
typedef float tw_float;
typedef double tw_double;

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/*
 * X(T, n) is expanded for every size n of the element type T, and tw_##T##n is the type; in lists that have the scalar
 * type too, n is empty for it.
 */
#define TW_INTERNAL_VECTORS(X, T) X(T, 2) X(T, 3) X(T, 4) X(T, 8) X(T, 16)
#define TW_INTERNAL_SCALAR_AND_VECTORS(X, T) X(T, ) TW_INTERNAL_VECTORS(X, T)

/* X(T) for every element type of a kind. */
#define TW_INTERNAL_SIGNED_TYPES(X) X(char) X(short) X(int) X(long)
#define TW_INTERNAL_UNSIGNED_TYPES(X) X(uchar) X(ushort) X(uint) X(ulong)
#define TW_INTERNAL_INTEGER_TYPES(X) TW_INTERNAL_SIGNED_TYPES(X) TW_INTERNAL_UNSIGNED_TYPES(X)
#define TW_INTERNAL_FLOAT_TYPES(X) X(half) X(float) X(double)
#define TW_INTERNAL_TYPES(X) TW_INTERNAL_INTEGER_TYPES(X) TW_INTERNAL_FLOAT_TYPES(X)

/*
 * X(T, n) for every type and size of a kind: VECTORS without the scalars, GEN with them (OpenCL's gentype) and with the
 * scalars that C has besides, so that int8_t and long long find their functions.
 */
#define TW_INTERNAL_SIGNED_VECTORS(X)                                                                                  \
    TW_INTERNAL_VECTORS(X, char)                                                                                       \
    TW_INTERNAL_VECTORS(X, short) TW_INTERNAL_VECTORS(X, int) TW_INTERNAL_VECTORS(X, long)
#define TW_INTERNAL_UNSIGNED_VECTORS(X)                                                                                \
    TW_INTERNAL_VECTORS(X, uchar)                                                                                      \
    TW_INTERNAL_VECTORS(X, ushort) TW_INTERNAL_VECTORS(X, uint) TW_INTERNAL_VECTORS(X, ulong)
#define TW_INTERNAL_INTEGER_VECTORS(X) TW_INTERNAL_SIGNED_VECTORS(X) TW_INTERNAL_UNSIGNED_VECTORS(X)
#define TW_INTERNAL_FLOAT_VECTORS(X)                                                                                   \
    TW_INTERNAL_VECTORS(X, half) TW_INTERNAL_VECTORS(X, float) TW_INTERNAL_VECTORS(X, double)
#define TW_INTERNAL_ALL_VECTORS(X) TW_INTERNAL_INTEGER_VECTORS(X) TW_INTERNAL_FLOAT_VECTORS(X)

#define TW_INTERNAL_SIGNED_GEN(X)                                                                                      \
    X(char, ) X(schar, ) X(short, ) X(int, ) X(long, ) X(longlong, ) TW_INTERNAL_SIGNED_VECTORS(X)
#define TW_INTERNAL_UNSIGNED_GEN(X)                                                                                    \
    X(uchar, ) X(ushort, ) X(uint, ) X(ulong, ) X(ulonglong, ) TW_INTERNAL_UNSIGNED_VECTORS(X)
#define TW_INTERNAL_INTEGER_GEN(X) TW_INTERNAL_SIGNED_GEN(X) TW_INTERNAL_UNSIGNED_GEN(X)
#define TW_INTERNAL_FLOAT_GEN(X) X(half, ) X(float, ) X(double, ) TW_INTERNAL_FLOAT_VECTORS(X)
#define TW_INTERNAL_ALL_GEN(X) TW_INTERNAL_INTEGER_GEN(X) TW_INTERNAL_FLOAT_GEN(X)

/* ---- the types --------------------------------------------------------------------------------------------------- */

#ifdef __aarch64__ /* its ABI aligns wider vectors to 16 bytes */
#define TW_INTERNAL_VECTOR_TYPE(T, n)                                                                                  \
    typedef tw_##T tw_##T##n __attribute__((ext_vector_type(n), aligned(sizeof(tw_##T) * ((n) == 3 ? 4 : (n)))));
#else
#define TW_INTERNAL_VECTOR_TYPE(T, n) typedef tw_##T tw_##T##n __attribute__((ext_vector_type(n)));
#endif
TW_INTERNAL_ALL_VECTORS(TW_INTERNAL_VECTOR_TYPE)
#undef TW_INTERNAL_VECTOR_TYPE

/*
 * For each type T and size n the integers of the same width: tw_internal_s_##T##n is signed, tw_internal_u_##T##n
 * unsigned. What a comparison of vectors yields is the signed one.
 */
#define TW_INTERNAL_SAME_WIDTH(T, s, u, n)                                                                             \
    typedef tw_##s##n tw_internal_s_##T##n;                                                                            \
    typedef tw_##u##n tw_internal_u_##T##n;
#define TW_INTERNAL_SAME_WIDTHS(n)                                                                                     \
    TW_INTERNAL_SAME_WIDTH(char, char, uchar, n)                                                                       \
    TW_INTERNAL_SAME_WIDTH(uchar, char, uchar, n)                                                                      \
    TW_INTERNAL_SAME_WIDTH(short, short, ushort, n)                                                                    \
    TW_INTERNAL_SAME_WIDTH(ushort, short, ushort, n)                                                                   \
    TW_INTERNAL_SAME_WIDTH(int, int, uint, n)                                                                          \
    TW_INTERNAL_SAME_WIDTH(uint, int, uint, n)                                                                         \
    TW_INTERNAL_SAME_WIDTH(long, long, ulong, n)                                                                       \
    TW_INTERNAL_SAME_WIDTH(ulong, long, ulong, n)                                                                      \
    TW_INTERNAL_SAME_WIDTH(half, short, ushort, n)                                                                     \
    TW_INTERNAL_SAME_WIDTH(float, int, uint, n)                                                                        \
    TW_INTERNAL_SAME_WIDTH(double, long, ulong, n)
TW_INTERNAL_SAME_WIDTHS()
TW_INTERNAL_SAME_WIDTHS(2)
TW_INTERNAL_SAME_WIDTHS(3)
TW_INTERNAL_SAME_WIDTHS(4)
TW_INTERNAL_SAME_WIDTHS(8)
TW_INTERNAL_SAME_WIDTHS(16)
TW_INTERNAL_SAME_WIDTH(schar, schar, uchar, )
TW_INTERNAL_SAME_WIDTH(longlong, longlong, ulonglong, )
TW_INTERNAL_SAME_WIDTH(ulonglong, longlong, ulonglong, )
#undef TW_INTERNAL_SAME_WIDTHS
#undef TW_INTERNAL_SAME_WIDTH

/* tw_internal_w_##T##n: integers of twice the width, where there are any. */
#define TW_INTERNAL_TWICE_WIDTH(T, w, n) typedef tw_##w##n tw_internal_w_##T##n;
#define TW_INTERNAL_TWICE_WIDTHS(n)                                                                                    \
    TW_INTERNAL_TWICE_WIDTH(char, short, n)                                                                            \
    TW_INTERNAL_TWICE_WIDTH(uchar, ushort, n)                                                                          \
    TW_INTERNAL_TWICE_WIDTH(short, int, n)                                                                             \
    TW_INTERNAL_TWICE_WIDTH(ushort, uint, n)                                                                           \
    TW_INTERNAL_TWICE_WIDTH(int, long, n)                                                                              \
    TW_INTERNAL_TWICE_WIDTH(uint, ulong, n)
TW_INTERNAL_TWICE_WIDTHS()
TW_INTERNAL_TWICE_WIDTHS(2)
TW_INTERNAL_TWICE_WIDTHS(3)
TW_INTERNAL_TWICE_WIDTHS(4)
TW_INTERNAL_TWICE_WIDTHS(8)
TW_INTERNAL_TWICE_WIDTHS(16)
TW_INTERNAL_TWICE_WIDTH(schar, short, )
#undef TW_INTERNAL_TWICE_WIDTHS
#undef TW_INTERNAL_TWICE_WIDTH

/* The limits of the integer types: constants of type tw_ulong and tw_long, which any of them compares with. */
#define TW_INTERNAL_MAX_char 0x7fUL
#define TW_INTERNAL_MAX_schar 0x7fUL
#define TW_INTERNAL_MAX_uchar 0xffUL
#define TW_INTERNAL_MAX_short 0x7fffUL
#define TW_INTERNAL_MAX_ushort 0xffffUL
#define TW_INTERNAL_MAX_int 0x7fffffffUL
#define TW_INTERNAL_MAX_uint 0xffffffffUL
#define TW_INTERNAL_MAX_long 0x7fffffffffffffffUL
#define TW_INTERNAL_MAX_longlong TW_INTERNAL_MAX_long
#define TW_INTERNAL_MAX_ulong 0xffffffffffffffffUL
#define TW_INTERNAL_MAX_ulonglong TW_INTERNAL_MAX_ulong
#define TW_INTERNAL_MIN_char (-0x80L)
#define TW_INTERNAL_MIN_schar (-0x80L)
#define TW_INTERNAL_MIN_uchar 0L
#define TW_INTERNAL_MIN_short (-0x8000L)
#define TW_INTERNAL_MIN_ushort 0L
#define TW_INTERNAL_MIN_int (-0x80000000L)
#define TW_INTERNAL_MIN_uint 0L
#define TW_INTERNAL_MIN_long (-0x7fffffffffffffffL - 1)
#define TW_INTERNAL_MIN_longlong TW_INTERNAL_MIN_long
#define TW_INTERNAL_MIN_ulong 0L
#define TW_INTERNAL_MIN_ulonglong 0L

/* ---- functions over them ----------------------------------------------------------------------------------------- */

/* Converts the elements of x, a scalar if n is empty, to the type T, as a C cast does. */
#define TW_INTERNAL_CAST(T, n, x) TW_INTERNAL_CAST_##n(tw_##T##n, x)
#define TW_INTERNAL_CAST_(type, x) ((type)(x))
#define TW_INTERNAL_CAST_2(type, x) __builtin_convertvector(x, type)
#define TW_INTERNAL_CAST_3 TW_INTERNAL_CAST_2
#define TW_INTERNAL_CAST_4 TW_INTERNAL_CAST_2
#ifdef __NVPTX__
/* clang 19 makes one instruction of loading and widening a floating-point vector of more than 16 bytes, of which the
   widening is lost. So the elements pass through registers that the compiler knows nothing of. */
static inline __attribute__((always_inline)) void tw_internal_hide(void *vector, unsigned long bytes)
{
    _Pragma("unroll") for (unsigned long at = 0; at < bytes; at += sizeof(unsigned))
    {
        unsigned word;
        __builtin_memcpy(&word, (char *)vector + at, sizeof word);
        __asm__("" : "+r"(word));
        __builtin_memcpy((char *)vector + at, &word, sizeof word);
    }
}
#define TW_INTERNAL_CAST_8(type, x)                                                                                    \
    (__extension__({                                                                                                   \
        __typeof__(-(x)) tw_from = (x); /* no const */                                                                 \
        if ((__typeof__(tw_from[0]))0.5 != 0 && sizeof(type) > sizeof tw_from && sizeof tw_from > 16)                  \
            tw_internal_hide(&tw_from, sizeof tw_from);                                                                \
        __builtin_convertvector(tw_from, type);                                                                        \
    }))
#else
#define TW_INTERNAL_CAST_8 TW_INTERNAL_CAST_2
#endif
#define TW_INTERNAL_CAST_16 TW_INTERNAL_CAST_8

/* Opens the definition of a function of one name for many types; C++ overloads by itself. */
#ifdef __cplusplus
#define TW_INTERNAL_OVERLOAD static inline __attribute__((always_inline))
#else
#define TW_INTERNAL_OVERLOAD static inline __attribute__((overloadable, always_inline))
#endif

/*
 * Bodies of functions that do the same to each of n elements: `of` is the name of the scalar function, R the type of
 * the result. The loops have constant lengths and are unrolled, on the host into vector instructions where there are
 * any.
 */
#define TW_INTERNAL_LANES_1(R, n, of, a)                                                                               \
    {                                                                                                                  \
        R tw_r;                                                                                                        \
        for (int tw_i = 0; tw_i < n; ++tw_i)                                                                           \
            tw_r[tw_i] = of((a)[tw_i]);                                                                                \
        return tw_r;                                                                                                   \
    }
#define TW_INTERNAL_LANES_2(R, n, of, a, b)                                                                            \
    {                                                                                                                  \
        R tw_r;                                                                                                        \
        for (int tw_i = 0; tw_i < n; ++tw_i)                                                                           \
            tw_r[tw_i] = of((a)[tw_i], (b)[tw_i]);                                                                     \
        return tw_r;                                                                                                   \
    }
#define TW_INTERNAL_LANES_3(R, n, of, a, b, c)                                                                         \
    {                                                                                                                  \
        R tw_r;                                                                                                        \
        for (int tw_i = 0; tw_i < n; ++tw_i)                                                                           \
            tw_r[tw_i] = of((a)[tw_i], (b)[tw_i], (c)[tw_i]);                                                          \
        return tw_r;                                                                                                   \
    }

/* tw_splat_float4(x): a vector of which each element is x (spec table 3.49). */
#define TW_INTERNAL_SPLAT(T, n)                                                                                        \
    static inline __attribute__((always_inline)) tw_##T##n tw_splat_##T##n(tw_##T x)                                   \
    {                                                                                                                  \
        return (tw_##T##n)(x);                                                                                         \
    }
TW_INTERNAL_ALL_VECTORS(TW_INTERNAL_SPLAT)
#undef TW_INTERNAL_SPLAT

#include <teamwork/lower/vector/visit_vectors.h>

#endif
