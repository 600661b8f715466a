/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams), long */
/** TW_SPECIALIZE (kernel_definition.h): kernels of all forms that are compiled for values of members of their block. */
#include "tw_test.h"

#define FIVE (2 + 3)
enum { N = 64 };

/* Whether a value is a constant in the code of a kernel. Without optimization the compiler does not look that far, and the
   checks of the sanitizers keep the block in memory. */
#if !defined(__OPTIMIZE__) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { CONSTANTS_SHOW = 0 };
#else
enum { CONSTANTS_SHOW = 1 };
#endif
#define IS_CONSTANT(x) (CONSTANTS_SHOW && __builtin_constant_p(x))

enum look_mode { PLAIN, ROUGH, FINE = 9 };

struct look {
    int *out; /* N: what each work-item sees */
    int width;
    unsigned char small;
    bool flip;
    enum look_mode mode;
};

/* What a kernel sees of its block: the lowest digit is 1 if the width is a constant in its code, 2 if the mode is. */
static inline int seen(const struct look *k)
{
    const int constants = IS_CONSTANT(k->width) + 2 * IS_CONSTANT(k->mode);
    return 1000 * k->width + 100 * (int)k->mode + 10 * k->flip + constants;
}

static int expected(int width, enum look_mode mode, bool flip, int constants)
{
    return 1000 * width + 100 * (int)mode + 10 * flip + CONSTANTS_SHOW * constants;
}

static inline void look_range(tw_item item, const struct look *k)
{
    k->out[tw_global_id(item, 0)] = seen(k);
}
TW_RANGE_KERNEL(TW_SPECIALIZE(width, 3, FIVE, (-7)) TW_BLOCK(look) look_range, 1);
TW_RANGE_KERNEL(static TW_FUNCTION(look_range) TW_BLOCK(look) TW_SPECIALIZE(mode, ROUGH, FINE) look_mode);

static inline void look_task(const struct look *k)
{
    for (int i = 0; i < N; ++i)
        k->out[i] = seen(k);
}
TW_SINGLE_TASK(TW_BLOCK(look) TW_SPECIALIZE(width, 3, 5, -7) static look_task);

static inline void look_group(tw_group group, const struct look *k)
{
    const int what = seen(k); /* not in the loop: in the standard mapping its threads have only the block's address */
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = what;
    }
}
TW_WORK_GROUP_KERNEL(TW_SPECIALIZE(width, 3, 5, -7) TW_BLOCK(look) static look_group, 16);

static inline void look_items(tw_nd_item item, const struct look *k)
{
    TW_LOCAL(int, copy, [N]);
    copy[tw_local_id(item, 0)] = seen(k);
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_id(item, 0)] = copy[tw_local_range(item, 0) - 1 - tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(static TW_SPECIALIZE(width, 3, 5, -7) TW_BLOCK(look) look_items);

static bool is_listed(int width)
{
    return width == 3 || width == 5 || width == -7;
}

/* Runs a launch that was recorded, and checks what it stored. The standard mapping may refuse nd_range kernels. */
static void expect_seen(tw_queue *queue, tw_command_group *cg, tw_buffer *out, int what)
{
    tw_event *event = NULL;
    int got[N];
    TW_PASS(tw_queue_submit(queue, cg, &event));
    const tw_status status = tw_event_wait(event);
    tw_event_release(&event);
    if (status == TW_ERROR_UNSUPPORTED) {
        (void)tw_queue_wait_and_throw(queue);
        return;
    }
    TW_PASS(status);
    tw_test_fetch(out, got);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(got[i], what);
}

TW_TEST(the_code_for_the_value_is_launched)
{
    static const int widths[] = {3, 5, -7, 0, 4};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        const int width = widths[i], what = expected(width, PLAIN, true, is_listed(width) ? 1 : 0);
        tw_buffer *out = tw_test_ints(N, 0);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), look_range, .out = tw_write(cg, out), .width = width, .flip = true);
        expect_seen(queue, cg, out, what);
        cg = tw_queue_begin(queue);
        tw_single_task(cg, look_task, .out = tw_discard_write(cg, out), .width = width, .flip = true);
        expect_seen(queue, cg, out, what);
        cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(N / 16), tw_range_1d(16), look_group,
                                   .out = tw_discard_write(cg, out), .width = width, .flip = true);
        expect_seen(queue, cg, out, what);
        cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(32)), look_items,
                                 .out = tw_discard_write(cg, out), .width = width, .flip = true);
        expect_seen(queue, cg, out, what);
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(enumerations_have_variants)
{
    static const enum look_mode modes[] = {PLAIN, ROUGH, FINE};
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < 3; ++i) {
        tw_buffer *out = tw_test_ints(N, 0);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_2d(N, 1), look_mode, .out = tw_write(cg, out), .mode = modes[i]);
        expect_seen(queue, cg, out, expected(0, modes[i], false, 2 * (modes[i] != PLAIN)));
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- two members, and sizes of groups ---------------------------------------------------------------------------- */

