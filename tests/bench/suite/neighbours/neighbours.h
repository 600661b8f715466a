/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels as they are written first that read their neighbours: a mask over a row of numbers whose width is known at
 * run time, with a test at the borders (any_mask); five points on a torus, whose borders wrap around by `?:` (periodic);
 * and a stencil of high order over ten fields, in a function so long that compilers do not inline it by themselves
 * (helper).
 */
#ifndef TEAMWORK_SUITE_NEIGHBOURS_H
#define TEAMWORK_SUITE_NEIGHBOURS_H

#include "../arrays.h"

enum {
    NEIGHBOURS_GROUP = 256,
    NEIGHBOURS_TILE = 16,
    NEIGHBOURS_WIDTH = 9,  /**< of the mask */
    NEIGHBOURS_REACH = 4,  /**< of the stencil, to either side */
    NEIGHBOURS_FIELDS = 10 /**< that it reads, in one array after the other */
};

enum { NEIGHBOURS_IN, NEIGHBOURS_OUT, NEIGHBOURS_MASK }; /* the arrays, of floats */

struct neighbours {
    struct suite_arrays arrays;
    size_t count; /**< numbers; rows and columns of the torus; or numbers of a field */
};

/** Points of the stencil at a distance, of one field and of the first one. */
#define NEIGHBOURS_TERM(f, g, i, distance, weight)                                                                     \
    ((weight) * ((f)[(i) + (distance)] * (g)[(i) + (distance)] - (f)[(i) - (distance)] * (g)[(i) - (distance)]))

/** Their sum over all distances. */
#define NEIGHBOURS_TERMS(f, g, i)                                                                                      \
    (NEIGHBOURS_TERM(f, g, i, 1, 0.8f) + NEIGHBOURS_TERM(f, g, i, 2, -0.2f) + NEIGHBOURS_TERM(f, g, i, 3, 0.04f)       \
     + NEIGHBOURS_TERM(f, g, i, 4, -0.003f))

#endif
