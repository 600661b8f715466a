/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers a part of what <teamwork/vector.h> declares. */
#ifndef TEAMWORK_LOWER_COMMON_H
#define TEAMWORK_LOWER_COMMON_H

#include <teamwork/lower/vector/vector.h>

/* Of each condition on vectors clang says that it makes a scalar of a vector. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wconversion"

/* Constants are of the element's type: vectors spread them, and scalars of half stay half. */
#define TW_INTERNAL_COMMON(T, n)                                                                                       \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_max(tw_##T##n x, tw_##T##n y)                                                    \
    {                                                                                                                  \
        return x < y ? y : x;                                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_min(tw_##T##n x, tw_##T##n y)                                                    \
    {                                                                                                                  \
        return y < x ? y : x;                                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_clamp(tw_##T##n x, tw_##T##n low, tw_##T##n high)                                \
    {                                                                                                                  \
        return tw_min(tw_max(x, low), high);                                                                           \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_degrees(tw_##T##n x)                                                             \
    {                                                                                                                  \
        return x * (tw_##T)57.295779513082320876798154814105170332;                                                    \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_radians(tw_##T##n x)                                                             \
    {                                                                                                                  \
        return x * (tw_##T)0.017453292519943295769236907684886127;                                                     \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_mix(tw_##T##n x, tw_##T##n y, tw_##T##n a)                                       \
    {                                                                                                                  \
        return x + (y - x) * a;                                                                                        \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_step(tw_##T##n edge, tw_##T##n x)                                                \
    {                                                                                                                  \
        return x < edge ? (tw_##T##n)(tw_##T)0 : (tw_##T##n)(tw_##T)1;                                                 \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_smoothstep(tw_##T##n edge0, tw_##T##n edge1, tw_##T##n x)                        \
    {                                                                                                                  \
        const tw_##T##n tw_t = tw_clamp((x - edge0) / (edge1 - edge0), (tw_##T##n)(tw_##T)0, (tw_##T##n)(tw_##T)1);    \
        return tw_t * tw_t * ((tw_##T)3 - (tw_##T)2 * tw_t);                                                           \
    }                                                                                                                  \
    TW_INTERNAL_OVERLOAD tw_##T##n tw_sign(tw_##T##n x)                                                                \
    {                                                                                                                  \
        const tw_##T##n tw_zero = x == (tw_##T)0 ? x : (tw_##T##n)(tw_##T)0; /* of NaN: 0 */                           \
        const tw_##T##n tw_negative = x < (tw_##T)0 ? (tw_##T##n)(tw_##T) - 1 : tw_zero;                               \
        return x > (tw_##T)0 ? (tw_##T##n)(tw_##T)1 : tw_negative;                                                     \
    }
TW_INTERNAL_FLOAT_GEN(TW_INTERNAL_COMMON)
#undef TW_INTERNAL_COMMON

#pragma clang diagnostic pop

#endif