struct pairs {
    int *out;
    bool flip;
    unsigned char small;
};

/* Which of the members are constants, and the size of the group. */
static inline void pairs(tw_nd_item item, const struct pairs *k)
{
    const size_t local = tw_local_range(item, 0);
    const int constants = IS_CONSTANT(k->flip) + 2 * IS_CONSTANT(k->small) + 4 * IS_CONSTANT(local);
    k->out[tw_global_id(item, 0)] = constants + 10 * k->flip + 100 * k->small;
}
TW_ND_RANGE_KERNEL_SIZES(TW_SPECIALIZE((flip, small), (false, 4), (true, 4), (true, 255)) pairs, 32, TW_ANY_SIZE);

TW_TEST(a_pair_of_values_and_a_size_choose_the_code)
{
    tw_queue *queue = tw_test_queue();
    static const unsigned char smalls[] = {4, 5, 255};
    for (int i = 0; i < 12; ++i) {
        const bool flip = i & 1, is_sized = i & 2;
        const unsigned char small = smalls[i / 4];
        const bool is_listed_pair = small == 4 || (flip && small == 255);
        tw_buffer *out = tw_test_ints(N, 0);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(is_sized ? 32 : 64)), pairs,
                                 .out = tw_write(cg, out), .flip = flip, .small = small);
        const int constants = (is_listed_pair ? 3 : 0) + (is_sized ? 4 : 0);
        expect_seen(queue, cg, out, CONSTANTS_SHOW * constants + 10 * flip + 100 * small);
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- blocks that are not arguments of the kernel ----------------------------------------------------------------- */

struct table {
    int *out;
    int at[100]; /* so the block is larger than what kernels have as arguments */
    int count;
};

static inline void sum_table(tw_item item, const struct table *k)
{
    int sum = 0;
    for (int i = 0; i < k->count; ++i)
        sum += k->at[i];
    k->out[tw_global_id(item, 0)] = sum;
}
TW_RANGE_KERNEL(TW_SPECIALIZE(count, 2, 100) TW_BLOCK(table) sum_table, 1);

static inline void sum_table_items(tw_nd_item item, const struct table *k)
{
    int sum = 0;
    for (int i = 0; i < k->count; ++i)
        sum += k->at[i];
    k->out[tw_global_id(item, 0)] = sum;
    tw_barrier(item, TW_GLOBAL_SPACE);
}
TW_ND_RANGE_KERNEL(TW_SPECIALIZE(count, 2, 100) TW_BLOCK(table) sum_table_items);

TW_TEST(large_blocks_have_variants)
{
    static const int counts[] = {0, 2, 50, 100};
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < 4; ++i) {
        tw_buffer *out = tw_test_ints(N, 0);
        struct table block = {.count = counts[i]};
        for (int j = 0; j < 100; ++j)
            block.at[j] = j + 1;
        for (int form = 0; form < 2; ++form) {
            tw_command_group *cg = tw_queue_begin(queue);
            block.out = tw_discard_write(cg, out);
            if (form == 0)
                tw_parallel_for_kernel(cg, tw_range_1d(N), TW_KERNEL(sum_table), &block, sizeof block);
            else
                tw_parallel_for_nd_range_kernel(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(32)),
                                                TW_KERNEL(sum_table_items), &block, sizeof block);
            expect_seen(queue, cg, out, counts[i] * (counts[i] + 1) / 2);
        }
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- kernels that reduce ----------------------------------------------------------------------------------------- */

struct total_mask {
    int sizes[2];
};
struct total {
    struct total_mask mask;
    TW_REDUCTION(int, TW_SUM) sum;
};

static inline void total_range(tw_item item, const struct total *k)
{
    (void)item;
    tw_combine(k->sum, 10 * k->mask.sizes[1] + IS_CONSTANT(k->mask.sizes[1]));
}
TW_RANGE_REDUCTION(TW_SPECIALIZE(mask.sizes[1], 3, 5) TW_BLOCK(total) total_range, 1, sum);

static inline void total_groups(tw_group group, const struct total *k)
{
    const int what = 10 * k->mask.sizes[1] + IS_CONSTANT(k->mask.sizes[1]);
    tw_parallel_for_work_item(group, item) {
        tw_combine(k->sum, what);
    }
}
TW_WORK_GROUP_REDUCTION(TW_SPECIALIZE(mask.sizes[1], 3, 5) TW_BLOCK(total) total_groups, (16), sum);

