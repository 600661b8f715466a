/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels use that teamwork-port has moved from CUDA (teamwork_port_cuda.h includes this): ids as CUDA's structs, warps,
 * atomic operations and mathematical functions that the library has not by the same name.
 *
 * A warp is 32 work-items with neighbouring linear ids. On a GPU its functions are those of sub-groups. On a CPU, whose
 * sub-groups have one work-item, values go through memory of the group, between barriers: all work-items of the group come
 * to the call, or none, and a launch where that is not so fails with TW_ERROR_DIVERGENT_BARRIER. Masks name all lanes: the
 * tool refuses others.
 */
#ifndef TEAMWORK_PORT_DEVICE_H
#define TEAMWORK_PORT_DEVICE_H

#include <math.h>
#include <string.h>

#include <teamwork/math.h>
#include <teamwork_port.h>
#include <teamwork_port_vectors.h>

/* ---- ids --------------------------------------------------------------------------------------------------------- */

TW_DEVICE_INLINE uint3 tw_port_thread_of(tw_nd_item item)
{
    return make_uint3((unsigned)tw_local_id(item, 2), (unsigned)tw_local_id(item, 1), (unsigned)tw_local_id(item, 0));
}
TW_DEVICE_INLINE uint3 tw_port_block_of(tw_nd_item item)
{
    return make_uint3((unsigned)tw_group_id(item, 2), (unsigned)tw_group_id(item, 1), (unsigned)tw_group_id(item, 0));
}
TW_DEVICE_INLINE dim3 tw_port_threads_of(tw_nd_item item)
{
    return tw_port_dim3((unsigned)tw_local_range(item, 2), (unsigned)tw_local_range(item, 1),
                        (unsigned)tw_local_range(item, 0));
}
TW_DEVICE_INLINE dim3 tw_port_blocks_of(tw_nd_item item)
{
    return tw_port_dim3((unsigned)tw_group_range(item, 2), (unsigned)tw_group_range(item, 1),
                        (unsigned)tw_group_range(item, 0));
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

/* Returns the 64 bits that lane `from` of the warp gives; its own if there is no such lane. */
TW_DEVICE_INLINE unsigned long long tw_port_from_lane(tw_nd_item item, unsigned long long bits, unsigned from)
{
    const unsigned me = (unsigned)tw_local_linear_id(item), first = me / 32 * 32;
#if TW_ON_GPU
    const tw_sub_group sub_group = tw_get_sub_group(item);
    const unsigned place = (unsigned)tw_sub_group_local_id(sub_group) - (me - first) + from;
    const unsigned long long given = tw_select_from_group(sub_group, bits, place);
    return first + from < tw_local_linear_range(item) ? given : bits;
#else
    unsigned long long *const slots = (unsigned long long *)tw_internal_exchange(item, sizeof *slots);
    slots[me] = bits;
    tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);
    const unsigned long long given = slots[first + from < tw_local_linear_range(item) ? first + from : me];
    tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0); /* before the next one overwrites it */
    return given;
#endif
}

/* The lane that a work-item in lane `lane` reads from, in parts of the warp of `width` lanes. */
TW_DEVICE_INLINE unsigned tw_port_lane_at(unsigned lane, unsigned from, unsigned width)
{
    return (lane & ~(width - 1)) | (from & (width - 1));
}
TW_DEVICE_INLINE unsigned tw_port_lane_before(unsigned lane, unsigned delta, unsigned width)
{
    return (lane & (width - 1)) >= delta ? lane - delta : lane;
}
TW_DEVICE_INLINE unsigned tw_port_lane_after(unsigned lane, unsigned delta, unsigned width)
{
    return (lane & (width - 1)) + delta < width ? lane + delta : lane;
}
TW_DEVICE_INLINE unsigned tw_port_lane_xor(unsigned lane, unsigned bits, unsigned width)
{
    return (lane ^ bits) <= (lane | (width - 1)) ? lane ^ bits : lane;
}

