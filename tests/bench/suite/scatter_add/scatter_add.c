/* SPDX-License-Identifier: Apache-2.0 */
/* Random keys, and values from 0 to 15. */
#include "scatter_add.h"

#include <stdio.h>
#include <string.h>

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct scatter_add *data = suite_allocate_data(sizeof *data);
    problem->data = data;
    if (!data)
        return false;
    const unsigned log = size == SUITE_QUICK ? 16 : size == SUITE_CPU ? 24 : 27;
    const size_t count = (size_t)1 << log, bytes = count * sizeof(float), sums = SCATTER_ADD_BINS * sizeof(float);
    float *values = suite_allocate(bytes), *expected = suite_allocate(sums);
    uint32_t *keys = suite_allocate(bytes);
    data->count = count;
    data->arrays = (struct suite_arrays){
        .at = {{bytes, values, false}, {bytes, keys, false}, {sums, NULL, false}}, SCATTER_ADD_SUMS, expected};
    if (!values || !expected || !keys)
        return false;
    memset(expected, 0, sums);
#pragma omp parallel for schedule(static) reduction(+ : expected[ : SCATTER_ADD_BINS])
    for (size_t i = 0; i < count; ++i) {
        const uint64_t r = suite_random_at(i);
        keys[i] = (uint32_t)(r >> 40) % SCATTER_ADD_BINS;
        values[i] = (float)(r >> 20 & 15);
        expected[keys[i]] += values[i];
    }
    problem->result_bytes = sums;
    problem->work = (struct suite_work){.bytes = 2 * (double)bytes, .flops = (double)count, .launches = 2};
    snprintf(problem->title, sizeof problem->title, "scatter-add, 2^%u values to %u bins", log, SCATTER_ADD_BINS);
    return true;
}

const struct suite_program suite_scatter_add = {"scatter_add", "HeCBench scatterAdd", make, suite_arrays_free,
                                                suite_arrays_equal};
