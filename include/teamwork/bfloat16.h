/* SPDX-License-Identifier: Apache-2.0 */
/**
 * bfloat16: numbers of 16 bits with the exponent of a float and 8 bits of precision (SYCL's extension of that name), for
 * kernels and the host, in C and C++, with any compiler.
 *
 *     struct halve { tw_bfloat16 *x; };
 *     ...
 *     k->x[i] = tw_bfloat16_from_float(tw_bfloat16_to_float(k->x[i]) / 2);
 *
 * It is a type to store: arithmetic is in float, and a result is rounded where the program says so. In C++ it converts to
 * a float by itself, and is made of one, so that operators of float apply: x = x * y + 1.
 *
 * A conversion from float or double rounds once, to nearest, ties to even. Infinities and subnormal numbers are kept, what
 * is too large becomes infinite, and a NaN a quiet NaN, with whatever payload. One to float is exact, but that a
 * signaling NaN may become quiet on the way. This holds everywhere, with instructions for it (sm_80 and later) or
 * without.
 *
 * Buffers, views, unified shared memory, TW_GROUP_TYPE(tw_bfloat16) and matrix.h take the type as any other;
 * tw_vload_bfloat16_4() and its like (vector.h) make vectors of floats.
 */
#ifndef TEAMWORK_BFLOAT16_H
#define TEAMWORK_BFLOAT16_H

#include <stdint.h>
#include <string.h>

#include <teamwork/export.h>

/** A number of bfloat16. Its bits are the high half of a float's. */
typedef struct tw_bfloat16 {
    uint16_t tw_bits_;
#ifdef __cplusplus
    tw_bfloat16() = default;
    inline __attribute__((always_inline)) tw_bfloat16(float x);
    inline __attribute__((always_inline)) operator float() const;
#endif
} tw_bfloat16;

/* Limits, as float.h has them for the other types; the values are floats. */
#define TW_BFLOAT16_MANT_DIG 8         /**< bits of precision */
#define TW_BFLOAT16_DIG 2              /**< decimal digits that it keeps */
#define TW_BFLOAT16_MAX_EXP 128        /**< as FLT_MAX_EXP */
#define TW_BFLOAT16_MIN_EXP (-125)     /**< as FLT_MIN_EXP */
#define TW_BFLOAT16_MAX 0x1.fep127f    /**< the greatest finite number */
#define TW_BFLOAT16_MIN 0x1p-126f      /**< the least normal number */
#define TW_BFLOAT16_TRUE_MIN 0x1p-133f /**< the least subnormal number */
#define TW_BFLOAT16_EPSILON 0x1p-7f    /**< from 1 to the next number */

/** @return the 16 bits of a number */
TW_LANGUAGE_INLINE uint16_t tw_bfloat16_bits(tw_bfloat16 x)
{
    return x.tw_bits_;
}

/** @return the number with these 16 bits */
TW_LANGUAGE_INLINE tw_bfloat16 tw_bfloat16_from_bits(uint16_t bits)
{
    tw_bfloat16 x;
    x.tw_bits_ = bits;
    return x;
}

/** @return the number, as a float */
TW_LANGUAGE_INLINE float tw_bfloat16_to_float(tw_bfloat16 x)
{
    const uint32_t bits = (uint32_t)x.tw_bits_ << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

/** @return the nearest number to a float, of two equally near the one with an even last bit */
TW_LANGUAGE_INLINE tw_bfloat16 tw_bfloat16_from_float(float x)
{
#if defined(__NVPTX__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    /* No asm: LLVM takes it for something that work-items wait in, and keeps what it knows of memory out of its way. */
    const __bf16 rounded = __nvvm_f2bf16_rn(x);
    tw_bfloat16 result;
    memcpy(&result, &rounded, sizeof result);
    return result;
#else
    /* In bits, which a compiler makes vectors of. The instruction of x86 (AVX512-BF16) loses subnormal numbers. */
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t quiet = bits | 0x400000u, rounded = bits + 0x7fffu + (bits >> 16 & 1);
    return tw_bfloat16_from_bits((uint16_t)(((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded) >> 16));
#endif
}

/** @return the nearest number to a double, rounded once */
TW_LANGUAGE_INLINE tw_bfloat16 tw_bfloat16_from_double(double x)
{
    /* Rounded to odd on the way, which has enough bits: what lies between two floats stays between them. */
    float near = (float)x;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    const double magnitude = x < 0 ? -x : x, near_magnitude = near < 0 ? -(double)near : (double)near;
    if (near_magnitude > magnitude)
        --bits;
    if (near_magnitude != magnitude && magnitude == magnitude)
        bits |= 1;
    memcpy(&near, &bits, sizeof near);
    return tw_bfloat16_from_float(near);
}

#ifdef __cplusplus
inline __attribute__((always_inline)) tw_bfloat16::tw_bfloat16(float x) : tw_bits_(tw_bfloat16_from_float(x).tw_bits_)
{
}
inline __attribute__((always_inline)) tw_bfloat16::operator float() const
{
    return tw_bfloat16_to_float(*this);
}
#endif

#endif
