/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launches and transfers cost Teamwork, CUDA and hand-written OpenMP on one device, in one process, in turns. On a GPU without CUDA built
 * in, and on other devices, the CUDA rows are missing.
 *
 *     gpu_compare [--quick] [--openmp-only]
 *
 * --quick takes small sizes, to see that all is right. --openmp-only touches neither Teamwork nor CUDA: OpenMP as it is
 * in a program of its own, where nobody else decides how the device's context waits. Exit status 1: a wrong result.
 */
#define _POSIX_C_SOURCE 200809L
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

/* Longer than any run takes: a device that hangs ends the program. */
enum { WATCHDOG_SECONDS = 900 };

struct options {
    bool quick, openmp_only;
};

/* Which sides take part; NULL: not this one. */
struct sides {
    const struct bench_side *cuda, *teamwork, *openmp, *tuned;
    bool gpu;
    struct options options;
    struct bench_effort effort;
};

#define ROW(label_, side_, op_) {label_, (side_), (side_) ? (side_)->op_ : NULL, NULL}
#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static bool run_and_free(struct bench_case *c, bool filled, const struct bench_row *rows, size_t count,
                         const struct sides *s)
{
    const bool right = filled && bench_run(c, rows, count, s->effort);
    bench_case_free(c);
    return right;
}

static bool compare_launches(const struct sides *s)
{
    struct bench_case c;
    const struct bench_row rows[] = {
        ROW("CUDA", s->cuda, single),
        ROW("Teamwork", s->teamwork, single),
        ROW("OpenMP", s->openmp, single),
        ROW("OpenMP, tuned flags", s->tuned, single),
    };
    return run_and_free(&c, bench_case_single(&c, s->options.quick ? 10 : 200), rows, COUNT(rows), s);
}

/* Asynchronous target regions have crashed on devices other than GPUs. */
static bool compare_chains(const struct sides *s)
{
    struct bench_case c;
    const struct bench_side *nowait = s->gpu ? s->openmp : NULL;
    const struct bench_row rows[] = {
        ROW("CUDA, one stream", s->cuda, chain),
        ROW("Teamwork", s->teamwork, chain),
        ROW("OpenMP", s->openmp, chain),
        ROW("OpenMP, tuned flags", s->tuned, chain),
        ROW("OpenMP, nowait and depend", nowait, chain_nowait),
    };
    return run_and_free(&c, bench_case_chain(&c, s->options.quick ? 50 : 1000), rows, COUNT(rows), s);
}

static bool compare_transfers(const struct sides *s)
{
    struct bench_case c;
    const size_t n = (size_t)1 << (s->options.quick ? 18 : 25);
    struct bench_row rows[] = {
        ROW("CUDA, cudaMemcpy", s->cuda, send),
        ROW("Teamwork, buffer over host memory", s->teamwork, send),
        ROW("OpenMP, omp_target_memcpy", s->openmp, send),
    };
    bool right = run_and_free(&c, bench_case_send(&c, n), rows, COUNT(rows), s);
    for (size_t i = 0; i < COUNT(rows); ++i)
        if (rows[i].side) {
            rows[i].before = rows[i].side->triad;
            rows[i].op = rows[i].side->fetch;
        }
    return run_and_free(&c, bench_case_fetch(&c, n), rows, COUNT(rows), s) && right;
}

static void open_openmp(struct sides *s, int device)
{
    s->openmp = &openmp_side;
    openmp_device = device;
#ifdef BENCH_HAVE_TUNED
    s->tuned = &openmp_tuned_side;
    openmp_tuned_device = device;
#endif
}

/* Teamwork comes first, so that it may choose how the context waits; CUDA keeps an existing choice. */
static bool open_sides(struct sides *s)
{
    if (s->options.openmp_only) {
        s->gpu = omp_get_num_devices() > 0;
        open_openmp(s, s->gpu ? 0 : omp_get_initial_device());
        printf("OpenMP alone, %s\n", s->gpu ? "on the first offload device" : "on the host");
        return true;
    }
    if (!teamwork_side_open())
        return false;
    s->teamwork = &teamwork_side;
    s->gpu = teamwork_side_is_gpu();
    open_openmp(s, teamwork_side_is_host() ? omp_get_initial_device() : 0); /* TW_DEVICES must not choose another */
#ifdef BENCH_HAVE_CUDA
    if (s->gpu && cuda_side_open())
        s->cuda = &cuda_side;
#endif
    printf("Teamwork's device: %s. Times are medians of whole calls, with the wait; the last column is relative to the "
           "first row.\n",
           teamwork_side_device());
    return true;
}

int main(int argc, char **argv)
{
    struct sides s = {0};
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--quick"))
            s.options.quick = true;
        else if (!strcmp(argv[i], "--openmp-only"))
            s.options.openmp_only = true;
        else {
            fprintf(stderr, "usage: %s [--quick] [--openmp-only]\n", argv[0]);
            return 2;
        }
    }
    alarm(WATCHDOG_SECONDS);
    s.effort = s.options.quick ? (struct bench_effort){3, 1} : (struct bench_effort){31, 3};
    if (!open_sides(&s))
        return 1;
    bool right = compare_launches(&s);
    right = compare_transfers(&s) && right;
    right = compare_chains(&s) && right;
    if (s.teamwork)
        right = teamwork_side_close() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
