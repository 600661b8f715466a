/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A problem with its data, and all that can solve it: the Teamwork kernels in their forms, and OpenMP by hand. Each
 * problem_NAME.c makes one; contest.c runs them against each other and knows none of them.
 *
 * Functions that can fail return false after a line on stderr.
 */
#ifndef GROUPS_PROBLEM_H
#define GROUPS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/buffer.h>
#include <teamwork/queue.h>

#include "openmp.h"

enum { PROBLEM_MAX_SIDES = 2, PROBLEM_MAX_CONTENDERS = 8 };

/** Where problems are solved, and how large they are. */
struct setting {
    tw_queue *queue;
    const struct openmp_side *sides[PROBLEM_MAX_SIDES]; /* OpenMP, opened */
    int side_count;
    bool gpu;         /* the queue's device, and OpenMP's, is a GPU */
    bool small;       /* a check, not a measurement */
    const char *file; /* whose bytes the histogram counts; NULL: pseudo-random ones */
};

/** One way to solve the problem. */
struct contender {
    const char *label;
    int side; /* of OpenMP: index in struct setting; TEAMWORK for the kernels */
    int form; /* which kernel, or which loops: the problem's own numbering */
};
enum { TEAMWORK = -1 };

struct problem {
    char title[96];
    double work;      /* of one run: what `unit` counts in a second */
    const char *unit; /* "GB/s" */
    struct contender contenders[PROBLEM_MAX_CONTENDERS];
    int count;
    void *data;
    /* Puts the data in its first state, and spoils what an earlier run has left of a result. */
    bool (*reset)(void *data, const struct contender *contender);
    /* Solves it once, and waits. What was a result becomes the data of the next run, or is overwritten. */
    bool (*run)(void *data, const struct contender *contender);
    /* Whether reset() and run() gave the right result. */
    bool (*check)(void *data, const struct contender *contender);
    void (*destroy)(void *data); /* NULL data is allowed */
};

/* Each makes a problem, with its data; destroy(data) frees it, also if that failed. */
bool problem_reduce(struct problem *problem, const struct setting *setting);
bool problem_histogram(struct problem *problem, const struct setting *setting);
bool problem_matmul(struct problem *problem, const struct setting *setting);
bool problem_latch(struct problem *problem, const struct setting *setting);
bool problem_life(struct problem *problem, const struct setting *setting);

/* ---- what they have in common ----------------------------------------------------------------------------------- */

/** Prints what failed. @return false */
bool problem_fail(const char *what, const char *why);

/** Prints what failed and the library's own words for it, unless status is TW_SUCCESS. @return whether it is */
bool problem_passed(tw_status status, const char *what);

/** Adds a contender. */
void problem_add(struct problem *problem, const char *label, int side, int form);

/** Adds OpenMP's, one for each side. */
void problem_add_openmp(struct problem *problem, const struct setting *setting, int form);

/** A buffer that starts as a copy of `data`, or undefined where that is NULL. NULL, after a line on stderr, on failure.
 */
tw_buffer *problem_buffer(const void *data, size_t element_bytes, size_t count);

/** Memory of an OpenMP side, likewise. */
void *problem_memory(const struct openmp_side *side, const void *data, size_t bytes);

/** Copies between a buffer and the program's memory, all of it. */
bool problem_read(tw_buffer *buffer, void *to);
bool problem_write(tw_buffer *buffer, const void *from);

/** The next of a sequence of pseudo-random numbers; *state is not 0. */
uint64_t problem_random(uint64_t *state);

#endif
