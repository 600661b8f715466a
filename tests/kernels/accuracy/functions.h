/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is measured: every function, the bounds of OpenCL 1.2 (7.4, and cl_khr_fp16 for half), and how a kernel calls
 * it.
 *
 * X(id, arguments, result, float bound, double bound, half bound, statement): the statement sets r, of the type T that
 * is measured, or i, an int, from x, y, z of type T and the int n. Bounds are in ulp: EXACT, ROUNDED (correctly), NONE
 * (any error is allowed, or not specified), ABSENT (there is no such function).
 */
#ifndef ACCURACY_FUNCTIONS_H
#define ACCURACY_FUNCTIONS_H

#include <math.h>

#define EXACT 0.0
#define ROUNDED 0.5
#define NONE ((double)INFINITY)
#define ABSENT (-1.0)
#define LIMITED 8192.0 /* the half_ functions */

/* Those of one argument and one result, of which all floats can be tried. */
#define UNARY_FUNCTIONS(X)                                                                                             \
    X(acos, ONE, REAL, 4, 4, 2, r = tw_acos(x))                                                                        \
    X(acosh, ONE, REAL, 4, 4, 2, r = tw_acosh(x))                                                                      \
    X(acospi, ONE, REAL, 5, 5, 2, r = tw_acospi(x))                                                                    \
    X(asin, ONE, REAL, 4, 4, 2, r = tw_asin(x))                                                                        \
    X(asinh, ONE, REAL, 4, 4, 2, r = tw_asinh(x))                                                                      \
    X(asinpi, ONE, REAL, 5, 5, 2, r = tw_asinpi(x))                                                                    \
    X(atan, ONE, REAL, 5, 5, 2, r = tw_atan(x))                                                                        \
    X(atanh, ONE, REAL, 5, 5, 2, r = tw_atanh(x))                                                                      \
    X(atanpi, ONE, REAL, 5, 5, 2, r = tw_atanpi(x))                                                                    \
    X(cbrt, ONE, REAL, 2, 2, 2, r = tw_cbrt(x))                                                                        \
    X(ceil, ONE, REAL, EXACT, EXACT, EXACT, r = tw_ceil(x))                                                            \
    X(cos, ONE, REAL, 4, 4, 2, r = tw_cos(x))                                                                          \
    X(cosh, ONE, REAL, 4, 4, 2, r = tw_cosh(x))                                                                        \
    X(cospi, ONE, REAL, 4, 4, 2, r = tw_cospi(x))                                                                      \
    X(erf, ONE, REAL, 16, 16, 4, r = tw_erf(x))                                                                        \
    X(erfc, ONE, REAL, 16, 16, 4, r = tw_erfc(x))                                                                      \
    X(exp, ONE, REAL, 3, 3, 2, r = tw_exp(x))                                                                          \
    X(exp10, ONE, REAL, 3, 3, 2, r = tw_exp10(x))                                                                      \
    X(exp2, ONE, REAL, 3, 3, 2, r = tw_exp2(x))                                                                        \
    X(expm1, ONE, REAL, 3, 3, 2, r = tw_expm1(x))                                                                      \
    X(fabs, ONE, REAL, EXACT, EXACT, EXACT, r = tw_fabs(x))                                                            \
    X(floor, ONE, REAL, EXACT, EXACT, EXACT, r = tw_floor(x))                                                          \
    X(lgamma, ONE, REAL, NONE, NONE, NONE, r = tw_lgamma(x))                                                           \
    X(log, ONE, REAL, 3, 3, 2, r = tw_log(x))                                                                          \
    X(log10, ONE, REAL, 3, 3, 2, r = tw_log10(x))                                                                      \
    X(log1p, ONE, REAL, 2, 2, 2, r = tw_log1p(x))                                                                      \
    X(log2, ONE, REAL, 3, 3, 2, r = tw_log2(x))                                                                        \
    X(logb, ONE, REAL, EXACT, EXACT, EXACT, r = tw_logb(x))                                                            \
    X(rint, ONE, REAL, EXACT, EXACT, EXACT, r = tw_rint(x))                                                            \
    X(round, ONE, REAL, EXACT, EXACT, EXACT, r = tw_round(x))                                                          \
    X(rsqrt, ONE, REAL, 2, 2, 1, r = tw_rsqrt(x))                                                                      \
    X(sin, ONE, REAL, 4, 4, 2, r = tw_sin(x))                                                                          \
    X(sinh, ONE, REAL, 4, 4, 2, r = tw_sinh(x))                                                                        \
    X(sinpi, ONE, REAL, 4, 4, 2, r = tw_sinpi(x))                                                                      \
    X(sqrt, ONE, REAL, ROUNDED, ROUNDED, ROUNDED, r = tw_sqrt(x))                                                      \
    X(tan, ONE, REAL, 5, 5, 2, r = tw_tan(x))                                                                          \
    X(tanh, ONE, REAL, 5, 5, 2, r = tw_tanh(x))                                                                        \
    X(tanpi, ONE, REAL, 6, 6, 2, r = tw_tanpi(x))                                                                      \
    X(tgamma, ONE, REAL, 16, 16, 4, r = tw_tgamma(x))                                                                  \
    X(trunc, ONE, REAL, EXACT, EXACT, EXACT, r = tw_trunc(x))

