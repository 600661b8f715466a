/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Comparing implementations of launches and transfers ("sides": Teamwork, CUDA, OpenMP by hand) in one process. Kernels are
 * compared by the suite, suite/suite.h.
 *
 *     bench.c           measuring in turns, medians, the table
 *     cases.c           the problems: their data, and what the result must be
 *     teamwork_side.c   the problems in Teamwork
 *     openmp_side.c     the problems in OpenMP offload, by hand
 *     host_side.c       the problems in OpenMP on the host, by hand
 *     cuda_twins.cu     the problems in CUDA
 *     gpu_compare.c, cpu_compare.c   the programs: which sides run which problems
 *
 * The header is C17 and C++20. Functions that can fail return false after a line on stderr.
 */
#ifndef TEAMWORK_BENCH_H
#define TEAMWORK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an operation works on; each uses the members that it needs. */
struct bench_job {
    size_t n;       /* elements of a triad */
    uint32_t value; /* what a small kernel writes first */
    uint32_t steps; /* kernels of a chain */
    void *host;     /* the host memory that send reads and fetch writes: set by bench_run() */
};

/** One operation, complete when it returns. `memory` is what the side's allocate() gave, one for each array. */
typedef bool (*bench_op)(void *const memory[3], const struct bench_job *job);

/** One implementation. Operations that a side does not have are NULL. */
struct bench_side {
    const char *name;
    void *(*allocate)(void *host, size_t bytes); /* over `host` where the side has such a thing; NULL on failure */
    void (*release)(void *memory);
    bool (*upload)(void *memory, const void *host, size_t bytes);
    bool (*download)(void *host, void *memory, size_t bytes);
    bench_op triad;        /* doubles: m0[i] = m1[i] + 3 * m2[i]; without an m2, m1 is taken again */
    bench_op single;       /* one kernel of one work-item: m0[0] = value */
    bench_op small;        /* one kernel of 64 work-items: m0[i] = value */
    bench_op chain;        /* `steps` kernels that depend on each other: m0[0] = value, then ++m0[0] */
    bench_op chain_nowait; /* the same, asynchronously where `chain` is not */
    bench_op independent;  /* `steps` kernels without an array in common: m0[i] = value + i */
    bench_op send;         /* job.host to m1, then triad with m1 as m2 too */
    bench_op fetch;        /* m0 to job.host */
};

/** One problem. */
struct bench_case {
    const char *title;
    struct bench_job job;
    size_t bytes[3];        /* size of each array; 0 where there is none */
    const void *initial[3]; /* what it holds at first; NULL: poison */
    bool over_host[3];      /* allocated over job.host: at most one */
    bool result_in_host;    /* the result is in job.host, else in array `output` */
    unsigned output;
    bool (*check)(const struct bench_case *c, const void *result);
    const void *expected; /* for check() */
    double work;          /* of one call, in units of 10^-9 `unit`; 0: no rate */
    const char *unit;     /* "GB/s" */
    unsigned calls;       /* in a row for each side before the next has its turn */
    unsigned divide;      /* a time is divided by this: the kernels of a chain */
};

/** A line of the table: a side's operation. `before` is done before each call, and not timed; may be NULL. */
struct bench_row {
    const char *label;
    const struct bench_side *side;
    bench_op op;
    bench_op before;
};

/** How much time a run may take. */
struct bench_effort {
    unsigned rounds; /* of all sides in turns, unless time runs out first */
    double seconds;  /* a case */
};

/**
 * Checks every row's result, measures the rows in turns, checks again, and prints medians with their ratio to the first
 * row. Rows without an operation are left out.
 *
 * @return false if a result is wrong or an operation failed; the row says so, and the others are measured
 */
bool bench_run(const struct bench_case *c, const struct bench_row *rows, size_t count, struct bench_effort effort);

/* ---- cases.c: fill *c, with memory to be freed by bench_case_free() ------------------------------------------- */

bool bench_case_single(struct bench_case *c, unsigned calls);
bool bench_case_chain(struct bench_case *c, unsigned steps);
bool bench_case_independent(struct bench_case *c, unsigned steps);
bool bench_case_send(struct bench_case *c, size_t n);
bool bench_case_fetch(struct bench_case *c, size_t n);
void bench_case_free(struct bench_case *c);

/* ---- sides ----------------------------------------------------------------------------------------------------- */

extern const struct bench_side teamwork_side;
bool teamwork_side_open(void); /* creates the queue, on the default device */
bool teamwork_side_is_host(void);
bool teamwork_side_is_gpu(void);
const char *teamwork_side_device(void);
struct tw_queue *teamwork_side_queue(void); /* borrowed */
bool teamwork_side_close(void);

extern const struct bench_side openmp_side;       /* plain flags */
extern const struct bench_side openmp_tuned_side; /* the flags that make OpenMP kernels fast */
extern int openmp_device, openmp_tuned_device;    /* OpenMP device numbers; to be set before anything else */

extern const struct bench_side host_side;

extern const struct bench_side cuda_side;
bool cuda_side_open(void); /* false, with a line on stderr: no CUDA device can be used */

#ifdef __cplusplus
}
#endif

#endif
