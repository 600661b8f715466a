/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** sim.h: simulated devices find missing transfers, fail on demand and count. */
#include "tw_test.h"

#include <time.h>

enum { N = 100 };

struct copy_bytes {
    const unsigned char *in;
    unsigned char *out;
};
static inline void copy_bytes(tw_item item, const struct copy_bytes *k)
{
    k->out[tw_global_id(item, 0)] = k->in[tw_global_id(item, 0)];
}
TW_RANGE_KERNEL(copy_bytes, 1);

static tw_queue *sim_queue(tw_device **device)
{
    tw_test_use_sim(2);
    *device = tw_test_device(0);
    return tw_test_queue();
}

static tw_status submit_copy(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), copy_bytes, .in = tw_read(cg, in), .out = tw_discard_write(cg, out));
    return tw_queue_submit(queue, cg, NULL);
}

TW_TEST(memory_that_no_transfer_reached_is_poisoned)
{
    tw_device *device;
    tw_queue *queue = sim_queue(&device);
    tw_buffer *garbage = NULL, *out = NULL;
    unsigned char result[N] = {0};
    TW_PASS(tw_buffer_create(1, tw_range_1d(N), &garbage));
    TW_PASS(tw_buffer_create_over(result, 1, tw_range_1d(N), &out));
    /* discard_write brings nothing, so the second accessor's target is what the allocation is filled with */
    tw_command_group *cg = tw_queue_begin(queue);
    const unsigned char *fresh = tw_discard_write(cg, garbage);
    tw_parallel_for(cg, tw_range_1d(N), copy_bytes, .in = fresh, .out = tw_discard_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&out));
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(result[i], TW_SIM_POISON >> i % 2 * 8 & 255);
    TW_PASS(tw_buffer_destroy(&garbage));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(operations_are_counted_and_memory_is_accounted_for)
{
    tw_device *device;
    tw_queue *queue = sim_queue(&device);
    tw_buffer *in = NULL, *out = NULL;
    unsigned char data[N] = {1, 2, 3}, result[N] = {0};
    TW_PASS(tw_sim_reset(device));
    tw_test_released(device);
    TW_PASS(tw_buffer_create_copy(data, 1, tw_range_1d(N), &in));
    TW_PASS(tw_buffer_create_over(result, 1, tw_range_1d(N), &out));
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_LAUNCH), 1);
    TW_EQUAL(tw_sim_count(device, TW_SIM_ALLOCATION), 2);
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 1);
    TW_CHECK(tw_sim_allocated_bytes(device) >= 2 * N);
    TW_PASS(tw_buffer_destroy(&out));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 2);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(device);
    TW_CHECK(memcmp(data, result, N) == 0);
    TW_PASS(tw_sim_reset(device));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
}

TW_TEST(the_nth_operation_fails_once)
{
    tw_device *device;
    tw_queue *queue = sim_queue(&device);
    tw_buffer *in = NULL, *out = NULL;
    const unsigned char data[N] = {4, 5, 6};
    TW_PASS(tw_buffer_create_copy(data, 1, tw_range_1d(N), &in));
    TW_PASS(tw_buffer_create(1, tw_range_1d(N), &out));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 2));
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(submit_copy(queue, in, out));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(tw_queue_wait(queue));
    /* a fault that was armed and taken back */
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 0));
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
    TW_PASS(tw_sim_reset(device));
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

TW_TEST(delays_are_at_least_as_long_as_asked)
{
    tw_device *device;
    tw_queue *queue = sim_queue(&device);
    tw_buffer *in = NULL, *out = NULL;
    const unsigned char data[N] = {7};
    TW_PASS(tw_buffer_create_copy(data, 1, tw_range_1d(N), &in));
    TW_PASS(tw_buffer_create(1, tw_range_1d(N), &out));
    TW_PASS(tw_sim_delay(device, TW_SIM_LAUNCH, 20000000));
    const uint64_t start = now_ns();
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(submit_copy(queue, in, out));
    TW_PASS(tw_queue_wait(queue));
    TW_CHECK(now_ns() - start >= 40000000);
    TW_PASS(tw_sim_delay(device, TW_SIM_LAUNCH, 0));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(only_simulated_devices_and_known_operations)
{
    tw_device *host = NULL, *sim;
    tw_queue *queue = sim_queue(&sim);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    TW_FAIL(tw_sim_fail_nth(host, TW_SIM_COPY, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_sim_fail_nth(NULL, TW_SIM_COPY, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_sim_fail_nth(sim, (tw_sim_operation)4, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_sim_delay(host, TW_SIM_COPY, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_sim_delay(sim, (tw_sim_operation)-1, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_sim_reset(host), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_sim_reset(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(tw_sim_count(host, TW_SIM_COPY), 0);
    TW_EQUAL(tw_sim_count(NULL, TW_SIM_COPY), 0);
    TW_EQUAL(tw_sim_allocated_bytes(host), 0);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Runs last: the setting overrides TW_SIM for the rest of the program. */
TW_TEST(the_count_is_set_before_devices_are_looked_for)
{
    size_t count = 0;
    TW_PASS(tw_shutdown());
    setenv("TW_SIM", "2", 1);
    setenv("TW_DEVICES", "sim", 1);
    TW_FAIL(tw_sim_set_count(65), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_sim_set_count(64));
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, NULL, 0, &count));
    TW_EQUAL(count, 64);
    TW_FAIL(tw_sim_set_count(1), TW_ERROR_BUSY);
    TW_PASS(tw_shutdown());
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, NULL, 0, &count));
    TW_EQUAL(count, 64);
    TW_PASS(tw_shutdown());
    TW_PASS(tw_sim_set_count(0));
    TW_PASS(tw_get_devices(TW_DEVICE_SIM, NULL, 0, &count));
    TW_EQUAL(count, 0);
}

TW_TEST_LIST = {TW_CASE(memory_that_no_transfer_reached_is_poisoned),
                TW_CASE(operations_are_counted_and_memory_is_accounted_for),
                TW_CASE(the_nth_operation_fails_once),
                TW_CASE(delays_are_at_least_as_long_as_asked),
                TW_CASE(only_simulated_devices_and_known_operations),
                TW_CASE(the_count_is_set_before_devices_are_looked_for),
                TW_CASES_END};
