/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Game of Life in OpenMP by hand, as well as we can write it: what the Teamwork kernels are measured against. Same
 * board, same compiler flags; the data stays on the device from the first generation to the last.
 */
#ifndef LIFE_BASELINE_H
#define LIFE_BASELINE_H

#include <stdbool.h>

#include "board.h"

enum { BASELINE_ON_HOST = -1 };

enum baseline_method {
    BASELINE_FLAT, /* loops over cells: parallel and simd on the host, collapsed over teams on a device */
    BASELINE_TILED /* the same tiles as the hierarchical kernel, in a local array; on the host alone */
};

struct baseline {
    struct board_shape shape;
    cell *now, *next;
    int device; /* an OpenMP device number, or BASELINE_ON_HOST */
};

/**
 * Finds a GPU that runs this program's regions, by trying each OpenMP device.
 *
 * @param nth  how many of them to pass over
 * @return its OpenMP device number, -1 if there are not so many
 */
int baseline_find_gpu(int nth);

/** Copies a board to the device (or to BASELINE_ON_HOST). @return whether there was memory */
bool baseline_create(struct baseline *baseline, const struct board *start, int device);

/** Computes so many generations and waits for them. */
void baseline_run(struct baseline *baseline, enum baseline_method method, long generations);

/** Copies the board out; `into` has the shape that the baseline started with. @return whether it could be copied */
bool baseline_read(const struct baseline *baseline, struct board *into);

void baseline_destroy(struct baseline *baseline);

#endif
