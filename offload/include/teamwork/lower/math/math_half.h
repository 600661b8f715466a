/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Mathematical functions for a tw_half: computed in float and rounded once more, which is far within the bounds of
 * cl_khr_fp16, and correctly rounded where the float function is: float has more than twice the bits, and two to spare.
 */
#ifndef TEAMWORK_LOWER_MATH_HALF_H
#define TEAMWORK_LOWER_MATH_HALF_H

#include <teamwork/lower/math/half.h>
#include <teamwork/lower/math/math_library.h>

#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_half tw_##name(tw_half x)                                                                  \
    {                                                                                                                  \
        return (tw_half)tw_##name((tw_float)x);                                                                        \
    }
TW_INTERNAL_MATH_UNARY(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_half tw_##name(tw_half x, tw_half y)                                                       \
    {                                                                                                                  \
        return (tw_half)tw_##name((tw_float)x, (tw_float)y);                                                           \
    }
TW_INTERNAL_DEFINE(fmax)
TW_INTERNAL_DEFINE(fmin)
TW_INTERNAL_MATH_BINARY_FLOAT(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

/* Not through float: on NVIDIA's GPUs a conversion takes the sign of a NaN away. */
TW_INTERNAL_OVERLOAD tw_half tw_copysign(tw_half x, tw_half y)
{
    return tw_half_from_bits((tw_ushort)((tw_half_bits(x) & 0x7fff) | (tw_half_bits(y) & 0x8000)));
}

#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_half tw_##name(tw_half x, int n)                                                           \
    {                                                                                                                  \
        return (tw_half)tw_##name((tw_float)x, n);                                                                     \
    }
TW_INTERNAL_MATH_WITH_INT(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD int tw_##name(tw_half x)                                                                      \
    {                                                                                                                  \
        return tw_##name((tw_float)x);                                                                                 \
    }
TW_INTERNAL_MATH_TO_INT(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

#define TW_INTERNAL_DEFINE(name)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_half tw_##name(tw_half x, int *out)                                                        \
    {                                                                                                                  \
        return (tw_half)tw_##name((tw_float)x, out);                                                                   \
    }
TW_INTERNAL_MATH_OUT_INT(TW_INTERNAL_DEFINE)
#undef TW_INTERNAL_DEFINE

TW_INTERNAL_OVERLOAD tw_half tw_remquo(tw_half x, tw_half y, int *quotient)
{
    return (tw_half)tw_remquo((tw_float)x, (tw_float)y, quotient);
}

TW_INTERNAL_OVERLOAD tw_half tw_modf(tw_half x, tw_half *integral)
{
    tw_float whole;
    const tw_float part = tw_modf((tw_float)x, &whole);
    *integral = (tw_half)whole;
    return (tw_half)part;
}

TW_INTERNAL_OVERLOAD tw_half tw_sincos(tw_half x, tw_half *cosine)
{
    tw_float c;
    const tw_float s = tw_sincos((tw_float)x, &c);
    *cosine = (tw_half)c;
    return (tw_half)s;
}

/* Rounding to half may give the 1 that fract may not return. */
TW_INTERNAL_OVERLOAD tw_half tw_fract(tw_half x, tw_half *integral)
{
    tw_float whole;
    const tw_half part = (tw_half)tw_fract((tw_float)x, &whole);
    *integral = (tw_half)whole;
    return part >= 1 ? (tw_half)0x1.ffcp-1f : part;
}

/* Without an instruction: the sum of a product and a half is exact in double, or the product too small to matter. */
TW_INTERNAL_OVERLOAD tw_half tw_fma(tw_half x, tw_half y, tw_half z)
{
#ifdef TW_INTERNAL_MATH_GPU
    return __builtin_elementwise_fma(x, y, z);
#else
    return (tw_half)((tw_double)x * (tw_double)y + (tw_double)z);
#endif
}

TW_INTERNAL_OVERLOAD tw_half tw_mad(tw_half x, tw_half y, tw_half z)
{
    return x * y + z;
}

#endif
