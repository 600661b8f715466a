/* SPDX-License-Identifier: Apache-2.0 */
/**
 * From coordinates to pixels (OpenCL 1.2, 8.2). Part of lower/image/image.h.
 *
 * Every coordinate leads to a pixel of the image, NaN and infinities too: what is not a number counts as minus
 * infinity. Conversions to integers are of small numbers only. There is no call of the C library, which an x86-64
 * without SSE4.1 would make for floor(). Extents are below 2^24 (TW_IMAGE_MAX_EXTENT), so that floats hold them
 * exactly.
 */
#ifndef TEAMWORK_LOWER_IMAGE_SAMPLER_H
#define TEAMWORK_LOWER_IMAGE_SAMPLER_H

#include <stdint.h>

#include <teamwork/sampler.h>

/* One dimension of a sample: the pixels on both sides, the second one's weight, and, for TW_ADDRESS_CLAMP, which of
   them are inside: the index of one that is not is no pixel's. To the nearest pixel there is a first one only. */
struct tw_internal_axis {
    int32_t first, second;
    float weight;
    bool first_inside, second_inside;
};

TW_DEVICE_INLINE float tw_internal_clamp_float(float x, float low, float high)
{
    x = x > low ? x : low; /* NaN is low */
    return x < high ? x : high;
}

TW_DEVICE_INLINE int32_t tw_internal_clamp_int(int32_t x, int32_t low, int32_t high)
{
    x = x > low ? x : low;
    return x < high ? x : high;
}

/* For |x| < 2^31. */
TW_DEVICE_INLINE int32_t tw_internal_floor(float x)
{
#ifdef __NVPTX__
    return __nvvm_f2i_rm(x);
#else
    const int32_t i = (int32_t)x;
    return i - ((float)i > x);
#endif
}

/* Where a normalized coordinate lies in the image that it falls in, from 0 to 1 (8.2: repeat). 0 for what is so large
   that it has no fraction, and for NaN. */
TW_DEVICE_INLINE float tw_internal_repeated(float s)
{
    const float small = s > -0x1p23f && s < 0x1p23f ? s : 0.0f;
    const float whole = (float)(int32_t)small;
    return small - (whole > small ? whole - 1.0f : whole);
}

/* The same for mirrored images: the distance to the nearest even integer, 2 * rint(s / 2). */
TW_DEVICE_INLINE float tw_internal_mirrored(float s)
{
    _Pragma("clang fp reassociate(off)") const float magnitude = s < 0.0f ? -s : s;
    const float small = magnitude < 0x1p24f ? magnitude : 0.0f;
    const float sum = 0.5f * small + 0x1p23f, even = (sum - 0x1p23f) * 2.0f;
    return small > even ? small - even : even - small;
}

/* The coordinate in pixels; in the repeating modes, of the image that it falls in. */
TW_DEVICE_INLINE float tw_internal_in_pixels(tw_sampler sampler, float coordinate, float size)
{
    const tw_addressing_mode mode = tw_sampler_addressing_mode(sampler);
    if (mode == TW_ADDRESS_REPEAT || mode == TW_ADDRESS_MIRRORED_REPEAT) {
        const float s = tw_sampler_normalized_coords(sampler) ? coordinate : coordinate / size;
        return (mode == TW_ADDRESS_REPEAT ? tw_internal_repeated(s) : tw_internal_mirrored(s)) * size;
    }
    return tw_sampler_normalized_coords(sampler) ? coordinate * size : coordinate;
}

TW_DEVICE_INLINE struct tw_internal_axis tw_internal_nearest(tw_sampler sampler, float coordinate, int32_t extent)
{
    const float size = (float)extent, u = tw_internal_in_pixels(sampler, coordinate, size);
    const tw_addressing_mode mode = tw_sampler_addressing_mode(sampler);
    struct tw_internal_axis axis = {0, 0, 0.0f, true, true};
    if (mode == TW_ADDRESS_CLAMP) {
        axis.first_inside = (u >= 0.0f) & (u < size);
        axis.first = (int32_t)(axis.first_inside ? u : 0.0f);
    } else if (mode == TW_ADDRESS_REPEAT) {
        /* u is size if it was rounded up; that is the pixel after the last one */
        axis.first = u < size ? (int32_t)u : 0;
    } else {
        axis.first = (int32_t)tw_internal_clamp_float(u, 0.0f, size - 1.0f);
    }
    return axis;
}

TW_DEVICE_INLINE struct tw_internal_axis tw_internal_linear(tw_sampler sampler, float coordinate, int32_t extent)
{
    const tw_addressing_mode mode = tw_sampler_addressing_mode(sampler);
    const float size = (float)extent;
    /* beyond these limits both pixels are outside, whatever they are */
    const float u =
        tw_internal_clamp_float(tw_internal_in_pixels(sampler, coordinate, size) - 0.5f, -2.0f, size + 1.0f);
    const int32_t first = tw_internal_floor(u), second = first + 1, last = extent - 1;
    struct tw_internal_axis axis = {0, 0, u - (float)first, true, true};
    if (mode == TW_ADDRESS_REPEAT) {
        axis.first = first < 0 ? last : first;
        axis.second = second > last ? second - extent : second;
        return axis;
    }
    if (mode == TW_ADDRESS_CLAMP) {
        axis.first = first;
        axis.second = second;
        axis.first_inside = (uint32_t)first < (uint32_t)extent;
        axis.second_inside = (uint32_t)second < (uint32_t)extent;
        return axis;
    }
    axis.first = tw_internal_clamp_int(first, 0, last);
    axis.second = tw_internal_clamp_int(second, 0, last);
    return axis;
}

/* Coordinates that are whole numbers name pixels: normalization and filter do not matter. */
TW_DEVICE_INLINE struct tw_internal_axis tw_internal_whole(tw_sampler sampler, int32_t coordinate, int32_t extent)
{
    const tw_addressing_mode mode = tw_sampler_addressing_mode(sampler);
    struct tw_internal_axis axis = {0, 0, 0.0f, true, true};
    if (mode == TW_ADDRESS_REPEAT || mode == TW_ADDRESS_MIRRORED_REPEAT) {
        const int32_t period = mode == TW_ADDRESS_REPEAT ? extent : 2 * extent;
        const int32_t rest = coordinate % period, place = rest < 0 ? rest + period : rest;
        axis.first = place < extent ? place : period - 1 - place;
        return axis;
    }
    axis.first = mode == TW_ADDRESS_CLAMP ? coordinate : tw_internal_clamp_int(coordinate, 0, extent - 1);
    axis.first_inside = mode != TW_ADDRESS_CLAMP || (uint32_t)coordinate < (uint32_t)extent;
    return axis;
}

/* The layer of an array: the nearest one, the even one of two, whatever the sampler says. */
TW_DEVICE_INLINE int32_t tw_internal_layer(float coordinate, int32_t layers)
{
    const float inside = tw_internal_clamp_float(coordinate, 0.0f, (float)(layers - 1));
    const int32_t below = (int32_t)inside;
    const float rest = inside - (float)below;
    return below + (rest > 0.5f || (rest == 0.5f && below & 1));
}

#endif
