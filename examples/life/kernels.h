/* SPDX-License-Identifier: Apache-2.0 */
/** The Game of Life as Teamwork kernels, one command group a generation. */
#ifndef LIFE_KERNELS_H
#define LIFE_KERNELS_H

#include <teamwork/command_group.h>

#include "board.h"

/**
 * Submits one generation as a hierarchical kernel: each work-group copies its tile of the board, and the cells around
 * it, into local memory, and computes from there.
 *
 * @param now   board_stored_rows() x pitch cells, margins dead
 * @param next  as large; its margins are dead and stay so
 * @return what tw_queue_submit() returns; errors of the kernel itself are asynchronous
 */
tw_status life_submit_tiles(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *next);

/** The same as a range kernel: each work-item reads its nine cells from global memory. */
tw_status life_submit_cells(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *next);

/** The same as an nd_range kernel: local memory, and a barrier between copying and computing. */
tw_status life_submit_items(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *next);

/** Submits the ages of a new generation, as a range kernel. @param ages  of the cells in `now`, cell_age each */
tw_status life_submit_ages(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *ages);

#endif
