/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing in OpenMP. */
#include "../arrays_openmp.h"
#include "transpose.h"

enum { TILE = TRANSPOSE_TILE, ROWS = TRANSPOSE_ROWS };

#ifdef SUITE_TARGET

static bool SUITE_NAME(transpose_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned side = ((const struct transpose *)s->problem)->side;
    const float *in = s->at[TRANSPOSE_IN];
    float *out = s->at[TRANSPOSE_OUT];
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(in, out)
    for (unsigned row = 0; row < side; ++row)
        for (unsigned column = 0; column < side; ++column)
            out[row * side + column] = in[column * side + row];
    return true;
}

#ifndef SUITE_TARGET_CPU
/* A team is a tile. */
static bool SUITE_NAME(transpose_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned side = ((const struct transpose *)s->problem)->side, tiles = side / TILE;
    const float *in = s->at[TRANSPOSE_IN];
    float *out = s->at[TRANSPOSE_OUT];
#pragma omp target teams distribute collapse(2) num_teams(tiles *tiles) thread_limit(ROWS *TILE)                       \
    device(suite_openmp_device) is_device_ptr(in, out)
    for (unsigned ti = 0; ti < tiles; ++ti)
        for (unsigned tj = 0; tj < tiles; ++tj) {
            float tile[TILE][TILE + 1];
            SUITE_TEAM_MEMORY(tile)
            const unsigned top = ti * TILE, left = tj * TILE;
#pragma omp parallel num_threads(ROWS *TILE)
            {
#pragma omp for collapse(2) schedule(static, 1)
                for (unsigned i = 0; i < TILE; ++i)
                    for (unsigned j = 0; j < TILE; ++j)
                        tile[i][j] = in[(left + i) * side + top + j];
#pragma omp for collapse(2) schedule(static, 1) nowait
                for (unsigned i = 0; i < TILE; ++i)
                    for (unsigned j = 0; j < TILE; ++j)
                        out[(top + i) * side + left + j] = tile[j][i];
            }
        }
    return true;
}
#endif

#else

static bool SUITE_NAME(transpose_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t side = ((const struct transpose *)s->problem)->side;
    const float *in = s->at[TRANSPOSE_IN];
    float *out = s->at[TRANSPOSE_OUT];
#pragma omp parallel for schedule(static) firstprivate(in, out, side)
    for (size_t row = 0; row < side; ++row)
#pragma omp simd
        for (size_t column = 0; column < side; ++column)
            out[row * side + column] = in[column * side + row];
    return true;
}

static inline void one_tile(const float *restrict in, float *restrict out, size_t side)
{
    float tile[TILE][TILE + 1];
    for (size_t i = 0; i < TILE; ++i)
        memcpy(tile[i], in + i * side, TILE * sizeof(float));
    for (size_t i = 0; i < TILE; ++i)
#pragma omp simd
        for (size_t j = 0; j < TILE; ++j)
            out[i * side + j] = tile[j][i];
}

static bool SUITE_NAME(transpose_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t side = ((const struct transpose *)s->problem)->side;
    const float *in = s->at[TRANSPOSE_IN];
    float *out = s->at[TRANSPOSE_OUT];
#pragma omp parallel for schedule(static) firstprivate(in, out, side)
    for (size_t top = 0; top < side; top += TILE)
        for (size_t left = 0; left < side; left += TILE)
            one_tile(in + left * side + top, out + top * side + left, side);
    return true;
}

#endif

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("flat", SUITE_NAME(transpose_flat)),
#ifndef SUITE_TARGET_CPU
    SUITE_OPENMP_VERSION("tiled", SUITE_NAME(transpose_tiled)),
#endif
};
const struct suite_versions SUITE_OPENMP_VERSIONS(transpose) = SUITE_VERSIONS(versions);
