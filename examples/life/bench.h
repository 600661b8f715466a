/* SPDX-License-Identifier: Apache-2.0 */
/** The table of speeds: with local memory, without, and OpenMP by hand. */
#ifndef LIFE_BENCH_H
#define LIFE_BENCH_H

#include <stdbool.h>

#include <teamwork/queue.h>

/**
 * Measures on one board size, or on the four of the main job, and prints a table.
 *
 * @param rows, columns  the board; 0 for the main job's four
 * @return whether all boards agreed and nothing failed; if not, lines on stderr say what went wrong
 */
bool bench_run(tw_queue *queue, int rows, int columns);

#endif
