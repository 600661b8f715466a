/* SPDX-License-Identifier: Apache-2.0 */
/** The sum of an array, by work-groups that add up their part of it in local memory: four ways to write that, and
 * without groups to be seen, a fifth. */
#ifndef GROUPS_REDUCE_H
#define GROUPS_REDUCE_H

#include <teamwork/command_group.h>

/** What a sum takes. Sums wrap around, like those of unsigned numbers. */
struct reduce {
    tw_queue *queue;       /* borrowed */
    tw_buffer *numbers;    /* `count` >= 1 of int32_t; borrowed */
    tw_buffer *sum;        /* one int32_t: the result */
    tw_buffer *partial[2]; /* sums of parts, used in turns: a launch reads one and writes the other */
    tw_buffer *done;       /* one unsigned, 0 between launches */
    size_t count;
    size_t group; /* work-items of a group of the first form: a power of two */
    /* groups of the forms with one launch: as many as the device runs at the same time; 0: no limit */
    size_t resident, resident_wide;
};

/**
 * Makes the buffers but for the numbers, and chooses what depends on the queue's device.
 *
 * @return as tw_buffer_create(); TW_ERROR_UNSUPPORTED where there are more than 2^31 numbers, or too small a device
 */
tw_status reduce_create(struct reduce *reduce, tw_queue *queue, tw_buffer *numbers, size_t count);
void reduce_destroy(struct reduce *reduce);

/**
 * The nd_range form of the textbooks: a work-item adds two numbers, and the group's sums are added in pairs, with a
 * barrier after each stride. Launches follow each other until one number is left.
 *
 * @return as tw_queue_submit(); nothing is waited for
 */
tw_status reduce_submit_pairs(const struct reduce *reduce);

/** The same as a hierarchical kernel, which on a CPU has no barriers. */
tw_status reduce_submit_tree(const struct reduce *reduce);

/**
 * An nd_range kernel in which a work-item adds up many numbers on its own, a group function does the rest, and the
 * group that is done last adds up the sums of all. One launch.
 */
tw_status reduce_submit_parts(const struct reduce *reduce);

/** The same as a hierarchical kernel. One launch. */
tw_status reduce_submit_group_parts(const struct reduce *reduce);

/** As a reduction of the launch: what to write unless one wants to see how it is done. One launch. */
tw_status reduce_submit_range(const struct reduce *reduce);

#endif
