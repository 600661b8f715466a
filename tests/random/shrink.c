/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fewest steps of a failing program that still fail. Each attempt is a process of its own. */
#include "random.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shrink.h"

enum { TRIES_AT_FIRST = 12, MOST_TRIES = 40 };

struct attempt {
    const struct options *options;
    char file[64];
    unsigned steps[MAX_STEPS], count; /* numbers of the steps that are kept */
    unsigned tries;                   /* runs until an attempt counts as one that does not fail */
};

static void write_steps(const struct attempt *attempt)
{
    FILE *file = fopen(attempt->file, "w");
    for (unsigned i = 0; file && i < attempt->count; ++i)
        fprintf(file, "%u\n", attempt->steps[i]);
    if (!file || fclose(file) != 0) {
        perror(attempt->file);
        exit(2);
    }
}

static _Noreturn void run_child(const struct attempt *attempt, bool speaks)
{
    char seed[32], threads[16];
    const int nowhere = speaks ? -1 : open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, 1);
        dup2(nowhere, 2);
    }
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)attempt->options->seed);
    snprintf(threads, sizeof threads, "%u", attempt->options->threads);
    execl("/proc/self/exe", "random", "--reduced", "--seed", seed, "--threads", threads, "--devices",
          attempt->options->devices, "--keep", attempt->file, attempt->options->faults ? "--faults" : (char *)NULL,
          (char *)NULL);
    _exit(127);
}

/* Whether a run of the steps that are kept fails. */
static bool fails_once(const struct attempt *attempt, bool speaks)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        run_child(attempt, speaks);
    if (child < 0 || waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
        perror("random: shrinking");
        exit(2);
    }
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool fails(const struct attempt *attempt)
{
    write_steps(attempt);
    for (unsigned i = 0; i < attempt->tries; ++i)
        if (fails_once(attempt, false))
            return true;
    return false;
}

/* Leaves out `length` steps from `first` on, if it still fails then. */
static bool leave_out(struct attempt *attempt, unsigned first, unsigned length)
{
    struct attempt shorter = *attempt;
    if (first + length > shorter.count)
        length = shorter.count - first;
    memmove(&shorter.steps[first], &shorter.steps[first + length],
            (shorter.count - first - length) * sizeof *shorter.steps);
    shorter.count -= length;
    if (!fails(&shorter))
        return false;
    *attempt = shorter;
    return true;
}

static void reduce(struct attempt *attempt)
{
    bool any = true;
    for (unsigned length = attempt->count / 2; length >= 1 && any; length = length > 1 ? length / 2 : 1) {
        any = length > 1;
        for (unsigned end = attempt->count; end > 0; end = end > length ? end - length : 0) {
            const unsigned first = end > length ? end - length : 0;
            any = leave_out(attempt, first, end - first) || any;
        }
        fprintf(stderr, "random: %u steps left\n", attempt->count);
    }
}

int shrink(const struct options *options)
{
    static struct program program;
    struct attempt attempt = {.options = options};
    unsigned failed = 0;
    make_program(options, options->seed, &program);
    snprintf(attempt.file, sizeof attempt.file, "/tmp/random-steps-%ld", (long)getpid());
    for (unsigned i = 0; i < program.steps; ++i)
        attempt.steps[attempt.count++] = i;
    write_steps(&attempt);
    for (unsigned i = 0; i < TRIES_AT_FIRST; ++i)
        failed += fails_once(&attempt, false);
    if (!failed) {
        fprintf(stderr, "random: program %llu does not fail in %u runs\n", (unsigned long long)options->seed,
                TRIES_AT_FIRST);
        return 1;
    }
    attempt.tries = failed == TRIES_AT_FIRST ? 1 : 4 * TRIES_AT_FIRST / failed;
    attempt.tries = attempt.tries < MOST_TRIES ? attempt.tries : MOST_TRIES;
    reduce(&attempt);
    write_steps(&attempt);
    keep_steps(&program, attempt.file);
    print_program(&program);
    printf("these are the steps");
    for (unsigned i = 0; i < attempt.count; ++i)
        printf(" %u", attempt.steps[i]);
    printf(" of program %llu, for --keep FILE\n", (unsigned long long)options->seed);
    fflush(stdout);
    for (unsigned i = 0; i < attempt.tries && !fails_once(&attempt, true); ++i) {
    }
    unlink(attempt.file);
    return 1;
}
