/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian filter in OpenMP. */
#include "../arrays_openmp.h"
#include "convolution.h"

enum {
    RADIUS = CONVOLUTION_RADIUS,
    ROWS = CONVOLUTION_GROUP_ROWS,
    COLUMNS = CONVOLUTION_GROUP_COLUMNS,
    WIDTH = COLUMNS * CONVOLUTION_ROW_TILE,
    HEIGHT = ROWS * CONVOLUTION_COLUMN_TILE
};

/* Of the pixel at `in`; neighbours are `step` numbers apart. */
static inline __attribute__((always_inline)) float weighted_sum(const float *in, size_t step,
                                                                const struct convolution_weights *w)
{
    float sum = in[0] * w->at[0];
#pragma clang loop unroll(full)
    for (size_t d = 1; d <= RADIUS; ++d)
        sum += (*(in - d * step) + in[d * step]) * w->at[d];
    return sum;
}

#ifdef SUITE_TARGET

static void SUITE_NAME(convolution_flat_pass)(const float *in, float *out, unsigned side, unsigned pitch, unsigned step,
                                              struct convolution_weights w)
{
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(in, out)        \
    firstprivate(w)
    for (unsigned row = 0; row < side; ++row)
        for (unsigned column = 0; column < side; ++column)
            out[row * pitch + column] = weighted_sum(&in[row * pitch + column], step, &w);
}

/* A team is a tile, of which it has the halo too. */
static void SUITE_NAME(convolution_tiled_rows)(const float *in, float *out, unsigned side, unsigned pitch,
                                               struct convolution_weights w)
{
    const unsigned down = side / ROWS, across = side / WIDTH;
#pragma omp target teams distribute collapse(2) num_teams(down *across) thread_limit(ROWS *COLUMNS)                    \
    device(suite_openmp_device) is_device_ptr(in, out) firstprivate(w)
    for (unsigned ti = 0; ti < down; ++ti)
        for (unsigned tj = 0; tj < across; ++tj) {
            float tile[ROWS][WIDTH + 2 * RADIUS] __attribute__((aligned(16)));
            SUITE_TEAM_MEMORY(tile)
            const unsigned corner = ti * ROWS * pitch + tj * WIDTH;
#pragma omp parallel num_threads(ROWS *COLUMNS)
            {
#pragma omp for collapse(2)
                for (unsigned i = 0; i < ROWS; ++i)
                    for (unsigned j = 0; j < WIDTH + 2 * RADIUS; ++j)
                        tile[i][j] = (in + corner - RADIUS)[i * pitch + j];
#pragma omp for collapse(2) nowait
                for (unsigned i = 0; i < ROWS; ++i)
                    for (unsigned j = 0; j < WIDTH; ++j)
                        out[corner + i * pitch + j] = weighted_sum(&tile[i][RADIUS + j], 1, &w);
            }
        }
}

static void SUITE_NAME(convolution_tiled_columns)(const float *in, float *out, unsigned side, unsigned pitch,
                                                  struct convolution_weights w)
{
    const unsigned down = side / HEIGHT, across = side / COLUMNS;
#pragma omp target teams distribute collapse(2) num_teams(down *across) thread_limit(ROWS *COLUMNS)                    \
    device(suite_openmp_device) is_device_ptr(in, out) firstprivate(w)
    for (unsigned ti = 0; ti < down; ++ti)
        for (unsigned tj = 0; tj < across; ++tj) {
            float tile[HEIGHT + 2 * RADIUS][COLUMNS] __attribute__((aligned(16)));
            SUITE_TEAM_MEMORY(tile)
            const unsigned corner = ti * HEIGHT * pitch + tj * COLUMNS;
#pragma omp parallel num_threads(ROWS *COLUMNS)
            {
#pragma omp for collapse(2)
                for (unsigned i = 0; i < HEIGHT + 2 * RADIUS; ++i)
                    for (unsigned j = 0; j < COLUMNS; ++j)
                        tile[i][j] = (in + corner - RADIUS * pitch)[i * pitch + j];
#pragma omp for collapse(2) nowait
                for (unsigned i = 0; i < HEIGHT; ++i)
                    for (unsigned j = 0; j < COLUMNS; ++j)
                        out[corner + i * pitch + j] = weighted_sum(&tile[RADIUS + i][j], COLUMNS, &w);
            }
        }
}

