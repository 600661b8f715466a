/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laplace's equation in a cube by Jacobi's method: each point becomes a sixth of the sum of its six neighbours. Nobody
 * looks before the last sweep.
 *
 * The points lie within a border that keeps its values: the first one is at (plane 1, row 1, column LAPLACE3D_LEFT).
 * Everybody adds the two of the planes, of the rows and of the columns in this order, so results are exact.
 *
 * In planes: a group has a tile of rows and columns, and walks through LAPLACE3D_PLANES planes; what it needs of the
 * plane where it is lies in local memory, its points of the plane before in private memory.
 */
#ifndef TEAMWORK_SUITE_LAPLACE3D_H
#define TEAMWORK_SUITE_LAPLACE3D_H

#include "arrays.h"

enum { LAPLACE3D_ROWS = 8, LAPLACE3D_COLUMNS = 32, LAPLACE3D_PLANES = 32 };

enum { LAPLACE3D_LEFT = 32 }; /* rows of points are aligned to 128 bytes */

/* The arrays. A sweep goes from A to B, the next one back; the last one ends in A. */
enum { LAPLACE3D_A, LAPLACE3D_B };

struct laplace3d {
    struct suite_arrays arrays;
    unsigned side, pitch, plane; /* from one row to the next, from one plane to the next */
    unsigned sweeps;             /* an even number */
};

#define LAPLACE3D_SIXTH (1.0f / 6)

/* The offset of the first point. */
static inline size_t laplace3d_first(const struct laplace3d *problem)
{
    return problem->plane + problem->pitch + LAPLACE3D_LEFT;
}

#endif
