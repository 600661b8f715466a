/* SPDX-License-Identifier: Apache-2.0 */
/* The problems in OpenMP on the host. Compiled with the same options as the kernels. */
#include "openmp.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static bool open(int nth)
{
    (void)nth;
    return true;
}

static void *allocate(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* By all threads: each page ends up near a thread. */
static bool copy_in(void *to, const void *from, size_t bytes)
{
    enum { PIECE = 1 << 16 };
#pragma omp parallel for schedule(static)
    for (size_t at = 0; at < bytes; at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
    return true;
}

static bool copy_out(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return true;
}

static bool reduce(const int32_t *numbers, size_t count, int32_t *sum)
{
    uint32_t all = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : all)
    for (size_t i = 0; i < count; ++i)
        all += (uint32_t)numbers[i];
    *sum = (int32_t)all;
    return true;
}

/* Private counts for each thread, and four of them in turns: bytes in a row that are the same do not wait for each
   other's count. */
enum { TURNS = 4 };

static void count_bytes(const unsigned char *bytes, size_t count, unsigned counts[TURNS][OPENMP_BINS])
{
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        for (unsigned b = 0; b < sizeof eight; ++b)
            ++counts[b % TURNS][eight >> 8 * b & 255];
    }
    for (; i < count; ++i)
        ++counts[0][bytes[i]];
}

static bool histogram(const unsigned char *bytes, size_t count, unsigned bins[OPENMP_BINS])
{
    memset(bins, 0, OPENMP_BINS * sizeof *bins);
#pragma omp parallel firstprivate(bytes, count)
    {
        unsigned counts[TURNS][OPENMP_BINS] = {{0}};
        const size_t threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
        const size_t first = count * thread / threads, past = count * (thread + 1) / threads;
        count_bytes(bytes + first, past - first, counts);
#pragma omp critical
        for (unsigned bin = 0; bin < OPENMP_BINS; ++bin)
            for (unsigned turn = 0; turn < TURNS; ++turn)
                bins[bin] += counts[turn][bin];
    }
    return true;
}

/*
 * A thread computes a tile of the product. It copies tiles of A and B to where their rows are close together, and of
 * those it multiplies blocks whose sums stay in vector registers.
 */
enum { HEIGHT = 64, WIDTH = 128, DEPTH = 32, ROWS = 4, COLUMNS = 16 };

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

static void multiply_tile(const float *restrict a, const float *restrict b, float *restrict c, size_t n)
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

static bool matmul(const float *a, const float *b, float *c, size_t n)
{
#pragma omp parallel for collapse(2) schedule(static) firstprivate(a, b, c, n)
    for (size_t i = 0; i < n; i += HEIGHT)
        for (size_t j = 0; j < n; j += WIDTH)
            multiply_tile(&a[i * n], &b[j], &c[i * n + j], n);
    return true;
}

static inline uint32_t next_of(const uint32_t *ring, size_t i, size_t n)
{
    return ring[i == 0 ? n - 1 : i - 1] + 3 * ring[i] + ring[i + 1 == n ? 0 : i + 1];
}

/* One parallel region: the barrier at the end of each loop is what the latch is for groups. */
static bool rounds(uint32_t *now, uint32_t *next, size_t n, unsigned count)
{
#pragma omp parallel firstprivate(now, next, n, count)
    for (unsigned round = 0; round < count; ++round) {
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; ++i)
            next[i] = next_of(now, i, n);
        uint32_t *past = now;
        now = next;
        next = past;
    }
    return true;
}

const struct openmp_side openmp_host = {
    .name = "OpenMP",
    .open = open,
    .allocate = allocate,
    .release = free,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .reduce = reduce,
    .histogram = histogram,
    .matmul = matmul,
    .rounds = rounds,
};
