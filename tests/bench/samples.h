/* SPDX-License-Identifier: Apache-2.0 */
/** Times and samples of them: what every program that measures needs. Defines no macro; needs _POSIX_C_SOURCE. */
#ifndef TEAMWORK_BENCH_SAMPLES_H
#define TEAMWORK_BENCH_SAMPLES_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/** Seconds of the monotonic clock. */
static inline double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline int bench_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void bench_sort(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, bench_compare_doubles);
}

/** The value that `part` of sorted samples, of which there is at least one, are below: between the two next to it. */
static inline double bench_quantile(const double *samples, size_t count, double part)
{
    const double at = part * (double)(count - 1);
    const size_t low = (size_t)at;
    return low + 1 < count ? samples[low] + (at - (double)low) * (samples[low + 1] - samples[low]) : samples[low];
}

#endif
