/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers a part of what <teamwork/vector.h> declares. */
#ifndef TEAMWORK_LOWER_GEOMETRIC_H
#define TEAMWORK_LOWER_GEOMETRIC_H

#include <teamwork/lower/vector/vector.h>

/* ---- dot, cross -------------------------------------------------------------------------------------------------- */

#define TW_INTERNAL_DOT(T, n)                                                                                          \
    TW_INTERNAL_OVERLOAD tw_##T tw_dot(tw_##T##n p, tw_##T##n q)                                                       \
    {                                                                                                                  \
        tw_##T tw_sum = p[0] * q[0];                                                                                   \
        for (int tw_i = 1; tw_i < n; ++tw_i)                                                                           \
            tw_sum += p[tw_i] * q[tw_i];                                                                               \
        return tw_sum;                                                                                                 \
    }
TW_INTERNAL_VECTORS(TW_INTERNAL_DOT, float)
TW_INTERNAL_VECTORS(TW_INTERNAL_DOT, double)
#undef TW_INTERNAL_DOT

#define TW_INTERNAL_CROSS(T)                                                                                           \
    TW_INTERNAL_OVERLOAD tw_##T##3 tw_cross(tw_##T##3 p, tw_##T##3 q)                                                  \
    {                                                                                                                  \
        return p.yzx * q.zxy - p.zxy * q.yzx;                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##4 tw_cross(tw_##T##4 p, tw_##T##4 q)                                                  \
    {                                                                                                                  \
        tw_##T##4 tw_r = (tw_##T)0;                                                                                    \
        tw_r.xyz = tw_cross(p.xyz, q.xyz);                                                                             \
        return tw_r;                                                                                                   \
    }
TW_INTERNAL_FLOAT_TYPES(TW_INTERNAL_CROSS)
#undef TW_INTERNAL_CROSS

/* ---- length, normalize ------------------------------------------------------------------------------------------- */

/*
 * Scaling by powers of two where a square, or the sum of up to 16, would overflow or lose digits. Within the limits the
 * largest square, which is a 16th of the sum or more, is far above the subnormal numbers.
 */
#define TW_INTERNAL_LENGTH_LIMITS_float 0x1p-100f, 0x1p126f, 0x1p86f, 0x1p-68f
#define TW_INTERNAL_LENGTH_LIMITS_double 0x1p-900, 0x1p1022, 0x1p600, 0x1p-520

/* The factor for a vector that has this sum of squares, NaN included. */
#define TW_INTERNAL_LENGTH_SCALE(T)                                                                                    \
    TW_INTERNAL_OVERLOAD tw_##T tw_internal_length_scale(tw_##T sum)                                                   \
    {                                                                                                                  \
        const tw_##T tw_limits[] = {TW_INTERNAL_LENGTH_LIMITS_##T};                                                    \
        return sum < tw_limits[0] ? tw_limits[2] : sum < tw_limits[1] ? (tw_##T)1 : tw_limits[3];                      \
    }
TW_INTERNAL_LENGTH_SCALE(float)
TW_INTERNAL_LENGTH_SCALE(double)
#undef TW_INTERNAL_LENGTH_SCALE
#undef TW_INTERNAL_LENGTH_LIMITS_float
#undef TW_INTERNAL_LENGTH_LIMITS_double

#define TW_INTERNAL_LENGTH(T, n)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_##T tw_length(tw_##T##n p)                                                                 \
    {                                                                                                                  \
        const tw_##T tw_sum = tw_dot(p, p), tw_scale = tw_internal_length_scale(tw_sum);                               \
        if (tw_scale == (tw_##T)1)                                                                                     \
            return __builtin_elementwise_sqrt(tw_sum);                                                                 \
        p *= tw_scale;                                                                                                 \
        return __builtin_elementwise_sqrt(tw_dot(p, p)) / tw_scale;                                                    \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_normalize(tw_##T##n p)                                                           \
    {                                                                                                                  \
        tw_##T tw_sum = tw_dot(p, p);                                                                                  \
        const tw_##T tw_scale = tw_internal_length_scale(tw_sum);                                                      \
        if (tw_scale != (tw_##T)1) {                                                                                   \
            p *= tw_scale;                                                                                             \
            tw_sum = tw_dot(p, p);                                                                                     \
            if (tw_sum == (tw_##T)0)                                                                                   \
                return p;                                                                                              \
        }                                                                                                              \
        return p / __builtin_elementwise_sqrt(tw_sum);                                                                 \
    }
TW_INTERNAL_VECTORS(TW_INTERNAL_LENGTH, float)
TW_INTERNAL_VECTORS(TW_INTERNAL_LENGTH, double)
#undef TW_INTERNAL_LENGTH

/* A scalar is a vector of one element. */
#define TW_INTERNAL_ONE_ELEMENT(T)                                                                                     \
    TW_INTERNAL_OVERLOAD tw_##T tw_dot(tw_##T p, tw_##T q)                                                             \
    {                                                                                                                  \
        return p * q;                                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_length(tw_##T p)                                                                    \
    {                                                                                                                  \
        return __builtin_elementwise_abs(p);                                                                           \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_normalize(tw_##T p)                                                                 \
    {                                                                                                                  \
        return p > (tw_##T)0 ? (tw_##T)1 : p < (tw_##T)0 ? (tw_##T) - 1 : p;                                           \
    }
TW_INTERNAL_FLOAT_TYPES(TW_INTERNAL_ONE_ELEMENT)
#undef TW_INTERNAL_ONE_ELEMENT

/* half is computed in float, where its squares neither overflow nor vanish. */
#define TW_INTERNAL_HALF(T, n)                                                                                         \
    TW_INTERNAL_OVERLOAD tw_half tw_dot(tw_half##n p, tw_half##n q)                                                    \
    {                                                                                                                  \
        return (tw_half)tw_dot(TW_INTERNAL_CAST(float, n, p), TW_INTERNAL_CAST(float, n, q));                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_half tw_length(tw_half##n p)                                                               \
    {                                                                                                                  \
        const tw_float##n tw_p = TW_INTERNAL_CAST(float, n, p);                                                        \
        return (tw_half)__builtin_elementwise_sqrt(tw_dot(tw_p, tw_p));                                                \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_half##n tw_normalize(tw_half##n p)                                                         \
    {                                                                                                                  \
        const tw_float##n tw_p = TW_INTERNAL_CAST(float, n, p);                                                        \
        const tw_float tw_sum = tw_dot(tw_p, tw_p);                                                                    \
        if (tw_sum == 0)                                                                                               \
            return p;                                                                                                  \
        return TW_INTERNAL_CAST(half, n, tw_p / __builtin_elementwise_sqrt(tw_sum));                                   \
    }
TW_INTERNAL_VECTORS(TW_INTERNAL_HALF, half)
#undef TW_INTERNAL_HALF

/* ---- fast -------------------------------------------------------------------------------------------------------- */

TW_INTERNAL_OVERLOAD tw_float tw_internal_fast_sqrt(tw_float x)
{
#ifdef __NVPTX__
    return __nvvm_sqrt_approx_f(x);
#else
    return __builtin_elementwise_sqrt(x);
#endif
}

TW_INTERNAL_OVERLOAD tw_float tw_internal_fast_rsqrt(tw_float x)
{
#ifdef __NVPTX__
    return __nvvm_rsqrt_approx_f(x);
#else
    return 1 / __builtin_elementwise_sqrt(x);
#endif
}

#define TW_INTERNAL_DISTANCE(T, n)                                                                                     \
    TW_INTERNAL_OVERLOAD tw_##T tw_distance(tw_##T##n p, tw_##T##n q)                                                  \
    {                                                                                                                  \
        return tw_length(p - q);                                                                                       \
    }
TW_INTERNAL_DISTANCE(half, )
TW_INTERNAL_DISTANCE(float, )
TW_INTERNAL_DISTANCE(double, )
TW_INTERNAL_FLOAT_VECTORS(TW_INTERNAL_DISTANCE)
#undef TW_INTERNAL_DISTANCE

#define TW_INTERNAL_FAST(T, n)                                                                                         \
    TW_INTERNAL_OVERLOAD tw_##T tw_fast_length(tw_##T##n p)                                                            \
    {                                                                                                                  \
        return tw_internal_fast_sqrt(tw_dot(p, p));                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T tw_fast_distance(tw_##T##n p, tw_##T##n q)                                             \
    {                                                                                                                  \
        return tw_fast_length(p - q);                                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_fast_normalize(tw_##T##n p)                                                      \
    {                                                                                                                  \
        const tw_##T tw_sum = tw_dot(p, p);                                                                            \
        if (tw_sum < 0x1p-126f)                                                                                        \
            return p;                                                                                                  \
        return p * tw_internal_fast_rsqrt(tw_sum);                                                                     \
    }
TW_INTERNAL_SCALAR_AND_VECTORS(TW_INTERNAL_FAST, float)
#undef TW_INTERNAL_FAST

#endif
