/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams) */
/* C++20: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/** lower/group/work_item.h: the language of hierarchical kernels (properties 46 to 52), and the checks of their sizes. */
#include "tw_test.h"

/* ---- ids (property 46) ------------------------------------------------------------------------------------------- */

enum { FACTS = 22 };

struct describe {
    size_t *out; /* FACTS for each work-item */
};
static inline void describe(tw_group group, const struct describe *k)
{
    tw_parallel_for_work_item(group, item) {
        size_t *out = k->out + FACTS * tw_global_linear_id(item);
        const tw_range local = tw_get_local_range(item), global = tw_get_global_range(item);
        const unsigned dims = local.dims;
        for (unsigned d = 0; d < 3; ++d) {
            out[d] = d < dims ? tw_local_id(item, d) : 0;
            out[3 + d] = d < dims ? tw_group_id(item, d) : 0;
            out[6 + d] = d < dims ? tw_global_id(item, d) : 0;
        }
        out[9] = tw_local_linear_id(item);
        out[10] = tw_group_linear_id(item);
        out[11] = tw_global_linear_id(item);
        out[12] = dims;
        out[13] =
            tw_range_equal(local, tw_get_local_range(group)) && tw_range_equal(global, tw_get_global_range(group));
        out[14] =
            tw_id_equal(tw_get_global_id(item),
                        tw_id_add(tw_id_mul(tw_get_group_id(group), tw_id_from_range(local)), tw_get_local_id(item)));
        out[15] = tw_range_equal(tw_nd_range_group_range(tw_get_nd_range(group)), tw_get_group_range(group));
        out[16] = tw_group_linear_range(group);
        out[17] = tw_local_linear_range(group);
        out[18] = tw_group_range(item, 0) * tw_local_range(item, 0) == tw_global_range(item, 0);
        out[19] = tw_physical_local_id(item, 0) == tw_local_id(item, 0);
        out[20] = tw_physical_local_range(item, dims - 1) == tw_local_range(group, dims - 1);
        out[21] = tw_linear_id(tw_get_group_id(group), tw_get_group_range(group)) == tw_group_linear_id(group);
    }
}
TW_WORK_GROUP_KERNEL(describe);

/* The same, with sizes that are known to the compiler. */
#define DESCRIBE_REQUIRED(name, ...)                                                                                   \
    struct name {                                                                                                      \
        struct describe all;                                                                                           \
    };                                                                                                                 \
    static inline void name(tw_group group, const struct name *k)                                                      \
    {                                                                                                                  \
        describe(group, &k->all);                                                                                      \
    }                                                                                                                  \
    TW_WORK_GROUP_KERNEL(name, __VA_ARGS__);
DESCRIBE_REQUIRED(describe_1, 30)
DESCRIBE_REQUIRED(describe_2, 4, 8)
DESCRIBE_REQUIRED(describe_3, 3, 2, 5)

static void check_facts(const size_t *got, size_t linear, tw_range groups, tw_range local)
{
    const tw_range global = tw_range_mul(groups, local);
    const size_t at[3] = {linear / global.size[2] / global.size[1], linear / global.size[2] % global.size[1],
                          linear % global.size[2]};
    size_t l[3], g[3];
    for (unsigned d = 0; d < 3; ++d) {
        l[d] = at[d] % local.size[d];
        g[d] = at[d] / local.size[d];
        TW_EQUAL(got[d], l[d]);
        TW_EQUAL(got[3 + d], g[d]);
        TW_EQUAL(got[6 + d], at[d]);
    }
    TW_EQUAL(got[9], (l[0] * local.size[1] + l[1]) * local.size[2] + l[2]);
    TW_EQUAL(got[10], (g[0] * groups.size[1] + g[1]) * groups.size[2] + g[2]);
    TW_EQUAL(got[11], linear);
    TW_EQUAL(got[12], groups.dims);
    TW_CHECK(got[13] == 1 && got[14] == 1 && got[15] == 1);
    TW_EQUAL(got[16], tw_range_count(groups));
    TW_EQUAL(got[17], tw_range_count(local));
    TW_CHECK(got[18] == 1 && got[19] == 1 && got[20] == 1 && got[21] == 1);
}

