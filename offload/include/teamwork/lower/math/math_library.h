/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Mathematical functions with rounding errors (spec 3.9.3): the scalar forms for float and double, from what each
 * device's library has, composed where it has none or a worse one than OpenCL 1.2 (7.4) allows. docs/math.md has the
 * errors.
 */
#ifndef TEAMWORK_LOWER_MATH_LIBRARY_H
#define TEAMWORK_LOWER_MATH_LIBRARY_H

#include <teamwork/lower/math/math_exact.h>

#define TW_INTERNAL_PI 0x1.921fb54442d18p+1
#define TW_INTERNAL_1_PI 0x1.45f306dc9c883p-2

/* ---- as the library has them ------------------------------------------------------------------------------------- */

#define TW_INTERNAL_BY_CALL(T, name)                                                                                   \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_##name(tw_##T x)                                                                 \
    {                                                                                                                  \
        return TW_INTERNAL_CALL(T, name)(x);                                                                           \
    }
#define TW_INTERNAL_BY_CALL_2(T, name)                                                                                 \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_##name(tw_##T x, tw_##T y)                                                       \
    {                                                                                                                  \
        return TW_INTERNAL_CALL(T, name)(x, y);                                                                        \
    }
#define TW_INTERNAL_BY_CALL_BOTH(name) TW_INTERNAL_BY_CALL(float, name) TW_INTERNAL_BY_CALL(double, name)

