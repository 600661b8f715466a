/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Game of Life: one generation of a board of bytes, 0 or 1. The board has `side` + 2 rows: its first and last row
 * and column are a border of dead cells that kernels read and do not write, so they need no test for the edges.
 */
#ifndef TEAMWORK_SUITE_LIFE_H
#define TEAMWORK_SUITE_LIFE_H

#include "../arrays.h"

/** Side of the tiles of the form "tiled"; sides of boards are multiples of it. */
enum { LIFE_TILE = 16 };

enum { LIFE_NOW, LIFE_NEXT }; /* the arrays */

struct life {
    struct suite_arrays arrays;
    size_t side;  /**< rows and columns without the border */
    size_t pitch; /**< bytes from one row to the next */
};

#endif
