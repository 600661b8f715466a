/* SPDX-License-Identifier: Apache-2.0 */
/* The problems of nd_bench.h: their data, and what the result must be. The matrices are those of cases.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nd_bench.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
    return memory;
}

static bool check_sum(const struct bench_case *c, const void *result)
{
    return memcmp(result, c->expected, sizeof(int32_t)) == 0;
}

bool nd_case_reduce(struct bench_case *c, size_t n)
{
    uint32_t *numbers = allocate(n * sizeof *numbers), *sum = allocate(sizeof *sum);
    *c = (struct bench_case){.title = n < (size_t)1 << 27 ? "sum of int32_t" : "sum of many int32_t",
                             .job = {.n = n},
                             .bytes = {sizeof *sum, n * sizeof *numbers, 2 * nd_partial(n) * sizeof *numbers},
                             .initial = {NULL, numbers, NULL},
                             .output = 0,
                             .check = check_sum,
                             .expected = sum,
                             .work = (double)(n * sizeof *numbers),
                             .unit = "GB/s",
                             .calls = 1,
                             .divide = 1};
    if (!numbers || !sum)
        return false;
    uint64_t random = 88172645463325252u;
    *sum = 0;
    for (size_t i = 0; i < n; ++i)
        *sum += numbers[i] = (uint32_t)(next_random(&random) >> 32);
    return true;
}

static bool check_counts(const struct bench_case *c, const void *result)
{
    return memcmp(result, c->expected, ND_BINS * sizeof(unsigned)) == 0;
}

/* `same`: how many bytes of 1024 are 7. */
static bool histogram_case(struct bench_case *c, size_t n, unsigned same)
{
    unsigned char *bytes = allocate(n);
    unsigned *counts = allocate(ND_BINS * sizeof *counts);
    *c = (struct bench_case){.job = {.n = n},
                             .bytes = {ND_BINS * sizeof *counts, n, 0},
                             .initial = {NULL, bytes, NULL},
                             .output = 0,
                             .check = check_counts,
                             .expected = counts,
                             .work = (double)n,
                             .unit = "GB/s",
                             .calls = 1,
                             .divide = 1};
    if (!bytes || !counts)
        return false;
    uint64_t random = 88172645463325252u;
    memset(counts, 0, ND_BINS * sizeof *counts);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t r = next_random(&random);
        bytes[i] = (r >> 20 & 1023) < same ? 7 : (unsigned char)(r >> 40);
        ++counts[bytes[i]];
    }
    return true;
}

bool nd_case_histogram(struct bench_case *c, size_t n)
{
    const bool filled = histogram_case(c, n, 0);
    c->title = "histogram of random bytes";
    return filled;
}

bool nd_case_histogram_of_one(struct bench_case *c, size_t n)
{
    const bool filled = histogram_case(c, n, 1000);
    c->title = "histogram of bytes of which 98 % are the same";
    return filled;
}
