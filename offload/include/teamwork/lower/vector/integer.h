/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers a part of what <teamwork/vector.h> declares. */
#ifndef TEAMWORK_LOWER_INTEGER_H
#define TEAMWORK_LOWER_INTEGER_H

#include <teamwork/lower/vector/vector.h>

/* Of each condition on vectors clang says that it makes a scalar of a vector. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wconversion"

/* ---- what one body defines for all types and sizes --------------------------------------------------------------- */

/* Casts to an unsigned vector of the same width take the bits as they are, like those of scalars. */
#define TW_INTERNAL_INTEGER(T, n)                                                                                      \
    TW_INTERNAL_OVERLOAD tw_internal_u_##T##n tw_abs_diff(tw_##T##n x, tw_##T##n y)                                    \
    {                                                                                                                  \
        const tw_internal_u_##T##n tw_x = (tw_internal_u_##T##n)(x), tw_y = (tw_internal_u_##T##n)(y);                 \
        return (tw_internal_u_##T##n)(x > y ? tw_x - tw_y : tw_y - tw_x);                                              \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_hadd(tw_##T##n x, tw_##T##n y)                                                   \
    {                                                                                                                  \
        return (tw_##T##n)((x & y) + ((x ^ y) >> (tw_##T)1));                                                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_rhadd(tw_##T##n x, tw_##T##n y)                                                  \
    {                                                                                                                  \
        return (tw_##T##n)((x | y) - ((x ^ y) >> (tw_##T)1));                                                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_max(tw_##T##n x, tw_##T##n y)                                                    \
    {                                                                                                                  \
        return (tw_##T##n)(x < y ? y : x);                                                                             \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_min(tw_##T##n x, tw_##T##n y)                                                    \
    {                                                                                                                  \
        return (tw_##T##n)(y < x ? y : x);                                                                             \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_clamp(tw_##T##n x, tw_##T##n low, tw_##T##n high)                                \
    {                                                                                                                  \
        return tw_min(tw_max(x, low), high);                                                                           \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_rotate(tw_##T##n x, tw_##T##n i)                                                 \
    {                                                                                                                  \
        const tw_internal_u_##T##n tw_x = (tw_internal_u_##T##n)(x);                                                   \
        const tw_internal_u_##T##n tw_mask = (tw_internal_u_##T##n)(tw_internal_u_##T)(8 * sizeof(tw_##T) - 1);        \
        const tw_internal_u_##T##n tw_left = (tw_internal_u_##T##n)(i) & tw_mask;                                      \
        const tw_internal_u_##T##n tw_right = (tw_internal_u_##T##n)(0 - tw_left) & tw_mask;                           \
        return (tw_##T##n)(tw_internal_u_##T##n)(tw_x << tw_left | tw_x >> tw_right);                                  \
    }
TW_INTERNAL_INTEGER_GEN(TW_INTERNAL_INTEGER)
#undef TW_INTERNAL_INTEGER

#define TW_INTERNAL_ABS(T, n)                                                                                          \
    TW_INTERNAL_OVERLOAD tw_internal_u_##T##n tw_abs(tw_##T##n x)                                                      \
    {                                                                                                                  \
        const tw_internal_u_##T##n tw_x = (tw_internal_u_##T##n)(x);                                                   \
        return (tw_internal_u_##T##n)(x < (tw_##T)0 ? 0 - tw_x : tw_x);                                                \
    }
TW_INTERNAL_SIGNED_GEN(TW_INTERNAL_ABS)
#undef TW_INTERNAL_ABS
#define TW_INTERNAL_ABS(T, n)                                                                                          \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_abs(tw_##T##n x)                                                                 \
    {                                                                                                                  \
        return x;                                                                                                      \
    }
TW_INTERNAL_UNSIGNED_GEN(TW_INTERNAL_ABS)
#undef TW_INTERNAL_ABS

/* ---- saturation: clang's vector builtins promote scalars to int, so those take another way ----------------------- */

#define TW_INTERNAL_SAT_SCALAR(T, n)                                                                                   \
    TW_INTERNAL_OVERLOAD tw_##T tw_add_sat(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        tw_##T tw_sum;                                                                                                 \
        return __builtin_add_overflow(x, y, &tw_sum) ? (tw_##T)(TW_INTERNAL_BEYOND_##n(T, y)) : tw_sum;                \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_sub_sat(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        tw_##T tw_difference;                                                                                          \
        return __builtin_sub_overflow(x, y, &tw_difference) ? (tw_##T)(TW_INTERNAL_BELOW_##n(T, y)) : tw_difference;   \
    }
/* What a sum and a difference saturate to once they overflow: the second argument's sign tells. */
#define TW_INTERNAL_BEYOND_signed(T, y) ((y) < 0 ? TW_INTERNAL_MIN_##T : (tw_long)TW_INTERNAL_MAX_##T)
#define TW_INTERNAL_BELOW_signed(T, y) ((y) < 0 ? (tw_long)TW_INTERNAL_MAX_##T : TW_INTERNAL_MIN_##T)
#define TW_INTERNAL_BEYOND_unsigned(T, y) TW_INTERNAL_MAX_##T
#define TW_INTERNAL_BELOW_unsigned(T, y) 0
TW_INTERNAL_SAT_SCALAR(char, signed)
TW_INTERNAL_SAT_SCALAR(schar, signed)
TW_INTERNAL_SAT_SCALAR(short, signed)
TW_INTERNAL_SAT_SCALAR(int, signed)
TW_INTERNAL_SAT_SCALAR(long, signed)
TW_INTERNAL_SAT_SCALAR(longlong, signed)
TW_INTERNAL_SAT_SCALAR(uchar, unsigned)
TW_INTERNAL_SAT_SCALAR(ushort, unsigned)
TW_INTERNAL_SAT_SCALAR(uint, unsigned)
TW_INTERNAL_SAT_SCALAR(ulong, unsigned)
TW_INTERNAL_SAT_SCALAR(ulonglong, unsigned)
#undef TW_INTERNAL_SAT_SCALAR
#undef TW_INTERNAL_BEYOND_signed
#undef TW_INTERNAL_BELOW_signed
#undef TW_INTERNAL_BEYOND_unsigned
#undef TW_INTERNAL_BELOW_unsigned

#define TW_INTERNAL_SAT_VECTOR(T, n)                                                                                   \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_add_sat(tw_##T##n x, tw_##T##n y)                                                \
    {                                                                                                                  \
        return __builtin_elementwise_add_sat(x, y);                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_sub_sat(tw_##T##n x, tw_##T##n y)                                                \
    {                                                                                                                  \
        return __builtin_elementwise_sub_sat(x, y);                                                                    \
    }
TW_INTERNAL_INTEGER_VECTORS(TW_INTERNAL_SAT_VECTOR)
#undef TW_INTERNAL_SAT_VECTOR

/* ---- products: in twice the width -------------------------------------------------------------------------------- */

#define TW_INTERNAL_PRODUCTS(T, n)                                                                                     \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mul_hi(tw_##T##n x, tw_##T##n y)                                                 \
    {                                                                                                                  \
        const tw_internal_w_##T##n tw_x = TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, x),                               \
                                   tw_y = TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, y);                               \
        return TW_INTERNAL_CAST(T, n, tw_x * tw_y >> (tw_internal_w_##T)(8 * sizeof(tw_##T)));                         \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mad_sat(tw_##T##n a, tw_##T##n b, tw_##T##n c)                                   \
    {                                                                                                                  \
        const tw_internal_w_##T##n tw_a = TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, a),                               \
                                   tw_b = TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, b);                               \
        const tw_internal_w_##T##n tw_sum =                                                                            \
            (tw_internal_w_##T##n)(tw_a * tw_b + TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, c));                       \
        return TW_INTERNAL_CAST(T, n,                                                                                  \
                                tw_clamp(tw_sum, (tw_internal_w_##T##n)(tw_internal_w_##T)TW_INTERNAL_MIN_##T,         \
                                         (tw_internal_w_##T##n)(tw_internal_w_##T)TW_INTERNAL_MAX_##T));               \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_internal_w_##T##n tw_upsample(tw_##T##n high, tw_internal_u_##T##n low)                    \
    {                                                                                                                  \
        const tw_internal_w_##T tw_shift = (tw_internal_w_##T)((tw_internal_w_##T)1 << 8 * sizeof(tw_##T));            \
        return (tw_internal_w_##T##n)(TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, high) * tw_shift                      \
                                      | TW_INTERNAL_CAST_##n(tw_internal_w_##T##n, low));                              \
    }
TW_INTERNAL_PRODUCTS(schar, )
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_PRODUCTS, char)
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_PRODUCTS, uchar)
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_PRODUCTS, short)
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_PRODUCTS, ushort)
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_PRODUCTS, int)
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_PRODUCTS, uint)
#undef TW_INTERNAL_PRODUCTS

/* 64 bits: the sum of the product and c as two words; it saturates unless the high one only continues the low one. */
#define TW_INTERNAL_PRODUCTS_64(T, wide)                                                                               \
    TW_INTERNAL_OVERLOAD tw_##T tw_mul_hi(tw_##T x, tw_##T y)                                                          \
    {                                                                                                                  \
        return (tw_##T)((wide)x * (wide)y >> 64);                                                                      \
    }
TW_INTERNAL_PRODUCTS_64(long, __int128)
TW_INTERNAL_PRODUCTS_64(longlong, __int128)
TW_INTERNAL_PRODUCTS_64(ulong, unsigned __int128)
TW_INTERNAL_PRODUCTS_64(ulonglong, unsigned __int128)
#undef TW_INTERNAL_PRODUCTS_64

#define TW_INTERNAL_MAD_SAT_64(T)                                                                                      \
    TW_INTERNAL_OVERLOAD tw_##T tw_mad_sat(tw_##T a, tw_##T b, tw_##T c)                                               \
    {                                                                                                                  \
        const __int128 tw_sum = (__int128)a * b + c; /* at most 2^126 + 2^63 */                                        \
        return (tw_##T)(tw_sum<TW_INTERNAL_MIN_long ? TW_INTERNAL_MIN_long : tw_sum>(__int128) TW_INTERNAL_MAX_long    \
                            ? (tw_long)TW_INTERNAL_MAX_long                                                            \
                            : (tw_long)tw_sum);                                                                        \
    }
TW_INTERNAL_MAD_SAT_64(long)
TW_INTERNAL_MAD_SAT_64(longlong)
#undef TW_INTERNAL_MAD_SAT_64
#define TW_INTERNAL_MAD_SAT_64(T)                                                                                      \
    TW_INTERNAL_OVERLOAD tw_##T tw_mad_sat(tw_##T a, tw_##T b, tw_##T c)                                               \
    {                                                                                                                  \
        const unsigned __int128 tw_sum = (unsigned __int128)a * b + c; /* less than 2^128 */                           \
        return tw_sum >> 64 ? (tw_##T)TW_INTERNAL_MAX_ulong : (tw_##T)tw_sum;                                          \
    }
TW_INTERNAL_MAD_SAT_64(ulong)
TW_INTERNAL_MAD_SAT_64(ulonglong)
#undef TW_INTERNAL_MAD_SAT_64

#define TW_INTERNAL_PRODUCTS_64(T, n)                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mul_hi(tw_##T##n x, tw_##T##n y)                                                 \
        TW_INTERNAL_LANES_2(tw_##T##n, n, tw_mul_hi, x, y)                                                             \
            TW_INTERNAL_OVERLOAD tw_##T##n tw_mad_sat(tw_##T##n a, tw_##T##n b, tw_##T##n c)                           \
                TW_INTERNAL_LANES_3(tw_##T##n, n, tw_mad_sat, a, b, c)
TW_INTERNAL_VECTORS(TW_INTERNAL_PRODUCTS_64, long)
TW_INTERNAL_VECTORS(TW_INTERNAL_PRODUCTS_64, ulong)
#undef TW_INTERNAL_PRODUCTS_64

#define TW_INTERNAL_MAD_HI(T, n)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mad_hi(tw_##T##n a, tw_##T##n b, tw_##T##n c)                                    \
    {                                                                                                                  \
        return (tw_##T##n)(tw_internal_u_##T##n)((tw_internal_u_##T##n)tw_mul_hi(a, b) + (tw_internal_u_##T##n)(c));   \
    }
TW_INTERNAL_INTEGER_GEN(TW_INTERNAL_MAD_HI)
#undef TW_INTERNAL_MAD_HI

#define TW_INTERNAL_MUL24(T, n)                                                                                        \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mul24(tw_##T##n x, tw_##T##n y)                                                  \
    {                                                                                                                  \
        return (tw_##T##n)((tw_internal_u_##T##n)(x) * (tw_internal_u_##T##n)(y));                                     \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mad24(tw_##T##n x, tw_##T##n y, tw_##T##n z)                                     \
    {                                                                                                                  \
        return (tw_##T##n)((tw_internal_u_##T##n)(x) * (tw_internal_u_##T##n)(y) + (tw_internal_u_##T##n)(z));         \
    }
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_MUL24, int)
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_MUL24, uint)
#undef TW_INTERNAL_MUL24

/* ---- counting bits ----------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_COUNT(T)                                                                                           \
    TW_INTERNAL_OVERLOAD tw_##T tw_clz(tw_##T x)                                                                       \
    {                                                                                                                  \
        const tw_internal_u_##T tw_x = (tw_internal_u_##T)x;                                                           \
        const int tw_bits = 8 * (int)sizeof x;                                                                         \
        return (tw_##T)(tw_x == 0      ? tw_bits                                                                       \
                        : tw_bits > 32 ? __builtin_clzll(tw_x)                                                         \
                                       : __builtin_clz((tw_uint)tw_x) - (32 - tw_bits));                               \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_popcount(tw_##T x)                                                                  \
    {                                                                                                                  \
        const tw_internal_u_##T tw_x = (tw_internal_u_##T)x;                                                           \
        return (tw_##T)(sizeof x > 4 ? __builtin_popcountll(tw_x) : __builtin_popcount((tw_uint)tw_x));                \
    }
TW_INTERNAL_INTEGER_TYPES(TW_INTERNAL_COUNT)
TW_INTERNAL_COUNT(schar)
TW_INTERNAL_COUNT(longlong)
TW_INTERNAL_COUNT(ulonglong)
#undef TW_INTERNAL_COUNT

#define TW_INTERNAL_COUNT(T, n)                                                                                        \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_clz(tw_##T##n x) TW_INTERNAL_LANES_1(tw_##T##n, n, tw_clz, x)                    \
        TW_INTERNAL_OVERLOAD tw_##T##n tw_popcount(tw_##T##n x) TW_INTERNAL_LANES_1(tw_##T##n, n, tw_popcount, x)
TW_INTERNAL_INTEGER_VECTORS(TW_INTERNAL_COUNT)
#undef TW_INTERNAL_COUNT

#pragma clang diagnostic pop

#endif
