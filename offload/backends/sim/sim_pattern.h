/* SPDX-License-Identifier: Apache-2.0 */
/** The patterns that simulated devices fill memory with: poison in contents that nobody wrote, red zones around them. */
#ifndef TEAMWORK_OFFLOAD_SIM_PATTERN_H
#define TEAMWORK_OFFLOAD_SIM_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills memory with TW_SIM_POISON, in each two bytes from an even address on. */
void tw_sim_poison(void *memory, size_t bytes);

/*
 * Returns the eight bytes that a red zone repeats, for elements of so many bytes; 0: their size is not known.
 *
 * What is added to an element must change it: so it is a signaling NaN, which any operation makes a quiet one. A quiet
 * NaN stays as it is, and so does a large number if a small one is added. No pattern is a signaling NaN as a half, as a
 * float and as a double wherever it is read, hence the size: elements of 2 bytes are halves, and those of 4 are floats.
 * For other sizes the first half, float and double of each eight bytes are signaling NaNs, and all are NaNs or large.
 */
uint64_t tw_sim_red_word(size_t element_bytes);

void tw_sim_pattern_fill(void *zone, size_t bytes, uint64_t word);
bool tw_sim_pattern_is_whole(const void *zone, size_t bytes, uint64_t word);

/* Return the index of the first, or last, byte that differs from the pattern; SIZE_MAX if none does. */
size_t tw_sim_pattern_first(const void *zone, size_t bytes, uint64_t word);
size_t tw_sim_pattern_last(const void *zone, size_t bytes, uint64_t word);

#endif
