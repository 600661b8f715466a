/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of algorithms.h beside others': a line for each algorithm and size, with the median time of each side in
 * microseconds, and Teamwork's by the best of the others.
 *
 *     algorithms_gpu [--quick] [--only TEXT] [LOG2...]      sizes are 2^LOG2 elements; rows whose name has the text
 */
#include "sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"

static const char *const names[ALGORITHM_COUNT] = {
    [ALGORITHM_REDUCE_INT] = "reduce int", [ALGORITHM_REDUCE_FLOAT] = "reduce float",
    [ALGORITHM_SCAN_INT] = "scan int",     [ALGORITHM_SCAN_DOUBLE] = "scan double",
    [ALGORITHM_SELECT_INT] = "select int", [ALGORITHM_SORT_INT] = "sort int",
    [ALGORITHM_SORT_LONG] = "sort long",   [ALGORITHM_SORT_PAIRS] = "sort pairs",
    [ALGORITHM_HISTOGRAM] = "histogram",   [ALGORITHM_BY_KEY] = "sum by key",
    [ALGORITHM_ENCODE] = "encode int",     [ALGORITHM_SEGMENTED] = "segments",
    [ALGORITHM_SORT_BY] = "sort by",       [ALGORITHM_MERGE] = "merge",
};

static const struct side *const sides[] = {
    &side_teamwork,
#ifdef HAVE_CUB
    &side_cub,
#endif
#ifdef HAVE_PARALLEL
    &side_parallel, &side_openmp,
#endif
#ifdef HAVE_TBB
    &side_tbb,
#endif
};
enum { SIDES = sizeof sides / sizeof sides[0], ROUNDS = 9, WARM_UPS = 2, FEWEST = 3, MOST = 200 };
#define ROUND_SECONDS 0.02 /* about as much of each side */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Measures an algorithm of all sides in turn, and prints the line. */
static bool measure(enum algorithm algorithm, unsigned log2, unsigned rounds)
{
    const size_t count = (size_t)1 << log2;
    double times[SIDES][ROUNDS], slowest = 0, best = 0;
    for (unsigned i = 0; i < WARM_UPS * SIDES; ++i) {
        const double start = bench_now();
        if (!sides[i % SIDES]->run(algorithm, count, 2))
            return false;
        const double seconds = (bench_now() - start) / 2;
        slowest = i % SIDES && seconds < slowest ? slowest : seconds;
    }
    const double fit = ROUND_SECONDS / slowest;
    const unsigned repeats = rounds == 1 ? 1 : fit < FEWEST ? FEWEST : fit < MOST ? (unsigned)fit : MOST;
    for (unsigned round = 0; round < rounds; ++round)
        for (size_t s = 0; s < SIDES; ++s) {
            if (repeats > FEWEST && !sides[s]->run(algorithm, count, 1)) /* wakes its threads */
                return false;
            const double start = bench_now();
            if (!sides[s]->run(algorithm, count, repeats))
                return false;
            times[s][round] = (bench_now() - start) / repeats * 1e6;
            if (sides[s]->rest)
                sides[s]->rest();
        }
    printf("%-14s 2^%-3u", names[algorithm], log2);
    for (size_t s = 0; s < SIDES; ++s) {
        qsort(times[s], rounds, sizeof times[s][0], compare);
        const double median = times[s][rounds / 2];
        printf(" %10.1f", median);
        if (s && (best == 0 || median < best))
            best = median;
    }
    printf(best > 0 ? "  %6.2f\n" : "\n", best > 0 ? times[0][rounds / 2] / best : 0);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    unsigned sizes[32] = {12, 16, 20, 24, 26}, count = 5, given = 0, rounds = ROUNDS, most = 0;
    const char *only = "";
    for (int i = 1; i < argc && given < 32; ++i)
        if (strcmp(argv[i], "--quick") == 0)
            rounds = 1;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            sizes[given++] = (unsigned)atoi(argv[i]);
    count = given ? given : rounds == 1 ? 2 : count;
    for (unsigned i = 0; i < count; ++i)
        most = sizes[i] > most ? sizes[i] : most;
    printf("%-20s", "us");
    for (size_t s = 0; s < SIDES; ++s) {
        printf(" %10s", sides[s]->name);
        if (!sides[s]->begin((size_t)1 << most))
            return 1;
    }
    printf("   ratio\n");
    bool works = true;
    for (int a = 0; a < ALGORITHM_COUNT; ++a)
        for (unsigned i = 0; i < count && works && strstr(names[a], only); ++i)
            works = measure((enum algorithm)a, sizes[i], rounds);
    for (size_t s = 0; s < SIDES; ++s)
        sides[s]->end();
    return works ? 0 : 1;
}
