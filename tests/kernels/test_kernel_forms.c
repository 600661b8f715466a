/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams), long */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/** kernel_definition.h: one block for kernels of several forms, sizes and kinds of devices. */
#include "tw_test.h"

enum { N = 192 };

/* ---- several forms of one algorithm (TW_BLOCK, TW_FUNCTION) ------------------------------------------------------ */

/* Each kernel stores a mark of its own and the id of the work-item; `size` is that of its group, which it sees. */
struct marks {
    int *out;
    size_t *size; /* one */
    int add;
};

static inline void mark_task(const struct marks *k)
{
    for (int i = 0; i < N; ++i)
        k->out[i] = 1000 + k->add + i;
}
TW_SINGLE_TASK(TW_BLOCK(marks) mark_task);

static inline void mark_range(tw_item item, const struct marks *k)
{
    k->out[tw_global_id(item, 0)] = 2000 + k->add + (int)tw_global_id(item, 0);
}
TW_RANGE_KERNEL(TW_BLOCK(marks) mark_range, 1);
TW_RANGE_KERNEL(TW_HOST_LOOP(interleave_count(2)) static TW_FUNCTION(mark_range) TW_BLOCK(marks) mark_any_range);

static inline void mark_items(tw_nd_item item, const struct marks *k)
{
    k->out[tw_global_linear_id(item)] = 3000 + k->add + (int)tw_global_linear_id(item);
    tw_barrier(item, TW_GLOBAL_SPACE);
    if (tw_global_linear_id(item) == 0)
        k->size[0] = tw_local_linear_range(tw_get_group(item));
}
TW_ND_RANGE_KERNEL(static TW_BLOCK(marks) mark_items);
TW_ND_RANGE_KERNEL(TW_BLOCK(marks) TW_FUNCTION(mark_items) mark_items_64, 64);

static inline void mark_groups(tw_group group, const struct marks *k)
{
    TW_LOCAL(int, base);
    TW_ONCE(group) {
        base = 4000 + k->add;
        if (tw_group_linear_id(group) == 0)
            k->size[0] = tw_local_linear_range(group);
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_linear_id(item)] = base + (int)tw_global_linear_id(item);
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(marks) mark_groups);
TW_WORK_GROUP_KERNEL(static TW_FUNCTION(mark_groups) TW_BLOCK(marks) mark_groups_32, 32);

/* Checks a buffer of marks, made by a kernel that was to add 1. */
static void expect_marks(tw_buffer *buffer, int mark)
{
    int out[N];
    tw_test_fetch(buffer, out);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(out[i], mark + 1 + i);
}

TW_TEST(kernels_of_all_forms_share_a_block)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 0), *size = tw_test_zeroed(sizeof(size_t), 1);
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, mark_task, .out = tw_write(cg, out), .size = TW_NULL, .add = 1);
    }
    expect_marks(out, 1000);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), mark_range, .out = tw_write(cg, out), .size = TW_NULL, .add = 1);
    }
    expect_marks(out, 2000);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_2d(N, 1), mark_any_range, .out = tw_write(cg, out), .size = TW_NULL, .add = 1);
    }
    expect_marks(out, 2000);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, tw_range_1d(N / 24), tw_range_1d(24), mark_groups, .out = tw_write(cg, out),
                                   .size = tw_write(cg, size), .add = 1);
    }
    expect_marks(out, 4000);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, tw_range_1d(N / 32), tw_range_1d(32), mark_groups_32, .out = tw_write(cg, out),
                                   .size = tw_write(cg, size), .add = 1);
    }
    expect_marks(out, 4000);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(N / 16), tw_range_1d(16), mark_groups_32, .out = tw_write(cg, out),
                               .size = TW_NULL);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_CHECK(strstr(tw_error_detail(), "mark_groups_32") != NULL);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&size));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Whether the device runs nd_range kernels, in groups of whole warps at least: the standard mapping on a CPU does not. */
static bool runs_nd_ranges(tw_queue *queue)
{
    tw_buffer *out = tw_test_ints(N, 0), *size = tw_test_zeroed(sizeof(size_t), 1);
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(32)), mark_items,
                             .out = tw_write(cg, out), .size = tw_write(cg, size), .add = 1);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    const tw_status status = tw_event_wait(event);
    tw_event_release(&event);
    TW_CHECK(status == TW_SUCCESS || status == TW_ERROR_UNSUPPORTED);
    if (status == TW_SUCCESS)
        expect_marks(out, 3000);
    else
        (void)tw_queue_wait_and_throw(queue);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&size));
    return status == TW_SUCCESS;
}

