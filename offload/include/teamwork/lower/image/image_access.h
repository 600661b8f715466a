/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Images as they travel in an argument block: where the pixels are, and what they are. The types are opaque:
 *
 *     tw_const_image_1d  tw_const_image_2d  tw_const_image_3d  tw_const_image_1d_array  tw_const_image_2d_array
 *     tw_image_1d        tw_image_2d        tw_image_3d        tw_image_1d_array        tw_image_2d_array
 *     tw_sampled_image_1d  tw_sampled_image_2d  tw_sampled_image_3d
 *
 * The const ones and the sampled ones can only be read. Accessors (image.h) make them, lower/image/image.h uses them.
 */
#ifndef TEAMWORK_LOWER_IMAGE_ACCESS_H
#define TEAMWORK_LOWER_IMAGE_ACCESS_H

#include <stdint.h>

#include <teamwork/lower/kernel/launch.h>
#include <teamwork/sampler.h>

/* Private to the library although installed. 32 bytes; a pixel lies at data + (z * slice_rows + y) * row_pitch + x *
   its size, where y counts the layers of a 1D array and z those of a 2D array. */
struct tw_internal_image {
    unsigned char *data;
    uint32_t row_pitch;           /* in bytes */
    uint32_t slice_rows;          /* the slice pitch, in rows */
    int32_t width, height, depth; /* 1 where there is no such dimension */
    uint8_t order, type;          /* tw_channel_order, tw_channel_type */
    uint16_t pixel_bytes;
};

/* Kinds of images: the dimensions of a pixel's place, and whether the first of them counts layers. */
#define TW_INTERNAL_IMAGE_1d 1u
#define TW_INTERNAL_IMAGE_2d 2u
#define TW_INTERNAL_IMAGE_3d 3u
#define TW_INTERNAL_IMAGE_1d_array (2u | TW_INTERNAL_IMAGE_ARRAY)
#define TW_INTERNAL_IMAGE_2d_array (3u | TW_INTERNAL_IMAGE_ARRAY)
#define TW_INTERNAL_IMAGE_ARRAY 4u
#define TW_INTERNAL_IMAGE_DIMS(kind) ((kind) & 3u)

#define TW_INTERNAL_IMAGE_KINDS(X) X(1d) X(2d) X(3d) X(1d_array) X(2d_array)

#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_IMAGE_BOUNDS struct tw_internal_bounds *tw_bounds_;
#else
#define TW_INTERNAL_IMAGE_BOUNDS
#endif
#define TW_INTERNAL_IMAGE_TYPES(kind)                                                                                  \
    typedef struct tw_image_##kind {                                                                                   \
        struct tw_internal_image tw_;                                                                                  \
        TW_INTERNAL_IMAGE_BOUNDS                                                                                       \
    } tw_image_##kind;                                                                                                 \
    typedef struct tw_const_image_##kind {                                                                             \
        struct tw_internal_image tw_;                                                                                  \
        TW_INTERNAL_IMAGE_BOUNDS                                                                                       \
    } tw_const_image_##kind;
TW_INTERNAL_IMAGE_KINDS(TW_INTERNAL_IMAGE_TYPES)
#undef TW_INTERNAL_IMAGE_TYPES
#undef TW_INTERNAL_IMAGE_BOUNDS

/* How a sampled image is read: by the sampler, or by a texture of one device that does the same. The texture is of
   pixels at one address. Where a block goes to another device, its pointers are replaced and this number is not: then
   the two differ, and the texture is not used. */
struct tw_internal_sampling {
    uint64_t texture; /* the driver's number */
    uint64_t address; /* of its pixels, which is even, and 1 more if the order is not TW_RGBA; 0: no texture */
    tw_sampler sampler;
    uint32_t unused;
};

#define TW_INTERNAL_SAMPLED_IMAGE_KINDS(X) X(1d) X(2d) X(3d)
#define TW_INTERNAL_SAMPLED_IMAGE_TYPE(kind)                                                                           \
    typedef struct tw_sampled_image_##kind {                                                                           \
        struct tw_internal_image tw_;                                                                                  \
        struct tw_internal_sampling tw_sampling_;                                                                      \
    } tw_sampled_image_##kind;
TW_INTERNAL_SAMPLED_IMAGE_KINDS(TW_INTERNAL_SAMPLED_IMAGE_TYPE)
#undef TW_INTERNAL_SAMPLED_IMAGE_TYPE

#endif
