/* SPDX-License-Identifier: Apache-2.0 */
/* The problems that the sides solve: their data, and what the result must be, to the last bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Memory that the threads touch first, as a program would have it, and that bench_case_free() frees. */
static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
    return memory;
}

void bench_case_free(struct bench_case *c)
{
    for (unsigned i = 0; i < 3; ++i)
        free((void *)c->initial[i]);
    free((void *)c->expected);
}

/* ---- triad: integers small enough for every operation to be exact ---------------------------------------------- */

static double triad_b(size_t i)
{
    return (double)(i % 1021);
}

static double triad_c(size_t i)
{
    return (double)(i % 509);
}

static bool check_triad(const struct bench_case *c, const void *result)
{
    const double *a = result;
    size_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (size_t i = 0; i < c->job.n; ++i)
        wrong += a[i] != triad_b(i) + 3.0 * triad_c(i);
    return wrong == 0;
}

bool bench_case_triad(struct bench_case *c, size_t n)
{
    double *b = allocate(n * sizeof *b), *d = allocate(n * sizeof *d);
    *c = (struct bench_case){.title = "double triad a = b + 3 c",
                             .job = {.n = n},
                             .bytes = {n * sizeof *b, n * sizeof *b, n * sizeof *d},
                             .initial = {NULL, b, d},
                             .output = 0,
                             .check = check_triad,
                             .work = 3.0 * (double)(n * sizeof *b),
                             .unit = "GB/s",
                             .calls = 1,
                             .divide = 1};
    if (!b || !d)
        return false;
#pragma omp parallel for
    for (size_t i = 0; i < n; ++i) {
        b[i] = triad_b(i);
        d[i] = triad_c(i);
    }
    return true;
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

static void reference_life(const unsigned char *in, unsigned char *out, const struct bench_job *job)
{
#pragma omp parallel for
    for (size_t row = 1; row <= job->height; ++row)
        for (size_t column = 1; column <= job->width; ++column) {
            unsigned sum = 0;
            for (size_t r = row - 1; r <= row + 1; ++r)
                for (size_t k = column - 1; k <= column + 1; ++k)
                    sum += in[r * job->pitch + k];
            const unsigned cell = in[row * job->pitch + column];
            out[row * job->pitch + column] = sum == 3 || (sum == 4 && cell); /* the cell itself counted */
        }
}

/* Only the cells are compared: what a side leaves in the border of the output is its own affair. */
static bool check_life(const struct bench_case *c, const void *result)
{
    const unsigned char *expected = c->expected, *board = result;
    size_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (size_t row = 1; row <= c->job.height; ++row)
        wrong += memcmp(expected + row * c->job.pitch + 1, board + row * c->job.pitch + 1, c->job.width) != 0;
    return wrong == 0;
}

/* One generation from a random board of size x size cells, of which a third live. */
bool bench_case_life(struct bench_case *c, size_t size)
{
    const size_t pitch = (size + 2 + 63) / 64 * 64, bytes = (size + 2) * pitch;
    unsigned char *board = allocate(bytes), *next = allocate(bytes);
    *c = (struct bench_case){.title = "Game of Life, one generation",
                             .job = {.width = size, .height = size, .pitch = pitch},
                             .bytes = {bytes, bytes, 0},
                             .initial = {board, NULL, NULL},
                             .output = 1,
                             .check = check_life,
                             .expected = next,
                             .work = (double)(size * size),
                             .unit = "Gc/s",
                             .calls = 1,
                             .divide = 1};
    if (!board || !next)
        return false;
    memset(board, 0, bytes);
    memset(next, 0, bytes);
    uint64_t random = 88172645463325252u;
    for (size_t row = 1; row <= size; ++row)
        for (size_t column = 1; column <= size; ++column) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            board[row * pitch + column] = random >> 32 < 0x55555555u;
        }
    reference_life(board, next, &c->job);
    return true;
}

/* ---- matrix product -------------------------------------------------------------------------------------------- */

/* Row i of A depends on i mod 7 only, and column j of B on j mod 5, so C has 35 different elements: integers below
   2^24, which floats add exactly in any order. */
static float matmul_a(size_t i, size_t k)
{
    return (float)((i % 7 + k) % 11) - 4;
}

static float matmul_b(size_t k, size_t j)
{
    return (float)((3 * k + j % 5) % 13) - 5;
}

