/* SPDX-License-Identifier: Apache-2.0 */
/** The sum of an array of int32_t, which wraps around. The kernels in Teamwork are those of examples/groups. */
#ifndef TEAMWORK_SUITE_REDUCTION_H
#define TEAMWORK_SUITE_REDUCTION_H

#include "../arrays.h"

/** The same numbers as in examples/groups/reduce.c. */
enum {
    REDUCTION_PAIRS_GROUP = 1024, /* work-items of a group that adds up pairs, on a GPU */
    REDUCTION_PART_GROUP = 256,   /* work-items of a group that adds up parts */
    REDUCTION_PART_QUADS = 8      /* times four numbers that each of them has in a part */
};

enum { REDUCTION_NUMBERS, REDUCTION_SUM, REDUCTION_PARTIAL }; /* the arrays; the last for sums of parts, in CUDA */

struct reduction {
    struct suite_arrays arrays;
    size_t count;
};

/** Sums of parts that a launch leaves for the next one, at most. */
static inline size_t reduction_partial(size_t count)
{
    return count / 512 + 1;
}

#endif
