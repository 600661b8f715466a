/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Patterns in the run length encoded format that Life programs exchange:
 *
 *     #C comments, any number of lines
 *     x = 3, y = 3, rule = B3/S23
 *     bob$2bo$3o!
 *
 * b is a dead cell, o a live one, $ ends a row, each after an optional count; ! ends the pattern, and what follows it
 * is not looked at. The rule may be left out, and must be Conway's if it is there.
 */
#ifndef LIFE_RLE_H
#define LIFE_RLE_H

#include <stdbool.h>
#include <stddef.h>

#include "board.h"

struct rle_pattern {
    int rows, columns; /* 1 to BOARD_MAX_SIDE each */
    cell *cells;       /* rows x columns, row-major; freed by rle_free() */
};

/** What is wrong with a pattern, and where; both count from 1. line is 0 where the text is not to blame. */
struct rle_error {
    int line, column;
    char message[120];
};

/**
 * Reads a pattern from `length` characters.
 *
 * @param pattern  receives the pattern; untouched on failure
 * @param error    receives what is wrong on failure
 * @return whether the text is a pattern
 */
bool rle_parse(const char *text, size_t length, struct rle_pattern *pattern, struct rle_error *error);

/** Reads a pattern from a file of at most 64 MiB; otherwise as rle_parse(). */
bool rle_read_file(const char *path, struct rle_pattern *pattern, struct rle_error *error);

void rle_free(struct rle_pattern *pattern);

#endif
