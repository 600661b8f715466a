/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of elements. */
#include "box.h"

struct tw_box tw_box_of_part(tw_id offset, tw_range range)
{
    struct tw_box box = {{0, 0, 0}, {1, 1, 1}};
    const unsigned first = 3 - range.dims;
    for (unsigned d = 0; d < range.dims; ++d) {
        box.begin[first + d] = d < offset.dims ? offset.at[d] : 0;
        box.end[first + d] = box.begin[first + d] + range.size[d];
    }
    return box;
}

struct tw_box tw_box_of_range(tw_range range)
{
    return tw_box_of_part((tw_id){.dims = 0}, range);
}

size_t tw_box_count(const struct tw_box *box)
{
    return tw_box_is_empty(box)
               ? 0
               : (box->end[0] - box->begin[0]) * (box->end[1] - box->begin[1]) * (box->end[2] - box->begin[2]);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t tw_box_of_run(size_t first, size_t past, const struct tw_box *whole, struct tw_box boxes[TW_BOX_RUNS])
{
    const size_t row = whole->end[2], rows = whole->end[1], plane = row * rows;
    size_t count = 0;
    while (first < past) {
        const size_t left = past - first, z = first / plane, y = first / row % rows, x = first % row;
        struct tw_box *box = &boxes[count++];
        if (x == 0 && y == 0 && left >= plane)
            *box = (struct tw_box){{z, 0, 0}, {z + left / plane, rows, row}};
        else if (x == 0 && left >= row)
            *box = (struct tw_box){{z, y, 0}, {z + 1, y + least(left / row, rows - y), row}};
        else
            *box = (struct tw_box){{z, y, x}, {z + 1, y + 1, x + least(left, row - x)}};
        first += tw_box_count(box);
    }
    return count;
}

struct tw_box tw_box_intersect(const struct tw_box *a, const struct tw_box *b)
{
    struct tw_box common;
    for (unsigned d = 0; d < 3; ++d) {
        common.begin[d] = a->begin[d] > b->begin[d] ? a->begin[d] : b->begin[d];
        common.end[d] = a->end[d] < b->end[d] ? a->end[d] : b->end[d];
        if (common.end[d] < common.begin[d])
            common.end[d] = common.begin[d];
    }
    return common;
}

/* Cuts off what lies before and behind the hole, the slowest dimension first: so most pieces are whole rows. */
size_t tw_box_subtract(const struct tw_box *box, const struct tw_box *hole, struct tw_box pieces[TW_BOX_PIECES])
{
    struct tw_box rest = *box;
    size_t count = 0;
    if (!tw_box_overlaps(box, hole)) {
        pieces[0] = *box;
        return !tw_box_is_empty(box);
    }
    for (unsigned d = 0; d < 3; ++d) {
        if (rest.begin[d] < hole->begin[d]) {
            pieces[count] = rest;
            pieces[count++].end[d] = rest.begin[d] = hole->begin[d];
        }
        if (hole->end[d] < rest.end[d]) {
            pieces[count] = rest;
            pieces[count++].begin[d] = rest.end[d] = hole->end[d];
        }
    }
    return count;
}

bool tw_box_merge(struct tw_box *a, const struct tw_box *b)
{
    unsigned differing = 3;
    for (unsigned d = 0; d < 3; ++d) {
        if (a->begin[d] == b->begin[d] && a->end[d] == b->end[d])
            continue;
        if (differing < 3)
            return false;
        differing = d;
    }
    if (differing == 3)
        return false;
    if (a->end[differing] == b->begin[differing])
        a->end[differing] = b->end[differing];
    else if (b->end[differing] == a->begin[differing])
        a->begin[differing] = b->begin[differing];
    else
        return false;
    return true;
}
