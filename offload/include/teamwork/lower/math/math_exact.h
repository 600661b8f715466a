/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Mathematical functions without rounding, or with one rounding that the hardware does: taking numbers apart, rounding
 * to integers, remainders, and the like (spec 3.9.3). The scalar forms for float and double.
 *
 * All is arithmetic and bits, without branches, so that loops over work-items vectorize, and the same on every device.
 */
#ifndef TEAMWORK_LOWER_MATH_EXACT_H
#define TEAMWORK_LOWER_MATH_EXACT_H

#include <limits.h>

#include <teamwork/lower/math/math_device.h>

/* What tw_ilogb() answers for zero and for a NaN, on every device; for an infinity it is INT_MAX. */
#define TW_FP_ILOGB0 INT_MIN
#define TW_FP_ILOGBNAN INT_MIN

/* ---- single operations ------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DEFINE(name, builtin, T)                                                                           \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_##name(tw_##T x)                                                                 \
    {                                                                                                                  \
        return __builtin_elementwise_##builtin(x);                                                                     \
    }
#define TW_INTERNAL_DEFINE_ALL(T)                                                                                      \
    TW_INTERNAL_DEFINE(ceil, ceil, T)                                                                                  \
    TW_INTERNAL_DEFINE(fabs, abs, T)                                                                                   \
    TW_INTERNAL_DEFINE(floor, floor, T)                                                                                \
    TW_INTERNAL_DEFINE(rint, rint, T)                                                                                  \
    TW_INTERNAL_DEFINE(round, round, T)                                                                                \
    TW_INTERNAL_DEFINE(sqrt, sqrt, T)                                                                                  \
    TW_INTERNAL_DEFINE(trunc, trunc, T)                                                                                \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_copysign(tw_##T x, tw_##T y)                                                     \
    {                                                                                                                  \
        return __builtin_elementwise_copysign(x, y);                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_fmax(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        return __builtin_elementwise_max(x, y);                                                                        \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_fmin(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        return __builtin_elementwise_min(x, y);                                                                        \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_fma(tw_##T x, tw_##T y, tw_##T z)                                                \
    {                                                                                                                  \
        return __builtin_elementwise_fma(x, y, z);                                                                     \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_mad(tw_##T x, tw_##T y, tw_##T z)                                                \
    {                                                                                                                  \
        return x * y + z;                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_fdim(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        return x <= y ? 0 : x - y;                                                                                     \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_maxmag(tw_##T x, tw_##T y)                                                       \
    {                                                                                                                  \
        const tw_##T a = tw_fabs(x), b = tw_fabs(y);                                                                   \
        return a > b ? x : b > a ? y : tw_fmax(x, y);                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_minmag(tw_##T x, tw_##T y)                                                       \
    {                                                                                                                  \
        const tw_##T a = tw_fabs(x), b = tw_fabs(y);                                                                   \
        return a < b ? x : b < a ? y : tw_fmin(x, y);                                                                  \
    }
TW_INTERNAL_DEFINE_ALL(float)
TW_INTERNAL_DEFINE_ALL(double)
#undef TW_INTERNAL_DEFINE_ALL
#undef TW_INTERNAL_DEFINE

/* ---- exponent and significand ------------------------------------------------------------------------------------ */

