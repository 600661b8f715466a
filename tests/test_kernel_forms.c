/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt gpu-teams */
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
        tw_single_task(cg, mark_task, .out = tw_write(cg, out), .add = 1);
    }
    expect_marks(out, 1000);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), mark_range, .out = tw_write(cg, out), .add = 1);
    }
    expect_marks(out, 2000);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_2d(N, 1), mark_any_range, .out = tw_write(cg, out), .add = 1);
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
    tw_parallel_for_work_group(cg, tw_range_1d(N / 16), tw_range_1d(16), mark_groups_32, .out = tw_write(cg, out));
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

TW_TEST_LIST = {TW_CASE(kernels_of_all_forms_share_a_block), TW_CASE(nd_range_kernels_share_a_block),
                TW_CASE(local_variables_belong_to_the_function), TW_CASE(a_kernel_for_other_devices_is_refused),
                TW_CASES_END};
