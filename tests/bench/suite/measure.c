/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring a program: all versions in turns, so that a change of clock or load hits them alike. Results are checked
 * before and after.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum {
    MOST_CALLS = 20,       /* in a turn */
    HOST_SITTINGS = 3,     /* on the host, memory is allocated anew so often: where it lies counts there */
    WATCHDOG_SECONDS = 600 /* longer than any single step takes: a device that hangs ends the run */
};

/* A version that takes longer than this has its turn in every fourth round only, else it would use up the others'
   time. */
static const double SLOW_US = 500e3;

/* A turn of short runs takes about so long. */
static const double TURN_US = 3000;

/* Runs up to so long find in the caches what the turn before left there, so that the first one of a turn does not
   count. */
static const double SHORT_US = 10e3;

/* Times one call; less than 0 if it failed. */
static double call_once(struct suite_row *row)
{
    const double start = bench_now();
    const bool done = row->version->run(row->state);
    const double time = (bench_now() - start) * 1e6;
    if (!done)
        row->failure = "run failed";
    return done ? time : -1;
}

static void check(struct suite_row *row, const struct suite_program *program, const struct suite_problem *problem,
                  void *result)
{
    if (row->failure)
        return;
    memset(result, SUITE_POISON, problem->result_bytes);
    if (!row->version->fetch(row->state, result))
        row->failure = "fetch failed";
    else if (!program->check(problem, result))
        row->failure = "WRONG RESULT";
}

/* The first call also pays for everything that happens only once. */
static void open_row(struct suite_row *row, const struct suite_problem *problem)
{
    bench_watchdog(WATCHDOG_SECONDS, NULL);
    row->state = row->version->open(problem->data);
    if (row->state)
        call_once(row);
    else
        row->failure = "open failed";
}

static void close_row(struct suite_row *row, const struct suite_program *program, const struct suite_problem *problem,
                      void *result)
{
    bench_watchdog(WATCHDOG_SECONDS, NULL);
    check(row, program, problem, result);
    if (row->state)
        row->version->close(row->state);
    row->state = NULL;
}

/* The second call says how long calls take. */
static void prepare(struct suite_row *row, const struct suite_program *program, const struct suite_problem *problem,
                    const struct suite_plan *plan, void *result)
{
    open_row(row, problem);
    check(row, program, problem, result);
    const double time = row->failure ? -1 : call_once(row);
    row->calls = plan->size == SUITE_QUICK || time > TURN_US ? 1
                 : time * MOST_CALLS < TURN_US               ? MOST_CALLS
                                                             : (unsigned)(TURN_US / time);
    row->every = time > SLOW_US ? 4 : 1;
    row->is_short = time <= SHORT_US;
    row->samples = malloc((size_t)plan->effort.most_rounds * row->calls * sizeof *row->samples);
    row->turns = calloc(plan->effort.most_rounds, sizeof *row->turns);
    if (!row->samples || !row->turns)
        row->failure = "no memory";
}

static void take_turn(struct suite_row *row, unsigned round)
{
    double *samples = row->samples + row->sample_count, sorted[MOST_CALLS];
    bench_watchdog(WATCHDOG_SECONDS, NULL);
    if (row->is_short)
        call_once(row);
    for (unsigned call = 0; call < row->calls && !row->failure; ++call) {
        const double time = call_once(row);
        if (time >= 0)
            row->samples[row->sample_count++] = time;
    }
    if (row->failure)
        return;
    memcpy(sorted, samples, row->calls * sizeof *sorted);
    row->turns[round] = bench_summarize(sorted, row->calls).median;
}

static void finish(struct suite_row *row, const struct suite_program *program, const struct suite_problem *problem,
                   void *result)
{
    close_row(row, program, problem, result);
    if (row->failure || !row->sample_count)
        return;
    row->us = bench_summarize(row->samples, row->sample_count);
}

bool suite_kind_matches(const struct suite_version *version, const char *kind)
{
    const bool other = kind && kind[0] == '!';
    return !kind || !version->kind || (strcmp(kind + other, version->kind) == 0) != other;
}

