/* SPDX-License-Identifier: Apache-2.0 */
/* The bilateral filter in OpenMP. */
#include "../arrays_openmp.h"
#include "bilateral.h"

#include <math.h>

enum { RADIUS = BILATERAL_RADIUS, ROWS = BILATERAL_ROWS, COLUMNS = BILATERAL_COLUMNS };

#pragma omp declare target

/* The new value of a pixel; `corner` is that which is RADIUS above and left of it, and `at` the offset of both rows. */
__attribute__((always_inline)) static inline float filtered(const float *corner, size_t pitch, size_t at)
{
    const float here = (corner + RADIUS * pitch + RADIUS)[at];
    float sum = 0, weights = 0;
#pragma clang loop unroll(full)
    for (int y = 0; y <= 2 * RADIUS; ++y)
#pragma clang loop unroll(full)
        for (int x = 0; x <= 2 * RADIUS; ++x) {
            const int dy = y - RADIUS, dx = x - RADIUS;
            const float value = (corner + (unsigned)y * pitch + x)[at], difference = value - here;
            const float weight =
                expf((float)(dx * dx + dy * dy) * BILATERAL_NEAR + difference * difference * BILATERAL_ALIKE);
            sum += weight * value;
            weights += weight;
        }
    return sum / weights;
}

#pragma omp end declare target

#ifdef SUITE_TARGET

static bool SUITE_NAME(bilateral_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct bilateral *problem = s->problem;
    const unsigned rows = problem->rows, columns = problem->columns, pitch = problem->pitch;
    const float *in = (const float *)s->at[BILATERAL_IN] + bilateral_first(problem);
    float *out = (float *)s->at[BILATERAL_OUT] + bilateral_first(problem);
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(in, out)
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned column = 0; column < columns; ++column)
            out[row * pitch + column] = filtered(in + row * pitch - RADIUS * pitch - RADIUS, pitch, column);
    return true;
}

#else

static bool SUITE_NAME(bilateral_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct bilateral *problem = s->problem;
    const size_t rows = problem->rows, columns = problem->columns, pitch = problem->pitch;
    const float *in = (const float *)s->at[BILATERAL_IN] + bilateral_first(problem) - RADIUS * pitch - RADIUS;
    float *out = (float *)s->at[BILATERAL_OUT] + bilateral_first(problem);
#pragma omp parallel for schedule(static) firstprivate(in, out, columns, pitch)
    for (size_t row = 0; row < rows; ++row)
#pragma omp simd
        for (size_t column = 0; column < columns; ++column)
            (out + row * pitch)[column] = filtered(in + row * pitch, pitch, column);
    return true;
}

static inline void one_tile(const float *in, float *restrict out, size_t pitch)
{
    enum { HIGH = ROWS + 2 * RADIUS, WIDE = COLUMNS + 2 * RADIUS };
    float tile[HIGH][WIDE];
    for (size_t i = 0; i < HIGH; ++i)
        memcpy(tile[i], in + i * pitch, sizeof tile[i]);
    for (size_t i = 0; i < ROWS; ++i)
#pragma omp simd
        for (size_t j = 0; j < COLUMNS; ++j)
            (out + i * pitch)[j] = filtered(tile[i], WIDE, j);
}

static bool SUITE_NAME(bilateral_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const struct bilateral *problem = s->problem;
    const size_t rows = problem->rows, columns = problem->columns, pitch = problem->pitch;
    const float *in = (const float *)s->at[BILATERAL_IN] + bilateral_first(problem) - RADIUS * pitch - RADIUS;
    float *out = (float *)s->at[BILATERAL_OUT] + bilateral_first(problem);
#pragma omp parallel for schedule(static) firstprivate(in, out, columns, pitch)
    for (size_t row = 0; row < rows; row += ROWS)
        for (size_t column = 0; column < columns; column += COLUMNS)
            one_tile(in + row * pitch + column, out + row * pitch + column, pitch);
    return true;
}

#endif

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("flat", SUITE_NAME(bilateral_flat)),
#ifndef SUITE_TARGET
    SUITE_OPENMP_VERSION("tiled", SUITE_NAME(bilateral_tiled)),
#endif
};
const struct suite_versions SUITE_OPENMP_VERSIONS(bilateral) = SUITE_VERSIONS(versions);