/* Property 46. required: which kernel with a compile-time size, 0 for the one without. */
static void check_describe(tw_queue *queue, tw_range groups, tw_range local, unsigned required)
{
    enum { MOST_ITEMS = 70000 };
    static size_t out[FACTS * MOST_ITEMS];
    const size_t count = tw_range_count(groups) * tw_range_count(local);
    tw_buffer *buffer = NULL;
    TW_CHECK(count <= MOST_ITEMS);
    memset(out, 0xff, FACTS * count * sizeof *out);
    TW_PASS(tw_buffer_create_over(out, FACTS * sizeof *out, tw_range_1d(count), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    const struct describe all = {tw_discard_write(cg, buffer)};
    if (required == 0)
        tw_parallel_for_work_group(cg, groups, local, describe, .out = all.out);
    else if (required == 1)
        tw_parallel_for_work_group(cg, groups, local, describe_1, .all = all);
    else if (required == 2)
        tw_parallel_for_work_group(cg, groups, local, describe_2, .all = all);
    else
        tw_parallel_for_work_group(cg, groups, local, describe_3, .all = all);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t linear = 0; linear < count; ++linear)
        check_facts(out + FACTS * linear, linear, groups, local);
}

TW_TEST(ids_agree_in_every_dimension)
{
    tw_queue *queue = tw_test_queue();
    check_describe(queue, tw_range_1d(1), tw_range_1d(1), 0);
    check_describe(queue, tw_range_1d(17), tw_range_1d(30), 0);
    check_describe(queue, tw_range_1d(17), tw_range_1d(30), 1);
    check_describe(queue, tw_range_2d(5, 7), tw_range_2d(4, 8), 0);
    check_describe(queue, tw_range_2d(5, 7), tw_range_2d(4, 8), 2);
    check_describe(queue, tw_range_2d(3, 2), tw_range_2d(1, 33), 0);
    check_describe(queue, tw_range_3d(2, 3, 4), tw_range_3d(3, 2, 5), 0);
    check_describe(queue, tw_range_3d(2, 3, 4), tw_range_3d(3, 2, 5), 3);
    check_describe(queue, tw_range_3d(4, 1, 1), tw_range_3d(1, 1, 7), 0);
    check_describe(queue, tw_range_3d(65537, 1, 1), tw_range_3d(1, 1, 1), 0); /* deeper than the grid of a GPU */
    check_describe(queue, tw_range_2d(3, 10001), tw_range_2d(2, 1), 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- barriers and local memory ----------------------------------------------------------------------------------- */

enum { MOST = 256 };

/* Each item takes what its right neighbour put into local memory, several times over: a missing barrier on either edge
   of a loop shows. */
struct rotate {
    const int *in;
    int *out;
    int rounds;
};
static inline void rotate(tw_group group, const struct rotate *k)
{
    TW_LOCAL(int, now, [MOST]);
    TW_LOCAL(int, next, [MOST]);
    const size_t n = tw_local_range(group, 0);
    tw_parallel_for_work_item(group, item) {
        now[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    for (int round = 0; round < k->rounds; ++round) {
        tw_parallel_for_work_item(group, item) {
            next[tw_local_id(item, 0)] = now[(tw_local_id(item, 0) + 1) % n];
        }
        tw_parallel_for_work_item(group, item) {
            now[tw_local_id(item, 0)] = next[tw_local_id(item, 0)];
        }
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = now[tw_local_id(item, 0)];
    }
}
TW_WORK_GROUP_KERNEL(rotate);

struct rotate_256 {
    struct rotate all;
};
static inline void rotate_256(tw_group group, const struct rotate_256 *k)
{
    rotate(group, &k->all);
}
TW_WORK_GROUP_KERNEL(rotate_256, 256);

/* Property 47. */
TW_TEST(consecutive_loops_are_separated_by_a_barrier)
{
    enum { GROUPS = 9 };
    const size_t sizes[] = {1, 2, 30, 64, 255, 256};
    static int in[GROUPS * MOST], out[GROUPS * MOST];
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < GROUPS * MOST; ++i)
        in[i] = i;
    for (size_t s = 0; s < 7; ++s) {
        const size_t n = s < 6 ? sizes[s] : 256;
        tw_buffer *a = NULL, *b = NULL;
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(GROUPS * n), &a));
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS * n), &b));
        tw_command_group *cg = tw_queue_begin(queue);
        const struct rotate all = {tw_read(cg, a), tw_discard_write(cg, b), 5};
        if (s < 6)
            tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(n), rotate, .in = all.in, .out = all.out,
                                       .rounds = 5);
        else
            tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(n), rotate_256, .all = all);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&b));
        TW_PASS(tw_buffer_destroy(&a));
        for (size_t i = 0; i < GROUPS * n; ++i)
            TW_EQUAL(out[i], i / n * n + (i % n + 5) % n);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 48: side effects under TW_ONCE, code at group scope that chooses whether a loop runs. */
