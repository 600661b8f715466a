/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A Gaussian filter of an image in two launches: each pixel becomes a weighted sum of its neighbours in the row, then
 * of those in the column. The image has a border of CONVOLUTION_RADIUS zeros, which kernels read and do not write.
 */
#ifndef TEAMWORK_SUITE_CONVOLUTION_H
#define TEAMWORK_SUITE_CONVOLUTION_H

#include "../arrays.h"

enum {
    CONVOLUTION_RADIUS = 8,
    CONVOLUTION_GROUP_ROWS = 8, /* a group of the form "tiled" */
    CONVOLUTION_GROUP_COLUMNS = 32,
    CONVOLUTION_ROW_TILE = 4,   /* pixels of a work-item in its row, when rows are filtered */
    CONVOLUTION_COLUMN_TILE = 8 /* and in its column, when columns are; sides are multiples of the groups' */
};

/** The weights of a pixel and of its neighbours at distances 1 to CONVOLUTION_RADIUS. */
struct convolution_weights {
    float at[CONVOLUTION_RADIUS + 1];
};

enum { CONVOLUTION_IN, CONVOLUTION_BETWEEN, CONVOLUTION_OUT }; /* the arrays */

struct convolution {
    struct suite_arrays arrays;
    struct convolution_weights weights;
    size_t side, pitch; /**< pixels of a row and column without the border, and of a row with it */
};

/** Number of the first pixel inside of the border. */
static inline size_t convolution_inside(const struct convolution *c)
{
    return CONVOLUTION_RADIUS * c->pitch + CONVOLUTION_RADIUS;
}

#endif
