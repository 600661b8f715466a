/* SPDX-License-Identifier: Apache-2.0 */
/** The image object. */
#ifndef TEAMWORK_OBJECTS_IMAGE_H
#define TEAMWORK_OBJECTS_IMAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <teamwork/image.h>

struct tw_image {
    atomic_size_t handles;
    tw_buffer *buffer; /* the image's own handle */
    tw_image_layout layout;
    size_t pixel_bytes, bytes;
    bool gaps; /* some bytes of the buffer are no pixel's */
};

/* Returns the extent in x (0), y (1) or z (2). Layers count as the dimension after the image's own. */
static inline size_t tw_image_extent(const tw_image_layout *layout, unsigned d)
{
    return d < layout->size.dims ? layout->size.size[layout->size.dims - 1 - d] : 1;
}

#endif
