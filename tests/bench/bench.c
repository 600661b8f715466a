/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring: all sides in turns, so that a change of clock or load hits them alike; medians; one table for each case.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "samples.h"

enum { MOST_ROWS = 12 };

/* A row while it is measured. */
struct running {
    const struct bench_row *row;
    struct bench_job job; /* the case's, with this row's own host memory */
    void *memory[3];
    double *samples; /* microseconds, one a call */
    size_t count;
    const char *problem; /* what is wrong with it; NULL: nothing */
};

static double median(double *samples, size_t count)
{
    bench_sort(samples, count);
    return bench_quantile(samples, count, 0.5);
}

/* Fills the arrays: those without initial contents with a pattern that is no result, so that a kernel that does nothing
   is found out. */
static bool fill_memory(const struct bench_case *c, const struct running *r, void *scratch)
{
    for (unsigned i = 0; i < 3; ++i) {
        if (!c->bytes[i] || c->over_host[i])
            continue;
        if (!c->initial[i])
            memset(scratch, 0xa5, c->bytes[i]);
        if (!r->row->side->upload(r->memory[i], c->initial[i] ? c->initial[i] : scratch, c->bytes[i]))
            return false;
    }
    return true;
}

static bool call_once(const struct running *r)
{
    return (!r->row->before || r->row->before(r->memory, &r->job)) && r->row->op(r->memory, &r->job);
}

static bool result_is_right(const struct bench_case *c, const struct running *r, void *scratch)
{
    if (c->result_in_host)
        return c->check(c, r->job.host);
    memset(scratch, 0x5a, c->bytes[c->output]);
    return r->row->side->download(scratch, r->memory[c->output], c->bytes[c->output]) && c->check(c, scratch);
}

static bool allocate(const struct bench_case *c, struct running *r, size_t samples)
{
    r->samples = malloc(samples * sizeof *r->samples);
    if (!r->samples)
        return false;
    for (unsigned i = 0; i < 3; ++i) {
        if (!c->bytes[i])
            continue;
        if (c->over_host[i]) {
            r->job.host = malloc(c->bytes[i]);
            if (!r->job.host)
                return false;
            if (c->initial[i])
                memcpy(r->job.host, c->initial[i], c->bytes[i]);
            else
                memset(r->job.host, 0xa5, c->bytes[i]);
        }
        r->memory[i] = r->row->side->allocate(c->over_host[i] ? r->job.host : NULL, c->bytes[i]);
        if (!r->memory[i])
            return false;
    }
    return true;
}

/* Allocates, runs once and checks: this call also pays for everything that happens only the first time. */
static void prepare(const struct bench_case *c, struct running *r, size_t samples, void *scratch)
{
    r->job = c->job;
    if (!allocate(c, r, samples))
        r->problem = "no memory";
    else if (!fill_memory(c, r, scratch) || !call_once(r))
        r->problem = "failed";
    else if (!result_is_right(c, r, scratch))
        r->problem = "WRONG RESULT";
}

static void release(struct running *r)
{
    for (unsigned i = 0; i < 3; ++i)
        if (r->memory[i])
            r->row->side->release(r->memory[i]);
    free(r->job.host);
    free(r->samples);
}

static void measure_turn(const struct bench_case *c, struct running *r)
{
    for (unsigned call = 0; call < c->calls && !r->problem; ++call) {
        if (r->row->before && !r->row->before(r->memory, &r->job)) {
            r->problem = "failed";
            return;
        }
        const double start = bench_now();
        const bool done = r->row->op(r->memory, &r->job);
        r->samples[r->count++] = (bench_now() - start) * 1e6 / c->divide;
        if (!done)
            r->problem = "failed";
    }
}

static void print_row(const struct bench_case *c, const struct running *r, double time_us, double first_us)
{
    if (r->problem) {
        printf("    %-34s %s\n", r->row->label, r->problem);
        return;
    }
    if (time_us >= 10e3)
        printf("    %-34s %9.2f ms", r->row->label, time_us * 1e-3);
    else
        printf("    %-34s %9.2f us", r->row->label, time_us);
    if (c->work > 0)
        printf("  %9.1f %s", c->work / time_us * 1e-3, c->unit);
    else
        printf("  %9s %4s", "", "");
    if (first_us > 0)
        printf("  %7.2f", time_us / first_us);
    printf("\n");
}

static bool finish(const struct bench_case *c, struct running *running, size_t count, void *scratch)
{
    bool right = true;
    double first_us = 0;
    for (size_t i = 0; i < count; ++i) {
        struct running *r = &running[i];
        if (!r->problem && !result_is_right(c, r, scratch))
            r->problem = "WRONG RESULT";
        const double time_us = r->problem || !r->count ? 0 : median(r->samples, r->count);
        if (i == 0)
            first_us = time_us;
        print_row(c, r, time_us, first_us);
        right = right && !r->problem;
        release(r);
    }
    fflush(stdout);
    return right;
}

bool bench_run(const struct bench_case *c, const struct bench_row *rows, size_t count, struct bench_effort effort)
{
    struct running running[MOST_ROWS] = {{0}};
    size_t used = 0, largest = 1;
    for (unsigned i = 0; i < 3; ++i)
        largest = c->bytes[i] > largest ? c->bytes[i] : largest;
    void *scratch = malloc(largest);
    if (!scratch) {
        fprintf(stderr, "%s: no memory\n", c->title);
        return false;
    }
    for (size_t i = 0; i < count && used < MOST_ROWS; ++i)
        if (rows[i].side && rows[i].op) {
            running[used].row = &rows[i];
            prepare(c, &running[used++], (size_t)effort.rounds * c->calls, scratch);
        }

    unsigned round = 0;
    const double start = bench_now();
    for (; round < effort.rounds && (round < 3 || bench_now() - start < effort.seconds); ++round)
        for (size_t i = 0; i < used; ++i)
            measure_turn(c, &running[i]);

    printf("\n%s; %u calls\n", c->title, round * c->calls);
    const bool right = finish(c, running, used, scratch);
    free(scratch);
    return right;
}
