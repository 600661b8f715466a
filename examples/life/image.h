/* SPDX-License-Identifier: Apache-2.0 */
/** Boards as PNG files. */
#ifndef LIFE_IMAGE_H
#define LIFE_IMAGE_H

#include <stdbool.h>

#include "board.h"

/**
 * Writes a board as a black and white PNG, one pixel a cell, live cells black.
 *
 * @return whether it could be written; errno says why not, 0 where only libpng knows
 */
bool image_write(const char *path, const struct board *board);

#endif
