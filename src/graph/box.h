/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Boxes of elements: the parts of a buffer (spec 3.6.1, 3.6.4). Arithmetic alone.
 *
 * A box has three dimensions; those that a buffer lacks are the first ones, from 0 to 1. So the last dimension is always
 * the fastest.
 */
#ifndef TEAMWORK_GRAPH_BOX_H
#define TEAMWORK_GRAPH_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/range.h>

struct tw_box {
    size_t begin[3], end[3]; /* `end` is not part of the box */
};

#define TW_BOX_PIECES 6 /* the most boxes that are left of a box when another is taken out */
#define TW_BOX_RUNS 5   /* the most boxes that make up elements which follow each other in memory */

/* Returns the box of all elements of a range. */
struct tw_box tw_box_of_range(tw_range range);
/* Returns the box of `range` elements from `offset` on, which has as many dimensions as the range, or 0: no offset. */
struct tw_box tw_box_of_part(tw_id offset, tw_range range);
/* Returns the number of elements. */
size_t tw_box_count(const struct tw_box *box);
/* Returns the index of the first element among those of a buffer with the box `whole`. */
static inline size_t tw_box_first(const struct tw_box *box, const struct tw_box *whole)
{
    return (box->begin[0] * whole->end[1] + box->begin[1]) * whole->end[2] + box->begin[2];
}

static inline bool tw_box_is_empty(const struct tw_box *box)
{
    return box->begin[0] >= box->end[0] || box->begin[1] >= box->end[1] || box->begin[2] >= box->end[2];
}

static inline bool tw_box_overlaps(const struct tw_box *a, const struct tw_box *b)
{
    return a->begin[0] < b->end[0] && b->begin[0] < a->end[0] && a->begin[1] < b->end[1] && b->begin[1] < a->end[1]
           && a->begin[2] < b->end[2] && b->begin[2] < a->end[2];
}

static inline bool tw_box_covers(const struct tw_box *outer, const struct tw_box *inner)
{
    return outer->begin[0] <= inner->begin[0] && inner->end[0] <= outer->end[0] && outer->begin[1] <= inner->begin[1]
           && inner->end[1] <= outer->end[1] && outer->begin[2] <= inner->begin[2] && inner->end[2] <= outer->end[2];
}

/* Returns true if the elements of a box lie back to back among those of a buffer with the box `whole`. */
static inline bool tw_box_is_contiguous(const struct tw_box *box, const struct tw_box *whole)
{
    const bool one_plane = box->end[0] - box->begin[0] <= 1, one_row = box->end[1] - box->begin[1] <= 1;
    return (box->end[2] - box->begin[2] == whole->end[2] || (one_plane && one_row))
           && (box->end[1] - box->begin[1] == whole->end[1] || one_plane);
}

static inline bool tw_box_equals(const struct tw_box *a, const struct tw_box *b)
{
    return tw_box_covers(a, b) && tw_box_covers(b, a);
}

/* Stores the boxes of the elements with the indices from `first` to `past` - 1, disjoint, and returns their number. */
size_t tw_box_of_run(size_t first, size_t past, const struct tw_box *whole, struct tw_box boxes[TW_BOX_RUNS]);
/* Returns the common elements; an empty box if there are none. */
struct tw_box tw_box_intersect(const struct tw_box *a, const struct tw_box *b);
/* Stores the boxes of the elements of `box` that are not in `hole`, disjoint, and returns their number. */
size_t tw_box_subtract(const struct tw_box *box, const struct tw_box *hole, struct tw_box pieces[TW_BOX_PIECES]);
/* Makes `a` the union of two disjoint boxes if that is a box; else returns false. */
bool tw_box_merge(struct tw_box *a, const struct tw_box *b);

#endif
