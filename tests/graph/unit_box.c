/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes, trees and sets of boxes against a map of all elements: random operations in one to three dimensions. Needs the
 * private headers box.h, box_tree.h and coherence.h.
 */
#include "tw_test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "graph/coherence.h"

enum { MAX_ELEMENTS = 9 * 8 * 7, ROUNDS = 60, STEPS = 150, USES = 12, SPACES = 3 };

static uint64_t state = 88172645463325252u;

static size_t pick(size_t n)
{
    return tw_test_random(&state, (unsigned)n);
}

static tw_range random_range(unsigned dims)
{
    return dims == 1   ? tw_range_1d(1 + pick(60))
           : dims == 2 ? tw_range_2d(1 + pick(12), 1 + pick(12))
                       : tw_range_3d(1 + pick(9), 1 + pick(8), 1 + pick(7));
}

static struct tw_box random_box(const struct tw_box *whole)
{
    struct tw_box box;
    for (unsigned d = 0; d < 3; ++d) {
        box.begin[d] = pick(whole->end[d]);
        box.end[d] = box.begin[d] + 1 + pick(whole->end[d] - box.begin[d]);
    }
    return box;
}

static bool has(const struct tw_box *box, const struct tw_box *whole, size_t i)
{
    const size_t at[3] = {i / whole->end[2] / whole->end[1], i / whole->end[2] % whole->end[1], i % whole->end[2]};
    for (unsigned d = 0; d < 3; ++d)
        if (at[d] < box->begin[d] || at[d] >= box->end[d])
            return false;
    return true;
}

/* What is counted for each element. */
struct map {
    struct tw_box whole;
    unsigned char times[MAX_ELEMENTS];
};

static void count_box(const struct tw_box *box, void *user)
{
    struct map *map = user;
    TW_CHECK(!tw_box_is_empty(box));
    for (size_t i = 0; i < tw_box_count(&map->whole); ++i)
        map->times[i] += has(box, &map->whole, i);
}

TW_TEST(arithmetic_of_boxes_is_that_of_their_elements)
{
    for (unsigned round = 0; round < 3000; ++round) {
        const tw_range range = random_range(1 + round % 3);
        const struct tw_box whole = tw_box_of_range(range), a = random_box(&whole), b = random_box(&whole);
        const struct tw_box common = tw_box_intersect(&a, &b);
        struct tw_box pieces[TW_BOX_PIECES], merged = a;
        const size_t count = tw_box_subtract(&a, &b, pieces);
        struct map map = {.whole = whole};
        size_t in_common = 0;
        bool covers = true;
        TW_EQUAL(tw_box_count(&whole), tw_range_count(range));
        TW_CHECK(count <= TW_BOX_PIECES);
        for (size_t i = 0; i < count; ++i)
            count_box(&pieces[i], &map);
        for (size_t i = 0; i < tw_box_count(&whole); ++i) {
            const bool in_a = has(&a, &whole, i), in_b = has(&b, &whole, i);
            TW_EQUAL(map.times[i], in_a && !in_b);
            TW_EQUAL(has(&common, &whole, i), in_a && in_b);
            in_common += in_a && in_b;
            covers = covers && (in_a || !in_b);
        }
        TW_EQUAL(tw_box_count(&common), in_common);
        TW_EQUAL(tw_box_overlaps(&a, &b), in_common > 0);
        TW_EQUAL(tw_box_covers(&a, &b), covers);
        if (!in_common && tw_box_merge(&merged, &b)) {
            TW_EQUAL(tw_box_count(&merged), tw_box_count(&a) + tw_box_count(&b));
            TW_CHECK(tw_box_covers(&merged, &a) && tw_box_covers(&merged, &b));
        }
    }
}

/* Boxes that overlap, in and out of a tree, and cut to parts of themselves in it; those of an order above a limit
   cover. */