TW_TEST(nd_range_kernels_share_a_block)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 0), *size = tw_test_zeroed(sizeof(size_t), 1);
    if (runs_nd_ranges(queue)) {
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(64)), mark_items_64,
                                     .out = tw_write(cg, out), .size = tw_write(cg, size), .add = 1);
        }
        expect_marks(out, 3000);
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&size));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(local_variables_belong_to_the_function)
{
    tw_kernel_limits of_function, of_other;
    TW_PASS(tw_kernel_get_limits(tw_test_device(0), mark_groups, 32, 0, &of_function));
    TW_PASS(tw_kernel_get_limits(tw_test_device(0), mark_groups_32, 32, 0, &of_other));
    TW_EQUAL(of_function.local_mem_size, of_other.local_mem_size);
}

/* ---- kinds of devices (TW_FOR_CPUS, TW_FOR_GPUS) ----------------------------------------------------------------- */

struct kind {
    int *out;
};

static inline void kind_cpu(tw_item item, const struct kind *k)
{
    k->out[tw_global_id(item, 0)] = TW_ON_GPU ? -1 : 1;
}
TW_RANGE_KERNEL(TW_FOR_CPUS TW_BLOCK(kind) kind_cpu);

static inline void kind_gpu(tw_item item, const struct kind *k)
{
    k->out[tw_global_id(item, 0)] = TW_ON_GPU ? 2 : -1;
}
TW_RANGE_KERNEL(TW_BLOCK(kind) TW_FOR_GPUS static kind_gpu);

TW_TEST(a_kernel_for_other_devices_is_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 0);
    const bool on_gpu = tw_device_is_gpu(tw_test_device(0));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), kind_cpu, .out = tw_write(cg, out));
    TW_EQUAL(tw_queue_submit(queue, cg, NULL), on_gpu ? TW_ERROR_UNSUPPORTED : TW_SUCCESS);
    TW_CHECK(!on_gpu || strstr(tw_error_detail(), "TW_FOR_CPUS"));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), kind_gpu, .out = tw_write(cg, out));
    TW_EQUAL(tw_queue_submit(queue, cg, NULL), on_gpu ? TW_SUCCESS : TW_ERROR_UNSUPPORTED);
    TW_CHECK(on_gpu || strstr(tw_error_detail(), "TW_FOR_GPUS"));
    tw_test_expect_ints(out, on_gpu ? 2 : 1);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- sizes of sub-groups (TW_SUB_GROUP_SIZE) --------------------------------------------------------------------- */

static inline void kind_any(tw_item item, const struct kind *k)
{
    k->out[tw_global_id(item, 0)] = 7;
}
TW_RANGE_KERNEL(TW_SUB_GROUP_SIZE(1) TW_BLOCK(kind) TW_FUNCTION(kind_any) static kind_of_1);
TW_RANGE_KERNEL(static TW_BLOCK(kind) TW_FUNCTION(kind_any) TW_SUB_GROUP_SIZE(16 * 2) kind_of_32, 1);
TW_RANGE_KERNEL(TW_FOR_GPUS TW_BLOCK(kind) TW_SUB_GROUP_SIZE(1) TW_FUNCTION(kind_any) static kind_of_no_device);

/* Launches a kernel that requires sub-groups of a size. */
static void check_required(tw_queue *queue, const tw_kernel *kernel, size_t required)
{
    size_t size = 0, told = 99;
    tw_buffer *out = tw_test_ints(N, 0);
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_SUB_GROUP_SIZE, &size, sizeof size));
    TW_PASS(tw_kernel_info(kernel, NULL, TW_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE, &told, sizeof told));
    TW_EQUAL(told, required);
    tw_command_group *cg = tw_queue_begin(queue);
    const struct kind block = {(int *)tw_write(cg, out)};
    tw_parallel_for_kernel(cg, tw_range_1d(N), kernel, &block, sizeof block);
    TW_EQUAL(tw_queue_submit(queue, cg, NULL), size == required ? TW_SUCCESS : TW_ERROR_UNSUPPORTED);
    TW_EQUAL(tw_kernel_load(kernel, tw_queue_device(queue)), size == required ? TW_SUCCESS : TW_ERROR_UNSUPPORTED);
    if (size != required) {
        char both[2][64];
        snprintf(both[0], sizeof both[0], "sub-groups of %zu work-items", required);
        snprintf(both[1], sizeof both[1], "have %zu", size);
        TW_CHECK(strstr(tw_error_detail(), both[0]) && strstr(tw_error_detail(), both[1]));
    }
    tw_test_expect_ints(out, size == required ? 7 : 0);
    TW_PASS(tw_buffer_destroy(&out));
}