/* The magnitude's bits of a finite number, made normal by the power of 2 `up` if need be, and its exponent. */
#define TW_INTERNAL_EXPONENTS(T, up, up_bits)                                                                          \
    TW_INTERNAL_OVERLOAD tw_internal_u_##T tw_internal_normal(tw_##T x, int *exponent)                                 \
    {                                                                                                                  \
        const tw_internal_u_##T a = TW_INTERNAL_MATH_MAGNITUDE(T, x);                                                  \
        const int subnormal = a < TW_INTERNAL_ONE_BIT(T) << TW_INTERNAL_##T##_BITS;                                    \
        const tw_internal_u_##T n = subnormal ? TW_INTERNAL_MATH_MAGNITUDE(T, x * up) : a;                             \
        *exponent = (int)(n >> TW_INTERNAL_##T##_BITS) - TW_INTERNAL_##T##_BIAS - (subnormal ? up_bits : 0);           \
        return n;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR int tw_ilogb(tw_##T x)                                                                     \
    {                                                                                                                  \
        const tw_internal_u_##T a = TW_INTERNAL_MATH_MAGNITUDE(T, x), infinity = TW_INTERNAL_INF_BITS(T);              \
        int exponent;                                                                                                  \
        tw_internal_normal(x, &exponent);                                                                              \
        return a == 0 ? TW_FP_ILOGB0 : a > infinity ? TW_FP_ILOGBNAN : a == infinity ? INT_MAX : exponent;             \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_logb(tw_##T x)                                                                   \
    {                                                                                                                  \
        const tw_internal_u_##T a = TW_INTERNAL_MATH_MAGNITUDE(T, x);                                                  \
        int exponent;                                                                                                  \
        tw_internal_normal(x, &exponent);                                                                              \
        return a == 0 ? -TW_INTERNAL_INFINITY(T) : a >= TW_INTERNAL_INF_BITS(T) ? x * x : (tw_##T)exponent;            \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_frexp(tw_##T x, int *exponent)                                                   \
    {                                                                                                                  \
        const tw_internal_u_##T a = TW_INTERNAL_MATH_MAGNITUDE(T, x);                                                  \
        const int as_it_is = a == 0 || a >= TW_INTERNAL_INF_BITS(T);                                                   \
        int e;                                                                                                         \
        const tw_internal_u_##T n = tw_internal_normal(x, &e);                                                         \
        const tw_internal_u_##T significand = n & ((TW_INTERNAL_ONE_BIT(T) << TW_INTERNAL_##T##_BITS) - 1);            \
        const tw_internal_u_##T half = (tw_internal_u_##T)(TW_INTERNAL_##T##_BIAS - 1) << TW_INTERNAL_##T##_BITS;      \
        *exponent = as_it_is ? 0 : e + 1;                                                                              \
        return as_it_is ? x + x                                                                                        \
                        : tw_internal_real_##T(significand | half | (tw_internal_bits(x) & TW_INTERNAL_SIGN_BIT(T)));  \
    }
TW_INTERNAL_EXPONENTS(float, 0x1p24f, 24)
TW_INTERNAL_EXPONENTS(double, 0x1p53, 53)
#undef TW_INTERNAL_EXPONENTS

/* Multiplies by powers of 2 within the exponent's range, of which only the last may round: on the way down the others
   leave room for the whole significand above the subnormal numbers, or what they lose is lost anyway. */
#define TW_INTERNAL_LDEXP(T, up, down, down_bits)                                                                      \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_ldexp(tw_##T x, int n)                                                           \
    {                                                                                                                  \
        const int most = TW_INTERNAL_##T##_BIAS, least = 1 - TW_INTERNAL_##T##_BIAS;                                   \
        for (int turn = 0; turn < 2; ++turn) {                                                                         \
            x *= n > most ? up : n < least ? down : 1;                                                                 \
            n -= n > most ? most : n < least ? -(down_bits) : 0;                                                       \
        }                                                                                                              \
        n = n > most ? most : n < least ? least : n;                                                                   \
        return x * tw_internal_real_##T((tw_internal_u_##T)(n + TW_INTERNAL_##T##_BIAS) << TW_INTERNAL_##T##_BITS);    \
    }
TW_INTERNAL_LDEXP(float, 0x1p127f, 0x1p-102f, 102)
TW_INTERNAL_LDEXP(double, 0x1p1023, 0x1p-969, 969)
#undef TW_INTERNAL_LDEXP

/* ---- neighbours and parts ---------------------------------------------------------------------------------------- */

/* Numbers of one sign are ordered as their bits are. */
#define TW_INTERNAL_NEXTAFTER(T)                                                                                       \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_nextafter(tw_##T x, tw_##T y)                                                    \
    {                                                                                                                  \
        const tw_internal_u_##T a = tw_internal_bits(x), b = tw_internal_bits(y);                                      \
        const tw_internal_u_##T outward = a + 1, inward = a - 1;                                                       \
        const tw_internal_u_##T smallest = (b & TW_INTERNAL_SIGN_BIT(T)) | 1;                                          \
        const tw_##T next = tw_internal_real_##T(x == 0 ? smallest : (x < y) == (x > 0) ? outward : inward);           \
        return x != x || y != y ? (tw_##T)(x + y) : x == y ? y : next;                                                 \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_nan(tw_internal_u_##T code)                                                      \
    {                                                                                                                  \
        const tw_internal_u_##T quiet = TW_INTERNAL_ONE_BIT(T) << (TW_INTERNAL_##T##_BITS - 1);                        \
        return tw_internal_real_##T(TW_INTERNAL_INF_BITS(T) | quiet | (code & (quiet - 1)));                           \
    }
TW_INTERNAL_NEXTAFTER(half)
TW_INTERNAL_NEXTAFTER(float)
TW_INTERNAL_NEXTAFTER(double)
#undef TW_INTERNAL_NEXTAFTER

/* The difference of a small negative number and its floor rounds to 1, which fract may not return. */
#define TW_INTERNAL_PARTS(T, below_1)                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_fract(tw_##T x, tw_##T *integral)                                                \
    {                                                                                                                  \
        const tw_##T whole = tw_floor(x), part = x - whole;                                                            \
        *integral = whole;                                                                                             \
        const tw_##T below = part >= 1 ? below_1 : part;                                                               \
        return x == 0 || tw_fabs(x) == TW_INTERNAL_INFINITY(T) ? tw_copysign((tw_##T)0, x) : below;                    \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_modf(tw_##T x, tw_##T *integral)                                                 \
    {                                                                                                                  \
        const tw_##T whole = tw_trunc(x);                                                                              \
        *integral = whole;                                                                                             \
        return tw_copysign(tw_fabs(x) == TW_INTERNAL_INFINITY(T) ? 0 : x - whole, x);                                  \
    }
TW_INTERNAL_PARTS(float, 0x1.fffffep-1f)
TW_INTERNAL_PARTS(double, 0x1.fffffffffffffp-1)
#undef TW_INTERNAL_PARTS

/* ---- remainders -------------------------------------------------------------------------------------------------- */

/* After fmod() by 128 y, seven subtractions give the quotient's low bits, since libraries promise only three. A
   multiple of y that is too large to represent is larger than what is left; differences of numbers within a factor of 2
   are exact. */
#define TW_INTERNAL_REMAINDERS(T)                                                                                      \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_fmod(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        return TW_INTERNAL_CALL(T, fmod)(x, y);                                                                        \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_remainder(tw_##T x, tw_##T y)                                                    \
    {                                                                                                                  \
        return TW_INTERNAL_CALL(T, remainder)(x, y);                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_remquo(tw_##T x, tw_##T y, int *quotient)                                        \
    {                                                                                                                  \
        const tw_##T a = tw_fabs(x), b = tw_fabs(y), inf = TW_INTERNAL_INFINITY(T);                                    \
        const int valid = a < inf && b <= inf && b > 0;                                                                \
        const int negative = (tw_internal_bits(x) ^ tw_internal_bits(y)) >> (8 * sizeof x - 1) & 1;                    \
        tw_##T left = b * 128 < inf ? TW_INTERNAL_CALL(T, fmod)(a, b * 128) : a;                                       \
        int q = 0;                                                                                                     \
        for (int bit = 64; bit > 0; bit >>= 1) {                                                                       \
            const int fits = left >= b * (tw_##T)bit;                                                                  \
            left = fits ? left - b * (tw_##T)bit : left;                                                               \
            q |= fits ? bit : 0;                                                                                       \
        }                                                                                                              \
        const tw_##T above = b - left; /* how far the next multiple is */                                              \
        const int up = left > above || (left == above && q & 1);                                                       \
        left = up ? -above : left;                                                                                     \
        q = (q + up) & 127;                                                                                            \
        *quotient = !valid ? 0 : negative ? -q : q;                                                                    \
        left = left == 0 ? tw_copysign(left, x) : tw_internal_bits(x) & TW_INTERNAL_SIGN_BIT(T) ? -left : left;        \
        return valid ? left : TW_INTERNAL_NAN(T);                                                                      \
    }
TW_INTERNAL_REMAINDERS(float)
TW_INTERNAL_REMAINDERS(double)
#undef TW_INTERNAL_REMAINDERS

#endif
