/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Special cases that are prescribed to the bit, by C99 (annex F.9) and OpenCL 1.2 (7.5.1).
 *
 * S(function, x, y, n, result), SI(function, x, y, integer), and S_BOTH(function, x, result) for a function that is
 * odd: the case and its mirror image. TINY and HUGE_ stand for the smallest and the largest positive number of each
 * type.
 */
#ifndef MATH_SPECIALS_H
#define MATH_SPECIALS_H

#include <limits.h>
#include <math.h>

#include "math_test.h"

#define TINY 0x1p-1074
#define HUGE_ 0x1.fffffffffffffp+1023
#define INF ((double)INFINITY)
#define QNAN ((double)NAN)

#define S(function, x, y, n, result) {ID_##function, x, y, n, result, 0},
#define SI(function, x, y, integer) {ID_##function, x, y, 0, 0, integer},
#define S_BOTH(function, x, result) S(function, x, 0, 0, result) S(function, -(x), 0, 0, -(result))
#define S_NAN(function, x) S(function, x, 0, 0, QNAN)
#define S_ONE(function, x, result) S(function, x, 0, 0, result)
#define S_TWO(function, x, y, result) S(function, x, y, 0, result)
#define S_INT(function, x, n, result) S(function, x, 0, n, result)

struct special {
    int function;
    double x, y;
    int n;
    double result;
    int integer;
};

