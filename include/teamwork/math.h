/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Mathematical functions (spec 3.9.3), for kernels on every device and for host code, compiled by clang.
 *
 * Each function has one name for tw_float, tw_double and tw_half and their vectors of 2, 3, 4, 8 and 16 elements; T
 * stands for any of these, I for int or the vector of int with as many elements, U for unsigned integers of T's width.
 * All arguments have the same T: give constants its type, as in tw_pow(x, 2.0f). Vectors are computed element by
 * element.
 *
 *     T f(T x)             acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc
 *                          exp exp10 exp2 expm1 fabs floor lgamma log log10 log1p log2 logb rint round rsqrt sin sinh
 *                          sinpi sqrt tan tanh tanpi tgamma trunc
 *     T f(T x, T y)        atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder
 *                          (fmax, fmin: y may also be a scalar for all elements)
 *     T f(T x, T y, T z)   fma mad
 *     T f(T x, I n)        ldexp pown rootn (n may also be an int for all elements)
 *     I f(T x)             ilogb
 *     T f(T x, T *out)     fract (out: floor(x)), modf (out: trunc(x)), sincos (out: the cosine)
 *     T f(T x, I *out)     frexp (out: the exponent), lgamma_r (out: the sign, 0 at a pole)
 *     T f(T x, T y, I *q)  remquo (q: the low 7 bits of the quotient, with its sign)
 *     T f(U code)          nan: a quiet NaN with this payload
 *
 *     tw_native_f, of all, and tw_half_f, of float: cos divide exp exp10 exp2 log log10 log2 powr recip
 *     rsqrt sin sqrt tan. Fast, with errors of the device's own, or of up to 8192 ulp.
 *
 * Errors are within the bounds of OpenCL 1.2 (7.4, full profile; cl_khr_fp16 for half) on every device; docs/math.md
 * has the measured ones, and what floating-point options of the compiler change. Special cases are those of C99 annex F
 * and OpenCL 1.2 (7.5). Results round to nearest even; errno means nothing after a call, and lgamma's signgam is left
 * alone. A pointer may point to private, local or global memory and must be aligned for its type.
 *
 * Programs that use these functions on a CPU are linked with the C library's libm.
 */
#ifndef TEAMWORK_MATH_H
#define TEAMWORK_MATH_H

#include <teamwork/lower/math/math.h>

/**
 * Half precision (spec 4.2): limits of tw_half, and its bits.
 *
 * tw_half is _Float16 (vector.h), so C's own casts convert: (tw_half)x rounds to nearest even, from float and from
 * double alike in one step, and (float)h is exact; tw_convert_half_rtz(x) and its like (vector.h) round in other
 * directions. Infinities, NaNs and subnormal numbers are kept. Where a processor has no instructions for it, the
 * compiler calls functions of its run-time library (libgcc or compiler-rt), which is linked anyway.
 *
 * On processors without half arithmetic clang computes a whole expression of halves in float and rounds once, at the
 * end; GPUs round after each operation. A cast or an assignment rounds in either case: where results must agree to the
 * last bit, give each operation a variable of its own, or compile with -ffloat16-excess-precision=none.
 */

#endif
