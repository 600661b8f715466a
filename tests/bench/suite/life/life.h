/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Game of Life: one generation of a board of bytes, 0 or 1. The board has `side` + 2 rows: its first and last row
 * and column are a border of dead cells that kernels read and do not write, so they need no test for the edges.
 * life_any: the same as one writes it first, through tiles of a size that only the launch says.
 */
#ifndef TEAMWORK_SUITE_LIFE_H
#define TEAMWORK_SUITE_LIFE_H

#include "../arrays.h"

/** Side of the tiles of the form "tiled"; sides of boards are multiples of it. */
enum { LIFE_TILE = 16 };

/** Rows and columns of those of the program life_any, whose kernels learn them when they run. */
enum { LIFE_ANY_ROWS = 8, LIFE_ANY_COLUMNS = 32 };

enum { LIFE_NOW, LIFE_NEXT }; /* the arrays */

struct life {
    struct suite_arrays arrays;
    size_t side;  /**< rows and columns without the border */
    size_t pitch; /**< bytes from one row to the next */
};

#endif
