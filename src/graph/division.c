/* SPDX-License-Identifier: Apache-2.0 */
/* Divides launches, and maps their parts to elements. */
#include "division.h"

#include <stdint.h>
#include <string.h>

#define ROUNDED_UNITS 4096u /* parts of one dimension with more units than this begin at a multiple of ... */
#define ROUNDING 64u        /* ... so many: vectors and cache lines stay whole */

/* ---- division ---------------------------------------------------------------------------------------------------- */

struct tw_launch_part tw_launch_all(const struct tw_launch_space *space)
{
    return (struct tw_launch_part){{0, 0, 0}, {space->units[0], space->units[1], space->units[2]}};
}

/* Returns the slowest dimension with at least `wanted` units, or else the one with the most. */
static unsigned dimension_for(const struct tw_launch_space *space, size_t wanted)
{
    unsigned most = 0;
    for (unsigned d = 0; d < space->dims; ++d) {
        if (space->units[d] >= wanted)
            return d;
        if (space->units[d] > space->units[most])
            most = d;
    }
    return most;
}

unsigned tw_divide(const struct tw_launch_space *space, const double *weights, size_t count,
                   struct tw_launch_part *parts)
{
    double all = 0, before = 0;
    size_t wanted = 0;
    for (size_t i = 0; i < count; ++i) {
        all += weights[i];
        wanted += weights[i] > 0;
    }
    const unsigned d = dimension_for(space, wanted);
    const size_t units = space->units[d];
    const size_t step = space->dims == 1 && space->unit[0] == 1 && units > ROUNDED_UNITS * wanted ? ROUNDING : 1;
    size_t first = 0, left = wanted;
    for (size_t i = 0; i < count; ++i) {
        before += weights[i];
        left -= weights[i] > 0;
        size_t past = left ? (size_t)((double)units * (before / all) + 0.5) / step * step : units;
        past = past > units ? units : past < first || !(weights[i] > 0) ? first : past;
        parts[i] = tw_launch_all(space);
        parts[i].first[d] = first;
        parts[i].count[d] = past - first;
        first = past;
    }
    return d;
}

/* Returns how many units a part between others reaches for, of a x b parts. */
static double reached(const struct tw_launch_space *space, const size_t reach[3], size_t a, size_t b)
{
    const double sides = 2.0 * (double)space->units[2];
    const double above = a > 1 ? sides * (double)reach[0] * (double)space->units[1] / (double)b : 0;
    const double beside = b > 1 ? sides * (double)reach[1] * (double)space->units[0] / (double)a : 0;
    return above + beside;
}

bool tw_divide_in_blocks(const struct tw_launch_space *space, const double *weights, size_t count,
                         const size_t reach[3], struct tw_launch_part *parts)
{
    size_t best = count;
    if (space->dims != 3 || !reach[0] || !reach[1])
        return false;
    for (size_t i = 1; i < count; ++i)
        if (weights[i] != weights[0])
            return false;
    for (size_t a = 1; a < count; ++a)
        if (count % a == 0 && a <= space->units[0] && count / a <= space->units[1]
            && reached(space, reach, a, count / a) < 0.75 * reached(space, reach, count, 1)
            && (best == count || reached(space, reach, a, count / a) < reached(space, reach, best, count / best)))
            best = a;
    for (size_t i = 0; best != count && i < count; ++i) {
        const size_t at[2] = {i / (count / best), i % (count / best)}, of[2] = {best, count / best};
        parts[i] = tw_launch_all(space);
        for (unsigned d = 0; d < 2; ++d) {
            parts[i].first[d] = space->units[d] * at[d] / of[d];
            parts[i].count[d] = space->units[d] * (at[d] + 1) / of[d] - parts[i].first[d];
        }
    }
    return best != count;
}

