/* SPDX-License-Identifier: Apache-2.0 */
/** How a launch is divided among devices, and which elements a part of it accesses (range_mapper.h). Arithmetic alone. */
#ifndef TEAMWORK_GRAPH_DIVISION_H
#define TEAMWORK_GRAPH_DIVISION_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/range_mapper.h>

/* What a launch runs: units, which are work-items or work-groups, of `unit` work-items in each dimension. */
struct tw_launch_space {
    unsigned dims;
    size_t units[3], unit[3]; /* 1 past dims */
    size_t offset[3];         /* the global id of the first work-item; 0 past dims */
};

/* A box of units. */
struct tw_launch_part {
    size_t first[3], count[3]; /* 0 and 1 past the dimensions; a count of 0: it is empty */
};

static inline bool tw_launch_part_is_empty(const struct tw_launch_part *part)
{
    return !part->count[0] || !part->count[1] || !part->count[2];
}

/* Returns the part that is all of a launch. */
struct tw_launch_part tw_launch_all(const struct tw_launch_space *space);
/* Divides a launch into a part for each of `count` weights, in proportion to them, along the slowest dimension that has a
   unit for each. A weight of 0 gives an empty part, and so may a small one. At least one weight is greater than 0. Returns
   the dimension. */
unsigned tw_divide(const struct tw_launch_space *space, const double *weights, size_t count,
                   struct tw_launch_part *parts);

/* Divides a launch of three dimensions for devices of equal weights along its two slow dimensions, if a part then reaches
   for fewer units of others: by less than three quarters. `reach` is how many units it reaches for beyond its own, in each
   dimension. Returns false, and stores nothing, if that is not so. */
bool tw_divide_in_blocks(const struct tw_launch_space *space, const double *weights, size_t count,
                         const size_t reach[3], struct tw_launch_part *parts);
/* Takes the edges out of a part in dimension d: the first `after` units, if the launch has some before them, and the last
   `before` ones, if it has some behind them. Stores them; they may be empty. Returns false, and leaves the part as it is, if
   nothing would be left of it. */
bool tw_divide_edges(const struct tw_launch_space *space, unsigned d, size_t before, size_t after,
                     struct tw_launch_part *part, struct tw_launch_part edges[2]);
/* Stores how many units before and behind its own a part reads the elements of, in dimension d, by the mappers that say so:
   0 if none does. */
void tw_mappers_reach(const tw_range_mapper *mappers, size_t count, const struct tw_launch_space *space, unsigned d,
                      size_t *before, size_t *after);

/* Returns what is wrong with a mapper for a buffer of a range, as a sentence; NULL: nothing. */
const char *tw_mapper_fault(const tw_range_mapper *mapper, tw_range buffer);
/* Makes the mapper of an accessor without one explicit. Returns false if it writes, and the buffer's range does not say
   what. */
bool tw_mapper_resolve(tw_range_mapper *mapper, const struct tw_launch_space *space, tw_range buffer, bool writes);
/* Stores the elements of a buffer that a part, which is not empty, accesses: there may be none. Calls mappers of the
   program. Returns false if one of these gives a box of other dimensions than the buffer's. */
bool tw_map_part(const tw_range_mapper *mapper, const struct tw_launch_space *space, const struct tw_launch_part *part,
                 tw_range buffer, tw_id *offset, tw_range *range);

#endif
