/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rank's block. A step is three command groups:
 *
 *     edges     computes the outermost cells of the block, from those around it too, and puts them into `sent`
 *     exchange  `sent` goes to the neighbours, and `received` comes from them (exchange.c)
 *     inside    computes all other cells
 *
 * They wait for what they access and for nothing else. So the exchange is under way while the device computes the inner
 * cells of this step, and of the next one, which need nothing that comes from outside.
 *
 * A rank with several devices has a queue over all of them for the inner cells. It divides them by rows, and brings the
 * rows at the borders between two devices from one to the other. The edges are for the first device alone.
 */
#include "halo.h"

#include <string.h>

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct fill {
    TW_VIEW(float) cells;
    int first_row, first_column;
};

static inline float initial_value(int row, int column)
{
    unsigned x = (unsigned)(row + 1) * 2654435761u ^ (unsigned)(column + 1) * 2246822519u;
    x ^= x >> 15;
    x *= 2654435761u;
    return (float)(x >> 20) * (1.0f / 4096.0f);
}

static inline void fill(tw_item item, const struct fill *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->cells, i, j) = initial_value(k->first_row + (int)i, k->first_column + (int)j);
}
TW_RANGE_KERNEL(fill, 2);

struct inside {
    TW_VIEW(const float) now;
    TW_PART_VIEW(float) next; /* without the outermost cells */
};

static inline void inside(tw_item item, const struct inside *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->next, i, j) = halo_relax(tw_at(k->now, i, j + 1), tw_at(k->now, i + 2, j + 1), tw_at(k->now, i + 1, j),
                                      tw_at(k->now, i + 1, j + 2));
}
TW_RANGE_KERNEL(inside, 2);

/* A corner belongs to two sides. Both send it, and the top or the bottom stores it. */
struct edges {
    const float *now;      /* all cells of the block */
    const float *received; /* side after side, as `sent` */
    float *sent;
    float *next[SIDES]; /* the first cell of a side; left and right begin in the second row */
    unsigned rows, columns;
};

static inline void edges(tw_item item, const struct edges *k)
{
    const unsigned side = (unsigned)tw_global_id(item, 0), i = (unsigned)tw_global_id(item, 1);
    const unsigned rows = k->rows, columns = k->columns;
    const bool across = side == TOP || side == BOTTOM;
    if (i >= (across ? columns : rows))
        return;
    const unsigned row = side == TOP ? 0 : side == BOTTOM ? rows - 1 : i;
    const unsigned column = side == LEFT ? 0 : side == RIGHT ? columns - 1 : i;
    const float *top = k->received, *bottom = top + columns, *left = bottom + columns, *right = left + rows;
    const float *here = k->now + (size_t)row * columns + column;
    const float value =
        halo_relax(row > 0 ? *(here - columns) : top[column], row + 1 < rows ? here[columns] : bottom[column],
                   column > 0 ? *(here - 1) : left[row], column + 1 < columns ? here[1] : right[row]);
    k->sent[(across ? side * columns : 2 * columns + (side - LEFT) * rows) + i] = value;
    if (across)
        k->next[side][i] = value;
    else if (i > 0 && i + 1 < rows)
        k->next[side][(size_t)(i - 1) * columns] = value;
}
TW_RANGE_KERNEL(edges, 2);

/* ---- steps ------------------------------------------------------------------------------------------------------- */

float halo_initial(int row, int column)
{
    return initial_value(row, column);
}

static size_t side_length(const struct block *block, enum side side)
{
    return (size_t)(side == TOP || side == BOTTOM ? block->own_columns : block->own_rows);
}

tw_id side_offset(const struct block *block, enum side side)
{
    size_t offset = 0;
    for (enum side before = TOP; before < side; ++before)
        offset += side_length(block, before);
    return tw_id_1d(offset);
}

tw_range side_range(const struct block *block, enum side side)
{
    return tw_range_1d(side_length(block, side));
}

static tw_status submit_fill(const struct block *block)
{
    tw_command_group *cg = tw_queue_begin(block->compute);
    tw_parallel_for(cg, tw_buffer_range(block->cells[0]), fill, .cells = TW_DISCARD_WRITE_VIEW(cg, block->cells[0]),
                    .first_row = block->first_row, .first_column = block->first_column);
    return tw_queue_submit(block->compute, cg, NULL);
}

