/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels whose file was not compiled for the device, in a program that has others: refused while they are
 *  recorded. */
#include "tw_test.h"

#include "no_image.h"

enum { N = 1000 };

struct present {
    int *x;
};
static inline void present(tw_item item, const struct present *k)
{
    k->x[tw_global_id(item, 0)] += 1;
}
TW_RANGE_KERNEL(present, 1);

struct job {
    tw_buffer *buffer;
    bool in_groups;
    int recorded;
};

static void record(tw_command_group *cg, void *user)
{
    struct job *job = user;
    ++job->recorded;
    if (job->in_groups)
        tw_parallel_for_work_group(cg, tw_range_1d(N / 10), tw_range_1d(10), host_only_groups,
                                   .x = tw_discard_write(cg, job->buffer));
    else
        tw_parallel_for(cg, tw_range_1d(N), host_only, .x = tw_discard_write(cg, job->buffer));
}

static void add_one(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), present, .x = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

TW_TEST(they_are_refused_while_they_are_recorded)
{
    tw_queue *queue = tw_test_queue();
    struct job job = {.buffer = tw_test_ints(N, 1)};
    for (int round = 0; round < 4; ++round) {
        job.in_groups = round % 2;
        add_one(queue, job.buffer);
        tw_command_group *cg = tw_queue_begin(queue);
        record(cg, &job);
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_NO_DEVICE_IMAGE);
        TW_CHECK(strstr(tw_error_detail(), job.in_groups ? "kernel host_only_groups " : "kernel host_only "));
        TW_CHECK(strstr(tw_error_detail(), "no_image_kernels.c"));
    }
    TW_PASS(tw_queue_wait(queue)); /* nothing else is wrong, and nothing is lost */
    tw_test_expect_ints(job.buffer, 5);
    TW_PASS(tw_buffer_destroy(&job.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(they_are_not_available)
{
    tw_device *device = tw_test_device(0), *devices[16];
    size_t count = 0;
    TW_CHECK(tw_kernel_is_available(TW_KERNEL(present), device));
    TW_PASS(tw_kernel_load(TW_KERNEL(present), device));
    TW_CHECK(!tw_kernel_is_available(TW_KERNEL(host_only), device));
    TW_FAIL(tw_kernel_load(TW_KERNEL(host_only), device), TW_ERROR_NO_DEVICE_IMAGE);
    TW_CHECK(strstr(tw_error_detail(), "kernel host_only ") && strstr(tw_error_detail(), "no_image_kernels.c"));
    TW_PASS(tw_kernel_get_devices(TW_KERNEL(host_only), devices, 16, &count));
    for (size_t i = 0; i < count; ++i)
        TW_CHECK(devices[i] != device);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &device));
    TW_CHECK(tw_kernel_is_available(TW_KERNEL(host_only), device));
}

TW_TEST(the_fallback_queue_takes_them)
{
    tw_queue *queue = tw_test_queue(), *fallback = NULL;
    struct job job = {.buffer = tw_test_ints(N, 1)};
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &fallback));
    for (int round = 0; round < 2; ++round) {
        job.in_groups = round;
        job.recorded = 0;
        TW_PASS(tw_queue_submit_function(queue, fallback, record, &job, NULL));
        TW_EQUAL(job.recorded, 2);
        add_one(queue, job.buffer);
        tw_test_expect_ints(job.buffer, job.in_groups ? 9 : 8);
    }
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&job.buffer));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&fallback));
}

TW_TEST(a_graph_is_not_made_of_them)
{
    tw_queue *queue = tw_test_queue();
    tw_command_graph *graph = NULL;
    struct job job = {.buffer = tw_test_ints(N, 1)};
    TW_PASS(tw_queue_begin_recording(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    record(cg, &job);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_NO_DEVICE_IMAGE);
    add_one(queue, job.buffer);
    TW_FAIL(tw_queue_end_recording(queue, &graph), TW_ERROR_NO_DEVICE_IMAGE);
    TW_CHECK(!graph);
    TW_PASS(tw_queue_begin_recording(queue));
    add_one(queue, job.buffer);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    tw_test_expect_ints(job.buffer, 2);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&job.buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(they_are_refused_while_they_are_recorded),
    TW_CASE(they_are_not_available),
    TW_CASE(the_fallback_queue_takes_them),
    TW_CASE(a_graph_is_not_made_of_them),
    TW_CASES_END,
};
