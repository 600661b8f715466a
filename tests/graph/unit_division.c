/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How launches are divided, and which elements parts access, without any device: all small launches, against loops over
 * units and work-items. Needs the private header division.h.
 */
#include "tw_test.h"

#include <stdint.h>
#include <string.h>

#include "graph/division.h"

enum { MOST = 12, LARGEST = 7, UNITS = (LARGEST + 1) * (LARGEST + 1) * (LARGEST + 1) };

/* ---- division ---------------------------------------------------------------------------------------------------- */

static struct tw_launch_space space_of(unsigned dims, size_t a, size_t b, size_t c)
{
    return (struct tw_launch_space){dims, {a, dims > 1 ? b : 1, dims > 2 ? c : 1}, {1, 1, 1}, {0, 0, 0}};
}

/* Counts how often each unit is in a part. */
static void count_units(const struct tw_launch_part *part, unsigned char counts[UNITS])
{
    const size_t *first = part->first, *count = part->count;
    for (size_t i = first[0]; i < first[0] + count[0]; ++i)
        for (size_t j = first[1]; j < first[1] + count[1]; ++j)
            for (size_t k = first[2]; k < first[2] + count[2]; ++k)
                ++counts[(i * (LARGEST + 1) + j) * (LARGEST + 1) + k];
}

/* Returns true if parts have each unit of `all` once, and no other one. */
static bool cover_once(const struct tw_launch_part *parts, size_t count, const struct tw_launch_part *all)
{
    unsigned char counts[UNITS] = {0}, expected[UNITS] = {0};
    count_units(all, expected);
    for (size_t i = 0; i < count; ++i)
        count_units(&parts[i], counts);
    return memcmp(counts, expected, sizeof counts) == 0;
}

static void check_edges(const struct tw_launch_space *space, unsigned d, const struct tw_launch_part *part)
{
    for (size_t before = 0; before < 4; ++before)
        for (size_t after = 0; after < 4; ++after) {
            struct tw_launch_part all[3] = {*part};
            if (!tw_divide_edges(space, d, before, after, &all[0], &all[1])) {
                TW_CHECK(memcmp(&all[0], part, sizeof *part) == 0);
                TW_CHECK(part->count[d] <= before + after);
                continue;
            }
            TW_CHECK(cover_once(all, 3, part));
            TW_CHECK(all[0].count[d] > 0);
            TW_CHECK(part->first[d] == 0 || all[0].first[d] - part->first[d] >= after);
            const size_t past = part->first[d] + part->count[d];
            TW_CHECK(past == space->units[d] || past - all[0].first[d] - all[0].count[d] >= before);
        }
}

/* Checks a division of a launch with weights. */
static void check_division(const struct tw_launch_space *space, const double *weights, size_t count)
{
    struct tw_launch_part parts[MOST];
    const struct tw_launch_part whole = tw_launch_all(space);
    double all = 0;
    size_t wanted = 0;
    for (size_t i = 0; i < count; ++i) {
        all += weights[i];
        wanted += weights[i] > 0;
    }
    const unsigned d = tw_divide(space, weights, count, parts);
    TW_CHECK(d < space->dims);
    for (unsigned slower = 0; slower < d; ++slower)
        TW_CHECK(space->units[slower] < wanted);
    TW_CHECK(cover_once(parts, count, &whole));
    for (size_t i = 0; i < count; ++i) {
        const double exact = (double)space->units[d] * weights[i] / all;
        TW_CHECK(weights[i] > 0 || parts[i].count[d] == 0);
        TW_CHECK((double)parts[i].count[d] <= exact + 1 && (double)parts[i].count[d] >= exact - 1);
        for (unsigned other = 0; other < 3; ++other)
            TW_CHECK(other == d || (parts[i].first[other] == 0 && parts[i].count[other] == space->units[other]));
        if (!tw_launch_part_is_empty(&parts[i]))
            check_edges(space, d, &parts[i]);
    }
}

/* Makes the number-th vector of weights, of a few values. Returns false if there are no more. */
static bool make_weights(size_t number, size_t count, double *weights)
{
    static const double values[] = {0, 1, 3.5};
    for (size_t i = 0; i < count; ++i) {
        weights[i] = values[number % 3];
        number /= 3;
    }
    return number == 0;
}

static void check_launch(const struct tw_launch_space *space)
{
    double weights[5];
    for (size_t count = 1; count <= 5; ++count)
        for (size_t number = 1; make_weights(number, count, weights); ++number)
            check_division(space, weights, count);
}

