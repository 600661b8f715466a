/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Images (spec 3.6.2, 3.6.4.5): pixels of one of the formats of image_format.h in 1 to 3 dimensions, or arrays of
 * images of 1 or 2, which kernels read and write as vectors of four, whatever the format.
 *
 *     struct brighten { tw_const_image_2d in; tw_image_2d out; float by; };
 *     static inline void brighten(tw_item item, const struct brighten *k)
 *     {
 *         const tw_id at = tw_get_global_id(item);
 *         tw_write_imagef(k->out, at, tw_read_imagef(k->in, at) * k->by);
 *     }
 *     TW_RANGE_KERNEL(brighten, 2);
 *     ...
 *     const tw_image_layout layout = {.order = TW_RGBA, .type = TW_UNORM_INT8, .size = tw_range_2d(height, width)};
 *     tw_image_create_over(pixels, layout, &image);
 *     ...
 *     tw_parallel_for(cg, tw_image_range(image), brighten, .in = tw_read_image_2d(cg, image),
 *                     .out = tw_discard_write_image_2d(cg, result), .by = 1.5f);
 *
 * Sizes are ranges as everywhere in the library: the last dimension, x, is the fastest, so an image of two dimensions
 * is tw_range_2d(height, width). A tw_id names a pixel in the same order. The vectors of coordinates that OpenCL has
 * begin with x: (tw_int2){x, y}.
 *
 * An image takes part in the command graph as buffers do; indeed its pixels are a buffer's (tw_image_buffer()).
 * Images are counted references. All functions are thread safe. What kernels, and host code, do with the pixels is at
 * its end, which clang alone compiles; <teamwork/teamwork.h> includes neither.
 */
#ifndef TEAMWORK_IMAGE_H
#define TEAMWORK_IMAGE_H

#include <teamwork/command_group.h>
#include <teamwork/image_format.h>
#include <teamwork/lower/image/image_access.h>
#include <teamwork/sampler.h>

TW_BEGIN_DECLS

typedef struct tw_image tw_image;
typedef struct tw_host_image tw_host_image;

/** The most pixels in each dimension, and layers: what a float counts exactly. */
#define TW_IMAGE_MAX_EXTENT ((size_t)1 << 24)

/** What an image is made of, and how its pixels lie in memory. */
typedef struct tw_image_layout {
    tw_channel_order order;
    tw_channel_type type;
    tw_range size;    /**< in pixels: (width), (height, width) or (depth, height, width); of an array (layers, width) or
                             (layers, height, width) */
    bool is_array;    /**< the first dimension counts layers, between which nothing is interpolated */
    size_t row_pitch; /**< bytes from a row to the next, in a 1D array from a layer to the next; 0: no gaps */
    size_t slice_pitch; /**< bytes from a slice, or a layer of a 2D array, to the next; 0: no gaps */
} tw_image_layout;

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/**
 * Creates an image over host memory, which it uses for its whole life: tw_buffer_create_over() tells more. What lies
 * in the gaps between rows and slices is kept: so an image may be a part of a larger one.
 *
 * @param host    the first pixel, aligned as a channel of it or a packed pixel; the memory ends with the last pixel
 * @param layout  row_pitch is a multiple of the size of a pixel, at most UINT32_MAX, slice_pitch one of row_pitch;
 *                neither is less than what it has to hold
 * @param image   receives the image, with one reference
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; memory that is not aligned; an order and a type that make no format; a
 *                                    pitch that is too small or no such multiple, or of a dimension that is not there
 *         TW_ERROR_INVALID_RANGE     no pixels, more than TW_IMAGE_MAX_EXTENT in a dimension or than size_t has bytes
 *                                    for, invalid dimensions, or an array of one dimension
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_image_create_over(void *host, tw_image_layout layout, tw_image **image);

/**
 * Creates an image over host memory that is only read: write access is an error and nothing is written back. Parameters
 * as for tw_image_create_over().
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; memory that is not aligned; an order and a type that make no format; a
 *                                    pitch that is too small or no such multiple, or of a dimension that is not there
 *         TW_ERROR_INVALID_RANGE     no pixels, more than TW_IMAGE_MAX_EXTENT in a dimension or than size_t has bytes
 *                                    for, invalid dimensions, or an array of one dimension
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_image_create_over_const(const void *host, tw_image_layout layout, tw_image **image);

/**
 * Creates an image without host memory: contents undefined, nothing written back, destruction never blocks.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; an order and a type that make no format; a pitch
 *                                    that is too small or no such multiple, or of a dimension that is not there
 *         TW_ERROR_INVALID_RANGE     no pixels, more than TW_IMAGE_MAX_EXTENT in a dimension or than size_t has bytes
 *                                    for, invalid dimensions, or an array of one dimension
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_image_create(tw_image_layout layout, tw_image **image);

/**
 * Creates an image that starts as a copy of `data`, which lies as `layout` says and is free again on return.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; memory that is not aligned; an order and a type that make no format; a
 *                                    pitch that is too small or no such multiple, or of a dimension that is not there
 *         TW_ERROR_INVALID_RANGE     no pixels, more than TW_IMAGE_MAX_EXTENT in a dimension or than size_t has bytes
 *                                    for, invalid dimensions, or an array of one dimension
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_image_create_copy(const void *data, tw_image_layout layout, tw_image **image);

/**
 * Creates an image on the memory of a buffer, which may have any element type and be used as a buffer too: access
 * through either is ordered as access to the buffer. The image keeps a reference to it.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; an order and a type that make no format; a pitch
 *                                    that is too small or no such multiple, or of a dimension that is not there
 *         TW_ERROR_INVALID_RANGE     no pixels, more than TW_IMAGE_MAX_EXTENT in a dimension or than size_t has bytes
 *                                    for, invalid dimensions, or an array of one dimension,
 *                                    the buffer has fewer bytes than the pixels take, or is a sub-buffer whose rows do
 *                                    not lie back to back
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_image_create_on_buffer(tw_buffer *buffer, tw_image_layout layout, tw_image **image);

/** Adds a reference: another handle to the same image.
 *  @return the image; NULL for NULL */