TW_TEST(a_kernel_requires_a_size_of_sub_groups)
{
    tw_queue *queue = tw_test_queue();
    size_t none = 99;
    check_required(queue, TW_KERNEL(kind_of_1), 1);
    check_required(queue, TW_KERNEL(kind_of_32), 32);
    TW_PASS(tw_kernel_info(TW_KERNEL(kind_cpu), NULL, TW_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE, &none, sizeof none));
    TW_EQUAL(none, 0);
    TW_FAIL(tw_kernel_load(TW_KERNEL(kind_of_no_device), tw_queue_device(queue)), TW_ERROR_UNSUPPORTED);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several sizes of groups ------------------------------------------------------------------------------------- */

enum { TILE_ITEMS = 4 };

/* Each group notes its size, and each of its first work-items that it ran. */
struct tiles {
    size_t *size; /* three: those of group 0 */
    int *out;     /* TILE_ITEMS for each group */
};
static inline void tiles(tw_group group, const struct tiles *k)
{
    tw_parallel_for_work_item(group, item) {
        if (tw_group_linear_id(item) == 0 && tw_local_linear_id(item) == 0)
            for (unsigned d = 0; d < 3; ++d)
                k->size[d] = d < tw_get_local_range(item).dims ? tw_local_range(item, d) : 1;
        if (tw_local_linear_id(item) < TILE_ITEMS)
            k->out[tw_group_linear_id(item) * TILE_ITEMS + tw_local_linear_id(item)] += 1;
    }
}
TW_WORK_GROUP_KERNEL(tiles);
TW_WORK_GROUP_KERNEL_SIZES(static TW_FUNCTION(tiles) tiles_of_three, (16, 16), (4, 8), 64);
TW_WORK_GROUP_KERNEL_SIZES(TW_FUNCTION(tiles) tiles_or_any, (16, 16), TW_ANY_SIZE);
TW_WORK_GROUP_KERNEL_SIZES(TW_FUNCTION(tiles) large_tiles, 4096, (TILE_ITEMS * 32));
TW_WORK_GROUP_KERNEL_SIZES(TW_FUNCTION(tiles) tiles_of_one_size, (2, 4, 8));

/* Launches six groups of a kernel of tiles, and returns the size that they had; none if the launch failed. */
static tw_range run_tiles(tw_queue *queue, const tw_kernel *kernel, tw_range groups, tw_range local, tw_status expected)
{
    enum { GROUPS = 6 };
    tw_range got = {{0, 0, 0}, 0};
    tw_buffer *size = tw_test_zeroed(sizeof(size_t), 3), *out = tw_test_ints(GROUPS * TILE_ITEMS, 0);
    tw_command_group *cg = tw_queue_begin(queue);
    const struct tiles block = {.size = tw_write(cg, size), .out = tw_read_write(cg, out)};
    TW_EQUAL(tw_range_count(groups), GROUPS);
    tw_parallel_for_work_group_kernel(cg, groups, local, kernel, &block, sizeof block);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), expected);
    tw_test_expect_ints(out, expected == TW_SUCCESS ? 1 : 0);
    tw_test_fetch(size, got.size);
    got.dims = expected == TW_SUCCESS ? groups.dims : 0;
    TW_PASS(tw_buffer_destroy(&size));
    TW_PASS(tw_buffer_destroy(&out));
    return got;
}

static void expect_size(tw_range got, size_t n0, size_t n1, size_t n2)
{
    TW_EQUAL(got.size[0], n0);
    TW_EQUAL(got.size[1], n1);
    TW_EQUAL(got.size[2], n2);
}

