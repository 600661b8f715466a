/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The names of the math functions (spec tables 3.53 - 3.58), by the shape of their arguments. The headers beside this
 * one make every vector form from these lists, and the tests go through them, so that none is forgotten.
 *
 * X(name) is expanded for each function; the function is tw_##name.
 */
#ifndef TEAMWORK_LOWER_MATH_LIST_H
#define TEAMWORK_LOWER_MATH_LIST_H

/* T f(T x). EXACT: single instructions where the processor has them, on vectors too. LIBM: compiler intrinsics on CPUs,
   calls of the vendor's library on GPUs. LANES: one element at a time everywhere. */
#define TW_INTERNAL_MATH_UNARY_WHOLE(X) X(ceil) X(floor) X(rint) X(round) X(sqrt) X(trunc)
#define TW_INTERNAL_MATH_UNARY_EXACT(X) TW_INTERNAL_MATH_UNARY_WHOLE(X) X(fabs)
#define TW_INTERNAL_MATH_UNARY_LIBM(X)                                                                                 \
    X(acos) X(asin) X(atan) X(cos) X(cosh) X(exp) X(exp2) X(log) X(log10) X(log2) X(sin) X(sinh) X(tan) X(tanh)
/* clang-format off */
#define TW_INTERNAL_MATH_UNARY_LANES(X)                                                                                \
    X(acosh)                                                                                                           \
    X(acospi) X(asinh) X(asinpi) X(atanh) X(atanpi) X(cbrt) X(cospi) X(erf) X(erfc) X(exp10) X(expm1) X(lgamma)        \
    X(log1p) X(logb) X(rsqrt) X(sinpi) X(tanpi) X(tgamma)
/* clang-format on */
#define TW_INTERNAL_MATH_UNARY(X)                                                                                      \
    TW_INTERNAL_MATH_UNARY_EXACT(X) TW_INTERNAL_MATH_UNARY_LIBM(X) TW_INTERNAL_MATH_UNARY_LANES(X)

/* T f(T x, T y) */
#define TW_INTERNAL_MATH_BINARY_EXACT(X) X(copysign) X(fmax) X(fmin)
#define TW_INTERNAL_MATH_BINARY_LANES(X)                                                                               \
    X(atan2) X(atan2pi) X(fdim) X(fmod) X(hypot) X(maxmag) X(minmag) X(powr) X(remainder)
/* All but nextafter, which means another thing in another type: those that a half leaves to float. */
#define TW_INTERNAL_MATH_BINARY_FLOAT(X) X(pow) TW_INTERNAL_MATH_BINARY_LANES(X)
#define TW_INTERNAL_MATH_BINARY(X) TW_INTERNAL_MATH_BINARY_EXACT(X) TW_INTERNAL_MATH_BINARY_FLOAT(X) X(nextafter)

#define TW_INTERNAL_MATH_TERNARY(X) X(fma) X(mad)                     /* T f(T x, T y, T z) */
#define TW_INTERNAL_MATH_TO_INT(X) X(ilogb)                           /* int f(T x) */
#define TW_INTERNAL_MATH_WITH_INT(X) X(ldexp) X(pown) X(rootn)        /* T f(T x, int n) */
#define TW_INTERNAL_MATH_OUT(X) X(fract) X(modf) X(sincos)            /* T f(T x, T *out) */
#define TW_INTERNAL_MATH_OUT_INT(X) X(frexp) X(lgamma_r)              /* T f(T x, int *out) */
#define TW_INTERNAL_MATH_BINARY_OUT_INT(X) X(remquo)                  /* T f(T x, T y, int *out) */
#define TW_INTERNAL_MATH_OF_BITS(X) X(nan)                            /* T f(unsigned integer of T's width) */
#define TW_INTERNAL_MATH_WITH_SCALAR(X) X(fmax) X(fmin)               /* vector f(vector x, T y) */
#define TW_INTERNAL_MATH_WITH_SCALAR_INT(X) X(ldexp) X(pown) X(rootn) /* vector f(vector x, int n) */

/* tw_native_##name, for float and double, and tw_half_##name, for float: of one and of two arguments. */
#define TW_INTERNAL_NATIVE_UNARY(X)                                                                                    \
    X(cos) X(exp) X(exp10) X(exp2) X(log) X(log10) X(log2) X(recip) X(rsqrt) X(sin) X(sqrt) X(tan)
#define TW_INTERNAL_NATIVE_BINARY(X) X(divide) X(powr)

#endif