struct once {
    int *count, *sum;
};
static inline void once(tw_group group, const struct once *k)
{
    TW_LOCAL(int, total);
    TW_ONCE(group) {
        total = 100;
        k->count[tw_group_id(group, 0)] += 1;
    }
    if (tw_group_id(group, 0) % 2) {
        TW_ONCE(group) {
            total += 1;
        }
        tw_parallel_for_work_item(group, item) {
            if (tw_local_id(item, 0) == 0)
                total += 10;
        }
    }
    TW_ONCE(group) {
        k->sum[tw_group_id(group, 0)] = total;
    }
}
TW_WORK_GROUP_KERNEL(once);

TW_TEST(group_scope_runs_once_for_each_group)
{
    enum { GROUPS = 50 };
    int count[GROUPS] = {0}, sum[GROUPS] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = NULL, *b = NULL;
    TW_PASS(tw_buffer_create_over(count, sizeof *count, tw_range_1d(GROUPS), &a));
    TW_PASS(tw_buffer_create_over(sum, sizeof *sum, tw_range_1d(GROUPS), &b));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(33), once, .count = tw_read_write(cg, a),
                               .sum = tw_discard_write(cg, b));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    for (int g = 0; g < GROUPS; ++g) {
        TW_EQUAL(count[g], 1);
        TW_EQUAL(sum[g], g % 2 ? 111 : 100);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 49: a struct in local memory, a group of 30, a reduction by halves that copes with odd counts. */
struct partial {
    double sum;
    int count;
    short least;
};
struct reduce {
    const short *in;
    struct partial *out;
};
static inline void reduce(tw_group group, const struct reduce *k)
{
    TW_LOCAL(struct partial, parts, [MOST]);
    size_t left = tw_local_range(group, 0);
    tw_parallel_for_work_item(group, item) {
        struct partial *mine = &parts[tw_local_id(item, 0)];
        mine->least = k->in[tw_global_id(item, 0)];
        mine->sum = mine->least;
        mine->count = 1;
    }
    while (left > 1) {
        const size_t half = (left + 1) / 2;
        tw_parallel_for_work_item(group, item) {
            const size_t i = tw_local_id(item, 0);
            if (i + half >= left)
                continue; /* ends the work-item */
            parts[i].sum += parts[i + half].sum;
            parts[i].count += parts[i + half].count;
            if (parts[i + half].least < parts[i].least)
                parts[i].least = parts[i + half].least;
        }
        left = half;
    }
    TW_ONCE(group) {
        k->out[tw_group_id(group, 0)] = parts[0];
    }
}
TW_WORK_GROUP_KERNEL(reduce);

struct reduce_30 {
    struct reduce all;
};
static inline void reduce_30(tw_group group, const struct reduce_30 *k)
{
    reduce(group, &k->all);
}
TW_WORK_GROUP_KERNEL(reduce_30, 30);

TW_TEST(local_variables_are_shared_and_survive_between_loops)
{
    enum { GROUPS = 21, SIZE = 30 };
    short in[GROUPS * SIZE];
    struct partial out[GROUPS];
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < GROUPS * SIZE; ++i)
        in[i] = (short)((i * 7919) % 1000 - 500);
    for (int required = 0; required < 2; ++required) {
        tw_buffer *a = NULL, *b = NULL;
        memset(out, 0, sizeof out);
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(GROUPS * SIZE), &a));
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS), &b));
        tw_command_group *cg = tw_queue_begin(queue);
        const struct reduce all = {tw_read(cg, a), tw_discard_write(cg, b)};
        if (required)
            tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(SIZE), reduce_30, .all = all);
        else
            tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(SIZE), reduce, .in = all.in,
                                       .out = all.out);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&b));
        TW_PASS(tw_buffer_destroy(&a));
        for (int g = 0; g < GROUPS; ++g) {
            int sum = 0, least = 32767;
            for (int i = 0; i < SIZE; ++i) {
                sum += in[g * SIZE + i];
                least = in[g * SIZE + i] < least ? in[g * SIZE + i] : least;
            }
            TW_CHECK(out[g].sum == sum && out[g].count == SIZE && out[g].least == least);
        }
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 50. The first private variable is a scalar, the second a struct, of which a large group has more than the
   host keeps room for in any case; the loop between them reads neither. */
