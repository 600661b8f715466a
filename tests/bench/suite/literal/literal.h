/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels as they are written first, without a thought of the machine: the sum of each group by a group function
 * (group_sum), the same by a tree with barriers (tree_sum), and a mask over an image whose indices are clamped at the
 * borders, in groups of 16 x 16 (clamped_mask).
 */
#ifndef TEAMWORK_SUITE_LITERAL_H
#define TEAMWORK_SUITE_LITERAL_H

#include "../arrays.h"

enum { LITERAL_GROUP = 256, LITERAL_TILE = 16, LITERAL_RADIUS = 2, LITERAL_MASK = 2 * LITERAL_RADIUS + 1 };

enum { LITERAL_IN, LITERAL_OUT }; /* the arrays, of floats */

struct literal_mask {
    float at[LITERAL_MASK * LITERAL_MASK];
};

struct literal {
    struct suite_arrays arrays;
    size_t count; /**< numbers; or pixels of a row, and of a column */
    struct literal_mask mask;
};

static inline int literal_clamp(int x, int last)
{
    return x < 0 ? 0 : x > last ? last : x;
}

#endif
