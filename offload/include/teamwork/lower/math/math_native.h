/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The fast functions: tw_native_* with errors and ranges that are the device's own (spec tables 3.57 and 3.58), for
 * float, double and half (table 4.3), and OpenCL's tw_half_*, for float, with at least 10 correct bits (8192 ulp); sine, cosine and
 * tangent of those take up to 2^16. Scalars and vectors.
 *
 * On NVIDIA GPUs the native functions of float are single instructions or a few, and the half ones too where that keeps
 * 10 bits over the whole range; subnormal numbers may become zero. Elsewhere, and for double, all are the precise
 * functions.
 */
#ifndef TEAMWORK_LOWER_MATH_NATIVE_H
#define TEAMWORK_LOWER_MATH_NATIVE_H

#include <teamwork/lower/math/math_vector.h>

#define TW_INTERNAL_PRECISE_UNARY(T, kind, name)                                                                       \
    TW_INTERNAL_OVERLOAD tw_##T tw_##kind##_##name(tw_##T x)                                                           \
    {                                                                                                                  \
        return tw_##name(x);                                                                                           \
    }
#define TW_INTERNAL_PRECISE_OTHER(T, kind)                                                                             \
    TW_INTERNAL_OVERLOAD tw_##T tw_##kind##_recip(tw_##T x)                                                            \
    {                                                                                                                  \
        return 1 / x;                                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_##kind##_divide(tw_##T x, tw_##T y)                                                 \
    {                                                                                                                  \
        return x / y;                                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_##kind##_powr(tw_##T x, tw_##T y)                                                   \
    {                                                                                                                  \
        return tw_powr(x, y);                                                                                          \
    }
#define TW_INTERNAL_PRECISE(T, kind)                                                                                   \
    TW_INTERNAL_PRECISE_UNARY(T, kind, cos)                                                                            \
    TW_INTERNAL_PRECISE_UNARY(T, kind, exp)                                                                            \
    TW_INTERNAL_PRECISE_UNARY(T, kind, exp10)                                                                          \
    TW_INTERNAL_PRECISE_UNARY(T, kind, exp2)                                                                           \
    TW_INTERNAL_PRECISE_UNARY(T, kind, log)                                                                            \
    TW_INTERNAL_PRECISE_UNARY(T, kind, log10)                                                                          \
    TW_INTERNAL_PRECISE_UNARY(T, kind, log2)                                                                           \
    TW_INTERNAL_PRECISE_UNARY(T, kind, rsqrt)                                                                          \
    TW_INTERNAL_PRECISE_UNARY(T, kind, sin)                                                                            \
    TW_INTERNAL_PRECISE_UNARY(T, kind, sqrt)                                                                           \
    TW_INTERNAL_PRECISE_UNARY(T, kind, tan)                                                                            \
    TW_INTERNAL_PRECISE_OTHER(T, kind)

TW_INTERNAL_PRECISE(double, native)
#ifndef __NVPTX__
TW_INTERNAL_PRECISE(float, native)
TW_INTERNAL_PRECISE(float, half)
#else

#define TW_INTERNAL_AS(kind, name, ...)                                                                                \
    TW_INTERNAL_OVERLOAD tw_float tw_##kind##_##name(tw_float x)                                                       \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
TW_INTERNAL_AS(native, cos, __nv_fast_cosf(x))
TW_INTERNAL_AS(native, exp, __nv_fast_expf(x))
TW_INTERNAL_AS(native, exp10, __nv_fast_exp10f(x))
TW_INTERNAL_AS(native, exp2, __nvvm_ex2_approx_f(x))
TW_INTERNAL_AS(native, log, __nv_fast_logf(x))
TW_INTERNAL_AS(native, log10, __nv_fast_log10f(x))
TW_INTERNAL_AS(native, log2, __nv_fast_log2f(x))
TW_INTERNAL_AS(native, recip, __nv_fast_fdividef(1, x))
TW_INTERNAL_AS(native, rsqrt, __nvvm_rsqrt_approx_f(x))
TW_INTERNAL_AS(native, sin, __nv_fast_sinf(x))
TW_INTERNAL_AS(native, sqrt, __nvvm_sqrt_approx_f(x))
TW_INTERNAL_AS(native, tan, __nv_fast_tanf(x))
TW_INTERNAL_OVERLOAD tw_float tw_native_divide(tw_float x, tw_float y)
{
    return __nv_fast_fdividef(x, y);
}
TW_INTERNAL_OVERLOAD tw_float tw_native_powr(tw_float x, tw_float y)
{
    return __nv_fast_powf(x, y);
}

/* The argument of the exponential has an absolute error of up to 2^-17, so the result a relative one. The instructions
   for sine, cosine and logarithms have absolute errors, and keep no bits near the zeros of these functions. */
TW_INTERNAL_AS(half, exp, __nvvm_ex2_approx_f(x * 0x1.715476p+0f))
TW_INTERNAL_AS(half, exp10, __nvvm_ex2_approx_f(x * 0x1.a934fp+1f))
TW_INTERNAL_AS(half, exp2, __nvvm_ex2_approx_f(x))
TW_INTERNAL_AS(half, rsqrt, __nvvm_rsqrt_approx_f(x))
TW_INTERNAL_AS(half, sqrt, __nvvm_sqrt_approx_f(x))
TW_INTERNAL_PRECISE_UNARY(float, half, cos)
TW_INTERNAL_PRECISE_UNARY(float, half, log)
TW_INTERNAL_PRECISE_UNARY(float, half, log10)
TW_INTERNAL_PRECISE_UNARY(float, half, log2)
TW_INTERNAL_PRECISE_UNARY(float, half, sin)
TW_INTERNAL_PRECISE_UNARY(float, half, tan)
TW_INTERNAL_PRECISE_OTHER(float, half)
#undef TW_INTERNAL_AS
#endif
#undef TW_INTERNAL_PRECISE
#undef TW_INTERNAL_PRECISE_OTHER
#undef TW_INTERNAL_PRECISE_UNARY

#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_UNARY, native_##name)                                                      \
    TW_INTERNAL_OVER_FLOAT(TW_INTERNAL_LANES_UNARY, half_##name)
TW_INTERNAL_NATIVE_UNARY(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE
#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVER_BOTH(TW_INTERNAL_LANES_BINARY, native_##name)                                                     \
    TW_INTERNAL_OVER_FLOAT(TW_INTERNAL_LANES_BINARY, half_##name)
TW_INTERNAL_NATIVE_BINARY(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

/* Those of half are those of float, rounded. */
#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_half tw_native_##name(tw_half x)                                                           \
    {                                                                                                                  \
        return (tw_half)tw_native_##name((tw_float)x);                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_UNARY, native_##name)
TW_INTERNAL_NATIVE_UNARY(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE
#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_half tw_native_##name(tw_half x, tw_half y)                                                \
    {                                                                                                                  \
        return (tw_half)tw_native_##name((tw_float)x, (tw_float)y);                                                    \
    }                                                                                                                  \
    TW_INTERNAL_OVER_HALF(TW_INTERNAL_FLOAT_BINARY, native_##name)
TW_INTERNAL_NATIVE_BINARY(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

#endif