#ifdef TW_INTERNAL_MATH_GPU
TW_INTERNAL_MATH_UNARY_LIBM(TW_INTERNAL_BY_CALL_BOTH)
TW_INTERNAL_BY_CALL_2(float, pow)
TW_INTERNAL_BY_CALL_2(double, pow)
TW_INTERNAL_BY_CALL_BOTH(cbrt)
TW_INTERNAL_BY_CALL_BOTH(rsqrt)
TW_INTERNAL_BY_CALL_BOTH(lgamma)
#else
#define TW_INTERNAL_BY_INTRINSIC(name)                                                                                 \
    TW_INTERNAL_MATH_SCALAR tw_float tw_##name(tw_float x)                                                             \
    {                                                                                                                  \
        return __builtin_elementwise_##name(x);                                                                        \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_double tw_##name(tw_double x)                                                           \
    {                                                                                                                  \
        return __builtin_elementwise_##name(x);                                                                        \
    }
TW_INTERNAL_MATH_UNARY_LIBM(TW_INTERNAL_BY_INTRINSIC)
#undef TW_INTERNAL_BY_INTRINSIC
TW_INTERNAL_MATH_SCALAR tw_float tw_pow(tw_float x, tw_float y)
{
    return __builtin_elementwise_pow(x, y);
}
TW_INTERNAL_MATH_SCALAR tw_double tw_pow(tw_double x, tw_double y)
{
    return __builtin_elementwise_pow(x, y);
}
TW_INTERNAL_MATH_SCALAR tw_float tw_rsqrt(tw_float x)
{
    return 1 / tw_sqrt(x);
}
TW_INTERNAL_MATH_SCALAR tw_double tw_rsqrt(tw_double x)
{
    return 1 / tw_sqrt(x);
}
TW_INTERNAL_MATH_SCALAR tw_float tw_lgamma(tw_float x)
{
    int sign;
    return tw_internal_lgammaf_r(x, &sign);
}
TW_INTERNAL_MATH_SCALAR tw_double tw_lgamma(tw_double x)
{
    int sign;
    return tw_internal_lgamma_r(x, &sign);
}
#endif

TW_INTERNAL_BY_CALL_BOTH(acosh)
TW_INTERNAL_BY_CALL_BOTH(asinh)
TW_INTERNAL_BY_CALL_BOTH(atanh)
TW_INTERNAL_BY_CALL_BOTH(erf)
TW_INTERNAL_BY_CALL_BOTH(erfc)
TW_INTERNAL_BY_CALL_BOTH(exp10)
TW_INTERNAL_BY_CALL_BOTH(expm1)
TW_INTERNAL_BY_CALL_BOTH(log1p)
TW_INTERNAL_BY_CALL_BOTH(tgamma)
TW_INTERNAL_BY_CALL_2(float, atan2)
TW_INTERNAL_BY_CALL_2(double, atan2)
TW_INTERNAL_BY_CALL_2(float, hypot)
TW_INTERNAL_BY_CALL_2(double, hypot)
#undef TW_INTERNAL_BY_CALL_BOTH
#undef TW_INTERNAL_BY_CALL_2
#undef TW_INTERNAL_BY_CALL

/* lgamma_r, and sincos: the two functions share most of their work, which the compiler sees on CPUs. */
#define TW_INTERNAL_TWO_RESULTS(T)                                                                                     \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_lgamma_r(tw_##T x, int *sign)                                                    \
    {                                                                                                                  \
        const tw_##T whole = tw_floor(x), pair = whole * (tw_##T)0.5;                                                  \
        const int odd = tw_floor(pair) != pair, pole = x == 0 || (x == whole && x > -TW_INTERNAL_INFINITY(T));         \
        *sign = x > 0 || x != x ? 1 : pole ? 0 : odd ? -1 : 1;                                                         \
        return tw_lgamma(x);                                                                                           \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_sincos(tw_##T x, tw_##T *cosine)                                                 \
    {                                                                                                                  \
        TW_INTERNAL_SINCOS(T)                                                                                          \
    }
#ifdef __NVPTX__
#define TW_INTERNAL_SINCOS(T)                                                                                          \
    tw_##T s, c;                                                                                                       \
    TW_INTERNAL_CALL(T, sincos)(x, &s, &c);                                                                            \
    *cosine = c;                                                                                                       \
    return s;
#else
#define TW_INTERNAL_SINCOS(T)                                                                                          \
    const tw_##T s = tw_sin(x);                                                                                        \
    *cosine = tw_cos(x);                                                                                               \
    return s;
#endif
TW_INTERNAL_TWO_RESULTS(float)
TW_INTERNAL_TWO_RESULTS(double)
#undef TW_INTERNAL_SINCOS
#undef TW_INTERNAL_TWO_RESULTS

/* ---- cube root on CPUs: glibc's is off by up to 3.7 ulp in double, and 2 are allowed ----------------------------- */

#ifndef TW_INTERNAL_MATH_GPU
/* A third of the exponent, to 5 bits, then two steps of Halley's method, each of which triples the correct bits. Of
   normal numbers. */
TW_INTERNAL_OVERLOAD tw_double tw_internal_near_cbrt(tw_double a)
{
    tw_double t = tw_internal_real_double(tw_internal_bits(a) / 3 + 0x2a9f7893782da1ceu);
    for (int turn = 0; turn < 2; ++turn) {
        const tw_double cube = t * t * t;
        t *= (cube + 2 * a) / (2 * cube + a);
    }
    return t;
}

TW_INTERNAL_MATH_SCALAR tw_float tw_cbrt(tw_float x)
{
    const tw_double a = tw_fabs((tw_double)x);
    return a > 0 && a < TW_INTERNAL_INFINITY(double) ? tw_copysign((tw_float)tw_internal_near_cbrt(a), x) : x + x;
}

/* The last step starts from so few bits that their square is exact. Numbers at the ends of the range are scaled, by
   powers of 8. */
TW_INTERNAL_MATH_SCALAR tw_double tw_cbrt(tw_double x)
{
    const tw_double a = tw_fabs(x);
    const int tiny = a < 0x1p-1000, huge = a > 0x1p1000;
    const tw_double scaled = a * (tiny ? 0x1p54 : huge ? 0x1p-54 : 1), unscale = tiny ? 0x1p-18 : huge ? 0x1p18 : 1;
    const tw_double near = tw_internal_near_cbrt(scaled);
    const tw_double t = tw_internal_real_double((tw_internal_bits(near) + 0x8000000u) & 0xfffffffff0000000u);
    const tw_double quotient = scaled / (t * t), root = t + t * (quotient - t) / (2 * t + quotient);
    return a > 0 && a < TW_INTERNAL_INFINITY(double) ? tw_copysign(root * unscale, x) : x + x;
}
#endif

/* ---- by pi ------------------------------------------------------------------------------------------------------- */

/* x / pi with at most one rounding of weight: in double, or with 1 / pi in two parts. */
TW_INTERNAL_OVERLOAD tw_float tw_internal_by_pi(tw_float x)
{
#ifdef TW_INTERNAL_MATH_GPU
    return tw_fma(x, 0x1.45f306p-2f, x * 0x1.b9391p-27f);
#else
    return (tw_float)(x * TW_INTERNAL_1_PI);
#endif
}

TW_INTERNAL_OVERLOAD tw_double tw_internal_by_pi(tw_double x)
{
#ifdef TW_INTERNAL_MATH_GPU
    return __builtin_copysign(tw_fma(x, TW_INTERNAL_1_PI, x * -0x1.6b01ec5417056p-56), x); /* of zeros, too */
#else
    return x * TW_INTERNAL_1_PI;
#endif
}

#define TW_INTERNAL_BY_PI(T)                                                                                           \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_acospi(tw_##T x)                                                                 \
    {                                                                                                                  \
        return tw_internal_by_pi(tw_acos(x));                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_asinpi(tw_##T x)                                                                 \
    {                                                                                                                  \
        return tw_internal_by_pi(tw_asin(x));                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_atanpi(tw_##T x)                                                                 \
    {                                                                                                                  \
        return tw_internal_by_pi(tw_atan(x));                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_atan2pi(tw_##T y, tw_##T x)                                                      \
    {                                                                                                                  \
        return tw_internal_by_pi(tw_atan2(y, x));                                                                      \
    }
TW_INTERNAL_BY_PI(float)
TW_INTERNAL_BY_PI(double)
#undef TW_INTERNAL_BY_PI

#ifdef TW_INTERNAL_MATH_GPU
/* The signs of zeros are OpenCL's, which the libraries do not promise. */
#define TW_INTERNAL_TURNS(T)                                                                                           \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_sinpi(tw_##T x)                                                                  \
    {                                                                                                                  \
        const tw_##T y = TW_INTERNAL_CALL(T, sinpi)(x);                                                                \
        return y == 0 ? tw_copysign(y, x) : y;                                                                         \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_cospi(tw_##T x)                                                                  \
    {                                                                                                                  \
        return TW_INTERNAL_CALL(T, cospi)(x) + 0;                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_internal_tan_quarter(tw_##T x)                                                      \
    {                                                                                                                  \
        return TW_INTERNAL_CALL(T, sinpi)(x) / TW_INTERNAL_CALL(T, cospi)(x);                                          \
    }
#else
/* sin(pi x) for |x| <= 1/2. For float Taylor's series in double, until the next term is below a thousandth of an ulp.
   */
TW_INTERNAL_OVERLOAD tw_double tw_internal_sin_series(tw_double x)
{
    static const tw_double taylor[] = {-0x1.6fadb9f155744p-16, 0x1.e8f434d018d63p-12, -0x1.e3074fde8871fp-8,
                                       0x1.50783487ee782p-4,   -0x1.32d2cce62bd86p-1, 0x1.466bc6775aae2p+1,
                                       -0x1.4abbce625be53p+2,  0x1.921fb54442d18p+1};
    const tw_double z = x * x;
    tw_double sum = taylor[0];
    for (int k = 1; k < 8; ++k)
        sum = sum * z + taylor[k];
    return x * sum;
}

TW_INTERNAL_OVERLOAD tw_float tw_internal_sin_half(tw_float x)
{
    return (tw_float)tw_internal_sin_series(x);
}
TW_INTERNAL_OVERLOAD tw_double tw_internal_sin_half(tw_double x)
{
    return tw_sin(TW_INTERNAL_PI * x);
}

/* cos(pi x) for 0 <= x <= 1. */
TW_INTERNAL_OVERLOAD tw_float tw_internal_cos_turn(tw_float x)
{
    return (tw_float)tw_internal_sin_series(0.5 - x);
}
TW_INTERNAL_OVERLOAD tw_double tw_internal_cos_turn(tw_double x)
{
    return tw_sin(TW_INTERNAL_PI * (0.5 - x));
}

/* tan(pi x) for |x| <= 1/4. */
TW_INTERNAL_OVERLOAD tw_float tw_internal_tan_quarter(tw_float x)
{
    return (tw_float)(tw_internal_sin_series(x) / tw_internal_sin_series(0.5 - x));
}
TW_INTERNAL_OVERLOAD tw_double tw_internal_tan_quarter(tw_double x)
{
    return tw_tan(TW_INTERNAL_PI * x);
}

/* A whole number of turns is subtracted exactly, and the rest is mirrored into the half turn around 0. */
#define TW_INTERNAL_TURNS(T)                                                                                           \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_sinpi(tw_##T x)                                                                  \
    {                                                                                                                  \
        const tw_##T turn = x - 2 * tw_rint(x * (tw_##T)0.5), a = tw_fabs(turn);                                       \
        const tw_##T y = tw_copysign(tw_internal_sin_half(a > (tw_##T)0.5 ? 1 - a : a), turn);                         \
        return y == 0 ? tw_copysign(y, x) : y;                                                                         \
    }                                                                                                                  \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_cospi(tw_##T x)                                                                  \
    {                                                                                                                  \
        return tw_internal_cos_turn(tw_fabs(x - 2 * tw_rint(x * (tw_##T)0.5)));                                        \
    }
#endif

/* tan repeats after half a turn. Zeros and infinities have the sign of the number of half turns. */
#define TW_INTERNAL_TANPI(T)                                                                                           \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_tanpi(tw_##T x)                                                                  \
    {                                                                                                                  \
        const tw_##T whole = tw_rint(x), pairs = whole * (tw_##T)0.5, rest = x - whole, a = tw_fabs(rest);             \
        const tw_##T t = tw_internal_tan_quarter(a > (tw_##T)0.25 ? (tw_##T)0.5 - a : a);                              \
        const tw_##T y = a > (tw_##T)0.25 ? 1 / t : t;                                                                 \
        const tw_##T of_zero = pairs != tw_trunc(pairs) ? -x : x;                                                      \
        return tw_copysign(y, rest == 0 ? of_zero : rest);                                                             \
    }
TW_INTERNAL_TURNS(float)
TW_INTERNAL_TURNS(double)
TW_INTERNAL_TANPI(float)
TW_INTERNAL_TANPI(double)
#undef TW_INTERNAL_TANPI
#undef TW_INTERNAL_TURNS

/* ---- powers ------------------------------------------------------------------------------------------------------ */

/* pow() with other special cases: what it answers with 1 although a limit does not exist is a NaN. */
#define TW_INTERNAL_POWR(T)                                                                                            \
    TW_INTERNAL_MATH_SCALAR tw_##T tw_powr(tw_##T x, tw_##T y)                                                         \
    {                                                                                                                  \
        const tw_##T inf = TW_INTERNAL_INFINITY(T), power = tw_pow(tw_fabs(x), y);                                     \
        const int invalid =                                                                                            \
            x < 0 || x != x || y != y || (y == 0 && (x == 0 || x == inf)) || (x == 1 && tw_fabs(y) == inf);            \
        return invalid ? TW_INTERNAL_NAN(T) : power;                                                                   \
    }
TW_INTERNAL_POWR(float)
TW_INTERNAL_POWR(double)
#undef TW_INTERNAL_POWR

TW_INTERNAL_MATH_SCALAR tw_double tw_pown(tw_double x, int n)
{
    return tw_pow(x, (tw_double)n);
}

/* Not every int is a float. */
TW_INTERNAL_MATH_SCALAR tw_float tw_pown(tw_float x, int n)
{
#ifdef TW_INTERNAL_MATH_GPU
    if (n <= 0x1000000 && n >= -0x1000000)
        return tw_pow(x, (tw_float)n);
#endif
    return (tw_float)tw_pow((tw_double)x, (tw_double)n);
}

/* Restores the sign of a root of |x|, and says where there is none. */
#define TW_INTERNAL_SIGN_OF_ROOT(T)                                                                                    \
    TW_INTERNAL_OVERLOAD tw_##T tw_internal_sign_of_root(tw_##T root, tw_##T x, int n)                                 \
    {                                                                                                                  \
        const int odd = n & 1;                                                                                         \
        return n == 0 || (x < 0 && !odd) ? TW_INTERNAL_NAN(T) : odd ? tw_copysign(root, x) : root;                     \
    }
TW_INTERNAL_SIGN_OF_ROOT(float)
TW_INTERNAL_SIGN_OF_ROOT(double)
#undef TW_INTERNAL_SIGN_OF_ROOT

TW_INTERNAL_MATH_SCALAR tw_float tw_rootn(tw_float x, int n)
{
    const tw_double a = tw_fabs((tw_double)x);
    return tw_internal_sign_of_root((tw_float)tw_pow(a, 1 / (tw_double)n), x, n);
}

/* The exponent 1 / n is rounded, and the logarithm of x, up to 745, multiplies its error: so what it lacks is added. */
TW_INTERNAL_MATH_SCALAR tw_double tw_rootn(tw_double x, int n)
{
    const tw_double a = tw_fabs(x), inf = TW_INTERNAL_INFINITY(double);
    const tw_double exponent = 1 / (tw_double)n, lacks = tw_fma(-exponent, (tw_double)n, 1.0) * exponent;
    const tw_double root = tw_pow(a, exponent), better = root + root * (lacks * tw_log(a));
    return tw_internal_sign_of_root(a > 0 && a < inf && root < inf ? better : root, x, n);
}

#endif