/* clang-format off */
static const struct special specials[] = {
    S_ONE(acos, 1, 0.0) S_NAN(acos, 2) S_NAN(acos, -2) S_NAN(acos, INF) S_NAN(acos, QNAN)
    S_ONE(acosh, 1, 0.0) S_NAN(acosh, 0.5) S_NAN(acosh, -INF) S_ONE(acosh, INF, INF) S_NAN(acosh, QNAN)
    S_ONE(acospi, 1, 0.0) S_NAN(acospi, 2) S_NAN(acospi, -2)
    S_BOTH(asin, 0.0, 0.0) S_NAN(asin, 2) S_NAN(asin, -2) S_NAN(asin, QNAN)
    S_BOTH(asinh, 0.0, 0.0) S_BOTH(asinh, INF, INF) S_NAN(asinh, QNAN)
    S_BOTH(asinpi, 0.0, 0.0) S_NAN(asinpi, 2) S_NAN(asinpi, -2)
    S_BOTH(atan, 0.0, 0.0) S_NAN(atan, QNAN)
    S_BOTH(atanh, 0.0, 0.0) S_BOTH(atanh, 1.0, INF) S_NAN(atanh, 2) S_NAN(atanh, -2)
    S_BOTH(atanpi, 0.0, 0.0) S_BOTH(atanpi, INF, 0.5)
    S_TWO(atan2, 0.0, 0.0, 0.0) S_TWO(atan2, -0.0, 0.0, -0.0) S_TWO(atan2, 0.0, 3, 0.0) S_TWO(atan2, -0.0, 3, -0.0)
    S_TWO(atan2, 3, INF, 0.0) S_TWO(atan2, -3, INF, -0.0) S_TWO(atan2, QNAN, 1, QNAN) S_TWO(atan2, 1, QNAN, QNAN)
    S_TWO(atan2pi, 0.0, -0.0, 1) S_TWO(atan2pi, -0.0, -0.0, -1) S_TWO(atan2pi, 0.0, 0.0, 0.0)
    S_TWO(atan2pi, -0.0, 0.0, -0.0) S_TWO(atan2pi, 0.0, -3, 1) S_TWO(atan2pi, -0.0, -3, -1) S_TWO(atan2pi, 0.0, 3, 0.0)
    S_TWO(atan2pi, -0.0, 3, -0.0) S_TWO(atan2pi, -3, 0.0, -0.5) S_TWO(atan2pi, -3, -0.0, -0.5)
    S_TWO(atan2pi, 3, 0.0, 0.5) S_TWO(atan2pi, 3, -0.0, 0.5) S_TWO(atan2pi, 3, -INF, 1) S_TWO(atan2pi, -3, -INF, -1)
    S_TWO(atan2pi, 3, INF, 0.0) S_TWO(atan2pi, -3, INF, -0.0) S_TWO(atan2pi, INF, 3, 0.5) S_TWO(atan2pi, -INF, -3, -0.5)
    S_TWO(atan2pi, INF, -INF, 0.75) S_TWO(atan2pi, -INF, -INF, -0.75) S_TWO(atan2pi, INF, INF, 0.25)
    S_TWO(atan2pi, -INF, INF, -0.25)
    S_BOTH(cbrt, 0.0, 0.0) S_BOTH(cbrt, INF, INF) S_NAN(cbrt, QNAN)
    S_BOTH(ceil, 0.0, 0.0) S_BOTH(ceil, INF, INF) S_ONE(ceil, -0.5, -0.0) S_ONE(ceil, 0.5, 1) S_ONE(ceil, TINY, 1)
    S_TWO(copysign, 3, -0.0, -3) S_TWO(copysign, -INF, 0.0, INF) S_TWO(copysign, -0.0, 1, 0.0)
    S_TWO(copysign, 2, -QNAN, -2)
    S_ONE(cos, 0.0, 1) S_ONE(cos, -0.0, 1) S_NAN(cos, INF) S_NAN(cos, -INF)
    S_ONE(cosh, 0.0, 1) S_ONE(cosh, -0.0, 1) S_ONE(cosh, INF, INF) S_ONE(cosh, -INF, INF)
    S_ONE(cospi, 0.0, 1) S_ONE(cospi, -0.0, 1) S_NAN(cospi, INF) S_NAN(cospi, -INF) S_ONE(cospi, 0.5, 0.0)
    S_ONE(cospi, -0.5, 0.0) S_ONE(cospi, 1.5, 0.0) S_ONE(cospi, -1.5, 0.0) S_ONE(cospi, 1, -1) S_ONE(cospi, 2, 1)
    S_ONE(cospi, HUGE_, 1)
    S_BOTH(erf, 0.0, 0.0) S_BOTH(erf, INF, 1.0) S_ONE(erfc, -INF, 2) S_ONE(erfc, INF, 0.0) S_ONE(erfc, 0.0, 1)
    S_ONE(exp, 0.0, 1) S_ONE(exp, -0.0, 1) S_ONE(exp, -INF, 0.0) S_ONE(exp, INF, INF) S_NAN(exp, QNAN)
    S_ONE(exp10, 0.0, 1) S_ONE(exp10, -0.0, 1) S_ONE(exp10, -INF, 0.0) S_ONE(exp10, INF, INF)
    S_ONE(exp2, 0.0, 1) S_ONE(exp2, -0.0, 1) S_ONE(exp2, -INF, 0.0) S_ONE(exp2, INF, INF)
    S_BOTH(expm1, 0.0, 0.0) S_ONE(expm1, -INF, -1) S_ONE(expm1, INF, INF)
    S_ONE(fabs, -0.0, 0.0) S_ONE(fabs, -INF, INF)
    S_TWO(fdim, 3, 5, 0.0) S_TWO(fdim, 5, 3, 2) S_TWO(fdim, 1, QNAN, QNAN) S_TWO(fdim, QNAN, 1, QNAN)
    S_TWO(fdim, INF, INF, 0.0) S_TWO(fdim, INF, 1, INF) S_TWO(fdim, 1, -INF, INF)
    S_BOTH(floor, 0.0, 0.0) S_BOTH(floor, INF, INF) S_ONE(floor, 0.5, 0.0) S_ONE(floor, -TINY, -1)
    S_TWO(fmax, 1, QNAN, 1) S_TWO(fmax, QNAN, 1, 1) S_TWO(fmax, QNAN, QNAN, QNAN) S_TWO(fmax, -INF, QNAN, -INF)
    S_TWO(fmin, 1, QNAN, 1) S_TWO(fmin, QNAN, 1, 1) S_TWO(fmin, QNAN, QNAN, QNAN) S_TWO(fmin, INF, QNAN, INF)
    S_TWO(fmod, 0.0, 3, 0.0) S_TWO(fmod, -0.0, 3, -0.0) S_TWO(fmod, INF, 3, QNAN) S_TWO(fmod, 3, 0.0, QNAN)
    S_TWO(fmod, 3, INF, 3) S_TWO(fmod, -3, -INF, -3) S_TWO(fmod, 0.0, QNAN, QNAN) S_TWO(fmod, -6, 3, -0.0)
    S_TWO(fmod, 5.5, 2, 1.5) S_TWO(fmod, TINY, HUGE_, TINY)
    S_ONE(fract, 0.0, 0.0) S_ONE(fract, -0.0, -0.0) S_ONE(fract, INF, 0.0) S_ONE(fract, -INF, -0.0) S_NAN(fract, QNAN)
    S_ONE(fract, 1, 0.0) S_ONE(fract, -1, 0.0) S_ONE(fract, -0.25, 0.75) S_ONE(fract_out, -0.0, -0.0)
    S_ONE(fract_out, 0.0, 0.0) S_ONE(fract_out, INF, INF) S_ONE(fract_out, -INF, -INF) S_NAN(fract_out, QNAN)
    S_ONE(fract_out, -TINY, -1)
    S_BOTH(frexp, 0.0, 0.0) S_BOTH(frexp, INF, INF) S_NAN(frexp, QNAN) S_BOTH(frexp, 8.0, 0.5) S_BOTH(frexp, TINY, 0.5)
    SI(frexp_out, 0.0, 0, 0) SI(frexp_out, -0.0, 0, 0) SI(frexp_out, INF, 0, 0) SI(frexp_out, -INF, 0, 0)
    SI(frexp_out, QNAN, 0, 0) SI(frexp_out, 8, 0, 4)
    S_TWO(hypot, INF, QNAN, INF) S_TWO(hypot, QNAN, -INF, INF) S_TWO(hypot, -3, 0.0, 3)
    S_TWO(hypot, 0.0, -0.0, 0.0) S_TWO(hypot, HUGE_, 0.0, HUGE_) S_TWO(hypot, TINY, 0.0, TINY)
    SI(ilogb, 0.0, 0, INT_MIN) SI(ilogb, QNAN, 0, INT_MIN) SI(ilogb, INF, 0, INT_MAX) SI(ilogb, -INF, 0, INT_MAX)
    SI(ilogb, -8, 0, 3) SI(ilogb, 0.75, 0, -1)
    S_INT(ldexp, 0.0, 5, 0.0) S_INT(ldexp, -0.0, INT_MAX, -0.0) S_INT(ldexp, INF, -5, INF)
    S_INT(ldexp, -INF, INT_MIN, -INF)
    S_INT(ldexp, 1, INT_MAX, INF) S_INT(ldexp, -1, INT_MAX, -INF) S_INT(ldexp, 1, INT_MIN, 0.0)
    S_INT(ldexp, -1, INT_MIN, -0.0) S_INT(ldexp, 3, -1, 1.5) S_INT(ldexp, QNAN, 3, QNAN) S_INT(ldexp, TINY, -1, 0.0)
    S_ONE(lgamma, 1, 0.0) S_ONE(lgamma, 2, 0.0) S_ONE(lgamma, 0.0, INF) S_ONE(lgamma, -0.0, INF) S_ONE(lgamma, -3, INF)
    S_ONE(lgamma, INF, INF) S_ONE(lgamma, -INF, INF) S_NAN(lgamma, QNAN)
    SI(lgamma_r_out, 0.0, 0, 0) SI(lgamma_r_out, -0.0, 0, 0) SI(lgamma_r_out, -3, 0, 0) SI(lgamma_r_out, 2.5, 0, 1)
    SI(lgamma_r_out, -0.5, 0, -1) SI(lgamma_r_out, -1.5, 0, 1) SI(lgamma_r_out, -2.5, 0, -1)
    S_ONE(log, 0.0, -INF) S_ONE(log, -0.0, -INF) S_ONE(log, 1, 0.0) S_NAN(log, -1) S_NAN(log, -INF) S_ONE(log, INF, INF)
    S_ONE(log10, 0.0, -INF) S_ONE(log10, -0.0, -INF) S_ONE(log10, 1, 0.0) S_NAN(log10, -1) S_ONE(log10, INF, INF)
    S_ONE(log2, 0.0, -INF) S_ONE(log2, -0.0, -INF) S_ONE(log2, 1, 0.0) S_NAN(log2, -1) S_ONE(log2, INF, INF)
    S_BOTH(log1p, 0.0, 0.0) S_ONE(log1p, -1, -INF) S_NAN(log1p, -2) S_ONE(log1p, INF, INF)
    S_ONE(logb, 0.0, -INF) S_ONE(logb, -0.0, -INF) S_ONE(logb, INF, INF) S_ONE(logb, -INF, INF) S_ONE(logb, -8, 3)
    S_NAN(logb, QNAN) S_ONE(logb, 0.75, -1)
    S_TWO(maxmag, -3, 2, -3) S_TWO(maxmag, 2, -3, -3) S_TWO(maxmag, -3, 3, 3) S_TWO(maxmag, QNAN, 3, 3)
    S_TWO(maxmag, 3, QNAN, 3) S_TWO(minmag, -3, 2, 2) S_TWO(minmag, 2, -3, 2) S_TWO(minmag, -3, 3, -3)
    S_TWO(minmag, QNAN, 3, 3) S_TWO(minmag, 3, QNAN, 3)
    S_BOTH(modf, 0.0, 0.0) S_BOTH(modf, INF, 0.0) S_BOTH(modf, 3.0, 0.0) S_BOTH(modf, 3.25, 0.25) S_NAN(modf, QNAN)
    S_BOTH(modf_out, 0.0, 0.0) S_BOTH(modf_out, INF, INF) S_BOTH(modf_out, 3.25, 3.0) S_BOTH(modf_out, 0.5, 0.0)
    S_NAN(modf_out, QNAN)
    S_TWO(nextafter, -0.0, 1, TINY) S_TWO(nextafter, 0.0, 1, TINY) S_TWO(nextafter, 0.0, -1, -TINY)
    S_TWO(nextafter, -0.0, -1, -TINY) S_TWO(nextafter, 0.0, -0.0, -0.0) S_TWO(nextafter, -0.0, 0.0, 0.0)
    S_TWO(nextafter, TINY, -1, 0.0) S_TWO(nextafter, -TINY, 1, -0.0) S_TWO(nextafter, HUGE_, INF, INF)
    S_TWO(nextafter, INF, 0.0, HUGE_) S_TWO(nextafter, -INF, 0.0, -HUGE_) S_TWO(nextafter, QNAN, 1, QNAN)
    S_TWO(nextafter, 1, QNAN, QNAN) S_TWO(nextafter, 3, 3, 3) S_TWO(nextafter, INF, INF, INF)
    S_TWO(pow, 0.0, -3, INF) S_TWO(pow, -0.0, -3, -INF) S_TWO(pow, 0.0, -2, INF) S_TWO(pow, -0.0, -2.5, INF)
    S_TWO(pow, -0.0, -INF, INF) S_TWO(pow, 0.0, -INF, INF) S_TWO(pow, 0.0, 3, 0.0) S_TWO(pow, -0.0, 3, -0.0)
    S_TWO(pow, -0.0, 2, 0.0) S_TWO(pow, -0.0, 2.5, 0.0) S_TWO(pow, -1, INF, 1) S_TWO(pow, -1, -INF, 1)
    S_TWO(pow, 1, QNAN, 1) S_TWO(pow, 1, INF, 1) S_TWO(pow, QNAN, 0.0, 1) S_TWO(pow, QNAN, -0.0, 1)
    S_TWO(pow, INF, 0.0, 1)
    S_TWO(pow, -2, 0.5, QNAN) S_TWO(pow, 0.5, -INF, INF) S_TWO(pow, 2, -INF, 0.0) S_TWO(pow, 0.5, INF, 0.0)
    S_TWO(pow, -2, INF, INF) S_TWO(pow, -INF, -3, -0.0) S_TWO(pow, -INF, -2.5, 0.0) S_TWO(pow, -INF, 3, -INF)
    S_TWO(pow, -INF, 2.5, INF) S_TWO(pow, INF, -2.5, 0.0) S_TWO(pow, INF, 2.5, INF) S_TWO(pow, QNAN, 1, QNAN)
    S_TWO(pow, 2, QNAN, QNAN)
    S_INT(pown, 0.0, 0, 1) S_INT(pown, QNAN, 0, 1) S_INT(pown, -INF, 0, 1) S_INT(pown, 0.0, -3, INF)
    S_INT(pown, -0.0, -3, -INF) S_INT(pown, 0.0, -2, INF) S_INT(pown, -0.0, -2, INF) S_INT(pown, 0.0, 2, 0.0)
    S_INT(pown, -0.0, 2, 0.0) S_INT(pown, 0.0, 3, 0.0) S_INT(pown, -0.0, 3, -0.0) S_INT(pown, -1, INT_MAX, -1)
    S_INT(pown, -1, INT_MIN, 1) S_INT(pown, 2, INT_MAX, INF) S_INT(pown, 2, INT_MIN, 0.0)
    S_INT(pown, -2, INT_MAX, -INF) S_INT(pown, QNAN, 1, QNAN)
    S_TWO(powr, 3, 0.0, 1) S_TWO(powr, 3, -0.0, 1) S_TWO(powr, 0.0, -3, INF) S_TWO(powr, -0.0, -3, INF)
    S_TWO(powr, 0.0, -INF, INF) S_TWO(powr, -0.0, -INF, INF) S_TWO(powr, 0.0, 3, 0.0) S_TWO(powr, -0.0, 3, 0.0)
    S_TWO(powr, 1, 3, 1) S_TWO(powr, -2, 2, QNAN) S_TWO(powr, 0.0, 0.0, QNAN) S_TWO(powr, -0.0, -0.0, QNAN)
    S_TWO(powr, INF, 0.0, QNAN) S_TWO(powr, INF, -0.0, QNAN) S_TWO(powr, 1, INF, QNAN) S_TWO(powr, 1, -INF, QNAN)
    S_TWO(powr, 3, QNAN, QNAN) S_TWO(powr, QNAN, 3, QNAN) S_TWO(powr, 1, QNAN, QNAN) S_TWO(powr, QNAN, 0.0, QNAN)
    S_TWO(remainder, 0.0, 3, 0.0) S_TWO(remainder, -0.0, 3, -0.0) S_TWO(remainder, INF, 3, QNAN)
    S_TWO(remainder, 3, 0.0, QNAN) S_TWO(remainder, 3, INF, 3) S_TWO(remainder, 5, 2, 1) S_TWO(remainder, 3, 2, -1)
    S_TWO(remainder, -4, 2, -0.0) S_TWO(remainder, QNAN, 1, QNAN) S_TWO(remainder, 1, QNAN, QNAN)
    S_TWO(remquo, INF, 3, QNAN) S_TWO(remquo, 3, 0.0, QNAN) S_TWO(remquo, 3, INF, 3) S_TWO(remquo, -4, 2, -0.0)
    S_TWO(remquo, 3, 2, -1) S_TWO(remquo, 5, 2, 1) S_TWO(remquo, QNAN, 1, QNAN) S_TWO(remquo, 1, QNAN, QNAN)
    S_TWO(remquo, -0.0, 3, -0.0) S_TWO(remquo, 1, HUGE_, 1) S_TWO(remquo, TINY, TINY, 0.0)
    SI(remquo_out, INF, 3, 0) SI(remquo_out, 3, 0.0, 0) SI(remquo_out, QNAN, 1, 0) SI(remquo_out, 1, QNAN, 0)
    SI(remquo_out, 3, INF, 0) SI(remquo_out, 100, 1, 100) SI(remquo_out, -100, 1, -100) SI(remquo_out, -100, -1, 100)
    SI(remquo_out, 200, 1, 72) SI(remquo_out, 3, 2, 2) SI(remquo_out, 5, 2, 2) SI(remquo_out, HUGE_, HUGE_, 1)
    S_BOTH(rint, 0.0, 0.0) S_BOTH(rint, INF, INF) S_BOTH(rint, 0.5, 0.0) S_BOTH(rint, 1.5, 2.0) S_BOTH(rint, 2.5, 2.0)
    S_INT(rootn, 0.0, -3, INF) S_INT(rootn, -0.0, -3, -INF) S_INT(rootn, 0.0, -2, INF) S_INT(rootn, -0.0, -2, INF)
    S_INT(rootn, 0.0, 2, 0.0) S_INT(rootn, -0.0, 2, 0.0) S_INT(rootn, 0.0, 3, 0.0) S_INT(rootn, -0.0, 3, -0.0)
    S_INT(rootn, -4, 2, QNAN) S_INT(rootn, 4, 0, QNAN) S_INT(rootn, 0.0, 0, QNAN) S_INT(rootn, -INF, 3, -INF)
    S_INT(rootn, INF, 2, INF) S_INT(rootn, INF, -2, 0.0) S_INT(rootn, -INF, -3, -0.0) S_INT(rootn, QNAN, 3, QNAN)
    S_BOTH(round, 0.0, 0.0) S_BOTH(round, INF, INF) S_BOTH(round, 0.25, 0.0) S_BOTH(round, 0.5, 1.0)
    S_BOTH(round, 2.5, 3.0) S_BOTH(round, HUGE_, HUGE_)
    S_ONE(rsqrt, 0.0, INF) S_ONE(rsqrt, -0.0, -INF) S_NAN(rsqrt, -1) S_ONE(rsqrt, INF, 0.0)
    S_BOTH(sin, 0.0, 0.0) S_NAN(sin, INF) S_NAN(sin, -INF)
    S_BOTH(sincos, 0.0, 0.0) S_ONE(sincos_out, -0.0, 1) S_NAN(sincos, INF) S_NAN(sincos_out, INF)
    S_BOTH(sinh, 0.0, 0.0) S_BOTH(sinh, INF, INF)
    S_BOTH(sinpi, 0.0, 0.0) S_BOTH(sinpi, 1.0, 0.0) S_BOTH(sinpi, 2.0, 0.0) S_BOTH(sinpi, 0.5, 1.0)
    S_BOTH(sinpi, 1.5, -1.0)
    S_NAN(sinpi, INF) S_NAN(sinpi, -INF) S_BOTH(sinpi, HUGE_, 0.0)
    S_BOTH(sqrt, 0.0, 0.0) S_ONE(sqrt, INF, INF) S_NAN(sqrt, -1) S_NAN(sqrt, -INF) S_ONE(sqrt, 9, 3)
    S_BOTH(tan, 0.0, 0.0) S_NAN(tan, INF) S_BOTH(tanh, 0.0, 0.0) S_BOTH(tanh, INF, 1.0)
    S_BOTH(tanpi, 0.0, 0.0) S_NAN(tanpi, INF) S_NAN(tanpi, -INF) S_BOTH(tanpi, 1.0, -0.0) S_BOTH(tanpi, 2.0, 0.0)
    S_BOTH(tanpi, 3.0, -0.0) S_BOTH(tanpi, 0.5, INF) S_BOTH(tanpi, 1.5, -INF) S_BOTH(tanpi, 2.5, INF)
    S_BOTH(tanpi, HUGE_, 0.0)
    S_ONE(tgamma, 0.0, INF) S_ONE(tgamma, -0.0, -INF) S_NAN(tgamma, -2) S_NAN(tgamma, -INF) S_ONE(tgamma, INF, INF)
    S_BOTH(trunc, 0.0, 0.0) S_BOTH(trunc, INF, INF) S_BOTH(trunc, 0.5, 0.0) S_BOTH(trunc, 1.5, 1.0)
    S_BOTH(trunc, HUGE_, HUGE_)
};
/* clang-format on */
enum { SPECIALS = sizeof specials / sizeof *specials };

#endif
