/* SPDX-License-Identifier: Apache-2.0 */
/**
 * C = A B for square matrices of floats: element by element from global memory (program matmul_flat), and through tiles
 * in local memory (program matmul). The kernels in Teamwork with tiles are those of examples/groups. Elements are small
 * whole numbers, so that sums are exact in any order.
 */
#ifndef TEAMWORK_SUITE_MATMUL_H
#define TEAMWORK_SUITE_MATMUL_H

#include "../arrays.h"

/** The same numbers as in examples/groups/matmul.c. */
enum {
    MATMUL_TILE = 32, /* side of the tiles of the form "tiled" */
    /* tiles of the form "blocked": of C, HEIGHT x WIDTH; of A and B as deep as this. A work-item has a block of ROWS x
       COLUMNS of C */
    MATMUL_HEIGHT = 64,
    MATMUL_WIDTH = 128,
    MATMUL_DEPTH = 32,
    MATMUL_ROWS = 4,
    MATMUL_COLUMNS = 16
};

enum { MATMUL_A, MATMUL_B, MATMUL_C }; /* the arrays */

struct matmul_problem {
    struct suite_arrays arrays; /**< expected: A (B r), in double precision, for numbers r that matmul.c makes */
    size_t n;                   /**< a multiple of MATMUL_WIDTH */
};

#endif
