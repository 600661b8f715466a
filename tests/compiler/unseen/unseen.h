/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels that nobody tuned for. Each is written as its usual CUDA, OpenCL or SYCL form would be ported word by word,
 * by someone who knows only docs/kernels.md, beside what a competent OpenMP programmer writes for a CPU. No kernel here
 * is changed because it is slow: that is a task for the library.
 *
 *     main.c         options, measuring, results
 *     data.c         memory, contents, comparison
 *     solvers.c ...  programs by theme; each ends in a table, which main.c lists
 *
 * Each file of programs also compiles alone, as a corpus for comparing object code with passes of the plugin on and
 * off:
 *
 *     clang-19 -std=c17 -O3 -march=native -fopenmp -Iinclude -Ioffload/include -DTW_SPLIT
 *         -fpass-plugin=BUILD/teamwork_compiler.so -S tests/compiler/unseen/solvers.c
 */
#ifndef TEAMWORK_UNSEEN_H
#define TEAMWORK_UNSEEN_H

#include <teamwork/teamwork.h>

enum { UNSEEN_INPUTS = 8, UNSEEN_OUTPUTS = 4, UNSEEN_SIZES = 4 };

/** What a version of a program works on. Both versions have the same inputs, and outputs of their own. */
struct unseen_data {
    const void *in[UNSEEN_INPUTS];
    void *out[UNSEEN_OUTPUTS];
    void *scratch; /**< what is in it is not compared */
    int n[UNSEEN_SIZES];
};

enum unseen_type { UNSEEN_BYTES, UNSEEN_INTS, UNSEEN_FLOATS, UNSEEN_DOUBLES };

/** Numbers that both versions compute. They differ by at most `tolerance` times the greater of the value and the mean
 *  of all absolute values. */
struct unseen_output {
    enum unseen_type type;
    size_t count;
    double tolerance;
    const void *initial; /**< what they hold before each run; NULL: poison */
    size_t may_differ;   /**< so many, on a GPU: it contracts products and sums, which moves points of a fractal */
    void *of[2];
};

struct unseen_problem {
    struct unseen_data data; /**< without outputs */
    struct unseen_output outputs[UNSEEN_OUTPUTS];
    int output_count;
};

struct unseen_program {
    const char *name, *about;
    void (*prepare)(struct unseen_problem *problem, bool quick);
    void (*teamwork)(tw_queue *queue,
                     const struct unseen_data *d); /**< submits; the caller waits. The queue is in order */
    void (*openmp)(const struct unseen_data *d);
};

/* ---- the programs; the last one of a table has no name ----------------------------------------------------------- */

extern const struct unseen_program unseen_solvers[], unseen_sparse[], unseen_stencils[], unseen_grids[],
    unseen_images[], unseen_particles[], unseen_rays[], unseen_numbers[], unseen_strings[], unseen_learning[],
    unseen_groups[], unseen_tiles[], unseen_blocks[];

/* ---- data.c ------------------------------------------------------------------------------------------------------ */

/** Memory that kernels reach, until the problem is freed; ends the program if there is none. */
void *unseen_memory(size_t bytes);
void unseen_free_all(void);

/** A number of a sequence that is the same in each run of a problem. */
unsigned unseen_random(void);

/** Random numbers from `low` up to `high`. */
float *unseen_floats(size_t count, float low, float high);
double *unseen_doubles(size_t count, double low, double high);
int *unseen_ints(size_t count, int low, int high); /**< `high` excluded */
unsigned char *unseen_bytes(size_t count);

void unseen_add_output(struct unseen_problem *problem, enum unseen_type type, size_t count, double tolerance,
                       const void *initial);

/** Submits the group; a failure ends the program with its message. */
void unseen_submit(tw_queue *queue, tw_command_group *group);

/* ---- for launches ------------------------------------------------------------------------------------------------ */

static inline size_t unseen_round_up(int count, int step)
{
    return ((size_t)count + (size_t)step - 1) / (size_t)step * (size_t)step;
}

/** At least `count` work-items in groups of `local`. */
static inline tw_nd_range unseen_1d(int count, int local)
{
    return tw_nd_range_make(tw_range_1d(unseen_round_up(count, local)), tw_range_1d((size_t)local));
}

static inline tw_nd_range unseen_2d(int rows, int columns, int local_rows, int local_columns)
{
    return tw_nd_range_make(tw_range_2d(unseen_round_up(rows, local_rows), unseen_round_up(columns, local_columns)),
                            tw_range_2d((size_t)local_rows, (size_t)local_columns));
}

#endif
