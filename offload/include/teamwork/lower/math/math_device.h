/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the mathematical functions are made of: the scalar functions that each pass has, and the bits of a number.
 *
 * NVPTX has NVIDIA's libdevice and AMDGCN has ROCm's device library; clang declares both in their passes and links
 * them. CPUs have the C library's libm. Those functions that LLVM knows as operations are asked for as such, by clang's
 * element-wise built-ins: they do not set errno, so the compiler may move and vectorize them, with -fveclib=libmvec
 * through glibc's vector functions. No header of the C library is needed.
 */
#ifndef TEAMWORK_LOWER_MATH_DEVICE_H
#define TEAMWORK_LOWER_MATH_DEVICE_H

#include <teamwork/lower/math/math_list.h>
#include <teamwork/lower/vector/vector.h>

/* TW_INTERNAL_CALL(T, name): the device's function for float or double. */
#define TW_INTERNAL_CALL(T, name) TW_INTERNAL_CALL_##T(name)
#if defined(__NVPTX__)
#define TW_INTERNAL_MATH_GPU 1
#define TW_INTERNAL_CALL_float(name) __nv_##name##f
#define TW_INTERNAL_CALL_double(name) __nv_##name
#elif defined(__AMDGCN__)
#define TW_INTERNAL_MATH_GPU 1
#define TW_INTERNAL_CALL_float(name) __ocml_##name##_f32
#define TW_INTERNAL_CALL_double(name) __ocml_##name##_f64
#else
#define TW_INTERNAL_CALL_float(name) __builtin_##name##f
#define TW_INTERNAL_CALL_double(name) __builtin_##name
#endif

#ifndef TW_INTERNAL_MATH_GPU
#ifdef __cplusplus
extern "C" {
#endif
/* Not in every mode of <math.h>, and lgamma() writes a global variable. */
float tw_internal_lgammaf_r(float x, int *sign) __asm__("lgammaf_r");
double tw_internal_lgamma_r(double x, int *sign) __asm__("lgamma_r");
#ifdef __cplusplus
}
#endif
#endif

/* How the scalar functions are defined; the vector functions call them. */
#ifndef TW_INTERNAL_MATH_SCALAR
#define TW_INTERNAL_MATH_SCALAR TW_INTERNAL_OVERLOAD
#endif

/* Stored bits of the significand, and the exponent's bias. */
#define TW_INTERNAL_half_BITS 10
#define TW_INTERNAL_half_BIAS 15
#define TW_INTERNAL_float_BITS 23
#define TW_INTERNAL_float_BIAS 127
#define TW_INTERNAL_double_BITS 52
#define TW_INTERNAL_double_BIAS 1023

/* The bits of type T as unsigned integers: one, the sign, and infinity. What is above infinity is a NaN. */
#define TW_INTERNAL_ONE_BIT(T) ((tw_internal_u_##T)1)
#define TW_INTERNAL_SIGN_BIT(T) (TW_INTERNAL_ONE_BIT(T) << (8 * sizeof(tw_##T) - 1))
#define TW_INTERNAL_INF_BITS(T) (TW_INTERNAL_SIGN_BIT(T) - (TW_INTERNAL_ONE_BIT(T) << TW_INTERNAL_##T##_BITS))
#define TW_INTERNAL_MATH_MAGNITUDE(T, x) (tw_internal_bits(x) & (TW_INTERNAL_SIGN_BIT(T) - 1))

#define TW_INTERNAL_NAN(T) ((tw_##T)__builtin_nanf(""))
#define TW_INTERNAL_INFINITY(T) ((tw_##T)__builtin_inff())

#define TW_INTERNAL_REAL_BITS(T)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_internal_u_##T tw_internal_bits(tw_##T x)                                                  \
    {                                                                                                                  \
        tw_internal_u_##T bits;                                                                                        \
        __builtin_memcpy(&bits, &x, sizeof bits);                                                                      \
        return bits;                                                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_internal_real_##T(tw_internal_u_##T bits)                                           \
    {                                                                                                                  \
        tw_##T x;                                                                                                      \
        __builtin_memcpy(&x, &bits, sizeof x);                                                                         \
        return x;                                                                                                      \
    }
TW_INTERNAL_REAL_BITS(half)
TW_INTERNAL_REAL_BITS(float)
TW_INTERNAL_REAL_BITS(double)
#undef TW_INTERNAL_REAL_BITS

#endif
