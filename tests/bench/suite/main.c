/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmark suite: runs its programs one after the other.
 *
 *     suite_cpu [--quick] [--size cpu|gpu] [--only NAME[,NAME]...] [--form FORM] [--kind KIND] [--seconds S]
 *               [--json FILE] [--opencl] [--list]
 *     suite_cpu --check
 *
 * --quick takes small problems, to see that all is right: its times mean nothing. --seconds is how long a program is measured,
 * at least. --check compares a few programs with OpenMP, and fails if Teamwork is much slower.
 * --opencl lets OpenCL take part on the host; what consists of many small kernels then takes longer for all, with its threads in
 * the process, so it is left out unless asked for.
 *
 * Exit status 1: a wrong result, or something failed; 2: wrong options.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

struct options {
    struct suite_effort effort;
    const char *only, *json;
    bool list, check, opencl;
};

/* What runs, for the watchdog. */
static const char *volatile running = "";

static void time_is_up(int signal)
{
    static const char text[] = "the watchdog ends the run: nothing has moved for minutes in ";
    (void)signal;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    (void)!write(STDERR_FILENO, running, strlen(running));
    (void)!write(STDERR_FILENO, "\n", 1);
    _exit(1);
}

/* Whether a comma-separated list has the name; a name that ends in '*' stands for all that begin so. */
static bool is_listed(const char *list, const char *name)
{
    while (list) {
        const char *end = strchr(list, ',');
        const size_t length = end ? (size_t)(end - list) : strlen(list);
        if (length && list[length - 1] == '*' ? !strncmp(list, name, length - 1)
                                              : strlen(name) == length && !strncmp(list, name, length))
            return true;
        list = end ? end + 1 : NULL;
    }
    return false;
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--quick] [--size cpu|gpu] [--only NAME[,NAME]...] [--form FORM] [--kind KIND] [--seconds S] "
            "[--json FILE] [--opencl]\n"
            "       %s --list | --check\n",
            program, program);
    return 2;
}

static bool parse_size(const char *text, enum suite_size *size)
{
    *size = text && !strcmp(text, "gpu") ? SUITE_GPU : SUITE_CPU;
    return text && (!strcmp(text, "gpu") || !strcmp(text, "cpu"));
}

static bool parse_seconds(const char *text, double *seconds)
{
    char *end = NULL;
    *seconds = text ? strtod(text, &end) : 0;
    return text && end != text && *end == '\0' && *seconds > 0;
}

/* Takes the option at *at and, where it has one, the value behind it. */
static bool parse_option(char **argv, int *at, struct options *o)
{
    const char *option = argv[*at], *value = argv[*at + 1];
    if (!strcmp(option, "--quick")) {
        o->effort.size = SUITE_QUICK;
        o->effort.least_rounds = 2;
        o->effort.most_rounds = 3;
        return true;
    }
    if (!strcmp(option, "--list"))
        return o->list = true;
    if (!strcmp(option, "--check"))
        return o->check = true;
    if (!strcmp(option, "--opencl"))
        return o->opencl = true;
    ++*at;
    if (!strcmp(option, "--size"))
        return parse_size(value, &o->effort.size);
    if (!strcmp(option, "--seconds"))
        return parse_seconds(value, &o->effort.seconds);
    if (!strcmp(option, "--only"))
        return (o->only = value);
    if (!strcmp(option, "--form"))
        return (o->effort.form = value);
    if (!strcmp(option, "--kind"))
        return (o->effort.kind = value);
    if (!strcmp(option, "--json"))
        return (o->json = value);
    return false;
}

static int list(void)
{
    for (size_t i = 0; i < suite_entry_count; ++i) {
        const struct suite_program *program = suite_entries[i].program;
        printf("%-16s %s\n", program->name, program->source);
        for (const struct suite_part *part = suite_entries[i].parts; part->versions; ++part)
            for (size_t v = 0; v < part->versions->count; ++v) {
                const struct suite_version *version = &part->versions->versions[v];
                printf("    %s, %s%s%s\n", suite_side_name(part->side), version->form, version->kind ? ", " : "",
                       version->kind ? version->kind : "");
            }
    }
    return 0;
}

static bool names_exist(const char *only)
{
    for (size_t i = 0; i < suite_entry_count; ++i)
        if (!only || is_listed(only, suite_entries[i].program->name))
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
        suite_device_name(),
        suite_on_gpu()                ? "CUDA, and to the fastest OpenMP"
        : suite_is_open(SUITE_OPENCL) ? "OpenMP, and to that in OpenCL"
                                      : "OpenMP");
    for (size_t i = 0; i < suite_entry_count; ++i) {
        running = suite_entries[i].program->name;
        if (o->only && !is_listed(o->only, running))
            continue;
        right = suite_measure(&suite_entries[i], &o->effort, &results[count]) && right;
        suite_print(&results[count++]);
    }
    suite_print_summary(results, count);
    if (o->json)
        right = suite_write_json(o->json, o->effort.size, results, count) && right;
    for (size_t i = 0; i < count; ++i)
        suite_result_free(&results[i]);
    free(results);
    return right;
}

int main(int argc, char **argv)
{
    struct options o = {
        .effort = {.size = SUITE_CPU, .least_rounds = 11, .most_rounds = SUITE_MOST_ROUNDS, .seconds = 4}};
    bool sized = false;
    for (int i = 1; i < argc; ++i) {
        sized = sized || !strcmp(argv[i], "--size") || !strcmp(argv[i], "--quick");
        if (!parse_option(argv, &i, &o))
            return usage(argv[0]);
    }
    if (o.list)
        return list();
    if (o.check)
        running = "a check";
    if (!names_exist(o.only))
        return 2;
    signal(SIGALRM, time_is_up);
    if (!suite_open_sides(o.opencl))
        return 1;
    if (!sized && suite_on_gpu())
        o.effort.size = SUITE_GPU;
    bool right = o.check ? suite_check() : run_programs(&o);
    running = "the end";
    right = suite_close_sides() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