/* The second result of those with two stands beside the first, as NAME_out. */
#define OTHER_FUNCTIONS(X)                                                                                             \
    X(atan2, TWO, REAL, 6, 6, 2, r = tw_atan2(x, y))                                                                   \
    X(atan2pi, TWO, REAL, 6, 6, 2, r = tw_atan2pi(x, y))                                                               \
    X(copysign, TWO, REAL, EXACT, EXACT, EXACT, r = tw_copysign(x, y))                                                 \
    X(divide, TWO, REAL, 2.5, ROUNDED, ROUNDED, r = x / y)                                                             \
    X(fdim, TWO, REAL, ROUNDED, ROUNDED, ROUNDED, r = tw_fdim(x, y))                                                   \
    X(fma, THREE, REAL, ROUNDED, ROUNDED, ROUNDED, r = tw_fma(x, y, z))                                                \
    X(fmax, TWO, REAL, EXACT, EXACT, EXACT, r = tw_fmax(x, y))                                                         \
    X(fmin, TWO, REAL, EXACT, EXACT, EXACT, r = tw_fmin(x, y))                                                         \
    X(fmod, TWO, REAL, EXACT, EXACT, EXACT, r = tw_fmod(x, y))                                                         \
    X(fract, ONE, REAL, ROUNDED, ROUNDED, ROUNDED, r = tw_fract(x, &s))                                                \
    X(fract_out, ONE, REAL, EXACT, EXACT, EXACT, (void)tw_fract(x, &r))                                                \
    X(frexp, ONE, REAL, EXACT, EXACT, EXACT, r = tw_frexp(x, &i))                                                      \
    X(frexp_out, ONE, INTEGER, EXACT, EXACT, EXACT, (void)tw_frexp(x, &i))                                             \
    X(hypot, TWO, REAL, 4, 4, 2, r = tw_hypot(x, y))                                                                   \
    X(ilogb, ONE, INTEGER, EXACT, EXACT, EXACT, i = tw_ilogb(x))                                                       \
    X(ldexp, ONE_INT, REAL, ROUNDED, ROUNDED, ROUNDED, r = tw_ldexp(x, n))                                             \
    X(lgamma_r, ONE, REAL, NONE, NONE, NONE, r = tw_lgamma_r(x, &i))                                                   \
    X(lgamma_r_out, ONE, INTEGER, EXACT, EXACT, EXACT, (void)tw_lgamma_r(x, &i))                                       \
    X(mad, THREE, REAL, NONE, NONE, NONE, r = tw_mad(x, y, z))                                                         \
    X(maxmag, TWO, REAL, EXACT, EXACT, EXACT, r = tw_maxmag(x, y))                                                     \
    X(minmag, TWO, REAL, EXACT, EXACT, EXACT, r = tw_minmag(x, y))                                                     \
    X(modf, ONE, REAL, EXACT, EXACT, EXACT, r = tw_modf(x, &s))                                                        \
    X(modf_out, ONE, REAL, EXACT, EXACT, EXACT, (void)tw_modf(x, &r))                                                  \
    X(nextafter, TWO, REAL, EXACT, EXACT, EXACT, r = tw_nextafter(x, y))                                               \
    X(pow, TWO, REAL, 16, 16, 4, r = tw_pow(x, y))                                                                     \
    X(pown, ONE_INT, REAL, 16, 16, 4, r = tw_pown(x, n))                                                               \
    X(powr, TWO, REAL, 16, 16, 4, r = tw_powr(x, y))                                                                   \
    X(remainder, TWO, REAL, EXACT, EXACT, EXACT, r = tw_remainder(x, y))                                               \
    X(remquo, TWO, REAL, EXACT, EXACT, EXACT, r = tw_remquo(x, y, &i))                                                 \
    X(remquo_out, TWO, INTEGER, EXACT, EXACT, EXACT, (void)tw_remquo(x, y, &i))                                        \
    X(rootn, ONE_INT, REAL, 16, 16, 4, r = tw_rootn(x, n))                                                             \
    X(sincos, ONE, REAL, 4, 4, 2, r = tw_sincos(x, &s))                                                                \
    X(sincos_out, ONE, REAL, 4, 4, 2, (void)tw_sincos(x, &r))

