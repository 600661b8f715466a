/* SPDX-License-Identifier: Apache-2.0 */
/* A cube of noise, and what it is after some sweeps. */
#include "laplace3d.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sweep(const float *in, float *out, const struct laplace3d *l)
{
    const size_t pitch = l->pitch, plane = l->plane;
#pragma omp parallel for
    for (size_t z = 0; z < l->side; ++z)
        for (size_t row = 0; row < l->side; ++row)
            for (size_t column = 0; column < l->side; ++column) {
                const size_t at = laplace3d_first(l) + z * plane + row * pitch + column;
                out[at] = (in[at - plane] + in[at + plane] + in[at - pitch] + in[at + pitch] + in[at - 1] + in[at + 1])
                          * LAPLACE3D_SIXTH;
            }
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct laplace3d *l = suite_allocate_data(sizeof *l);
    problem->data = l;
    if (!l)
        return false;
    l->sweeps = size == SUITE_GPU ? 4 : 2;
    l->side = size == SUITE_QUICK ? 32 : size == SUITE_CPU ? 224 : 512;
    l->pitch = l->side + 2 * LAPLACE3D_LEFT;
    l->plane = (l->side + 2) * l->pitch;
    const size_t bytes = (size_t)(l->side + 2) * l->plane * sizeof(float);
    float *a = suite_allocate(bytes), *b = suite_allocate(bytes), *expected = suite_allocate(bytes);
    float *scratch = suite_allocate(bytes);
    l->arrays =
        (struct suite_arrays){.at = {{bytes, a, true}, {bytes, b, true}}, .result = LAPLACE3D_A, .expected = expected};
    if (a && b && expected && scratch) {
        uint64_t random = SUITE_SEED;
        for (size_t i = 0; i < bytes / sizeof(float); ++i)
            a[i] = (float)(suite_random(&random) >> 40) * 0x1p-24f;
        suite_fill(b, a, bytes);
        suite_fill(expected, a, bytes);
        suite_fill(scratch, a, bytes);
        for (unsigned s = 0; s < l->sweeps; s += 2) {
            sweep(expected, scratch, l);
            sweep(scratch, expected, l);
        }
    }
    free(scratch);
    problem->result_bytes = bytes;
    const double points = (double)l->side * l->side * l->side * l->sweeps;
    problem->work =
        (struct suite_work){.bytes = 2 * sizeof(float) * points, .flops = 6 * points, .launches = l->sweeps};
    snprintf(problem->title, sizeof problem->title, "Laplace's equation in 3D, %u sweeps over %u^3 points", l->sweeps,
             l->side);
    return scratch && expected;
}

const struct suite_program suite_laplace3d = {"laplace3d", "HeCBench laplace3d", make, suite_arrays_free,
                                              suite_arrays_equal};
