/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers a part of what <teamwork/vector.h> declares. */
#ifndef TEAMWORK_LOWER_CONVERT_H
#define TEAMWORK_LOWER_CONVERT_H

#include <teamwork/lower/vector/convert_names.h>
#include <teamwork/lower/vector/vector.h>

/* Of each condition on vectors clang says that it makes a scalar of a vector. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wconversion"

enum {
    TW_INTERNAL_DEFAULT,
    TW_INTERNAL_RTE,
    TW_INTERNAL_RTZ,
    TW_INTERNAL_RTP,
    TW_INTERNAL_RTN,
    TW_INTERNAL_SAT = 8, /* added to one of these */
    TW_INTERNAL_ROUNDING = 7
};

/* A condition on scalars or vectors, as an integer of the type T's width that is -1 where it holds, else 0. */
#define TW_INTERNAL_MASK(T, n, condition) TW_INTERNAL_MASK_##n(tw_internal_s_##T##n, condition)
#define TW_INTERNAL_MASK_(type, condition) ((type)(-(condition)))
#define TW_INTERNAL_MASK_2 TW_INTERNAL_CAST_2
#define TW_INTERNAL_MASK_3 TW_INTERNAL_CAST_2
#define TW_INTERNAL_MASK_4 TW_INTERNAL_CAST_2
#define TW_INTERNAL_MASK_8 TW_INTERNAL_CAST_2
#define TW_INTERNAL_MASK_16 TW_INTERNAL_CAST_2

/* X(R, n, S) for every source type S of a kind. */
#define TW_INTERNAL_FROM_INTEGERS(X, R, n)                                                                             \
    X(R, n, char) X(R, n, uchar) X(R, n, short) X(R, n, ushort) X(R, n, int) X(R, n, uint) X(R, n, long) X(R, n, ulong)

/* ---- integers to integers ---------------------------------------------------------------------------------------- */

/* Moves what lies outside of low to high to the nearer of these. */
#define TW_INTERNAL_CLIP(S, n)                                                                                         \
    static inline                                                                                                      \
        __attribute__((always_inline)) tw_##S##n tw_internal_clip_##S##n(tw_##S##n x, tw_long low, tw_ulong high)      \
    {                                                                                                                  \
        const tw_##S##n tw_low = (tw_##S##n)(tw_##S)(low > TW_INTERNAL_MIN_##S ? low : TW_INTERNAL_MIN_##S);           \
        const tw_##S##n tw_high = (tw_##S##n)(tw_##S)(high < TW_INTERNAL_MAX_##S ? high : TW_INTERNAL_MAX_##S);        \
        x = x < tw_low ? tw_low : x;                                                                                   \
        return x > tw_high ? tw_high : x;                                                                              \
    }
TW_INTERNAL_INTEGER_GEN(TW_INTERNAL_CLIP)
#undef TW_INTERNAL_CLIP

