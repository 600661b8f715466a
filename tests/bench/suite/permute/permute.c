/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of different numbers. */
#include "permute.h"

#include <stdio.h>

/* Every bit pattern is a number of its own: nothing is computed with them. */
static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct permute *p = suite_allocate_data(sizeof *p);
    problem->data = p;
    if (!p)
        return false;
    p->shape = (struct permute_shape){size == SUITE_GPU   ? 96
                                      : size == SUITE_CPU ? 8
                                                          : 2,
                                      size == SUITE_QUICK ? 16 : 1024, 12, 64};
    const size_t count = permute_count(&p->shape), bytes = count * sizeof(uint32_t);
    uint32_t *in = suite_allocate(bytes);
    p->arrays = (struct suite_arrays){.at = {{bytes, in, false}, {bytes, NULL, false}}, .result = PERMUTE_OUT};
    if (!in)
        return false;
#pragma omp parallel for
    for (size_t i = 0; i < count; ++i)
        in[i] = (uint32_t)i;
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.bytes = 2.0 * (double)bytes, .launches = 1};
    snprintf(problem->title, sizeof problem->title, "permuting (%u, %u, 3, %u, %u) floats", p->shape.batches,
             p->shape.times, p->shape.heads, p->shape.depth);
    return true;
}

static bool check(const struct suite_problem *problem, const void *result)
{
    const struct permute_shape s = ((const struct permute *)problem->data)->shape;
    const uint32_t *out = result;
    size_t at = 0;
    for (uint32_t which = 0; which < 3; ++which)
        for (uint32_t batch = 0; batch < s.batches; ++batch)
            for (uint32_t head = 0; head < s.heads; ++head)
                for (uint32_t time = 0; time < s.times; ++time)
                    for (uint32_t i = 0; i < s.depth; ++i, ++at)
                        if (out[at] != (((batch * s.times + time) * 3 + which) * s.heads + head) * s.depth + i) {
                            fprintf(stderr, "%s: element %zu is wrong\n", problem->title, at);
                            return false;
                        }
    return true;
}

const struct suite_program suite_permute = {"permute", "HeCBench permute", make, suite_arrays_free, check};
