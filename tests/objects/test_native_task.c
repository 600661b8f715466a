/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** task.h: functions of the program that work on a queue's device, by target regions. */
#include "step_kernel.h"

#include <omp.h>

enum { N = 64, MANY = 40 };

/* A step by a target region. Simulated devices, which OpenMP does not have, share the host's memory. */
static tw_status native_step(const void *block, const tw_native *native)
{
    const struct step *k = block;
    unsigned *x = k->x;
    const unsigned term = k->term;
    if (native->omp_device != tw_device_omp_number(native->device)
        || native->cuda_ordinal != tw_device_cuda_ordinal(native->device))
        return tw_task_fail(TW_ERROR_INVALID_ARGUMENT, "other numbers");
    if (native->omp_device < 0) {
        for (size_t i = 0; i < N; ++i)
            x[i] = 3 * x[i] + term;
        return TW_SUCCESS;
    }
#pragma omp target teams distribute parallel for device(native->omp_device) is_device_ptr(x)
    for (size_t i = 0; i < N; ++i)
        x[i] = 3 * x[i] + term;
    return TW_SUCCESS;
}

typedef void task_call(tw_command_group *group, tw_native_function function, const void *block, size_t bytes);

static void submit_native(tw_queue *queue, tw_buffer *x, unsigned term, task_call *add, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    struct step block = {tw_read_write(cg, x), term};
    add(cg, native_step, &block, sizeof block);
    block.x = NULL; /* the library has its copy */
    TW_PASS(tw_queue_submit(queue, cg, event));
}

/* tw_enqueue_task() where the task works at once; on a CUDA stream its target region would not be ordered. */
static task_call *call_of(const tw_queue *queue, int i)
{
    return i % 4 == 2 && tw_device_cuda_ordinal(tw_queue_device(queue)) < 0 ? tw_enqueue_task : tw_native_task;
}

static void check_order(size_t queue_count)
{
    tw_queue *queues[3];
    tw_test_queues(queues, queue_count);
    tw_buffer *x = tw_test_ints(N, 1);
    unsigned expected = 1;
    tw_event *last = NULL;
    for (int i = 0; i < MANY; ++i) {
        tw_queue *queue = queues[(size_t)i % queue_count];
        if (i % 2)
            submit_step(queue, x, (int)i);
        else
            submit_native(queue, x, (unsigned)i, call_of(queue, i), i == MANY - 2 ? &last : NULL);
        expected = 3 * expected + (unsigned)i;
    }
    TW_PASS(tw_event_wait(last));
    tw_test_expect_ints(x, (int)expected);
    tw_event_times times;
    TW_PASS(tw_event_get_times(last, &times));
    TW_CHECK(times.complete_ns >= times.end_ns && times.end_ns >= times.start_ns);
    tw_event_release(&last);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, queue_count);
}

/* Kernels and native tasks on the same buffer run in the order of submission. */
TW_TEST(native_tasks_and_kernels_are_ordered_by_data)
{
    check_order(1);
    check_order(3);
}

/* Two chains that nothing orders: target regions and kernels use a device at the same time. */
TW_TEST(native_tasks_run_beside_kernels)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    unsigned expected = 1;
    for (unsigned i = 0; i < 5 * MANY; ++i) {
        submit_step(queue, x, (int)i);
        submit_native(queue, y, i, tw_native_task, NULL);
        expected = 3 * expected + i;
    }
    TW_PASS(tw_queue_wait(queue));
    tw_test_expect_ints(x, (int)expected);
    tw_test_expect_ints(y, (int)expected);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

struct failing {
    tw_status status;
    const char *message;
};
static tw_status failing(const void *block, const tw_native *native)
{
    const struct failing *k = block;
    (void)native;
    return k->message ? tw_task_fail(k->status, k->message) : k->status;
}

