/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting, ending and being idle. What happens once in a process is measured in fresh ones: the program starts itself
 * with --child, and the child says when it had its first result. The clock is the same for all processes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

extern char **environ;

struct first {
    unsigned *x;
};
static inline void first(tw_item item, const struct first *k)
{
    k->x[tw_global_id(item, 0)] = 42;
}
TW_RANGE_KERNEL(first, 1);

/* ---- the child ----------------------------------------------------------------------------------------------- */

enum { ITEMS = 64 };

static bool teamwork_first(tw_queue **queue)
{
    unsigned data[ITEMS] = {0};
    tw_buffer *buffer = NULL;
    if (tw_queue_create(NULL, NULL, NULL, NULL, queue) != TW_SUCCESS
        || tw_buffer_create_over(data, sizeof data[0], tw_range_1d(ITEMS), &buffer) != TW_SUCCESS)
        return false;
    TW_COMMAND_GROUP(*queue, cg) {
        tw_parallel_for(cg, tw_range_1d(ITEMS), first, .x = tw_discard_write(cg, buffer));
    }
    return tw_buffer_destroy(&buffer) == TW_SUCCESS && data[0] == 42 && data[ITEMS - 1] == 42;
}

static bool openmp_first(void)
{
    unsigned data[ITEMS] = {0};
#pragma omp parallel for
    for (int i = 0; i < ITEMS; ++i)
        data[i] = 42;
    return data[0] == 42 && data[ITEMS - 1] == 42;
}

/* Hands the time of the first result to the parent. */
static void tell(double now)
{
    printf("%.9f\n", now);
    fflush(stdout);
}

int micro_child(const char *what)
{
    tw_queue *queue = NULL;
    bool right = false;
    if (!strcmp(what, "teamwork")) {
        right = teamwork_first(&queue);
        tell(bench_now());
        right = tw_queue_destroy(&queue) == TW_SUCCESS && tw_shutdown() == TW_SUCCESS && right;
        return right ? 0 : 1;
    }
    if (!strcmp(what, "nothing"))
        right = true;
    else if (!strcmp(what, "openmp"))
        right = openmp_first();
#ifdef MICRO_HAVE_TARGET
    else if (!strcmp(what, "target"))
        right = micro_target_first();
#endif
#ifdef MICRO_HAVE_CUDA
    else if (!strcmp(what, "cuda"))
        right = micro_cuda_first();
#endif
    tell(bench_now());
    return right ? 0 : 1;
}

/* ---- the parent ---------------------------------------------------------------------------------------------- */

struct life {
    double begin, result, end;
};

