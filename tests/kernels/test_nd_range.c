/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams) */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/** kernel.h, item.h: nd_range kernels reach exactly their indices (properties 31, 32, 33), know where they are (40,
 *  45), and the sizes that a launch refuses. Their barriers: test_barrier.c. */
#include "nd_range_test.h"

#include "mark_test.h"
#include "nd_range_other_file.h"

/* ---- where nd_range kernels do not run --------------------------------------------------------------------------- */

struct refused {
    int *out;
};
static inline void refused(tw_nd_item item, const struct refused *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_ND_RANGE_KERNEL(refused);

TW_TEST(a_group_that_the_standard_mapping_cannot_run_is_refused)
{
    int out[8];
    tw_queue *queue = nd_queue();
    if (queue) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    tw_buffer *buffer = NULL;
    tw_event *event = NULL;
    queue = tw_test_queue();
    TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(8), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(2), tw_range_1d(4)), refused,
                             .out = tw_discard_write(cg, buffer));
    const bool on_gpu = tw_device_is_gpu(tw_queue_device(queue)); /* which counts whole warps */
    if (on_gpu) {
        TW_FAIL(tw_queue_submit(queue, cg, &event), TW_ERROR_UNSUPPORTED);
    } else {
        TW_PASS(tw_queue_submit(queue, cg, &event));
        TW_FAIL(tw_event_wait(event), TW_ERROR_UNSUPPORTED);
    }
    TW_CHECK(strstr(tw_error_detail(), "refused") && strstr(tw_error_detail(), "LOWERING simt"));
    tw_event_release(&event);
    const tw_status lost = tw_buffer_destroy(&buffer), reported = tw_queue_destroy(&queue);
    TW_EQUAL(lost, on_gpu ? TW_SUCCESS : TW_ERROR_DATA_LOST);
    TW_EQUAL(reported, on_gpu ? TW_SUCCESS : TW_ERROR_UNSUPPORTED);
}

/* ---- which indices are reached (properties 31 and 32) ------------------------------------------------------------ */

static inline void mark(tw_nd_item item, const struct mark *k)
{
    mark_at(k, tw_get_global_id(item), tw_global_id(item, 0));
}
TW_ND_RANGE_KERNEL(mark);