#define TW_PORT_SHUFFLE(type, name, lane_of)                                                                           \
    TW_OVERLOADED type name(tw_nd_item item, unsigned mask, type value, unsigned which, int width)                     \
    {                                                                                                                  \
        unsigned long long bits = 0;                                                                                   \
        (void)mask;                                                                                                    \
        memcpy(&bits, &value, sizeof value);                                                                           \
        bits =                                                                                                         \
            tw_port_from_lane(item, bits, lane_of((unsigned)tw_local_linear_id(item) % 32, which, (unsigned)width));   \
        memcpy(&value, &bits, sizeof value);                                                                           \
        return value;                                                                                                  \
    }                                                                                                                  \
    TW_OVERLOADED type name(tw_nd_item item, unsigned mask, type value, unsigned which)                                \
    {                                                                                                                  \
        return name(item, mask, value, which, 32);                                                                     \
    }
#define TW_PORT_SHUFFLES(type)                                                                                         \
    TW_PORT_SHUFFLE(type, tw_port_shfl, tw_port_lane_at)                                                               \
    TW_PORT_SHUFFLE(type, tw_port_shfl_up, tw_port_lane_before)                                                        \
    TW_PORT_SHUFFLE(type, tw_port_shfl_down, tw_port_lane_after)                                                       \
    TW_PORT_SHUFFLE(type, tw_port_shfl_xor, tw_port_lane_xor)
TW_PORT_SHUFFLES(int)
TW_PORT_SHUFFLES(unsigned)
TW_PORT_SHUFFLES(long)
TW_PORT_SHUFFLES(unsigned long)
TW_PORT_SHUFFLES(long long)
TW_PORT_SHUFFLES(unsigned long long)
TW_PORT_SHUFFLES(float)
TW_PORT_SHUFFLES(double)

/* Returns a bit for each lane of the warp: whether `x` is true there. */
TW_DEVICE_INLINE unsigned tw_port_ballot(tw_nd_item item, unsigned mask, int x)
{
    const unsigned me = (unsigned)tw_local_linear_id(item), first = me / 32 * 32;
    (void)mask;
#if TW_ON_GPU
    const tw_sub_group sub_group = tw_get_sub_group(item);
    return (unsigned)(tw_group_ballot(sub_group, x != 0) >> (tw_sub_group_local_id(sub_group) - (me - first)));
#else
    unsigned long long *const slots = (unsigned long long *)tw_internal_exchange(item, sizeof *slots);
    unsigned bits = 0;
    slots[me] = x != 0;
    tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);
    for (unsigned lane = 0; lane < 32 && first + lane < tw_local_linear_range(item); ++lane)
        bits |= (unsigned)slots[first + lane] << lane;
    tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);
    return bits;
#endif
}

TW_DEVICE_INLINE int tw_port_any(tw_nd_item item, unsigned mask, int x)
{
    return tw_port_ballot(item, mask, x) != 0;
}
TW_DEVICE_INLINE int tw_port_all(tw_nd_item item, unsigned mask, int x)
{
    return tw_port_ballot(item, mask, !x) == 0;
}

TW_OVERLOADED void tw_port_syncwarp(tw_nd_item item, unsigned mask)
{
    (void)mask;
#if TW_ON_GPU
    tw_group_barrier(tw_get_sub_group(item));
#else
    tw_internal_barrier_at(item, TW_LOCAL_SPACE, 0);
#endif
}
TW_OVERLOADED void tw_port_syncwarp(tw_nd_item item)
{
    tw_port_syncwarp(item, ~0u);
}

