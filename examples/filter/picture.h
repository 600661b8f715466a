/* SPDX-License-Identifier: Apache-2.0 */
/** Pictures in host memory, four bytes a pixel: red, green, blue, alpha; and PNG files of them. */
#ifndef FILTER_PICTURE_H
#define FILTER_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

struct picture {
    size_t width, height;
    unsigned char *pixels; /* row by row, without gaps; from malloc() */
};

/** A picture with undefined contents. False: no memory. */
bool picture_create(struct picture *picture, size_t width, size_t height);
void picture_destroy(struct picture *picture);

/** Discs, lines and a gradient: sharp edges for filters to work on. */
void picture_draw_test(struct picture *picture);

/** Reads and writes PNG files. False: *message says why; it is valid until the next call. */
bool picture_read(struct picture *picture, const char *path, const char **message);
bool picture_write(const struct picture *picture, const char *path, const char **message);

#endif
