/* SPDX-License-Identifier: Apache-2.0 */
/* Laplace's equation in OpenMP. */
#include "../arrays_openmp.h"
#include "laplace3d.h"

typedef void (*sweep)(const struct laplace3d *problem, const float *in, float *out);

#ifdef SUITE_TARGET

static void SUITE_NAME(laplace3d_flat)(const struct laplace3d *problem, const float *in, float *out)
{
    const unsigned side = problem->side, pitch = problem->pitch, plane = problem->plane;
#pragma omp target teams distribute parallel for collapse(3) device(suite_openmp_device) is_device_ptr(in, out)
    for (unsigned z = 0; z < side; ++z)
        for (unsigned row = 0; row < side; ++row)
            for (unsigned column = 0; column < side; ++column) {
                const unsigned at = z * plane + row * pitch + column;
                const float *here = in + at;
                const float sum = (here - plane)[0] + here[plane] + (here - pitch)[0] + here[pitch];
                out[at] = (sum + here[-1] + here[1]) * LAPLACE3D_SIXTH;
            }
}

#else

static void SUITE_NAME(laplace3d_flat)(const struct laplace3d *problem, const float *in, float *out)
{
    const size_t side = problem->side, pitch = problem->pitch, plane = problem->plane;
#pragma omp parallel for collapse(2) schedule(static) firstprivate(in, out, side, pitch, plane)
    for (size_t z = 0; z < side; ++z)
        for (size_t row = 0; row < side; ++row) {
            const float *restrict here = in + z * plane + row * pitch;
            float *restrict to = out + z * plane + row * pitch;
#pragma omp simd
            for (size_t column = 0; column < side; ++column) {
                const float sum =
                    (here - plane)[column] + (here + plane)[column] + (here - pitch)[column] + (here + pitch)[column];
                to[column] = (sum + (here - 1)[column] + (here + 1)[column]) * LAPLACE3D_SIXTH;
            }
        }
}

static inline void one_column(const float *in, float *out, size_t pitch, size_t plane)
{
    enum { ROWS = LAPLACE3D_ROWS, COLUMNS = LAPLACE3D_COLUMNS };
    float tile[ROWS + 2][COLUMNS + 2], before[ROWS][COLUMNS];
    for (size_t i = 0; i < ROWS; ++i)
        memcpy(before[i], in - plane + i * pitch, sizeof before[i]);
    for (size_t z = 0; z < LAPLACE3D_PLANES; ++z, in += plane, out += plane) {
        for (size_t i = 0; i < ROWS + 2; ++i)
            memcpy(tile[i], in + i * pitch - pitch - 1, sizeof tile[i]);
        for (size_t i = 0; i < ROWS; ++i) {
            const float *restrict behind = in + plane + i * pitch;
            float *restrict to = out + i * pitch;
#pragma omp simd
            for (size_t j = 0; j < COLUMNS; ++j) {
                const float sum = before[i][j] + behind[j] + tile[i][j + 1] + tile[i + 2][j + 1];
                to[j] = (sum + tile[i + 1][j] + tile[i + 1][j + 2]) * LAPLACE3D_SIXTH;
                before[i][j] = tile[i + 1][j + 1];
            }
        }
    }
}

static void SUITE_NAME(laplace3d_planes)(const struct laplace3d *problem, const float *in, float *out)
{
    const size_t side = problem->side, pitch = problem->pitch, plane = problem->plane;
#pragma omp parallel for collapse(2) schedule(static) firstprivate(in, out, side, pitch, plane)
    for (size_t z = 0; z < side; z += LAPLACE3D_PLANES)
        for (size_t row = 0; row < side; row += LAPLACE3D_ROWS)
            for (size_t column = 0; column < side; column += LAPLACE3D_COLUMNS) {
                const size_t at = z * plane + row * pitch + column;
                one_column(in + at, out + at, pitch, plane);
            }
}

#endif

static bool sweeps(void *state, sweep sweep)
{
    const struct suite_openmp *s = state;
    const struct laplace3d *problem = s->problem;
    float *a = (float *)s->at[LAPLACE3D_A] + laplace3d_first(problem);
    float *b = (float *)s->at[LAPLACE3D_B] + laplace3d_first(problem);
    for (unsigned step = 0; step < problem->sweeps; ++step)
        sweep(problem, step % 2 ? b : a, step % 2 ? a : b);
    return true;
}

static bool run_flat(void *state)
{
    return sweeps(state, SUITE_NAME(laplace3d_flat));
}

#ifndef SUITE_TARGET
static bool run_planes(void *state)
{
    return sweeps(state, SUITE_NAME(laplace3d_planes));
}
#endif

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION_RESET("flat", run_flat),
#ifndef SUITE_TARGET
    SUITE_OPENMP_VERSION_RESET("planes", run_planes),
#endif
};
const struct suite_versions SUITE_OPENMP_VERSIONS(laplace3d) = SUITE_VERSIONS(versions);
