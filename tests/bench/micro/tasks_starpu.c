/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same by tasks of StarPU on its CPU workers: chains through a data handle, fans without one. Idle workers poll for
 * tasks, so StarPU only runs during samples; its start and end are not measured.
 */
#define _POSIX_C_SOURCE 200809L
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "micro.h"

enum { MOST_THREADS = 8, SPACING = 16 /* counters of two threads are in different cache lines */ };

static void bump(void *buffers[], void *unused)
{
    (void)unused;
    ++*(unsigned *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static void nothing(void *buffers[], void *unused)
{
    (void)buffers;
    (void)unused;
}

static struct starpu_codelet bump_codelet = {.cpu_funcs = {bump}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "bump"};
static struct starpu_codelet nothing_codelet = {.cpu_funcs = {nothing}, .nbuffers = 0, .name = "nothing"};

struct state {
    const struct micro_job *job; /* of the sample that runs */
    starpu_data_handle_t handles[MOST_THREADS];
    unsigned counters[MOST_THREADS * SPACING];
    unsigned threads;
    bool reserve; /* a core for who submits */
    size_t expected;
};

static bool passed(int error, const char *call)
{
    if (error != 0)
        fprintf(stderr, "StarPU: %s: error %d\n", call, error);
    return error == 0;
}

/* For a sample, as there is one StarPU in a process. */
static bool start(struct state *s, const struct micro_job *job)
{
    struct starpu_conf conf;
    s->job = job;
    setenv("STARPU_SILENT", "1", 0);
    if (!passed(starpu_conf_init(&conf), "starpu_conf_init"))
        return false;
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (s->reserve && sysconf(_SC_NPROCESSORS_ONLN) > 1)
        conf.reserve_ncpus = 1;
    if (!passed(starpu_init(&conf), "starpu_init"))
        return false;
    for (unsigned i = 0; i < s->threads; ++i)
        starpu_variable_data_register(&s->handles[i], STARPU_MAIN_RAM, (uintptr_t)&s->counters[i * SPACING],
                                      sizeof s->counters[0]);
    return true;
}

static void stop(struct state *s)
{
    for (unsigned i = 0; i < s->threads; ++i)
        starpu_data_unregister(s->handles[i]);
    starpu_shutdown();
}

static bool open_state(struct micro_job *job, bool reserve)
{
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s)
        return false;
    s->reserve = reserve;
    s->threads = job->threads > 1 ? job->threads : 1;
    return s->threads <= MOST_THREADS;
}

/* Workers on all cores, as StarPU does by default: they are in the way of who submits. */
static bool open_default(struct micro_job *job)
{
    return open_state(job, false);
}

/* On all but one, which is left to who submits. */
static bool open_reserved(struct micro_job *job)
{
    return open_state(job, true);
}

static bool close_state(struct micro_job *job)
{
    struct state *s = job->state;
    size_t sum = 0;
    if (!s)
        return false;
    for (unsigned i = 0; i < MOST_THREADS; ++i)
        sum += s->counters[i * SPACING];
    const bool right = sum == s->expected;
    if (!right)
        fprintf(stderr, "the tasks did not count right\n");
    free(s);
    return right;
}

/* A task with the handle, if it is not NULL. */
static bool submit(struct starpu_codelet *codelet, starpu_data_handle_t handle, bool synchronous)
{
    struct starpu_task *task = starpu_task_create();
    if (!task)
        return false;
    task->cl = codelet;
    task->handles[0] = handle;
    task->synchronous = synchronous;
    return passed(starpu_task_submit(task), "starpu_task_submit");
}

static bool sample_submit_wait(const struct micro_job *job, double *value)
{
    bool done = true;
    if (!start(job->state, job))
        return false;
    const double begin = bench_now();
    for (size_t i = 0; i < job->count; ++i)
        done = submit(&nothing_codelet, NULL, true) && done;
    *value = (bench_now() - begin) * 1e6 / (double)job->count;
    stop(job->state);
    return done;
}

static bool chain_of_thread(void *user, unsigned thread)
{
    struct state *s = user;
    bool done = true;
    for (size_t i = 0; i < s->job->count / s->threads; ++i)
        done = submit(&bump_codelet, s->handles[thread], false) && done;
    return passed(starpu_task_wait_for_all(), "starpu_task_wait_for_all") && done;
}

static bool fan_of_thread(void *user, unsigned thread)
{
    struct state *s = user;
    bool done = true;
    (void)thread;
    for (size_t i = 0; i < s->job->count / s->threads; ++i)
        done = submit(&nothing_codelet, NULL, false) && done;
    return passed(starpu_task_wait_for_all(), "starpu_task_wait_for_all") && done;
}

static bool on_threads(const struct micro_job *job, bool (*body)(void *, unsigned), double *value)
{
    struct state *s = job->state;
    if (!start(s, job))
        return false;
    const bool done = micro_share(job, s->threads, body, s, value);
    stop(s);
    return done;
}

static bool sample_chain(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    s->expected += job->count / s->threads * s->threads;
    return on_threads(job, chain_of_thread, value);
}

static bool sample_fan(const struct micro_job *job, double *value)
{
    return on_threads(job, fan_of_thread, value);
}

static const struct micro_entry entries[] = {
    {MICRO_SUBMIT_WAIT, "StarPU", "", 0, open_default, sample_submit_wait, close_state, false},
    {MICRO_SUBMIT_WAIT, "StarPU", "a core reserved", 0, open_reserved, sample_submit_wait, close_state, false},
    {MICRO_CHAIN, "StarPU", "", 100000, open_default, sample_chain, close_state, false},
    {MICRO_CHAIN, "StarPU", "a core reserved", 100000, open_reserved, sample_chain, close_state, false},
    {MICRO_FAN, "StarPU", "", 100000, open_default, sample_fan, close_state, false},
    {MICRO_FAN, "StarPU", "a core reserved", 100000, open_reserved, sample_fan, close_state, false},
};
const struct micro_entries micro_tasks_starpu = {entries, sizeof entries / sizeof entries[0], bench_on_host};
