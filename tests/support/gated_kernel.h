/* SPDX-License-Identifier: Apache-2.0 */
/** A kernel that stays pending until a gate is open (struct tw_gate). */
#ifndef TW_GATED_KERNEL_H
#define TW_GATED_KERNEL_H

#include "tw_test.h"

struct increase {
    int *data;
    const int *gate;
};
static inline void increase(tw_item item, const struct increase *k)
{
    k->data[tw_global_linear_id(item)] += 1 + k->gate[0];
}
TW_RANGE_KERNEL(increase, 1);

/* Adds 1 to each int of a buffer. event: NULL, or for the group's event. */
static inline void submit_increase(tw_queue *queue, tw_buffer *buffer, struct tw_gate *gate, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(tw_buffer_count(buffer)), increase, .data = tw_read_write(cg, buffer),
                    .gate = tw_read(cg, gate->buffer));
    TW_PASS(tw_queue_submit(queue, cg, event));
}

#endif