static bool check_matmul(const struct bench_case *c, const void *result)
{
    const size_t n = c->job.n;
    const float *product = result;
    float expected[7][5] = {{0}};
    for (size_t i = 0; i < 7; ++i)
        for (size_t j = 0; j < 5; ++j)
            for (size_t k = 0; k < n; ++k)
                expected[i][j] += matmul_a(i, k) * matmul_b(k, j);
    size_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            wrong += product[i * n + j] != expected[i % 7][j % 5];
    return wrong == 0;
}

bool bench_case_matmul(struct bench_case *c, size_t n)
{
    const size_t bytes = n * n * sizeof(float);
    float *a = allocate(bytes), *b = allocate(bytes);
    *c = (struct bench_case){.title = "float matrix product",
                             .job = {.n = n},
                             .bytes = {bytes, bytes, bytes},
                             .initial = {NULL, a, b},
                             .output = 0,
                             .check = check_matmul,
                             .work = 2.0 * (double)n * (double)n * (double)n,
                             .unit = "GF/s",
                             .calls = 1,
                             .divide = 1};
    if (!a || !b)
        return false;
#pragma omp parallel for
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            a[i * n + j] = matmul_a(i, j);
            b[i * n + j] = matmul_b(i, j);
        }
    return true;
}

/* ---- launches -------------------------------------------------------------------------------------------------- */

static bool check_counter(const struct bench_case *c, const void *result)
{
    return *(const uint32_t *)result == c->job.value + c->job.steps - 1;
}

bool bench_case_single(struct bench_case *c, unsigned calls)
{
    *c = (struct bench_case){.title = "one kernel that does next to nothing, launched and waited for",
                             .job = {.value = 4711, .steps = 1},
                             .bytes = {64 * sizeof(uint32_t), 0, 0},
                             .check = check_counter,
                             .calls = calls,
                             .divide = 1};
    return true;
}

bool bench_case_chain(struct bench_case *c, unsigned steps)
{
    *c = (struct bench_case){.title = "chain of dependent kernels of one work-item, time for each",
                             .job = {.value = 4711, .steps = steps},
                             .bytes = {sizeof(uint32_t), 0, 0},
                             .check = check_counter,
                             .calls = 1,
                             .divide = steps};
    return true;
}

static bool check_numbers(const struct bench_case *c, const void *result)
{
    const uint32_t *numbers = result;
    for (uint32_t i = 0; i < c->job.steps; ++i)
        if (numbers[i] != c->job.value + i)
            return false;
    return true;
}

bool bench_case_independent(struct bench_case *c, unsigned steps)
{
    *c = (struct bench_case){.title = "independent kernels of one work-item, time for each",
                             .job = {.value = 4711, .steps = steps},
                             .bytes = {steps * sizeof(uint32_t), 0, 0},
                             .check = check_numbers,
                             .calls = 1,
                             .divide = steps};
    return true;
}

/* ---- transfers ------------------------------------------------------------------------------------------------- */

static bool check_four_b(const struct bench_case *c, const void *result)
{
    const double *a = result;
    size_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (size_t i = 0; i < c->job.n; ++i)
        wrong += a[i] != 4.0 * triad_b(i);
    return wrong == 0;
}

static bool transfer_case(struct bench_case *c, size_t n)
{
    double *b = allocate(n * sizeof *b);
    *c = (struct bench_case){.job = {.n = n},
                             .bytes = {n * sizeof *b, n * sizeof *b, 0},
                             .initial = {NULL, b, NULL},
                             .output = 0,
                             .check = check_four_b,
                             .work = (double)(n * sizeof *b),
                             .unit = "GB/s",
                             .calls = 1,
                             .divide = 1};
    if (!b)
        return false;
#pragma omp parallel for
    for (size_t i = 0; i < n; ++i)
        b[i] = triad_b(i);
    return true;
}

bool bench_case_send(struct bench_case *c, size_t n)
{
    const bool filled = transfer_case(c, n);
    c->title = "pageable host memory to the device, and a kernel that reads it";
    c->over_host[1] = true;
    return filled;
}

/* To be run with an operation before each call that makes the device's copy the newest. */
bool bench_case_fetch(struct bench_case *c, size_t n)
{
    const bool filled = transfer_case(c, n);
    c->title = "device to pageable host memory";
    c->over_host[0] = true;
    c->result_in_host = true;
    return filled;
}
