/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that attract each other, each every other one. A step is three kernels: the accelerations change the
 * velocities, the velocities change the positions, and the kinetic energy is summed.
 *
 * Arrays of structures of arrays: x of all bodies, then y, z and for positions the masses. Tiled: a group of
 * NBODY_GROUP loads as many bodies into local memory at a time.
 */
#ifndef TEAMWORK_SUITE_NBODY_H
#define TEAMWORK_SUITE_NBODY_H

#include "arrays.h"

enum { NBODY_GROUP = 256 };

/* The arrays. The result is the positions, and behind them the energy. */
enum { NBODY_POSITIONS, NBODY_VELOCITIES, NBODY_ENERGY };

struct nbody {
    struct suite_arrays arrays;
    unsigned count, steps;
};

#define NBODY_TIME 0.05f
#define NBODY_SOFTENING 0.01f /* of squares of distances */

#endif