/* A barrier of the group that says for how many of its work-items `x` is true, for any, for all. */
TW_DEVICE_INLINE int tw_port_sync_count(tw_nd_item item, int x)
{
    tw_barrier(item, TW_GLOBAL_AND_LOCAL);
    return (int)tw_reduce_over_group(item, (unsigned)(x != 0), TW_SUM);
}
TW_DEVICE_INLINE int tw_port_sync_or(tw_nd_item item, int x)
{
    return tw_port_sync_count(item, x) != 0;
}
TW_DEVICE_INLINE int tw_port_sync_and(tw_nd_item item, int x)
{
    return tw_port_sync_count(item, !x) == 0;
}

/* ---- atomic operations ------------------------------------------------------------------------------------------- */

#define TW_PORT_CAS(type)                                                                                              \
    TW_OVERLOADED type tw_port_atomic_cas(type *object, type expected, type desired)                                   \
    {                                                                                                                  \
        (void)tw_atomic_compare_exchange_strong(object, &expected, desired);                                           \
        return expected;                                                                                               \
    }
TW_PORT_CAS(int)
TW_PORT_CAS(unsigned)
TW_PORT_CAS(unsigned short)
TW_PORT_CAS(unsigned long)
TW_PORT_CAS(unsigned long long)

/* To 0 behind `last`, and from 0, or from beyond `last`, to it. */
TW_DEVICE_INLINE unsigned tw_port_atomic_inc(unsigned *object, unsigned last)
{
    unsigned value = tw_atomic_load(object);
    while (!tw_atomic_compare_exchange_weak(object, &value, value >= last ? 0 : value + 1))
        ;
    return value;
}
TW_DEVICE_INLINE unsigned tw_port_atomic_dec(unsigned *object, unsigned last)
{
    unsigned value = tw_atomic_load(object);
    while (!tw_atomic_compare_exchange_weak(object, &value, value == 0 || value > last ? last : value - 1))
        ;
    return value;
}

#define tw_port_load(address) (*(address))

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

#define TW_PORT_LEAST(type)                                                                                            \
    TW_OVERLOADED type tw_port_min(type a, type b)                                                                     \
    {                                                                                                                  \
        return b < a ? b : a;                                                                                          \
    }                                                                                                                  \
    TW_OVERLOADED type tw_port_max(type a, type b)                                                                     \
    {                                                                                                                  \
        return a < b ? b : a;                                                                                          \
    }
#define TW_PORT_LEAST_OF(type, first, second, least, most)                                                             \
    TW_OVERLOADED type tw_port_min(first a, second b)                                                                  \
    {                                                                                                                  \
        return least(a, b);                                                                                            \
    }                                                                                                                  \
    TW_OVERLOADED type tw_port_max(first a, second b)                                                                  \
    {                                                                                                                  \
        return most(a, b);                                                                                             \
    }
#define TW_PORT_MIXED(first, second)                                                                                   \
    TW_OVERLOADED second tw_port_min(first a, second b)                                                                \
    {                                                                                                                  \
        return b < (second)a ? b : (second)a;                                                                          \
    }                                                                                                                  \
    TW_OVERLOADED second tw_port_max(first a, second b)                                                                \
    {                                                                                                                  \
        return (second)a < b ? b : (second)a;                                                                          \
    }                                                                                                                  \
    TW_OVERLOADED second tw_port_min(second a, first b)                                                                \
    {                                                                                                                  \
        return tw_port_min(b, a);                                                                                      \
    }                                                                                                                  \
    TW_OVERLOADED second tw_port_max(second a, first b)                                                                \
    {                                                                                                                  \
        return tw_port_max(b, a);                                                                                      \
    }
TW_PORT_LEAST(int)
TW_PORT_LEAST(unsigned)
TW_PORT_LEAST(long)
TW_PORT_LEAST(unsigned long)
TW_PORT_LEAST(long long)
TW_PORT_LEAST(unsigned long long)
TW_PORT_MIXED(int, unsigned)
TW_PORT_MIXED(long, unsigned long)
TW_PORT_MIXED(long long, unsigned long long)
TW_PORT_LEAST_OF(float, float, float, fminf, fmaxf)
TW_PORT_LEAST_OF(double, double, double, fmin, fmax)
TW_PORT_LEAST_OF(double, float, double, fmin, fmax)
TW_PORT_LEAST_OF(double, double, float, fmin, fmax)

