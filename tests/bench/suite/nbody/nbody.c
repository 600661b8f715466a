/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in a cube, at rest, and where they are after some steps. */
#include "nbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums in double, so that the order does not matter. */
static void accelerate(const float *positions, float *velocities, size_t n)
{
    const float *x = positions, *y = x + n, *z = y + n, *mass = z + n;
#pragma omp parallel for
    for (size_t i = 0; i < n; ++i) {
        double ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (size_t j = 0; j < n; ++j) {
            const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
            const float pull = mass[j] * inverse * inverse * inverse;
            ax += (double)(dx * pull);
            ay += (double)(dy * pull);
            az += (double)(dz * pull);
        }
        velocities[i] += (float)ax * NBODY_TIME;
        velocities[n + i] += (float)ay * NBODY_TIME;
        velocities[2 * n + i] += (float)az * NBODY_TIME;
    }
}

static float move(float *positions, const float *velocities, size_t n)
{
    double energy = 0;
    for (size_t i = 0; i < 3 * n; ++i) {
        positions[i] += velocities[i] * NBODY_TIME;
        energy += 0.5 * (double)positions[3 * n + i % n] * (double)velocities[i] * (double)velocities[i];
    }
    return (float)energy;
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct nbody *b = suite_allocate_data(sizeof *b);
    problem->data = b;
    if (!b)
        return false;
    b->count = size == SUITE_QUICK ? 512 : size == SUITE_CPU ? 8192 : 65536;
    b->steps = 2;
    const size_t n = b->count, position_bytes = 4 * n * sizeof(float), velocity_bytes = 3 * n * sizeof(float);
    problem->result_bytes = position_bytes + sizeof(float);
    float *positions = suite_allocate(position_bytes), *velocities = suite_allocate(velocity_bytes);
    float *expected = suite_allocate(problem->result_bytes), *scratch = suite_allocate(velocity_bytes);
    b->arrays = (struct suite_arrays){
        .at = {{position_bytes, positions, true}, {velocity_bytes, velocities, true}, {sizeof(float), NULL, false}},
        .result = NBODY_POSITIONS,
        .expected = expected};
    if (positions && velocities && expected && scratch) {
        uint64_t random = SUITE_SEED;
        for (size_t i = 0; i < 4 * n; ++i)
            positions[i] = i < 3 * n ? (float)(suite_random(&random) >> 40) * 0x1p-24f : 1 / (float)n;
        memset(velocities, 0, velocity_bytes);
        memset(scratch, 0, velocity_bytes);
        memcpy(expected, positions, position_bytes);
        for (unsigned step = 0; step < b->steps; ++step) {
            accelerate(expected, scratch, n);
            expected[4 * n] = move(expected, scratch, n);
        }
    }
    free(scratch);
    const double pairs = (double)n * (double)n * b->steps;
    problem->work = (struct suite_work){
        .bytes = 13.0 * sizeof(float) * (double)n * b->steps, .flops = 20 * pairs, .launches = 3.0 * b->steps};
    snprintf(problem->title, sizeof problem->title, "%u bodies, %u steps", b->count, b->steps);
    return scratch && expected;
}

static bool check(const struct suite_problem *problem, const void *result)
{
    const struct nbody *b = problem->data;
    const float energy = ((const float *)result)[4 * b->count];
    const float expected = ((const float *)b->arrays.expected)[4 * b->count];
    if (!(fabsf(energy - expected) < 1e-4f * expected)) {
        fprintf(stderr, "%s: the energy is %g, not %g\n", problem->title, (double)energy, (double)expected);
        return false;
    }
    return suite_arrays_close(problem, result, 1e-5);
}

const struct suite_program suite_nbody = {"nbody", "HeCBench nbody", make, suite_arrays_free, check};
