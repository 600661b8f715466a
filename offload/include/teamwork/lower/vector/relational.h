/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers a part of what <teamwork/vector.h> declares. */
#ifndef TEAMWORK_LOWER_RELATIONAL_H
#define TEAMWORK_LOWER_RELATIONAL_H

#include <teamwork/lower/vector/vector.h>

/* Of each condition on vectors clang says that it makes a scalar of a vector. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wconversion"

/* The bits of infinity and of the smallest normal number. */
#define TW_INTERNAL_INFINITY_half 0x7c00
#define TW_INTERNAL_INFINITY_float 0x7f800000
#define TW_INTERNAL_INFINITY_double 0x7ff0000000000000
#define TW_INTERNAL_NORMAL_half 0x0400
#define TW_INTERNAL_NORMAL_float 0x00800000
#define TW_INTERNAL_NORMAL_double 0x0010000000000000

/* The bits of |x|, which order like |x| itself, infinity and then NaN last. */
#define TW_INTERNAL_MAGNITUDE(T, n, x)                                                                                 \
    ((tw_internal_s_##T##n)(__builtin_bit_cast(tw_internal_s_##T##n, x) & (tw_internal_s_##T)(TW_INTERNAL_MAX_##T)))
#define TW_INTERNAL_MAX_half TW_INTERNAL_MAX_short
#define TW_INTERNAL_MAX_float TW_INTERNAL_MAX_int
#define TW_INTERNAL_MAX_double TW_INTERNAL_MAX_long

#define TW_INTERNAL_COMPARE(T, n, R)                                                                                   \
    TW_INTERNAL_OVERLOAD R tw_isequal(tw_##T##n x, tw_##T##n y)                                                        \
    {                                                                                                                  \
        return x == y;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isnotequal(tw_##T##n x, tw_##T##n y)                                                     \
    {                                                                                                                  \
        return x != y;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isgreater(tw_##T##n x, tw_##T##n y)                                                      \
    {                                                                                                                  \
        return x > y;                                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isgreaterequal(tw_##T##n x, tw_##T##n y)                                                 \
    {                                                                                                                  \
        return x >= y;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isless(tw_##T##n x, tw_##T##n y)                                                         \
    {                                                                                                                  \
        return x < y;                                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_islessequal(tw_##T##n x, tw_##T##n y)                                                    \
    {                                                                                                                  \
        return x <= y;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_islessgreater(tw_##T##n x, tw_##T##n y)                                                  \
    {                                                                                                                  \
        return (x < y) | (x > y);                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isfinite(tw_##T##n x)                                                                    \
    {                                                                                                                  \
        return TW_INTERNAL_MAGNITUDE(T, n, x) < (tw_internal_s_##T)TW_INTERNAL_INFINITY_##T;                           \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isinf(tw_##T##n x)                                                                       \
    {                                                                                                                  \
        return TW_INTERNAL_MAGNITUDE(T, n, x) == (tw_internal_s_##T)TW_INTERNAL_INFINITY_##T;                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isnan(tw_##T##n x)                                                                       \
    {                                                                                                                  \
        return TW_INTERNAL_MAGNITUDE(T, n, x) > (tw_internal_s_##T)TW_INTERNAL_INFINITY_##T;                           \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isnormal(tw_##T##n x)                                                                    \
    {                                                                                                                  \
        const tw_internal_s_##T##n tw_x = TW_INTERNAL_MAGNITUDE(T, n, x);                                              \
        return (tw_x < (tw_internal_s_##T)TW_INTERNAL_INFINITY_##T)                                                    \
               & (tw_x >= (tw_internal_s_##T)TW_INTERNAL_NORMAL_##T);                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isordered(tw_##T##n x, tw_##T##n y)                                                      \
    {                                                                                                                  \
        return (TW_INTERNAL_MAGNITUDE(T, n, x) <= (tw_internal_s_##T)TW_INTERNAL_INFINITY_##T)                         \
               & (TW_INTERNAL_MAGNITUDE(T, n, y) <= (tw_internal_s_##T)TW_INTERNAL_INFINITY_##T);                      \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_isunordered(tw_##T##n x, tw_##T##n y)                                                    \
    {                                                                                                                  \
        return tw_isnan(x) | tw_isnan(y);                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD R tw_signbit(tw_##T##n x)                                                                     \
    {                                                                                                                  \
        return __builtin_bit_cast(tw_internal_s_##T##n, x) < (tw_internal_s_##T)0;                                     \
    }
#define TW_INTERNAL_COMPARE_VECTORS(T, n) TW_INTERNAL_COMPARE(T, n, tw_internal_s_##T##n)
TW_INTERNAL_COMPARE(half, , int)
TW_INTERNAL_COMPARE(float, , int)
TW_INTERNAL_COMPARE(double, , int)
TW_INTERNAL_FLOAT_VECTORS(TW_INTERNAL_COMPARE_VECTORS)
#undef TW_INTERNAL_COMPARE
#undef TW_INTERNAL_COMPARE_VECTORS

#define TW_INTERNAL_ANY_ALL(T, n, reduce_or, reduce_and)                                                               \
    TW_INTERNAL_OVERLOAD int tw_any(tw_##T##n x)                                                                       \
    {                                                                                                                  \
        return (tw_internal_s_##T)reduce_or(x) < 0;                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD int tw_all(tw_##T##n x)                                                                       \
    {                                                                                                                  \
        return (tw_internal_s_##T)reduce_and(x) < 0;                                                                   \
    }
#define TW_INTERNAL_ANY_ALL_VECTORS(T, n) TW_INTERNAL_ANY_ALL(T, n, __builtin_reduce_or, __builtin_reduce_and)
#define TW_INTERNAL_ANY_ALL_SCALAR(T) TW_INTERNAL_ANY_ALL(T, , , )
TW_INTERNAL_INTEGER_TYPES(TW_INTERNAL_ANY_ALL_SCALAR)
TW_INTERNAL_ANY_ALL_SCALAR(schar)
TW_INTERNAL_ANY_ALL_SCALAR(longlong)
TW_INTERNAL_ANY_ALL_SCALAR(ulonglong)
TW_INTERNAL_INTEGER_VECTORS(TW_INTERNAL_ANY_ALL_VECTORS)
#undef TW_INTERNAL_ANY_ALL
#undef TW_INTERNAL_ANY_ALL_VECTORS
#undef TW_INTERNAL_ANY_ALL_SCALAR

/* ---- selecting --------------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_BITSELECT(T, n)                                                                                    \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_bitselect(tw_##T##n a, tw_##T##n b, tw_##T##n c)                                 \
    {                                                                                                                  \
        const tw_internal_u_##T##n tw_a = __builtin_bit_cast(tw_internal_u_##T##n, a);                                 \
        const tw_internal_u_##T##n tw_b = __builtin_bit_cast(tw_internal_u_##T##n, b);                                 \
        const tw_internal_u_##T##n tw_c = __builtin_bit_cast(tw_internal_u_##T##n, c);                                 \
        return __builtin_bit_cast(tw_##T##n, (tw_internal_u_##T##n)((tw_a & ~tw_c) | (tw_b & tw_c)));                  \
    }
TW_INTERNAL_ALL_GEN(TW_INTERNAL_BITSELECT)
#undef TW_INTERNAL_BITSELECT

/* A condition of vectors looks at the sign bit, one of scalars at the value. */
#define TW_INTERNAL_SELECT(T, n, C)                                                                                    \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_select(tw_##T##n a, tw_##T##n b, C c)                                            \
    {                                                                                                                  \
        return c ? b : a;                                                                                              \
    }
#define TW_INTERNAL_SELECT_BOTH(T, n)                                                                                  \
    TW_INTERNAL_SELECT(T, n, tw_internal_s_##T##n) TW_INTERNAL_SELECT(T, n, tw_internal_u_##T##n)
TW_INTERNAL_ALL_GEN(TW_INTERNAL_SELECT_BOTH)
TW_INTERNAL_SELECT(char, , int)
TW_INTERNAL_SELECT(schar, , int)
TW_INTERNAL_SELECT(uchar, , int)
TW_INTERNAL_SELECT(short, , int)
TW_INTERNAL_SELECT(ushort, , int)
TW_INTERNAL_SELECT(long, , int)
TW_INTERNAL_SELECT(ulong, , int)
TW_INTERNAL_SELECT(longlong, , int)
TW_INTERNAL_SELECT(ulonglong, , int)
TW_INTERNAL_SELECT(half, , int)
TW_INTERNAL_SELECT(double, , int)
#undef TW_INTERNAL_SELECT
#undef TW_INTERNAL_SELECT_BOTH

#undef TW_INTERNAL_MAGNITUDE
#undef TW_INTERNAL_MAX_half
#undef TW_INTERNAL_MAX_float
#undef TW_INTERNAL_MAX_double
#undef TW_INTERNAL_INFINITY_half
#undef TW_INTERNAL_INFINITY_float
#undef TW_INTERNAL_INFINITY_double
#undef TW_INTERNAL_NORMAL_half
#undef TW_INTERNAL_NORMAL_float
#undef TW_INTERNAL_NORMAL_double

#pragma clang diagnostic pop

#endif
