/* SPDX-License-Identifier: Apache-2.0 */
/* The problems in Teamwork: a side's memory is a buffer, and each operation submits its groups and waits. */
#include <stdio.h>
#include <string.h>
#include <teamwork/teamwork.h>

#include "bench.h"

static tw_queue *queue;

/* ---- kernels --------------------------------------------------------------------------------------------------- */

struct triad {
    double *a;
    const double *b, *c;
};

static inline void triad(tw_item item, const struct triad *k)
{
    const size_t i = tw_global_id(item, 0);
    k->a[i] = k->b[i] + 3.0 * k->c[i];
}
TW_RANGE_KERNEL(triad, 1);

struct set {
    uint32_t *out, value;
};

static inline void set(const struct set *k)
{
    k->out[0] = k->value;
}
TW_SINGLE_TASK(set);

struct fill {
    uint32_t *out, value;
};

static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(fill, 1);

struct increment {
    uint32_t *out;
};

static inline void increment(const struct increment *k)
{
    ++k->out[0];
}
TW_SINGLE_TASK(increment);

/* ---- memory and transfers -------------------------------------------------------------------------------------- */

static bool passed(tw_status status)
{
    if (status != TW_SUCCESS)
        fprintf(stderr, "Teamwork: %s: %s\n", tw_status_name(status), tw_error_detail());
    return status == TW_SUCCESS;
}

static bool submit_and_wait(tw_command_group *cg)
{
    return passed(tw_queue_submit(queue, cg, NULL)) && passed(tw_queue_wait(queue));
}

static void *allocate(void *host, size_t bytes)
{
    tw_buffer *buffer = NULL;
    passed(host ? tw_buffer_create_over(host, 1, tw_range_1d(bytes), &buffer)
                : tw_buffer_create(1, tw_range_1d(bytes), &buffer));
    return buffer;
}

static void release(void *memory)
{
    tw_buffer *buffer = memory;
    passed(tw_buffer_destroy(&buffer));
}

static bool upload(void *memory, const void *host, size_t bytes)
{
    tw_host_accessor *access;
    if (!passed(tw_host_access(memory, TW_DISCARD_WRITE, &access)))
        return false;
    memcpy(tw_host_accessor_data(access), host, bytes);
    tw_host_accessor_release(&access);
    return true;
}

static bool download(void *host, void *memory, size_t bytes)
{
    tw_host_accessor *access;
    if (!passed(tw_host_access(memory, TW_READ, &access)))
        return false;
    memcpy(host, tw_host_accessor_const_data(access), bytes);
    tw_host_accessor_release(&access);
    return true;
}

/* Opens and closes a host accessor: that is all it takes to bring the newest contents to the host, and for a mode that
   writes, to have them sent to the device again. */
static bool touch(void *memory, tw_access_mode mode)
{
    tw_host_accessor *access;
    if (!passed(tw_host_access(memory, mode, &access)))
        return false;
    tw_host_accessor_release(&access);
    return true;
}

/* ---- operations ------------------------------------------------------------------------------------------------ */

static bool run_triad(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(job->n), triad, .a = tw_discard_write(cg, memory[0]), .b = tw_read(cg, memory[1]),
                    .c = tw_read(cg, memory[memory[2] ? 2 : 1]));
    return submit_and_wait(cg);
}

static bool run_single(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, set, .out = tw_discard_write(cg, memory[0]), .value = job->value);
    return submit_and_wait(cg);
}

static bool run_small(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), fill, .out = tw_discard_write(cg, memory[0]), .value = job->value);
    return submit_and_wait(cg);
}

static bool run_chain(void *const memory[3], const struct bench_job *job)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, set, .out = tw_discard_write(cg, memory[0]), .value = job->value);
    for (uint32_t step = 1; step < job->steps; ++step) {
        if (!passed(tw_queue_submit(queue, cg, NULL)))
            return false;
        cg = tw_queue_begin(queue);
        tw_single_task(cg, increment, .out = tw_read_write(cg, memory[0]));
    }
    return submit_and_wait(cg);
}

static bool run_send(void *const memory[3], const struct bench_job *job)
{
    return touch(memory[1], TW_WRITE) && run_triad(memory, job);
}

static bool run_fetch(void *const memory[3], const struct bench_job *job)
{
    (void)job;
    return touch(memory[0], TW_READ);
}

const struct bench_side teamwork_side = {
    .name = "Teamwork",
    .allocate = allocate,
    .release = release,
    .upload = upload,
    .download = download,
    .triad = run_triad,
    .single = run_single,
    .small = run_small,
    .chain = run_chain,
    .send = run_send,
    .fetch = run_fetch,
};

/* ---- the queue ------------------------------------------------------------------------------------------------- */

bool teamwork_side_open(void)
{
    return passed(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
}

bool teamwork_side_is_host(void)
{
    return tw_queue_is_host(queue);
}

bool teamwork_side_is_gpu(void)
{
    return tw_device_is_gpu(tw_queue_device(queue));
}

const char *teamwork_side_device(void)
{
    return tw_device_name(tw_queue_device(queue));
}

tw_queue *teamwork_side_queue(void)
{
    return queue;
}

bool teamwork_side_close(void)
{
    return passed(tw_queue_destroy(&queue));
}
