/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What test_math expects: the functions computed in long double by the C library, and by definition where it has none.
 * Enough to tell one function from another and to see a wrong bit; errors are measured by accuracy/.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* exp10l, lgammal_r */
#endif

#include "math_test.h"

#include <limits.h>
#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;

static long double turn_of(long double x)
{
    return x - 2 * rintl(x / 2);
}

/* sin(pi x); a whole number has a zero of its own sign. */
static long double sin_turns(long double x)
{
    const long double turn = turn_of(x), nearest = fabsl(turn) > 0.5L ? copysignl(1 - fabsl(turn), turn) : turn;
    return nearest == 0 ? copysignl(0, x) : sinl(pi * nearest);
}

static long double tan_turns(long double x)
{
    const long double whole = rintl(x), rest = x - whole;
    if (rest == 0)
        return fmodl(whole, 2) == 0 ? copysignl(0, x) : -copysignl(0, x);
    if (fabsl(rest) == 0.5L)
        return copysignl(INFINITY, rest);
    return tanl(pi * rest);
}

static long double powr(long double x, long double y)
{
    if (isnan(x) || isnan(y) || x < 0 || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
        return NAN;
    return powl(fabsl(x), y);
}

static long double rootn(long double x, int n)
{
    if (n == 0 || (x < 0 && n % 2 == 0))
        return NAN;
    const long double root = powl(fabsl(x), 1 / (long double)n);
    return n % 2 ? copysignl(root, x) : root;
}

/* The quotient's low 7 bits, by taking off what is left of 128 times y. */
static long double remainder_quotient(long double x, long double y, int *quotient)
{
    const long double remainder = remainderl(x, y), a = fabsl(x), b = fabsl(y);
    *quotient = 0;
    if (!isnan(remainder) && isfinite(y)) {
        const long double multiple = fmodl(a, 128 * b) - (signbit(x) ? -remainder : remainder);
        const int low = (int)(multiple / b) & 127;
        *quotient = signbit(x) != signbit(y) ? -low : low;
    }
    return remainder;
}

static long double log_gamma(long double x, int *sign)
{
    const long double value = lgammal_r(x, sign);
    if (x == 0 || (x < 0 && isfinite(x) && x == floorl(x)))
        *sign = 0;
    return value;
}

static int exponent_of(long double x)
{
    return isnan(x) || x == 0 ? INT_MIN : isinf(x) ? INT_MAX : ilogbl(x);
}

static long double of_one(int function, long double x, int *integer)
{
    switch (function) {
        /* clang-format off */
#define SAME(X)                                                                                                        \
    X(acos)                                                                                                            \
    X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp10) X(exp2)   \
    X(expm1) X(fabs) X(floor) X(log) X(log10) X(log1p) X(log2) X(logb) X(rint) X(round) X(sin) X(sinh) X(sqrt)         \
    X(tan) X(tanh) X(tgamma) X(trunc)
/* clang-format on */
#define CASE(name)                                                                                                     \
    case ID_##name:                                                                                                    \
        return name##l(x);
        SAME(CASE)
#undef CASE
#define FAST(X) X(cos) X(exp) X(exp10) X(exp2) X(log) X(log10) X(log2) X(sin) X(sqrt) X(tan)
#define CASE(name)                                                                                                     \
    case ID_native_##name:                                                                                             \
    case ID_half_##name:                                                                                               \
        return name##l(x);
        FAST(CASE)
#undef CASE
    case ID_acospi:
        return acosl(x) / pi;
    case ID_asinpi:
        return asinl(x) / pi;
    case ID_atanpi:
        return atanl(x) / pi;
    case ID_sinpi:
        return sin_turns(x);
    case ID_cospi:
        return sin_turns(0.5L - fabsl(turn_of(x))) + 0.0L;
    case ID_tanpi:
        return tan_turns(x);
    case ID_rsqrt:
    case ID_native_rsqrt:
    case ID_half_rsqrt:
        return 1 / sqrtl(x);
    case ID_native_recip:
    case ID_half_recip:
        return 1 / x;
    case ID_sincos:
        return sinl(x);
    case ID_sincos_out:
        return cosl(x);
    case ID_lgamma:
    case ID_lgamma_r:
    case ID_lgamma_r_out:
        return log_gamma(x, integer);
    case ID_ilogb:
        *integer = exponent_of(x);
        return 0;
    case ID_frexp:
    case ID_frexp_out: {
        const long double part = frexpl(x, integer);
        *integer = isfinite(x) ? *integer : 0;
        return part;
    }
    case ID_fract:
        return isinf(x) || x == 0 ? copysignl(0, x) : x - floorl(x);
    case ID_fract_out:
        return floorl(x);
    case ID_modf:
        return copysignl(isinf(x) ? 0 : x - truncl(x), x);
    case ID_modf_out:
        return truncl(x);
    default:
        return NAN;
    }
}

static long double larger(long double x, long double y)
{
    return fmaxl(x, y);
}

static long double smaller(long double x, long double y)
{
    return fminl(x, y);
}

long double math_reference(int function, long double x, long double y, long double z, int n, int *integer)
{
    const long double a = fabsl(x), b = fabsl(y);
    *integer = 0;
    switch (function) {
    case ID_atan2:
        return atan2l(x, y);
    case ID_atan2pi:
        return atan2l(x, y) / pi;
    case ID_copysign:
        return copysignl(x, y);
    case ID_divide:
    case ID_native_divide:
    case ID_half_divide:
        return x / y;
    case ID_fdim:
        return fdiml(x, y);
    case ID_fmax:
    case ID_fmax_scalar:
        return larger(x, y);
    case ID_fmin:
    case ID_fmin_scalar:
        return smaller(x, y);
    case ID_maxmag:
        return a > b ? x : b > a ? y : larger(x, y);
    case ID_minmag:
        return a < b ? x : b < a ? y : smaller(x, y);
    case ID_fmod:
        return fmodl(x, y);
    case ID_hypot:
        return hypotl(x, y);
    case ID_pow:
        return powl(x, y);
    case ID_powr:
    case ID_native_powr:
    case ID_half_powr:
        return powr(x, y);
    case ID_remainder:
        return remainderl(x, y);
    case ID_remquo:
    case ID_remquo_out:
        return remainder_quotient(x, y, integer);
    case ID_fma:
    case ID_mad:
        return fmal(x, y, z);
    case ID_ldexp:
    case ID_ldexp_scalar:
        return ldexpl(x, n);
    case ID_pown:
    case ID_pown_scalar:
        return powl(x, n);
    case ID_rootn:
    case ID_rootn_scalar:
        return rootn(x, n);
    default:
        return of_one(function, x, integer);
    }
}