TW_TEST(the_code_for_the_size_is_launched)
{
    static const tw_kernel *const three = TW_KERNEL(tiles_of_three), *const any = TW_KERNEL(tiles_or_any);
    const tw_range line = tw_range_1d(6), plane = tw_range_2d(2, 3), cube = tw_range_3d(1, 2, 3);
    tw_queue *queue = tw_test_queue();
    expect_size(run_tiles(queue, three, plane, tw_range_2d(16, 16), TW_SUCCESS), 16, 16, 1);
    expect_size(run_tiles(queue, three, plane, tw_range_2d(4, 8), TW_SUCCESS), 4, 8, 1);
    expect_size(run_tiles(queue, three, line, tw_range_1d(64), TW_SUCCESS), 64, 1, 1);
    expect_size(run_tiles(queue, any, plane, tw_range_2d(16, 16), TW_SUCCESS), 16, 16, 1);
    expect_size(run_tiles(queue, any, plane, tw_range_2d(3, 5), TW_SUCCESS), 3, 5, 1);
    expect_size(run_tiles(queue, any, cube, tw_range_3d(2, 2, 2), TW_SUCCESS), 2, 2, 2);
    (void)run_tiles(queue, three, plane, tw_range_2d(8, 8), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_CHECK(
        strstr(tw_error_detail(), "tiles_of_three requires groups of 16 x 16, 4 x 8 or 64 and is launched with 8 x 8"));
    (void)run_tiles(queue, three, line, tw_range_1d(32), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    (void)run_tiles(queue, three, plane, tw_range_1d(64), TW_ERROR_INVALID_RANGE);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_library_chooses_the_size_of_groups)
{
    const tw_range line = tw_range_1d(6), plane = tw_range_2d(2, 3), cube = tw_range_3d(1, 2, 3);
    const bool on_gpu = tw_device_is_gpu(tw_test_device(0));
    tw_queue *queue = tw_test_queue();
    size_t most = 0;
    TW_PASS(tw_device_info(tw_test_device(0), TW_DEVICE_INFO_MAX_WORK_GROUP_SIZE, &most, sizeof most));
    /* the first that the definition has for these dimensions, and that the device can run */
    expect_size(run_tiles(queue, TW_KERNEL(tiles_of_three), plane, tw_range_any(), TW_SUCCESS), 16, 16, 1);
    expect_size(run_tiles(queue, TW_KERNEL(tiles_of_three), line, tw_range_any(), TW_SUCCESS), 64, 1, 1);
    expect_size(run_tiles(queue, TW_KERNEL(tiles_of_one_size), cube, tw_range_any(), TW_SUCCESS), 2, 4, 8);
    expect_size(run_tiles(queue, TW_KERNEL(large_tiles), line, tw_range_any(), TW_SUCCESS), most < 4096 ? 128 : 4096, 1,
                1);
    (void)run_tiles(queue, TW_KERNEL(tiles_of_three), cube, tw_range_any(), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_CHECK(strstr(tw_error_detail(), "none of them has the launch's dimensions"));
    (void)run_tiles(queue, TW_KERNEL(tiles_of_one_size), line, tw_range_any(), TW_ERROR_INVALID_KERNEL);
    /* none is required */
    expect_size(run_tiles(queue, TW_KERNEL(tiles), line, tw_range_any(), TW_SUCCESS), on_gpu ? 256 : 1024, 1, 1);
    expect_size(run_tiles(queue, TW_KERNEL(tiles), plane, tw_range_any(), TW_SUCCESS), on_gpu ? 8 : 32, 32, 1);
    expect_size(run_tiles(queue, TW_KERNEL(tiles), cube, tw_range_any(), TW_SUCCESS), on_gpu ? 2 : 8, 4, 32);
    expect_size(run_tiles(queue, TW_KERNEL(tiles_or_any), cube, tw_range_any(), TW_SUCCESS), on_gpu ? 2 : 8, 4, 32);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(no_range_but_a_launch_is_any)
{
    tw_queue *queue = tw_test_queue();
    (void)run_tiles(queue, TW_KERNEL(tiles), tw_range_1d(6), (tw_range){{0, 0, 0}, 0}, TW_ERROR_INVALID_RANGE);
    tw_buffer *buffer = NULL;
    TW_FAIL(tw_buffer_create(1, tw_range_any(), &buffer), TW_ERROR_INVALID_RANGE);
    TW_CHECK(!tw_range_is_valid(tw_range_any()) && tw_range_is_any(tw_range_any()) && !tw_range_is_any(tw_range_1d(0)));
    TW_PASS(tw_queue_destroy(&queue));
}

struct counts {
    size_t *size; /* one */
    int *out;     /* for each work-item */
};
static inline void counts(tw_nd_item item, const struct counts *k)
{
    TW_LOCAL(int, one);
    if (tw_local_linear_id(item) == 0)
        one = 1;
    tw_barrier(item, TW_LOCAL_SPACE);
    k->out[tw_global_linear_id(item)] += one;
    if (tw_global_linear_id(item) == 0)
        k->size[0] = tw_local_linear_range(tw_get_group(item));
}
TW_ND_RANGE_KERNEL(counts);
TW_ND_RANGE_KERNEL_SIZES(TW_FUNCTION(counts) counts_of_two, 64, 32);

/* Launches a kernel of counts, whose groups' size the library chooses, and returns the number of their work-items. */
static size_t run_counts(tw_queue *queue, const tw_kernel *kernel, tw_range global, tw_status expected)
{
    size_t got;
    tw_buffer *size = tw_test_zeroed(sizeof(size_t), 1), *out = tw_test_ints(tw_range_count(global), 0);
    tw_command_group *cg = tw_queue_begin(queue);
    const struct counts block = {.size = tw_write(cg, size), .out = tw_read_write(cg, out)};
    tw_parallel_for_nd_range_kernel(cg, tw_nd_range_make(global, tw_range_any()), kernel, &block, sizeof block);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), expected);
    tw_test_expect_ints(out, expected == TW_SUCCESS ? 1 : 0);
    tw_test_fetch(size, &got);
    TW_PASS(tw_buffer_destroy(&size));
    TW_PASS(tw_buffer_destroy(&out));
    return got;
}

TW_TEST(a_chosen_size_divides_the_range)
{
    tw_queue *queue = tw_test_queue();
    if (runs_nd_ranges(queue)) {
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts), tw_range_1d(192), TW_SUCCESS), 192);
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts), tw_range_1d(1280), TW_SUCCESS), 256);
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts), tw_range_2d(64, 64), TW_SUCCESS), 256);
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts), tw_range_3d(2, 2, 128), TW_SUCCESS), 256);
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts), tw_range_1d(1), TW_SUCCESS), 1);
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts), tw_range_1d(257), TW_SUCCESS), 1);
        /* the standard mapping on GPUs has groups of whole warps or of one */
        const size_t got = run_counts(queue, TW_KERNEL(counts), tw_range_2d(6, 40), TW_SUCCESS);
        TW_CHECK(got == 240 || (got == 1 && tw_device_is_gpu(tw_test_device(0))));
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts_of_two), tw_range_1d(128), TW_SUCCESS), 64);
        TW_EQUAL(run_counts(queue, TW_KERNEL(counts_of_two), tw_range_1d(96), TW_SUCCESS), 32);
    }
    (void)run_counts(queue, TW_KERNEL(counts_of_two), tw_range_1d(48), TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_CHECK(strstr(tw_error_detail(), "none of them divides"));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(an_empty_range_of_any_size_does_not_run)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(1, 7);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_2d(0, 64), tw_range_any()), counts,
                                 .out = tw_write(cg, out), .size = TW_NULL);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, tw_range_1d(0), tw_range_any(), tiles, .out = tw_write(cg, out),
                                   .size = TW_NULL);
    }
    tw_test_expect_ints(out, 7);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- kernels as objects ------------------------------------------------------------------------------------------ */

