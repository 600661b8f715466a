/* SPDX-License-Identifier: Apache-2.0 */
/** A kernel that does not commute, so that the contents of a buffer tell in which order kernels ran. */
#ifndef TW_STEP_KERNEL_H
#define TW_STEP_KERNEL_H

#include "tw_test.h"

/* x = 3 x + term */
struct step {
    unsigned *x;
    unsigned term;
};
static inline void step(tw_item item, const struct step *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = 3 * k->x[i] + k->term;
}
TW_RANGE_KERNEL(step, 1);

static inline tw_command_group *step_group(tw_queue *queue, tw_buffer *x, int term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(x), step, .x = tw_read_write(cg, x), .term = (unsigned)term);
    return cg;
}

static inline void submit_step(tw_queue *queue, tw_buffer *x, int term)
{
    TW_PASS(tw_queue_submit(queue, step_group(queue, x, term), NULL));
}

/* Submits a step that depends on `count` events; returns the group's event, which the caller releases. */
static inline tw_event *submit_step_after(tw_queue *queue, tw_buffer *x, int term, tw_event *const *events,
                                          size_t count)
{
    tw_event *event = NULL;
    tw_command_group *cg = step_group(queue, x, term);
    tw_depends_on_all(cg, events, count);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

/* Returns the first element of a buffer of ints. */
static inline int value_of(tw_buffer *x)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(x, TW_READ, &accessor));
    const int value = *(const int *)tw_host_accessor_const_data(accessor);
    tw_host_accessor_release(&accessor);
    return value;
}

#endif