static void check_failure(task_call *add, tw_status status, const char *message, tw_status expected, const char *text)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_discard_write(cg, x);
    add(cg, failing, &(struct failing){status, message}, sizeof(struct failing));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    submit_native(queue, x, 1, add, NULL); /* cancelled: it reads what was lost */
    TW_FAIL(tw_queue_wait(queue), expected);
    TW_CHECK(strstr(tw_error_detail(), text));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    tw_test_expect_lost(x);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_failure_of_a_native_task_is_its_commands)
{
    task_call *const calls[] = {tw_native_task, tw_enqueue_task};
    for (size_t i = 0; i < 2; ++i) {
        check_failure(calls[i], TW_ERROR_NO_DEVICE, "no plan was made", TW_ERROR_NO_DEVICE, "no plan was made");
        check_failure(calls[i], TW_ERROR_OUT_OF_MEMORY, NULL, TW_ERROR_OUT_OF_MEMORY, "TW_ERROR_OUT_OF_MEMORY");
        check_failure(calls[i], (tw_status)77, NULL, TW_ERROR_LAUNCH_FAILED, "a native task has returned 77");
        check_failure(calls[i], TW_ERROR_CANCELLED, NULL, TW_ERROR_LAUNCH_FAILED, "TW_ERROR_CANCELLED");
    }
}

TW_TEST(mistakes_with_native_tasks_are_errors)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_native_task(cg, NULL, NULL, 0);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "function");
    cg = tw_queue_begin(queue);
    tw_enqueue_task(cg, failing, NULL, 8);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, "block");
    cg = tw_queue_begin(queue);
    struct step block = {tw_host_read_write(cg, x), 1};
    tw_native_task(cg, native_step, &block, sizeof block);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP,
                   "tw_native_task() has an accessor with the target TW_HOST");
    cg = tw_queue_begin(queue);
    tw_native_task(cg, native_step, &block, sizeof block);
    (void)tw_host_read(cg, x);
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP,
                   "tw_native_task() has an accessor with the target TW_HOST");
    cg = tw_queue_begin(queue);
    block.x = tw_read_write(cg, x);
    tw_native_task(cg, native_step, &block, sizeof block);
    tw_fill(cg, x, &(int){3});
    tw_test_refuse(queue, cg, TW_ERROR_INVALID_COMMAND_GROUP, "tw_native_task");
    tw_native_task(NULL, native_step, &block, sizeof block);
    tw_test_expect_ints(x, 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* As native_step(), but the region names no device; and writes down the default device. */
struct unnamed {
    unsigned *x;
    int *seen;
};
static tw_status unnamed(const void *block, const tw_native *native)
{
    const struct unnamed *k = block;
    unsigned *x = k->x;
    *k->seen = omp_get_default_device();
    (void)native;
#pragma omp target teams distribute parallel for is_device_ptr(x)
    for (size_t i = 0; i < N; ++i)
        x[i] = 3 * x[i] + 5;
    return TW_SUCCESS;
}

static tw_status look(const void *block)
{
    *((const struct unnamed *)block)->seen = omp_get_default_device();
    return TW_SUCCESS;
}

/* What a region runs on if it has no device clause is the queue's device, on whatever thread the task runs: with waits
   it is often this one, whose own default device stays as it was. */
TW_TEST(the_queues_device_is_openmps_default_device)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    const int number = tw_device_omp_number(tw_queue_device(queue)), devices = omp_get_num_devices();
    unsigned value = 1;
    for (int own = 0; own <= devices; ++own) {
        omp_set_default_device(own);
        const int expected = number >= 0 ? number : own; /* stands in for simulated devices, since it is a CPU */
        for (int i = 0; i < MANY; ++i) {
            int seen = -1, host_seen = -1;
            tw_command_group *cg = tw_queue_begin(queue);
            struct unnamed block = {tw_read_write(cg, x), &seen};
            tw_native_task(cg, unnamed, &block, sizeof block);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            value = 3 * value + 5;
            cg = tw_queue_begin(queue);
            block = (struct unnamed){NULL, &host_seen};
            tw_host_task(cg, look, &block, sizeof block);
            TW_PASS(tw_queue_submit(queue, cg, NULL));
            TW_PASS(tw_queue_wait(queue));
            TW_EQUAL(omp_get_default_device(), own);
            TW_EQUAL(seen, devices ? expected : seen); /* without offload devices each is the host */
            TW_EQUAL(host_seen, devices ? expected : host_seen);
        }
    }
    tw_test_expect_ints(x, (int)value);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(native_tasks_and_kernels_are_ordered_by_data), TW_CASE(native_tasks_run_beside_kernels),
                TW_CASE(the_failure_of_a_native_task_is_its_commands), TW_CASE(mistakes_with_native_tasks_are_errors),
                TW_CASE(the_queues_device_is_openmps_default_device),  TW_CASES_END};
