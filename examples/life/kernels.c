/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Game of Life in three kernels: read this file first.
 *
 * The first is the obvious one, a range kernel with one work-item a cell. The second does the same with local memory: a
 * hierarchical kernel with one work-group a tile of the board. The third is the second as an nd_range kernel, with the
 * barrier to be seen. All read the board of this generation and write that of the next; board.h describes the margin
 * that lets them do so without a question about edges.
 */
#include "kernels.h"

#include <teamwork/teamwork.h>

/*
 * The rule: a cell lives in the next generation if it has three live neighbours, or two and is alive. Each pointer is
 * at the middle one of three neighbouring cells. Eight neighbours fit a byte: sums in bytes are what lets a CPU compute
 * as many cells at a time as its vectors have bytes. For the same reason the answer is computed, not branched to.
 */
static inline cell rule(const cell *above, const cell *here, const cell *below)
{
    const cell neighbours =
        (cell)(above[-1] + above[0] + above[1] + here[-1] + here[1] + below[-1] + below[0] + below[1]);
    return (cell)((neighbours == 3) | ((neighbours == 2) & here[0]));
}

/*
 * Range mappers: what of a stored board a queue over several devices needs for the cells of some work-items (range_mapper.h).
 * Their ids are positions on the board. A queue on one device never asks.
 */
static void cells_of(tw_id position, tw_range cells, tw_range stored, tw_id *first, tw_range *count, void *user)
{
    (void)stored, (void)user;
    *first = tw_id_2d(1 + position.at[0], BOARD_MARGIN + position.at[1]);
    *count = cells;
}

static void neighbours_of(tw_id position, tw_range cells, tw_range stored, tw_id *first, tw_range *count, void *user)
{
    (void)stored, (void)user;
    *first = tw_id_2d(position.at[0], BOARD_MARGIN - BOARD_HALO + position.at[1]);
    *count = tw_range_2d(1 + cells.size[0] + 1, BOARD_HALO + cells.size[1] + BOARD_HALO);
}

#define CELLS tw_map_by(cells_of, NULL)
#define NEIGHBOURS tw_map_by(neighbours_of, NULL)

/* ---- a range kernel: one work-item a cell ---------------------------------------------------------------------- */

/* What a kernel is given: its argument block, which has the kernel's name. */
struct life_cell {
    const cell *now;
    cell *next;
    size_t pitch;
};

/* What each work-item does. Its id is the position of its cell, row first. */
static inline void life_cell(tw_item item, const struct life_cell *k)
{
    const size_t at = board_at(k->pitch, tw_global_id(item, 0), tw_global_id(item, 1));
    k->next[at] = rule(&k->now[at - k->pitch], &k->now[at], &k->now[at + k->pitch]);
}
TW_RANGE_KERNEL(life_cell, 2); /* always launched over two dimensions */

/*
 * One generation is one command group. It names what the kernel accesses and how, and that is all: the accesses order
 * it after the generation before, and bring the data to the device and back. Writing with tw_write(), not
 * tw_discard_write(), keeps what the kernel does not overwrite: the margin.
 */
tw_status life_submit_cells(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *next)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d((size_t)shape->rows, (size_t)shape->columns), life_cell, /* what runs, how often */
                    .now = tw_read_mapped(cg, now, NEIGHBOURS), .next = tw_write_mapped(cg, next, CELLS),
                    .pitch = shape->pitch); /* its block */
    return tw_queue_submit(queue, cg, NULL);
}

/* ---- a hierarchical kernel: one work-group a tile -------------------------------------------------------------- */

/*
 * Neighbouring cells share neighbours, so the kernel above reads each cell from global memory nine times. Here a
 * work-group reads its tile and the halo around it once, into memory that its work-items share.
 *
 * A halo of one cell is all that the rule needs. In memory it is one row above and below, but eight columns left and
 * right: rows of 8 + 16 + 8 cells can be copied four cells at a time, aligned.
 */
enum { TILE = BOARD_TILE, HALO = BOARD_HALO, STORED = HALO + TILE + HALO };

struct quad {
    cell at[4];
} __attribute__((aligned(4)));

struct life_tile {
    const cell *now;
    cell *next;
    size_t pitch;
    int rows, columns; /* of the board */
};

