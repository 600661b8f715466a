/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro_cpu and micro_gpu: options and the order of measurements. Exit status 1: something failed or a result is wrong.
 *
 *     micro_gpu [--quick] [--only NAME[,NAME]...] [--seconds S] [--json FILE] [--without-cuda]
 *
 * The device is Teamwork's default one: TW_DEVICES chooses.
 */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>

#include "micro.h"

enum { WATCHDOG_SECONDS = 1500 }; /* longer than any run takes */

int main(int argc, char **argv)
{
    const struct bench_option options[] = {
        {"--quick", NULL, BENCH_FLAG, &micro_options.quick},
        {"--only", "NAME[,NAME]...", BENCH_TEXT, &micro_options.only},
        {"--seconds", "S", BENCH_NUMBER, &micro_options.seconds},
        {"--json", "FILE", BENCH_TEXT, &micro_options.json},
        {"--without-cuda", NULL, BENCH_FLAG, &micro_options.without_cuda},
        {NULL, NULL, BENCH_FLAG, NULL},
    };
    if (!bench_parse(argc, argv, options))
        return 2;
    bench_watchdog(WATCHDOG_SECONDS, "the micro-benchmarks");
    /* what many queued groups took is kept: the first use of a page is the system's cost, about half a microsecond for
       each group on the development machine, and would be paid again or not by chance */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    if (!bench_open(NULL))
        return 1;
    printf("device: %s; medians, and in brackets the quartiles\n", bench_device_name());
    bool right = micro_run_tasks();
    right = micro_run_transfers() && right;
    right = micro_run_devices() && right;
    right = micro_write_json() && right;
    right = bench_close() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
