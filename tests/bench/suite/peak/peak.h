/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the device can compute at most: multiply-adds of floats that depend on nothing but themselves, in registers. The
 * limit that reports compare the programs with that compute.
 *
 * A work-item has PEAK_CHAINS chains of vectors of PEAK_WIDTH numbers: enough for any latency, few enough for 16
 * registers of a CPU. Numbers are made 1 minus themselves, with a factor and a summand that the compiler does not know,
 * and stay exact.
 */
#ifndef TEAMWORK_SUITE_PEAK_H
#define TEAMWORK_SUITE_PEAK_H

#include "../arrays.h"

enum { PEAK_CHAINS = 12, PEAK_WIDTH = 8, PEAK_STEPS = 1025, PEAK_GROUP = 256 };

/* The arrays. */
enum { PEAK_IN, PEAK_OUT };

struct peak {
    struct suite_arrays arrays;
    size_t items;
    float factor, summand; /* -1 and 1 */
};

#endif
