/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transposing a square matrix of floats: out[row][column] = in[column][row].
 *
 * Flat: reads or writes with a stride of a row. Tiled: through tiles of TRANSPOSE_TILE squared in local memory, so that
 * both go along rows; a group has TRANSPOSE_ROWS rows of work-items, and each takes several elements. A column of
 * padding keeps a GPU's work-items that read a column of the tile in different banks.
 */
#ifndef TEAMWORK_SUITE_TRANSPOSE_H
#define TEAMWORK_SUITE_TRANSPOSE_H

#include "../arrays.h"

enum { TRANSPOSE_TILE = 32, TRANSPOSE_ROWS = 8 };

/* The arrays. */
enum { TRANSPOSE_IN, TRANSPOSE_OUT };

struct transpose {
    struct suite_arrays arrays;
    unsigned side;
};

#endif
