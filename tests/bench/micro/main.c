/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro_cpu and micro_gpu: options and the order of measurements. Exit status 1: something failed or a result is wrong.
 *
 *     micro_gpu [--quick] [--only NAME[,NAME]...] [--seconds S] [--json FILE] [--without-cuda] [--peers]
 *
 * --peers: OpenCL and StarPU take part on the host. Threads of OpenMP's are slower beside theirs, so that wants a run
 * of its own. The device is Teamwork's default one: TW_DEVICES chooses.
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>

#include "micro.h"

enum { WATCHDOG_SECONDS = 1500, CHILD_WATCHDOG_SECONDS = 300 }; /* longer than any run takes */

int main(int argc, char **argv)
{
    const char *child = NULL;
    const struct bench_option options[] = {
        {"--quick", NULL, BENCH_FLAG, &micro_options.quick},
        {"--only", "NAME[,NAME]...", BENCH_TEXT, &micro_options.only},
        {"--seconds", "S", BENCH_NUMBER, &micro_options.seconds},
        {"--json", "FILE", BENCH_TEXT, &micro_options.json},
        {"--without-cuda", NULL, BENCH_FLAG, &micro_options.without_cuda},
        {"--peers", NULL, BENCH_FLAG, &micro_options.peers},
        {"--child", "WHAT", BENCH_TEXT, &child},
        {NULL, NULL, BENCH_FLAG, NULL},
    };
    micro_options.program = argv[0];
    if (!bench_parse(argc, argv, options))
        return 2;
    bench_watchdog(child ? CHILD_WATCHDOG_SECONDS : WATCHDOG_SECONDS, child ? child : "the micro-benchmarks");
    if (child)
        return micro_child(child);
    /* what many queued groups took is kept: the first use of a page is the system's cost, about half a microsecond for
       each group on the development machine, and would be paid again or not by chance */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    if (!bench_open(NULL))
        return 1;
    printf("device: %s; medians, and in brackets the quartiles\n", bench_device_name());
    bool right = micro_run_tasks();
    right = micro_run_transfers() && right;
    right = micro_run_parts() && right;
    right = micro_run_images() && right;
    right = micro_run_process() && right; /* the idle second after everything else */
    right = micro_write_json() && right;
    right = bench_close() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
