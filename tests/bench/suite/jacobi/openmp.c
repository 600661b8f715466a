/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's iteration in OpenMP. */
#include "../arrays_openmp.h"
#include "jacobi.h"

/* One sweep; returns the sum of squares of the changes. */
typedef double (*sweep)(const struct jacobi *problem, const float *in, float *out);

#ifdef SUITE_TARGET

static double SUITE_NAME(jacobi_flat)(const struct jacobi *problem, const float *in, float *out)
{
    const unsigned side = problem->side, pitch = problem->pitch;
    double change = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : change) map(tofrom : change)                \
    device(suite_openmp_device) is_device_ptr(in, out)
    for (unsigned row = 0; row < side; ++row)
        for (unsigned column = 0; column < side; ++column) {
            const float *here = in + row * pitch + column, *up = here - pitch, *down = here + pitch;
            const float mean = 0.25f * (up[0] + down[0] + here[-1] + here[1]);
            const double difference = (double)(mean - here[0]);
            out[row * pitch + column] = mean;
            change += difference * difference;
        }
    return change;
}

#else

static double SUITE_NAME(jacobi_flat)(const struct jacobi *problem, const float *in, float *out)
{
    const size_t side = problem->side, pitch = problem->pitch;
    double change = 0;
#pragma omp parallel for schedule(static) firstprivate(in, out, side, pitch) reduction(+ : change)
    for (size_t row = 0; row < side; ++row) {
        const float *restrict here = in + row * pitch, *restrict up = here - pitch, *restrict down = here + pitch;
        float *restrict to = out + row * pitch;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t column = 0; column < side; ++column) {
            const float mean = 0.25f * (up[column] + down[column] + (here - 1)[column] + (here + 1)[column]);
            const double difference = (double)(mean - here[column]);
            to[column] = mean;
            sum += difference * difference;
        }
        change += sum;
    }
    return change;
}

static inline double one_tile(const float *restrict in, float *restrict out, size_t pitch)
{
    float tile[JACOBI_ROWS + 2][JACOBI_COLUMNS + 2];
    double change = 0;
    for (size_t i = 0; i < JACOBI_ROWS + 2; ++i)
        memcpy(tile[i], in + i * pitch, sizeof tile[i]);
    for (size_t i = 0; i < JACOBI_ROWS; ++i)
#pragma omp simd reduction(+ : change)
        for (size_t j = 0; j < JACOBI_COLUMNS; ++j) {
            const float mean = 0.25f * (tile[i][j + 1] + tile[i + 2][j + 1] + tile[i + 1][j] + tile[i + 1][j + 2]);
            const double difference = (double)(mean - tile[i + 1][j + 1]);
            out[i * pitch + j] = mean;
            change += difference * difference;
        }
    return change;
}

static double SUITE_NAME(jacobi_tiled)(const struct jacobi *problem, const float *in, float *out)
{
    const size_t side = problem->side, pitch = problem->pitch;
    double change = 0;
#pragma omp parallel for schedule(static) firstprivate(in, out, side, pitch) reduction(+ : change)
    for (size_t row = 0; row < side; row += JACOBI_ROWS)
        for (size_t column = 0; column < side; column += JACOBI_COLUMNS)
            change += one_tile(in + (row * pitch + column) - pitch - 1, out + row * pitch + column, pitch);
    return change;
}

#endif

static bool iterate(void *state, sweep sweep)
{
    const struct suite_openmp *s = state;
    const struct jacobi *problem = s->problem;
    float *a = (float *)s->at[JACOBI_A] + jacobi_first(problem), *b = (float *)s->at[JACOBI_B] + jacobi_first(problem);
    double change = 2 * problem->tolerance;
    for (unsigned step = 0; step < problem->most_sweeps && change > problem->tolerance; ++step)
        change = step % 2 ? sweep(problem, b, a) : sweep(problem, a, b);
    return true;
}

static bool run_flat(void *state)
{
    return iterate(state, SUITE_NAME(jacobi_flat));
}

#ifndef SUITE_TARGET
static bool run_tiled(void *state)
{
    return iterate(state, SUITE_NAME(jacobi_tiled));
}
#endif

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION_RESET("flat", run_flat),
#ifndef SUITE_TARGET
    SUITE_OPENMP_VERSION_RESET("tiled", run_tiled),
#endif
};
const struct suite_versions SUITE_OPENMP_VERSIONS(jacobi) = SUITE_VERSIONS(versions);