static bool is_wanted(const struct suite_version *version, const struct suite_plan *plan)
{
    return (!plan->form || !strcmp(plan->form, version->form)) && suite_kind_matches(version, plan->kind);
}

static void list_rows(const struct suite_entry *entry, const struct suite_plan *plan, struct suite_result *r)
{
    for (const struct suite_part *part = entry->parts; part->versions; ++part)
        for (size_t i = 0; i < part->versions->count && r->row_count < SUITE_MOST_ROWS; ++i) {
            const struct suite_version *version = &part->versions->versions[i];
            if (is_wanted(version, plan))
                r->rows[r->row_count++] = (struct suite_row){.side = part->side, .version = version};
        }
}

/* Everybody gets other memory. */
static void move_rows(struct suite_result *r, unsigned sitting, void *result)
{
    for (size_t i = 0; i < r->row_count; ++i)
        close_row(&r->rows[i], r->program, &r->problem, result);
    for (size_t i = 0; i < r->row_count; ++i) {
        struct suite_row *row = &r->rows[(i + sitting) % r->row_count];
        if (!row->failure)
            open_row(row, &r->problem);
    }
}

static void take_turn_of(void *user, size_t version, unsigned round)
{
    struct suite_result *r = user;
    struct suite_row *row = &r->rows[version];
    if (!row->failure && round % row->every == 0)
        take_turn(row, round);
}

/* The rounds that there are after a sitting, and the time that it has. */
static struct bench_effort effort_of(struct bench_effort whole, unsigned sitting, unsigned sittings)
{
    return (struct bench_effort){.least_rounds = whole.least_rounds * (sitting + 1) / sittings,
                                 .most_rounds = whole.most_rounds * (sitting + 1) / sittings,
                                 .seconds = whole.seconds / sittings};
}

static void measure_rows(const struct suite_plan *plan, struct suite_result *r, void *result)
{
    const unsigned sittings = bench_on_gpu() || plan->effort.least_rounds < HOST_SITTINGS ? 1 : HOST_SITTINGS;
    for (size_t i = 0; i < r->row_count; ++i)
        prepare(&r->rows[i], r->program, &r->problem, plan, result);
    for (unsigned sitting = 0; sitting < sittings; ++sitting) {
        if (sitting)
            move_rows(r, sitting, result);
        r->rounds =
            bench_take_rounds(r->rounds, effort_of(plan->effort, sitting, sittings), r->row_count, take_turn_of, r);
    }
    for (size_t i = 0; i < r->row_count; ++i)
        finish(&r->rows[i], r->program, &r->problem, result);
}

bool suite_measure(const struct suite_entry *entry, const struct suite_plan *plan, struct suite_result *result)
{
    *result = (struct suite_result){.program = entry->program};
    void *fetched = NULL;
    bool passed = false;
    bench_watchdog(WATCHDOG_SECONDS, entry->program->name);
    list_rows(entry, plan, result);
    if (!entry->program->make(plan->size, &result->problem))
        fprintf(stderr, "%s: the problem could not be made\n", entry->program->name);
    else if (result->row_count && (fetched = suite_allocate(result->problem.result_bytes))) {
        measure_rows(plan, result, fetched);
        passed = true;
    }
    bench_watchdog(0, "");
    free(fetched);
    entry->program->free(&result->problem);
    result->problem.data = NULL;
    for (size_t i = 0; i < result->row_count; ++i)
        passed = passed && !result->rows[i].failure;
    return passed || ((plan->form || plan->kind) && !result->row_count);
}

void suite_result_free(struct suite_result *result)
{
    for (size_t i = 0; i < result->row_count; ++i) {
        free(result->rows[i].samples);
        free(result->rows[i].turns);
    }
}

double suite_ratio(const struct suite_result *result, const struct suite_row *row, const struct suite_row *base)
{
    double ratios[SUITE_MOST_ROUNDS];
    size_t count = 0;
    for (unsigned round = 0; round < result->rounds; ++round)
        if (row->turns[round] > 0 && base->turns[round] > 0)
            ratios[count++] = row->turns[round] / base->turns[round];
    return count ? bench_summarize(ratios, count).median : row->us.median / base->us.median;
}
