/* SPDX-License-Identifier: Apache-2.0 */
/** Runs of a board over many generations, with progress on the terminal and images on the way. */
#ifndef LIFE_RUN_H
#define LIFE_RUN_H

#include <stdbool.h>

#include <teamwork/queue.h>

#include "options.h"
#include "world.h"

/** Which images a run writes, as DIRECTORY/life-NAME-GENERATION.png and DIRECTORY/life-NAME-animation.png. */
struct run_images {
    const struct options *options; /* the directory and the generations asked for */
    bool last;                     /* also the last generation, if none were asked for */
};

/** Prints what failed and the library's own words for it on stderr. @return whether status is TW_SUCCESS */
bool run_check(tw_status status, const char *what);

/**
 * Runs a world up to a generation and copies the board there out, which holds what the world started with. Prints progress when it takes long.
 *
 * @param name    of the run, in messages and image names
 * @param board   the world's first board; receives the last
 * @return whether all went well; if not, a line on stderr says what went wrong
 */
bool run_to(struct world *world, enum world_method method, const char *name, long generations,
            const struct run_images *images, struct board *board);

enum { RUN_NAME = 96 };

/** Stores the name of a queue's device, and how many more it has. */
void run_name(const tw_queue *queue, char name[RUN_NAME]);

/** Seconds of a clock that only goes forward. */
double run_clock(void);

#endif