#define TW_INTERNAL_CONVERT(R, n, S)                                                                                   \
    TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(tw_##S##n x, int how)                                         \
    {                                                                                                                  \
        if (how & TW_INTERNAL_SAT)                                                                                     \
            x = tw_internal_clip_##S##n(x, TW_INTERNAL_MIN_##R, TW_INTERNAL_MAX_##R);                                  \
        return TW_INTERNAL_CAST(R, n, x);                                                                              \
    }
#define TW_INTERNAL_CONVERTS(R, n) TW_INTERNAL_FROM_INTEGERS(TW_INTERNAL_CONVERT, R, n)
#define TW_INTERNAL_CONVERTS_ALIASES(R)                                                                                \
    TW_INTERNAL_CONVERTS(R, )                                                                                          \
    TW_INTERNAL_CONVERT(R, , schar) TW_INTERNAL_CONVERT(R, , longlong) TW_INTERNAL_CONVERT(R, , ulonglong)
TW_INTERNAL_INTEGER_TYPES(TW_INTERNAL_CONVERTS_ALIASES)
TW_INTERNAL_INTEGER_VECTORS(TW_INTERNAL_CONVERTS)
#undef TW_INTERNAL_CONVERT
#undef TW_INTERNAL_CONVERTS
#undef TW_INTERNAL_CONVERTS_ALIASES

/* ---- floating point to integers ---------------------------------------------------------------------------------- */

/*
 * To an integral value of the same type, but for RTZ, which casts do by themselves. Where the target has no
 * instructions for it clang would call the C library for each element; there, numbers go through integers of the same
 * width and those of `limit` or more, which are integral, stay as they are.
 */
#if defined(__x86_64__) && !defined(__SSE4_1__)
#define TW_INTERNAL_INTEGRAL(T, n, limit)                                                                              \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_internal_integral(tw_##T##n x, int rounding)                                     \
    {                                                                                                                  \
        const tw_internal_s_##T##n tw_small = TW_INTERNAL_MASK(T, n, (x > (tw_##T) - limit) & (x < (tw_##T)limit));    \
        tw_internal_s_##T##n tw_i = TW_INTERNAL_CAST_##n(tw_internal_s_##T##n, (tw_small ? x : (tw_##T##n)(tw_##T)0)); \
        const tw_##T##n tw_rest = x - TW_INTERNAL_CAST(T, n, tw_i); /* exact, of the sign of x */                      \
        if (rounding == TW_INTERNAL_RTE) {                                                                             \
            const tw_internal_s_##T##n tw_odd = -(tw_i & (tw_internal_s_##T)1);                                        \
            const tw_internal_s_##T##n tw_up = TW_INTERNAL_MASK(T, n, tw_rest == (tw_##T)0.5) & tw_odd;                \
            const tw_internal_s_##T##n tw_down = TW_INTERNAL_MASK(T, n, tw_rest == (tw_##T) - 0.5) & tw_odd;           \
            tw_i -= TW_INTERNAL_MASK(T, n, tw_rest > (tw_##T)0.5) | tw_up;                                             \
            tw_i += TW_INTERNAL_MASK(T, n, tw_rest < (tw_##T) - 0.5) | tw_down;                                        \
        } else if (rounding == TW_INTERNAL_RTP) {                                                                      \
            tw_i -= TW_INTERNAL_MASK(T, n, tw_rest > (tw_##T)0);                                                       \
        } else if (rounding == TW_INTERNAL_RTN) {                                                                      \
            tw_i += TW_INTERNAL_MASK(T, n, tw_rest < (tw_##T)0);                                                       \
        } else {                                                                                                       \
            return x;                                                                                                  \
        }                                                                                                              \
        return tw_small ? TW_INTERNAL_CAST(T, n, tw_i) : x;                                                            \
    }
#else
#define TW_INTERNAL_INTEGRAL(T, n, limit)                                                                              \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_internal_integral(tw_##T##n x, int rounding)                                     \
    {                                                                                                                  \
        return rounding == TW_INTERNAL_RTE   ? __builtin_elementwise_roundeven(x)                                      \
               : rounding == TW_INTERNAL_RTP ? __builtin_elementwise_ceil(x)                                           \
               : rounding == TW_INTERNAL_RTN ? __builtin_elementwise_floor(x)                                          \
                                             : x;                                                                      \
    }
#endif
#define TW_INTERNAL_INTEGRALS(n) TW_INTERNAL_INTEGRAL(float, n, 0x1p23f) TW_INTERNAL_INTEGRAL(double, n, 0x1p52)
TW_INTERNAL_INTEGRALS()
TW_INTERNAL_INTEGRALS(2)
TW_INTERNAL_INTEGRALS(3)
TW_INTERNAL_INTEGRALS(4)
TW_INTERNAL_INTEGRALS(8)
TW_INTERNAL_INTEGRALS(16)
#undef TW_INTERNAL_INTEGRAL
#undef TW_INTERNAL_INTEGRALS

/* The limits, the upper one being a power of two, are exact in S. NaN lies nowhere and stays the 0 it was replaced by.
   Unlike a cast of C, a conversion that is out of range is an unspecified value and no error. */
#define TW_INTERNAL_CONVERT(R, n, S)                                                                                   \
    __attribute__((no_sanitize("float-cast-overflow"))) TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(          \
        tw_##S##n x, int how)                                                                                          \
    {                                                                                                                  \
        const tw_##S tw_low = (tw_##S)TW_INTERNAL_MIN_##R, tw_end = (tw_##S)(TW_INTERNAL_MAX_##R / 2 + 1) * 2;         \
        tw_##R##n tw_r;                                                                                                \
        x = tw_internal_integral(x, how & TW_INTERNAL_ROUNDING);                                                       \
        if (!(how & TW_INTERNAL_SAT))                                                                                  \
            return TW_INTERNAL_CAST(R, n, x);                                                                          \
        tw_r = TW_INTERNAL_CAST(R, n, (((x >= tw_low) & (x < tw_end)) ? x : (tw_##S##n)(tw_##S)0));                    \
        tw_r = TW_INTERNAL_MASK(R, n, x >= tw_end) ? (tw_##R##n)(tw_##R)TW_INTERNAL_MAX_##R : tw_r;                    \
        return TW_INTERNAL_MASK(R, n, x < tw_low) ? (tw_##R##n)(tw_##R)TW_INTERNAL_MIN_##R : tw_r;                     \
    }
#define TW_INTERNAL_CONVERTS(R, n)                                                                                     \
    TW_INTERNAL_CONVERT(R, n, float)                                                                                   \
    TW_INTERNAL_CONVERT(R, n, double)                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(tw_half##n x, int how)                                        \
    {                                                                                                                  \
        return tw_internal_to_##R##n(TW_INTERNAL_CAST(float, n, x), how);                                              \
    }
#define TW_INTERNAL_CONVERTS_SCALAR(R) TW_INTERNAL_CONVERTS(R, )
TW_INTERNAL_INTEGER_TYPES(TW_INTERNAL_CONVERTS_SCALAR)
TW_INTERNAL_INTEGER_VECTORS(TW_INTERNAL_CONVERTS)
#undef TW_INTERNAL_CONVERT
#undef TW_INTERNAL_CONVERTS
#undef TW_INTERNAL_CONVERTS_SCALAR

/* ---- floating point to floating point ---------------------------------------------------------------------------- */

/*
 * x is the number to convert rounded to nearest; `above` and `below` say where that number itself lies. Answers the
 * neighbour of x that the rounding asks for. Bits of numbers of one sign order like their magnitudes: -1 steps
 * towards zero, from infinity to the largest finite number too.
 */
#define TW_INTERNAL_STEP(T, n)                                                                                         \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_internal_step(tw_##T##n x, tw_internal_s_##T##n above,                           \
                                                    tw_internal_s_##T##n below, int rounding)                          \
    {                                                                                                                  \
        tw_internal_s_##T##n tw_bits = __builtin_bit_cast(tw_internal_s_##T##n, x);                                    \
        const tw_internal_s_##T##n tw_negative = TW_INTERNAL_MASK(T, n, tw_bits < (tw_internal_s_##T)0);               \
        const tw_internal_s_##T##n tw_up = tw_negative | (tw_internal_s_##T)1;                                         \
        if (rounding == TW_INTERNAL_RTZ)                                                                               \
            tw_bits += (tw_negative & above) | (~tw_negative & below);                                                 \
        else if (rounding == TW_INTERNAL_RTP)                                                                          \
            tw_bits += above & tw_up;                                                                                  \
        else if (rounding == TW_INTERNAL_RTN)                                                                          \
            tw_bits -= below & tw_up;                                                                                  \
        return __builtin_bit_cast(tw_##T##n, tw_bits);                                                                 \
    }
TW_INTERNAL_STEP(half, )
TW_INTERNAL_STEP(float, )
TW_INTERNAL_STEP(double, )
TW_INTERNAL_FLOAT_VECTORS(TW_INTERNAL_STEP)
#undef TW_INTERNAL_STEP

#define TW_INTERNAL_NARROW(R, n, S)                                                                                    \
    TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(tw_##S##n x, int how)                                         \
    {                                                                                                                  \
        const tw_##R##n tw_r = TW_INTERNAL_CAST(R, n, x);                                                              \
        const tw_##S##n tw_back = TW_INTERNAL_CAST(S, n, tw_r);                                                        \
        return tw_internal_step(tw_r, TW_INTERNAL_MASK(R, n, x > tw_back), TW_INTERNAL_MASK(R, n, x < tw_back), how);  \
    }
#define TW_INTERNAL_WIDEN(R, n, S)                                                                                     \
    TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(tw_##S##n x, int how)                                         \
    {                                                                                                                  \
        (void)how;                                                                                                     \
        return TW_INTERNAL_CAST(R, n, x);                                                                              \
    }
#define TW_INTERNAL_CONVERTS(n)                                                                                        \
    TW_INTERNAL_WIDEN(half, n, half)                                                                                   \
    TW_INTERNAL_NARROW(half, n, float)                                                                                 \
    TW_INTERNAL_NARROW(half, n, double)                                                                                \
    TW_INTERNAL_WIDEN(float, n, half)                                                                                  \
    TW_INTERNAL_WIDEN(float, n, float)                                                                                 \
    TW_INTERNAL_NARROW(float, n, double)                                                                               \
    TW_INTERNAL_WIDEN(double, n, half)                                                                                 \
    TW_INTERNAL_WIDEN(double, n, float)                                                                                \
    TW_INTERNAL_WIDEN(double, n, double)
TW_INTERNAL_CONVERTS()
TW_INTERNAL_CONVERTS(2)
TW_INTERNAL_CONVERTS(3)
TW_INTERNAL_CONVERTS(4)
TW_INTERNAL_CONVERTS(8)
TW_INTERNAL_CONVERTS(16)
#undef TW_INTERNAL_CONVERTS
#undef TW_INTERNAL_NARROW

/* ---- integers to floating point ---------------------------------------------------------------------------------- */

/* Through a wider type where that is exact: rounding is left to the next step. To nearest, the compiler's way is
   exact. */
#define TW_INTERNAL_THROUGH(R, n, S, W)                                                                                \
    TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(tw_##S##n x, int how)                                         \
    {                                                                                                                  \
        if (how <= TW_INTERNAL_RTE)                                                                                    \
            return TW_INTERNAL_CAST(R, n, x);                                                                          \
        return tw_internal_to_##R##n(tw_internal_to_##W##n(x, how), how);                                              \
    }

/* 64 bits to double: both halves are exact, and so is the error of their sum. */
#define TW_INTERNAL_LONG(R, n, S)                                                                                      \
    TW_INTERNAL_OVERLOAD tw_##R##n tw_internal_to_##R##n(tw_##S##n x, int how)                                         \
    {                                                                                                                  \
        _Pragma("clang fp reassociate(off)");                                                                          \
        if (how <= TW_INTERNAL_RTE)                                                                                    \
            return TW_INTERNAL_CAST(R, n, x);                                                                          \
        const tw_##R##n tw_high = TW_INTERNAL_CAST(R, n, x >> (tw_##S)32) * (tw_##R)0x1p32;                            \
        const tw_##R##n tw_low = TW_INTERNAL_CAST(R, n, x & (tw_##S)0xffffffff);                                       \
        const tw_##R##n tw_sum = tw_high + tw_low, tw_error = tw_low - (tw_sum - tw_high);                             \
        return tw_internal_step(tw_sum, TW_INTERNAL_MASK(R, n, tw_error > (tw_##R)0),                                  \
                                TW_INTERNAL_MASK(R, n, tw_error < (tw_##R)0), how);                                    \
    }

/* Rounding twice in the same direction, of those but to nearest, is rounding once. */
#define TW_INTERNAL_CONVERTS(n)                                                                                        \
    TW_INTERNAL_WIDEN(double, n, char)                                                                                 \
    TW_INTERNAL_WIDEN(double, n, uchar)                                                                                \
    TW_INTERNAL_WIDEN(double, n, short)                                                                                \
    TW_INTERNAL_WIDEN(double, n, ushort)                                                                               \
    TW_INTERNAL_WIDEN(double, n, int)                                                                                  \
    TW_INTERNAL_WIDEN(double, n, uint)                                                                                 \
    TW_INTERNAL_LONG(double, n, long)                                                                                  \
    TW_INTERNAL_LONG(double, n, ulong)                                                                                 \
    TW_INTERNAL_WIDEN(float, n, char)                                                                                  \
    TW_INTERNAL_WIDEN(float, n, uchar)                                                                                 \
    TW_INTERNAL_WIDEN(float, n, short)                                                                                 \
    TW_INTERNAL_WIDEN(float, n, ushort)                                                                                \
    TW_INTERNAL_THROUGH(float, n, int, double)                                                                         \
    TW_INTERNAL_THROUGH(float, n, uint, double)                                                                        \
    TW_INTERNAL_THROUGH(float, n, long, double)                                                                        \
    TW_INTERNAL_THROUGH(float, n, ulong, double)                                                                       \
    TW_INTERNAL_WIDEN(half, n, char)                                                                                   \
    TW_INTERNAL_WIDEN(half, n, uchar)                                                                                  \
    TW_INTERNAL_THROUGH(half, n, short, float)                                                                         \
    TW_INTERNAL_THROUGH(half, n, ushort, float)                                                                        \
    TW_INTERNAL_THROUGH(half, n, int, float)                                                                           \
    TW_INTERNAL_THROUGH(half, n, uint, float)                                                                          \
    TW_INTERNAL_THROUGH(half, n, long, float)                                                                          \
    TW_INTERNAL_THROUGH(half, n, ulong, float)
TW_INTERNAL_CONVERTS()
TW_INTERNAL_CONVERTS(2)
TW_INTERNAL_CONVERTS(3)
TW_INTERNAL_CONVERTS(4)
TW_INTERNAL_CONVERTS(8)
TW_INTERNAL_CONVERTS(16)
TW_INTERNAL_WIDEN(double, , schar)
TW_INTERNAL_WIDEN(float, , schar)
TW_INTERNAL_WIDEN(half, , schar)
TW_INTERNAL_LONG(double, , longlong)
TW_INTERNAL_LONG(double, , ulonglong)
TW_INTERNAL_THROUGH(float, , longlong, double)
TW_INTERNAL_THROUGH(float, , ulonglong, double)
TW_INTERNAL_THROUGH(half, , longlong, float)
TW_INTERNAL_THROUGH(half, , ulonglong, float)
#undef TW_INTERNAL_CONVERTS
#undef TW_INTERNAL_WIDEN
#undef TW_INTERNAL_THROUGH
#undef TW_INTERNAL_LONG
#undef TW_INTERNAL_FROM_INTEGERS

#undef TW_INTERNAL_MASK
#undef TW_INTERNAL_MASK_
#undef TW_INTERNAL_MASK_2
#undef TW_INTERNAL_MASK_3
#undef TW_INTERNAL_MASK_4
#undef TW_INTERNAL_MASK_8
#undef TW_INTERNAL_MASK_16

#pragma clang diagnostic pop

#endif
