/* SPDX-License-Identifier: Apache-2.0 */
/* Images (spec 3.6.2): a layout over a buffer. The command graph and coherence see only the buffer. */
#include "image.h"

#include <teamwork/storage.h>

#include <stdlib.h>

#include "base/detail.h"
#include "base/range_check.h"
#include "buffer.h"

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

static tw_status check_size(const tw_image_layout *layout)
{
    const unsigned dims = layout->size.dims;
    if (!tw_range_is_valid(layout->size))
        return tw_refuse_range("the image's size", layout->size);
    if (layout->is_array && dims == 1)
        return tw_fail(TW_ERROR_INVALID_RANGE, "an array of images has two or three dimensions, the first for layers");
    for (unsigned d = 0; d < dims; ++d)
        if (!layout->size.size[d] || layout->size.size[d] > TW_IMAGE_MAX_EXTENT)
            return tw_fail(TW_ERROR_INVALID_RANGE, "an image has 1 to %zu pixels in each dimension, not %zu",
                           TW_IMAGE_MAX_EXTENT, layout->size.size[d]);
    return TW_SUCCESS;
}

/* Checks a pitch, or sets it to `least` if it is 0. It is a multiple of `unit`, from `least` to `most` bytes. */
static tw_status check_pitch(const char *name, size_t *pitch, bool exists, size_t least, size_t unit, size_t most)
{
    if (!exists && *pitch)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the image has no dimension for a %s pitch of %zu bytes", name,
                       *pitch);
    const size_t filled = exists && !*pitch ? least : *pitch;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the unit is a pixel, or a row of them */
    if (exists && (filled < least || filled % unit))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a %s pitch of %zu bytes is less than %zu, or no multiple of %zu",
                       name, filled, least, unit);
    if (filled > most)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a %s pitch of %zu bytes is more than %zu", name, filled, most);
    *pitch = filled;
    return TW_SUCCESS;
}

/* Checks a layout and fills in its pitches. `bytes` counts from the first pixel to the end of the last. */
static tw_status check_layout(tw_image_layout *layout, size_t *pixel_bytes, size_t *bytes)
{
    const size_t pixel = tw_pixel_size(layout->order, layout->type);
    if (!pixel)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "channel order %d and type %d make no format", (int)layout->order,
                       (int)layout->type);
    tw_status status = check_size(layout);
    if (status != TW_SUCCESS)
        return status;
    const size_t row = tw_image_extent(layout, 0) * pixel; /* below 2^29 */
    status = check_pitch("row", &layout->row_pitch, layout->size.dims > 1, row, pixel, UINT32_MAX);
    if (status != TW_SUCCESS)
        return status;
    const size_t rows = tw_image_extent(layout, 1), pitch = layout->row_pitch ? layout->row_pitch : row;
    status = check_pitch("slice", &layout->slice_pitch, layout->size.dims > 2, pitch * rows, pitch, pitch * UINT32_MAX);
    if (status != TW_SUCCESS)
        return status;
    size_t total = 0;
    if (__builtin_mul_overflow(tw_image_extent(layout, 2) - 1, layout->slice_pitch, &total)
        || __builtin_add_overflow(total, layout->row_pitch * (rows - 1) + row, &total) || total > SIZE_MAX / 2)
        return tw_fail(TW_ERROR_INVALID_RANGE, "the image takes more bytes than memory can hold");
    *pixel_bytes = pixel;
    *bytes = total;
    return TW_SUCCESS;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Makes an image without a buffer. The caller gives it one, or frees the image. */
static tw_status begin(tw_image_layout layout, void *const *memory, tw_image **result, tw_image **image)
{
    size_t pixel_bytes = 0, bytes = 0;
    if (!result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the image is to be stored at NULL");
    if (memory && !*memory)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the image's memory is NULL; tw_image_create() needs none");
    const tw_status status = check_layout(&layout, &pixel_bytes, &bytes);
    if (status != TW_SUCCESS)
        return status;
    if (memory && (uintptr_t)*memory % tw_internal_channel_bytes(layout.type))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the image's memory is not aligned to its channels of %u bytes",
                       tw_internal_channel_bytes(layout.type));
    tw_image *made = calloc(1, sizeof *made);
    if (!made)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an image");
    atomic_init(&made->handles, 1);
    made->layout = layout;
    made->pixel_bytes = pixel_bytes;
    made->bytes = bytes;
    made->gaps = bytes != tw_range_count(layout.size) * pixel_bytes;
    *image = made;
    return TW_SUCCESS;
}

static tw_status end(tw_image *image, tw_status status, tw_image **result)
{
    if (status == TW_SUCCESS)
        *result = image;
    else
        free(image);
    return status;
}