TW_DEVICE_INLINE float tw_port_rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
TW_OVERLOADED double tw_port_rsqrt(double x)
{
    return 1 / sqrt(x);
}
TW_OVERLOADED float tw_port_rsqrt(float x)
{
    return 1 / sqrtf(x);
}
TW_DEVICE_INLINE float tw_port_reciprocalf(float x)
{
    return 1 / x;
}
TW_DEVICE_INLINE double tw_port_reciprocal(double x)
{
    return 1 / x;
}
TW_DEVICE_INLINE float tw_port_divf(float x, float y)
{
    return x / y;
}
TW_DEVICE_INLINE float tw_port_saturate(float x)
{
    return x > 0 ? x < 1 ? x : 1 : 0; /* 0 of a NaN */
}
TW_DEVICE_INLINE float tw_port_mulf(float x, float y)
{
    return x * y;
}
TW_DEVICE_INLINE float tw_port_addf(float x, float y)
{
    return x + y;
}
TW_DEVICE_INLINE float tw_port_subf(float x, float y)
{
    return x - y;
}
TW_DEVICE_INLINE float tw_port_sinpif(float x)
{
    return tw_sinpi(x);
}
TW_DEVICE_INLINE float tw_port_cospif(float x)
{
    return tw_cospi(x);
}
TW_DEVICE_INLINE float tw_port_exp10f(float x)
{
    return powf(10, x);
}

TW_DEVICE_INLINE int tw_port_int_nearest(float x)
{
    return (int)rintf(x);
}
TW_DEVICE_INLINE int tw_port_int_below(float x)
{
    return (int)floorf(x);
}
TW_DEVICE_INLINE int tw_port_int_above(float x)
{
    return (int)ceilf(x);
}

/* Values with the same bits. */
#define TW_PORT_AS(to, name, from)                                                                                     \
    TW_DEVICE_INLINE to name(from value)                                                                               \
    {                                                                                                                  \
        to result;                                                                                                     \
        memcpy(&result, &value, sizeof result);                                                                        \
        return result;                                                                                                 \
    }
TW_PORT_AS(int, tw_port_float_as_int, float)
TW_PORT_AS(unsigned, tw_port_float_as_uint, float)
TW_PORT_AS(float, tw_port_int_as_float, int)
TW_PORT_AS(float, tw_port_uint_as_float, unsigned)
TW_PORT_AS(long long, tw_port_double_as_longlong, double)
TW_PORT_AS(double, tw_port_longlong_as_double, long long)

/* Bits: zeros in front, the place of the lowest 1 counted from 1, in reverse order; products. */
TW_DEVICE_INLINE int tw_port_clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
TW_DEVICE_INLINE int tw_port_clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
TW_DEVICE_INLINE int tw_port_ffs(int x)
{
    return x ? __builtin_ctz((unsigned)x) + 1 : 0;
}
TW_DEVICE_INLINE int tw_port_ffsll(long long x)
{
    return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0;
}
TW_DEVICE_INLINE unsigned tw_port_brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
TW_DEVICE_INLINE unsigned long long tw_port_brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
TW_DEVICE_INLINE int tw_port_mul24(int x, int y)
{
    return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8));
}
TW_DEVICE_INLINE unsigned tw_port_umul24(unsigned x, unsigned y)
{
    return (x & 0xffffff) * (y & 0xffffff);
}
TW_DEVICE_INLINE unsigned tw_port_umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long long)x * y >> 32);
}
TW_DEVICE_INLINE int tw_port_mulhi(int x, int y)
{
    return (int)((long long)x * y >> 32);
}
TW_DEVICE_INLINE unsigned long long tw_port_umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

#endif
