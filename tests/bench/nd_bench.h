/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels of work-groups against CUDA: those of examples/groups, and what an nvcc user writes for the same algorithm.
 * Measured with bench.h, in the memory of its sides.
 *
 *     nd_cases.c      the problems: their data, and what the result must be
 *     nd_teamwork.c   the kernels of examples/groups as operations
 *     nd_cuda.cu      the same algorithms in CUDA
 *     nd_compare.c    the program
 *
 * The header is C17 and C++20.
 */
#ifndef TEAMWORK_ND_BENCH_H
#define TEAMWORK_ND_BENCH_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What both sides need to agree on; the kernels of examples/groups have these numbers in them. */
enum {
    ND_PAIRS_GROUP = 1024, /* work-items of a group that adds up pairs */
    ND_PART_GROUP = 256,   /* work-items of a group that adds up a part */
    ND_PART_QUADS = 8,     /* times four numbers that each of them adds up */
    ND_BINS = 256,
    ND_HISTOGRAM_GROUP = 256,
    ND_LANES = 32, /* sets of counts of a group in the wide histogram */
    ND_LANES_GROUP = 1024
};

/** Sum of job.n int32_t in m1, to m0[0]; m2 is for sums of parts, twice nd_partial() of them. */
bool nd_teamwork_pairs(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_tree(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_parts(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_group_parts(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_range(void *const memory[3], const struct bench_job *job);
bool nd_cuda_pairs(void *const memory[3], const struct bench_job *job);
bool nd_cuda_parts(void *const memory[3], const struct bench_job *job);

/** Histogram of job.n bytes in m1, to the ND_BINS counts in m0. */
bool nd_teamwork_phases(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_group_phases(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_lanes(void *const memory[3], const struct bench_job *job);
bool nd_cuda_phases(void *const memory[3], const struct bench_job *job);
bool nd_cuda_lanes(void *const memory[3], const struct bench_job *job);

/** Product of matrices, as in bench.h. */
bool nd_teamwork_matmul(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_matmul_groups(void *const memory[3], const struct bench_job *job);
bool nd_teamwork_matmul_blocks(void *const memory[3], const struct bench_job *job);

/** Frees what the operations of nd_teamwork.c keep from one call to the next. */
void nd_teamwork_close(void);

bool nd_case_reduce(struct bench_case *c, size_t n);
bool nd_case_histogram(struct bench_case *c, size_t n);
/** Bytes of which nearly all are the same: what atomics on one address cost. */
bool nd_case_histogram_of_one(struct bench_case *c, size_t n);

/* ---- the same choices on both sides ----------------------------------------------------------------------------- */

/** Sums of parts that a launch leaves for the next one, at most. */
static inline size_t nd_partial(size_t count)
{
    return count / 512 + 1;
}

/** Bytes for each group of a histogram, of which a GPU of `units` multiprocessors holds `resident` each. */
static inline size_t nd_part(size_t count, size_t units, size_t resident)
{
    const size_t groups = units * resident, each = (count + groups - 1) / groups;
    return each < 4096 ? 4096 : (each + 63) / 64 * 64;
}

#ifdef __cplusplus
}
#endif

#endif
