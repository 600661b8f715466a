/* SPDX-License-Identifier: Apache-2.0 */
/* A square with warm and cold borders and some noise inside, and what it is after some sweeps. */
#include "jacobi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the sum of squares of the changes. */
static double sweep(const float *in, float *out, const struct jacobi *j)
{
    double change = 0;
#pragma omp parallel for reduction(+ : change)
    for (size_t row = 0; row < j->side; ++row)
        for (size_t column = 0; column < j->side; ++column) {
            const size_t at = jacobi_first(j) + row * j->pitch + column;
            out[at] = 0.25f * (in[at - j->pitch] + in[at + j->pitch] + in[at - 1] + in[at + 1]);
            change += (double)(out[at] - in[at]) * (double)(out[at] - in[at]);
        }
    return change;
}

/* The tolerance ends the loop behind the `sweeps`-th sweep, which ends in a. */
static void make_expected(float *a, float *b, struct jacobi *j, unsigned sweeps)
{
    double before = 0, change = 0;
    for (unsigned s = 0; s < sweeps; ++s) {
        before = change;
        change = s % 2 ? sweep(b, a, j) : sweep(a, b, j);
    }
    j->tolerance = sqrt(before * change);
    j->most_sweeps = 2 * sweeps;
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct jacobi *j = suite_allocate_data(sizeof *j);
    problem->data = j;
    if (!j)
        return false;
    const unsigned sweeps = size == SUITE_QUICK ? 4 : size == SUITE_CPU ? 10 : 20;
    j->side = size == SUITE_QUICK ? 96 : size == SUITE_CPU ? 2048 : 4096;
    j->pitch = j->side + 2 * JACOBI_LEFT;
    const size_t bytes = (size_t)(j->side + 2) * j->pitch * sizeof(float);
    float *a = suite_allocate(bytes), *b = suite_allocate(bytes), *expected = suite_allocate(bytes);
    float *scratch = suite_allocate(bytes);
    j->arrays = (struct suite_arrays){.at = {{bytes, a, true},
                                             {bytes, b, true},
                                             {sizeof(double), NULL, false},
                                             {jacobi_tiles(j) * sizeof(double), NULL, false}},
                                      .result = JACOBI_A,
                                      .expected = expected,
                                      .doubles = 1u << JACOBI_CHANGE | 1u << JACOBI_SUMS};
    if (a && b && expected && scratch) {
        uint64_t random = SUITE_SEED;
        for (size_t i = 0; i < bytes / sizeof(float); ++i)
            a[i] = i < j->pitch ? 1.0f : (float)(suite_random(&random) >> 40) * 0x1p-24f;
        memcpy(b, a, bytes);
        memcpy(expected, a, bytes);
        memcpy(scratch, a, bytes);
        make_expected(expected, scratch, j, sweeps);
    }
    free(scratch);
    problem->result_bytes = bytes;
    const double points = (double)j->side * j->side * sweeps;
    problem->work = (struct suite_work){.bytes = 2 * sizeof(float) * points, .flops = 7 * points, .launches = sweeps};
    snprintf(problem->title, sizeof problem->title, "Jacobi's iteration, %u sweeps over %u x %u points", sweeps,
             j->side, j->side);
    return scratch && expected;
}

const struct suite_program suite_jacobi = {"jacobi", "HeCBench jacobi", make, suite_arrays_free, suite_arrays_equal};
