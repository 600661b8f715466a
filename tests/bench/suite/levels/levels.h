/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels as they are written first that go over all data in levels: a sum by group functions, whose groups leave a
 * number each for the next level (sum_levels); and prefix sums by a tree in each group, up and down through barriers,
 * whose sums are scanned in the same way (scan_levels).
 */
#ifndef TEAMWORK_SUITE_LEVELS_H
#define TEAMWORK_SUITE_LEVELS_H

#include "../arrays.h"

enum {
    LEVELS_GROUP = 256,
    LEVELS_BLOCK = 2 * LEVELS_GROUP, /**< numbers of a group that scans */
    LEVELS_MOST = 8                  /**< levels */
};

/** The arrays: what the groups leave is one level after the other. Floats of `sum_levels`, else uint32_t. */
enum { LEVELS_IN, LEVELS_OUT, LEVELS_SUMS };

struct levels {
    struct suite_arrays arrays;
    size_t count; /**< numbers */
};

/** Where each level begins in LEVELS_SUMS, and how many numbers it has, if groups have `each`; returns how many levels
 *  there are, the last one with one number. */
static inline unsigned levels_of(size_t count, size_t each, size_t first[LEVELS_MOST], size_t counts[LEVELS_MOST])
{
    unsigned level = 0;
    size_t at = 0;
    do {
        count = (count + each - 1) / each;
        first[level] = at;
        counts[level] = count;
        at += count;
        ++level;
    } while (count > 1);
    return level;
}

#endif
