/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and their sum. */
#include "reduction.h"

#include <stdio.h>

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct reduction *reduction = suite_allocate_data(sizeof *reduction);
    problem->data = reduction;
    if (!reduction)
        return false;
    const unsigned log = size == SUITE_QUICK ? 17 : size == SUITE_CPU ? 25 : 28;
    const size_t count = (size_t)1 << log, partial = 2 * reduction_partial(count) * sizeof(uint32_t);
    uint32_t *numbers = suite_allocate(count * sizeof *numbers), *sum = suite_allocate(sizeof *sum);
    reduction->count = count;
    reduction->arrays = (struct suite_arrays){
        .at = {{count * sizeof *numbers, numbers}, {sizeof *sum, NULL}, {partial, NULL}}, REDUCTION_SUM, sum};
    if (!numbers || !sum)
        return false;
    uint32_t all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
    for (size_t i = 0; i < count; ++i)
        all += numbers[i] = (uint32_t)suite_random_at(i);
    *sum = all;
    problem->result_bytes = sizeof *sum;
    problem->work = (struct suite_work){.bytes = (double)count * sizeof *numbers};
    snprintf(problem->title, sizeof problem->title, "sum of 2^%u int32", log);
    return true;
}

const struct suite_program suite_reduction = {"reduction", "", make, suite_arrays_free, suite_arrays_equal};
