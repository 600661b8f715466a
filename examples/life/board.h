/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The board: one byte a cell, stored with a dead margin all around so that every cell of the board has eight neighbours
 * in memory and no kernel asks whether it stands at an edge. Outside of the board everything is dead.
 *
 *     row    0          margin
 *     row    1 ...      the board's rows, then dead rows up to a whole number of tiles
 *     row    last       margin
 *     column 0 ...      BOARD_MARGIN dead cells: the first cell of each row starts a cache line
 *     column 64 ...     the board's columns, then dead ones: up to a whole number of tiles, BOARD_HALO more, a cache
 * line
 */
#ifndef LIFE_BOARD_H
#define LIFE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char cell; /* 0 dead, 1 alive */

/** For how many generations a cell has been alive, or, negative, dead since it lived; 0 if it never did. It stops at
 *  32767 and -32767. */
typedef int16_t cell_age;

enum {
    BOARD_TILE = 16,       /* side of a tile: the work-groups of the hierarchical kernel are tiles */
    BOARD_HALO = 8,        /* columns that may be read to the left and right of a tile */
    BOARD_MARGIN = 64,     /* columns before the first, in cells */
    BOARD_MAX_SIDE = 32768 /* rows or columns; keeps all index arithmetic far from overflow */
};

/** Where a board's cells lie in memory. */
struct board_shape {
    int rows, columns;
    size_t pitch; /* cells from one row to the next */
};

struct board {
    struct board_shape shape;
    cell *cells; /* board_bytes() of them, aligned to a cache line */
};

/** The smallest part of the board that holds every live cell; rows and columns are empty if there is none. */
struct board_box {
    int first_row, past_row, first_column, past_column;
};

/** Index of a cell. Rows -1 to the board's height and columns -BOARD_HALO to its width + BOARD_HALO exist. */
static inline size_t board_at(size_t pitch, size_t row, size_t column)
{
    return (row + 1) * pitch + BOARD_MARGIN + column;
}

/** Tiles that cover `length` cells. */
static inline size_t board_tiles(int length)
{
    return ((size_t)length + BOARD_TILE - 1) / BOARD_TILE;
}

/** The layout of a board of 1 to BOARD_MAX_SIDE rows and columns. */
struct board_shape board_shape_of(int rows, int columns);

/** Rows in memory, margins included. */
size_t board_stored_rows(const struct board_shape *shape);

/** Size in bytes, margins included. */
size_t board_bytes(const struct board_shape *shape);

/** A dead board; cells is NULL if memory is exhausted. Freed by board_free(). */
struct board board_create(int rows, int columns);
void board_free(struct board *board);

/** Sets about a third of the cells alive, the same ones for the same seed. */
void board_randomize(struct board *board, uint64_t seed);

/** Copies `rows` x `columns` cells, row-major, to the middle of a board that is at least as large. */
void board_place(struct board *board, const cell *cells, int rows, int columns);

/** Number of live cells. Looks at the board alone, not at its margin. */
long board_population(const struct board *board);

struct board_box board_live_box(const struct board *board);

/** Whether two boards of one shape are equal in every byte, dead margins included. */
bool board_equal(const struct board *a, const struct board *b);

#endif
