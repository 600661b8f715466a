/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * TW_CHECK_GROUP_SCOPE: hierarchical kernels run on CPUs as on a GPU, so that a breach of the rules of group scope
 * shows without one. What is right stays right.
 */
#define TW_CHECK_GROUP_SCOPE
#include "nd_range_test.h"

#include <teamwork/group_algorithms.h>

enum { GROUPS = 5, SIZE = 24, ITEMS = GROUPS * SIZE };

/* Runs the kernel `name` of a block with `int *out`, one element for each work-item, which begin as 0. */
#define RUN(queue, name, out, expected_status)                                                                         \
    do {                                                                                                               \
        tw_buffer *tw_out = tw_test_zeroed(sizeof(int), ITEMS);                                                        \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(SIZE), name,                                   \
                                   .out = tw_read_write(cg, tw_out));                                                  \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        if ((expected_status) == TW_SUCCESS) {                                                                         \
            TW_PASS(tw_queue_wait_and_throw(queue));                                                                   \
            tw_test_fetch(tw_out, out);                                                                                \
        } else {                                                                                                       \
            TW_FAIL(tw_queue_wait_and_throw(queue), expected_status);                                                  \
        }                                                                                                              \
        TW_PASS(tw_buffer_destroy(&tw_out));                                                                           \
    } while (0)

/* Each form of loop, local and private memory: all as the rules say. */
struct right {
    int *out;
};
static inline void right(tw_group group, const struct right *k)
{
    TW_LOCAL(int, values, [SIZE + 8]);
    TW_LOCAL(int, sum);
    TW_PRIVATE(group, int, mine);
    TW_PRIVATE(group, int, pair, [2]);
    const int base = (int)tw_group_id(group, 0) * 100;
    tw_parallel_for_work_item_range(group, item, tw_range_1d(SIZE + 8)) {
        values[tw_local_id(item, 0)] = (int)tw_local_id(item, 0);
    }
    TW_ONCE(group) {
        sum = base;
    }
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) = values[tw_local_id(item, 0) + 8];
        tw_private(pair, item, 0) = tw_private(pair, item, 1) = 0;
    }
    tw_parallel_for_work_item_offset(group, item, tw_range_2d(SIZE, 2), tw_id_2d(0, 5)) {
        tw_private(pair, item, 0) += 1;
        tw_private(pair, item, 1) += (int)tw_local_id(item, 1);
    }
    for (int turn = 0; turn < 3; ++turn)
        TW_ONCE(group) {
            sum += 1;
        }
    tw_parallel_for_work_item(group, item) {
        const int extra = tw_private(pair, item, 1) - 10 - (int)tw_local_id(item, 0) % 2 * 2;
        k->out[tw_global_id(item, 0)] = sum + tw_private(mine, item) + tw_private(pair, item, 0) - 2 + extra;
    }
}
TW_WORK_GROUP_KERNEL(right, SIZE);

