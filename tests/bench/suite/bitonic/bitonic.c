/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, and the same sorted by their digits. */
#include "bitonic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By 11 bits at a time, from `from` to `to`. */
static void sort_by_digit(const uint32_t *from, uint32_t *to, size_t count, unsigned shift)
{
    enum { DIGITS = 2048 };
    size_t first[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; ++i)
        ++first[(from[i] >> shift) % DIGITS + 1];
    for (unsigned d = 0; d < DIGITS; ++d)
        first[d + 1] += first[d];
    for (size_t i = 0; i < count; ++i)
        to[first[(from[i] >> shift) % DIGITS]++] = from[i];
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct bitonic *sort = suite_allocate_data(sizeof *sort);
    problem->data = sort;
    if (!sort)
        return false;
    const unsigned log = size == SUITE_QUICK ? 13 : size == SUITE_CPU ? 20 : 25;
    const size_t count = (size_t)1 << log, bytes = count * sizeof(uint32_t);
    uint32_t *numbers = suite_allocate(bytes), *sorted = suite_allocate(bytes), *between = suite_allocate(bytes);
    sort->count = count;
    sort->arrays = (struct suite_arrays){.at = {{bytes, numbers, true}}, BITONIC_NUMBERS, sorted};
    if (!numbers || !sorted || !between) {
        free(between);
        return false;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i)
        numbers[i] = (uint32_t)suite_random_at(i);
    sort_by_digit(numbers, sorted, count, 0);
    sort_by_digit(sorted, between, count, 11);
    sort_by_digit(between, sorted, count, 22);
    free(between);
    const double steps = log * (log + 1) / 2;
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.bytes = 2 * (double)bytes * steps, .launches = steps}; /* of the form "flat" */
    snprintf(problem->title, sizeof problem->title, "Bitonic sort of 2^%u numbers", log);
    return true;
}

const struct suite_program suite_bitonic = {"bitonic", "HeCBench bitonic-sort", make, suite_arrays_free,
                                            suite_arrays_equal};
