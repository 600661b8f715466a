/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The five kernels of BabelStream on arrays of doubles, each a program of its own:
 *
 *     copy    out[i] = x[i]
 *     mul     out[i] = STREAM_SCALE * x[i]
 *     add     out[i] = x[i] + y[i]
 *     triad   out[i] = x[i] + STREAM_SCALE * y[i]
 *     dot     out[0] = the sum of x[i] * y[i], which the host gets at once
 *
 * The numbers are small multiples of 1/8, so every result is exact, whatever the order of a sum.
 */
#ifndef TEAMWORK_SUITE_STREAM_H
#define TEAMWORK_SUITE_STREAM_H

#include "../arrays.h"

#define STREAM_SCALE 0.5

/* The work-groups of a dot product that is summed in parts; the host adds up the parts. */
enum { STREAM_GROUP = 512, STREAM_MOST_GROUPS = 4096 };

enum { STREAM_X, STREAM_Y, STREAM_OUT }; /* the arrays */

struct stream {
    struct suite_arrays arrays;
    size_t n;
    double dot;
};

#endif