TW_TEST(kernels_that_keep_the_rules_give_the_same)
{
    int out[ITEMS];
    ND_BEGIN(queue);
    RUN(queue, right, out, TW_SUCCESS);
    for (int i = 0; i < ITEMS; ++i)
        TW_EQUAL(out[i], i / SIZE * 100 + 3 + i % SIZE + 8);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Rule 2: what writes to memory at group scope happens once for each work-item. */
struct writes {
    int *out;
};
static inline void writes(tw_group group, const struct writes *k)
{
    k->out[tw_group_id(group, 0) * tw_local_range(group, 0)] += 1;
}
TW_WORK_GROUP_KERNEL(writes);

TW_TEST(stores_at_group_scope_show)
{
    int out[ITEMS];
    ND_BEGIN(queue);
    if (!tw_device_is_gpu(tw_queue_device(queue))) { /* there it is a race */
        RUN(queue, writes, out, TW_SUCCESS);
        for (int i = 0; i < ITEMS; ++i)
            TW_EQUAL(out[i], i % SIZE ? 0 : SIZE); /* and not 1 */
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* In local memory: before the first loop, between two, and behind the last one. */
struct writes_local {
    int *out;
};
#define WRITES_LOCAL(name, before, between, behind)                                                                    \
    static inline void name(tw_group group, const struct writes_local *k)                                              \
    {                                                                                                                  \
        TW_LOCAL(int, first, [3]);                                                                                     \
        TW_LOCAL(int, turns);                                                                                          \
        before;                                                                                                        \
        TW_ONCE(group) {                                                                                               \
            turns = first[0] = first[1] = first[2] = 7;                                                                \
        }                                                                                                              \
        between;                                                                                                       \
        tw_parallel_for_work_item(group, item) {                                                                       \
            k->out[tw_global_id(item, 0)] = turns + first[2];                                                          \
        }                                                                                                              \
        behind;                                                                                                        \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(TW_BLOCK(writes_local) name)
WRITES_LOCAL(writes_nothing, (void)0, (void)0, (void)0);
WRITES_LOCAL(writes_before, first[1] += 1, (void)0, (void)0);
WRITES_LOCAL(writes_between, (void)0, turns += 1, (void)0);
WRITES_LOCAL(writes_behind, (void)0, (void)0, first[2] += 1);

TW_TEST(stores_to_local_memory_are_found)
{
    int out[ITEMS];
    ND_BEGIN(queue);
    if (!tw_device_is_gpu(tw_queue_device(queue))) { /* there it is a race */
        RUN(queue, writes_before, out, TW_ERROR_GROUP_SCOPE);
        TW_CHECK(strstr(tw_error_detail(), "kernel writes_before (") && strstr(tw_error_detail(), "the beginning"));
        RUN(queue, writes_between, out, TW_ERROR_GROUP_SCOPE);
        TW_CHECK(strstr(tw_error_detail(), "kernel writes_between (") && strstr(tw_error_detail(), "between line"));
        RUN(queue, writes_behind, out, TW_ERROR_GROUP_SCOPE);
        TW_CHECK(strstr(tw_error_detail(), "kernel writes_behind (") && strstr(tw_error_detail(), "the end"));
        RUN(queue, writes_nothing, out, TW_SUCCESS);
        for (int i = 0; i < ITEMS; ++i)
            TW_EQUAL(out[i], 14);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Rule 3: a loop changes the variable of one work-item alone. */
struct assigns {
    int *out;
};
static inline void assigns(tw_group group, const struct assigns *k)
{
    int last = -1;
    tw_parallel_for_work_item(group, item) {
        last = (int)tw_local_id(item, 0);
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = last;
    }
}
TW_WORK_GROUP_KERNEL(assigns);

TW_TEST(assignments_in_loops_show)
{
    int out[ITEMS];
    ND_BEGIN(queue);
    RUN(queue, assigns, out, TW_SUCCESS);
    for (int i = 0; i < ITEMS; ++i)
        TW_EQUAL(out[i], i % SIZE); /* and not SIZE - 1 */
    TW_PASS(tw_queue_destroy(&queue));
}

/* Rule 1: a branch that is not uniform, since a loop has changed its condition. */
struct branches {
    int *out;
};
static inline void branches(tw_group group, const struct branches *k)
{
    bool first = false;
    tw_parallel_for_work_item(group, item) {
        first = tw_local_id(item, 0) == 0;
    }
    if (first)
        tw_parallel_for_work_item(group, item) {
            k->out[tw_global_id(item, 0)] = 1;
        }
}
TW_WORK_GROUP_KERNEL(branches);

TW_TEST(branches_that_are_not_uniform_are_found)
{
    int out[ITEMS];
    ND_BEGIN(queue);
    if (!tw_device_is_gpu(tw_queue_device(queue))) /* there it hangs */
        RUN(queue, branches, out, TW_ERROR_DIVERGENT_BARRIER);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Group functions at group scope, which are barriers, of values with and without a place of their own. */
struct pair {
    int first;
    double last[2];
};
static inline struct pair join(struct pair a, struct pair b)
{
    const struct pair joined = {a.first, {a.last[0] + b.last[0], b.last[1]}};
    return joined;
}
TW_GROUP_TYPE(struct pair);
static inline bool is_more(int a, int b)
{
    return a > b;
}

struct functions {
    int *out;
};
static inline void functions(tw_group group, const struct functions *k)
{
    TW_LOCAL(int, tile, [SIZE]);
    TW_PRIVATE(group, int, one);
    TW_PRIVATE(group, bool, odd);
    TW_PRIVATE(group, struct pair, pair);
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_local_id(item, 0);
        const struct pair mine = {i, {1, i}};
        tw_private(one, item) = 1;
        tw_private(odd, item) = i % 2;
        tw_private(pair, item) = mine;
        tile[i] = i;
    }
    const int items = tw_reduce_over_group(group, one, TW_SUM);
    tw_inclusive_scan_over_group(group, one, TW_SUM);
    const int third = tw_group_broadcast(group, one, 2);
    const struct pair all = tw_reduce_over_group(group, pair, join);
    tw_inclusive_scan_over_group(group, pair, join);
    const int any = tw_any_of_group(group, odd) + 2 * tw_all_of_group(group, odd);
    tw_joint_sort(group, tile, tile + SIZE, is_more);
    const int sum = tw_joint_reduce(group, tile, tile + SIZE, TW_SUM);
    tw_parallel_for_work_item(group, item) {
        const struct pair *mine = &tw_private(pair, item);
        const size_t i = tw_local_id(item, 0);
        const bool right =
            items == SIZE && third == 3 && all.first == 0 && all.last[0] == SIZE && all.last[1] == SIZE - 1 && any == 1
            && sum == SIZE * (SIZE - 1) / 2 && tw_private(one, item) == (int)i + 1 && mine->first == 0
            && mine->last[0] == (double)(i + 1) && mine->last[1] == (double)i && tile[i] == (int)(SIZE - 1 - i);
        k->out[tw_global_id(item, 0)] = right ? (int)i : -1;
    }
}
TW_WORK_GROUP_KERNEL(functions);

TW_TEST(group_functions_meet)
{
    int out[ITEMS];
    tw_queue *queue = tw_test_queue();
    RUN(queue, functions, out, TW_SUCCESS);
    for (int i = 0; i < ITEMS; ++i)
        TW_EQUAL(out[i], i % SIZE);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(kernels_that_keep_the_rules_give_the_same),
                TW_CASE(group_functions_meet),
                TW_CASE(stores_at_group_scope_show),
                TW_CASE(stores_to_local_memory_are_found),
                TW_CASE(assignments_in_loops_show),
                TW_CASE(branches_that_are_not_uniform_are_found),
                TW_CASES_END};