struct sum_marks {
    const int *in;
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void sum_marks(tw_item item, const struct sum_marks *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(sum_marks, 1, sum);
TW_RANGE_REDUCTION(static TW_FUNCTION(sum_marks) sum_marks_again, 1, sum);

TW_TEST(kernels_are_chosen_at_run_time)
{
    static const tw_kernel *const ranges[] = {TW_KERNEL(mark_range), TW_KERNEL(mark_any_range)};
    static const tw_kernel *const groups[] = {TW_KERNEL(mark_groups), TW_KERNEL(mark_groups_32)};
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(N, 0), *size = tw_test_zeroed(sizeof(size_t), 1), *sum = tw_test_ints(1, 5);
    for (int i = 0; i < 2; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        struct marks block = {.out = tw_write(cg, out), .size = TW_NULL, .add = 1};
        tw_parallel_for_kernel(cg, tw_range_1d(N), ranges[i], &block, sizeof block);
        block.add = 1000; /* it was copied */
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        expect_marks(out, 2000);
        cg = tw_queue_begin(queue);
        block = (struct marks){.out = tw_write(cg, out), .size = tw_write(cg, size), .add = 1};
        tw_parallel_for_work_group_kernel(cg, tw_range_1d(N / 32), tw_range_1d(32), groups[i], &block, sizeof block);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        expect_marks(out, 4000);
    }
    tw_command_group *cg = tw_queue_begin(queue);
    struct marks block = {.out = tw_write(cg, out), .size = TW_NULL, .add = 1};
    tw_single_task_kernel(cg, TW_KERNEL(mark_task), &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    expect_marks(out, 1000);
    for (int i = 0; i < 2; ++i) {
        cg = tw_queue_begin(queue);
        const struct sum_marks reduction = {.in = tw_read(cg, out), .sum = TW_REDUCE(cg, sum)};
        tw_parallel_for_kernel(cg, tw_range_1d(N), i ? TW_KERNEL(sum_marks_again) : TW_KERNEL(sum_marks), &reduction,
                               sizeof reduction);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    tw_test_expect_ints(sum, 5 + 2 * (N * 1001 + N * (N - 1) / 2));
    cg = tw_queue_begin(queue);
    block = (struct marks){.out = tw_read_write(cg, out), .size = TW_NULL, .add = 1};
    tw_parallel_for_offset_kernel(cg, tw_range_1d(1), tw_id_1d(N - 1), TW_KERNEL(mark_range), &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    int got[N];
    tw_test_fetch(out, got);
    TW_EQUAL(got[N - 1], 2000 + N);
    TW_EQUAL(got[N - 2], 1000 + N - 1);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&size));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

static tw_status launch_object(tw_queue *queue, int form, const tw_kernel *kernel, const void *block, size_t bytes)
{
    const tw_range one = tw_range_1d(32);
    tw_command_group *cg = tw_queue_begin(queue);
    if (form == 0)
        tw_single_task_kernel(cg, kernel, block, bytes);
    else if (form == 1)
        tw_parallel_for_kernel(cg, one, kernel, block, bytes);
    else if (form == 2)
        tw_parallel_for_work_group_kernel(cg, one, one, kernel, block, bytes);
    else
        tw_parallel_for_nd_range_kernel(cg, tw_nd_range_make(one, one), kernel, block, bytes);
    return tw_queue_submit(queue, cg, NULL);
}

TW_TEST(launches_check_the_form_and_the_block_of_an_object)
{
    static const struct {
        const tw_kernel *kernel;
        const char *definition;
    } forms[] = {{TW_KERNEL(mark_task), "TW_SINGLE_TASK"},
                 {TW_KERNEL(mark_range), "TW_RANGE_KERNEL"},
                 {TW_KERNEL(mark_groups), "TW_WORK_GROUP_KERNEL"},
                 {TW_KERNEL(mark_items), "TW_ND_RANGE_KERNEL"}};
    const struct marks block = {NULL, NULL, 0};
    tw_queue *queue = tw_test_queue();
    for (int form = 0; form < 4; ++form) {
        for (int other = 0; other < 4; ++other)
            if (other != form) {
                TW_FAIL(launch_object(queue, form, forms[other].kernel, &block, sizeof block), TW_ERROR_INVALID_KERNEL);
                TW_CHECK(strstr(tw_error_detail(), forms[form].definition)
                         && strstr(tw_error_detail(), forms[other].definition));
            }
        TW_FAIL(launch_object(queue, form, forms[form].kernel, &block, sizeof block - 1), TW_ERROR_INVALID_KERNEL);
        TW_FAIL(launch_object(queue, form, forms[form].kernel, NULL, sizeof block), TW_ERROR_INVALID_ARGUMENT);
        TW_FAIL(launch_object(queue, form, NULL, &block, sizeof block), TW_ERROR_INVALID_ARGUMENT);
    }
    tw_single_task_kernel(NULL, TW_KERNEL(mark_task), &block, sizeof block);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- offsets of hierarchical launches ---------------------------------------------------------------------------- */

enum { WIDE = 8, HIGH = 6 };

struct shifted {
    int *out;  /* HIGH rows of WIDE, in the middle of which the launch is */
    int *sure; /* one: it stays 1 as long as all ids agree */
};
static inline void shifted(tw_group group, const struct shifted *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
        const tw_nd_range space = tw_get_nd_range(group);
        k->out[i * WIDE + j] = 100 + (int)tw_global_linear_id(item);
        if (tw_global_offset(item, 0) != 1 || tw_global_offset(group, 1) != 3
            || !tw_id_equal(tw_get_global_offset(item), tw_id_2d(1, 3))
            || !tw_id_equal(space.offset, tw_get_global_offset(group)) || tw_global_range(item, 0) != 4
            || !tw_id_equal(tw_get_global_id(item), tw_id_2d(i, j)) || tw_group_id(item, 0) != (i - 1) / 2)
            k->sure[0] = 0;
    }
}
TW_WORK_GROUP_KERNEL(shifted);
TW_WORK_GROUP_KERNEL(TW_FUNCTION(shifted) shifted_2_2, 2, 2);

TW_TEST(an_offset_is_added_to_the_ids_of_work_items)
{
    int got[HIGH * WIDE];
    tw_queue *queue = tw_test_queue();
    tw_buffer *sure = tw_test_ints(1, 1);
    for (int i = 0; i < 2; ++i) {
        tw_buffer *out = tw_test_ints(HIGH * WIDE, -1);
        TW_COMMAND_GROUP(queue, cg) {
            if (i == 0)
                tw_parallel_for_work_group_offset(cg, tw_range_2d(2, 1), tw_range_2d(2, 4), tw_id_2d(1, 3), shifted,
                                                  .out = tw_write(cg, out), .sure = tw_write(cg, sure));
            else
                tw_parallel_for_work_group_offset(cg, tw_range_2d(2, 2), tw_range_2d(2, 2), tw_id_2d(1, 3), shifted_2_2,
                                                  .out = tw_write(cg, out), .sure = tw_write(cg, sure));
        }
        tw_test_fetch(out, got);
        for (int y = 0; y < HIGH; ++y)
            for (int x = 0; x < WIDE; ++x)
                TW_EQUAL(got[y * WIDE + x], y >= 1 && y < 5 && x >= 3 && x < 7 ? 100 + (y - 1) * 4 + (x - 3) : -1);
        TW_PASS(tw_buffer_destroy(&out));
    }
    tw_test_expect_ints(sure, 1);
    TW_PASS(tw_buffer_destroy(&sure));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(offsets_of_hierarchical_launches_are_checked)
{
    const tw_id offsets[] = {tw_id_1d(1), tw_id_2d(1, SIZE_MAX - 2)};
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = tw_test_ints(HIGH * WIDE, -1);
    for (int i = 0; i < 2; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group_offset(cg, tw_range_2d(2, 1), tw_range_2d(2, 4), offsets[i], shifted,
                                          .out = tw_write(cg, out), .sure = TW_NULL);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    }
    tw_test_expect_ints(out, -1);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(kernels_of_all_forms_share_a_block),
                TW_CASE(nd_range_kernels_share_a_block),
                TW_CASE(local_variables_belong_to_the_function),
                TW_CASE(a_kernel_for_other_devices_is_refused),
                TW_CASE(a_kernel_requires_a_size_of_sub_groups),
                TW_CASE(the_code_for_the_size_is_launched),
                TW_CASE(the_library_chooses_the_size_of_groups),
                TW_CASE(no_range_but_a_launch_is_any),
                TW_CASE(a_chosen_size_divides_the_range),
                TW_CASE(an_empty_range_of_any_size_does_not_run),
                TW_CASE(kernels_are_chosen_at_run_time),
                TW_CASE(launches_check_the_form_and_the_block_of_an_object),
                TW_CASE(an_offset_is_added_to_the_ids_of_work_items),
                TW_CASE(offsets_of_hierarchical_launches_are_checked),
                TW_CASES_END};
