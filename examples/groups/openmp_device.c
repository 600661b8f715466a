/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problems in OpenMP offload, with the data resident on the GPU. Compiled twice, as two shared libraries: with
 * plain flags, and with GROUPS_TUNED and the flags that make OpenMP kernels fast. So each has a device image of its
 * own, as in a program that has nothing else; nothing in one may have the name of something in the other.
 */
#include "openmp.h"

#include <omp.h>

#ifdef GROUPS_TUNED
#define SIDE openmp_device_tuned
#define SIDE_NAME "OpenMP, tuned flags"
#define NAME(name) tuned_##name
#else
#define SIDE openmp_device
#define SIDE_NAME "OpenMP"
#define NAME(name) plain_##name
#endif

static int device = -1;

/* Whether a region runs on a GPU is only to be found out by running one. */
static bool NAME(open)(int nth)
{
    for (int d = 0; d < omp_get_num_devices(); ++d) {
        int is_gpu = 0;
#pragma omp target device(d) map(from : is_gpu)
        {
#if defined(__NVPTX__) || defined(__AMDGCN__)
            is_gpu = 1;
#else
            is_gpu = 0;
#endif
        }
        if (is_gpu && nth-- == 0) {
            device = d;
            return true;
        }
    }
    return false;
}

static void *allocate(size_t bytes)
{
    return omp_target_alloc(bytes, device);
}

static void release(void *memory)
{
    omp_target_free(memory, device);
}

static bool copy_in(void *to, const void *from, size_t bytes)
{
    return omp_target_memcpy(to, from, bytes, 0, 0, device, omp_get_initial_device()) == 0;
}

static bool copy_out(void *to, const void *from, size_t bytes)
{
    return omp_target_memcpy(to, from, bytes, 0, 0, omp_get_initial_device(), device) == 0;
}

static bool NAME(reduce)(const int32_t *numbers, size_t count, int32_t *sum)
{
    uint32_t all = 0;
#pragma omp target teams distribute parallel for device(device) is_device_ptr(numbers) reduction(+ : all)              \
    map(tofrom : all)
    for (size_t i = 0; i < count; ++i)
        all += (uint32_t)numbers[i];
    *sum = (int32_t)all;
    return true;
}

/* Each team counts its part of the bytes in memory of its own, and adds what it has to the bins of all. */
static bool NAME(histogram)(const unsigned char *bytes, size_t count, unsigned bins[OPENMP_BINS])
{
    enum { THREADS = 256, TEAMS = 1056, PACK = 16 };
    const size_t packs = (count + PACK - 1) / PACK, each = (packs + TEAMS - 1) / TEAMS * PACK;
    for (unsigned bin = 0; bin < OPENMP_BINS; ++bin)
        bins[bin] = 0;
#pragma omp target teams distribute num_teams(TEAMS) thread_limit(THREADS) device(device) is_device_ptr(bytes)         \
    map(tofrom : bins[ : OPENMP_BINS])
    for (unsigned team = 0; team < TEAMS; ++team) {
        unsigned counts[OPENMP_BINS];
#if defined(__NVPTX__) || defined(__AMDGCN__)
#pragma omp allocate(counts) allocator(omp_pteam_mem_alloc)
#endif
        const size_t first = team * each < count ? team * each : count;
        const size_t past = count - first < each ? count : first + each, whole = (past - first) / PACK;
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp for
            for (unsigned bin = 0; bin < OPENMP_BINS; ++bin)
                counts[bin] = 0;
#pragma omp for nowait
            for (size_t p = 0; p < whole; ++p) {
                const struct pack {
                    uint32_t at[4];
                } __attribute__((aligned(16))) pack = ((const struct pack *)(const void *)(bytes + first))[p];
                for (unsigned i = 0; i < PACK; ++i) {
                    const unsigned byte = pack.at[i / 4] >> 8 * (i % 4) & 255;
#pragma omp atomic
                    ++counts[byte];
                }
            }
#pragma omp for
            for (size_t i = first + whole * PACK; i < past; ++i) {
#pragma omp atomic
                ++counts[bytes[i]];
            }
#pragma omp for nowait
            for (unsigned bin = 0; bin < OPENMP_BINS; ++bin) {
#pragma omp atomic
                bins[bin] += counts[bin];
            }
        }
    }
    return true;
}

/* A team is a tile and a thread an element. */
static bool NAME(matmul)(const float *a, const float *b, float *c, size_t size)
{
    const unsigned n = (unsigned)size, tiles = n / OPENMP_TILE;
#pragma omp target teams distribute collapse(2) num_teams(tiles *tiles) thread_limit(OPENMP_TILE *OPENMP_TILE)         \
    device(device) is_device_ptr(a, b, c)
    for (unsigned ti = 0; ti < tiles; ++ti)
        for (unsigned tj = 0; tj < tiles; ++tj) {
            float a_tile[OPENMP_TILE][OPENMP_TILE] __attribute__((aligned(16)));
            float b_tile[OPENMP_TILE][OPENMP_TILE] __attribute__((aligned(16)));
#if defined(__NVPTX__) || defined(__AMDGCN__)
#pragma omp allocate(a_tile, b_tile) allocator(omp_pteam_mem_alloc)
#endif
#pragma omp parallel num_threads(OPENMP_TILE *OPENMP_TILE)
            {
                const unsigned thread = (unsigned)omp_get_thread_num();
                const unsigned i = thread / OPENMP_TILE, j = thread % OPENMP_TILE;
                const unsigned row = ti * OPENMP_TILE + i, column = tj * OPENMP_TILE + j;
                float sum = 0;
                for (unsigned t = 0; t < n; t += OPENMP_TILE) {
                    a_tile[i][j] = a[row * n + t + j];
                    b_tile[i][j] = b[(t + i) * n + column];
#pragma omp barrier
                    for (unsigned x = 0; x < OPENMP_TILE; ++x)
                        sum += a_tile[i][x] * b_tile[x][j];
#pragma omp barrier
                }
                c[row * n + column] = sum;
            }
        }
    return true;
}

/* Teams have no barrier in common: a region for each round. */
static bool NAME(rounds)(uint32_t *now, uint32_t *next, size_t size, unsigned count)
{
    const unsigned n = (unsigned)size;
    for (unsigned round = 0; round < count; ++round) {
#pragma omp target teams distribute parallel for device(device) is_device_ptr(now, next)
        for (unsigned i = 0; i < n; ++i)
            next[i] = now[i == 0 ? n - 1 : i - 1] + 3 * now[i] + now[i + 1 == n ? 0 : i + 1];
        uint32_t *past = now;
        now = next;
        next = past;
    }
    return true;
}

const struct openmp_side SIDE = {
    .name = SIDE_NAME,
    .open = NAME(open),
    .allocate = allocate,
    .release = release,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .reduce = NAME(reduce),
    .histogram = NAME(histogram),
    .matmul = NAME(matmul),
    .rounds = NAME(rounds),
};
