/* SPDX-License-Identifier: Apache-2.0 */
/* What most versions in Teamwork need: buffers with contents, and waiting. Functions print what went wrong. */
#ifndef TEAMWORK_SUITE_TEAMWORK_SIDE_H
#define TEAMWORK_SUITE_TEAMWORK_SIDE_H

#include <string.h>

#include "../harness/bench_teamwork.h"
#include "suite.h"

/* Brings a buffer to the contents `data`, or to poison. */
static inline bool suite_buffer_set(tw_buffer *buffer, const void *data)
{
    tw_host_accessor *access;
    if (!bench_passed(tw_host_access(buffer, TW_DISCARD_WRITE, &access)))
        return false;
    suite_fill(tw_host_accessor_data(access), data, tw_buffer_size(buffer));
    tw_host_accessor_release(&access);
    return true;
}

/* A buffer with the contents `data`, or poison if that is NULL. */
static inline tw_buffer *suite_buffer(const void *data, size_t element_bytes, size_t count)
{
    tw_buffer *buffer = NULL;
    if (!bench_passed(tw_buffer_create(element_bytes, tw_range_1d(count), &buffer)))
        return NULL;
    if (!suite_buffer_set(buffer, data))
        bench_passed(tw_buffer_destroy(&buffer));
    return buffer;
}

/* The first `bytes` of a buffer. */
static inline bool suite_buffer_get(tw_buffer *buffer, void *result, size_t bytes)
{
    tw_host_accessor *access;
    if (!bench_passed(tw_host_access(buffer, TW_READ, &access)))
        return false;
    memcpy(result, tw_host_accessor_const_data(access), bytes);
    tw_host_accessor_release(&access);
    return true;
}

static inline bool suite_submit(tw_command_group *cg)
{
    return bench_passed(tw_queue_submit(bench_queue(), cg, NULL));
}

static inline bool suite_wait(void)
{
    return bench_passed(tw_queue_wait(bench_queue()));
}

static inline bool suite_submit_and_wait(tw_command_group *cg)
{
    return suite_submit(cg) && suite_wait();
}

#endif
