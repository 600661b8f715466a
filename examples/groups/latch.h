/* SPDX-License-Identifier: Apache-2.0 */
/**
 * All work-groups of a kernel wait for each other: a device-wide latch on atomics with acquire and release order. And
 * what else there is to do for that, one kernel after the other.
 *
 * The problem: numbers in a ring; in each round each one becomes left + 3 * itself + right, in arithmetic that wraps.
 */
#ifndef GROUPS_LATCH_H
#define GROUPS_LATCH_H

#include <stdint.h>

#include <teamwork/command_group.h>

enum { LATCH_GROUP = 256 }; /* work-items of a group, and numbers that it computes */

/** What the rounds take. After an even number of rounds the result is in ring[0]. */
struct latch {
    tw_queue *queue;    /* all borrowed */
    tw_buffer *ring[2]; /* groups * LATCH_GROUP of uint32_t; the rounds start from ring[0] */
    tw_buffer *arrived; /* `rounds` of unsigned */
    size_t groups;
    unsigned rounds; /* even */
};

/** One round, for element `i` of `n`. */
static inline uint32_t latch_next(const uint32_t *ring, unsigned i, unsigned n)
{
    return ring[i == 0 ? n - 1 : i - 1] + 3 * ring[i] + ring[i + 1 == n ? 0 : i + 1];
}

/** How many groups of LATCH_GROUP work-items the device runs at the same time, for sure. @return as
 * tw_kernel_get_limits() */
tw_status latch_resident_groups(const tw_device *device, size_t *groups);

/**
 * Submits all rounds as one kernel, with a latch after each.
 *
 * @return as tw_queue_submit(); nothing is waited for.
 *         TW_ERROR_UNSUPPORTED  there are more groups than latch_resident_groups(): those that run would wait for those
 *                               that cannot start. A line on stderr says so; nothing was submitted
 */
tw_status latch_submit(const struct latch *latch);

/** Submits a kernel for each round: what works with any number of groups. @return as tw_queue_submit() */
tw_status latch_submit_rounds(const struct latch *latch);

#endif
