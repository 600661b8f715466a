/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Sums of values by key, with float atomics: each value is added to the bin that its key names. As HeCBench's
 * scatterAdd. The values are small whole numbers, so that sums are exact in any order.
 */
#ifndef TEAMWORK_SUITE_SCATTER_ADD_H
#define TEAMWORK_SUITE_SCATTER_ADD_H

#include "../arrays.h"

enum {
    SCATTER_ADD_BINS = 1024,
    SCATTER_ADD_GROUP = 256,   /* work-items of a group of the form "local" */
    SCATTER_ADD_RESIDENT = 8,  /* groups of it that a multiprocessor of a GPU holds */
    SCATTER_ADD_MULTIPLE = 256 /* of which a group's part of the values is */
};

enum { SCATTER_ADD_VALUES, SCATTER_ADD_KEYS, SCATTER_ADD_SUMS }; /* the arrays */

struct scatter_add {
    struct suite_arrays arrays;
    size_t count;
};

/** Values of a group, if there are to be this many groups or fewer. */
static inline size_t scatter_add_part(size_t count, size_t groups)
{
    const size_t each = (count + groups - 1) / groups;
    return (each + SCATTER_ADD_MULTIPLE - 1) / SCATTER_ADD_MULTIPLE * SCATTER_ADD_MULTIPLE;
}

#endif
