/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/** Private values of hierarchical kernels: arrays, and values in loops over other ranges than the group's. */
#include "tw_test.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* Private arrays: of one dimension, of three, and one that the host keeps no room for in any case. On a GPU in the standard
   mapping, those of 1024 work-items, in all kernels of a program, share 48 KiB. */
enum { ROW = 5, MANY = TW_ON_GPU ? 2 : 300 };
struct arrays {
    int *out;
};
static inline void arrays(tw_group group, const struct arrays *k)
{
    TW_PRIVATE(group, short, row, [ROW]);
    TW_PRIVATE(group, unsigned char, cube, [2][3][2]);
    TW_PRIVATE(group, short, many, [MANY]);
    tw_parallel_for_work_item(group, item) {
        const int g = (int)tw_global_linear_id(item);
        for (int i = 0; i < ROW; ++i)
            tw_private(row, item, i) = (short)(ROW * g + i);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j)
                for (unsigned m = 0; m < 2; ++m)
                    tw_private(cube, item, i, j, m) = (unsigned char)(g + 6 * i + 2 * j + (int)m);
        for (int i = 0; i < MANY; ++i)
            tw_private(many, item, i) = (short)(g - i);
    }
    for (int turn = 0; turn < 2; ++turn)
        tw_parallel_for_work_item(group, item) {
            const short last = tw_private(row, item, ROW - 1);
            for (int i = ROW - 1; i > 0; --i)
                tw_private(row, item, i) = tw_private(row, item, i - 1);
            tw_private(row, item, 0) = last;
        }
    tw_parallel_for_work_item(group, item) {
        const int g = (int)tw_global_linear_id(item);
        int wrong = 0;
        for (int i = 0; i < ROW; ++i)
            wrong += tw_private(row, item, (i + 2) % ROW) != ROW * g + i;
        for (int e = 0; e < 12; ++e)
            wrong += tw_private(cube, item, e / 6, e / 2 % 3, e % 2) != (unsigned char)(g + e);
        for (int i = 0; i < MANY; ++i)
            wrong += tw_private(many, item, i) != (short)(g - i);
        k->out[g] = 1000 * wrong + g % 100;
    }
}
TW_WORK_GROUP_KERNEL(arrays);

struct arrays_8_8 {
    struct arrays all;
};
static inline void arrays_8_8(tw_group group, const struct arrays_8_8 *k)
{
    arrays(group, &k->all);
}
TW_WORK_GROUP_KERNEL(arrays_8_8, 8, 8);

