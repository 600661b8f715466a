/* SPDX-License-Identifier: Apache-2.0 */
/* Contests: every contender is checked first, and then measured in turns, so that what disturbs the machine disturbs
   all of them. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */
#include "contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_ROUNDS = 31, MIN_ROUNDS = 5, SLOW_ROUNDS = 3 };
static const double contest_seconds = 6, /* after that no round begins, unless there were too few */
    slow_seconds = 1.5;                  /* whoever has taken that long in SLOW_ROUNDS rests from then on */

/* What one contender took. */
struct times {
    double seconds[MAX_ROUNDS], sum;
    int count;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_right(const struct problem *problem, const struct contender *contender)
{
    return problem->reset(problem->data, contender) && problem->run(problem->data, contender)
           && problem->check(problem->data, contender);
}

static void print_label(const struct contender *contender)
{
    printf("    %-9s%-36s", contender->side == TEAMWORK ? "Teamwork" : "", contender->label);
}

bool contest_verify(const struct problem *problem)
{
    bool all = true;
    printf("%s\n", problem->title);
    for (int c = 0; c < problem->count; ++c) {
        const bool right = is_right(problem, &problem->contenders[c]);
        print_label(&problem->contenders[c]);
        printf(" %s\n", right ? "PASS" : "FAIL");
        fflush(stdout);
        all = all && right;
    }
    return all;
}

/* False if a run failed. */
static bool measure(const struct problem *problem, struct times times[PROBLEM_MAX_CONTENDERS])
{
    const double begin = seconds_now();
    for (int round = 0; round < MAX_ROUNDS && (round < MIN_ROUNDS || seconds_now() - begin < contest_seconds); ++round)
        for (int c = 0; c < problem->count; ++c) {
            struct times *t = &times[c];
            if (t->count >= SLOW_ROUNDS && t->sum > slow_seconds)
                continue;
            const double start = seconds_now();
            if (!problem->run(problem->data, &problem->contenders[c]))
                return false;
            t->seconds[t->count] = seconds_now() - start;
            t->sum += t->seconds[t->count++];
        }
    return true;
}

static double median(struct times *times)
{
    qsort(times->seconds, (size_t)times->count, sizeof(double), compare_doubles);
    return times->seconds[times->count / 2];
}

static void print_time(double seconds)
{
    if (seconds >= 10e-3)
        printf("%9.2f ms", seconds * 1e3);
    else
        printf("%9.2f us", seconds * 1e6);
}

static void print_table(const struct problem *problem, struct times times[PROBLEM_MAX_CONTENDERS])
{
    double seconds[PROBLEM_MAX_CONTENDERS], peer = 0; /* the best of OpenMP's */
    for (int c = 0; c < problem->count; ++c) {
        seconds[c] = median(&times[c]);
        if (problem->contenders[c].side != TEAMWORK && (peer == 0 || seconds[c] < peer))
            peer = seconds[c];
    }
    printf("\n%s\n", problem->title);
    for (int c = 0; c < problem->count; ++c) {
        print_label(&problem->contenders[c]);
        print_time(seconds[c]);
        printf("  %9.2f %-9s", problem->work / seconds[c], problem->unit);
        if (peer > 0)
            printf(" %7.2f", peer / seconds[c]);
        printf("\n");
    }
    fflush(stdout);
}

void contest_print_head(void)
{
    printf(
        "Medians of up to %d whole calls, with the wait for the result, in turns. The last column is how much faster\n"
        "it is than the best of OpenMP's.\n",
        MAX_ROUNDS);
}

bool contest_measure(const struct problem *problem)
{
    struct times times[PROBLEM_MAX_CONTENDERS] = {{{0}, 0, 0}};
    bool all = true;
    for (int c = 0; c < problem->count; ++c)
        if (!is_right(problem, &problem->contenders[c])) {
            problem_fail(problem->contenders[c].label, "WRONG RESULT");
            all = false;
        }
    if (!all || !measure(problem, times))
        return false;
    print_table(problem, times);
    return true;
}