/* Starts the child with its output in a pipe. Returns the end to read from, -1 on failure. */
static int start_child(const char *what, pid_t *child)
{
    int ends[2];
    char option[] = "--child", name[16];
    char *const arguments[] = {(char *)(uintptr_t)micro_options.program, option, name, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(name, sizeof name, "%s", what);
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

static bool live(const char *what, struct life *life)
{
    pid_t child = 0;
    int status = 0;
    life->begin = bench_now();
    const int from = start_child(what, &child);
    FILE *answer = from < 0 ? NULL : fdopen(from, "r");
    const bool told = answer && fscanf(answer, "%lf", &life->result) == 1;
    if (from >= 0)
        waitpid(child, &status, 0);
    life->end = bench_now();
    if (answer)
        fclose(answer);
    if (!told || !WIFEXITED(status) || WEXITSTATUS(status))
        fprintf(stderr, "the process that was to start with \"%s\" failed\n", what);
    return told && WIFEXITED(status) && !WEXITSTATUS(status);
}

bool micro_start_of(const char *what, double *value)
{
    struct life life = {0, 0, 0};
    const bool done = live(what, &life);
    *value = (life.result - life.begin) * 1e6;
    return done;
}

bool micro_end_of(const char *what, double *value)
{
    struct life life = {0, 0, 0};
    const bool done = live(what, &life);
    *value = (life.end - life.result) * 1e6;
    return done;
}

static bool start_teamwork(const struct micro_job *job, double *value)
{
    (void)job;
    return micro_start_of("teamwork", value);
}

static bool end_teamwork(const struct micro_job *job, double *value)
{
    (void)job;
    return micro_end_of("teamwork", value);
}

static bool start_nothing(const struct micro_job *job, double *value)
{
    (void)job;
    return micro_start_of("nothing", value);
}

static bool end_nothing(const struct micro_job *job, double *value)
{
    (void)job;
    return micro_end_of("nothing", value);
}

static bool start_openmp(const struct micro_job *job, double *value)
{
    (void)job;
    return micro_start_of("openmp", value);
}

static bool end_openmp(const struct micro_job *job, double *value)
{
    (void)job;
    return micro_end_of("openmp", value);
}

/* ---- idle ---------------------------------------------------------------------------------------------------- */

static double processor_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
           + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-3;
}

static void sleep_a_second(void)
{
    const long nanoseconds = micro_options.quick ? 50000000 : 999999999;
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

/* What a second of sleep takes after `work`, or the second after that. */
static double idle_ms(bool (*work)(void), bool later, bool *done)
{
    sleep_a_second(); /* what ran before has come to rest */
    *done = work();
    if (later)
        sleep_a_second();
    const double before = processor_ms();
    sleep_a_second();
    return processor_ms() - before;
}

static bool work_by_teamwork(void)
{
    enum { TIMES = 100 };
    tw_queue *queue = bench_queue();
    tw_buffer *buffer = NULL;
    if (tw_buffer_create(sizeof(unsigned), tw_range_1d(ITEMS), &buffer) != TW_SUCCESS)
        return false;
    for (unsigned i = 0; i < TIMES; ++i)
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for(cg, tw_range_1d(ITEMS), first, .x = tw_write(cg, buffer));
        }
    const bool done = tw_queue_wait(queue) == TW_SUCCESS;
    return tw_buffer_destroy(&buffer) == TW_SUCCESS && done;
}

static bool idle_teamwork(const struct micro_job *job, double *value)
{
    bool done = false;
    (void)job;
    *value = idle_ms(work_by_teamwork, false, &done);
    return done;
}

static bool idle_later_teamwork(const struct micro_job *job, double *value)
{
    bool done = false;
    (void)job;
    *value = idle_ms(work_by_teamwork, true, &done);
    return done;
}

static bool idle_openmp(const struct micro_job *job, double *value)
{
    bool done = false;
    (void)job;
    *value = idle_ms(openmp_first, false, &done);
    return done;
}

static bool idle_later_openmp(const struct micro_job *job, double *value)
{
    bool done = false;
    (void)job;
    *value = idle_ms(openmp_first, true, &done);
    return done;
}

static const struct micro_entry entries[] = {
    {MICRO_START, "Teamwork", "", 0, NULL, start_teamwork, NULL, false},
    {MICRO_START, "the process", "alone", 0, NULL, start_nothing, NULL, false},
    {MICRO_END, "Teamwork", "", 0, NULL, end_teamwork, NULL, false},
    {MICRO_END, "the process", "alone", 0, NULL, end_nothing, NULL, false},
    {MICRO_IDLE, "Teamwork", "", 0, NULL, idle_teamwork, NULL, false},
    {MICRO_IDLE_LATER, "Teamwork", "", 0, NULL, idle_later_teamwork, NULL, false},
};
const struct micro_entries micro_process = {entries, sizeof entries / sizeof entries[0], NULL};

static const struct micro_entry openmp_entries[] = {
    {MICRO_START, "OpenMP", "parallel for", 0, NULL, start_openmp, NULL, false},
    {MICRO_END, "OpenMP", "parallel for", 0, NULL, end_openmp, NULL, false},
    {MICRO_IDLE, "OpenMP", "parallel for", 0, NULL, idle_openmp, NULL, false},
    {MICRO_IDLE_LATER, "OpenMP", "parallel for", 0, NULL, idle_later_openmp, NULL, false},
};
const struct micro_entries micro_process_openmp = {openmp_entries, sizeof openmp_entries / sizeof openmp_entries[0],
                                                   bench_on_host};

bool micro_run_process(void)
{
    const struct micro_job job = {.count = 1};
    bool right = micro_measure(MICRO_START, "", &job);
    right = micro_measure(MICRO_END, "", &job) && right;
    right = micro_measure(MICRO_IDLE, "", &job) && right;
    return micro_measure(MICRO_IDLE_LATER, "", &job) && right;
}
