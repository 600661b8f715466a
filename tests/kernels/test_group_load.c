/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized */
/** group_algorithms.h: loads and stores of groups, blocked and striped, of all elements and at the end of them. */
#include "nd_range_test.h"

#include <teamwork/group_algorithms.h>

enum { EACH = 4, LOCAL = 64, GROUPS = 5, N = EACH * LOCAL * GROUPS };

/* What work-items have loaded, and what they have stored. */
struct loaded {
    int *blocked, *striped; /* EACH of each work-item, as the work-item has them */
    const int *x;
    int *back_blocked, *back_striped; /* as in x, plus 1 */
};

static inline void load_items(tw_nd_item item, const struct loaded *k)
{
    const size_t group = tw_group_id(item, 0) * (EACH * LOCAL), me = tw_global_linear_id(item) * EACH;
    int a[EACH], b[EACH];
    tw_group_load_blocked(item, a, k->x + group, EACH);
    tw_group_load_striped(item, b, k->x + group, EACH);
    for (int i = 0; i < EACH; ++i) {
        k->blocked[me + (size_t)i] = a[i]++;
        k->striped[me + (size_t)i] = b[i]++;
    }
    tw_group_store_blocked(item, k->back_blocked + group, a, EACH);
    tw_group_store_striped(item, k->back_striped + group, b, EACH);
}
TW_ND_RANGE_KERNEL(TW_BLOCK(loaded) load_items, LOCAL);

static inline void load_blocked(tw_h_item item, const struct loaded *k, size_t first)
{
    int a[EACH];
    tw_group_load_blocked(item, a, k->x + first, EACH);
    for (int i = 0; i < EACH; ++i)
        k->blocked[tw_global_linear_id(item) * EACH + (size_t)i] = a[i]++;
    tw_group_store_blocked(item, k->back_blocked + first, a, EACH);
}

static inline void load_striped(tw_h_item item, const struct loaded *k, size_t first)
{
    int a[EACH];
    tw_group_load_striped(item, a, k->x + first, EACH);
    for (int i = 0; i < EACH; ++i)
        k->striped[tw_global_linear_id(item) * EACH + (size_t)i] = a[i]++;
    tw_group_store_striped(item, k->back_striped + first, a, EACH);
}

static inline void load_groups(tw_group group, const struct loaded *k)
{
    const size_t first = tw_group_id(group, 0) * (EACH * LOCAL);
    tw_parallel_for_work_item(group, item) {
        load_blocked(item, k, first);
        load_striped(item, k, first);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(loaded) load_groups, LOCAL);

/* The same by sub-groups, whose size is the device's: where an element goes is told by `size`. */
struct by_sub_group {
    const int *x;
    int *striped, *back;
    int *size;
};
static inline void by_sub_group(tw_nd_item item, const struct by_sub_group *k)
{
    const tw_sub_group sub_group = tw_get_sub_group(item);
    const size_t first =
        (tw_group_id(item, 0) * LOCAL + tw_sub_group_id(sub_group) * tw_sub_group_max_local_range(sub_group)) * EACH;
    const size_t me = tw_global_linear_id(item) * EACH;
    int a[EACH];
    tw_group_load_striped(sub_group, a, k->x + first, EACH);
    for (int i = 0; i < EACH; ++i)
        k->striped[me + (size_t)i] = a[i];
    tw_group_store_blocked(sub_group, k->back + first, a, EACH);
    if (me == 0)
        k->size[0] = (int)tw_sub_group_local_range(sub_group);
}
TW_ND_RANGE_KERNEL(by_sub_group, LOCAL);

/* At the end of the elements: structs, whose type the elements have too. */
struct pair {
    short a;
    float b;
};
struct ends {
    const struct pair *x;
    struct pair *blocked, *striped;
    size_t count;
};
static inline struct pair nothing(void)
{
    const struct pair none = {-1, 0.5f};
    return none;
}

static inline void ends_blocked(tw_nd_item item, const struct ends *k)
{
    struct pair a[3];
    tw_group_load_blocked_part(item, a, k->x, 3, k->count, nothing());
    for (int i = 0; i < 3; ++i)
        a[i].b += a[i].a < 0 ? 1000 : 1; /* of none: never stored */
    tw_group_store_blocked_part(item, k->blocked, a, 3, k->count);
}

static inline void ends(tw_nd_item item, const struct ends *k)
{
    struct pair a[3];
    ends_blocked(item, k);
    tw_group_load_striped_part(item, a, k->x, 3, k->count, nothing());
    for (int i = 0; i < 3; ++i)
        a[i].b += a[i].a < 0 ? 1000 : 2;
    tw_group_store_striped_part(item, k->striped, a, 3, k->count);
}
TW_ND_RANGE_KERNEL(ends, LOCAL);

/* Numbers 0, 1, 2 ... */
static tw_buffer *numbers(void)
{
    int values[N];
    tw_buffer *buffer = NULL;
    for (int i = 0; i < N; ++i)
        values[i] = i;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer));
    tw_test_store(buffer, values);
    return buffer;
}

