/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Launches that are divided into boxes, which become launches of their own, by the library's own
 * tw_command_group_set_part(). Programs with it are "internal" (TestPrograms.cmake).
 */
#ifndef TW_LAUNCH_PARTS_H
#define TW_LAUNCH_PARTS_H

#include "nd_range_test.h"

#include "objects/groups/command_group.h"

enum { MOST_CUTS = 4 };

/* A whole launch, and where it is cut in each dimension. */
struct space {
    unsigned dims;
    size_t range[3], local[3], offset[3]; /* range: of work-items of a range kernel, else of groups */
    size_t cuts[3][MOST_CUTS];            /* 0 ends them */
};

#define SPACE static const __attribute__((unused)) struct space
SPACE items_1 = {1, {1000, 1, 1}, {1, 1, 1}, {0, 0, 0}, {{1, 257, 800}, {0}, {0}}};
SPACE items_2 = {2, {37, 53, 1}, {1, 1, 1}, {0, 0, 0}, {{5, 21}, {17, 18}, {0}}};
SPACE items_3 = {3, {7, 11, 30}, {1, 1, 1}, {0, 0, 0}, {{3}, {4, 9}, {13}}};
SPACE groups_1 = {1, {23, 1, 1}, {16, 1, 1}, {0, 0, 0}, {{1, 9}, {0}, {0}}};
SPACE groups_2 = {2, {7, 5, 1}, {4, 8, 1}, {0, 0, 0}, {{2, 5}, {1, 4}, {0}}};
SPACE groups_3 = {3, {4, 3, 5}, {2, 2, 4}, {0, 0, 0}, {{1}, {2}, {1, 3}}};
/* sizes of groups that kernels are compiled for besides (host.h); they are whole warps, which the standard mapping runs */
SPACE usual_1 = {1, {9, 1, 1}, {256, 1, 1}, {0, 0, 0}, {{2, 3}, {0}, {0}}};
SPACE usual_2 = {2, {3, 5, 1}, {16, 16, 1}, {0, 0, 0}, {{2}, {1, 3}, {0}}};
SPACE rows_2 = {2, {3, 5, 1}, {3, 32, 1}, {0, 0, 0}, {{1}, {1, 3}, {0}}};

/* Stores part number `part`, from 0 on. Returns false if there are fewer. */
static inline bool find_part(const struct space *space, size_t part, size_t first[3], size_t count[3])
{
    for (unsigned d = 3; d-- > 0;) {
        size_t pieces = 1;
        for (unsigned c = 0; c < MOST_CUTS && space->cuts[d][c]; ++c)
            ++pieces;
        const size_t piece = part % pieces, past = piece + 1 == pieces ? space->range[d] : space->cuts[d][piece];
        part /= pieces;
        first[d] = piece ? space->cuts[d][piece - 1] : 0;
        count[d] = past - first[d];
    }
    return part == 0;
}

static inline tw_range range_of(const struct space *space, const size_t size[3])
{
    return space->dims == 1   ? tw_range_1d(size[0])
           : space->dims == 2 ? tw_range_2d(size[0], size[1])
                              : tw_range_3d(size[0], size[1], size[2]);
}

static inline tw_id offset_of(const struct space *space)
{
    return tw_id_from_range(range_of(space, space->offset));
}

static inline tw_nd_range nd_range_of(const struct space *space)
{
    const tw_range local = range_of(space, space->local);
    return tw_nd_range_make_offset(tw_range_mul(range_of(space, space->range), local), local, offset_of(space));
}

static inline size_t count_items(const struct space *space)
{
    size_t count = 1;
    for (unsigned d = 0; d < 3; ++d)
        count *= space->range[d] * space->local[d];
    return count;
}

/* The part, from 1 on, that a work-item is of. */
static inline size_t part_of(const struct space *space, size_t item)
{
    size_t at[3], first[3], count[3];
    for (unsigned d = 3; d-- > 0; item /= space->range[d] * space->local[d])
        at[d] = item % (space->range[d] * space->local[d]) / space->local[d];
    for (size_t part = 1;; ++part) {
        bool inside = true;
        TW_CHECK(find_part(space, part - 1, first, count));
        for (unsigned d = 0; d < 3; ++d)
            inside = inside && at[d] - first[d] < count[d];
        if (inside)
            return part;
    }
}

#endif
