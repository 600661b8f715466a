/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between the host and a device. A group without a kernel brings data to its device, a host accessor brings it
 * home. Also which sizes are measured, on all sides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/bench_teamwork.h"
#include "micro.h"

/* ---- kernels ----------------------------------------------------------------------------------------------- */

struct count_up {
    void *x; /* of a buffer of bytes */
};
static inline void count_up(const struct count_up *k)
{
    ++*(unsigned *)k->x;
}
TW_SINGLE_TASK(count_up);

/* ---- one buffer ---------------------------------------------------------------------------------------------- */

struct state {
    tw_buffer *buffer;
    unsigned char *memory;
    bool pinned;
    unsigned value; /* what the last word is */
};

static bool open_over(struct micro_job *job, bool pinned)
{
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s)
        return false;
    s->pinned = pinned;
    s->memory = pinned ? tw_malloc_host(job->bytes) : malloc(job->bytes);
    if (!s->memory)
        return false;
    memset(s->memory, 0, job->bytes);
    return bench_passed(tw_buffer_create_over(s->memory, 1, tw_range_1d(job->bytes), &s->buffer));
}

static bool open_pageable(struct micro_job *job)
{
    return open_over(job, false);
}

static bool open_pinned(struct micro_job *job)
{
    return open_over(job, true);
}

/* The host memory is the library's own. */
static bool open_own(struct micro_job *job)
{
    tw_host_accessor *accessor = NULL;
    struct state *s = calloc(1, sizeof *s);
    job->state = s;
    if (!s || !bench_passed(tw_buffer_create(1, tw_range_1d(job->bytes), &s->buffer))
        || !bench_passed(tw_host_access(s->buffer, TW_DISCARD_WRITE, &accessor)))
        return false;
    memset(tw_host_accessor_data(accessor), 0, job->bytes);
    tw_host_accessor_release(&accessor);
    return true;
}

static bool close_state(struct micro_job *job)
{
    struct state *s = job->state;
    if (!s)
        return false;
    const bool right = bench_passed(tw_buffer_destroy(&s->buffer));
    if (s->pinned)
        tw_free_host(s->memory);
    else
        free(s->memory);
    free(s);
    return right;
}

/* Reads the last word on the host. */
static bool last_word_is(const struct state *s, size_t bytes, unsigned value)
{
    tw_host_accessor *accessor = NULL;
    unsigned last = 0;
    if (!bench_passed(tw_host_access(s->buffer, TW_READ, &accessor)))
        return false;
    memcpy(&last, (const unsigned char *)tw_host_accessor_const_data(accessor) + bytes - sizeof last, sizeof last);
    tw_host_accessor_release(&accessor);
    if (last != value)
        fprintf(stderr, "the last of %zu bytes came as %u instead of %u\n", bytes, last, value);
    return last == value;
}

/* Lets a kernel on a queue's device count the last word up. */
static bool count_up_on(tw_queue *queue, struct state *s, size_t bytes)
{
    tw_command_group *cg = tw_queue_begin(queue);
    unsigned char *data = tw_read_write(cg, s->buffer);
    tw_single_task(cg, count_up, .x = data + bytes - sizeof(unsigned));
    ++s->value;
    return bench_passed(tw_queue_submit(queue, cg, NULL)) && bench_passed(tw_queue_wait(queue));
}

/* Brings the buffer to a queue's device. */
static bool bring_to(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, buffer);
    return tw_queue_submit(queue, cg, NULL) == TW_SUCCESS && tw_queue_wait(queue) == TW_SUCCESS;
}

static bool sample_send(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    tw_host_accessor *accessor = NULL;
    if (!bench_passed(tw_host_access(s->buffer, TW_WRITE, &accessor)))
        return false;
    ++s->value;
    memcpy((unsigned char *)tw_host_accessor_data(accessor) + job->bytes - sizeof s->value, &s->value, sizeof s->value);
    tw_host_accessor_release(&accessor);
    const double start = bench_now();
    const bool done = bring_to(bench_queue(), s->buffer);
    *value = (bench_now() - start) * 1e6;
    return done && count_up_on(bench_queue(), s, job->bytes) && last_word_is(s, job->bytes, s->value);
}

static bool sample_fetch(const struct micro_job *job, double *value)
{
    struct state *s = job->state;
    tw_host_accessor *accessor = NULL;
    if (!count_up_on(bench_queue(), s, job->bytes))
        return false;
    const double start = bench_now();
    const bool done = tw_host_access(s->buffer, TW_READ, &accessor) == TW_SUCCESS;
    tw_host_accessor_release(&accessor);
    *value = (bench_now() - start) * 1e6;
    return done && last_word_is(s, job->bytes, s->value);
}

/* ---- entries ------------------------------------------------------------------------------------------------- */

static const struct micro_entry entries[] = {
    {MICRO_SEND, "Teamwork", "pageable", 0, open_pageable, sample_send, close_state, false},
    {MICRO_SEND, "Teamwork", "library's memory", 0, open_own, sample_send, close_state, false},
    {MICRO_SEND, "Teamwork", "pinned", 0, open_pinned, sample_send, close_state, false},
    {MICRO_FETCH, "Teamwork", "pageable", 0, open_pageable, sample_fetch, close_state, false},
    {MICRO_FETCH, "Teamwork", "library's memory", 0, open_own, sample_fetch, close_state, false},
    {MICRO_FETCH, "Teamwork", "pinned", 0, open_pinned, sample_fetch, close_state, false},
};
const struct micro_entries micro_transfers = {entries, sizeof entries / sizeof entries[0], NULL};

/* ---- the sizes ----------------------------------------------------------------------------------------------- */

static bool run_bytes(size_t bytes)
{
    const struct micro_job job = {.bytes = bytes};
    char parameter[64];
    snprintf(parameter, sizeof parameter, "bytes=%zu", bytes);
    const bool right = micro_measure(MICRO_SEND, parameter, &job);
    return micro_measure(MICRO_FETCH, parameter, &job) && right;
}

bool micro_run_transfers(void)
{
    const size_t kibi = 1024;
    if (bench_on_host())
        return true; /* it works on host memory itself */
    return micro_sizes(4, 16, micro_options.quick ? 16 * kibi : (bench_on_gpu() ? kibi : 16) * kibi * kibi, run_bytes);
}