static inline void total_items(tw_nd_item item, const struct total *k)
{
    (void)item;
    tw_combine(k->sum, 10 * k->mask.sizes[1] + IS_CONSTANT(k->mask.sizes[1]));
}
TW_ND_RANGE_REDUCTION(TW_SPECIALIZE(mask.sizes[1], 3, 5) TW_BLOCK(total) total_items, (), sum);

TW_TEST(reductions_have_variants)
{
    tw_queue *queue = tw_test_queue();
    for (int width = 3; width < 6; ++width)
        for (int form = 0; form < 3; ++form) {
            tw_buffer *sum = tw_test_ints(1, 7);
            tw_event *event = NULL;
            tw_command_group *cg = tw_queue_begin(queue);
            const struct total block = {.mask = {{0, width}}, .sum = TW_REDUCE(cg, sum)};
            const tw_nd_range range = tw_nd_range_make(tw_range_1d(N), tw_range_1d(32));
            if (form == 0)
                tw_parallel_for_kernel(cg, tw_range_1d(N), TW_KERNEL(total_range), &block, sizeof block);
            else if (form == 1)
                tw_parallel_for_work_group_kernel(cg, tw_range_1d(N / 16), tw_range_1d(16), TW_KERNEL(total_groups),
                                                  &block, sizeof block);
            else
                tw_parallel_for_nd_range_kernel(cg, range, TW_KERNEL(total_items), &block, sizeof block);
            TW_PASS(tw_queue_submit(queue, cg, &event));
            if (tw_event_wait(event) == TW_SUCCESS)
                tw_test_expect_ints(sum, 7 + N * (10 * width + (width == 4 ? 0 : CONSTANTS_SHOW)));
            else
                TW_EQUAL(form, 2); /* the standard mapping on a CPU has no nd_range kernels */
            tw_event_release(&event);
            (void)tw_queue_wait_and_throw(queue);
            TW_PASS(tw_buffer_destroy(&sum));
        }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- kernels as objects ------------------------------------------------------------------------------------------ */

TW_TEST(a_kernel_lists_its_variants)
{
    static const char *const values[] = {"", "flip = 0, small = 4", "flip = 1, small = 4", "flip = 1, small = 255"};
    const tw_kernel *all[9];
    size_t count = 0;
    TW_PASS(tw_kernel_get_variants(TW_KERNEL(pairs), NULL, 0, &count));
    TW_EQUAL(count, 8);
    TW_PASS(tw_kernel_get_variants(TW_KERNEL(pairs), all, 9, &count));
    TW_CHECK(all[0] == TW_KERNEL(pairs));
    for (int i = 0; i < 8; ++i) {
        const char *text = NULL;
        tw_range size;
        TW_PASS(tw_kernel_info(all[i], NULL, TW_KERNEL_INFO_VALUES, &text, sizeof text));
        TW_CHECK(strcmp(text, values[i % 4]) == 0);
        TW_PASS(tw_kernel_info(all[i], NULL, TW_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, &size, sizeof size));
        TW_EQUAL(size.dims, i < 4);
    }
    TW_PASS(tw_kernel_load(TW_KERNEL(look_range), tw_test_device(0)));
    TW_PASS(tw_kernel_get_variants(TW_KERNEL(look_range), all, 1, &count));
    TW_EQUAL(count, 4);
    TW_FAIL(tw_kernel_get_variants(NULL, all, 9, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_variants(TW_KERNEL(pairs), NULL, 9, &count), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_kernel_get_variants(TW_KERNEL(pairs), all, 9, NULL), TW_ERROR_INVALID_ARGUMENT);
}

TW_TEST(a_variant_is_launched_with_its_values_alone)
{
    const tw_kernel *all[4];
    size_t count = 0;
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 0);
    TW_PASS(tw_kernel_get_variants(TW_KERNEL(look_range), all, 4, &count));
    for (int width = 3; width < 5; ++width) {
        tw_command_group *cg = tw_queue_begin(queue);
        const struct look block = {.out = tw_write(cg, out), .width = width};
        tw_parallel_for_kernel(cg, tw_range_1d(N), all[1], &block, sizeof block);
        if (width == 3) {
            expect_seen(queue, cg, out, expected(3, PLAIN, false, 1));
        } else {
            TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
            TW_CHECK(strstr(tw_error_detail(), "width = 3") != NULL);
        }
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(the_code_for_the_value_is_launched),
                TW_CASE(enumerations_have_variants),
                TW_CASE(a_pair_of_values_and_a_size_choose_the_code),
                TW_CASE(large_blocks_have_variants),
                TW_CASE(reductions_have_variants),
                TW_CASE(a_kernel_lists_its_variants),
                TW_CASE(a_variant_is_launched_with_its_values_alone),
                TW_CASES_END};
