/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accessors of images (spec 3.6.2), in groups and on the host. Each is an accessor of the image's buffer, and describes
 * the image to kernels, which read and write pixels by lower/image/image.h.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/detail.h"
#include "command_group.h"
#include "objects/data/buffer.h"
#include "objects/data/image.h"
#include "texture.h"

/* The accessor keeps the buffer alive, but nothing keeps the image: destroying it is refused as it is for buffers. */
struct tw_host_image {
    struct tw_image image; /* copy of the image's description, without a buffer */
    tw_host_accessor *accessor;
    bool writes;
};

static unsigned kind_of(const tw_image_layout *layout)
{
    return layout->size.dims | (layout->is_array ? TW_INTERNAL_IMAGE_ARRAY : 0);
}

static struct tw_internal_image describe(const tw_image *image, void *data)
{
    const tw_image_layout *layout = &image->layout;
    const size_t row = layout->row_pitch ? layout->row_pitch : image->bytes;
    const struct tw_internal_image description = {
        .data = data,
        .row_pitch = (uint32_t)row,
        .slice_rows = layout->slice_pitch ? (uint32_t)(layout->slice_pitch / row) : 1,
        .width = (int32_t)tw_image_extent(layout, 0),
        .height = (int32_t)tw_image_extent(layout, 1),
        .depth = (int32_t)tw_image_extent(layout, 2),
        .order = (uint8_t)layout->order,
        .type = (uint8_t)layout->type,
        .pixel_bytes = (uint16_t)image->pixel_bytes,
    };
    return description;
}

static tw_status check_kind(const tw_image *image, unsigned kind)
{
    if (kind_of(&image->layout) == kind)
        return TW_SUCCESS;
    const bool is_array = (kind & TW_INTERNAL_IMAGE_ARRAY) != 0;
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the accessor is for %uD %s; this is %uD %s",
                   TW_INTERNAL_IMAGE_DIMS(kind) - is_array, is_array ? "arrays" : "images",
                   image->layout.size.dims - image->layout.is_array, image->layout.is_array ? "array" : "image");
}

/* Returns the mode without discarding if there are gaps: discarding would lose their contents. */
static tw_access_mode keep_gaps(const tw_image *image, tw_access_mode mode)
{
    if (!image->gaps)
        return mode;
    return mode == TW_DISCARD_WRITE ? TW_WRITE : mode == TW_DISCARD_READ_WRITE ? TW_READ_WRITE : mode;
}

/* Checks the alignment of an image's memory. Kernels on devices load a whole pixel at once. The host needs only the
   alignment of a channel, as C does. */
static tw_status check_alignment(const tw_image *image, const void *data, bool on_host)
{
    const size_t alignment = on_host ? tw_internal_channel_bytes(image->layout.type) : image->pixel_bytes;
    if (alignment == 0 || (uintptr_t)data % alignment == 0) /* the layout of an image is valid, so it is not 0 */
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory of the image's buffer is not aligned to %zu bytes",
                   alignment);
}

/* Returns the mapper of what a launch of an image's range writes: rows of bytes, or planes, by the first id. */
static tw_range_mapper rows_of(const tw_image *image)
{
    const struct tw_internal_image description = describe(image, NULL);
    const unsigned dims = image->layout.size.dims;
    tw_range_mapper mapper = {.tw_kind_ = TW_INTERNAL_MAP_ROWS, .tw_after_ = {{1, 1, 1}, dims}};
    for (unsigned d = 0; d < dims; ++d)
        mapper.tw_after_.size[d] = tw_image_extent(&image->layout, dims - 1 - d);
    mapper.tw_dim_ = dims == 1   ? (unsigned)image->pixel_bytes
                     : dims == 2 ? description.row_pitch
                                 : description.row_pitch * description.slice_rows;
    return mapper;
}

