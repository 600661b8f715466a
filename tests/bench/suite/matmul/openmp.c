/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices in OpenMP. */
#include "../arrays_openmp.h"
#include "matmul.h"

enum { TILE = MATMUL_TILE };

#ifdef SUITE_TARGET

static bool SUITE_NAME(matmul_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned n = (unsigned)((const struct matmul_problem *)s->problem)->n;
    const float *a = s->at[MATMUL_A], *b = s->at[MATMUL_B];
    float *c = s->at[MATMUL_C];
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device) is_device_ptr(a, b, c)
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < n; ++j) {
            float sum = 0;
            for (unsigned x = 0; x < n; ++x)
                sum += a[i * n + x] * b[x * n + j];
            c[i * n + j] = sum;
        }
    return true;
}

#ifndef SUITE_TARGET_CPU

/* A team is a tile and a thread an element. */
static bool SUITE_NAME(matmul_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned n = (unsigned)((const struct matmul_problem *)s->problem)->n, tiles = n / TILE;
    const float *a = s->at[MATMUL_A], *b = s->at[MATMUL_B];
    float *c = s->at[MATMUL_C];
#pragma omp target teams distribute collapse(2) num_teams(tiles *tiles) thread_limit(TILE *TILE)                       \
    device(suite_openmp_device) is_device_ptr(a, b, c)
    for (unsigned ti = 0; ti < tiles; ++ti)
        for (unsigned tj = 0; tj < tiles; ++tj) {
            float a_tile[TILE][TILE] __attribute__((aligned(16))), b_tile[TILE][TILE] __attribute__((aligned(16)));
            SUITE_TEAM_MEMORY(a_tile, b_tile)
#pragma omp parallel num_threads(TILE *TILE)
            {
                const unsigned thread = (unsigned)omp_get_thread_num(), i = thread / TILE, j = thread % TILE;
                const unsigned row = ti * TILE + i, column = tj * TILE + j;
                float sum = 0;
                for (unsigned t = 0; t < n; t += TILE) {
                    a_tile[i][j] = a[row * n + t + j];
                    b_tile[i][j] = b[(t + i) * n + column];
#pragma omp barrier
                    for (unsigned x = 0; x < TILE; ++x)
                        sum += a_tile[i][x] * b_tile[x][j];
#pragma omp barrier
                }
                c[row * n + column] = sum;
            }
        }
    return true;
}

static const struct suite_version tiled[] = {SUITE_OPENMP_VERSION("tiled", SUITE_NAME(matmul_tiled))};
const struct suite_versions SUITE_OPENMP_VERSIONS(matmul) = SUITE_VERSIONS(tiled);

#else

const struct suite_versions SUITE_OPENMP_VERSIONS(matmul) = {NULL, 0};

#endif

#else

/* Element by element, as the twin of what has a work-item for each; nobody who minds the time writes this. */
static bool SUITE_NAME(matmul_flat)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    const float *a = s->at[MATMUL_A], *b = s->at[MATMUL_B];
    float *c = s->at[MATMUL_C];
#pragma omp parallel for schedule(static) firstprivate(a, b, c, n)
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (size_t x = 0; x < n; ++x)
                sum += a[i * n + x] * b[x * n + j];
            c[i * n + j] = sum;
        }
    return true;
}

/* Row by row: the same work in the order in which vectors can do it. */
static bool SUITE_NAME(matmul_rows)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    const float *a = s->at[MATMUL_A], *b = s->at[MATMUL_B];
    float *c = s->at[MATMUL_C];
#pragma omp parallel for schedule(static) firstprivate(a, b, c, n)
    for (size_t i = 0; i < n; ++i) {
        float *restrict row = c + i * n;
        memset(row, 0, n * sizeof *row);
        for (size_t x = 0; x < n; ++x) {
            const float factor = a[i * n + x], *restrict from = b + x * n;
#pragma omp simd
            for (size_t j = 0; j < n; ++j)
                row[j] += factor * from[j];
        }
    }
    return true;
}