struct remember {
    int *out;
};
struct memory {
    int first;
    double second[4];
};
static inline void remember(tw_group group, const struct remember *k)
{
    TW_PRIVATE(group, int, mine);
    TW_PRIVATE(group, struct memory, more);
    TW_LOCAL(int, mixed, [256]);
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) = (int)tw_global_linear_id(item);
        tw_private(more, item).first = 2 * tw_private(mine, item);
    }
    tw_parallel_for_work_item(group, item) {
        mixed[tw_local_linear_id(item)] = -1;
    }
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) += tw_private(more, item).first;
        tw_private(more, item).second[3] = 0.5;
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_linear_id(item)] = tw_private(mine, item) + (int)(2 * tw_private(more, item).second[3]);
    }
}
TW_WORK_GROUP_KERNEL(remember);

struct remember_8_8 {
    struct remember all;
};
static inline void remember_8_8(tw_group group, const struct remember_8_8 *k)
{
    remember(group, &k->all);
}
TW_WORK_GROUP_KERNEL(remember_8_8, 8, 8);

TW_TEST(private_memory_keeps_one_value_for_each_item)
{
    static int out[4096];
    tw_queue *queue = tw_test_queue();
    for (int form = 0; form < 4; ++form) {
        tw_buffer *buffer = NULL;
        memset(out, 0xff, sizeof out);
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(4096), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        int *address = tw_discard_write(cg, buffer);
        if (form == 0)
            tw_parallel_for_work_group(cg, tw_range_1d(64), tw_range_1d(64), remember, .out = address);
        else if (form == 1)
            tw_parallel_for_work_group(cg, tw_range_1d(16), tw_range_1d(256), remember, .out = address);
        else if (form == 2)
            tw_parallel_for_work_group(cg, tw_range_2d(4, 16), tw_range_2d(8, 8), remember, .out = address);
        else
            tw_parallel_for_work_group(cg, tw_range_2d(4, 16), tw_range_2d(8, 8), remember_8_8,
                                       .all = {.out = address});
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        for (int i = 0; i < 4096; ++i)
            TW_EQUAL(out[i], 3 * i + 1);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- other ranges ------------------------------------------------------------------------------------------------ */

/* Property 51: loops over fewer items than the group has, another number in each group, none in some. */
struct uneven {
    int *out; /* 16 for each group */
};
static inline void uneven(tw_group group, const struct uneven *k)
{
    const size_t g = tw_group_id(group, 0);
    tw_parallel_for_work_item_range(group, item, tw_range_1d(g % 9)) {
        k->out[16 * g + tw_local_id(item, 0)] += (int)(100 + tw_local_range(item, 0));
    }
}
TW_WORK_GROUP_KERNEL(uneven);

TW_TEST(smaller_ranges_run_only_their_items)
{
    enum { GROUPS = 40 };
    int out[GROUPS * 16] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(GROUPS * 16), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(10), uneven, .out = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < GROUPS * 16; ++i)
        TW_EQUAL(out[i], i % 16 < i / 16 % 9 ? 100 + i / 16 % 9 : 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 52: a 2-D group of 3 x 4 works through 7 x 10 points; the twelve work-items take turns. */
struct larger {
    int *visits, *physical;
};
static inline void larger(tw_group group, const struct larger *k)
{
    TW_LOCAL(int, tile, [7][10]);
    tw_parallel_for_work_item_range(group, item, tw_range_2d(7, 10)) {
        tile[tw_local_id(item, 0)][tw_local_id(item, 1)] = (int)tw_local_linear_id(item);
    }
    tw_parallel_for_work_item_range(group, item, tw_range_2d(7, 10)) {
        const size_t place = 70 * tw_group_linear_id(group) + tw_local_linear_id(item);
        k->visits[place] += 1 + tile[6 - tw_local_id(item, 0)][9 - tw_local_id(item, 1)];
        k->physical[place] = (int)(1000 * tw_physical_local_range(item, 0) + 100 * tw_physical_local_range(item, 1)
                                   + 10 * tw_physical_local_id(item, 0) + tw_physical_local_id(item, 1));
    }
}
TW_WORK_GROUP_KERNEL(larger);

TW_TEST(larger_ranges_have_logical_and_physical_ids)
{
    int visits[6 * 70] = {0}, physical[6 * 70] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = NULL, *b = NULL;
    TW_PASS(tw_buffer_create_over(visits, sizeof *visits, tw_range_1d(420), &a));
    TW_PASS(tw_buffer_create_over(physical, sizeof *physical, tw_range_1d(420), &b));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_2d(2, 3), tw_range_2d(3, 4), larger, .visits = tw_read_write(cg, a),
                               .physical = tw_discard_write(cg, b));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    for (int i = 0; i < 420; ++i) {
        TW_EQUAL(visits[i], 1 + 69 - i % 70);
        TW_EQUAL(physical[i], 3400 + 10 * (i % 70 % 12 / 4) + i % 70 % 12 % 4);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* `break` and `continue` end the work-item, in a body that has loops of its own. */
struct leave {
    int *out;
};
static inline void leave(tw_group group, const struct leave *k)
{
    tw_parallel_for_work_item(group, item) {
        const int i = (int)tw_global_id(item, 0);
        int sum = 0;
        if (i % 5 == 0)
            continue;
        if (i % 5 == 1)
            break;
        for (int j = 0; j < 100; ++j) {
            if (j > i % 5)
                break;
            sum += j;
        }
        k->out[i] = sum;
    }
}
TW_WORK_GROUP_KERNEL(leave);

TW_TEST(break_and_continue_end_the_work_item)
{
    int out[128];
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    for (int i = 0; i < 128; ++i)
        out[i] = -1;
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(128), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(8), tw_range_1d(16), leave, .out = tw_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 128; ++i)
        TW_EQUAL(out[i], i % 5 < 2 ? -1 : i % 5 * (i % 5 + 1) / 2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

TW_TEST(no_groups_is_no_error)
{
    int out[16] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(16), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_2d(0, 4), tw_range_2d(2, 2), leave, .out = tw_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 16; ++i)
        TW_EQUAL(out[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

static tw_status launch_leave(tw_queue *queue, tw_buffer *buffer, tw_range groups, tw_range local)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, groups, local, leave, .out = tw_write(cg, buffer));
    return tw_queue_submit(queue, cg, NULL);
}

static tw_status launch_rotate_256(tw_queue *queue, tw_buffer *buffer, tw_range groups, tw_range local)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, groups, local, rotate_256, .all = {.in = TW_NULL, .out = tw_write(cg, buffer)});
    return tw_queue_submit(queue, cg, NULL);
}

TW_TEST(sizes_that_the_device_or_the_kernel_refuses)
{
    size_t most = 0;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(4096), &buffer));
    const tw_status bad_size = TW_ERROR_INVALID_WORK_GROUP_SIZE;
    TW_FAIL(launch_leave(queue, buffer, tw_range_1d(4), tw_range_1d(0)), bad_size);
    TW_FAIL(launch_leave(queue, buffer, tw_range_2d(4, 4), tw_range_2d(4, 0)), bad_size);
    TW_FAIL(launch_leave(queue, buffer, tw_range_1d(1), tw_range_1d(most + 1)), bad_size);
    TW_FAIL(launch_leave(queue, buffer, tw_range_3d(1, 1, 1), tw_range_3d(1, most, 2)), bad_size);
    TW_FAIL(launch_rotate_256(queue, buffer, tw_range_1d(1), tw_range_1d(255)), bad_size);
    TW_FAIL(launch_rotate_256(queue, buffer, tw_range_1d(1), tw_range_1d(1)), bad_size);
    TW_FAIL(launch_rotate_256(queue, buffer, tw_range_2d(1, 1), tw_range_2d(16, 16)), TW_ERROR_INVALID_KERNEL);
    TW_FAIL(launch_leave(queue, buffer, tw_range_1d(1), tw_range_2d(2, 2)), TW_ERROR_INVALID_RANGE);
    TW_FAIL(launch_leave(queue, buffer, tw_range_1d(SIZE_MAX / 2), tw_range_1d(64)), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_queue_wait(queue));
    if (most <= 4096) {
        TW_PASS(launch_leave(queue, buffer, tw_range_1d(1), tw_range_1d(most)));
        TW_PASS(tw_queue_wait(queue));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(ids_agree_in_every_dimension),
                TW_CASE(consecutive_loops_are_separated_by_a_barrier),
                TW_CASE(group_scope_runs_once_for_each_group),
                TW_CASE(local_variables_are_shared_and_survive_between_loops),
                TW_CASE(private_memory_keeps_one_value_for_each_item),
                TW_CASE(smaller_ranges_run_only_their_items),
                TW_CASE(larger_ranges_have_logical_and_physical_ids),
                TW_CASE(break_and_continue_end_the_work_item),
                TW_CASE(no_groups_is_no_error),
                TW_CASE(sizes_that_the_device_or_the_kernel_refuses),
                TW_CASES_END};
