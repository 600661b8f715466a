/* SPDX-License-Identifier: Apache-2.0 */
/** Sides of the comparison of algorithms: Teamwork, and CUB on GPUs or libstdc++'s parallel mode, OpenMP and oneTBB on
 *  CPUs. */
#ifndef TEAMWORK_BENCH_SIDES_H
#define TEAMWORK_BENCH_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum algorithm {
    ALGORITHM_REDUCE_INT,
    ALGORITHM_REDUCE_FLOAT,
    ALGORITHM_SCAN_INT,
    ALGORITHM_SCAN_DOUBLE,
    ALGORITHM_SELECT_INT, /* the even ones */
    ALGORITHM_SORT_INT,
    ALGORITHM_SORT_LONG,
    ALGORITHM_SORT_PAIRS, /* int keys, int values */
    ALGORITHM_HISTOGRAM,  /* of ints, with BINS bins over all of them */
    ALGORITHM_BY_KEY,     /* sums of ints with equal keys, which are run_key() */
    ALGORITHM_ENCODE,     /* run lengths of the same keys */
    ALGORITHM_SEGMENTED,  /* sums of floats in segments of SEGMENT elements */
    ALGORITHM_SORT_BY,    /* ints, stable, by comparison */
    ALGORITHM_MERGE,      /* the keys' first half with itself */
    ALGORITHM_COUNT
};

enum { BINS = 256, RUN = 16, SEGMENT = 64 };

/** A side. Functions return false after one line on stderr. */
struct side {
    const char *name;
    bool (*begin)(size_t count);                                           /* makes `count` pseudo-random elements */
    bool (*run)(enum algorithm algorithm, size_t count, unsigned repeats); /* returns when all are complete */
    void (*rest)(void); /* NULL, or lets its threads sleep, which may still wait for more */
    void (*end)(void);
};

extern const struct side side_teamwork, side_cub, side_parallel, side_openmp, side_tbb;

/** Number `i` of the input, for all sides. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline unsigned
    input_number(size_t i)
{
    unsigned x = (unsigned)i * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

/** Where the input of repeat `i` begins, in elements of 8 bytes, of which there are `most`: up to 16 in turn. A processor
 *  learns the branches of a sort of the same few thousand numbers by heart, which no program has to sort twice. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline size_t
    input_begin(unsigned i, size_t count, size_t most)
{
    const size_t inputs = most / count < 16 ? most / count : 16;
    return i % (inputs ? inputs : 1) * count;
}

/** Key number `i`: in ascending order, RUN equal ones in a row. */
#ifdef __CUDACC__
__host__ __device__
#endif
    static inline int
    run_key(size_t i)
{
    return (int)(i / RUN);
}

#ifdef __cplusplus
}
#endif

#endif
