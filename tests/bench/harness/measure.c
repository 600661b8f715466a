/* SPDX-License-Identifier: Apache-2.0 */
/* Times, what they amount to, and turns. Knows nothing of what is measured. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

#include "bench.h"

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that `part` of sorted samples are below: between the two next to it. */
static double quantile(const double *samples, size_t count, double part)
{
    const double at = part * (double)(count - 1);
    const size_t low = (size_t)at;
    return low + 1 < count ? samples[low] + (at - (double)low) * (samples[low + 1] - samples[low]) : samples[low];
}

struct bench_summary bench_summarize(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, compare_doubles);
    return (struct bench_summary){.median = quantile(samples, count, 0.5),
                                  .p25 = quantile(samples, count, 0.25),
                                  .p75 = quantile(samples, count, 0.75),
                                  .least = samples[0]};
}

unsigned bench_take_rounds(unsigned rounds, struct bench_effort effort, size_t count,
                           void (*take_turn)(void *user, size_t version, unsigned round), void *user)
{
    const double start = bench_now();
    while (rounds < effort.least_rounds || (rounds < effort.most_rounds && bench_now() - start < effort.seconds)) {
        for (size_t i = 0; i < count; ++i)
            take_turn(user, (i + rounds) % count, rounds);
        ++rounds;
    }
    return rounds;
}