TW_API tw_image *tw_image_retain(tw_image *image);

/**
 * Drops a reference and sets *image to NULL. NULL is allowed. The last one waits as tw_buffer_destroy() does, which
 * says more of these statuses; on a buffer of the program's it only drops the reference to that.
 *
 * @return TW_ERROR_DATA_LOST        the command that should have written the contents failed
 *         TW_ERROR_TRANSFER_FAILED  bringing the contents back failed
 *         TW_ERROR_OUT_OF_BOUNDS    some kernel has written beside the image on a simulated device
 *         TW_ERROR_OUT_OF_MEMORY    there was no memory to wait: the image is left as it was, and so is the reference
 *         TW_ERROR_WOULD_DEADLOCK   the call would have to wait for a host accessor of this thread; likewise
 */
TW_API tw_status tw_image_destroy(tw_image **image);

/* ---- what an image is (spec table 3.21) -------------------------------------------------------------------------- */

/** @return the layout given at creation, with both pitches filled in: row_pitch where there are rows, slice_pitch where
 *          there are slices; all zero for NULL */
TW_API tw_image_layout tw_image_get_layout(const tw_image *image);
/** @return the size in pixels; invalid (dims 0) for NULL */
TW_API tw_range tw_image_range(const tw_image *image);
/** @return the pitches in bytes, in one dimension less than the image has: (row) or (slice, row); invalid (dims 0) for
 *          an image of one dimension, and for NULL */
TW_API tw_range tw_image_pitch(const tw_image *image);
/** @return the number of pixels; 0 for NULL */
TW_API size_t tw_image_count(const tw_image *image);
/** @return the bytes from the first pixel to the end of the last one; 0 for NULL */
TW_API size_t tw_image_size(const tw_image *image);
/** The image keeps its buffer: retain it to use it for longer. With tw_buffer_set_final_data() it takes where the
 *  pixels go in the end: to memory of the same layout.
 *  @return the buffer that holds the pixels, of tw_image_size() single bytes unless it is the program's; NULL for
 *          NULL */
TW_API tw_buffer *tw_image_buffer(const tw_image *image);

/* ---- device accessors -------------------------------------------------------------------------------------------- */

