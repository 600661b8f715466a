/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bilateral filter of a grey image: each pixel becomes a mean of those around it, which count the less the further
 * away they are and the more they differ. An exponential for each pixel and each neighbour.
 *
 * The image has a border as wide as the filter, whose pixels are read and not computed. Tiled: a group loads its tile
 * and the border around it into local memory first.
 */
#ifndef TEAMWORK_SUITE_BILATERAL_H
#define TEAMWORK_SUITE_BILATERAL_H

#include "arrays.h"

enum { BILATERAL_RADIUS = 3, BILATERAL_ROWS = 8, BILATERAL_COLUMNS = 32 };

enum { BILATERAL_LEFT = 32 }; /* rows of pixels are aligned to 128 bytes */

/* The arrays. */
enum { BILATERAL_IN, BILATERAL_OUT };

struct bilateral {
    struct suite_arrays arrays;
    unsigned rows, columns, pitch;
};

/* Of distances in pixels, and of differences of grey. */
#define BILATERAL_NEAR (-1.0f / (2 * 2.0f * 2.0f))
#define BILATERAL_ALIKE (-1.0f / (2 * 0.2f * 0.2f))

/* The offset of the first pixel. */
static inline size_t bilateral_first(const struct bilateral *problem)
{
    return BILATERAL_RADIUS * problem->pitch + BILATERAL_LEFT;
}

#endif
