/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Samplers (spec 3.6.6): how tw_read_imagef() and its like (image.h) take coordinates, what they read outside of an
 * image, and whether they interpolate. Plain values for host code and kernels, 4 bytes of an argument block.
 *
 *     const tw_sampler sampler = tw_sampler_make(false, TW_ADDRESS_CLAMP_TO_EDGE, TW_FILTER_LINEAR);
 *
 * A sampler that is made inside a kernel from constants costs nothing; one that comes with the block costs a few
 * uniform branches a read.
 */
#ifndef TEAMWORK_SAMPLER_H
#define TEAMWORK_SAMPLER_H

#include <stdbool.h>

#include <teamwork/export.h>

/** What is read at coordinates outside of an image (OpenCL 1.2, 8.2). */
typedef enum tw_addressing_mode {
    TW_ADDRESS_NONE = 0,            /**< the program stays inside; elsewhere it gets some pixel of the image */
    TW_ADDRESS_CLAMP_TO_EDGE = 1,   /**< the nearest pixel of the edge */
    TW_ADDRESS_CLAMP = 2,           /**< the border colour: (0, 0, 0, 1) for TW_R, TW_RG, TW_RGB and TW_LUMINANCE, else
                                         (0, 0, 0, 0) */
    TW_ADDRESS_REPEAT = 3,          /**< the image again, side by side */
    TW_ADDRESS_MIRRORED_REPEAT = 4, /**< the image again, every other one mirrored */
} tw_addressing_mode;

typedef enum tw_filter_mode {
    TW_FILTER_NEAREST = 0, /**< the pixel that the coordinates lie in */
    TW_FILTER_LINEAR = 1 /**< the 2, 4 or 8 pixels around, weighted; for tw_read_imagef() and tw_read_imageh() alone */
} tw_filter_mode;

/** A sampler. Its bits are the library's. */
typedef struct tw_sampler {
    unsigned tw_bits_;
} tw_sampler;

/**
 * Makes a sampler.
 *
 * @param normalized_coords  coordinates run from 0 to 1 over the image; otherwise from 0 to its size in pixels. Layers
 *                           of arrays are never normalized
 * @param addressing         OpenCL leaves the two repeating modes without normalized coordinates undefined; here they
 *                           repeat the image at multiples of its size
 * @param filter             see there
 * @return the sampler; numbers that are no enumerator count as 0
 */
TW_DEVICE_INLINE tw_sampler tw_sampler_make(bool normalized_coords, tw_addressing_mode addressing,
                                            tw_filter_mode filter)
{
    const unsigned mode = (unsigned)addressing <= (unsigned)TW_ADDRESS_MIRRORED_REPEAT ? (unsigned)addressing : 0u;
    const unsigned linear = (unsigned)filter == (unsigned)TW_FILTER_LINEAR;
    tw_sampler sampler = {mode | linear << 3 | (unsigned)normalized_coords << 4};
    return sampler;
}

/** @return whether the sampler was made for normalized coordinates */
TW_DEVICE_INLINE bool tw_sampler_normalized_coords(tw_sampler sampler)
{
    return (sampler.tw_bits_ >> 4 & 1u) != 0;
}

/** @return the addressing mode that the sampler was made with */
TW_DEVICE_INLINE tw_addressing_mode tw_sampler_addressing_mode(tw_sampler sampler)
{
    return (tw_addressing_mode)(sampler.tw_bits_ & 7u);
}

/** @return the filter that the sampler was made with */
TW_DEVICE_INLINE tw_filter_mode tw_sampler_filter_mode(tw_sampler sampler)
{
    return (tw_filter_mode)(sampler.tw_bits_ >> 3 & 1u);
}

#endif