TW_TEST(a_tree_finds_what_overlaps_and_what_is_left)
{
    static struct tw_box_node nodes[STEPS];
    for (unsigned round = 0; round < ROUNDS; ++round) {
        const struct tw_box whole = tw_box_of_range(random_range(1 + round % 3));
        struct tw_box_node *root = NULL;
        bool in[STEPS] = {false};
        for (unsigned step = 0; step < STEPS; ++step) {
            const size_t which = pick(STEPS / 3);
            const struct tw_box any = random_box(&whole), part = tw_box_intersect(&nodes[which].box, &any);
            if (in[which] && step % 2 && !tw_box_is_empty(&part)) {
                tw_box_tree_shrink(&root, &nodes[which], &part, &whole);
                in[which] = false; /* that is turned below */
            } else if (in[which]) {
                tw_box_tree_remove(&root, &nodes[which]);
            } else {
                const struct tw_box box = random_box(&whole);
                nodes[which] = tw_box_node(&box, &whole);
                nodes[which].order = step + 1;
                tw_box_tree_insert(&root, &nodes[which]);
            }
            in[which] = !in[which];
            const struct tw_box box = random_box(&whole);
            const struct tw_box_node wanted = tw_box_node(&box, &whole);
            const struct tw_box_node *found = tw_box_tree_find(root, &wanted);
            const unsigned long after = pick(step + 2);
            size_t expected = 0, seen = 0;
            for (const struct tw_box_node *at = found; at; at = at->found) {
                TW_CHECK(tw_box_overlaps(&at->box, &box));
                TW_CHECK(!at->found || at->first <= at->found->first);
                ++seen;
            }
            for (size_t i = 0; i < STEPS; ++i)
                expected += in[i] && tw_box_overlaps(&nodes[i].box, &box);
            TW_EQUAL(seen, expected);
            struct map map = {.whole = whole};
            tw_box_visit_rest(&box, &whole, found, after, count_box, &map);
            for (size_t i = 0; i < tw_box_count(&whole); ++i) {
                bool left = has(&box, &whole, i);
                for (size_t k = 0; k < STEPS; ++k)
                    left = left && !(in[k] && nodes[k].order > after && has(&nodes[k].box, &whole, i));
                TW_EQUAL(map.times[i], left);
            }
        }
    }
}

static size_t depth_of(const struct tw_box_node *node)
{
    if (!node)
        return 0;
    const size_t left = depth_of(node->left), right = depth_of(node->right);
    return 1 + (left > right ? left : right);
}

/* The nodes of commands lie as far apart as their memory, and come in the order of their boxes. */
TW_TEST(a_tree_of_evenly_spaced_nodes_is_shallow)
{
    enum { COUNT = 2000, MOST_BYTES = 1024 };
    const struct tw_box whole = tw_box_of_range(tw_range_1d(COUNT));
    unsigned char *memory = calloc(COUNT, MOST_BYTES);
    TW_CHECK(memory);
    for (size_t bytes = (sizeof(struct tw_box_node) + 15) / 16 * 16; bytes <= MOST_BYTES; bytes += 16) {
        struct tw_box_node *root = NULL;
        for (size_t i = 0; i < COUNT; ++i) {
            const struct tw_box box = tw_box_of_part(tw_id_1d(i), tw_range_1d(1));
            struct tw_box_node *node = (struct tw_box_node *)(void *)(memory + i * bytes);
            *node = tw_box_node(&box, &whole);
            tw_box_tree_insert(&root, node);
        }
        TW_CHECK(depth_of(root) < 60); /* about 25 */
    }
    free(memory);
}

static size_t count_nodes(const struct tw_box_node *node, struct map *map)
{
    if (!node)
        return 0;
    count_box(&node->box, map);
    return 1 + count_nodes(node->left, map) + count_nodes(node->right, map);
}

/* The set has each element once or not at all, as `expected` says. */
static void check_set(const struct tw_box_set *set, const struct tw_box *whole, const bool *expected)
{
    struct map map = {.whole = *whole};
    TW_EQUAL(count_nodes(set->root, &map), set->count);
    for (size_t i = 0; i < tw_box_count(whole); ++i)
        TW_EQUAL(map.times[i], expected[i]);
}

TW_TEST(a_set_has_its_elements_and_takes_no_more_than_it_needs)
{
    for (unsigned round = 0; round < ROUNDS; ++round) {
        const struct tw_box whole = tw_box_of_range(random_range(1 + round % 3));
        struct tw_box_set set = {.root = NULL};
        struct tw_box_reserve reserve = {.first = NULL};
        bool expected[MAX_ELEMENTS] = {false};
        for (unsigned step = 0; step < STEPS; ++step) {
            const struct tw_box box = random_box(&whole);
            const struct tw_box_node node = tw_box_node(&box, &whole);
            const size_t needed = tw_box_set_needed(&set, &node);
            const bool adds = pick(2);
            tw_box_reserve_trim(&reserve, 0);
            TW_CHECK(tw_box_reserve(&reserve, needed)); /* a set that takes more ends the program */
            if (adds)
                tw_box_set_add(&set, &box, &whole, &reserve);
            else
                tw_box_set_subtract(&set, &box, &whole, &reserve);
            for (size_t i = 0; i < tw_box_count(&whole); ++i)
                expected[i] = has(&box, &whole, i) ? adds : expected[i];
            check_set(&set, &whole, expected);
        }
        TW_CHECK(tw_box_reserve(&reserve, tw_box_set_needed(&set, &(struct tw_box_node){.box = whole}) + 1));
        tw_box_set_add(&set, &whole, &whole, &reserve);
        TW_EQUAL(set.count, 1);
        tw_box_set_clear(&set, &reserve);
        TW_CHECK(!set.root && set.count == 0);
        tw_box_reserve_trim(&reserve, 0);
        TW_CHECK(!reserve.first && reserve.count == 0);
    }
}

