/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of different numbers. */
#include "transpose.h"

#include <stdio.h>

/* Every bit pattern is a number of its own: nothing is computed with them. */
static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct transpose *t = suite_allocate_data(sizeof *t);
    problem->data = t;
    if (!t)
        return false;
    t->side = size == SUITE_QUICK ? 160 : size == SUITE_CPU ? 4096 : 16384;
    const size_t side = t->side, bytes = side * side * sizeof(uint32_t);
    uint32_t *in = suite_allocate(bytes);
    t->arrays = (struct suite_arrays){.at = {{bytes, in}, {bytes, NULL}}, .result = TRANSPOSE_OUT};
    if (!in)
        return false;
#pragma omp parallel for
    for (size_t i = 0; i < side * side; ++i)
        in[i] = (uint32_t)i;
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.bytes = 2.0 * (double)bytes};
    snprintf(problem->title, sizeof problem->title, "transposing %zu x %zu floats", side, side);
    return true;
}

static bool check(const struct suite_problem *problem, const void *result)
{
    const struct transpose *t = problem->data;
    const uint32_t *out = result;
    for (uint32_t row = 0; row < t->side; ++row)
        for (uint32_t column = 0; column < t->side; ++column)
            if (out[row * t->side + column] != column * t->side + row) {
                fprintf(stderr, "%s: row %u, column %u is wrong\n", problem->title, row, column);
                return false;
            }
    return true;
}

const struct suite_program suite_transpose = {"transpose", "", make, suite_arrays_free, check};
