/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A few programs against OpenMP on the host, with a limit so wide that noise does not cross it: what fails here has
 * lost its vector instructions, waits where it should not, or copies what it should not.
 *
 * A version passes if the median of the ratios of all rounds, or the ratio of the shortest times, is below the limit; a
 * program has three tries.
 */
#include <string.h>

#include "run.h"

enum { TRIES = 3 };

static const double LIMIT = 1.6;

/* A program, and the form that is checked; NULL: all. */
static const struct {
    const char *program, *form;
} checks[] = {
    {"stream_triad", NULL}, {"stream_dot", "reduction"}, {"peak", NULL}, {"life", NULL}, {"transpose", "tiled"}};

static const struct suite_entry *find(const char *name)
{
    for (size_t i = 0; i < suite_entry_count; ++i)
        if (!strcmp(suite_entries[i].program->name, name))
            return &suite_entries[i];
    return NULL;
}

/* The worst ratio of a version to its twin. */
static double worst_ratio(const struct suite_result *result)
{
    double worst = 0;
    for (size_t i = 0; i < result->row_count; ++i) {
        const struct suite_row *row = &result->rows[i];
        const struct suite_row *base = row->side == SUITE_TEAMWORK ? suite_baseline(result, row) : NULL;
        if (!base)
            continue;
        const double median = suite_ratio(result, row, base), least = row->us.least / base->us.least;
        const double ratio = median < least ? median : least;
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

static bool check_program(const struct suite_entry *entry, const char *form)
{
    const struct suite_plan plan = {.size = SUITE_CPU, .effort = {5, 11, 0.7}, .form = form, .kind = "!nd_range"};
    for (unsigned try = 0; try < TRIES; ++try) {
        struct suite_result result;
        const bool right = suite_measure(entry, &plan, &result);
        const double worst = worst_ratio(&result);
        suite_print(&result);
        suite_result_free(&result);
        if (!right)
            return false;
        if (worst > 0 && worst < LIMIT)
            return true;
    }
    fprintf(stderr, "%s: Teamwork takes more than %.1f times as long as OpenMP\n", entry->program->name, LIMIT);
    return false;
}

bool suite_check(void)
{
    bool passed = true;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; ++i) {
        const struct suite_entry *entry = find(checks[i].program);
        if (!entry)
            fprintf(stderr, "there is no program %s\n", checks[i].program);
        passed = entry && check_program(entry, checks[i].form) && passed;
    }
    return passed;
}
