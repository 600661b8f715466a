/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/math.h> says of half precision. */
#ifndef TEAMWORK_LOWER_HALF_H
#define TEAMWORK_LOWER_HALF_H

#include <teamwork/lower/vector/vector.h>

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
