/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Pixels in memory and as vectors of four (OpenCL 1.2, 6.12.14 and 8.3). Part of lower/image/image.h.
 *
 * Reading takes two steps, since a filter works between them: tw_internal_fetch_T() loads the stored channels as they
 * are, unscaled, in the order of memory; tw_internal_finish_T() scales them and puts each where it belongs. Outside
 * of the image the stored channels are 0. An order with an x stores a 1 in the last, unused channel, which tells the
 * two apart.
 *
 * With a constant format all switches disappear.
 */
#ifndef TEAMWORK_LOWER_IMAGE_FORMAT_H
#define TEAMWORK_LOWER_IMAGE_FORMAT_H

#include <teamwork/image_format.h>
#include <teamwork/lower/vector/vector.h>

/* Device memory is aligned to pixels, so that they are loaded at once; the program's own may not be. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TW_INTERNAL_PIXEL(p, bytes) __builtin_assume_aligned((p), (bytes))
#else
#define TW_INTERNAL_PIXEL(p, bytes) (p)
#endif

TW_DEVICE_INLINE bool tw_internal_has_x(unsigned order)
{
    return order == TW_Rx || order == TW_RGx || order == TW_RGBx;
}

/* ---- the stored channels ----------------------------------------------------------------------------------------- */

/* 1, 2 or 4 channels of a type; the others are 0, and are not stored. */
#define TW_INTERNAL_CHANNELS(T)                                                                                        \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_load_##T(const unsigned char *p, unsigned channels)                         \
    {                                                                                                                  \
        tw_##T##4 tw_v = {0, 0, 0, 0};                                                                                 \
        if (channels == 4) {                                                                                           \
            __builtin_memcpy(&tw_v, TW_INTERNAL_PIXEL(p, 4 * sizeof(tw_##T)), 4 * sizeof(tw_##T));                     \
        } else if (channels == 2) {                                                                                    \
            tw_##T##2 tw_two;                                                                                          \
            __builtin_memcpy(&tw_two, TW_INTERNAL_PIXEL(p, 2 * sizeof(tw_##T)), 2 * sizeof(tw_##T));                   \
            tw_v.xy = tw_two;                                                                                          \
        } else {                                                                                                       \
            tw_##T tw_one;                                                                                             \
            __builtin_memcpy(&tw_one, TW_INTERNAL_PIXEL(p, sizeof(tw_##T)), sizeof(tw_##T));                           \
            tw_v.x = tw_one;                                                                                           \
        }                                                                                                              \
        return tw_v;                                                                                                   \
    }                                                                                                                  \
    TW_DEVICE_INLINE void tw_internal_store_##T(unsigned char *p, unsigned channels, tw_##T##4 v)                      \
    {                                                                                                                  \
        if (channels == 4) {                                                                                           \
            __builtin_memcpy(TW_INTERNAL_PIXEL(p, 4 * sizeof(tw_##T)), &v, 4 * sizeof(tw_##T));                        \
        } else if (channels == 2) {                                                                                    \
            const tw_##T##2 tw_two = v.xy;                                                                             \
            __builtin_memcpy(TW_INTERNAL_PIXEL(p, 2 * sizeof(tw_##T)), &tw_two, 2 * sizeof(tw_##T));                   \
        } else {                                                                                                       \
            const tw_##T tw_one = v.x;                                                                                 \
            __builtin_memcpy(TW_INTERNAL_PIXEL(p, sizeof(tw_##T)), &tw_one, sizeof(tw_##T));                           \
        }                                                                                                              \
    }
TW_INTERNAL_CHANNELS(char)
TW_INTERNAL_CHANNELS(short)
TW_INTERNAL_CHANNELS(int)
TW_INTERNAL_CHANNELS(uchar)
TW_INTERNAL_CHANNELS(ushort)
TW_INTERNAL_CHANNELS(uint)
TW_INTERNAL_CHANNELS(half)
TW_INTERNAL_CHANNELS(float)
#undef TW_INTERNAL_CHANNELS

/* From channels as stored, c, to red, green, blue and alpha; and back. */
#define TW_INTERNAL_ARRANGE(T)                                                                                         \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_arrange_##T(tw_##T##4 c, unsigned order)                                    \
    {                                                                                                                  \
        const tw_##T tw_alpha = tw_internal_has_x(order) ? c.w : (tw_##T)1;                                            \
        const tw_##T##4 tw_r = {c.x, 0, 0, tw_alpha}, tw_rg = {c.x, c.y, 0, tw_alpha};                                 \
        const tw_##T##4 tw_rgb = {c.x, c.y, c.z, tw_alpha};                                                            \
        switch (order) {                                                                                               \
        case TW_R:                                                                                                     \
        case TW_Rx:                                                                                                    \
            return tw_r;                                                                                               \
        case TW_RG:                                                                                                    \
        case TW_RGx:                                                                                                   \
            return tw_rg;                                                                                              \
        case TW_RGB:                                                                                                   \
        case TW_RGBx:                                                                                                  \
            return tw_rgb;                                                                                             \
        case TW_A:                                                                                                     \
            return tw_r.yyzx;                                                                                          \
        case TW_RA:                                                                                                    \
            return tw_rg.xzzy;                                                                                         \
        case TW_INTENSITY:                                                                                             \
            return c.xxxx;                                                                                             \
        case TW_LUMINANCE:                                                                                             \
            return tw_r.xxxw;                                                                                          \
        case TW_ARGB:                                                                                                  \
            return c.yzwx;                                                                                             \
        case TW_BGRA:                                                                                                  \
            return c.zyxw;                                                                                             \
        default:                                                                                                       \
            return c;                                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_disarrange_##T(tw_##T##4 v, unsigned order)                                 \
    {                                                                                                                  \
        switch (order) {                                                                                               \
        case TW_A:                                                                                                     \
            return v.wwww;                                                                                             \
        case TW_RA:                                                                                                    \
            return v.xwww;                                                                                             \
        case TW_ARGB:                                                                                                  \
            return v.wxyz;                                                                                             \
        case TW_BGRA:                                                                                                  \
            return v.zyxw;                                                                                             \
        default:                                                                                                       \
            return v;                                                                                                  \
        }                                                                                                              \
    }
TW_INTERNAL_ARRANGE(float)
TW_INTERNAL_ARRANGE(int)
TW_INTERNAL_ARRANGE(uint)
#undef TW_INTERNAL_ARRANGE

/* ---- floating point ---------------------------------------------------------------------------------------------- */

/* Where red, green and blue begin in a packed pixel. */
struct tw_internal_packing {
    unsigned red, green, green_bits, bits;
};

TW_DEVICE_INLINE struct tw_internal_packing tw_internal_packing_of(unsigned type)
{
    const struct tw_internal_packing short_565 = {11, 5, 6, 5}, short_555 = {10, 5, 5, 5},
                                     int_101010 = {20, 10, 10, 10};
    return type == TW_UNORM_SHORT_565 ? short_565 : type == TW_UNORM_SHORT_555 ? short_555 : int_101010;
}

TW_DEVICE_INLINE tw_float4 tw_internal_unpack(tw_uint pixel, unsigned type)
{
    const struct tw_internal_packing at = tw_internal_packing_of(type);
    const tw_uint mask = (1u << at.bits) - 1;
    const tw_uint4 c = {pixel >> at.red & mask, pixel >> at.green & ((1u << at.green_bits) - 1), pixel & mask, 0};
    return __builtin_convertvector(c, tw_float4);
}

/* What stands for 1 in a normalized type; 1 for others. */
TW_DEVICE_INLINE tw_float4 tw_internal_unit(unsigned type)
{
    const float one = type == TW_UNORM_INT8         ? 255.0f
                      : type == TW_UNORM_INT16      ? 65535.0f
                      : type == TW_SNORM_INT8       ? 127.0f
                      : type == TW_SNORM_INT16      ? 32767.0f
                      : type == TW_UNORM_INT_101010 ? 1023.0f
                      : tw_internal_is_packed(type) ? 31.0f
                                                    : 1.0f;
    const tw_float4 unit = {one, type == TW_UNORM_SHORT_565 ? 63.0f : one, one, one};
    return unit;
}

TW_DEVICE_INLINE tw_float4 tw_internal_fetch_float(const unsigned char *p, unsigned order, unsigned type)
{
    const unsigned channels = tw_internal_channels(order);
    tw_float4 c = {0, 0, 0, 0};
    switch (type) {
    case TW_SNORM_INT8: /* there are two numbers for -1 */
        c = __builtin_convertvector(tw_internal_load_char(p, channels), tw_float4);
        c = c > -127.0f ? c : (tw_float4)-127.0f;
        break;
    case TW_SNORM_INT16:
        c = __builtin_convertvector(tw_internal_load_short(p, channels), tw_float4);
        c = c > -32767.0f ? c : (tw_float4)-32767.0f;
        break;
    case TW_UNORM_INT8:
        c = __builtin_convertvector(tw_internal_load_uchar(p, channels), tw_float4);
        break;
    case TW_UNORM_INT16:
        c = __builtin_convertvector(tw_internal_load_ushort(p, channels), tw_float4);
        break;
    case TW_UNORM_SHORT_565:
    case TW_UNORM_SHORT_555:
        c = tw_internal_unpack(tw_internal_load_ushort(p, 1).x, type);
        break;
    case TW_UNORM_INT_101010:
        c = tw_internal_unpack(tw_internal_load_uint(p, 1).x, type);
        break;
    case TW_HALF_FLOAT:
        c = __builtin_convertvector(tw_internal_load_half(p, channels), tw_float4);
        break;
    case TW_FLOAT:
        c = tw_internal_load_float(p, channels);
        break;
    default:
        break;
    }
    if (tw_internal_has_x(order))
        c.w = 1.0f;
    return c;
}

/* The reciprocals times the units are exactly 1, and other products at most 1.25 ulp off. */
TW_DEVICE_INLINE tw_float4 tw_internal_finish_float(tw_float4 c, unsigned order, unsigned type)
{
    tw_float4 scale = 1.0f / tw_internal_unit(type);
    if (tw_internal_has_x(order))
        scale.w = 1.0f;
    return tw_internal_arrange_float(c * scale, order);
}

/* To the nearest integer, the even one of two, for numbers up to 2^22: in this sum integers are 1 apart. */
TW_DEVICE_INLINE tw_int4 tw_internal_round(tw_float4 x)
{
    _Pragma("clang fp reassociate(off)") const tw_float4 sum = x + 0x1.8p23f;
    return __builtin_bit_cast(tw_int4, sum) - 0x4b400000;
}

/* Between low and 1, times the unit; NaN is low, or 0 for signed types. */
TW_DEVICE_INLINE tw_int4 tw_internal_normalize(tw_float4 v, tw_float low, tw_float4 unit)
{
    if (low < 0.0f)
        v = v == v ? v : (tw_float4)0.0f;
    v = v > low ? v : (tw_float4)low;
    v = v < 1.0f ? v : (tw_float4)1.0f;
    return tw_internal_round(v * unit);
}

TW_DEVICE_INLINE tw_uint tw_internal_pack(tw_int4 c, unsigned type)
{
    const struct tw_internal_packing at = tw_internal_packing_of(type);
    return (tw_uint)c.x << at.red | (tw_uint)c.y << at.green | (tw_uint)c.z;
}

/* A pixel of floating-point channels; one of integers is left alone. */
TW_DEVICE_INLINE void tw_internal_put_float(unsigned char *p, unsigned order, unsigned type, tw_float4 v)
{
    const unsigned channels = tw_internal_channels(order);
    const tw_float4 c = tw_internal_disarrange_float(v, order), unit = tw_internal_unit(type);
    switch (type) {
    case TW_SNORM_INT8:
        tw_internal_store_char(p, channels, __builtin_convertvector(tw_internal_normalize(c, -1.0f, unit), tw_char4));
        break;
    case TW_SNORM_INT16:
        tw_internal_store_short(p, channels, __builtin_convertvector(tw_internal_normalize(c, -1.0f, unit), tw_short4));
        break;
    case TW_UNORM_INT8:
        tw_internal_store_uchar(p, channels, __builtin_convertvector(tw_internal_normalize(c, 0.0f, unit), tw_uchar4));
        break;
    case TW_UNORM_INT16:
        tw_internal_store_ushort(p, channels,
                                 __builtin_convertvector(tw_internal_normalize(c, 0.0f, unit), tw_ushort4));
        break;
    case TW_UNORM_SHORT_565:
    case TW_UNORM_SHORT_555:
        tw_internal_store_ushort(p, 1,
                                 (tw_ushort4)(tw_ushort)tw_internal_pack(tw_internal_normalize(c, 0.0f, unit), type));
        break;
    case TW_UNORM_INT_101010:
        tw_internal_store_uint(p, 1, (tw_uint4)tw_internal_pack(tw_internal_normalize(c, 0.0f, unit), type));
        break;
    case TW_HALF_FLOAT:
        tw_internal_store_half(p, channels, __builtin_convertvector(c, tw_half4));
        break;
    case TW_FLOAT:
        tw_internal_store_float(p, channels, c);
        break;
    default:
        break;
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

/* A pixel of another type reads as zeros and is left alone by writes. small and medium: 8 and 16 bits. */
#define TW_INTERNAL_INTEGER_PIXELS(T, small, medium, KIND)                                                             \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_fetch_##T(const unsigned char *p, unsigned order, unsigned type)            \
    {                                                                                                                  \
        const unsigned tw_channels = tw_internal_channels(order);                                                      \
        tw_##T##4 tw_c = {0, 0, 0, 0};                                                                                 \
        if (type == KIND##_INT8)                                                                                       \
            tw_c = __builtin_convertvector(tw_internal_load_##small(p, tw_channels), tw_##T##4);                       \
        else if (type == KIND##_INT16)                                                                                 \
            tw_c = __builtin_convertvector(tw_internal_load_##medium(p, tw_channels), tw_##T##4);                      \
        else if (type == KIND##_INT32)                                                                                 \
            tw_c = tw_internal_load_##T(p, tw_channels);                                                               \
        if (tw_internal_has_x(order))                                                                                  \
            tw_c.w = 1;                                                                                                \
        return tw_c;                                                                                                   \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_finish_##T(tw_##T##4 c, unsigned order, unsigned type)                      \
    {                                                                                                                  \
        (void)type;                                                                                                    \
        return tw_internal_arrange_##T(c, order);                                                                      \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_clip_##T##_to(tw_##T##4 c, tw_##T low, tw_##T high)                         \
    {                                                                                                                  \
        c = c > low ? c : (tw_##T##4)low;                                                                              \
        return c < high ? c : (tw_##T##4)high;                                                                         \
    }                                                                                                                  \
    TW_DEVICE_INLINE void tw_internal_put_##T(unsigned char *p, unsigned order, unsigned type, tw_##T##4 v)            \
    {                                                                                                                  \
        const unsigned tw_channels = tw_internal_channels(order);                                                      \
        const tw_##T##4 tw_c = tw_internal_disarrange_##T(v, order);                                                   \
        if (type == KIND##_INT8)                                                                                       \
            tw_internal_store_##small(                                                                                 \
                p, tw_channels,                                                                                        \
                __builtin_convertvector(                                                                               \
                    tw_internal_clip_##T##_to(tw_c, (tw_##T)TW_INTERNAL_MIN_##small, (tw_##T)TW_INTERNAL_MAX_##small), \
                    tw_##small##4));                                                                                   \
        else if (type == KIND##_INT16)                                                                                 \
            tw_internal_store_##medium(                                                                                \
                p, tw_channels,                                                                                        \
                __builtin_convertvector(tw_internal_clip_##T##_to(tw_c, (tw_##T)TW_INTERNAL_MIN_##medium,              \
                                                                  (tw_##T)TW_INTERNAL_MAX_##medium),                   \
                                        tw_##medium##4));                                                              \
        else if (type == KIND##_INT32)                                                                                 \
            tw_internal_store_##T(p, tw_channels, tw_c);                                                               \
    }
TW_INTERNAL_INTEGER_PIXELS(int, char, short, TW_SIGNED)
TW_INTERNAL_INTEGER_PIXELS(uint, uchar, ushort, TW_UNSIGNED)
#undef TW_INTERNAL_INTEGER_PIXELS

/* ---- formats that are only known at run time --------------------------------------------------------------------- */

/*
 * On CPUs a format that is not a constant is either the common one, of four bytes, for which there is code in place,
 * or one of the others, which functions take care of: their switches cost more than a call, and would be in every
 * read. On GPUs calls cost more, and all is in place.
 */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TW_INTERNAL_IN_PLACE(order, type) true
#else
#define TW_INTERNAL_IN_PLACE(order, type) (__builtin_constant_p(order) && __builtin_constant_p(type))
#endif
#define TW_INTERNAL_NOT_IN_PLACE static inline __attribute__((noinline, unused))

#define TW_INTERNAL_COMMON_float TW_UNORM_INT8
#define TW_INTERNAL_COMMON_int TW_SIGNED_INT8
#define TW_INTERNAL_COMMON_uint TW_UNSIGNED_INT8

#define TW_INTERNAL_ANY_FORMAT(T)                                                                                      \
    TW_INTERNAL_NOT_IN_PLACE tw_##T##4 tw_internal_fetch_##T##_called(const unsigned char *p, unsigned order,          \
                                                                      unsigned type)                                   \
    {                                                                                                                  \
        return tw_internal_fetch_##T(p, order, type);                                                                  \
    }                                                                                                                  \
    TW_INTERNAL_NOT_IN_PLACE tw_##T##4 tw_internal_finish_##T##_called(tw_##T##4 c, unsigned order, unsigned type)     \
    {                                                                                                                  \
        return tw_internal_finish_##T(c, order, type);                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_NOT_IN_PLACE void tw_internal_put_##T##_called(unsigned char *p, unsigned order, unsigned type,        \
                                                               tw_##T##4 v)                                            \
    {                                                                                                                  \
        tw_internal_put_##T(p, order, type, v);                                                                        \
    }                                                                                                                  \
    /* whether code for the common format is to be tried first */                                                      \
    TW_DEVICE_INLINE bool tw_internal_is_common_##T(unsigned order, unsigned type)                                     \
    {                                                                                                                  \
        return !TW_INTERNAL_IN_PLACE(order, type) && order == TW_RGBA && type == TW_INTERNAL_COMMON_##T;               \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_fetch_any_##T(const unsigned char *p, unsigned order, unsigned type)        \
    {                                                                                                                  \
        return TW_INTERNAL_IN_PLACE(order, type) ? tw_internal_fetch_##T(p, order, type)                               \
                                                 : tw_internal_fetch_##T##_called(p, order, type);                     \
    }                                                                                                                  \
    TW_DEVICE_INLINE tw_##T##4 tw_internal_finish_any_##T(tw_##T##4 c, unsigned order, unsigned type)                  \
    {                                                                                                                  \
        return TW_INTERNAL_IN_PLACE(order, type) ? tw_internal_finish_##T(c, order, type)                              \
                                                 : tw_internal_finish_##T##_called(c, order, type);                    \
    }                                                                                                                  \
    TW_DEVICE_INLINE void tw_internal_put_any_##T(unsigned char *p, unsigned order, unsigned type, tw_##T##4 v)        \
    {                                                                                                                  \
        if (TW_INTERNAL_IN_PLACE(order, type))                                                                         \
            tw_internal_put_##T(p, order, type, v);                                                                    \
        else if (tw_internal_is_common_##T(order, type))                                                               \
            tw_internal_put_##T(p, TW_RGBA, TW_INTERNAL_COMMON_##T, v);                                                \
        else                                                                                                           \
            tw_internal_put_##T##_called(p, order, type, v);                                                           \
    }
TW_INTERNAL_ANY_FORMAT(float)
TW_INTERNAL_ANY_FORMAT(int)
TW_INTERNAL_ANY_FORMAT(uint)
#undef TW_INTERNAL_ANY_FORMAT

#endif
