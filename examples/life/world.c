/* SPDX-License-Identifier: Apache-2.0 */
/* The two buffers of a board and the order of generations. Knows buffers and queues, but no kernel. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"

tw_status world_create(struct world *world, tw_queue *queue, const struct board *start)
{
    const tw_range range = tw_range_2d(board_stored_rows(&start->shape), start->shape.pitch);
    struct world made = {queue, start->shape, NULL, NULL, NULL, 0};
    tw_status status = tw_buffer_create_copy(start->cells, sizeof(cell), range, &made.now);
    /* The second one starts as a copy for the sake of its margin, which no kernel writes. */
    if (status == TW_SUCCESS)
        status = tw_buffer_create_copy(start->cells, sizeof(cell), range, &made.next);
    if (status != TW_SUCCESS)
        world_destroy(&made);
    else
        *world = made;
    return status;
}

tw_status world_keep_ages(struct world *world, const struct board *start)
{
    const size_t cells = board_bytes(&world->shape);
    cell_age *ages = malloc(cells * sizeof *ages);
    if (!ages)
        return TW_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < cells; ++i)
        ages[i] = start->cells[i];
    const tw_status status = tw_buffer_create_copy(
        ages, sizeof *ages, tw_range_2d(board_stored_rows(&world->shape), world->shape.pitch), &world->ages);
    free(ages);
    return status;
}

tw_status world_submit(struct world *world, enum world_method method, long generations)
{
    static tw_status (*const submit[])(tw_queue *, const struct board_shape *, tw_buffer *, tw_buffer *) = {
        [WORLD_TILES] = life_submit_tiles, [WORLD_CELLS] = life_submit_cells, [WORLD_ITEMS] = life_submit_items};
    for (long g = 0; g < generations; ++g) {
        tw_status status = submit[method](world->queue, &world->shape, world->now, world->next);
        if (status == TW_SUCCESS && world->ages)
            status = life_submit_ages(world->queue, &world->shape, world->next, world->ages);
        if (status != TW_SUCCESS)
            return status;
        tw_buffer *past = world->now;
        world->now = world->next;
        world->next = past;
        ++world->generation;
    }
    return TW_SUCCESS;
}

static tw_status copy_out(tw_buffer *buffer, void *into, size_t bytes)
{
    tw_host_accessor *accessor;
    const tw_status status = tw_host_access(buffer, TW_READ, &accessor);
    if (status == TW_SUCCESS) {
        memcpy(into, tw_host_accessor_const_data(accessor), bytes);
        tw_host_accessor_release(&accessor);
    }
    return status;
}

tw_status world_read(struct world *world, struct board *into)
{
    return copy_out(world->now, into->cells, board_bytes(&world->shape));
}

tw_status world_read_ages(struct world *world, cell_age *into)
{
    return copy_out(world->ages, into, board_bytes(&world->shape) * sizeof *into);
}

void world_destroy(struct world *world)
{
    /* Buffers without host memory of the program: this neither blocks nor fails. */
    tw_buffer_destroy(&world->now);
    tw_buffer_destroy(&world->next);
    tw_buffer_destroy(&world->ages);
}
