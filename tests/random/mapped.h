/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels that access what a mapper says: the description of a launch and of the mappers of its accessors, plain values that
 * kernels get as arguments. The kernels (kernels_mapped.c), mappers of the program and the model (oracle_mapped.c) ask the
 * same functions which elements a box of work-items accesses; the library's own mappers are not asked.
 */
#ifndef MAPPED_H
#define MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mapping_kind {
    UNMAPPED, /* the accessor has no mapper */
    ONE_TO_ONE,
    NEIGHBORHOOD,
    SLICE,
    LINEAR,
    ALL,
    FIXED,
    REVERSED, /* from here on by a function of the program: the last element for the first id */
    SCALED,   /* two elements in dimension 0 for each id */
    UPTO,     /* one to one, for the first ids in dimension 0 alone */
    MAPPING_KINDS
};

struct mapping {
    uint32_t kind, dim;
    uint32_t before[3], after[3]; /* of FIXED: the first element, and how many. Of UPTO: past the last id */
};

/* How a kernel is launched. */
enum form { FORM_RANGE, FORM_ND_RANGE, FORM_HIERARCHICAL, FORMS };

/* The work-items of a launch. */
struct launch {
    uint32_t form, dims;
    uint32_t items[3], local[3], offset[3]; /* 1, 1 and 0 past the dimensions; local 0: the library chooses */
};

/* A box, of work-items or of elements, in the dimensions that it has. Others are 0 and 1. */
struct extent {
    uint32_t first[3], count[3];
};

/* Sets a dimension to the elements from `first` on up to `past`, cut at the size. */
static inline void set_dimension(struct extent *box, uint32_t d, uint32_t size, int64_t first, int64_t past)
{
    const int64_t begin = first > 0 ? first : 0, end = past < size ? past : size;
    box->first[d] = begin < end ? (uint32_t)begin : 0;
    box->count[d] = begin < end ? (uint32_t)(end - begin) : 0;
}

/* Maps dimension d, which launch and buffer have. */
static inline void map_dimension(const struct mapping *m, struct extent *box, uint32_t d, uint32_t size, int64_t first,
                                 int64_t past)
{
    switch (m->kind) {
    case NEIGHBORHOOD:
        set_dimension(box, d, size, first - m->before[d], past + m->after[d]);
        break;
    case REVERSED:
        set_dimension(box, d, size, (int64_t)size - past, (int64_t)size - first);
        break;
    case SCALED:
        set_dimension(box, d, size, d ? first : 2 * first, d ? past : 2 * past);
        break;
    case UPTO:
        set_dimension(box, d, size, first, d || past < m->after[0] ? past : m->after[0]);
        break;
    case SLICE:
        if (d != m->dim)
            set_dimension(box, d, size, first, past);
        break;
    default:
        set_dimension(box, d, size, first, past);
    }
}

/* Returns the row-major position of a global id in the launch. */
static inline uint32_t position_in(const struct launch *launch, const uint32_t id[3])
{
    uint32_t position = 0;
    for (uint32_t d = 0; d < launch->dims && d < 3; ++d)
        position = position * launch->items[d] + (id[d] - launch->offset[d]);
    return position;
}

/* Returns the elements that the work-items of a box of global ids access, of what has `dims` dimensions and a size. A box of
   several work-items must be one that is contiguous where a mapping counts positions. */
static inline struct extent map_box(const struct mapping *m, const struct launch *launch, const struct extent *ids,
                                    uint32_t dims, const uint32_t size[3])
{
    struct extent box = {{0, 0, 0}, {1, 1, 1}};
    uint32_t last[3] = {0, 0, 0};
    for (uint32_t d = 0; d < dims; ++d)
        box.count[d] = size[d];
    if (m->kind == UNMAPPED || m->kind == ALL)
        return box;
    for (uint32_t d = 0; d < dims && m->kind == FIXED; ++d) {
        box.first[d] = m->before[d];
        box.count[d] = m->after[d];
    }
    for (uint32_t d = 0; d < launch->dims && d < 3; ++d)
        last[d] = ids->first[d] + ids->count[d] - 1;
    if (m->kind == LINEAR)
        set_dimension(&box, 0, size[0], (int64_t)position_in(launch, ids->first) - m->before[0],
                      (int64_t)position_in(launch, last) + 1 + m->after[0]);
    for (uint32_t d = 0; d < dims && d < launch->dims && m->kind != LINEAR && m->kind != FIXED; ++d)
        map_dimension(m, &box, d, size[d], ids->first[d], (int64_t)last[d] + 1);
    return box;
}

/* Returns true if work-items with different ids in dimension d write different elements. */
static inline bool is_separate(const struct mapping *m, uint32_t d, uint32_t dims)
{
    bool first = true;
    switch (m->kind) {
    case UNMAPPED:
    case ALL:
    case FIXED:
        return false;
    case LINEAR:
        return m->before[0] == 0 && m->after[0] == 0;
    case NEIGHBORHOOD:
        first = m->before[d] == 0 && m->after[d] == 0;
        break;
    case SLICE:
        first = d != m->dim;
        break;
    default:
        break;
    }
    return d < dims && first;
}

/* Returns the elements that a work-item writes, of those that its mapper gives: no element is written by two. */
static inline struct extent written_by(const struct mapping *m, const struct launch *launch, const uint32_t id[3],
                                       uint32_t dims, const uint32_t size[3])
{
    const struct extent item = {{id[0], id[1], id[2]}, {1, 1, 1}};
    struct mapping own = *m;
    if (m->kind == NEIGHBORHOOD || m->kind == LINEAR)
        for (uint32_t d = 0; d < 3; ++d)
            own.before[d] = own.after[d] = 0;
    struct extent box = map_box(&own, launch, &item, dims, size);
    for (uint32_t d = 0; d < launch->dims && d < 3; ++d)
        if (id[d] != launch->offset[d] && !is_separate(&own, d, dims))
            box.count[0] = 0; /* the first one in this dimension does it */
    return box;
}

static inline uint32_t volume(const struct extent *box)
{
    return box->count[0] * box->count[1] * box->count[2];
}

/* A few elements of a box, of which `number` says which. */
enum { READS = 3 };
static inline uint32_t scrambled(uint32_t a, uint32_t b)
{
    uint32_t x = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    x ^= x >> 15;
    x *= 0xc2b2ae35u;
    return x ^ x >> 13;
}

/* Where an element of what has `dims` dimensions lies: in words from the first one. */
struct place {
    uint32_t dims, words; /* words of an element */
    uint32_t size[3];
    uint32_t step[3]; /* words from one element to the next in each dimension */
};
static inline size_t place_of(const struct place *place, const struct extent *box, uint32_t number)
{
    size_t word = 0;
    for (uint32_t d = 3; d-- > 0;) {
        word += (size_t)(box->first[d] + number % box->count[d]) * place->step[d];
        number /= box->count[d];
    }
    return word;
}

/* All that a kernel is told besides the memory. */
struct mapped_work {
    struct launch launch;
    struct mapping out, in;
    struct place to, from;
    uint32_t seed, keep, has_in;
};

#endif
