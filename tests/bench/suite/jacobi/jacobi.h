/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jacobi's iteration for Laplace's equation on a square: each point becomes the mean of its four neighbours. The host
 * reads the sum of the squares of all changes after each sweep, and stops when that is below a tolerance.
 *
 * The points lie within a border that keeps its values: the first one is at (row 1, column JACOBI_LEFT). The means are
 * exact in any implementation that adds up, down, left and right in this order; the sums are not, but they decide only
 * when to stop, and the tolerance lies between those of two sweeps.
 *
 * Tiled: a group loads a tile and its border into local memory first. Sums of groups are added atomically, or kept and
 * then added by another launch.
 */
#ifndef TEAMWORK_SUITE_JACOBI_H
#define TEAMWORK_SUITE_JACOBI_H

#include "arrays.h"

enum { JACOBI_ROWS = 8, JACOBI_COLUMNS = 32 }; /* of a tile */

enum { JACOBI_LEFT = 32 }; /* rows of points are aligned to 128 bytes */

/* The arrays. A sweep goes from A to B, the next one back; the last one ends in A. */
enum { JACOBI_A, JACOBI_B, JACOBI_CHANGE, JACOBI_SUMS };

struct jacobi {
    struct suite_arrays arrays;
    unsigned side, pitch, most_sweeps;
    double tolerance;
};

/* The offset of the first point. */
static inline size_t jacobi_first(const struct jacobi *problem)
{
    return problem->pitch + JACOBI_LEFT;
}

/* How many tiles there are. */
static inline size_t jacobi_tiles(const struct jacobi *problem)
{
    return (size_t)(problem->side / JACOBI_ROWS) * (problem->side / JACOBI_COLUMNS);
}

#endif