tw_status tw_image_create_over(void *host, tw_image_layout layout, tw_image **result)
{
    tw_image *image = NULL;
    const tw_status status = begin(layout, &host, result, &image);
    if (status != TW_SUCCESS)
        return status;
    return end(image, tw_buffer_create_over(host, 1, tw_range_1d(image->bytes), &image->buffer), result);
}

tw_status tw_image_create_over_const(const void *host, tw_image_layout layout, tw_image **result)
{
    tw_image *image = NULL;
    void *memory = (void *)(uintptr_t)host;
    const tw_status status = begin(layout, &memory, result, &image);
    if (status != TW_SUCCESS)
        return status;
    return end(image, tw_buffer_create_over_const(host, 1, tw_range_1d(image->bytes), &image->buffer), result);
}

tw_status tw_image_create(tw_image_layout layout, tw_image **result)
{
    tw_image *image = NULL;
    const tw_status status = begin(layout, NULL, result, &image);
    if (status != TW_SUCCESS)
        return status;
    return end(image, tw_buffer_create(1, tw_range_1d(image->bytes), &image->buffer), result);
}

tw_status tw_image_create_copy(const void *data, tw_image_layout layout, tw_image **result)
{
    tw_image *image = NULL;
    void *memory = (void *)(uintptr_t)data;
    const tw_status status = begin(layout, &memory, result, &image);
    if (status != TW_SUCCESS)
        return status;
    return end(image, tw_buffer_create_copy(data, 1, tw_range_1d(image->bytes), &image->buffer), result);
}

tw_status tw_image_create_with_storage(const tw_storage *storage, tw_image_layout layout, tw_image **result)
{
    tw_image *image = NULL;
    if (!storage)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the storage is NULL");
    void *host = storage->host_data ? storage->host_data(storage->user) : NULL;
    const tw_status status = begin(layout, host ? &host : NULL, result, &image);
    if (status != TW_SUCCESS)
        return status;
    return end(image, tw_buffer_create_with_storage(storage, 1, tw_range_1d(image->bytes), &image->buffer), result);
}

tw_status tw_image_create_on_buffer(tw_buffer *buffer, tw_image_layout layout, tw_image **result)
{
    tw_image *image = NULL;
    if (!buffer)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is NULL");
    const tw_status status = begin(layout, NULL, result, &image);
    if (status != TW_SUCCESS)
        return status;
    if (image->bytes > tw_buffer_size(buffer))
        return end(image,
                   tw_fail(TW_ERROR_INVALID_RANGE, "an image of %zu bytes does not fit a buffer of %zu", image->bytes,
                           tw_buffer_size(buffer)),
                   result);
    if (!tw_box_is_contiguous(&buffer->box, &buffer->root->data.whole))
        return end(image,
                   tw_fail(TW_ERROR_INVALID_RANGE, "the rows of the sub-buffer do not lie back to back, as an image's "
                                                   "pixels do"),
                   result);
    /* the buffer may be larger than the image: the rest is kept, too */
    image->gaps = image->gaps || image->bytes != tw_buffer_size(buffer);
    image->buffer = tw_buffer_retain(buffer);
    return end(image, TW_SUCCESS, result);
}

tw_image *tw_image_retain(tw_image *image)
{
    if (image)
        atomic_fetch_add_explicit(&image->handles, 1, memory_order_relaxed);
    return image;
}

tw_status tw_image_destroy(tw_image **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    tw_image *image = *handle;
    if (atomic_fetch_sub_explicit(&image->handles, 1, memory_order_acq_rel) > 1) {
        *handle = NULL;
        return TW_SUCCESS;
    }
    const tw_status status = tw_buffer_destroy(&image->buffer);
    if (image->buffer) { /* refused: nothing has changed */
        atomic_store_explicit(&image->handles, 1, memory_order_relaxed);
        return status;
    }
    free(image);
    *handle = NULL;
    return status;
}

/* ---- what an image is -------------------------------------------------------------------------------------------- */

tw_image_layout tw_image_get_layout(const tw_image *image)
{
    const tw_image_layout none = {0};
    return image ? image->layout : none;
}

tw_range tw_image_range(const tw_image *image)
{
    return tw_image_get_layout(image).size;
}

tw_range tw_image_pitch(const tw_image *image)
{
    const tw_image_layout layout = tw_image_get_layout(image);
    const tw_range none = {{0, 0, 0}, 0};
    return layout.size.dims == 3   ? tw_range_2d(layout.slice_pitch, layout.row_pitch)
           : layout.size.dims == 2 ? tw_range_1d(layout.row_pitch)
                                   : none;
}

size_t tw_image_count(const tw_image *image)
{
    return tw_range_count(tw_image_range(image));
}

size_t tw_image_size(const tw_image *image)
{
    return image ? image->bytes : 0;
}

tw_buffer *tw_image_buffer(const tw_image *image)
{
    return image ? image->buffer : NULL;
}