static tw_status submit_edges(const struct block *block, tw_buffer *now, tw_buffer *next)
{
    const size_t rows = (size_t)block->own_rows, columns = (size_t)block->own_columns;
    const tw_range row = tw_range_2d(1, columns), column = tw_range_2d(rows - 2, 1);
    const tw_range two_rows = tw_range_2d(2, columns), two_columns = tw_range_2d(rows, 2);
    tw_command_group *cg = tw_queue_begin(block->edges);
    /* What is read, and no more: the inner cells may be on other devices. */
    const float *first = tw_read_part(cg, now, tw_id_2d(0, 0), two_rows);
    (void)tw_read_part(cg, now, tw_id_2d(rows - 2, 0), two_rows);
    (void)tw_read_part(cg, now, tw_id_2d(0, 0), two_columns);
    (void)tw_read_part(cg, now, tw_id_2d(0, columns - 2), two_columns);
    tw_parallel_for(cg, tw_range_2d(SIDES, rows > columns ? rows : columns), edges, .now = first,
                    .received = tw_read(cg, block->received), .sent = tw_discard_write(cg, block->sent),
                    .next = {[TOP] = tw_discard_write_part(cg, next, tw_id_2d(0, 0), row),
                             [BOTTOM] = tw_discard_write_part(cg, next, tw_id_2d(rows - 1, 0), row),
                             [LEFT] = tw_discard_write_part(cg, next, tw_id_2d(1, 0), column),
                             [RIGHT] = tw_discard_write_part(cg, next, tw_id_2d(1, columns - 1), column)},
                    .rows = (unsigned)rows, .columns = (unsigned)columns);
    return tw_queue_submit(block->edges, cg, NULL);
}

static tw_status submit_inside(const struct block *block, tw_buffer *now, tw_buffer *next, tw_event *after)
{
    const tw_range part = tw_range_2d((size_t)block->own_rows - 2, (size_t)block->own_columns - 2);
    tw_command_group *cg = tw_queue_begin(block->compute);
    tw_depends_on(cg, after);
    tw_parallel_for(cg, part, inside,
                    .now = TW_READ_MAPPED_VIEW(cg, now, tw_neighborhood_of(tw_id_2d(0, 0), tw_id_2d(2, 2))),
                    .next = TW_DISCARD_WRITE_PART_VIEW(cg, next, tw_id_2d(1, 1), part));
    return tw_queue_submit(block->compute, cg, NULL);
}

tw_status block_submit(struct block *block, int steps)
{
    tw_status status = TW_SUCCESS;
    for (int i = 0; i < steps && status == TW_SUCCESS; ++i, ++block->step) {
        tw_buffer *now = block->cells[block->step % 2], *next = block->cells[(block->step + 1) % 2];
        tw_event *exchanged = NULL;
        status = submit_edges(block, now, next);
        if (status == TW_SUCCESS)
            status = exchange_submit(block, block->overlap ? NULL : &exchanged);
        if (status == TW_SUCCESS)
            status = submit_inside(block, now, next, exchanged);
        tw_event_release(&exchanged);
    }
    return status;
}

tw_status block_wait(struct block *block)
{
    /* If a message fails, so does all that needs it: the first one says why. */
    const tw_status messages = tw_queue_wait(block->messages);
    const tw_status edges = messages == TW_SUCCESS ? tw_queue_wait(block->edges) : messages;
    return edges == TW_SUCCESS ? tw_queue_wait(block->compute) : edges;
}

/* ---- the beginning and the end ----------------------------------------------------------------------------------- */

