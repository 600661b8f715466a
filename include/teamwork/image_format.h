/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Formats of pixels (spec 3.6.2, table 4.11; OpenCL 1.2, 5.3.1.1): which channels a pixel has, and what is stored of
 * each.
 *
 *     orders                                     types
 *     TW_R TW_Rx TW_A TW_RG TW_RGx TW_RA         all but the packed ones
 *     TW_RGBA                                    all but the packed ones
 *     TW_ARGB TW_BGRA                            those of 8 bits
 *     TW_INTENSITY TW_LUMINANCE                  TW_UNORM_*, TW_SNORM_* of 8 and 16 bits, TW_HALF_FLOAT, TW_FLOAT
 *     TW_RGB TW_RGBx                             the packed ones: TW_UNORM_SHORT_565, TW_UNORM_SHORT_555, TW_UNORM_INT_101010
 *
 * All of these combinations work on every device, as OpenCL requires it of few only. The channels of a pixel lie in
 * memory in the order of their letters; a packed pixel is one number with red in the highest of its bits. The x of an
 * order is not stored: it means that the border colour is transparent (0, 0, 0, 0) where pixels have an alpha of 1.
 */
#ifndef TEAMWORK_IMAGE_FORMAT_H
#define TEAMWORK_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/export.h>

/** Every channel order: X(name, value, channels stored). */
#define TW_CHANNEL_ORDER_LIST(X)                                                                                       \
    X(TW_R, 1, 1)                                                                                                      \
    X(TW_Rx, 2, 1)                                                                                                     \
    X(TW_A, 3, 1)                                                                                                      \
    X(TW_INTENSITY, 4, 1)                                                                                              \
    X(TW_LUMINANCE, 5, 1)                                                                                              \
    X(TW_RG, 6, 2)                                                                                                     \
    X(TW_RGx, 7, 2)                                                                                                    \
    X(TW_RA, 8, 2)                                                                                                     \
    X(TW_RGB, 9, 3)                                                                                                    \
    X(TW_RGBx, 10, 3)                                                                                                  \
    X(TW_RGBA, 11, 4)                                                                                                  \
    X(TW_ARGB, 12, 4)                                                                                                  \
    X(TW_BGRA, 13, 4)

/**
 * Every channel type: X(name, value, bytes of a channel, or of a packed pixel).
 *
 * In kernels the UNORM types are numbers from 0 to 1, the SNORM types from -1 to 1, and both floating-point types
 * themselves: tw_read_imagef(). The SIGNED types are integers: tw_read_imagei(); the UNSIGNED ones tw_read_imageui().
 */
#define TW_CHANNEL_TYPE_LIST(X)                                                                                        \
    X(TW_SNORM_INT8, 1, 1)                                                                                             \
    X(TW_SNORM_INT16, 2, 2)                                                                                            \
    X(TW_UNORM_INT8, 3, 1)                                                                                             \
    X(TW_UNORM_INT16, 4, 2)                                                                                            \
    X(TW_UNORM_SHORT_565, 5, 2)                                                                                        \
    X(TW_UNORM_SHORT_555, 6, 2)                                                                                        \
    X(TW_UNORM_INT_101010, 7, 4)                                                                                       \
    X(TW_SIGNED_INT8, 8, 1)                                                                                            \
    X(TW_SIGNED_INT16, 9, 2)                                                                                           \
    X(TW_SIGNED_INT32, 10, 4)                                                                                          \
    X(TW_UNSIGNED_INT8, 11, 1)                                                                                         \
    X(TW_UNSIGNED_INT16, 12, 2)                                                                                        \
    X(TW_UNSIGNED_INT32, 13, 4)                                                                                        \
    X(TW_HALF_FLOAT, 14, 2)                                                                                            \
    X(TW_FLOAT, 15, 4)

#define TW_INTERNAL_ENUMERATOR(name, value, size) name = value,
typedef enum tw_channel_order { TW_CHANNEL_ORDER_LIST(TW_INTERNAL_ENUMERATOR) TW_CHANNEL_ORDER_COUNT } tw_channel_order;
typedef enum tw_channel_type { TW_CHANNEL_TYPE_LIST(TW_INTERNAL_ENUMERATOR) TW_CHANNEL_TYPE_COUNT } tw_channel_type;
#undef TW_INTERNAL_ENUMERATOR

/* A constant expression for constant arguments, so that kernels for one format have no branches left. */
#define TW_INTERNAL_CASE(name, value, size)                                                                            \
    case name:                                                                                                         \
        return size;
TW_DEVICE_INLINE unsigned tw_internal_channels(unsigned order)
{
    switch (order) {
        TW_CHANNEL_ORDER_LIST(TW_INTERNAL_CASE)
    default:
        return 0;
    }
}

TW_DEVICE_INLINE unsigned tw_internal_channel_bytes(unsigned type)
{
    switch (type) {
        TW_CHANNEL_TYPE_LIST(TW_INTERNAL_CASE)
    default:
        return 0;
    }
}
#undef TW_INTERNAL_CASE

TW_DEVICE_INLINE bool tw_internal_is_packed(unsigned type)
{
    return type >= TW_UNORM_SHORT_565 && type <= TW_UNORM_INT_101010;
}

/** @return the bytes of a pixel: a power of two up to 16; 0 if the two make no format */
TW_DEVICE_INLINE size_t tw_pixel_size(tw_channel_order order, tw_channel_type type)
{
    const unsigned channels = tw_internal_channels((unsigned)order), bytes = tw_internal_channel_bytes((unsigned)type);
    const bool is_integer = type >= TW_SIGNED_INT8 && type <= TW_UNSIGNED_INT32;
    if ((channels == 3) != tw_internal_is_packed((unsigned)type) || !channels)
        return 0;
    if ((order == TW_ARGB || order == TW_BGRA) && bytes != 1)
        return 0;
    if ((order == TW_INTENSITY || order == TW_LUMINANCE) && is_integer)
        return 0;
    return channels == 3 ? bytes : (size_t)channels * bytes;
}

#endif
