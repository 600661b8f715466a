/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of examples/groups against the same algorithms in CUDA, in one process, in turns. Without CUDA built in,
 * and on devices that are no GPUs, the rows of CUDA are missing.
 *
 *     nd_compare [--quick]
 *
 * --quick takes small sizes, to see that all is right. Exit status 1: a wrong result.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <teamwork/device.h>
#include <unistd.h>

#include "nd_bench.h"

/* Longer than any run takes: a device that hangs ends the program. */
enum { WATCHDOG_SECONDS = 240 };

struct options {
    bool quick, gpu;
    const struct bench_side *cuda; /* NULL: not this one */
    struct bench_effort effort;
};

#ifdef BENCH_HAVE_CUDA
#define CUDA_ROW(label_, op_) {label_, o->cuda, op_, NULL}
#else
#define CUDA_ROW(label_, op_) {label_, NULL, NULL, NULL}
#endif
#define ROW(label_, op_) {label_, &teamwork_side, op_, NULL}
#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static bool run_and_free(struct bench_case *c, bool filled, const struct bench_row *rows, size_t count,
                         const struct options *o)
{
    const bool right = filled && bench_run(c, rows, count, o->effort);
    bench_case_free(c);
    return right;
}

static bool compare_reduce(const struct options *o, size_t n)
{
    struct bench_case c;
    const struct bench_row pairs[] = {
        CUDA_ROW("CUDA, pairs", nd_cuda_pairs),
        ROW("Teamwork, pairs, nd_range", nd_teamwork_pairs),
        ROW("Teamwork, pairs, hierarchical", nd_teamwork_tree),
    };
    const struct bench_row parts[] = {
        CUDA_ROW("CUDA, parts", nd_cuda_parts),
        ROW("Teamwork, parts, nd_range", nd_teamwork_parts),
        ROW("Teamwork, parts, hierarchical", nd_teamwork_group_parts),
        ROW("Teamwork, reduction of the launch", nd_teamwork_range),
    };
    const bool right = run_and_free(&c, nd_case_reduce(&c, n), pairs, COUNT(pairs), o);
    return run_and_free(&c, nd_case_reduce(&c, n), parts, COUNT(parts), o) && right;
}

static bool compare_histogram(const struct options *o, bool (*make)(struct bench_case *c, size_t n))
{
    struct bench_case c;
    const size_t n = (size_t)1 << (o->quick ? 20 : o->gpu ? 28 : 24);
    const struct bench_row phases[] = {
        CUDA_ROW("CUDA, three phases", nd_cuda_phases),
        ROW("Teamwork, three phases, nd_range", nd_teamwork_phases),
    };
    const struct bench_row lanes[] = {
        CUDA_ROW("CUDA, counts for each lane", nd_cuda_lanes),
        ROW("Teamwork, counts for each lane", nd_teamwork_lanes),
        ROW("Teamwork, hierarchical, by 16 bytes", nd_teamwork_group_phases),
    };
    const bool right = run_and_free(&c, make(&c, n + 5), phases, COUNT(phases), o);
    return run_and_free(&c, make(&c, n + 5), lanes, COUNT(lanes), o) && right;
}

static bool compare_matmul(const struct options *o)
{
    struct bench_case c;
#ifdef BENCH_HAVE_CUDA
    const bench_op cuda = o->cuda ? o->cuda->matmul_tiled : NULL;
#endif
    const struct bench_row rows[] = {
        CUDA_ROW("CUDA, 32 x 32 tiles", cuda),
        ROW("Teamwork, 32 x 32 tiles, nd_range", nd_teamwork_matmul),
        ROW("Teamwork, 32 x 32, hierarchical", nd_teamwork_matmul_groups),
        ROW("Teamwork, blocks, hierarchical", nd_teamwork_matmul_blocks),
    };
    return run_and_free(&c, bench_case_matmul(&c, o->quick ? 256 : o->gpu ? 4096 : 1024), rows, COUNT(rows), o);
}

int main(int argc, char **argv)
{
    struct options o = {.quick = argc == 2 && !strcmp(argv[1], "--quick")};
    if (argc > 1 && !o.quick) {
        fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    o.effort = o.quick ? (struct bench_effort){3, 1} : (struct bench_effort){31, 3};
    alarm(WATCHDOG_SECONDS);
    if (!teamwork_side_open())
        return 1;
    o.gpu = teamwork_side_is_gpu();
#ifdef BENCH_HAVE_CUDA
    if (o.gpu && cuda_side_open())
        o.cuda = &cuda_side;
#endif
    printf("Teamwork's device: %s. Times are medians of whole calls, with the wait; the last column is relative to the "
           "first row.\n",
           teamwork_side_device());
    bool right = compare_matmul(&o);
    right = compare_reduce(&o, (size_t)1 << (o.quick ? 20 : 25)) && right;
    if (o.gpu && !o.quick)
        right = compare_reduce(&o, (size_t)1 << 28) && right;
    right = compare_histogram(&o, nd_case_histogram) && right;
    right = compare_histogram(&o, nd_case_histogram_of_one) && right;
    nd_teamwork_close();
    right = teamwork_side_close() && right;
    /* before the CUDA runtime takes the device away at the end of the program */
    if (tw_shutdown() != TW_SUCCESS) {
        fprintf(stderr, "tw_shutdown: %s\n", tw_error_detail());
        right = false;
    }
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