/* The same, with a size that is known to the compiler. */
#define REQUIRED(name, of, ...)                                                                                        \
    struct name {                                                                                                      \
        struct of all;                                                                                                 \
    };                                                                                                                 \
    static inline void name(tw_nd_item item, const struct name *k)                                                     \
    {                                                                                                                  \
        of(item, &k->all);                                                                                             \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(name, __VA_ARGS__);
REQUIRED(mark_11, mark, 11)
REQUIRED(mark_3_8, mark, 3, 8)
REQUIRED(mark_2_4_5, mark, 2, 4, 5)

static bool is_size(tw_range range, size_t n0, size_t n1, size_t n2)
{
    return range.size[0] == n0 && range.size[1] == n1 && range.size[2] == n2;
}

/* Launches mark in a 3-D array that stays CANARY elsewhere; with a required size too, where there is a kernel for
   it. */
static void check_launch(tw_queue *queue, tw_nd_range range, bool required)
{
    tw_buffer *buffer = cells_buffer();
    tw_command_group *cg = tw_queue_begin(queue);
    const struct mark args = {tw_read_write(cg, buffer), EXTENT, EXTENT};
    if (!required)
        tw_parallel_for_nd_range(cg, range, mark, .out = args.out, .rows = EXTENT, .columns = EXTENT);
    else if (is_size(range.local, 11, 1, 1))
        tw_parallel_for_nd_range(cg, range, mark_11, .all = args);
    else if (is_size(range.local, 3, 8, 1))
        tw_parallel_for_nd_range(cg, range, mark_3_8, .all = args);
    else
        tw_parallel_for_nd_range(cg, range, mark_2_4_5, .all = args);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    expect_marks(buffer, range.global, range.offset);
}

TW_TEST(ranges_and_offsets_reach_exactly_their_indices)
{
    const struct {
        tw_range groups, local;
        tw_id offset;
        bool required; /* there is a kernel for this size */
    } cases[] = {{tw_range_1d(1), tw_range_1d(1), tw_id_1d(0), false},
                 {tw_range_1d(44), tw_range_1d(1), tw_id_1d(0), false},
                 {tw_range_1d(1), tw_range_1d(44), tw_id_1d(0), false},
                 {tw_range_1d(3), tw_range_1d(11), tw_id_1d(10), true},
                 {tw_range_2d(1, 1), tw_range_2d(44, 22), tw_id_2d(0, 22), false},
                 {tw_range_2d(5, 4), tw_range_2d(3, 8), tw_id_2d(0, 0), true},
                 {tw_range_2d(7, 3), tw_range_2d(3, 8), tw_id_2d(23, 19), true},
                 {tw_range_2d(44, 1), tw_range_2d(1, 13), tw_id_2d(0, 31), false},
                 {tw_range_3d(1, 1, 1), tw_range_3d(1, 1, 1), tw_id_3d(9, 8, 7), false},
                 {tw_range_3d(4, 3, 2), tw_range_3d(2, 4, 5), tw_id_3d(0, 0, 0), true},
                 {tw_range_3d(5, 2, 7), tw_range_3d(2, 4, 5), tw_id_3d(33, 31, 8), true},
                 {tw_range_3d(22, 44, 4), tw_range_3d(2, 1, 11), tw_id_3d(0, 0, 0), false},
                 {tw_range_3d(3, 1, 2), tw_range_3d(7, 9, 10), tw_id_3d(20, 35, 3), false}};
    ND_BEGIN(queue);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const tw_nd_range range =
            tw_nd_range_make_offset(tw_range_mul(cases[i].groups, cases[i].local), cases[i].local, cases[i].offset);
        check_launch(queue, range, false);
        if (cases[i].required)
            check_launch(queue, range, true);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(ranges_without_work_items_do_not_run)
{
    ND_BEGIN(queue);
    check_launch(queue, tw_nd_range_make(tw_range_1d(0), tw_range_1d(11)), false);
    check_launch(queue, tw_nd_range_make(tw_range_1d(0), tw_range_1d(11)), true);
    check_launch(queue, tw_nd_range_make(tw_range_2d(3, 0), tw_range_2d(3, 8)), false);
    check_launch(queue, tw_nd_range_make(tw_range_3d(0, SIZE_MAX - 3, 5), tw_range_3d(2, 4, 5)), false);
    check_launch(queue, tw_nd_range_make_offset(tw_range_3d(2, 0, 5), tw_range_3d(2, 4, 5), tw_id_3d(1, 2, 3)), true);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what an item knows (properties 40 and 45) ------------------------------------------------------------------- */

enum { FACTS = 23 };

struct describe {
    size_t *out; /* FACTS for each work-item */
};
static inline void describe(tw_nd_item item, const struct describe *k)
{
    size_t *out = k->out + FACTS * tw_global_linear_id(item);
    const tw_group group = tw_get_group(item);
    const tw_nd_range range = tw_get_nd_range(item), same = tw_get_nd_range(group);
    const unsigned dims = range.global.dims;
    bool agree = tw_range_equal(range.global, same.global) && tw_range_equal(range.local, same.local)
                 && tw_id_equal(range.offset, same.offset) && tw_id_equal(range.offset, tw_get_global_offset(item))
                 && tw_range_equal(tw_get_group_range(item), tw_nd_range_group_range(range))
                 && tw_range_equal(tw_get_group_range(group), tw_get_group_range(item))
                 && tw_range_equal(tw_get_local_range(group), tw_get_local_range(item))
                 && tw_range_equal(tw_get_global_range(group), tw_get_global_range(item))
                 && tw_id_equal(tw_get_group_id(group), tw_get_group_id(item))
                 && tw_group_linear_id(group) == tw_group_linear_id(item)
                 && tw_group_linear_range(group) == tw_group_linear_range(item)
                 && tw_local_linear_range(group) == tw_local_linear_range(item)
                 && tw_group_linear_range(item) == tw_range_count(tw_get_group_range(item))
                 && tw_local_linear_range(item) == tw_range_count(range.local);
    for (unsigned d = 0; d < 3; ++d) {
        const bool used = d < dims;
        out[d] = used ? tw_local_id(item, d) : 0;
        out[3 + d] = used ? tw_group_id(item, d) : 0;
        out[6 + d] = used ? tw_global_id(item, d) : 0;
        out[9 + d] = used ? tw_global_range(item, d) : 1;
        out[12 + d] = used ? tw_local_range(item, d) : 1;
        out[15 + d] = used ? tw_global_offset(item, d) : 0;
        agree = agree && tw_group_id(group, d) == tw_get_group_id(item).at[d] && tw_get_local_id(item).at[d] == out[d]
                && tw_get_global_id(item).at[d] == out[6 + d] && range.global.size[d] == out[9 + d]
                && range.local.size[d] == out[12 + d] && range.offset.at[d] == out[15 + d]
                && tw_global_range(group, d) == out[9 + d] && tw_local_range(group, d) == out[12 + d]
                && tw_group_range(group, d) == tw_group_range(item, d)
                && tw_group_range(item, d) * tw_local_range(item, d) == tw_global_range(item, d);
    }
    out[18] = tw_local_linear_id(item);
    out[19] = tw_group_linear_id(item);
    out[20] = tw_global_linear_id(item);
    out[21] = dims;
    out[22] = agree;
}
TW_ND_RANGE_KERNEL(describe);

REQUIRED(describe_30, describe, 30)
REQUIRED(describe_4_8, describe, 4, 8)
REQUIRED(describe_3_2_5, describe, 3, 2, 5)

static void check_facts(const size_t *got, size_t linear, tw_nd_range range)
{
    const tw_range global = range.global, local = range.local, groups = tw_nd_range_group_range(range);
    const size_t at[3] = {linear / global.size[2] / global.size[1], linear / global.size[2] % global.size[1],
                          linear % global.size[2]};
    size_t l[3], g[3];
    for (unsigned d = 0; d < 3; ++d) {
        l[d] = at[d] % local.size[d];
        g[d] = at[d] / local.size[d];
        TW_EQUAL(got[d], l[d]);
        TW_EQUAL(got[3 + d], g[d]);
        TW_EQUAL(got[6 + d], at[d] + range.offset.at[d]);
        TW_EQUAL(got[9 + d], global.size[d]);
        TW_EQUAL(got[12 + d], local.size[d]);
        TW_EQUAL(got[15 + d], range.offset.at[d]);
    }
    TW_EQUAL(got[18], (l[0] * local.size[1] + l[1]) * local.size[2] + l[2]);
    TW_EQUAL(got[19], (g[0] * groups.size[1] + g[1]) * groups.size[2] + g[2]);
    TW_EQUAL(got[20], linear);
    TW_EQUAL(got[21], global.dims);
    TW_EQUAL(got[22], 1);
}

/* required: which kernel with a compile-time size, 0 for the one without. */
static void check_describe(tw_queue *queue, tw_nd_range range, unsigned required)
{
    static size_t out[FACTS * 3000];
    const size_t count = tw_range_count(range.global);
    tw_buffer *buffer = NULL;
    TW_CHECK(count <= 3000);
    memset(out, 0xff, sizeof out);
    TW_PASS(tw_buffer_create_over(out, FACTS * sizeof *out, tw_range_1d(count), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    const struct describe all = {tw_discard_write(cg, buffer)};
    if (required == 0)
        tw_parallel_for_nd_range(cg, range, describe, .out = all.out);
    else if (required == 1)
        tw_parallel_for_nd_range(cg, range, describe_30, .all = all);
    else if (required == 2)
        tw_parallel_for_nd_range(cg, range, describe_4_8, .all = all);
    else
        tw_parallel_for_nd_range(cg, range, describe_3_2_5, .all = all);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t linear = 0; linear < count; ++linear)
        check_facts(out + FACTS * linear, linear, range);
}

TW_TEST(ids_agree_in_every_dimension)
{
    const tw_nd_range one = nd_groups(tw_range_1d(17), tw_range_1d(30));
    const tw_nd_range two =
        tw_nd_range_make_offset(tw_range_2d(5 * 4, 7 * 8), tw_range_2d(4, 8), tw_id_2d(100, 1000000007));
    const tw_nd_range three =
        tw_nd_range_make_offset(tw_range_3d(2 * 3, 3 * 2, 4 * 5), tw_range_3d(3, 2, 5), tw_id_3d(0, 7, 9));
    ND_BEGIN(queue);
    check_describe(queue, nd_groups(tw_range_1d(1), tw_range_1d(1)), 0);
    check_describe(queue, one, 0);
    check_describe(queue, one, 1);
    check_describe(queue, tw_nd_range_make_offset(one.global, one.local, tw_id_1d((size_t)1 << 40)), 0);
    check_describe(queue, tw_nd_range_make_offset(one.global, one.local, tw_id_1d((size_t)1 << 40)), 1);
    check_describe(queue, two, 0);
    check_describe(queue, two, 2);
    check_describe(queue, nd_groups(tw_range_2d(3, 2), tw_range_2d(1, 33)), 0);
    check_describe(queue, three, 0);
    check_describe(queue, three, 3);
    check_describe(queue, nd_groups(tw_range_3d(4, 1, 1), tw_range_3d(1, 1, 7)), 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- sub-groups -------------------------------------------------------------------------------------------------- */

struct sub_groups {
    size_t *out; /* 5 for each work-item */
};
static inline void sub_groups(tw_nd_item item, const struct sub_groups *k)
{
    const tw_sub_group mine = tw_get_sub_group(item);
    size_t *out = k->out + 5 * tw_global_linear_id(item);
    out[0] = tw_sub_group_local_id(mine);
    out[1] = tw_sub_group_local_range(mine);
    out[2] = tw_sub_group_max_local_range(mine);
    out[3] = tw_sub_group_id(mine);
    out[4] = tw_sub_group_range(mine);
}
TW_ND_RANGE_KERNEL(sub_groups);

static void check_sub_groups(tw_queue *queue, tw_range local, size_t width)
{
    enum { GROUPS = 3 };
    static size_t out[5 * GROUPS * 100];
    const size_t items = tw_range_count(local);
    tw_range global = local;
    tw_buffer *buffer = NULL;
    TW_CHECK(items <= 100);
    global.size[0] *= GROUPS;
    memset(out, 0xff, sizeof out);
    TW_PASS(tw_buffer_create_over(out, 5 * sizeof *out, tw_range_1d(GROUPS * items), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(global, local), sub_groups, .out = tw_discard_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    /* groups divide the first dimension only, so each has a stretch of the linear ids */
    for (size_t i = 0; i < GROUPS * items; ++i) {
        const size_t linear = i % items, id = linear / width, *got = out + 5 * i;
        TW_EQUAL(got[0], linear % width);
        TW_EQUAL(got[1], items - id * width < width ? items - id * width : width);
        TW_EQUAL(got[2], width);
        TW_EQUAL(got[3], id);
        TW_EQUAL(got[4], (items + width - 1) / width);
    }
}

TW_TEST(sub_groups_divide_a_group_by_linear_ids)
{
    size_t width = 0, most = 0, count = 0;
    ND_BEGIN(queue);
    tw_device *device = tw_queue_device(queue);
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_SUB_GROUP_SIZE, &width, sizeof width));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    TW_PASS(tw_device_info(device, TW_DEVICE_INFO_MAX_NUM_SUB_GROUPS, &count, sizeof count));
    TW_EQUAL(count, most / width);
    TW_CHECK(tw_device_is_gpu(device) ? width == 32 || width == 64 : width == 1);
    check_sub_groups(queue, tw_range_1d(1), width);
    check_sub_groups(queue, tw_range_1d(31), width);
    check_sub_groups(queue, tw_range_1d(32), width);
    check_sub_groups(queue, tw_range_1d(33), width);
    check_sub_groups(queue, tw_range_2d(4, 25), width);
    check_sub_groups(queue, tw_range_3d(3, 3, 11), width);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- how many, how large ----------------------------------------------------------------------------------------- */

struct add_two {
    int *x;
};
static inline void add_two(tw_nd_item item, const struct add_two *k)
{
    k->x[tw_global_id(item, 0)] += 2;
}
TW_ND_RANGE_KERNEL(add_two);
REQUIRED(add_two_256, add_two, 256)

/* cbs no_barriers and simple_kernel: 2 258 514 770 at the start of each group. And groups of every kind. */
TW_TEST(kernels_without_barriers)
{
    enum { COUNT = 100000 };
    static int x[COUNT];
    const size_t sizes[] = {256, 256, 1, 7, 1000};
    ND_BEGIN(queue);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const size_t local = sizes[s] <= nd_largest_group(queue) ? sizes[s] : 500;
        const size_t count = s < 2 ? 1024 : COUNT / local * local;
        tw_buffer *buffer = NULL;
        for (int i = 0; i < COUNT; ++i)
            x[i] = i;
        TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(count), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        const struct add_two all = {tw_read_write(cg, buffer)};
        const tw_nd_range range = tw_nd_range_make(tw_range_1d(count), tw_range_1d(local));
        if (s == 1)
            tw_parallel_for_nd_range(cg, range, add_two_256, .all = all);
        else
            tw_parallel_for_nd_range(cg, range, add_two, .x = all.x);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_CHECK(x[0] == 2 && x[256] == 258 && x[512] == 514 && x[768] == 770);
        for (int i = 0; i < COUNT; ++i)
            TW_EQUAL(x[i], (size_t)i < count ? i + 2 : i);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_kernel_of_another_file)
{
    enum { GROUPS = 10, SIZE = 37 };
    int x[GROUPS * SIZE];
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    for (int i = 0; i < GROUPS * SIZE; ++i)
        x[i] = i;
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(GROUPS * SIZE), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(GROUPS), tw_range_1d(SIZE)), reverse_groups,
                             .x = tw_read_write(cg, buffer), .part = tw_local(cg, SIZE * sizeof(int)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < GROUPS * SIZE; ++i)
        TW_EQUAL(x[i], i / SIZE * SIZE + SIZE - 1 - i % SIZE);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- argument blocks (property 33) ------------------------------------------------------------------------------- */

/* Blocks that travel as 8 words, as 32, in device memory, and one that is larger than the stacks of work-items. */
#define TABLE_KERNEL(words)                                                                                            \
    struct table_##words {                                                                                             \
        unsigned char first;                                                                                           \
        unsigned table[words];                                                                                         \
        unsigned *out;                                                                                                 \
        short last;                                                                                                    \
    };                                                                                                                 \
    static inline void table_##words(tw_nd_item item, const struct table_##words *k)                                   \
    {                                                                                                                  \
        TW_LOCAL(unsigned, place, [64]);                                                                               \
        place[tw_local_id(item, 0)] = k->table[tw_global_id(item, 0) % (words)];                                       \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        k->out[tw_global_id(item, 0)] = place[63 - tw_local_id(item, 0)] + k->first + (unsigned)k->last;               \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(table_##words, 64);                                                                             \
                                                                                                                       \
    static void check_table_##words(tw_queue *queue)                                                                   \
    {                                                                                                                  \
        static struct table_##words block;                                                                             \
        unsigned out[256];                                                                                             \
        tw_buffer *buffer = NULL;                                                                                      \
        for (unsigned i = 0; i < (words); ++i)                                                                         \
            block.table[i] = 1000 * i + 7;                                                                             \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(256), &buffer));                                   \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        block.first = 200;                                                                                             \
        block.last = 30000;                                                                                            \
        block.out = tw_discard_write(cg, buffer);                                                                      \
        tw_parallel_for_nd_range_kernel(cg, nd_groups(tw_range_1d(4), tw_range_1d(64)),                                \
                                        &table_##words##_kernel.nd_range_kernel, &block, sizeof block);                \
        memset(&block, 0xee, sizeof block); /* it has been copied */                                                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_buffer_destroy(&buffer));                                                                           \
        for (unsigned i = 0; i < 256; ++i)                                                                             \
            TW_EQUAL(out[i], 1000 * ((i / 64 * 64 + 63 - i % 64) % (words)) + 7 + 30200);                              \
    }
TABLE_KERNEL(8)
TABLE_KERNEL(50)
TABLE_KERNEL(500)
TABLE_KERNEL(50000)

TW_TEST(blocks_of_any_size)
{
    ND_BEGIN(queue);
    check_table_8(queue);
    check_table_50(queue);
    check_table_500(queue);
    check_table_50000(queue);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- what a launch refuses --------------------------------------------------------------------------------------- */

static tw_status launch_add_two(tw_queue *queue, tw_buffer *buffer, tw_nd_range range)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, range, add_two, .x = tw_read_write(cg, buffer));
    return tw_queue_submit(queue, cg, NULL);
}

static tw_status launch_add_two_256(tw_queue *queue, tw_buffer *buffer, tw_nd_range range)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, range, add_two_256, .all.x = tw_read_write(cg, buffer));
    return tw_queue_submit(queue, cg, NULL);
}

/* Fails the case unless the launch is refused, and the detail names each of the words. */
static void check_refused(tw_queue *queue, tw_buffer *buffer, tw_nd_range range, tw_status expected, const char *word,
                          const char *other)
{
    TW_FAIL(launch_add_two(queue, buffer, range), expected);
    if (!strstr(tw_error_detail(), word) || !strstr(tw_error_detail(), other)) {
        fprintf(stderr, "detail: %s\n", tw_error_detail());
        TW_CHECK(!"the detail names the values");
    }
}

TW_TEST(sizes_that_do_not_divide_or_do_not_fit)
{
    const tw_status bad = TW_ERROR_INVALID_WORK_GROUP_SIZE;
    char most_text[32];
    size_t most = 0;
    int x[64] = {0};
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    snprintf(most_text, sizeof most_text, "%zu", most);
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(64), &buffer));
    check_refused(queue, buffer, tw_nd_range_make(tw_range_1d(65), tw_range_1d(16)), bad, "65", "16");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_1d(8), tw_range_1d(16)), bad, "8", "16");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_2d(9, 10), tw_range_2d(3, 4)), bad, "10", "4");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_3d(7, 4, 4), tw_range_3d(2, 2, 2)), bad, "7", "2");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_3d(4, 4, 5), tw_range_3d(2, 2, 3)), bad, "5", "3");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_1d(16), tw_range_1d(0)), bad, "empty", "");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_1d(0), tw_range_1d(0)), bad, "empty", "");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_2d(8, 8), tw_range_2d(8, 0)), bad, "empty", "1");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_1d(most + 1), tw_range_1d(most + 1)), bad, most_text, "");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_2d(2, most), tw_range_2d(2, most)), bad, most_text, "");
    check_refused(queue, buffer, tw_nd_range_make(tw_range_2d(6, 2), tw_range_2d(20000, 20000)), bad, "20000", "6");
    /* what the definition requires */
    TW_FAIL(launch_add_two_256(queue, buffer, nd_groups(tw_range_1d(1), tw_range_1d(64))), bad);
    TW_CHECK(strstr(tw_error_detail(), "256") && strstr(tw_error_detail(), "64"));
    TW_FAIL(launch_add_two_256(queue, buffer, nd_groups(tw_range_2d(1, 1), tw_range_2d(16, 16))),
            TW_ERROR_INVALID_KERNEL);
    /* nothing ran, and the queue goes on */
    TW_PASS(launch_add_two(queue, buffer, nd_groups(tw_range_1d(4), tw_range_1d(16))));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 64; ++i)
        TW_EQUAL(x[i], 2);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(ranges_that_are_none)
{
    const tw_status bad = TW_ERROR_INVALID_RANGE;
    const tw_range none = {{1, 1, 1}, 0}, four = {{1, 1, 1}, 4};
    const tw_id no_id = {{0, 0, 0}, 0};
    int x[64] = {0};
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(64), &buffer));
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make(tw_range_1d(4), tw_range_2d(2, 2))), bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make(tw_range_3d(4, 4, 4), tw_range_2d(2, 2))), bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make(none, tw_range_1d(1))), bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make(tw_range_1d(1), none)), bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make(four, four)), bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make_offset(tw_range_1d(4), tw_range_1d(2), tw_id_2d(1, 1))),
            bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make_offset(tw_range_2d(4, 4), tw_range_2d(2, 2), no_id)), bad);
    TW_FAIL(launch_add_two(queue, buffer, tw_nd_range_make(tw_range_2d(SIZE_MAX, 16), tw_range_2d(1, 1))), bad);
    TW_CHECK(strstr(tw_error_detail(), "18446744073709551615 x 16"));
    TW_FAIL(
        launch_add_two(queue, buffer, tw_nd_range_make_offset(tw_range_1d(4), tw_range_1d(2), tw_id_1d(SIZE_MAX - 2))),
        bad);
    TW_CHECK(strstr(tw_error_detail(), "offset"));
    TW_FAIL(launch_add_two(queue, buffer,
                           tw_nd_range_make_offset(tw_range_2d(4, 4), tw_range_2d(2, 2), tw_id_2d(0, SIZE_MAX))),
            bad);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 64; ++i)
        TW_EQUAL(x[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_group_has_one_kernel)
{
    int x[4] = {0};
    tw_buffer *buffer = NULL;
    ND_BEGIN(queue);
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(4), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    int *address = tw_read_write(cg, buffer);
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(2), tw_range_1d(2)), add_two, .x = address);
    TW_PASS(tw_command_group_status(cg));
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(2), tw_range_1d(2)), add_two, .x = address);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    /* and none is out of memory */
    tw_parallel_for_nd_range(NULL, nd_groups(tw_range_1d(2), tw_range_1d(2)), add_two, .x = NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < 4; ++i)
        TW_EQUAL(x[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(a_group_that_the_standard_mapping_cannot_run_is_refused),
                TW_CASE(ranges_and_offsets_reach_exactly_their_indices),
                TW_CASE(ranges_without_work_items_do_not_run),
                TW_CASE(ids_agree_in_every_dimension),
                TW_CASE(sub_groups_divide_a_group_by_linear_ids),
                TW_CASE(kernels_without_barriers),
                TW_CASE(a_kernel_of_another_file),
                TW_CASE(blocks_of_any_size),
                TW_CASE(sizes_that_do_not_divide_or_do_not_fit),
                TW_CASE(ranges_that_are_none),
                TW_CASE(a_group_has_one_kernel),
                TW_CASES_END};
