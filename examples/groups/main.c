/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work-groups at work: reduction, histogram, matrix product, a device-wide latch and the Game of Life, each in several
 * forms, each against OpenMP by hand. The kernels are in reduce.c, histogram.c, matmul.c and latch.c, which are to be
 * read first, and in ../life/kernels.c.
 */
#define _POSIX_C_SOURCE 200809L /* alarm() */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <teamwork/device.h>

#include "contest.h"

enum { EXIT_WRONG_USE = 2 };

/* A latch whose groups do not all run would hang for ever. */
enum { WATCHDOG_SECONDS = 600 };

static const char help[] =
    "What work-groups are good for, on the best device there is, with Teamwork.\n"
    "\n"
    "  groups                 the main job: --verify, then --benchmark\n"
    "  groups --verify        solves small problems in all forms and checks the results\n"
    "  groups --benchmark     solves large ones, and prints a table of times with OpenMP by hand\n"
    "\n"
    "  --only NAME            one problem: reduce, histogram, matmul, latch or life\n"
    "  --file FILE            the histogram counts the bytes of this file (default: pseudo-random ones)\n"
    "  --help                 this text\n"
    "\n"
    "TW_DEVICES in the environment chooses another device: TW_DEVICES=host, for example.\n"
    "Exit status: 0 all is well; 1 a check or a device failed; 2 the command line is wrong.\n";

static const struct known {
    const char *name;
    bool (*make)(struct problem *problem, const struct setting *setting);
} known[] = {{"reduce", problem_reduce},
             {"histogram", problem_histogram},
             {"matmul", problem_matmul},
             {"latch", problem_latch},
             {"life", problem_life}};
enum { KNOWN = sizeof known / sizeof *known };

struct options {
    bool verify, benchmark, help;
    const char *only, *file;
};

static bool wrong(const char *what, const char *which)
{
    fprintf(stderr, "groups: %s%s (--help explains)\n", what, which);
    return false;
}

static bool is_known(const char *name)
{
    for (int i = 0; i < KNOWN; ++i)
        if (strcmp(known[i].name, name) == 0)
            return true;
    return false;
}

static bool parse(int argc, char **argv, struct options *options)
{
    static const struct option options_known[] = {
        {"verify", no_argument, NULL, 'v'},     {"benchmark", no_argument, NULL, 'b'},
        {"only", required_argument, NULL, 'o'}, {"file", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0}};
    *options = (struct options){0};
    opterr = 0; /* one line for every mistake, in our words */
    for (int option; (option = getopt_long(argc, argv, ":", options_known, NULL)) != -1;)
        switch (option) {
        case 'v':
            options->verify = true;
            break;
        case 'b':
            options->benchmark = true;
            break;
        case 'o':
            options->only = optarg;
            break;
        case 'f':
            options->file = optarg;
            break;
        case 'h':
            options->help = true;
            return true;
        case ':':
            return wrong(argv[optind - 1], " wants a value");
        default:
            return wrong("there is no option ", argv[optind - 1]);
        }
    if (optind < argc)
        return wrong("nothing to do with ", argv[optind]);
    if (options->only && !is_known(options->only))
        return wrong("--only wants reduce, histogram, matmul, latch or life, not ", options->only);
    if (!options->verify && !options->benchmark)
        options->verify = options->benchmark = true;
    return true;
}

/* OpenMP where the kernels run: on the same GPU, else on the host, whose loops are what a programmer would write for
   any CPU. */
static bool open_openmp(struct setting *setting)
{
    setting->gpu = tw_device_is_gpu(tw_queue_device(setting->queue));
#ifdef GROUPS_HAVE_GPU
    if (setting->gpu) {
        /* the queue is on the first GPU unless TW_DEVICES says otherwise */
        static const struct openmp_side *const sides[] = {&openmp_device, &openmp_device_tuned};
        for (int i = 0; i < PROBLEM_MAX_SIDES; ++i)
            if (sides[i]->open(0))
                setting->sides[setting->side_count++] = sides[i];
        return setting->side_count > 0 || problem_fail("OpenMP", "it does not reach the GPU");
    }
#endif
    if (setting->gpu)
        return problem_fail(tw_device_name(tw_queue_device(setting->queue)), "not compiled for it");
    setting->sides[setting->side_count++] = &openmp_host;
    return true;
}

static bool solve(struct setting *setting, const char *only, bool small)
{
    bool all = true;
    setting->small = small;
    if (!small)
        contest_print_head();
    for (int i = 0; i < KNOWN; ++i) {
        if (only && strcmp(known[i].name, only) != 0)
            continue;
        struct problem problem;
        const bool well =
            known[i].make(&problem, setting) && (small ? contest_verify(&problem) : contest_measure(&problem));
        problem.destroy(problem.data);
        all = all && well;
    }
    return all;
}

int main(int argc, char **argv)
{
    struct options options;
    if (!parse(argc, argv, &options))
        return EXIT_WRONG_USE;
    if (options.help) {
        fputs(help, stdout);
        return EXIT_SUCCESS;
    }
    alarm(WATCHDOG_SECONDS);
    struct setting setting = {.file = options.file};
    if (!problem_passed(tw_queue_create(NULL, NULL, NULL, NULL, &setting.queue), "no queue"))
        return EXIT_FAILURE;
    printf("Work-groups on %s\n\n", tw_device_name(tw_queue_device(setting.queue)));
    bool well = open_openmp(&setting);
    if (well && options.verify)
        well = solve(&setting, options.only, true);
    if (well && options.verify && options.benchmark)
        puts("");
    if (well && options.benchmark)
        well = solve(&setting, options.only, false);
    well = problem_passed(tw_queue_destroy(&setting.queue), "the queue") && well;
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