TW_TEST(each_unit_is_in_one_part)
{
    for (unsigned dims = 1; dims <= 3; ++dims)
        for (size_t a = 0; a <= LARGEST; ++a)
            for (size_t b = 0; b <= (dims > 1 ? LARGEST : 0); ++b)
                for (size_t c = 0; c <= (dims > 2 ? LARGEST : 0); c += dims > 2 ? 2 : 1) {
                    const struct tw_launch_space space = space_of(dims, a, b, c);
                    check_launch(&space);
                }
}

TW_TEST(each_unit_is_in_one_block)
{
    unsigned divided = 0;
    double weights[MOST];
    for (size_t i = 0; i < MOST; ++i)
        weights[i] = 2;
    for (size_t a = 1; a <= LARGEST; ++a)
        for (size_t b = 1; b <= LARGEST; ++b)
            for (size_t c = 1; c <= LARGEST; c += 3)
                for (size_t count = 1; count <= MOST; ++count)
                    for (size_t reach = 0; reach < 9; ++reach) {
                        struct tw_launch_part parts[MOST];
                        const struct tw_launch_space space = space_of(3, a, b, c);
                        const struct tw_launch_part whole = tw_launch_all(&space);
                        const size_t reaches[3] = {reach / 3, reach % 3, 1};
                        if (!tw_divide_in_blocks(&space, weights, count, reaches, parts))
                            continue;
                        ++divided;
                        TW_CHECK(cover_once(parts, count, &whole));
                        for (size_t i = 0; i < count; ++i)
                            TW_CHECK(!tw_launch_part_is_empty(&parts[i]));
                    }
    TW_CHECK(divided > 100);
}

/* Parts of many work-items begin at multiples of a number, but all are there. */
TW_TEST(long_launches_are_divided_in_whole_vectors)
{
    for (size_t units = 1; units < 100000; units = units * 5 / 4 + 7)
        for (size_t count = 1; count <= 5; ++count) {
            double weights[5];
            for (size_t number = 1; make_weights(number, count, weights); ++number) {
                struct tw_launch_part parts[MOST];
                const struct tw_launch_space space = space_of(1, units, 1, 1);
                size_t past = 0;
                tw_divide(&space, weights, count, parts);
                for (size_t i = 0; i < count; ++i) {
                    TW_EQUAL(parts[i].first[0], past);
                    TW_CHECK(weights[i] > 0 || parts[i].count[0] == 0);
                    TW_CHECK(past == units || units < 5 * 4097 || past % 64 == 0);
                    past += parts[i].count[0];
                }
                TW_EQUAL(past, units);
            }
        }
}

