/* SPDX-License-Identifier: Apache-2.0 */
/* Boards in host memory: layout, contents, comparison. Knows nothing of kernels or of the rule. */
#include "board.h"

#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

struct board_shape board_shape_of(int rows, int columns)
{
    const size_t used = BOARD_MARGIN + board_tiles(columns) * BOARD_TILE + BOARD_HALO;
    struct board_shape shape = {rows, columns, (used + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE};
    return shape;
}

size_t board_stored_rows(const struct board_shape *shape)
{
    return board_tiles(shape->rows) * BOARD_TILE + 2;
}

size_t board_bytes(const struct board_shape *shape)
{
    return board_stored_rows(shape) * shape->pitch;
}

struct board board_create(int rows, int columns)
{
    struct board board = {board_shape_of(rows, columns), NULL};
    board.cells = aligned_alloc(CACHE_LINE, board_bytes(&board.shape));
    if (board.cells)
        memset(board.cells, 0, board_bytes(&board.shape));
    return board;
}

void board_free(struct board *board)
{
    free(board->cells);
    board->cells = NULL;
}

static const cell *row_of(const struct board *board, int row)
{
    return board->cells + board_at(board->shape.pitch, (size_t)row, 0);
}

/* The splitmix64 generator: any seed will do, zero too. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void board_randomize(struct board *board, uint64_t seed)
{
    for (int r = 0; r < board->shape.rows; ++r) {
        cell *row = board->cells + board_at(board->shape.pitch, (size_t)r, 0);
        for (int c = 0; c < board->shape.columns; ++c)
            row[c] = next_random(&seed) % 3 == 0;
    }
}

void board_place(struct board *board, const cell *cells, int rows, int columns)
{
    const size_t top = (size_t)(board->shape.rows - rows) / 2, left = (size_t)(board->shape.columns - columns) / 2;
    for (size_t r = 0; r < (size_t)rows; ++r)
        memcpy(board->cells + board_at(board->shape.pitch, top + r, left), cells + r * (size_t)columns,
               (size_t)columns);
}

long board_population(const struct board *board)
{
    long alive = 0;
    for (int r = 0; r < board->shape.rows; ++r) {
        const cell *row = row_of(board, r);
        for (int c = 0; c < board->shape.columns; ++c)
            alive += row[c];
    }
    return alive;
}

struct board_box board_live_box(const struct board *board)
{
    struct board_box box = {board->shape.rows, 0, board->shape.columns, 0};
    for (int r = 0; r < board->shape.rows; ++r) {
        const cell *row = row_of(board, r);
        const cell *first = memchr(row, 1, (size_t)board->shape.columns);
        if (!first)
            continue;
        int last = board->shape.columns - 1;
        while (!row[last])
            --last;
        box.first_row = r < box.first_row ? r : box.first_row;
        box.past_row = r + 1;
        box.first_column = first - row < box.first_column ? (int)(first - row) : box.first_column;
        box.past_column = last + 1 > box.past_column ? last + 1 : box.past_column;
    }
    if (box.past_row == 0)
        box.first_row = box.first_column = 0;
    return box;
}

bool board_equal(const struct board *a, const struct board *b)
{
    return memcmp(a->cells, b->cells, board_bytes(&a->shape)) == 0;
}
