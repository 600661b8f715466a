/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmark suite: runs its programs one after the other.
 *
 *     suite_cpu [--quick] [--size cpu|gpu] [--only NAME[,NAME]...] [--form FORM] [--kind KIND] [--seconds S]
 *               [--json FILE] [--list]
 *     suite_cpu --check
 *
 * --quick takes small problems, to see that all is right: its times mean nothing. --seconds is how long a program is
 * measured, at least. --check compares a few programs with OpenMP, and fails if Teamwork is much slower.
 *
 * Exit status 1: a wrong result, or something failed; 2: wrong options.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

struct options {
    struct suite_plan plan;
    const char *only, *json, *size;
    bool quick, list, check;
};

static int list(void)
{
    for (size_t i = 0; i < suite_entry_count; ++i)
        printf("%-16s %s\n", suite_entries[i].program->name, suite_entries[i].program->source);
    return 0;
}

static bool names_exist(const char *only)
{
    for (size_t i = 0; i < suite_entry_count; ++i)
        if (bench_is_listed(only, suite_entries[i].program->name))
            return true;
    fprintf(stderr, "no program is called %s: see --list\n", only);
    return false;
}

static bool run_programs(const struct options *o)
{
    bool right = true;
    size_t count = 0;
    struct suite_result *results = calloc(suite_entry_count, sizeof *results);
    if (!results)
        return false;
    printf(
        "Device: %s. Times are medians of whole calls, with the wait, and quartiles. Behind Teamwork: the ratio to its "
        "twin in %s (*: it has none, to the fastest).\n",
        bench_device_name(), bench_on_gpu() ? "CUDA, and to the fastest OpenMP" : "OpenMP");
    for (size_t i = 0; i < suite_entry_count; ++i) {
        if (!bench_is_listed(o->only, suite_entries[i].program->name))
            continue;
        right = suite_measure(&suite_entries[i], &o->plan, &results[count]) && right;
        suite_print(&results[count++]);
    }
    suite_print_summary(results, count);
    if (o->json)
        right = suite_write_json(o->json, o->plan.size, results, count) && right;
    for (size_t i = 0; i < count; ++i)
        suite_result_free(&results[i]);
    free(results);
    return right;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    const struct bench_option options[] = {
        {"--quick", NULL, BENCH_FLAG, &o->quick},           {"--size", "cpu|gpu", BENCH_TEXT, &o->size},
        {"--only", "NAME[,NAME]...", BENCH_TEXT, &o->only}, {"--form", "FORM", BENCH_TEXT, &o->plan.form},
        {"--kind", "[!]KIND", BENCH_TEXT, &o->plan.kind},   {"--seconds", "S", BENCH_NUMBER, &o->plan.effort.seconds},
        {"--json", "FILE", BENCH_TEXT, &o->json},           {"--list", NULL, BENCH_FLAG, &o->list},
        {"--check", NULL, BENCH_FLAG, &o->check},           {NULL, NULL, BENCH_FLAG, NULL},
    };
    if (!bench_parse(argc, argv, options))
        return false;
    if (o->size && strcmp(o->size, "gpu") && strcmp(o->size, "cpu")) {
        fprintf(stderr, "a size is cpu or gpu, not %s\n", o->size);
        return false;
    }
    if (o->quick) {
        o->plan.effort.least_rounds = 2;
        o->plan.effort.most_rounds = 3;
    }
    return names_exist(o->only);
}

/* Of the device, unless options say something else. */
static enum suite_size chosen_size(const struct options *o)
{
    if (o->quick)
        return SUITE_QUICK;
    if (o->size)
        return !strcmp(o->size, "gpu") ? SUITE_GPU : SUITE_CPU;
    return bench_on_gpu() ? SUITE_GPU : SUITE_CPU;
}

int main(int argc, char **argv)
{
    struct options o = {.plan.effort = {.least_rounds = 11, .most_rounds = SUITE_MOST_ROUNDS, .seconds = 3}};
    if (!read_options(argc, argv, &o))
        return 2;
    if (o.list)
        return list();
    if (!suite_open_sides())
        return 1;
    o.plan.size = chosen_size(&o);
    bool right = o.check ? suite_check() : run_programs(&o);
    right = bench_close() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
