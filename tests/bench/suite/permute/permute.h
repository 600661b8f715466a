/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changing the order of dimensions, as attention layers do: in[batch][time][3][head][depth] becomes
 * out[3][batch][head][time][depth].
 *
 * Flat: an index along the result, taken apart by divisions. Rows: the same in three dimensions, (3 x batch x head,
 * time, depth), of which only the first is taken apart.
 */
#ifndef TEAMWORK_SUITE_PERMUTE_H
#define TEAMWORK_SUITE_PERMUTE_H

#include "arrays.h"

/* The arrays. */
enum { PERMUTE_IN, PERMUTE_OUT };

/* Known at run time only. */
struct permute_shape {
    unsigned batches, times, heads, depth;
};

struct permute {
    struct suite_arrays arrays;
    struct permute_shape shape;
};

static inline unsigned permute_count(const struct permute_shape *s)
{
    return 3 * s->batches * s->times * s->heads * s->depth;
}

#endif