/* What each work-group does. Statements outside of the loops over work-items are for the group as a whole. */
static inline void life_tile(tw_group group, const struct life_tile *k)
{
    TW_LOCAL(cell, tile, [1 + TILE + 1][STORED]); /* local memory: one for each work-group */

    const size_t top = tw_group_id(group, 0) * TILE, left = tw_group_id(group, 1) * TILE;
    const bool whole = top + TILE <= (size_t)k->rows && left + TILE <= (size_t)k->columns;

    /* Copy. A loop may run over another range than the group's own 16 x 16: here each point moves four cells. */
    tw_parallel_for_work_item_range(group, item, tw_range_2d(1 + TILE + 1, STORED / 4)) {
        const size_t row = tw_local_id(item, 0), column = 4 * tw_local_id(item, 1);
        const cell *source = &k->now[board_at(k->pitch, top + row - 1, left + column - HALO)];
        const struct quad *from = (const struct quad *)source;
        struct quad *to = (struct quad *)&tile[row][column];
        *to = *from;
    }

    /* Between the loops the work-group waits for all of its work-items: now the tile is complete. */

    tw_parallel_for_work_item(group, item) {
        const size_t row = tw_local_id(item, 0), column = tw_local_id(item, 1);
        const cell *above = &tile[row][HALO + column];
        const cell *here = &tile[row + 1][HALO + column];
        const cell *below = &tile[row + 2][HALO + column];
        /* The last tiles reach past the board; what lies there stays dead. */
        const bool inside = whole || (top + row < (size_t)k->rows && left + column < (size_t)k->columns);
        k->next[board_at(k->pitch, top + row, left + column)] = rule(above, here, below) & inside;
    }
}
TW_WORK_GROUP_KERNEL(life_tile, TILE, TILE); /* always launched in groups of 16 x 16: constants cost no arithmetic */

tw_status life_submit_tiles(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *next)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_2d(board_tiles(shape->rows), board_tiles(shape->columns)),
                               tw_range_2d(TILE, TILE), life_tile, .now = tw_read_mapped(cg, now, NEIGHBOURS),
                               .next = tw_write_mapped(cg, next, CELLS), .pitch = shape->pitch, .rows = shape->rows,
                               .columns = shape->columns);
    return tw_queue_submit(queue, cg, NULL);
}

/* ---- an nd_range kernel: one work-item a cell, in work-groups --------------------------------------------------- */

/* What each work-item does. Those of a group share the tile, and wait for each other where the code says so. The block
   is that of the kernel above. */
static inline void life_item(tw_nd_item item, const struct life_tile *k)
{
    enum { QUADS = STORED / 4, COPIES = (1 + TILE + 1) * QUADS };
    _Static_assert(COPIES <= TILE * TILE, "each work-item copies one quad at most");
    TW_LOCAL(cell, tile, [1 + TILE + 1][STORED]);

    const size_t top = tw_group_id(item, 0) * TILE, left = tw_group_id(item, 1) * TILE;
    const size_t number = tw_local_linear_id(item);
    if (number < COPIES) {
        const size_t row = number / QUADS, column = 4 * (number % QUADS);
        const cell *source = &k->now[board_at(k->pitch, top + row - 1, left + column - HALO)];
        const struct quad *from = (const struct quad *)source;
        struct quad *to = (struct quad *)&tile[row][column];
        *to = *from;
    }

    tw_barrier(item, TW_LOCAL_SPACE); /* all work-items come here, those that copied nothing too */

    const size_t row = tw_local_id(item, 0), column = tw_local_id(item, 1);
    const cell *above = &tile[row][HALO + column];
    const cell *here = &tile[row + 1][HALO + column];
    const cell *below = &tile[row + 2][HALO + column];
    const bool inside = top + row < (size_t)k->rows && left + column < (size_t)k->columns;
    k->next[board_at(k->pitch, top + row, left + column)] = rule(above, here, below) & inside;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(life_tile) life_item, TILE, TILE);

tw_status life_submit_items(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *next)
{
    const tw_range tile = tw_range_2d(TILE, TILE);
    const tw_range tiles = tw_range_2d(board_tiles(shape->rows), board_tiles(shape->columns));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_mul(tiles, tile), tile), life_item,
                             .now = tw_read_mapped(cg, now, NEIGHBOURS), .next = tw_write_mapped(cg, next, CELLS),
                             .pitch = shape->pitch, .rows = shape->rows, .columns = shape->columns);
    return tw_queue_submit(queue, cg, NULL);
}

/* ---- ages: a range kernel after each generation, for pictures --------------------------------------------------- */

struct life_age {
    const cell *now;
    cell_age *ages;
    size_t pitch;
};

static inline void life_age(tw_item item, const struct life_age *k)
{
    const size_t at = board_at(k->pitch, tw_global_id(item, 0), tw_global_id(item, 1));
    const int age = k->ages[at];
    const int older = age > 0 ? age : 0, longer_dead = age > 0 ? 0 : age;
    const int alive = older < INT16_MAX ? older + 1 : older;
    const int dead = age == 0 || longer_dead == -INT16_MAX ? longer_dead : longer_dead - 1;
    k->ages[at] = (cell_age)(k->now[at] ? alive : dead);
}
TW_RANGE_KERNEL(life_age, 2);

tw_status life_submit_ages(tw_queue *queue, const struct board_shape *shape, tw_buffer *now, tw_buffer *ages)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d((size_t)shape->rows, (size_t)shape->columns), life_age,
                    .now = tw_read_mapped(cg, now, CELLS), .ages = tw_read_write_mapped(cg, ages, CELLS),
                    .pitch = shape->pitch);
    return tw_queue_submit(queue, cg, NULL);
}
