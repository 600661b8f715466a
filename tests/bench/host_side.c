/* SPDX-License-Identifier: Apache-2.0 */
/* The problems in OpenMP on the host, by hand: what a careful programmer writes, vectorized inner loops included. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static void *allocate(void *host, size_t bytes)
{
    (void)host;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release(void *memory)
{
    free(memory);
}

static bool upload(void *memory, const void *host, size_t bytes)
{
    memcpy(memory, host, bytes);
    return true;
}

static bool download(void *host, void *memory, size_t bytes)
{
    memcpy(host, memory, bytes);
    return true;
}

static bool triad(void *const memory[3], const struct bench_job *job)
{
    double *restrict a = memory[0];
    const double *restrict b = memory[1], *restrict c = memory[memory[2] ? 2 : 1];
    const size_t n = job->n;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n; ++i)
        a[i] = b[i] + 3.0 * c[i];
    return true;
}

/* Sums in 8 bits, so that a vector holds as many cells as it has bytes. */
static bool life(void *const memory[3], const struct bench_job *job)
{
    const size_t pitch = job->pitch, width = job->width, height = job->height;
    const unsigned char *board = (const unsigned char *)memory[0] + pitch + 1;
    unsigned char *next = (unsigned char *)memory[1] + pitch + 1;
#pragma omp parallel for schedule(static) firstprivate(board, next, pitch, width)
    for (size_t row = 0; row < height; ++row) {
        const unsigned char *restrict here = board + row * pitch, *restrict up = here - pitch,
                                      *restrict down = here + pitch;
        unsigned char *restrict out = next + row * pitch;
#pragma omp simd
        for (size_t j = 0; j < width; ++j) {
            const unsigned char sum = (unsigned char)(up[j - 1] + up[j] + up[j + 1] + here[j - 1] + here[j + 1]
                                                      + down[j - 1] + down[j] + down[j + 1]);
            out[j] = (unsigned char)((sum == 3) | ((sum == 2) & here[j]));
        }
    }
    return true;
}

static inline void life_one_tile(const unsigned char *restrict in, unsigned char *restrict out, size_t pitch)
{
    unsigned char tile[LIFE_TILE + 2][LIFE_TILE + 2];
    for (size_t i = 0; i < LIFE_TILE + 2; ++i)
        memcpy(tile[i], in + i * pitch, LIFE_TILE + 2);
    for (size_t i = 0; i < LIFE_TILE; ++i)
#pragma omp simd
        for (size_t j = 0; j < LIFE_TILE; ++j) {
            const unsigned char sum =
                (unsigned char)(tile[i][j] + tile[i][j + 1] + tile[i][j + 2] + tile[i + 1][j] + tile[i + 1][j + 2]
                                + tile[i + 2][j] + tile[i + 2][j + 1] + tile[i + 2][j + 2]);
            out[i * pitch + j] = (unsigned char)((sum == 3) | ((sum == 2) & tile[i + 1][j + 1]));
        }
}

static bool life_tiled(void *const memory[3], const struct bench_job *job)
{
    const size_t pitch = job->pitch, width = job->width, height = job->height;
    const unsigned char *board = memory[0];
    unsigned char *next = (unsigned char *)memory[1] + pitch + 1;
#pragma omp parallel for schedule(static) firstprivate(board, next, pitch, width)
    for (size_t row = 0; row < height; row += LIFE_TILE)
        for (size_t column = 0; column < width; column += LIFE_TILE)
            life_one_tile(board + row * pitch + column, next + row * pitch + column, pitch);
    return true;
}

static bool small(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; ++i)
        out[i] = value;
    return true;
}

static bool chain(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value;
    for (uint32_t step = 0; step < job->steps; ++step) {
#pragma omp parallel for schedule(static)
        for (int i = 0; i < 64; ++i)
            if (i == 0)
                out[0] = step ? out[0] + 1 : value;
    }
    return true;
}

static bool chain_nowait(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value, steps = job->steps;
#pragma omp parallel
#pragma omp single
    for (uint32_t step = 0; step < steps; ++step) {
#pragma omp task depend(inout : out[0]) firstprivate(step)
        out[0] = step ? out[0] + 1 : value;
    }
    return true;
}

static bool independent(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value, steps = job->steps;
#pragma omp parallel
#pragma omp single
    for (uint32_t step = 0; step < steps; ++step) {
#pragma omp task depend(out : out[step]) firstprivate(step)
        out[step] = value + step;
    }
    return true;
}

const struct bench_side host_side = {
    .name = "OpenMP",
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .triad = triad,
    .life = life,
    .life_tiled = life_tiled,
    .small = small,
    .chain = chain,
    .chain_nowait = chain_nowait,
    .independent = independent,
};