/* Tiles of A and B are copied to where their rows are close together, and multiplied there. */
static void multiply_tiles(const float *restrict a, const float *restrict b, float *restrict c, size_t n)
{
    float a_tile[TILE][TILE] __attribute__((aligned(64))), b_tile[TILE][TILE] __attribute__((aligned(64)));
    float sums[TILE][TILE] __attribute__((aligned(64))) = {{0}};
    for (size_t t = 0; t < n; t += TILE) {
        for (size_t i = 0; i < TILE; ++i) {
            memcpy(a_tile[i], &a[i * n + t], sizeof a_tile[i]);
            memcpy(b_tile[i], &b[(t + i) * n], sizeof b_tile[i]);
        }
        for (size_t i = 0; i < TILE; ++i)
            for (size_t x = 0; x < TILE; ++x)
#pragma omp simd
                for (size_t j = 0; j < TILE; ++j)
                    sums[i][j] += a_tile[i][x] * b_tile[x][j];
    }
    for (size_t i = 0; i < TILE; ++i)
        memcpy(&c[i * n], sums[i], sizeof sums[i]);
}

static bool SUITE_NAME(matmul_tiled)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    const float *a = s->at[MATMUL_A], *b = s->at[MATMUL_B];
    float *c = s->at[MATMUL_C];
#pragma omp parallel for collapse(2) schedule(static) firstprivate(a, b, c, n)
    for (size_t i = 0; i < n; i += TILE)
        for (size_t j = 0; j < n; j += TILE)
            multiply_tiles(&a[i * n], &b[j], &c[i * n + j], n);
    return true;
}

/* Of larger tiles a thread multiplies blocks whose sums stay in vector registers. */
enum {
    HEIGHT = MATMUL_HEIGHT,
    WIDTH = MATMUL_WIDTH,
    DEPTH = MATMUL_DEPTH,
    ROWS = MATMUL_ROWS,
    COLUMNS = MATMUL_COLUMNS
};

static inline void multiply_block(const float (*restrict a)[DEPTH], const float (*restrict b)[WIDTH], size_t column,
                                  float (*restrict c)[WIDTH])
{
    float sums[ROWS][COLUMNS] = {{0}};
    for (size_t x = 0; x < DEPTH; ++x)
        for (size_t i = 0; i < ROWS; ++i) {
#pragma omp simd
            for (size_t j = 0; j < COLUMNS; ++j)
                sums[i][j] += a[i][x] * b[x][column + j];
        }
    for (size_t i = 0; i < ROWS; ++i) {
#pragma omp simd
        for (size_t j = 0; j < COLUMNS; ++j)
            c[i][column + j] += sums[i][j];
    }
}

static void multiply_blocks(const float *restrict a, const float *restrict b, float *restrict c, size_t n)
{
    float a_tile[HEIGHT][DEPTH] __attribute__((aligned(64)));
    float b_tile[DEPTH][WIDTH] __attribute__((aligned(64)));
    float c_tile[HEIGHT][WIDTH] __attribute__((aligned(64)));
    memset(c_tile, 0, sizeof c_tile);
    for (size_t t = 0; t < n; t += DEPTH) {
        for (size_t i = 0; i < HEIGHT; ++i)
            memcpy(a_tile[i], &a[i * n + t], sizeof a_tile[i]);
        for (size_t x = 0; x < DEPTH; ++x)
            memcpy(b_tile[x], &b[(t + x) * n], sizeof b_tile[x]);
        for (size_t i = 0; i < HEIGHT; i += ROWS)
            for (size_t j = 0; j < WIDTH; j += COLUMNS)
                multiply_block(&a_tile[i], b_tile, j, &c_tile[i]);
    }
    for (size_t i = 0; i < HEIGHT; ++i)
        memcpy(&c[i * n], c_tile[i], sizeof c_tile[i]);
}

static bool SUITE_NAME(matmul_blocked)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t n = ((const struct matmul_problem *)s->problem)->n;
    const float *a = s->at[MATMUL_A], *b = s->at[MATMUL_B];
    float *c = s->at[MATMUL_C];
#pragma omp parallel for collapse(2) schedule(static) firstprivate(a, b, c, n)
    for (size_t i = 0; i < n; i += HEIGHT)
        for (size_t j = 0; j < n; j += WIDTH)
            multiply_blocks(&a[i * n], &b[j], &c[i * n + j], n);
    return true;
}

static const struct suite_version tiled[] = {
    SUITE_OPENMP_VERSION("rows", SUITE_NAME(matmul_rows)),
    SUITE_OPENMP_VERSION("tiled", SUITE_NAME(matmul_tiled)),
    SUITE_OPENMP_VERSION("blocked", SUITE_NAME(matmul_blocked)),
};
const struct suite_versions SUITE_OPENMP_VERSIONS(matmul) = SUITE_VERSIONS(tiled);

#endif

SUITE_OPENMP_LIST(matmul_flat, SUITE_OPENMP_VERSION("flat", SUITE_NAME(matmul_flat)))