/* Boxes side by side become one, in whatever order they come. */
TW_TEST(a_set_merges_neighbours)
{
    const struct tw_box whole = tw_box_of_range(tw_range_2d(40, 5));
    for (unsigned round = 0; round < ROUNDS; ++round) {
        struct tw_box_set set = {.root = NULL};
        struct tw_box_reserve reserve = {.first = NULL};
        size_t order[40];
        for (size_t i = 0; i < 40; ++i) {
            const size_t k = pick(i + 1);
            order[i] = order[k];
            order[k] = i;
        }
        for (size_t i = 0; i < 40; ++i) {
            const struct tw_box row = tw_box_of_part(tw_id_2d(order[i], 0), tw_range_2d(1, 5));
            TW_CHECK(tw_box_reserve(&reserve, 20));
            tw_box_set_add(&set, &row, &whole, &reserve);
        }
        TW_EQUAL(set.count, 1);
        TW_CHECK(tw_box_equals(&set.root->box, &whole));
        tw_box_set_clear(&set, &reserve);
        tw_box_reserve_trim(&reserve, 0);
    }
}

/* Makes disjoint uses of parts of a buffer; returns their number. */
static size_t random_uses(struct tw_data *data, struct tw_use *uses)
{
    size_t count = 0;
    for (unsigned tries = 0; tries < 4 * USES && count < USES; ++tries) {
        struct tw_use use = {.data = data, .box = random_box(&data->whole), .is_part = true};
        bool fits = !tw_box_covers(&use.box, &data->whole);
        for (unsigned d = 0; d < 3 && pick(2); ++d) /* most are small */
            use.box.end[d] = use.box.begin[d] + 1;
        for (size_t i = 0; i < count; ++i)
            fits = fits && !tw_box_overlaps(&use.box, &uses[i].box);
        use.needs = pick(2);
        use.writes = !use.needs || pick(2);
        if (fits)
            uses[count++] = use;
    }
    return count;
}

/* Commands with many uses of one buffer take no more than tw_reserve_needed() says; one that does ends the program. */
TW_TEST(many_uses_of_a_command_have_room)
{
    for (unsigned round = 0; round < 10 * ROUNDS; ++round) {
        struct tw_allocation allocations[SPACES] = {{.valid = true}};
        struct tw_data data = {.range = random_range(1 + round % 3), .space_count = SPACES, .allocations = allocations};
        data.whole = tw_box_of_range(data.range);
        for (size_t s = 0; s < SPACES; ++s)
            allocations[s].resource.whole = &data.whole;
        for (unsigned step = 0; step < 12; ++step) {
            struct tw_use uses[USES];
            const size_t count = random_uses(&data, uses), space = pick(SPACES);
            size_t needed = 0;
            for (size_t i = 0; i < count; ++i)
                needed += tw_reserve_needed(uses, count, i, space);
            tw_box_reserve_trim(&data.reserve, 0);
            TW_CHECK(tw_box_reserve(&data.reserve, needed));
            for (size_t i = 0; i < count; ++i)
                tw_apply_use(&uses[i], space);
            for (size_t i = 0; i < count; ++i)
                TW_CHECK(tw_allocation_holds(&uses[i], space));
        }
        tw_coherence_end(&data);
    }
}

TW_TEST_LIST = {TW_CASE(arithmetic_of_boxes_is_that_of_their_elements),
                TW_CASE(a_tree_finds_what_overlaps_and_what_is_left),
                TW_CASE(a_tree_of_evenly_spaced_nodes_is_shallow),
                TW_CASE(a_set_has_its_elements_and_takes_no_more_than_it_needs),
                TW_CASE(a_set_merges_neighbours),
                TW_CASE(many_uses_of_a_command_have_room),
                TW_CASES_END};
