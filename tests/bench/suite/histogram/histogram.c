/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that are random, or nearly all the same: what atomics on one address cost. */
#include "histogram.h"

#include <stdio.h>
#include <string.h>

/* `same`: how many bytes of 1024 are 7. */
static bool make(enum suite_size size, struct suite_problem *problem, unsigned same)
{
    struct histogram_problem *h = suite_allocate_data(sizeof *h);
    problem->data = h;
    if (!h)
        return false;
    const unsigned log = size == SUITE_QUICK ? 17 : size == SUITE_CPU ? 26 : 29;
    const size_t count = (size_t)1 << log, bins = HISTOGRAM_VALUES * sizeof(uint32_t);
    unsigned char *bytes = suite_allocate(count);
    uint32_t *counts = suite_allocate(bins);
    h->count = count;
    h->arrays = (struct suite_arrays){.at = {{count, bytes}, {bins, NULL}}, HISTOGRAM_COUNTS, counts};
    if (!bytes || !counts)
        return false;
    memset(counts, 0, bins);
#pragma omp parallel for schedule(static) reduction(+ : counts[ : HISTOGRAM_VALUES])
    for (size_t i = 0; i < count; ++i) {
        const uint64_t r = suite_random_at(i);
        bytes[i] = (r >> 20 & 1023) < same ? 7 : (unsigned char)(r >> 40);
        ++counts[bytes[i]];
    }
    problem->result_bytes = bins;
    problem->work = (struct suite_work){.bytes = (double)count};
    snprintf(problem->title, sizeof problem->title, "histogram of 2^%u bytes, %s", log,
             same ? "98 % of them the same" : "random ones");
    return true;
}

static bool make_random(enum suite_size size, struct suite_problem *problem)
{
    return make(size, problem, 0);
}

static bool make_of_one(enum suite_size size, struct suite_problem *problem)
{
    return make(size, problem, 1000);
}

const struct suite_program suite_histogram = {"histogram", "", make_random, suite_arrays_free, suite_arrays_equal};
const struct suite_program suite_histogram_of_one = {"histogram_of_one", "", make_of_one, suite_arrays_free,
                                                     suite_arrays_equal};
