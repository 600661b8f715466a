/* SPDX-License-Identifier: Apache-2.0 */
/** A kernel on parts of buffers of ints in two dimensions. */
#ifndef TW_PART_KERNEL_H
#define TW_PART_KERNEL_H

#include "tw_test.h"

/* Adds to each element of a part, whose rows are `pitch` elements apart; waits for a gate. */
struct add {
    int *part;
    const int *gate;
    size_t pitch;
    int value;
};
static inline void add(tw_item item, const struct add *k)
{
    k->part[tw_global_id(item, 0) * k->pitch + tw_global_id(item, 1)] += k->value + k->gate[0];
}
TW_RANGE_KERNEL(add, 2);

static inline tw_command_group *group_of_add(tw_queue *queue, tw_buffer *buffer, tw_buffer *gate, int value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_buffer_range(buffer), add, .part = tw_read_write(cg, buffer), .gate = tw_read(cg, gate),
                    .pitch = tw_buffer_pitch(buffer).size[1], .value = value);
    return cg;
}

static inline void add_to(tw_queue *queue, tw_buffer *buffer, tw_buffer *gate, int value)
{
    TW_PASS(tw_queue_submit(queue, group_of_add(queue, buffer, gate, value), NULL));
}

#endif
