/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in OpenMP. */
#include "../arrays_openmp.h"
#include "nbody.h"

#include <math.h>

typedef void (*accelerate)(const float *positions, float *velocities, unsigned n);

/* C has no reciprocal square root; GPUs do, and clang's headers declare it there. */
#if defined(__NVPTX__)
#define INVERSE_ROOT(x) __nv_rsqrtf(x)
#elif defined(__AMDGCN__)
#define INVERSE_ROOT(x) __ocml_rsqrt_f32(x)
#else
#define INVERSE_ROOT(x) (1 / sqrtf(x))
#endif

#ifdef SUITE_TARGET

static void SUITE_NAME(nbody_flat)(const float *positions, float *velocities, unsigned n)
{
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(positions, velocities)
    for (unsigned i = 0; i < n; ++i) {
        const float *x = positions, *y = x + n, *z = y + n, *mass = z + n;
        const float my_x = x[i], my_y = y[i], my_z = z[i];
        float ax = 0, ay = 0, az = 0;
        for (unsigned j = 0; j < n; ++j) {
            const float dx = x[j] - my_x, dy = y[j] - my_y, dz = z[j] - my_z;
            const float inverse = INVERSE_ROOT(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
            const float pull = mass[j] * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        velocities[i] += ax * NBODY_TIME;
        velocities[n + i] += ay * NBODY_TIME;
        velocities[2 * n + i] += az * NBODY_TIME;
    }
}

static void SUITE_NAME(nbody_move)(float *positions, const float *velocities, unsigned n)
{
#pragma omp target teams distribute parallel for device(suite_openmp_device) is_device_ptr(positions, velocities)
    for (unsigned i = 0; i < 3 * n; ++i)
        positions[i] += velocities[i] * NBODY_TIME;
}

static void SUITE_NAME(nbody_energy)(const float *mass, const float *velocities, unsigned n, float *energy)
{
    float sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) device(suite_openmp_device)      \
    is_device_ptr(mass, velocities)
    for (unsigned i = 0; i < n; ++i) {
        const float vx = velocities[i], vy = velocities[n + i], vz = velocities[2 * n + i];
        sum += 0.5f * mass[i] * (vx * vx + vy * vy + vz * vz);
    }
    suite_device_set(energy, &sum, sizeof sum);
}

#else

static inline void pull_of(const float *restrict x, const float *restrict y, const float *restrict z,
                           const float *restrict mass, size_t n, float my_x, float my_y, float my_z, float sum[3])
{
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (size_t j = 0; j < n; ++j) {
        const float dx = x[j] - my_x, dy = y[j] - my_y, dz = z[j] - my_z;
        const float inverse = INVERSE_ROOT(dx * dx + dy * dy + dz * dz + NBODY_SOFTENING);
        const float pull = mass[j] * inverse * inverse * inverse;
        ax += dx * pull;
        ay += dy * pull;
        az += dz * pull;
    }
    sum[0] += ax;
    sum[1] += ay;
    sum[2] += az;
}

static void SUITE_NAME(nbody_flat)(const float *positions, float *velocities, unsigned n)
{
    const float *x = positions, *y = x + n, *z = y + n, *mass = z + n;
#pragma omp parallel for schedule(static) firstprivate(x, y, z, mass, velocities, n)
    for (size_t i = 0; i < n; ++i) {
        float sum[3] = {0, 0, 0};
        pull_of(x, y, z, mass, n, x[i], y[i], z[i], sum);
        for (size_t d = 0; d < 3; ++d)
            velocities[d * n + i] += sum[d] * NBODY_TIME;
    }
}

/* In blocks, so that the bodies that pull stay in the first cache. */
static void SUITE_NAME(nbody_tiled)(const float *positions, float *velocities, unsigned n)
{
    const float *x = positions, *y = x + n, *z = y + n, *mass = z + n;
#pragma omp parallel for schedule(static) firstprivate(x, y, z, mass, velocities, n)
    for (size_t begin = 0; begin < n; begin += NBODY_GROUP) {
        float sum[NBODY_GROUP][3] = {{0}};
        for (size_t first = 0; first < n; first += NBODY_GROUP)
            for (size_t i = 0; i < NBODY_GROUP; ++i)
                pull_of(x + first, y + first, z + first, mass + first, NBODY_GROUP, x[begin + i], y[begin + i],
                        z[begin + i], sum[i]);
        for (size_t d = 0; d < 3; ++d)
            for (size_t i = 0; i < NBODY_GROUP; ++i)
                velocities[d * n + begin + i] += sum[i][d] * NBODY_TIME;
    }
}

static void SUITE_NAME(nbody_move)(float *positions, const float *velocities, unsigned n)
{
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < 3 * (size_t)n; ++i)
        positions[i] += velocities[i] * NBODY_TIME;
}

static void SUITE_NAME(nbody_energy)(const float *mass, const float *velocities, unsigned n, float *energy)
{
    float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (size_t i = 0; i < n; ++i) {
        const float vx = velocities[i], vy = velocities[n + i], vz = velocities[2 * (size_t)n + i];
        sum += 0.5f * mass[i] * (vx * vx + vy * vy + vz * vz);
    }
    *energy = sum;
}

#endif

static bool run(void *state, accelerate accelerate)
{
    const struct suite_openmp *s = state;
    const struct nbody *problem = s->problem;
    const unsigned n = problem->count;
    float *positions = s->at[NBODY_POSITIONS], *velocities = s->at[NBODY_VELOCITIES];
    for (unsigned step = 0; step < problem->steps; ++step) {
        accelerate(positions, velocities, n);
        SUITE_NAME(nbody_move)(positions, velocities, n);
        SUITE_NAME(nbody_energy)(positions + 3 * (size_t)n, velocities, n, s->at[NBODY_ENERGY]);
    }
    return true;
}

static bool run_flat(void *state)
{
    return run(state, SUITE_NAME(nbody_flat));
}

#ifndef SUITE_TARGET
static bool run_tiled(void *state)
{
    return run(state, SUITE_NAME(nbody_tiled));
}
#endif

static bool fetch(void *state, void *result)
{
    const struct suite_openmp *s = state;
    const struct nbody *problem = s->problem;
    return suite_openmp_fetch(state, result)
           && suite_device_get(s->at[NBODY_ENERGY], (float *)result + 4 * (size_t)problem->count, sizeof(float));
}

static const struct suite_version versions[] = {
    {"flat", NULL, suite_openmp_open, suite_openmp_reset, run_flat, fetch, suite_openmp_close},
#ifndef SUITE_TARGET
    {"tiled", NULL, suite_openmp_open, suite_openmp_reset, run_tiled, fetch, suite_openmp_close},
#endif
};
const struct suite_versions SUITE_OPENMP_VERSIONS(nbody) = SUITE_VERSIONS(versions);