/* Not for half, and half_* for float only. */
#define NATIVE_FUNCTIONS(X)                                                                                            \
    X(native_cos, ONE, REAL, NONE, NONE, NONE, r = tw_native_cos(x))                                                   \
    X(native_divide, TWO, REAL, NONE, NONE, NONE, r = tw_native_divide(x, y))                                          \
    X(native_exp, ONE, REAL, NONE, NONE, NONE, r = tw_native_exp(x))                                                   \
    X(native_exp10, ONE, REAL, NONE, NONE, NONE, r = tw_native_exp10(x))                                               \
    X(native_exp2, ONE, REAL, NONE, NONE, NONE, r = tw_native_exp2(x))                                                 \
    X(native_log, ONE, REAL, NONE, NONE, NONE, r = tw_native_log(x))                                                   \
    X(native_log10, ONE, REAL, NONE, NONE, NONE, r = tw_native_log10(x))                                               \
    X(native_log2, ONE, REAL, NONE, NONE, NONE, r = tw_native_log2(x))                                                 \
    X(native_powr, TWO, REAL, NONE, NONE, NONE, r = tw_native_powr(x, y))                                              \
    X(native_recip, ONE, REAL, NONE, NONE, NONE, r = tw_native_recip(x))                                               \
    X(native_rsqrt, ONE, REAL, NONE, NONE, NONE, r = tw_native_rsqrt(x))                                               \
    X(native_sin, ONE, REAL, NONE, NONE, NONE, r = tw_native_sin(x))                                                   \
    X(native_sqrt, ONE, REAL, NONE, NONE, NONE, r = tw_native_sqrt(x))                                                 \
    X(native_tan, ONE, REAL, NONE, NONE, NONE, r = tw_native_tan(x))
#define LIMITED_FUNCTIONS(X)                                                                                           \
    X(half_cos, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_cos(x))                                                \
    X(half_divide, TWO, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_divide(x, y))                                       \
    X(half_exp, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_exp(x))                                                \
    X(half_exp10, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_exp10(x))                                            \
    X(half_exp2, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_exp2(x))                                              \
    X(half_log, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_log(x))                                                \
    X(half_log10, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_log10(x))                                            \
    X(half_log2, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_log2(x))                                              \
    X(half_powr, TWO, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_powr(x, y))                                           \
    X(half_recip, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_recip(x))                                            \
    X(half_rsqrt, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_rsqrt(x))                                            \
    X(half_sin, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_sin(x))                                                \
    X(half_sqrt, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_sqrt(x))                                              \
    X(half_tan, ONE, REAL, LIMITED, ABSENT, ABSENT, r = tw_half_tan(x))

#define ALL_FUNCTIONS(X) UNARY_FUNCTIONS(X) OTHER_FUNCTIONS(X) NATIVE_FUNCTIONS(X) LIMITED_FUNCTIONS(X)

#endif
