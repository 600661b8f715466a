/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same by OpenMP on the host. Dependences only order tasks of one parent, so threads that submit together have each
 * their own; tasks are made inside a parallel region, whose other threads run them.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "micro.h"

struct state {
    unsigned *counters;
    size_t expected;
};

static bool open_state(struct micro_job *job)
{
    const size_t most = job->buffers > job->accessors ? job->buffers : job->accessors;
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    return s && (s->counters = calloc(most + 64, 16 * sizeof *s->counters));
}

static bool close_state(struct micro_job *job)
{
    struct state *s = job->state;
    const size_t most = job->buffers > job->accessors ? job->buffers : job->accessors;
    size_t sum = 0;
    for (size_t i = 0; s && s->counters && i < most + 64; ++i)
        sum += s->counters[16 * i];
    const bool right = s && sum == s->expected;
    if (!right)
        fprintf(stderr, "the tasks did not count right\n");
    if (s)
        free(s->counters);
    free(s);
    return right;
}

static bool open_items(struct micro_job *job)
{
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    return s && (s->counters = calloc(MICRO_ITEMS, sizeof *s->counters));
}

static bool close_items(struct micro_job *job)
{
    struct state *s = job->state;
    bool right = s && s->counters;
    for (size_t i = 0; right && i < MICRO_ITEMS; ++i)
        right = s->counters[i] == s->expected;
    if (!right)
        fprintf(stderr, "the loops did not count right\n");
    if (s)
        free(s->counters);
    free(s);
    return right;
}

/* The threads sleep between samples. */
static void wake_team(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        __asm__ volatile("");
    }
}

static bool each(double seconds, const struct micro_job *job, double *value)
{
    *value = seconds * 1e6 / (double)job->count;
    return true;
}

static bool sample_submit_wait(const struct micro_job *job, double *value)
{
    double seconds = 0;
    wake_team(omp_get_max_threads());
#pragma omp parallel
#pragma omp single
    {
        const double start = omp_get_wtime();
        for (size_t i = 0; i < job->count; ++i) {
#pragma omp task
            {
            }
#pragma omp taskwait
        }
        seconds = omp_get_wtime() - start;
    }
    return each(seconds, job, value);
}

static bool sample_parallel(const struct micro_job *job, double *value)
{
    const int items = omp_get_max_threads();
    wake_team(items);
    const double start = omp_get_wtime();
    for (size_t i = 0; i < job->count; ++i) {
#pragma omp parallel for
        for (int k = 0; k < items; ++k) {
            __asm__ volatile(""); /* the region stays */
        }
    }
    return each(omp_get_wtime() - start, job, value);
}

static void chain_of_thread(unsigned *x, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
#pragma omp task depend(inout : x[0]) firstprivate(x)
        ++x[0];
    }
#pragma omp taskwait
}

static void fan_of_thread(size_t count)
{
    for (size_t i = 0; i < count; ++i) {
#pragma omp task
        {
            __asm__ volatile("");
        }
    }
#pragma omp taskwait
}

/* `threads` threads of a team submit, or one of the whole team. */
static bool sample_chain(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    const unsigned threads = job->threads ? job->threads : 1;
    const int team = threads > 1 ? (int)threads : omp_get_max_threads();
    wake_team(team);
    const double start = omp_get_wtime();
#pragma omp parallel num_threads(team)
    if ((unsigned)omp_get_thread_num() < threads)
        chain_of_thread(&s->counters[16 * omp_get_thread_num()], job->count / threads);
    s->expected += job->count / threads * threads;
    return each(omp_get_wtime() - start, job, value);
}

static bool sample_fan(const struct micro_job *job, double *value)
{
    const unsigned threads = job->threads ? job->threads : 1;
    const int team = threads > 1 ? (int)threads : omp_get_max_threads();
    wake_team(team);
    const double start = omp_get_wtime();
#pragma omp parallel num_threads(team)
    if ((unsigned)omp_get_thread_num() < threads)
        fan_of_thread(job->count / threads);
    return each(omp_get_wtime() - start, job, value);
}

static bool sample_buffers(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    wake_team(omp_get_max_threads());
    const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    for (size_t i = 0; i < job->count; ++i) {
        unsigned *x = &s->counters[16 * (i % job->buffers)];
#pragma omp task depend(inout : x[0]) firstprivate(x)
        ++x[0];
    }
    s->expected += job->count;
    return each(omp_get_wtime() - start, job, value);
}

static bool sample_loops(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    unsigned *x = s->counters;
    wake_team(omp_get_max_threads());
    const double start = omp_get_wtime();
    for (size_t i = 0; i < job->count; ++i)
#pragma omp parallel for simd schedule(static)
        for (size_t k = 0; k < MICRO_ITEMS; ++k)
            ++x[k];
    s->expected += job->count;
    return each(omp_get_wtime() - start, job, value);
}

/* The threads stay in one region, and meet after each loop. */
static bool sample_loops_of_a_region(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    unsigned *x = s->counters;
    const size_t count = job->count;
    wake_team(omp_get_max_threads());
    const double start = omp_get_wtime();
#pragma omp parallel firstprivate(x)
    for (size_t i = 0; i < count; ++i)
#pragma omp for simd schedule(static)
        for (size_t k = 0; k < MICRO_ITEMS; ++k)
            ++x[k];
    s->expected += job->count;
    return each(omp_get_wtime() - start, job, value);
}

static bool sample_accessors(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    const int accessors = (int)job->accessors;
    unsigned *x = s->counters;
    wake_team(omp_get_max_threads());
    const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    for (size_t i = 0; i < job->count; ++i) {
#pragma omp task depend(iterator(int k = 0 : accessors), inout : x[16 * k]) firstprivate(x)
        ++x[0];
    }
    s->expected += job->count;
    return each(omp_get_wtime() - start, job, value);
}

static const struct micro_entry entries[] = {
    {MICRO_SUBMIT_WAIT, "OpenMP", "task", 0, NULL, sample_submit_wait, NULL, false},
    {MICRO_SUBMIT_WAIT, "OpenMP", "parallel for", 0, NULL, sample_parallel, NULL, false},
    {MICRO_CHAIN, "OpenMP", "task depend", 0, open_state, sample_chain, close_state, false},
    {MICRO_KERNELS, "OpenMP", "parallel for", 0, open_items, sample_loops, close_items, false},
    {MICRO_KERNELS, "OpenMP", "for, in one region", 0, open_items, sample_loops_of_a_region, close_items, false},
    {MICRO_FAN, "OpenMP", "task", 0, NULL, sample_fan, NULL, false},
    {MICRO_BUFFERS, "OpenMP", "task depend", 0, open_state, sample_buffers, close_state, false},
    {MICRO_ACCESSORS, "OpenMP", "task depend", 0, open_state, sample_accessors, close_state, false},
};
const struct micro_entries micro_tasks_openmp = {entries, sizeof entries / sizeof entries[0], bench_on_host};
