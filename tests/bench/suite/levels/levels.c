/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, and their sum or prefix sums. */
#include "levels.h"

#include <stdio.h>

static struct levels *begin(struct suite_problem *problem, unsigned log, size_t each, size_t out_count)
{
    struct levels *l = suite_allocate_data(sizeof *l);
    problem->data = l;
    if (!l)
        return NULL;
    size_t first[LEVELS_MOST], counts[LEVELS_MOST];
    l->count = (size_t)1 << log;
    const unsigned last = levels_of(l->count, each, first, counts) - 1;
    const size_t bytes = l->count * 4, out_bytes = out_count * 4;
    void *in = suite_allocate(bytes), *out = suite_allocate(out_bytes);
    l->arrays = (struct suite_arrays){
        .at = {{bytes, in, false}, {out_bytes, NULL, false}, {(first[last] + counts[last]) * 4, NULL, false}},
        LEVELS_OUT,
        out};
    problem->result_bytes = out_bytes;
    problem->literal = true;
    problem->work =
        (struct suite_work){.bytes = (double)(bytes + (out_count > 1 ? out_bytes : 0)), .launches = last + 1};
    return in && out ? l : NULL;
}

static bool make_sum(enum suite_size size, struct suite_problem *problem)
{
    const unsigned log = size == SUITE_QUICK ? 17 : size == SUITE_CPU ? 24 : 28;
    const struct levels *l = begin(problem, log, LEVELS_GROUP, 1);
    if (!l)
        return false;
    float *in = (float *)l->arrays.at[LEVELS_IN].initial;
    double all = 0;
#pragma omp parallel for schedule(static) reduction(+ : all)
    for (size_t i = 0; i < l->count; ++i)
        all += (double)(in[i] = (float)(suite_random_at(i) % 64));
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
