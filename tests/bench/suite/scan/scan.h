/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Inclusive prefix sums: of each block of an array on its own (program scan_blocks, form "tree": as HeCBench's scan),
 * and of the whole array in three launches (program scan_whole). Sums wrap around.
 */
#ifndef TEAMWORK_SUITE_SCAN_H
#define TEAMWORK_SUITE_SCAN_H

#include "../arrays.h"

enum {
    SCAN_BLOCK = 1024, /* numbers that are scanned on their own */
    SCAN_TREE_GROUP = SCAN_BLOCK / 2,
    SCAN_EACH = 16,   /* numbers of a work-item, where it has some in a row */
    SCAN_GROUP = 256, /* work-items that scan a part of the whole */
    SCAN_PART = SCAN_GROUP * SCAN_EACH,
    SCAN_SUMS_GROUP = 512 /* work-items that scan the sums of all parts */
};

enum { SCAN_IN, SCAN_OUT, SCAN_SUMS }; /* the arrays; the last for sums of parts */

struct scan {
    struct suite_arrays arrays;
    size_t count; /**< a multiple of SCAN_PART */
};

/** Sums of parts, and those of the sums where they are scanned in the same way: less than this. */
static inline size_t scan_sums(size_t count)
{
    return count / SCAN_BLOCK * 2 + 8;
}

#endif