#else

static void SUITE_NAME(convolution_flat_pass)(const float *in, float *out, size_t side, size_t pitch, size_t step,
                                              struct convolution_weights w)
{
#pragma omp parallel for schedule(static) firstprivate(in, out, side, pitch, step, w)
    for (size_t row = 0; row < side; ++row) {
        const float *restrict from = in + row * pitch;
        float *restrict to = out + row * pitch;
#pragma omp simd
        for (size_t column = 0; column < side; ++column)
            to[column] = weighted_sum(&from[column], step, &w);
    }
}

static void SUITE_NAME(convolution_tiled_rows)(const float *in, float *out, size_t side, size_t pitch,
                                               struct convolution_weights w)
{
#pragma omp parallel for collapse(2) schedule(static) firstprivate(in, out, side, pitch, w)
    for (size_t row = 0; row < side; row += ROWS)
        for (size_t column = 0; column < side; column += WIDTH) {
            float tile[ROWS][WIDTH + 2 * RADIUS] __attribute__((aligned(64)));
            for (size_t i = 0; i < ROWS; ++i)
                memcpy(tile[i], &in[(row + i) * pitch + column] - RADIUS, sizeof tile[i]);
            for (size_t i = 0; i < ROWS; ++i) {
                float *restrict to = &out[(row + i) * pitch + column];
#pragma omp simd
                for (size_t j = 0; j < WIDTH; ++j)
                    to[j] = weighted_sum(&tile[i][RADIUS + j], 1, &w);
            }
        }
}

static void SUITE_NAME(convolution_tiled_columns)(const float *in, float *out, size_t side, size_t pitch,
                                                  struct convolution_weights w)
{
#pragma omp parallel for collapse(2) schedule(static) firstprivate(in, out, side, pitch, w)
    for (size_t row = 0; row < side; row += HEIGHT)
        for (size_t column = 0; column < side; column += COLUMNS) {
            float tile[HEIGHT + 2 * RADIUS][COLUMNS] __attribute__((aligned(64)));
            const float *from = in + row * pitch + column - RADIUS * pitch;
            for (size_t i = 0; i < HEIGHT + 2 * RADIUS; ++i)
                memcpy(tile[i], from + i * pitch, sizeof tile[i]);
            for (size_t i = 0; i < HEIGHT; ++i) {
                float *restrict to = &out[(row + i) * pitch + column];
#pragma omp simd
                for (size_t j = 0; j < COLUMNS; ++j)
                    to[j] = weighted_sum(&tile[RADIUS + i][j], COLUMNS, &w);
            }
        }
}

#endif

static bool SUITE_NAME(convolution_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const struct convolution *c = s->problem;
    const size_t inside = convolution_inside(c);
    const float *in = (const float *)s->at[CONVOLUTION_IN] + inside;
    float *between = (float *)s->at[CONVOLUTION_BETWEEN] + inside, *out = (float *)s->at[CONVOLUTION_OUT] + inside;
    SUITE_NAME(convolution_flat_pass)(in, between, c->side, c->pitch, 1, c->weights);
    SUITE_NAME(convolution_flat_pass)(between, out, c->side, c->pitch, c->pitch, c->weights);
    return true;
}

static bool SUITE_NAME(convolution_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const struct convolution *c = s->problem;
    const size_t inside = convolution_inside(c);
    const float *in = (const float *)s->at[CONVOLUTION_IN] + inside;
    float *between = (float *)s->at[CONVOLUTION_BETWEEN] + inside, *out = (float *)s->at[CONVOLUTION_OUT] + inside;
    SUITE_NAME(convolution_tiled_rows)(in, between, c->side, c->pitch, c->weights);
    SUITE_NAME(convolution_tiled_columns)(between, out, c->side, c->pitch, c->weights);
    return true;
}

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION("flat", SUITE_NAME(convolution_flat)),
    SUITE_OPENMP_VERSION("tiled", SUITE_NAME(convolution_tiled)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(convolution) = SUITE_VERSIONS(versions);
