/* SPDX-License-Identifier: Apache-2.0 */
/** The product of two square matrices, by work-groups that keep tiles of them in local memory: three ways to write
 * that. */
#ifndef GROUPS_MATMUL_H
#define GROUPS_MATMUL_H

#include <teamwork/command_group.h>

enum { MATMUL_MULTIPLE = 128 };

/** c = a * b; n x n floats each, row by row; n is a multiple of MATMUL_MULTIPLE, at most 32768. */
struct matmul {
    tw_queue *queue; /* all borrowed */
    tw_buffer *a, *b, *c;
    size_t n;
    size_t first, rows; /* of c, for matmul_submit_blocks(): multiples of MATMUL_MULTIPLE; 0 rows: all */
};

/** As an nd_range kernel: a work-item computes one element. @return as tw_queue_submit(); nothing is waited for */
tw_status matmul_submit_nd_range(const struct matmul *matmul);

/** As a hierarchical kernel, likewise. */
tw_status matmul_submit_groups(const struct matmul *matmul);

/** As a hierarchical kernel in which a work-item computes a block of elements in registers. Several queues may compute some
 *  rows each: only these rows of a and c are accessed. */
tw_status matmul_submit_blocks(const struct matmul *matmul);

#endif
