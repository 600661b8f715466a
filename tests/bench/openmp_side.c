/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problems in OpenMP offload, as one writes it by hand: data resident on the device, pointers handed to the regions
 * with is_device_ptr. Compiled once with plain flags, and once with BENCH_TUNED and the flags that make kernels fast:
 * two shared libraries, and nothing in one has the name of something in the other.
 */
#include <omp.h>
#include <stdio.h>

#include "bench.h"

/* Kernels are named after the function they are in, and the two compilations must not clash. */
#ifdef BENCH_TUNED
#define SIDE openmp_tuned_side
#define SIDE_NAME "OpenMP, tuned flags"
#define NAME(name) tuned_##name
#define DEVICE openmp_tuned_device
#else
#define SIDE openmp_side
#define SIDE_NAME "OpenMP"
#define NAME(name) plain_##name
#define DEVICE openmp_device
#endif

int DEVICE = -1;

static void *allocate(void *host, size_t bytes)
{
    (void)host;
    return omp_target_alloc(bytes, DEVICE);
}

static void release(void *memory)
{
    omp_target_free(memory, DEVICE);
}

static bool upload(void *memory, const void *host, size_t bytes)
{
    return omp_target_memcpy(memory, host, bytes, 0, 0, DEVICE, omp_get_initial_device()) == 0;
}

static bool download(void *host, void *memory, size_t bytes)
{
    return omp_target_memcpy(host, memory, bytes, 0, 0, omp_get_initial_device(), DEVICE) == 0;
}

static bool NAME(triad)(void *const memory[3], const struct bench_job *job)
{
    double *a = memory[0];
    const double *b = memory[1], *c = memory[memory[2] ? 2 : 1];
    const size_t n = job->n;
#pragma omp target teams distribute parallel for device(DEVICE) is_device_ptr(a, b, c)
    for (size_t i = 0; i < n; ++i)
        a[i] = b[i] + 3.0 * c[i];
    return true;
}

static bool NAME(life)(void *const memory[3], const struct bench_job *job)
{
    const unsigned pitch = (unsigned)job->pitch, width = (unsigned)job->width, height = (unsigned)job->height;
    const unsigned char *in = (const unsigned char *)memory[0] + pitch + 1;
    unsigned char *out = (unsigned char *)memory[1] + pitch + 1;
#pragma omp target teams distribute parallel for collapse(2) device(DEVICE) is_device_ptr(in, out)
    for (unsigned row = 0; row < height; ++row)
        for (unsigned column = 0; column < width; ++column) {
            const unsigned char *here = in + row * pitch + column, *up = here - pitch, *down = here + pitch;
            const unsigned char sum =
                (unsigned char)(up[-1] + up[0] + up[1] + here[-1] + here[1] + down[-1] + down[0] + down[1]);
            out[row * pitch + column] = (unsigned char)((sum == 3) | ((sum == 2) & here[0]));
        }
    return true;
}

static bool NAME(matmul)(void *const memory[3], const struct bench_job *job)
{
    float *c = memory[0];
    const float *a = memory[1], *b = memory[2];
    const unsigned n = (unsigned)job->n;
#pragma omp target teams distribute parallel for collapse(2) device(DEVICE) is_device_ptr(a, b, c)
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < n; ++j) {
            float sum = 0;
            for (unsigned x = 0; x < n; ++x)
                sum += a[i * n + x] * b[x * n + j];
            c[i * n + j] = sum;
        }
    return true;
}

/* A team is a tile and a thread an element; it takes a device that grants the threads asked for, so a GPU. */
static bool NAME(matmul_tiled)(void *const memory[3], const struct bench_job *job)
{
    float *c = memory[0];
    const float *a = memory[1], *b = memory[2];
    const unsigned n = (unsigned)job->n, tiles = n / MATMUL_TILE;
#pragma omp target teams distribute collapse(2) num_teams(tiles *tiles) thread_limit(MATMUL_TILE *MATMUL_TILE)         \
    device(DEVICE) is_device_ptr(a, b, c)
    for (unsigned ti = 0; ti < tiles; ++ti)
        for (unsigned tj = 0; tj < tiles; ++tj) {
            float a_tile[MATMUL_TILE][MATMUL_TILE] __attribute__((aligned(16)));
            float b_tile[MATMUL_TILE][MATMUL_TILE] __attribute__((aligned(16)));
#ifdef __NVPTX__
#pragma omp allocate(a_tile, b_tile) allocator(omp_pteam_mem_alloc)
#endif
#pragma omp parallel num_threads(MATMUL_TILE *MATMUL_TILE)
            {
                const unsigned thread = (unsigned)omp_get_thread_num();
                const unsigned i = thread / MATMUL_TILE, j = thread % MATMUL_TILE;
                const unsigned row = ti * MATMUL_TILE + i, column = tj * MATMUL_TILE + j;
                float sum = 0;
                for (unsigned t = 0; t < n; t += MATMUL_TILE) {
                    a_tile[i][j] = a[row * n + t + j];
                    b_tile[i][j] = b[(t + i) * n + column];
#pragma omp barrier
                    for (unsigned x = 0; x < MATMUL_TILE; ++x)
                        sum += a_tile[i][x] * b_tile[x][j];
#pragma omp barrier
                }
                c[row * n + column] = sum;
            }
        }
    return true;
}

static bool NAME(single)(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    const uint32_t value = job->value;
#pragma omp target device(DEVICE) is_device_ptr(out)
    out[0] = value;
    return true;
}

static bool NAME(chain)(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    if (!NAME(single)(memory, job))
        return false;
    for (uint32_t step = 1; step < job->steps; ++step) {
#pragma omp target device(DEVICE) is_device_ptr(out)
        ++out[0];
    }
    return true;
}

static bool NAME(chain_nowait)(void *const memory[3], const struct bench_job *job)
{
    uint32_t *out = memory[0];
    if (!NAME(single)(memory, job))
        return false;
    for (uint32_t step = 1; step < job->steps; ++step) {
#pragma omp target nowait depend(inout : out[0]) device(DEVICE) is_device_ptr(out)
        ++out[0];
    }
#pragma omp taskwait
    return true;
}

static bool send(void *const memory[3], const struct bench_job *job)
{
    return upload(memory[1], job->host, job->n * sizeof(double)) && NAME(triad)(memory, job);
}

static bool fetch(void *const memory[3], const struct bench_job *job)
{
    return download(job->host, memory[0], job->n * sizeof(double));
}

const struct bench_side SIDE = {
    .name = SIDE_NAME,
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .triad = NAME(triad),
    .life = NAME(life),
    .matmul = NAME(matmul),
    .matmul_tiled = NAME(matmul_tiled),
    .single = NAME(single),
    .chain = NAME(chain),
    .chain_nowait = NAME(chain_nowait),
    .send = send,
    .fetch = fetch,
};
