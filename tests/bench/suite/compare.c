/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured, compared: tables, and geometric means over all programs. */
#include <math.h>
#include <string.h>

#include "run.h"

static bool works(const struct suite_row *row)
{
    return !row->failure && row->sample_count;
}

const struct suite_row *suite_best(const struct suite_result *result, enum suite_side side)
{
    const struct suite_row *best = NULL;
    for (size_t i = 0; i < result->row_count; ++i) {
        const struct suite_row *row = &result->rows[i];
        if (works(row) && row->side == side && (!best || row->us.median < best->us.median))
            best = row;
    }
    return best;
}

const struct suite_row *suite_baseline(const struct suite_result *result, const struct suite_row *row)
{
    const enum suite_side side = bench_on_gpu() ? SUITE_CUDA : SUITE_OPENMP;
    for (size_t i = 0; i < result->row_count; ++i) {
        const struct suite_row *other = &result->rows[i];
        if (works(other) && other->side == side && !strcmp(row->version->form, other->version->form))
            return other;
    }
    return suite_best(result, side);
}

/* The best of OpenMP, whatever its flags. */
static const struct suite_row *best_openmp(const struct suite_result *result)
{
    const struct suite_row *plain = suite_best(result, SUITE_OPENMP);
    const struct suite_row *tuned = suite_best(result, SUITE_OPENMP_TUNED);
    return !plain || (tuned && tuned->us.median < plain->us.median) ? tuned : plain;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

/* To another row; `starred` marks one of another form. */
static void print_ratio(const struct suite_result *result, const struct suite_row *row, const struct suite_row *base,
                        bool starred)
{
    if (base)
        printf(" %7.2f%s", suite_ratio(result, row, base),
               starred && strcmp(base->version->form, row->version->form) ? "*" : " ");
}

static void print_row(const struct suite_result *result, const struct suite_row *row)
{
    char label[64];
    snprintf(label, sizeof label, "%s, %s%s%s", suite_side_name(row->side), row->version->form,
             row->version->kind ? ", " : "", row->version->kind ? row->version->kind : "");
    if (!works(row)) {
        printf("    %-38s %s\n", label, row->failure ? row->failure : "not measured");
        return;
    }
    const double time = row->us.median;
    printf("    %-38s %11.1f us [%.1f, %.1f]", label, time, row->us.p25, row->us.p75);
    printf("  %7.1f GB/s", result->problem.work.bytes / time * 1e-3);
    if (result->problem.work.flops > 0)
        printf("  %8.1f GFLOP/s", result->problem.work.flops / time * 1e-3);
    if (row->side == SUITE_TEAMWORK) {
        print_ratio(result, row, suite_baseline(result, row), true);
        if (bench_on_gpu())
            print_ratio(result, row, best_openmp(result), false);
    }
    printf("\n");
}

void suite_print(const struct suite_result *result)
{
    printf("\n%s: %s; %u rounds\n", result->program->name, result->problem.title, result->rounds);
    for (size_t i = 0; i < result->row_count; ++i)
        print_row(result, &result->rows[i]);
    fflush(stdout);
}

/* ---- the summary ----------------------------------------------------------------------------------------------- */

/* A geometric mean in the making, and the ratios furthest from what is wanted. */
struct mean {
    double logs;
    unsigned count, beyond;
    double worst, limit;
    char who[96];
};

/* `worse` says whether a larger ratio is the worse one. */
static void add_ratio(struct mean *m, double ratio, bool worse, const struct suite_result *result,
                      const struct suite_row *row)
{
    m->logs += log(ratio);
    m->beyond += worse ? ratio > m->limit : ratio < m->limit;
    if (!m->count++ || (worse ? ratio > m->worst : ratio < m->worst)) {
        m->worst = ratio;
        snprintf(m->who, sizeof m->who, "%s, %s%s%s", result->program->name, row->version->form,
                 row->version->kind ? ", " : "", row->version->kind ? row->version->kind : "");
    }
}

static void print_mean(const char *title, const struct mean *m, bool worse)
{
    if (m->count)
        printf("    %-58s %6.3f of %2u; %u %s %.2f; worst %.2f: %s\n", title, exp(m->logs / m->count), m->count,
               m->beyond, worse ? "above" : "below", m->limit, m->worst, m->who);
}

/* Rows of Teamwork of a kind (suite_kind_matches()) against their twins, of programs that are literal or that are not. */
static void print_twins(const char *title, bool literal, const char *kind, const struct suite_result *results,
                        size_t count)
{
    struct mean m = {.limit = literal ? 1.20 : 1.10};
    for (size_t r = 0; r < count; ++r)
        for (size_t i = 0; i < results[r].row_count && results[r].problem.literal == literal; ++i) {
            const struct suite_row *row = &results[r].rows[i];
            if (row->side != SUITE_TEAMWORK || !works(row) || !suite_kind_matches(row->version, kind))
                continue;
            const struct suite_row *base = suite_baseline(&results[r], row);
            if (base && !strcmp(base->version->form, row->version->form))
                add_ratio(&m, suite_ratio(&results[r], row, base), true, &results[r], row);
        }
    print_mean(title, &m, true);
}

/* The best of another side over the best of Teamwork, a ratio for each program. */
static void print_speedups(const char *title, enum suite_side side, const struct suite_result *results, size_t count)
{
    struct mean m = {.limit = 1.0};
    for (size_t r = 0; r < count; ++r) {
        const struct suite_row *ours = suite_best(&results[r], SUITE_TEAMWORK);
        const struct suite_row *theirs = suite_best(&results[r], side);
        if (ours && theirs)
            add_ratio(&m, suite_ratio(&results[r], theirs, ours), false, &results[r], ours);
    }
    print_mean(title, &m, false);
}

void suite_print_summary(const struct suite_result *results, size_t count)
{
    printf("\nGeometric means\n");
    if (bench_on_gpu()) {
        print_twins("literal forms: Teamwork / CUDA", true, NULL, results, count);
        print_twins("other forms: Teamwork / CUDA of the same form", false, NULL, results, count);
        print_speedups("best CUDA / best Teamwork", SUITE_CUDA, results, count);
    } else {
        print_twins("literal forms: Teamwork / OpenMP", true, NULL, results, count);
        print_twins("other forms: Teamwork / OpenMP, without nd_range", false, "!nd_range", results, count);
        print_twins("other forms: Teamwork / OpenMP, nd_range", false, "nd_range", results, count);
    }
    print_speedups("best OpenMP / best Teamwork", SUITE_OPENMP, results, count);
    print_speedups("best OpenMP with tuned flags / best Teamwork", SUITE_OPENMP_TUNED, results, count);
}
