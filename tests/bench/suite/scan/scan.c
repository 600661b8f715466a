/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, and their prefix sums. */
#include "scan.h"

#include <stdio.h>

static bool make(enum suite_size size, struct suite_problem *problem, bool whole)
{
    struct scan *scan = suite_allocate_data(sizeof *scan);
    problem->data = scan;
    if (!scan)
        return false;
    const unsigned log = size == SUITE_QUICK ? 15 : size == SUITE_GPU ? 27 : whole ? 24 : 22;
    const size_t count = (size_t)1 << log, bytes = count * sizeof(uint32_t);
    uint32_t *in = suite_allocate(bytes), *sums = suite_allocate(bytes);
    scan->count = count;
    scan->arrays = (struct suite_arrays){.at = {{bytes, in, false}, {bytes, NULL, false}}, SCAN_OUT, sums};
    if (whole)
        scan->arrays.at[SCAN_SUMS].bytes = scan_sums(count) * sizeof(uint32_t);
    if (!in || !sums)
        return false;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; ++i)
        in[i] = (uint32_t)suite_random_at(i);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        sum = in[i] + (whole || i % SCAN_BLOCK ? sum : 0);
        sums[i] = sum;
    }
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.bytes = (whole ? 3.0 : 2.0) * (double)bytes, .launches = whole ? 3 : 1};
    if (whole)
        snprintf(problem->title, sizeof problem->title, "prefix sums of 2^%u numbers", log);
    else
        snprintf(problem->title, sizeof problem->title, "prefix sums of 2^%u numbers, in blocks of %d", log,
                 SCAN_BLOCK);
    return true;
}

static bool make_blocks(enum suite_size size, struct suite_problem *problem)
{
    return make(size, problem, false);
}

static bool make_whole(enum suite_size size, struct suite_problem *problem)
{
    return make(size, problem, true);
}

const struct suite_program suite_scan_blocks = {"scan_blocks", "HeCBench scan", make_blocks, suite_arrays_free,
                                                suite_arrays_equal};
const struct suite_program suite_scan_whole = {"scan_whole", "", make_whole, suite_arrays_free, suite_arrays_equal};