static void check_loaded(tw_queue *queue, bool by_items)
{
    tw_buffer *x = numbers(), *out[4];
    int got[4][N];
    for (int i = 0; i < 4; ++i)
        out[i] = tw_test_ints(N, -1);
    if (by_items)
        TW_PASS(tw_queue_parallel_for_nd_range(
            queue, cg, NULL, tw_nd_range_make(tw_range_1d(GROUPS * LOCAL), tw_range_1d(LOCAL)), load_items,
            .blocked = (int *)tw_write(cg, out[0]), .striped = (int *)tw_write(cg, out[1]),
            .x = (const int *)tw_read(cg, x), .back_blocked = (int *)tw_write(cg, out[2]),
            .back_striped = (int *)tw_write(cg, out[3])));
    else
        TW_PASS(tw_queue_parallel_for_work_group(
            queue, cg, NULL, tw_range_1d(GROUPS), tw_range_1d(LOCAL), load_groups,
            .blocked = (int *)tw_write(cg, out[0]), .striped = (int *)tw_write(cg, out[1]),
            .x = (const int *)tw_read(cg, x), .back_blocked = (int *)tw_write(cg, out[2]),
            .back_striped = (int *)tw_write(cg, out[3])));
    for (int i = 0; i < 4; ++i)
        tw_test_fetch(out[i], got[i]);
    for (int i = 0; i < N; ++i) {
        const int group = i / (EACH * LOCAL) * (EACH * LOCAL), item = i % (EACH * LOCAL) / EACH, k = i % EACH;
        TW_EQUAL(got[0][i], i);
        TW_EQUAL(got[1][i], group + k * LOCAL + item);
        TW_EQUAL(got[2][i], i + 1);
        TW_EQUAL(got[3][i], i + 1);
    }
    TW_PASS(tw_buffer_destroy(&x));
    for (int i = 0; i < 4; ++i)
        TW_PASS(tw_buffer_destroy(&out[i]));
}

TW_TEST(work_groups_load_and_store)
{
    tw_queue *queue = nd_queue();
    if (!queue)
        TW_SKIP();
    check_loaded(queue, true);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(items_of_hierarchical_kernels_load_and_store)
{
    tw_queue *queue = tw_test_queue();
    check_loaded(queue, false);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(sub_groups_load_and_store)
{
    tw_queue *queue = nd_queue();
    int striped[N], back[N], size[N];
    if (!queue)
        TW_SKIP();
    tw_buffer *x = numbers(), *a = tw_test_ints(N, -1), *b = tw_test_ints(N, -1), *c = tw_test_ints(N, -1);
    TW_PASS(tw_queue_parallel_for_nd_range(
        queue, cg, NULL, tw_nd_range_make(tw_range_1d(GROUPS * LOCAL), tw_range_1d(LOCAL)), by_sub_group,
        .x = (const int *)tw_read(cg, x), .striped = (int *)tw_write(cg, a), .back = (int *)tw_write(cg, b),
        .size = (int *)tw_write(cg, c)));
    tw_test_fetch(a, striped);
    tw_test_fetch(b, back);
    tw_test_fetch(c, size);
    for (int i = 0; i < N; ++i) {
        const int all = size[0] * EACH, first = i / all * all, item = i % all / EACH, k = i % EACH;
        TW_EQUAL(striped[i], first + k * size[0] + item);
        TW_EQUAL(back[i], striped[i]);
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_end_of_the_elements)
{
    static const size_t counts[] = {0, 1, LOCAL - 1, LOCAL + 1, 2 * LOCAL + 7, 3 * LOCAL};
    tw_queue *queue = nd_queue();
    if (!queue)
        TW_SKIP();
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        struct pair values[3 * LOCAL], got[2][3 * LOCAL];
        tw_buffer *x = NULL, *out[2] = {NULL, NULL};
        for (int i = 0; i < 3 * LOCAL; ++i)
            values[i].a = (short)i, values[i].b = (float)i;
        TW_PASS(tw_buffer_create(sizeof(struct pair), tw_range_1d(3 * LOCAL), &x));
        tw_test_store(x, values);
        for (int i = 0; i < 2; ++i) {
            TW_PASS(tw_buffer_create(sizeof(struct pair), tw_range_1d(3 * LOCAL), &out[i]));
            tw_test_store(out[i], values);
        }
        TW_PASS(tw_queue_parallel_for_nd_range(
            queue, cg, NULL, tw_nd_range_make(tw_range_1d(LOCAL), tw_range_1d(LOCAL)), ends,
            .x = (const struct pair *)tw_read(cg, x), .blocked = (struct pair *)tw_read_write(cg, out[0]),
            .striped = (struct pair *)tw_read_write(cg, out[1]), .count = counts[c]));
        for (int i = 0; i < 2; ++i)
            tw_test_fetch(out[i], got[i]);
        for (int i = 0; i < 3 * LOCAL; ++i)
            for (int form = 0; form < 2; ++form) {
                TW_EQUAL(got[form][i].a, i);
                TW_CHECK(got[form][i].b == (float)(i + ((size_t)i < counts[c] ? 1 + form : 0)));
            }
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&out[0]));
        TW_PASS(tw_buffer_destroy(&out[1]));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(work_groups_load_and_store), TW_CASE(items_of_hierarchical_kernels_load_and_store),
                TW_CASE(sub_groups_load_and_store), TW_CASE(the_end_of_the_elements), TW_CASES_END};
