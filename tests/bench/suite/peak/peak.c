/* SPDX-License-Identifier: Apache-2.0 */
/* Small integers, and the sums of what the chains make of them. */
#include "peak.h"

#include <stdio.h>

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct peak *p = suite_allocate_data(sizeof *p);
    problem->data = p;
    if (!p)
        return false;
    p->items = (size_t)1 << (size == SUITE_GPU ? 18 : size == SUITE_CPU ? 14 : 9);
    p->factor = -1;
    p->summand = 1;
    const size_t count = p->items * PEAK_WIDTH;
    float *in = suite_allocate(count * sizeof(float)), *expected = suite_allocate(count * sizeof(float));
    p->arrays = (struct suite_arrays){
        .at = {{count * sizeof(float), in}, {count * sizeof(float), NULL}}, .result = PEAK_OUT, .expected = expected};
    if (!in || !expected)
        return false;
    for (size_t i = 0; i < count; ++i) {
        in[i] = (float)(i * 37 % 1021);
        expected[i] = 0;
        for (unsigned c = 0; c < PEAK_CHAINS; ++c)
            expected[i] += 1 - (in[i] + (float)c); /* an odd number of steps */
    }
    problem->result_bytes = count * sizeof(float);
    problem->work = (struct suite_work){.bytes = 2.0 * (double)(count * sizeof(float)),
                                        .flops = 2.0 * (double)count * PEAK_CHAINS * PEAK_STEPS};
    snprintf(problem->title, sizeof problem->title, "%.2g multiply-adds of floats, in registers",
             problem->work.flops / 2);
    return true;
}

const struct suite_program suite_peak = {"peak", "", make, suite_arrays_free, suite_arrays_equal};
