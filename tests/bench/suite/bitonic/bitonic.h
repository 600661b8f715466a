/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Bitonic sort of 2^m numbers: m (m + 1) / 2 steps, each of which compares all numbers with one at a distance and needs
 * the step before. A step of `size` and `distance`, powers of two and distance < size, compares numbers i and i +
 * distance for all i without the bit `distance`, and sorts upwards where i is without the bit `size`. As HeCBench's
 * bitonic-sort.
 */
#ifndef TEAMWORK_SUITE_BITONIC_H
#define TEAMWORK_SUITE_BITONIC_H

#include "../arrays.h"

/** Numbers that a group of the form "local" sorts in local memory. */
enum { BITONIC_BLOCK = 1024 };

enum { BITONIC_NUMBERS }; /* the array */

struct bitonic {
    struct suite_arrays arrays;
    size_t count;
};

#endif
