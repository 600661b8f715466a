/* SPDX-License-Identifier: Apache-2.0 */
/** A board that lives on a device: two buffers that change roles from one generation to the next. */
#ifndef LIFE_WORLD_H
#define LIFE_WORLD_H

#include <teamwork/buffer.h>
#include <teamwork/queue.h>

#include "board.h"

enum world_method {
    WORLD_TILES, /* the hierarchical kernel, with local memory */
    WORLD_CELLS, /* the range kernel */
    WORLD_ITEMS  /* the nd_range kernel, with local memory and a barrier */
};

struct world {
    tw_queue *queue; /* borrowed */
    struct board_shape shape;
    tw_buffer *now, *next;
    tw_buffer *ages; /* NULL unless kept */
    long generation; /* that `now` holds, once all that was submitted is done */
};

/** Makes a world that starts as a copy of a board. @return as tw_buffer_create_copy() */
tw_status world_create(struct world *world, tw_queue *queue, const struct board *start);

/** Keeps ages from now on, before the first generation. @return as tw_buffer_create_copy() */
tw_status world_keep_ages(struct world *world, const struct board *start);

/** Submits so many generations and does not wait for them. @return as tw_queue_submit() */
tw_status world_submit(struct world *world, enum world_method method, long generations);

/** Waits for all generations and copies the board out; `into` has the shape that the world started with.
 *  @return as tw_host_access() */
tw_status world_read(struct world *world, struct board *into);

/** The same for the ages that are kept: one for each stored cell, in the board's layout. */
tw_status world_read_ages(struct world *world, cell_age *into);

void world_destroy(struct world *world);

#endif
