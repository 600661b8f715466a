/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels as they are written first whose work-items read and write with strides: bodies in structures of four floats,
 * of which some are moved (strided), and the prefix sums of 256 numbers in pairs, through local memory and with a
 * condition (pairs). Each with indices of type int, unsigned and size_t, which are the forms.
 */
#ifndef TEAMWORK_SUITE_GATHERS_H
#define TEAMWORK_SUITE_GATHERS_H

#include "../arrays.h"

enum { GATHERS_GROUP = 128, GATHERS_BLOCK = 2 * GATHERS_GROUP };

enum { GATHERS_IN, GATHERS_OUT, GATHERS_VELOCITY }; /* the arrays */

struct gathers {
    struct suite_arrays arrays;
    size_t count; /**< bodies; or numbers */
};

#define GATHERS_STEP 0.25f

/** Each type of an index, with the name of its form. */
#define GATHERS_TYPES(X) X(int, int) X(unsigned, unsigned) X(size_t, size)

#endif
