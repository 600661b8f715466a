/* SPDX-License-Identifier: Apache-2.0 */
/** Runs the contenders of a problem: to see that each is right, and how fast it is. */
#ifndef GROUPS_CONTEST_H
#define GROUPS_CONTEST_H

#include "problem.h"

/** Runs each contender once and prints whether its result is right. @return whether all are */
bool contest_verify(const struct problem *problem);

/** Prints what the columns of contest_measure() are. */
void contest_print_head(void);

/**
 * Checks each contender, measures them in turns, and prints a table: medians, rates, and how much faster than the best
 * of OpenMP's.
 *
 * @return whether all results are right
 */
bool contest_measure(const struct problem *problem);

#endif
