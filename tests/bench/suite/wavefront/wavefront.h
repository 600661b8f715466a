/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Smith and Waterman's local alignment of two sequences of `length` letters. The score of cell (i, j) of a square needs
 * those above, to the left, and above to the left, so the cells of an antidiagonal are one small launch, and the
 * antidiagonals a chain of dependent ones. The result is the best score of each row.
 */
#ifndef TEAMWORK_SUITE_WAVEFRONT_H
#define TEAMWORK_SUITE_WAVEFRONT_H

#include "../arrays.h"

/** Side of the tiles of the form "tiles", where a launch is an antidiagonal of tiles; lengths are multiples of it. */
enum { WAVEFRONT_TILE = 64 };

/** A tile with a border of a row and a column, as a group keeps it: cell (i, j) is in row i + j, at i. So the cells of
 * an antidiagonal are neighbours, and so are those that they need. */
enum { WAVEFRONT_SKEWED_ROWS = 2 * WAVEFRONT_TILE + 1, WAVEFRONT_SKEWED_COLUMNS = WAVEFRONT_TILE + 1 };

enum { WAVEFRONT_MATCH = 3, WAVEFRONT_MISMATCH = -3, WAVEFRONT_GAP = 2 };

/* The arrays, of int32_t. */
enum {
    WAVEFRONT_DOWN,    /* the sequence that goes down the square */
    WAVEFRONT_ACROSS,  /* the other one, its last letter first */
    WAVEFRONT_BEST,    /* best score of each row */
    WAVEFRONT_ROW,     /* scores of the last row of tiles that is done in each column of cells */
    WAVEFRONT_COLUMN,  /* likewise of the last column of tiles in each row */
    WAVEFRONT_CORNERS, /* the last score of each tile, by row and column */
    /* form "cells": scores of three antidiagonals in turns, of row i at i + 1, and zeros before the first row; in one
       array, one after the other */
    WAVEFRONT_DIAGONALS
};

struct wavefront {
    struct suite_arrays arrays;
    size_t length;
};

/** Length of an antidiagonal's array. */
static inline size_t wavefront_pitch(size_t length)
{
    return (length + 1 + 15) / 16 * 16;
}

/** Antidiagonal `d` of a square of n x n cells or tiles: its first row, and how many it has. */
static inline size_t wavefront_first(size_t d, size_t n)
{
    return d < n ? 0 : d - n + 1;
}
static inline size_t wavefront_count(size_t d, size_t n)
{
    return d < n ? d + 1 : 2 * n - 1 - d;
}

#endif
