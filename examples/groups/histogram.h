/* SPDX-License-Identifier: Apache-2.0 */
/** How often each byte value occurs, counted by work-groups in local memory: three ways to write that, and a reduction. */
#ifndef GROUPS_HISTOGRAM_H
#define GROUPS_HISTOGRAM_H

#include <teamwork/command_group.h>

enum { HISTOGRAM_BINS = 256 };

/** What a histogram takes. */
struct histogram {
    tw_queue *queue;  /* borrowed */
    tw_buffer *bytes; /* `count` of them; borrowed */
    tw_buffer *bins;  /* HISTOGRAM_BINS counts of unsigned: the result; borrowed */
    tw_buffer *work;  /* what the form with one launch counts in; 0 between launches */
    size_t count;     /* below 2^32 - 2^20 */
};

/** Makes the buffer `work`. @return as tw_buffer_create_copy() */
tw_status histogram_create(struct histogram *histogram, tw_queue *queue, tw_buffer *bytes, size_t count,
                           tw_buffer *bins);
void histogram_destroy(struct histogram *histogram);

/**
 * The nd_range form of the textbooks in three phases: the group clears its counts, adds to them one byte at a time, and
 * adds them to those of all groups.
 *
 * @return as tw_queue_submit(); nothing is waited for
 */
tw_status histogram_submit_phases(const struct histogram *histogram);

/** The same three phases as a hierarchical kernel, which reads and counts 16 bytes at a time. */
tw_status histogram_submit_group_phases(const struct histogram *histogram);

/**
 * The nd_range form for a GPU: counts for each lane of a sub-group, so that lanes do not wait for each other, and one
 * launch: the group that is done last hands over the result.
 */
tw_status histogram_submit_lanes(const struct histogram *histogram);

/** A range kernel that reduces into the array of bins. */
tw_status histogram_submit_reduction(const struct histogram *histogram);

#endif
