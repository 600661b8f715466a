/* SPDX-License-Identifier: Apache-2.0 */
/** Boards as PNG files, and as animations: several frames in one PNG file (APNG), which browsers show. */
#ifndef LIFE_IMAGE_H
#define LIFE_IMAGE_H

#include <stdbool.h>

#include "board.h"

/** The part of a board that a picture shows, and its scale. */
struct image_part {
    int row, column, rows, columns;
    int enlarge; /* pixels a cell in each direction */
    int shrink;  /* cells a pixel; 1 if enlarge is not. A pixel shows the most recent of its cells, live ones first. */
};

/** What is drawn: boards, live cells black on white; or with ages, which are colours. */
struct image_source {
    const struct board *board; /* its shape, and its cells if there are no ages */
    const cell_age *ages;      /* of each stored cell; NULL for black and white */
};

struct image;

/**
 * Begins a picture of one frame, or an animation.
 *
 * @param ages    whether its sources will have ages
 * @param frames  how many there will be, from 1
 * @return NULL if it cannot be written; errno says why not, 0 where only libpng knows. Ended by image_end().
 */
struct image *image_begin(const char *path, const struct image_part *part, bool ages, long frames);

/** Adds the next frame. @return as image_end() */
bool image_add(struct image *image, const struct image_source *source);

/**
 * Closes the file and frees the image; NULL is none. All frames must have been added.
 *
 * @return whether all was written; errno as for image_begin()
 */
bool image_end(struct image *image);

#endif