struct tw_internal_image tw_internal_image_access(tw_command_group *group, tw_image *image, tw_access_mode mode,
                                                  unsigned kind)
{
    const struct tw_internal_image none = {.data = NULL};
    if (tw_command_group_status(group) != TW_SUCCESS)
        return none;
    tw_status status = image ? check_kind(image, kind) : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the image is NULL");
    if (status == TW_SUCCESS) {
        const bool is_mapped = group->recorder && tw_access_mode_writes(mode);
        void *data = is_mapped ? tw_access_mapped(group, image->buffer, keep_gaps(image, mode), rows_of(image))
                               : tw_access(group, image->buffer, keep_gaps(image, mode), TW_GLOBAL);
        if (!data)
            return none;
        status = check_alignment(image, data, tw_command_group_is_on_host(group));
        if (status == TW_SUCCESS)
            return describe(image, data);
    }
    tw_command_group_fail(group, status);
    return none;
}

struct tw_internal_image tw_internal_image_sample(tw_command_group *group, tw_image *image, tw_sampler sampler,
                                                  unsigned kind, struct tw_internal_sampling *sampling)
{
    *sampling = (struct tw_internal_sampling){.sampler = sampler};
    if (tw_command_group_status(group) != TW_SUCCESS)
        return (struct tw_internal_image){.data = NULL};
    tw_command_group_begin_sampling(group);
    const struct tw_internal_image accessed = tw_internal_image_access(group, image, TW_READ, kind);
    tw_command_group_end_sampling(group);
    if (!accessed.data)
        return accessed;
    struct tw_backend_texture texture = {.pixels = accessed.data, .sampler = sampler};
    if (kind == TW_INTERNAL_IMAGE_2d) { /* others have no textures */
        texture.width = image->layout.size.size[1];
        texture.height = image->layout.size.size[0];
        texture.pitch = image->layout.row_pitch;
        texture.order = image->layout.order;
        texture.type = image->layout.type;
    }
    if (group->recorder)
        group->recorder->sample(group, &texture);
    else if (texture.width)
        tw_texture_find(group, image->buffer->root, &texture, sampling);
    return accessed;
}

void tw_image_require(tw_command_group *group, const tw_image *image, tw_channel_order order, tw_channel_type type)
{
    if (tw_command_group_status(group) != TW_SUCCESS)
        return;
    if (!image)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "the image is NULL"));
    else if (image->layout.order != order || image->layout.type != type)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                             "the kernel is for images of order %d and type %d; this has %d and %d",
                                             (int)order, (int)type, (int)image->layout.order, (int)image->layout.type));
}

/* ---- host accessors ---------------------------------------------------------------------------------------------- */

tw_status tw_host_image_access(tw_image *image, tw_access_mode mode, tw_host_image **result)
{
    if (!image || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", image ? "place for the access" : "image");
    tw_host_image *access = calloc(1, sizeof *access);
    if (!access)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a host accessor");
    const tw_status status = tw_host_access(image->buffer, keep_gaps(image, mode), &access->accessor);
    if (status != TW_SUCCESS) {
        free(access);
        return status;
    }
    access->image.layout = image->layout;
    access->image.pixel_bytes = image->pixel_bytes;
    access->image.bytes = image->bytes;
    access->writes = tw_access_mode_writes(mode);
    *result = access;
    return TW_SUCCESS;
}

void *tw_host_image_data(tw_host_image *access)
{
    return access && access->writes ? tw_host_accessor_data(access->accessor) : NULL;
}

const void *tw_host_image_const_data(const tw_host_image *access)
{
    return access ? tw_host_accessor_const_data(access->accessor) : NULL;
}

void tw_host_image_release(tw_host_image **handle)
{
    if (!handle || !*handle)
        return;
    tw_host_image *access = *handle;
    *handle = NULL;
    tw_host_accessor_release(&access->accessor);
    free(access);
}

tw_status tw_internal_host_image(const tw_host_image *access, bool writes, unsigned kind, struct tw_internal_image *out)
{
    if (!access || !out)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", access ? "place for the image" : "access");
    if (writes && !access->writes)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the access only reads; ask for a const image");
    const tw_status status = check_kind(&access->image, kind);
    if (status != TW_SUCCESS)
        return status;
    void *data = tw_host_accessor_data(access->accessor);
    const tw_status aligned = check_alignment(&access->image, data, true);
    if (aligned == TW_SUCCESS)
        *out = describe(&access->image, data);
    return aligned;
}