bool tw_divide_edges(const struct tw_launch_space *space, unsigned d, size_t before, size_t after,
                     struct tw_launch_part *part, struct tw_launch_part edges[2])
{
    const size_t at_begin = part->first[d] > 0 ? after : 0;
    const size_t at_end = part->first[d] + part->count[d] < space->units[d] ? before : 0;
    if (at_begin + at_end >= part->count[d] || at_begin + at_end < at_begin)
        return false;
    edges[0] = edges[1] = *part;
    edges[0].count[d] = at_begin;
    edges[1].first[d] += part->count[d] - at_end;
    edges[1].count[d] = at_end;
    part->first[d] += at_begin;
    part->count[d] -= at_begin + at_end;
    return true;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

void tw_mappers_reach(const tw_range_mapper *mappers, size_t count, const struct tw_launch_space *space, unsigned d,
                      size_t *before, size_t *after)
{
    *before = *after = 0;
    for (size_t i = 0; i < count; ++i) {
        if (mappers[i].tw_kind_ != TW_INTERNAL_MAP_NEIGHBORHOOD)
            continue;
        *before = most(*before, (mappers[i].tw_before_.at[d] + space->unit[d] - 1) / space->unit[d]);
        *after = most(*after, (mappers[i].tw_after_.size[d] + space->unit[d] - 1) / space->unit[d]);
    }
}

/* ---- mappers ----------------------------------------------------------------------------------------------------- */

const char *tw_mapper_fault(const tw_range_mapper *mapper, tw_range buffer)
{
    switch ((enum tw_internal_mapper)mapper->tw_kind_) {
    case TW_INTERNAL_MAP_DEFAULT:
    case TW_INTERNAL_MAP_NEIGHBORHOOD:
    case TW_INTERNAL_MAP_ALL:
        return NULL;
    case TW_INTERNAL_MAP_ROWS:
        return buffer.dims == 1 ? NULL : "the mapper is one of images";
    case TW_INTERNAL_MAP_SCALED:
        if (mapper->tw_before_.dims != buffer.dims || mapper->tw_after_.dims != buffer.dims)
            return "tw_scaled() has other dimensions than the buffer";
        for (unsigned d = 0; d < buffer.dims; ++d)
            if (!mapper->tw_before_.at[d] || !mapper->tw_after_.size[d])
                return "a number of tw_scaled() is 0";
        return NULL;
    case TW_INTERNAL_MAP_SLICE:
        return mapper->tw_dim_ < buffer.dims ? NULL : "tw_slice() is for a dimension that the buffer does not have";
    case TW_INTERNAL_MAP_LINEAR:
        return buffer.dims == 1 ? NULL : "tw_linear() is for buffers of one dimension";
    case TW_INTERNAL_MAP_FIXED:
        if (mapper->tw_before_.dims != buffer.dims || mapper->tw_after_.dims != buffer.dims)
            return "the part of tw_fixed() has other dimensions than the buffer";
        for (unsigned d = 0; d < buffer.dims; ++d)
            if (mapper->tw_before_.at[d] > buffer.size[d]
                || mapper->tw_after_.size[d] > buffer.size[d] - mapper->tw_before_.at[d])
                return "the part of tw_fixed() does not lie in the buffer";
        return NULL;
    case TW_INTERNAL_MAP_FUNCTION:
        return mapper->tw_function_ ? NULL : "the function of tw_map_by() is NULL";
    }
    return "that is no range mapper: take one that tw_one_to_one() and the like return";
}

/* Returns true if a buffer has the elements of a launch's range, which may have been rounded up to whole units. */
static bool has_range_of(tw_range buffer, const struct tw_launch_space *space)
{
    if (buffer.dims != space->dims)
        return false;
    for (unsigned d = 0; d < space->dims; ++d) {
        const size_t items = space->units[d] * space->unit[d];
        if (space->offset[d] || buffer.size[d] > items || items - buffer.size[d] >= space->unit[d])
            return false;
    }
    return true;
}

static size_t count_items(const struct tw_launch_space *space)
{
    size_t count = 1;
    for (unsigned d = 0; d < space->dims; ++d)
        count *= space->units[d] * space->unit[d];
    return count;
}

bool tw_mapper_resolve(tw_range_mapper *mapper, const struct tw_launch_space *space, tw_range buffer, bool writes)
{
    if (mapper->tw_kind_ == TW_INTERNAL_MAP_ROWS)
        return has_range_of(mapper->tw_after_, space);
    if (mapper->tw_kind_ != TW_INTERNAL_MAP_DEFAULT)
        return true;
    *mapper = tw_all();
    if (!writes)
        return true;
    if (has_range_of(buffer, space))
        *mapper = tw_one_to_one();
    else if (buffer.dims == 1 && buffer.size[0] == count_items(space))
        *mapper = tw_linear(0, 0);
    return mapper->tw_kind_ != TW_INTERNAL_MAP_ALL;
}

static size_t add(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* Sets dimension d of a part of a buffer to the elements from `first`, less `before`, to `past`, which is `after` more. */
static void set_extent(tw_id *offset, tw_range *range, unsigned d, tw_range buffer, size_t first, size_t before,
                       size_t past, size_t after)
{
    const size_t begin = first > before ? first - before : 0, end = add(past, after);
    const size_t cut = end < buffer.size[d] ? end : buffer.size[d];
    offset->at[d] = begin < cut ? begin : 0;
    range->size[d] = begin < cut ? cut - begin : 0;
}

/* Returns the position of a work-item in the launch, without its offset. */
static size_t linear_position(const struct tw_launch_space *space, const size_t id[3])
{
    size_t position = 0;
    for (unsigned d = 0; d < space->dims; ++d)
        position = position * (space->units[d] * space->unit[d]) + id[d];
    return position;
}

static size_t scale(size_t id, size_t times, size_t per, bool up)
{
    size_t result;
    if (__builtin_mul_overflow(id, times, &result) || (up && __builtin_add_overflow(result, per - 1, &result)))
        return SIZE_MAX;
    return result / per;
}

static void map_scaled(const tw_range_mapper *mapper, tw_id first, tw_range count, tw_range buffer, tw_id *offset,
                       tw_range *range)
{
    for (unsigned d = 0; d < buffer.dims && d < count.dims; ++d) {
        const size_t times = mapper->tw_after_.size[d], per = mapper->tw_before_.at[d];
        set_extent(offset, range, d, buffer, scale(first.at[d], times, per, false), 0,
                   scale(first.at[d] + count.size[d], times, per, true), 0);
    }
}

static void map_linear(const tw_range_mapper *mapper, const struct tw_launch_space *space,
                       const struct tw_launch_part *part, tw_range buffer, tw_id *offset, tw_range *range)
{
    size_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    for (unsigned d = 0; d < space->dims; ++d) {
        first[d] = part->first[d] * space->unit[d];
        last[d] = first[d] + part->count[d] * space->unit[d] - 1;
    }
    set_extent(offset, range, 0, buffer, linear_position(space, first), mapper->tw_before_.at[0],
               linear_position(space, last) + 1, mapper->tw_after_.size[0]);
}

/* Cuts what a mapper of the program gave at the buffer's edges. Returns false if its dimensions are not the buffer's. */
static bool cut(tw_range buffer, tw_id *offset, tw_range *range)
{
    if (offset->dims != buffer.dims || range->dims != buffer.dims)
        return false;
    for (unsigned d = 0; d < buffer.dims; ++d)
        set_extent(offset, range, d, buffer, offset->at[d], 0, offset->at[d], range->size[d]);
    return true;
}

/* Returns the global ids of a part's work-items. */
static void ids_of(const struct tw_launch_space *space, const struct tw_launch_part *part, tw_id *first,
                   tw_range *count)
{
    *first = (tw_id){{0, 0, 0}, space->dims};
    *count = (tw_range){{1, 1, 1}, space->dims};
    for (unsigned d = 0; d < space->dims; ++d) {
        first->at[d] = space->offset[d] + part->first[d] * space->unit[d];
        count->size[d] = part->count[d] * space->unit[d];
    }
}

bool tw_map_part(const tw_range_mapper *mapper, const struct tw_launch_space *space, const struct tw_launch_part *part,
                 tw_range buffer, tw_id *offset, tw_range *range)
{
    tw_id first;
    tw_range count;
    ids_of(space, part, &first, &count);
    *offset = (tw_id){{0, 0, 0}, buffer.dims};
    *range = buffer;
    switch ((enum tw_internal_mapper)mapper->tw_kind_) {
    case TW_INTERNAL_MAP_NEIGHBORHOOD:
    case TW_INTERNAL_MAP_SLICE:
        for (unsigned d = 0; d < buffer.dims && d < space->dims; ++d)
            if (mapper->tw_kind_ != TW_INTERNAL_MAP_SLICE || d != mapper->tw_dim_)
                set_extent(offset, range, d, buffer, first.at[d], mapper->tw_before_.at[d], first.at[d] + count.size[d],
                           mapper->tw_after_.size[d]);
        break;
    case TW_INTERNAL_MAP_SCALED:
        map_scaled(mapper, first, count, buffer, offset, range);
        break;
    case TW_INTERNAL_MAP_ROWS:
        set_extent(offset, range, 0, buffer, first.at[0] * mapper->tw_dim_, 0,
                   (first.at[0] + count.size[0]) * mapper->tw_dim_, 0);
        break;
    case TW_INTERNAL_MAP_LINEAR:
        map_linear(mapper, space, part, buffer, offset, range);
        break;
    case TW_INTERNAL_MAP_FIXED:
        *offset = mapper->tw_before_;
        *range = mapper->tw_after_;
        break;
    case TW_INTERNAL_MAP_FUNCTION:
        mapper->tw_function_(first, count, buffer, offset, range, mapper->tw_user_);
        return cut(buffer, offset, range);
    case TW_INTERNAL_MAP_DEFAULT:
    case TW_INTERNAL_MAP_ALL:
        break;
    }
    return true;
}
