/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Half precision (spec 4.2): limits of tw_half, and its bits.
 *
 * tw_half is _Float16 (vector.h), so C's own casts convert: (tw_half)x rounds to nearest even, from float and from
 * double alike in one step, and (float)h is exact; tw_convert_half_rtz(x) and its like (convert.h) round in other
 * directions. Infinities, NaNs and subnormal numbers are kept. Where a processor has no instructions for it, the
 * compiler calls functions of its run-time library (libgcc or compiler-rt), which is linked anyway.
 *
 * On processors without half arithmetic clang computes a whole expression of halves in float and rounds once, at the
 * end; GPUs round after each operation. A cast or an assignment rounds in either case: where results must agree to the
 * last bit, give each operation a variable of its own, or compile with -ffloat16-excess-precision=none.
 */
#ifndef TEAMWORK_LOWER_HALF_H
#define TEAMWORK_LOWER_HALF_H

#include <teamwork/lower/vector.h>

/* The limits of tw_half, as float.h has them for the other types. */
#define TW_HALF_RADIX 2
#define TW_HALF_MANT_DIG 11
#define TW_HALF_DIG 3
#define TW_HALF_MIN_EXP (-13)
#define TW_HALF_MIN_10_EXP (-4)
#define TW_HALF_MAX_EXP 16
#define TW_HALF_MAX_10_EXP 4
#define TW_HALF_MAX ((tw_half)65504.0f)
#define TW_HALF_MIN ((tw_half)0x1p-14f)
#define TW_HALF_EPSILON ((tw_half)0x1p-10f)

/** The 16 bits of a half (IEEE 754 binary16). */
static inline __attribute__((always_inline)) tw_ushort tw_half_bits(tw_half x)
{
    tw_ushort bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/** The half with these 16 bits. */
static inline __attribute__((always_inline)) tw_half tw_half_from_bits(tw_ushort bits)
{
    tw_half x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
