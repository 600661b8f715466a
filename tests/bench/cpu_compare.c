/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teamwork on the host device against hand-written OpenMP on the host, in one process, in turns: what it costs to submit
 * kernels.
 *
 *     cpu_compare [--quick]
 *
 * --quick takes small sizes, to see that all is right. Exit status 1: a wrong result.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <teamwork/teamwork.h>
#include <unistd.h>

#include "bench.h"

/* Longer than any run takes: a device that hangs ends the program. */
enum { WATCHDOG_SECONDS = 900 };

#define ROW(label_, side_, op_) {label_, &(side_), (side_).op_, NULL}
#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

/* ---- many small buffers, for groups without an access in common ------------------------------------------------ */

struct put {
    uint32_t *out, value;
};

static inline void put(const struct put *k)
{
    k->out[0] = k->value;
}
TW_SINGLE_TASK(put);

static bool passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

/* `bytes` of memory as one buffer for each number, with a NULL behind the last. */
static void release_many(void *memory)
{
    tw_buffer **buffers = memory;
    for (size_t i = 0; buffers[i]; ++i)
        passed(tw_buffer_destroy(&buffers[i]));
    free(buffers);
}

static void *allocate_many(void *host, size_t bytes)
{
    const size_t count = bytes / sizeof(uint32_t);
    tw_buffer **buffers = calloc(count + 1, sizeof(tw_buffer *));
    (void)host;
    for (size_t i = 0; buffers && i < count; ++i)
        if (!passed(tw_buffer_create(sizeof(uint32_t), tw_range_1d(1), &buffers[i]))) {
            release_many(buffers);
            return NULL;
        }
    return buffers;
}

static bool copy_many(void *memory, uint32_t *numbers, size_t bytes, tw_access_mode mode)
{
    tw_buffer **buffers = memory;
    for (size_t i = 0; i < bytes / sizeof(uint32_t); ++i) {
        tw_host_accessor *access;
        if (!passed(tw_host_access(buffers[i], mode, &access)))
            return false;
        if (mode == TW_READ)
            numbers[i] = *(const uint32_t *)tw_host_accessor_const_data(access);
        else
            *(uint32_t *)tw_host_accessor_data(access) = numbers[i];
        tw_host_accessor_release(&access);
    }
    return true;
}

static bool upload_many(void *memory, const void *host, size_t bytes)
{
    return copy_many(memory, (uint32_t *)host, bytes, TW_DISCARD_WRITE);
}

static bool download_many(void *host, void *memory, size_t bytes)
{
    return copy_many(memory, host, bytes, TW_READ);
}

static bool run_independent(void *const memory[3], const struct bench_job *job)
{
    tw_queue *queue = teamwork_side_queue();
    tw_buffer **buffers = memory[0];
    for (uint32_t step = 0; step < job->steps; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_single_task(cg, put, .out = tw_discard_write(cg, buffers[step]), .value = job->value + step);
        if (!passed(tw_queue_submit(queue, cg, NULL)))
            return false;
    }
    return passed(tw_queue_wait(queue));
}

static const struct bench_side many_side = {
    .name = "Teamwork",
    .allocate = allocate_many,
    .release = release_many,
    .upload = upload_many,
    .download = download_many,
    .independent = run_independent,
};

/* ---- the comparisons ------------------------------------------------------------------------------------------- */

static bool run_and_free(struct bench_case *c, bool filled, const struct bench_row *rows, size_t count, bool quick)
{
    const struct bench_effort effort = quick ? (struct bench_effort){3, 1} : (struct bench_effort){51, 3};
    const bool right = filled && bench_run(c, rows, count, effort);
    bench_case_free(c);
    return right;
}

static bool compare_launches(bool quick)
{
    struct bench_case c;
    const unsigned steps = quick ? 100 : 10000;
    const struct bench_row singles[] = {
        ROW("OpenMP, parallel for", host_side, small),
        ROW("Teamwork, range of 64", teamwork_side, small),
        ROW("Teamwork, single task", teamwork_side, single),
    };
    bool right = run_and_free(&c, bench_case_single(&c, quick ? 10 : 200), singles, COUNT(singles), quick);

    const struct bench_row chains[] = {
        ROW("OpenMP, parallel for", host_side, chain),
        ROW("OpenMP, tasks with depend", host_side, chain_nowait),
        ROW("Teamwork", teamwork_side, chain),
    };
    right = run_and_free(&c, bench_case_chain(&c, steps), chains, COUNT(chains), quick) && right;

    const struct bench_row independents[] = {
        ROW("OpenMP, tasks with depend", host_side, independent),
        ROW("Teamwork", many_side, independent),
    };
    return run_and_free(&c, bench_case_independent(&c, steps), independents, COUNT(independents), quick) && right;
}

int main(int argc, char **argv)
{
    const bool quick = argc == 2 && !strcmp(argv[1], "--quick");
    if (argc > 1 && !quick) {
        fprintf(stderr, "usage: %s [--quick]\n", argv[0]);
        return 2;
    }
    alarm(WATCHDOG_SECONDS);
    setenv("TW_DEVICES", "host", 1);
    if (!teamwork_side_open())
        return 1;
    printf("Times are medians of whole calls, with the wait; the last column is relative to the first row.\n");
    bool right = compare_launches(quick);
    right = teamwork_side_close() && right;
    if (!right)
        fprintf(stderr, "something is wrong: see above\n");
    return right ? 0 : 1;
}
