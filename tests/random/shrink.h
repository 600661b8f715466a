/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H

struct options;

/* Reduces the program of the options' seed and prints what is left of it. Returns the exit status. */
int shrink(const struct options *options);

#endif