TW_TEST(weights_may_be_large_and_small)
{
    const double all[][3] = {{1e300, 1e300, 1e300}, {1e-300, 1e-300, 2e-300}, {1e300, 1e-300, 0}, {0, 1e-310, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        for (size_t units = 0; units <= LARGEST; ++units) {
            struct tw_launch_part parts[3];
            const struct tw_launch_space space = space_of(1, units, 1, 1);
            const struct tw_launch_part whole = tw_launch_all(&space);
            tw_divide(&space, all[i], 3, parts);
            TW_CHECK(cover_once(parts, 3, &whole));
        }
}

/* ---- mappers ----------------------------------------------------------------------------------------------------- */

struct item {
    size_t id[3], position; /* with the launch's offset; its row-major number without it */
};

/* Whether a work-item accesses an element by a mapper, straight from range_mapper.h. */
static bool accesses(const tw_range_mapper *m, const struct item *item, unsigned dims, tw_range buffer,
                     const size_t at[3])
{
    if (m->tw_kind_ == TW_INTERNAL_MAP_ALL)
        return true;
    for (unsigned d = 0; d < buffer.dims; ++d) {
        if (m->tw_kind_ == TW_INTERNAL_MAP_FIXED) {
            if (at[d] < m->tw_before_.at[d] || at[d] - m->tw_before_.at[d] >= m->tw_after_.size[d])
                return false;
        } else if (m->tw_kind_ == TW_INTERNAL_MAP_FUNCTION) { /* twice() */
            if (d < dims && at[d] / 2 != item->id[d])
                return false;
        } else if (d < dims && (m->tw_kind_ != TW_INTERNAL_MAP_SLICE || d != m->tw_dim_)) {
            const size_t own = m->tw_kind_ == TW_INTERNAL_MAP_LINEAR ? item->position : item->id[d];
            if (at[d] < own ? own - at[d] > m->tw_before_.at[d] : at[d] - own > m->tw_after_.size[d])
                return false;
        }
    }
    return true;
}

/* A mapper of the program: two elements for each id in each dimension. */
static void twice(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    *(unsigned *)user += 1;
    *first = (tw_id){{0, 0, 0}, buffer.dims};
    *count = buffer;
    for (unsigned d = 0; d < buffer.dims && d < range.dims; ++d) {
        first->at[d] = 2 * offset.at[d];
        count->size[d] = 2 * range.size[d];
    }
}

/* Returns a bit for each element, of at most 64, that the work-items of a part access. */
static uint64_t elements_of(const tw_range_mapper *m, const struct tw_launch_space *space,
                            const struct tw_launch_part *part, tw_range buffer)
{
    uint64_t set = 0;
    size_t low[3], past[3], items[3], first = SIZE_MAX, last = 0;
    for (unsigned d = 0; d < 3; ++d) {
        low[d] = part->first[d] * space->unit[d];
        past[d] = low[d] + part->count[d] * space->unit[d];
        items[d] = space->units[d] * space->unit[d];
    }
    for (size_t i = low[0]; i < past[0]; ++i)
        for (size_t j = low[1]; j < past[1]; ++j)
            for (size_t k = low[2]; k < past[2]; ++k) {
                const struct item item = {{i + space->offset[0], j + space->offset[1], k + space->offset[2]},
                                          (i * items[1] + j) * items[2] + k};
                first = item.position < first ? item.position : first;
                last = item.position > last ? item.position : last;
                for (size_t e = 0; e < tw_range_count(buffer); ++e) {
                    const size_t rows = buffer.dims > 1 ? buffer.size[buffer.dims - 1] : 1;
                    const size_t planes = buffer.dims > 2 ? buffer.size[1] * rows : rows;
                    const size_t at[3] = {e / planes, buffer.dims == 2 ? e % rows : e / rows % (planes / rows),
                                          e % rows};
                    set |= (uint64_t)accesses(m, &item, space->dims, buffer, at) << e;
                }
            }
    /* the last work-item has the last position: all between it and the first count */
    for (size_t e = 0; e < tw_range_count(buffer) && m->tw_kind_ == TW_INTERNAL_MAP_LINEAR; ++e)
        set |= (uint64_t)(e >= first && e <= last) << e;
    return set;
}

static uint64_t elements_in(tw_range buffer, tw_id offset, tw_range range)
{
    uint64_t set = 0;
    const size_t size[3] = {buffer.size[0], buffer.dims > 1 ? buffer.size[1] : 1, buffer.dims > 2 ? buffer.size[2] : 1};
    for (size_t i = 0; i < size[0]; ++i)
        for (size_t j = 0; j < size[1]; ++j)
            for (size_t k = 0; k < size[2]; ++k) {
                const size_t at[3] = {i, j, k};
                bool is_in = true;
                for (unsigned d = 0; d < buffer.dims; ++d)
                    is_in = is_in && at[d] >= offset.at[d] && at[d] - offset.at[d] < range.size[d];
                set |= (uint64_t)is_in << ((i * size[1] + j) * size[2] + k);
            }
    return set;
}

static void check_part(const tw_range_mapper *m, const struct tw_launch_space *space, const struct tw_launch_part *part,
                       tw_range buffer)
{
    tw_id offset;
    tw_range range;
    TW_CHECK(tw_map_part(m, space, part, buffer, &offset, &range));
    TW_EQUAL(offset.dims, buffer.dims);
    TW_EQUAL(range.dims, buffer.dims);
    for (unsigned d = 0; d < buffer.dims; ++d)
        TW_CHECK(range.size[d] <= buffer.size[d] && offset.at[d] <= buffer.size[d] - range.size[d]);
    TW_CHECK(elements_in(buffer, offset, range) == elements_of(m, space, part, buffer));
}

static void check_mapper(const tw_range_mapper *m, tw_range buffer)
{
    TW_CHECK(tw_mapper_fault(m, buffer) == NULL);
    for (unsigned number = 0; number < 3 * 27 * 4; ++number) {
        struct tw_launch_space space = {number % 3 + 1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
        unsigned rest = number / 3;
        for (unsigned d = 0; d < space.dims; ++d) {
            space.units[d] = 1 + rest % 3 + (d == 0);
            rest /= 3;
            space.unit[d] = 1 + (number / 81 + d) % 2;
            space.offset[d] = number / 81 / 2 * (1 + d % 2);
        }
        struct tw_launch_part part = {{0, 0, 0}, {1, 1, 1}};
        for (part.first[0] = 0; part.first[0] < space.units[0]; ++part.first[0])
            for (part.count[0] = 1; part.first[0] + part.count[0] <= space.units[0]; ++part.count[0])
                for (part.first[1] = 0; part.first[1] < space.units[1]; ++part.first[1]) {
                    part.count[1] = space.units[1] - part.first[1];
                    part.count[2] = space.units[2];
                    check_part(m, &space, &part, buffer);
                }
    }
}

TW_TEST(mappers_give_what_work_items_access)
{
    unsigned calls = 0;
    const tw_range buffers[] = {tw_range_1d(1),    tw_range_1d(7),       tw_range_1d(40),     tw_range_2d(4, 3),
                                tw_range_2d(1, 9), tw_range_3d(3, 2, 4), tw_range_3d(5, 1, 2)};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i) {
        const tw_range b = buffers[i];
        tw_id middle = {{0, 0, 0}, b.dims};
        tw_range one = b;
        for (unsigned d = 0; d < b.dims; ++d) {
            middle.at[d] = b.size[d] / 2;
            one.size[d] = b.size[d] - middle.at[d];
        }
        const tw_range_mapper mappers[] = {tw_one_to_one(),
                                           tw_neighborhood(1, 0, 2),
                                           tw_neighborhood(0, 1, 0),
                                           tw_neighborhood(SIZE_MAX, SIZE_MAX, SIZE_MAX),
                                           tw_neighborhood_of(tw_id_3d(1, 0, 1), tw_id_3d(0, 2, 0)),
                                           tw_slice(0),
                                           tw_slice(b.dims - 1),
                                           tw_all(),
                                           tw_fixed(middle, one),
                                           tw_map_by(twice, &calls)};
        for (size_t m = 0; m < sizeof mappers / sizeof *mappers; ++m)
            check_mapper(&mappers[m], b);
        const tw_range_mapper linear[] = {tw_linear(0, 0), tw_linear(2, 1), tw_linear(0, SIZE_MAX)};
        for (size_t m = 0; m < 3 && b.dims == 1; ++m)
            check_mapper(&linear[m], b);
    }
    TW_CHECK(calls > 0);
}

/* What the program gives is cut, however large it is, and refused if it has other dimensions. */
static void beyond(tw_id offset, tw_range range, tw_range buffer, tw_id *first, tw_range *count, void *user)
{
    (void)offset;
    (void)range;
    *first = tw_id_1d(3);
    *count = *(const int *)user ? tw_range_2d(1, 1) : tw_range_1d(SIZE_MAX);
    (void)buffer;
}

TW_TEST(boxes_of_the_program_are_cut)
{
    int other = 0;
    const struct tw_launch_space space = space_of(1, 4, 1, 1);
    const struct tw_launch_part part = tw_launch_all(&space);
    const tw_range_mapper mapper = tw_map_by(beyond, &other);
    tw_id offset;
    tw_range range;
    TW_CHECK(tw_map_part(&mapper, &space, &part, tw_range_1d(8), &offset, &range));
    TW_CHECK(offset.at[0] == 3 && range.size[0] == 5);
    TW_CHECK(tw_map_part(&mapper, &space, &part, tw_range_1d(2), &offset, &range));
    TW_EQUAL(range.size[0], 0u);
    other = 1;
    TW_CHECK(!tw_map_part(&mapper, &space, &part, tw_range_1d(8), &offset, &range));
}

TW_TEST(what_an_accessor_without_a_mapper_means)
{
    for (size_t items = 1; items < 12; ++items)
        for (size_t unit = 1; unit < 4; ++unit)
            for (size_t size = 1; size < 40; ++size)
                for (size_t at = 0; at < 2; ++at) {
                    const struct tw_launch_space space = {1, {items, 1, 1}, {unit, 1, 1}, {at, 0, 0}};
                    tw_range_mapper reads = {.tw_kind_ = TW_INTERNAL_MAP_DEFAULT}, writes = reads;
                    TW_CHECK(tw_mapper_resolve(&reads, &space, tw_range_1d(size), false));
                    TW_EQUAL(reads.tw_kind_, (int)TW_INTERNAL_MAP_ALL);
                    const bool is_range = !at && size <= items * unit && size > (items - 1) * unit;
                    const bool is_count = size == items * unit;
                    TW_EQUAL(tw_mapper_resolve(&writes, &space, tw_range_1d(size), true), is_range || is_count);
                    if (is_range || is_count)
                        TW_EQUAL(writes.tw_kind_,
                                 is_range ? (int)TW_INTERNAL_MAP_NEIGHBORHOOD : (int)TW_INTERNAL_MAP_LINEAR);
                }
}

TW_TEST_LIST = {TW_CASE(each_unit_is_in_one_part),
                TW_CASE(each_unit_is_in_one_block),
                TW_CASE(long_launches_are_divided_in_whole_vectors),
                TW_CASE(weights_may_be_large_and_small),
                TW_CASE(mappers_give_what_work_items_access),
                TW_CASE(boxes_of_the_program_are_cut),
                TW_CASE(what_an_accessor_without_a_mapper_means),
                TW_CASES_END};
