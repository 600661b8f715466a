/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro_cpu and micro_gpu: options and the order of measurements. Exit status 1: something failed or a result is wrong.
 *
 *     micro_gpu [--quick] [--only NAME] [--seconds S] [--json FILE] [--without-cuda] [--peers]
 *
 * --peers: OpenCL and StarPU take part on the host. Threads of OpenMP's are slower beside theirs, so that wants a run of its own.
 * The device is Teamwork's default one: TW_DEVICES chooses.
 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "micro.h"

/* Longer than any run takes: a device that hangs ends the program. */
enum { WATCHDOG_SECONDS = 1500, CHILD_WATCHDOG_SECONDS = 300 };

static int usage(void)
{
    fprintf(stderr, "usage: %s [--quick] [--only NAME] [--seconds S] [--json FILE] [--without-cuda] [--peers]\n",
            micro_options.program);
    return 2;
}

int main(int argc, char **argv)
{
    micro_options.program = argv[0];
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--child") && value) {
            alarm(CHILD_WATCHDOG_SECONDS);
            return micro_child(value);
        }
        if (!strcmp(argv[i], "--quick")) {
            micro_options.quick = true;
            continue;
        }
        if (!strcmp(argv[i], "--without-cuda")) {
            micro_options.without_cuda = true;
            continue;
        }
        if (!strcmp(argv[i], "--peers")) {
            micro_options.peers = true;
            continue;
        }
        if (!value)
            return usage();
        ++i;
        if (!strcmp(argv[i - 1], "--only"))
            micro_options.only = value;
        else if (!strcmp(argv[i - 1], "--json"))
            micro_options.json = value;
        else if (!strcmp(argv[i - 1], "--seconds"))
            micro_options.seconds = atof(value);
        else
            return usage();
    }
    alarm(WATCHDOG_SECONDS);
    /* what many queued groups took is kept: the first use of a page is the system's cost, about half a microsecond for
       each group on the development machine, and would be paid again or not by chance */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    if (!micro_open())
        return 1;
    printf("device: %s; medians, and in brackets the quartiles\n", micro_device());
    bool right = micro_run_tasks();
    right = micro_run_transfers() && right;
    right = micro_run_process() && right; /* the idle second after everything else */
    right = micro_write_json(micro_device()) && right;
    right = micro_close() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