/* Sets the place of the block in the grid, and its neighbours. */
static void place(struct block *block)
{
    int ranks[2], periods[2], at[2];
    MPI_Cart_get(block->comm, 2, ranks, periods, at);
    MPI_Cart_shift(block->comm, 0, 1, &block->neighbours[TOP], &block->neighbours[BOTTOM]);
    MPI_Cart_shift(block->comm, 1, 1, &block->neighbours[LEFT], &block->neighbours[RIGHT]);
    block->first_row = (int)((long)block->rows * at[0] / ranks[0]);
    block->own_rows = (int)((long)block->rows * (at[0] + 1) / ranks[0]) - block->first_row;
    block->first_column = (int)((long)block->columns * at[1] / ranks[1]);
    block->own_columns = (int)((long)block->columns * (at[1] + 1) / ranks[1]) - block->first_column;
}

/* The cells around the block, as they are at first. */
static void fill_received(const struct block *block)
{
    const int row = block->first_row, column = block->first_column;
    float *next = block->received_memory;
    for (int j = 0; j < block->own_columns; ++j)
        *next++ = halo_initial(row - 1, column + j);
    for (int j = 0; j < block->own_columns; ++j)
        *next++ = halo_initial(row + block->own_rows, column + j);
    for (int i = 0; i < block->own_rows; ++i)
        *next++ = halo_initial(row + i, column - 1);
    for (int i = 0; i < block->own_rows; ++i)
        *next++ = halo_initial(row + i, column + block->own_columns);
}

static tw_status create_buffers(struct block *block)
{
    const tw_range cells = tw_range_2d((size_t)block->own_rows, (size_t)block->own_columns);
    const size_t around = 2 * (cells.size[0] + cells.size[1]);
    tw_status status = TW_SUCCESS;
    for (int i = 0; i < 2 && status == TW_SUCCESS; ++i)
        status = tw_buffer_create(sizeof(float), cells, &block->cells[i]);
    if (status != TW_SUCCESS)
        return status;
    block->sent_memory = tw_malloc_host(around * sizeof(float));
    block->received_memory = tw_malloc_host(around * sizeof(float));
    if (!block->sent_memory || !block->received_memory)
        return TW_ERROR_OUT_OF_MEMORY;
    memset(block->sent_memory, 0, around * sizeof(float));
    fill_received(block);
    status = tw_buffer_create_over(block->sent_memory, sizeof(float), tw_range_1d(around), &block->sent);
    if (status == TW_SUCCESS)
        status = tw_buffer_create_over(block->received_memory, sizeof(float), tw_range_1d(around), &block->received);
    return status;
}

tw_status block_create(struct block *block, const struct options *options, MPI_Comm comm, tw_device *const *devices,
                       size_t count)
{
    tw_device *const device = devices[0];
    *block =
        (struct block){.rows = options->rows, .columns = options->columns, .comm = comm, .overlap = options->overlap};
    block->device_pointers =
        options->halos == HALOS_DEVICE || (options->halos == HALOS_AUTO && exchange_takes_device_pointers(device));
    place(block);
    double shares[MOST_DEVICES];
    for (size_t i = 0; i < count; ++i)
        shares[i] = 1; /* a node's devices are alike, and all ranks wait for the slowest */
    tw_status status = tw_queue_create_over(devices, count, 0, NULL, NULL, &block->compute);
    if (status == TW_SUCCESS)
        status = tw_queue_set_division(block->compute, shares);
    if (status == TW_SUCCESS)
        status = tw_queue_create_on_device(device, NULL, NULL, &block->edges);
    if (status == TW_SUCCESS)
        status = tw_queue_create_with_properties(NULL, device, TW_QUEUE_IN_ORDER, NULL, NULL, &block->messages);
    if (status == TW_SUCCESS)
        status = create_buffers(block);
    return status == TW_SUCCESS ? submit_fill(block) : status;
}

tw_status block_destroy(struct block *block)
{
    tw_buffer **buffers[] = {&block->cells[0], &block->cells[1], &block->sent, &block->received};
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i) {
        const tw_status destroyed = tw_buffer_destroy(buffers[i]);
        status = status == TW_SUCCESS ? destroyed : status;
    }
    tw_queue **queues[] = {&block->messages, &block->edges, &block->compute};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; ++i) {
        const tw_status destroyed = tw_queue_destroy(queues[i]);
        status = status == TW_SUCCESS ? destroyed : status;
    }
    tw_free_host(block->sent_memory);
    tw_free_host(block->received_memory);
    return status;
}
