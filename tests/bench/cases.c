/* SPDX-License-Identifier: Apache-2.0 */
/* The problems that the sides solve: their data, and what the result must be, to the last bit. */
#include <stdio.h>
#include <stdlib.h>

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

/* ---- the numbers that are transferred: integers small enough for a triad of them to be exact ----------------------- */

static double triad_b(size_t i)
{
    return (double)(i % 1021);
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