TW_TEST(private_arrays_are_those_of_each_item)
{
    enum { ITEMS = 1024 };
    int out[ITEMS];
    tw_queue *queue = tw_test_queue();
    for (int form = 0; form < 3; ++form) {
        tw_buffer *buffer = NULL;
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(ITEMS), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        int *address = tw_discard_write(cg, buffer);
        if (form == 0)
            tw_parallel_for_work_group(cg, tw_range_1d(4), tw_range_1d(256), arrays, .out = address);
        else if (form == 1)
            tw_parallel_for_work_group(cg, tw_range_2d(16, 8), tw_range_2d(2, 4), arrays, .out = address);
        else
            tw_parallel_for_work_group(cg, tw_range_2d(2, 8), tw_range_2d(8, 8), arrays_8_8, .all = {.out = address});
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int i = 0; i < ITEMS; ++i)
            TW_EQUAL(out[i], i % 100);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- loops over other ranges ------------------------------------------------------------------------------------- */

/* Loops of other dimensions than the group's, with offsets, and private values in them: each point adds its position to
   what belongs to its work-item, which the work-item's own turn then reads. */
struct points {
    int *visits;   /* 64 for each group */
    int *sums;     /* one for each work-item */
    size_t *facts; /* 8 for each group */
    tw_range range;
    tw_id offset;
};
static inline void points(tw_group group, const struct points *k)
{
    TW_PRIVATE(group, int, sum);
    TW_PRIVATE(group, int, order, [2]);
    tw_parallel_for_work_item(group, item) {
        tw_private(sum, item) = tw_private(order, item, 0) = tw_private(order, item, 1) = 0;
    }
    tw_parallel_for_work_item_offset(group, item, k->range, k->offset) {
        const size_t at = tw_local_linear_id(item);
        tw_private(sum, item) += 100 + (int)at;
        tw_private(order, item, 1) += tw_private(order, item, 0) > (int)at; /* 0: points come in order */
        tw_private(order, item, 0) = (int)at;
        k->visits[64 * tw_group_linear_id(group) + at] +=
            1 + (tw_physical_local_linear_id(item) == at % tw_local_linear_range(group) ? 0 : 10);
        if (at + 1 == tw_range_count(k->range)) {
            size_t *facts = k->facts + 8 * tw_group_linear_id(group);
            const tw_id id = tw_get_local_id(item);
            const tw_range range = tw_get_local_range(item);
            for (unsigned d = 0; d < 3; ++d)
                facts[d] = d < id.dims ? tw_local_id(item, d) : id.at[d];
            facts[3] = id.dims;
            facts[4] = tw_range_equal(range, k->range);
            facts[5] = tw_get_group_id(group).dims;
            facts[6] = tw_physical_local_id(item, 0);
            facts[7] = tw_physical_local_id(item, 1);
        }
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(tw_local_linear_range(group))) {
        tw_private(sum, item) += 1000000 * tw_private(order, item, 1);
    }
    tw_parallel_for_work_item(group, item) {
        k->sums[tw_group_linear_id(group) * tw_local_linear_range(group) + tw_local_linear_id(item)] =
            tw_private(sum, item);
    }
}
TW_WORK_GROUP_KERNEL(points);

struct points_2_3 {
    struct points all;
};
static inline void points_2_3(tw_group group, const struct points_2_3 *k)
{
    points(group, &k->all);
}
TW_WORK_GROUP_KERNEL(points_2_3, 2, 3);

/* Groups of 6 work-items, of as many dimensions as `local`. */
static void check_points(tw_queue *queue, tw_range groups, tw_range local, tw_range range, tw_id offset, bool required)
{
    enum { MOST_GROUPS = 4, ITEMS = 6 };
    const size_t count = tw_range_count(groups), total = tw_range_count(range);
    int visits[64 * MOST_GROUPS] = {0};
    int sums[ITEMS * MOST_GROUPS] = {0};
    size_t facts[8 * MOST_GROUPS] = {0};
    tw_buffer *a = NULL, *b = NULL, *c = NULL;
    TW_PASS(tw_buffer_create_over(visits, sizeof *visits, tw_range_1d(64 * count), &a));
    TW_PASS(tw_buffer_create_over(sums, sizeof *sums, tw_range_1d(ITEMS * count), &b));
    TW_PASS(tw_buffer_create_over(facts, sizeof *facts, tw_range_1d(8 * count), &c));
    tw_command_group *cg = tw_queue_begin(queue);
    const struct points all = {tw_read_write(cg, a), tw_write(cg, b), tw_read_write(cg, c), range, offset};
    if (required)
        tw_parallel_for_work_group(cg, groups, local, points_2_3, .all = all);
    else
        tw_parallel_for_work_group(cg, groups, local, points, .visits = all.visits, .sums = all.sums,
                                   .facts = all.facts, .range = range, .offset = offset);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    for (size_t g = 0; g < count; ++g) {
        int expected[ITEMS] = {0};
        for (size_t i = 0; i < 64; ++i) {
            TW_EQUAL(visits[64 * g + i], i < total);
            expected[i % ITEMS] += i < total ? 100 + (int)i : 0;
        }
        for (size_t w = 0; w < ITEMS; ++w)
            TW_EQUAL(sums[ITEMS * g + w], expected[w]);
        if (!total)
            continue;
        for (unsigned d = 0; d < 3; ++d)
            TW_EQUAL(facts[8 * g + d], d < range.dims ? offset.at[d] + range.size[d] - 1 : 0);
        TW_EQUAL(facts[8 * g + 3], range.dims);
        TW_EQUAL(facts[8 * g + 4], 1);
        TW_EQUAL(facts[8 * g + 5], local.dims);
        const size_t w = (total - 1) % ITEMS;
        TW_EQUAL(facts[8 * g + 6], w / (local.size[1] * local.size[2]));
        TW_EQUAL(facts[8 * g + 7], w / local.size[2] % local.size[1]);
    }
}

TW_TEST(loops_have_any_dimensions_and_offsets_and_private_values)
{
    tw_queue *queue = tw_test_queue();
    const tw_range local[] = {tw_range_1d(6), tw_range_2d(2, 3), tw_range_3d(3, 1, 2)};
    const tw_range groups[] = {tw_range_1d(4), tw_range_2d(2, 2), tw_range_3d(1, 2, 2)};
    for (int own = 0; own < 4; ++own) {
        const tw_range l = local[own % 3 + (own == 3)], g = groups[own % 3 + (own == 3)];
        check_points(queue, g, l, tw_range_1d(64), tw_id_1d(0), own == 3);
        check_points(queue, g, l, tw_range_1d(5), tw_id_1d(100), own == 3);
        check_points(queue, g, l, tw_range_2d(7, 5), tw_id_2d(3, 9), own == 3);
        check_points(queue, g, l, tw_range_3d(2, 5, 3), tw_id_3d(1, 0, (size_t)-1), own == 3);
        check_points(queue, g, l, tw_range_2d(0, 5), tw_id_2d(3, 9), own == 3);
        check_points(queue, g, l, (tw_range){{3, 3, 3}, 0}, tw_id_1d(0), own == 3);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(private_arrays_are_those_of_each_item),
                TW_CASE(loops_have_any_dimensions_and_offsets_and_private_values), TW_CASES_END};