/**
 * tw_const_image_2d tw_read_image_2d(group, image)
 * tw_image_2d tw_write_image_2d(group, image), and tw_read_write_, tw_discard_write_, tw_discard_read_write_image_2d;
 * the same for _1d, _3d, _1d_array and _2d_array
 *
 * Declare that the group's kernel accesses an image, and hand back what the kernel needs for that, a value for the
 * argument block: of a const type for reading alone. Modes and order are those of tw_access(); what lies in gaps
 * between rows is kept in every mode.
 *
 * Errors, kept in the group; an empty accessor is returned:
 *     TW_ERROR_INVALID_ARGUMENT   a NULL image, one of other dimensions or no array where that is asked for, or one on a
 *                                 buffer whose memory is not aligned to pixels
 *     and those of tw_access()
 */
#define TW_INTERNAL_IMAGE_MODE(name, mode, kind)                                                                       \
    static inline tw_image_##kind tw_##name##_image_##kind(tw_command_group *group, tw_image *image)                   \
    {                                                                                                                  \
        tw_image_##kind access;                                                                                        \
        TW_INTERNAL_IMAGE_FILL(access, group, image, mode, TW_INTERNAL_IMAGE_##kind)                                   \
        return access;                                                                                                 \
    }
#define TW_INTERNAL_IMAGE_MODES(kind)                                                                                  \
    static inline tw_const_image_##kind tw_read_image_##kind(tw_command_group *group, tw_image *image)                 \
    {                                                                                                                  \
        tw_const_image_##kind access;                                                                                  \
        TW_INTERNAL_IMAGE_FILL(access, group, image, TW_READ, TW_INTERNAL_IMAGE_##kind)                                \
        return access;                                                                                                 \
    }                                                                                                                  \
    TW_INTERNAL_IMAGE_MODE(write, TW_WRITE, kind)                                                                      \
    TW_INTERNAL_IMAGE_MODE(read_write, TW_READ_WRITE, kind)                                                            \
    TW_INTERNAL_IMAGE_MODE(discard_write, TW_DISCARD_WRITE, kind)                                                      \
    TW_INTERNAL_IMAGE_MODE(discard_read_write, TW_DISCARD_READ_WRITE, kind)
#ifdef TW_DEBUG_BOUNDS
#define TW_INTERNAL_IMAGE_FILL(access, group, image, mode, kind)                                                       \
    (access).tw_ = tw_internal_image_access((group), (image), (mode), (kind));                                         \
    (access).tw_bounds_ = tw_internal_bounds_of(group);
#else
#define TW_INTERNAL_IMAGE_FILL(access, group, image, mode, kind)                                                       \
    (access).tw_ = tw_internal_image_access((group), (image), (mode), (kind));
#endif

/**
 * tw_sampled_image_2d tw_sample_image_2d(group, image, sampler); the same for _1d and _3d
 *
 * Declares that the group's kernel samples an image, and hands back the image with its sampler, for the argument block.
 * The kernel only reads it, and reads it by tw_read_imagef() and its like (below) as it would read the image of
 * tw_read_image_2d() with that sampler. But a GPU may do that by its own samplers (textures), as NVIDIA's do by the CUDA
 * driver: then a linear filter has weights of 8 bits, and coordinates are rounded likewise.
 *
 *     the linear filter   each channel is at most 1/128 of the difference between the largest and the smallest pixel
 *                         around away from what it is in single precision
 *     the nearest pixel   where coordinates are at most 1/256 pixel away from the edge between two pixels, it may be
 *                         either; else the same pixel, and the same number
 *     NaN                 any pixel of the image, or the border
 *
 * That is what happens for images of two dimensions whose memory on the device begins at a multiple of 512 bytes, as
 * that of images with memory of their own does, with a row pitch that is a multiple of 32 bytes, of at most 131072 x
 * 65000 pixels. The format is none of the packed ones, nor an order with an x together with TW_ADDRESS_CLAMP; and a
 * sampler that repeats has normalized coordinates. In all other cases, on other devices and on a part of a GPU, code
 * reads the pixels, as tw_read_image_2d() lets it; and where constants of the kernel tell that code is faster.
 *
 * @param sampler  how the kernel reads
 * @return what kernels read; errors are kept in the group, and then an empty accessor is returned:
 *     TW_ERROR_INVALID_ARGUMENT   a NULL image, one of other dimensions or an array, or one on a buffer whose memory is
 *                                 not aligned to pixels; and, at the launch, if the group writes the image too
 *     and those of tw_access()
 */
#define TW_INTERNAL_SAMPLE_IMAGE(kind)                                                                                 \
    static inline tw_sampled_image_##kind tw_sample_image_##kind(tw_command_group *group, tw_image *image,             \
                                                                 tw_sampler sampler)                                   \
    {                                                                                                                  \
        tw_sampled_image_##kind access;                                                                                \
        access.tw_ = tw_internal_image_sample(group, image, sampler, TW_INTERNAL_IMAGE_##kind, &access.tw_sampling_);  \
        return access;                                                                                                 \
    }

/**
 * Fails the group with TW_ERROR_INVALID_ARGUMENT unless the image has this format: for kernels that are compiled for
 * one (tw_image_as() below), before the launch.
 */
TW_API void tw_image_require(tw_command_group *group, const tw_image *image, tw_channel_order order,
                             tw_channel_type type);

/* ---- host accessors (spec 3.6.4.7) ------------------------------------------------------------------------------- */

/**
 * Gives the program access to an image, as tw_host_access() does to a buffer.
 *
 * @param access  receives the access; end it with tw_host_image_release(), on any thread
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL or an unknown mode
 *         TW_ERROR_READ_ONLY_BUFFER  a mode that writes, on an image over const memory
 *         TW_ERROR_DATA_LOST         the command that should have written the contents failed, and the mode does not
 *                                    discard them
 *         TW_ERROR_TRANSFER_FAILED   the data could not be brought to the host; see tw_host_access()
 *         TW_ERROR_OUT_OF_BOUNDS     some kernel has written beside the image on a simulated device; likewise
 *         TW_ERROR_WOULD_DEADLOCK    this thread has an accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_host_image_access(tw_image *image, tw_access_mode mode, tw_host_image **access);

/** @return the first pixel, valid until release; the others lie as tw_image_get_layout() says. NULL for NULL, and where
 *          the access only reads */
TW_API void *tw_host_image_data(tw_host_image *access);
/** @return likewise, for any access; NULL for NULL */
TW_API const void *tw_host_image_const_data(const tw_host_image *access);

/** Ends the access and sets *access to NULL. NULL is allowed. Never blocks. */
TW_API void tw_host_image_release(tw_host_image **access);

/**
 * tw_status tw_host_image_2d(access, &out), tw_host_const_image_2d(access, &out); the same for _1d, _3d, _1d_array and
 * _2d_array
 *
 * Hand out what tw_read_imagef() and its like take, for host code. Valid until release.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL, an image of other dimensions or no array where that is asked for, or an
 * access
 *                                    that only reads where one is asked for that writes
 */
#define TW_INTERNAL_HOST_IMAGE(kind)                                                                                   \
    static inline tw_status tw_host_image_##kind(tw_host_image *access, tw_image_##kind *out)                          \
    {                                                                                                                  \
        return tw_internal_host_image(access, true, TW_INTERNAL_IMAGE_##kind, out ? &out->tw_ : NULL);                 \
    }                                                                                                                  \
    static inline tw_status tw_host_const_image_##kind(const tw_host_image *access, tw_const_image_##kind *out)        \
    {                                                                                                                  \
        return tw_internal_host_image(access, false, TW_INTERNAL_IMAGE_##kind, out ? &out->tw_ : NULL);                \
    }

/* What the functions above call; not for direct use. */
TW_API struct tw_internal_image tw_internal_image_access(tw_command_group *group, tw_image *image, tw_access_mode mode,
                                                         unsigned kind);
TW_API struct tw_internal_image tw_internal_image_sample(tw_command_group *group, tw_image *image, tw_sampler sampler,
                                                         unsigned kind, struct tw_internal_sampling *sampling);
TW_API tw_status tw_internal_host_image(const tw_host_image *access, bool writes, unsigned kind,
                                        struct tw_internal_image *out);

TW_INTERNAL_IMAGE_KINDS(TW_INTERNAL_IMAGE_MODES)
TW_INTERNAL_IMAGE_KINDS(TW_INTERNAL_HOST_IMAGE)
TW_INTERNAL_SAMPLED_IMAGE_KINDS(TW_INTERNAL_SAMPLE_IMAGE)

#undef TW_INTERNAL_IMAGE_MODE
#undef TW_INTERNAL_IMAGE_MODES
#undef TW_INTERNAL_IMAGE_FILL
#undef TW_INTERNAL_HOST_IMAGE
#undef TW_INTERNAL_SAMPLE_IMAGE

TW_END_DECLS

/**
 * Reading and writing images (spec 3.6.4.5, 4.3; OpenCL 1.2, 6.12.14), in kernels on every device and in host code.
 * I is an image of any kind, of a const type or not (image_access.h).
 *
 *     tw_float4 tw_read_imagef(I image, tw_sampler sampler, C coordinates)     formats UNORM, SNORM, HALF_FLOAT, FLOAT
 *     tw_half4  tw_read_imageh(...)                                            the same formats
 *     tw_int4   tw_read_imagei(...)                                            formats SIGNED; never interpolated
 *     tw_uint4  tw_read_imageui(...)                                           formats UNSIGNED; never interpolated
 *     ...       tw_read_imagef(I image, P place)                               without a sampler
 *     ...       tw_read_imagef(S image, C coordinates)                         by its sampler; S is a sampled image
 *     void      tw_write_imagef(I image, P place, tw_float4 pixel), tw_write_imageh, tw_write_imagei, tw_write_imageui
 *
 *     I                   P                                             C
 *     tw_image_1d         int x, or tw_id                               float x, or int
 *     tw_image_2d         tw_int2 {x, y}, or tw_id (y, x)               tw_float2 {x, y}, or tw_int2
 *     tw_image_3d         tw_int4 {x, y, z, 0}, or tw_id (z, y, x)      tw_float4 {x, y, z, 0}, or tw_int4
 *     tw_image_1d_array   tw_int2 {x, layer}, or tw_id (layer, x)       tw_float2 {x, layer}, or tw_int2
 *     tw_image_2d_array   tw_int4 {x, y, layer, 0}, or tw_id            tw_float4 {x, y, layer, 0}, or tw_int4
 *
 * Channels that a format does not have are read as 0, alpha as 1, and written to nowhere; TW_INTENSITY is read as all
 * four channels and TW_LUMINANCE as three, and both are written from the first. Reading with a function that does not
 * go with the format yields unspecified colours; writing with such a function writes nothing.
 *
 * A place names a pixel of the image; other places are undefined behaviour, which builds with TW_DEBUG_BOUNDS report
 * as for views (view.h). With a sampler every coordinate is allowed; NaN reads what lies far to the left. Coordinates
 * that are whole numbers name pixels whatever the sampler's normalization and filter are, and its addressing mode
 * counts. The layer is rounded and clamped, whatever the sampler says. A double or a size_t as the coordinate of a 1D
 * image is ambiguous: cast it.
 *
 * What is written is clamped to the format's range and rounded to the nearest value; NaN is 0 in normalized formats.
 * Numbers that are read are within 1.25 ulp of the stored ones, 0 and 1 exactly; interpolation is in single
 * precision. A kernel that writes an image may read it too: a work-item sees what it wrote itself, others see it by
 * the rules for buffers.
 *
 *     tw_const_image_2d in = tw_image_as(k->in, TW_RGBA, TW_UNORM_INT8);
 *     I tw_image_as(I image, order, type)       the same memory as pixels of that format: with constants the compiler drops
 *                                               all branches on it. The pixels must have the size of the image's own, else
 *                                               the behaviour is undefined, so check at the launch: tw_image_require().
 *                                               Another format of that size reinterprets them: TW_UNORM_INT8 that is only
 *                                               copied is faster as TW_UNSIGNED_INT8
 *     S tw_image_as(S image, order, type), tw_image_as(S image, order, type, sampler)
 *                                               the same of a sampled image, and with another sampler: only with what it
 *                                               has already the device's own samplers may read it
 *     tw_image_layer(array, i)                  the 1D or 2D image that is layer i of an array (spec table 3.28)
 *     int tw_get_image_width(I or S image), tw_get_image_height, tw_get_image_depth; size_t tw_get_image_array_size
 *     tw_channel_order tw_get_image_channel_order(I image); tw_channel_type tw_get_image_channel_data_type(I image)
 */
#ifdef __clang__
#include <teamwork/lower/image/image.h>
#endif

#endif
