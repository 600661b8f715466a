/* SPDX-License-Identifier: Apache-2.0 */
/** How often each byte value occurs. The kernels in Teamwork are those of examples/groups. */
#ifndef TEAMWORK_SUITE_HISTOGRAM_H
#define TEAMWORK_SUITE_HISTOGRAM_H

#include "../arrays.h"

/** The same numbers as in examples/groups/histogram.c. */
enum {
    HISTOGRAM_VALUES = 256,
    HISTOGRAM_GROUP = 256, /* work-items of a group of the form "phases" */
    HISTOGRAM_LANES = 32,  /* sets of counts of a group of the form "lanes" */
    HISTOGRAM_LANES_GROUP = 1024
};

enum { HISTOGRAM_BYTES, HISTOGRAM_COUNTS }; /* the arrays */

struct histogram_problem {
    struct suite_arrays arrays;
    size_t count;
};

/** Bytes for each group, of which a GPU of `units` multiprocessors holds `resident` each. */
static inline size_t histogram_part(size_t count, size_t units, size_t resident)
{
    const size_t groups = units * resident, each = (count + groups - 1) / groups;
    return each < 4096 ? 4096 : (each + 63) / 64 * 64;
}

#endif
