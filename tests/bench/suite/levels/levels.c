/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, and their sum or prefix sums. */
#include "levels.h"

#include <stdio.h>

static struct levels *begin(struct suite_problem *problem, unsigned log, size_t each, size_t out_count)
{
    size_t first[LEVELS_MOST], counts[LEVELS_MOST];
    const size_t count = (size_t)1 << log;
    struct levels *l = suite_arrays_floats(problem, sizeof *l, count, out_count);
    if (!l)
        return NULL;
    const unsigned last = levels_of(count, each, first, counts) - 1;
    l->count = count;
    l->arrays.at[LEVELS_SUMS].bytes = (first[last] + counts[last]) * 4;
    problem->work = (struct suite_work){.bytes = 4.0 * (double)(count + (out_count > 1 ? out_count : 0))};
    return l;
}

static bool make_sum(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 17 : size == SUITE_CPU ? 24 : 28;
    const struct levels *l = begin(problem, log, LEVELS_GROUP, 1);
    if (!l)
        return false;
    const float *in = l->arrays.at[LEVELS_IN].initial;
    double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
    for (size_t i = 0; i < l->count; ++i)
        all += (double)in[i];
    *(float *)l->arrays.expected = (float)all;
    snprintf(problem->title, sizeof problem->title, "sum of 2^%u floats, by groups of %d", log, LEVELS_GROUP);
    return true;
}

static bool make_scan(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 15 : size == SUITE_CPU ? 22 : 27;
    const struct levels *l = begin(problem, log, LEVELS_BLOCK, (size_t)1 << log);
    if (!l)
        return false;
    uint32_t *in = (uint32_t *)l->arrays.at[LEVELS_IN].initial, *out = (uint32_t *)l->arrays.expected, sum = 0;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < l->count; ++i)
        in[i] = (uint32_t)suite_random_at(i);
    for (size_t i = 0; i < l->count; ++i) {
        out[i] = sum;
        sum += in[i];
    }
    snprintf(problem->title, sizeof problem->title, "sums of what is before each of 2^%u numbers", log);
    return true;
}

static bool is_close(const struct suite_problem *problem, const void *result)
{
    return suite_arrays_close(problem, result, 1e-4);
}

const struct suite_program suite_sum_levels = {"sum_levels", "", make_sum, suite_arrays_free, is_close};
const struct suite_program suite_scan_levels = {"scan_levels", "HeCBench scan", make_scan, suite_arrays_free,
                                                suite_arrays_equal};
