/* SPDX-License-Identifier: Apache-2.0 */
/** A window that shows a running board, when the program is built with SDL2. */
#ifndef LIFE_VIEW_H
#define LIFE_VIEW_H

#include <stdbool.h>

#include "world.h"

/** Whether the program was built with SDL2. */
bool view_is_built(void);

/**
 * Shows the world, one generation a frame, until the window is closed. Space halts and resumes, the right arrow steps,
 * q and Escape close.
 *
 * @param board  of the world's shape, to copy generations to
 * @return whether all went well; if not, a line on stderr says what went wrong
 */
bool view_run(struct world *world, struct board *board);

#endif
