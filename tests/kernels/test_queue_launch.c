/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/* C++17: host x86_64 */
/** kernel.h: groups of one kernel, submitted in one expression. */
#include "tw_test.h"

enum { N = 256, LOCAL = 16 };

struct add {
    const int *x;
    int *y;
    int value;
};
static inline void add_all(tw_item item, const struct add *k)
{
    const size_t i = tw_global_id(item, 0);
    k->y[i] += k->x[i] + k->value;
}
TW_RANGE_KERNEL(TW_BLOCK(add) add_all, 1);

static inline void add_one(const struct add *k)
{
    k->y[0] += k->x[0] + k->value;
}
TW_SINGLE_TASK(TW_BLOCK(add) add_one);

static inline void add_groups(tw_group group, const struct add *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_linear_id(item);
        k->y[i] += k->x[i] + k->value;
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(add) add_groups);

static inline void add_items(tw_nd_item item, const struct add *k)
{
    const size_t i = tw_global_linear_id(item);
    k->y[i] += k->x[i] + k->value;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(add) add_items);

TW_TEST(kernels_of_each_form_use_buffers)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    tw_event *event = NULL;
    TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), add_all, .x = tw_read(cg, x),
                                  .y = tw_read_write(cg, y), .value = 1));
    TW_PASS(tw_queue_parallel_for_work_group(queue, cg, NULL, tw_range_1d(N / LOCAL), tw_range_1d(LOCAL), add_groups,
                                             .x = tw_read(cg, x), .y = tw_read_write(cg, y), .value = 10));
    TW_PASS(tw_queue_parallel_for_nd_range(queue, group, &event, tw_nd_range_make(tw_range_1d(N), tw_range_1d(LOCAL)),
                                           add_items, .x = tw_read(group, x), .y = tw_read_write(group, y),
                                           .value = 100));
    TW_PASS(tw_event_wait(event));
    tw_test_expect_ints(y, 114);
    tw_event_release(&event);
    TW_PASS(tw_queue_single_task(queue, cg, &event, add_one, .x = tw_read(cg, x), .y = tw_read_write(cg, y),
                                 .value = 1000));
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(y, TW_READ, &accessor));
    TW_EQUAL(((const int *)tw_host_accessor_const_data(accessor))[0], 1115);
    TW_EQUAL(((const int *)tw_host_accessor_const_data(accessor))[1], 114);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(kernels_use_unified_shared_memory)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    int *x = (int *)tw_malloc_async(queue, N * sizeof *x), *y = (int *)tw_malloc_async(queue, N * sizeof *y), got[N];
    const int one = 1;
    TW_CHECK(x && y);
    TW_PASS(tw_queue_mem_fill(queue, x, &one, sizeof one, N, NULL));
    TW_PASS(tw_queue_memset(queue, y, 0, N * sizeof *y, NULL));
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), add_all, .x = x, .y = y, .value = i));
    TW_PASS(tw_queue_memcpy(queue, got, y, sizeof got, NULL));
    TW_PASS(tw_queue_wait(queue));
    for (int i = 0; i < N; ++i)
        TW_EQUAL(got[i], 6);
    TW_PASS(tw_free_async(queue, x));
    TW_PASS(tw_free_async(queue, y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The expression has the status of the accessors, the launch and the submission, and leaves no group behind. */
TW_TEST(errors_are_returned)
{
    tw_queue *queue = tw_test_queue(), *const none = NULL;
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    tw_event *untouched = (tw_event *)&untouched, *event = untouched;
    TW_FAIL(tw_queue_parallel_for(none, cg, &event, tw_range_1d(N), add_all, .x = tw_read(cg, x),
                                  .y = tw_read_write(cg, y), .value = 1),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_parallel_for(queue, cg, &event, tw_range_1d(N), add_all, .x = tw_read(cg, x),
                                  .y = tw_read_write(cg, NULL), .value = 1),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(
        tw_queue_parallel_for(queue, cg, &event, tw_range_1d(N), add_all, .x = tw_read(cg, x), .y = NULL, .value = 1),
        TW_ERROR_INVALID_ARGUMENT); /* a forgotten capture */
    TW_FAIL(tw_queue_parallel_for_nd_range(queue, cg, &event, tw_nd_range_make(tw_range_1d(N), tw_range_1d(N + 1)),
                                           add_items, .x = tw_read(cg, x), .y = tw_read_write(cg, y), .value = 1),
            TW_ERROR_INVALID_WORK_GROUP_SIZE);
    TW_CHECK(event == untouched);
    tw_test_expect_ints(y, 0);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(kernels_of_each_form_use_buffers), TW_CASE(kernels_use_unified_shared_memory),
                TW_CASE(errors_are_returned), TW_CASES_END};
