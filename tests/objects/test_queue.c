/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** queue.h: creation, waiting, and the delivery of asynchronous errors. */
#include "tw_test.h"

struct put_one {
    int *out;
    int value;
};
static inline void put_one(const struct put_one *k)
{
    k->out[0] = k->value;
}
TW_SINGLE_TASK(put_one);

struct add_one {
    int *out;
    int value;
};
static inline void add_one(const struct add_one *k)
{
    k->out[0] += k->value;
}
TW_SINGLE_TASK(add_one);

/* What a handler was told. */
struct log {
    int calls, count;
    tw_status statuses[64];
    char messages[64][256], kernels[64][32], files[64][256];
    int lines[64];
};

static void keep(const tw_error *errors, size_t count, void *user)
{
    struct log *log = user;
    ++log->calls;
    TW_CHECK(count >= 1);
    for (size_t i = 0; i < count && log->count < 64; ++i, ++log->count) {
        const int n = log->count;
        TW_CHECK(errors[i].message && *errors[i].message);
        log->statuses[n] = errors[i].status;
        log->lines[n] = errors[i].line;
        snprintf(log->messages[n], sizeof log->messages[n], "%s", errors[i].message);
        snprintf(log->kernels[n], sizeof log->kernels[n], "%s", errors[i].kernel ? errors[i].kernel : "");
        snprintf(log->files[n], sizeof log->files[n], "%s", errors[i].file ? errors[i].file : "");
    }
}

/* Writes `value` to a buffer; the launch after tw_sim_fail_nth() fails. */
static int submit_put(tw_queue *queue, tw_buffer *buffer, int value, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, put_one, .out = tw_discard_write(cg, buffer), .value = value);
    TW_PASS(tw_queue_submit(queue, cg, event)); /* the line that error records name */
    return __LINE__ - 1;
}

static void submit_failing(tw_queue *queue, tw_buffer *buffer)
{
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
    submit_put(queue, buffer, 1, NULL);
}

static tw_buffer *int_buffer(void)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &buffer));
    return buffer;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

TW_TEST(creation_and_what_the_queue_knows)
{
    tw_device *device = tw_test_device(0), *host = NULL;
    tw_context *context = NULL;
    tw_queue *queue = tw_test_queue(), *other = NULL;
    TW_CHECK(tw_queue_device(queue) == device);
    TW_EQUAL(tw_queue_is_host(queue), tw_device_is_host(device));
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &other));
    TW_CHECK(tw_queue_is_host(other) && tw_queue_device(other) == host);
    TW_PASS(tw_queue_destroy(&other));
    TW_CHECK(other == NULL);
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &other));
    TW_CHECK(tw_queue_context(other) == context && tw_queue_device(other) == device);
    TW_PASS(tw_queue_destroy(&other));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_destroy(&context));
}

static int only_this(const tw_device *device, void *user)
{
    return device == user ? 1 : -1;
}

TW_TEST(a_selector_chooses_among_the_devices_of_a_context)
{
    tw_queue *untouched = (tw_queue *)&untouched, *queue = untouched;
    tw_context *context = NULL;
    tw_test_use_sim(3);
    tw_device *devices[2] = {tw_test_device(1), tw_test_device(2)};
    TW_PASS(tw_context_create(devices, 2, NULL, NULL, &context));
    TW_FAIL(tw_queue_create_in_context_by_selector(context, only_this, tw_test_device(0), 0, NULL, NULL, &queue),
            TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_queue_create_in_context_by_selector(context, tw_gpu_selector, NULL, 0, NULL, NULL, &queue),
            TW_ERROR_NO_DEVICE);
    TW_FAIL(tw_queue_create_in_context_by_selector(NULL, only_this, devices[0], 0, NULL, NULL, &queue),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_in_context_by_selector(context, NULL, NULL, 0, NULL, NULL, NULL),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_in_context_by_selector(context, NULL, NULL, 0x8000, NULL, NULL, &queue),
            TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(queue == untouched);
    TW_PASS(
        tw_queue_create_in_context_by_selector(context, only_this, devices[1], TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    TW_CHECK(tw_queue_device(queue) == devices[1] && tw_queue_context(queue) == context && tw_queue_is_in_order(queue));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_create_in_context_by_selector(context, NULL, NULL, 0, NULL, NULL, &queue));
    TW_CHECK(tw_queue_device(queue) == devices[0]);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_destroy(&context));
}

/* A queue without a context has one of its own, which may outlive it. Its errors go where the queue's go. */
TW_TEST(a_queue_has_a_context_of_its_own)
{
    struct log log = {0};
    tw_queue *queue = NULL, *second = NULL;
    tw_device *got = NULL;
    size_t count = 0;
    tw_test_use_sim(1);
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    tw_context *context = tw_queue_context(queue), *borrowed = context;
    TW_CHECK(context && tw_queue_context(queue) == context);
    TW_PASS(tw_context_get_devices(context, &got, 1, &count));
    TW_CHECK(count == 1 && got == tw_queue_device(queue));
    TW_FAIL(tw_context_destroy(&borrowed), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(borrowed == context);
    TW_CHECK(tw_context_retain(context) == context);
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &second));
    submit_failing(second, buffer);
    TW_PASS(tw_queue_destroy(&second));
    TW_EQUAL(log.count, 1);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_get_devices(context, &got, 1, &count));
    TW_EQUAL(count, 1);
    TW_PASS(tw_context_destroy(&context));
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(a_queue_has_handles_and_answers)
{
    tw_queue *queue = NULL;
    tw_device *device = NULL;
    tw_context *context = NULL;
    size_t handles = 0;
    unsigned properties = 0;
    int value = 0;
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create_with_properties(NULL, tw_test_device(0), TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    tw_queue *other = tw_queue_retain(queue);
    TW_CHECK(other == queue && tw_queue_retain(NULL) == NULL);
    TW_PASS(tw_queue_info(queue, TW_QUEUE_INFO_REFERENCE_COUNT, &handles, sizeof handles));
    TW_EQUAL(handles, 2);
    submit_put(queue, buffer, 5, NULL);
    TW_PASS(tw_queue_destroy(&queue));
    TW_CHECK(!queue);
    tw_test_fetch(buffer, &value);
    TW_EQUAL(value, 5);
    submit_put(other, buffer, 6, NULL);
    TW_PASS(tw_queue_info(other, TW_QUEUE_INFO_REFERENCE_COUNT, &handles, sizeof handles));
    TW_EQUAL(handles, 1);
    TW_PASS(tw_queue_info(other, TW_QUEUE_INFO_DEVICE, &device, sizeof(tw_device *)));
    TW_CHECK(device == tw_test_device(0));
    TW_PASS(tw_queue_info(other, TW_QUEUE_INFO_CONTEXT, &context, sizeof(tw_context *)));
    TW_CHECK(context && context == tw_queue_context(other));
    TW_PASS(tw_queue_info(other, TW_QUEUE_INFO_PROPERTIES, &properties, sizeof properties));
    TW_EQUAL(properties, TW_QUEUE_IN_ORDER);
    TW_PASS(tw_queue_set_profiling(other, true));
    TW_PASS(tw_queue_info(other, TW_QUEUE_INFO_PROPERTIES, &properties, sizeof properties));
    TW_EQUAL(properties, TW_QUEUE_IN_ORDER | TW_QUEUE_PROFILING);
    TW_FAIL(tw_queue_info(other, TW_QUEUE_INFO_COUNT, &handles, sizeof handles), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_info(other, TW_QUEUE_INFO_DEVICE, &device, 1), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_info(other, TW_QUEUE_INFO_DEVICE, NULL, sizeof(tw_device *)), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_info(NULL, TW_QUEUE_INFO_DEVICE, &device, sizeof(tw_device *)), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_destroy(&other));
    tw_test_fetch(buffer, &value);
    TW_EQUAL(value, 6);
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(creation_refuses_nulls_and_foreign_devices)
{
    tw_device *host = NULL;
    tw_context *context = NULL;
    tw_queue *untouched = (tw_queue *)&untouched, *queue = untouched;
    tw_test_use_sim(2);
    tw_device *devices[2] = {tw_test_device(0), tw_test_device(1)};
    TW_PASS(tw_select_device(tw_host_selector, NULL, &host));
    TW_PASS(tw_context_create(devices, 1, NULL, NULL, &context));
    TW_FAIL(tw_queue_create(NULL, NULL, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_on_device(NULL, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_on_device(host, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_in_context(NULL, host, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_in_context(context, host, NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_in_context(context, devices[1], NULL, NULL, &queue), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_create_in_context(context, NULL, NULL, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(queue == untouched);
    TW_PASS(tw_context_destroy(&context));
    TW_CHECK(tw_queue_device(NULL) == NULL && tw_queue_context(NULL) == NULL && !tw_queue_is_host(NULL));
    TW_PASS(tw_queue_destroy(NULL));
}

/* Properties 22 and 67. */
TW_TEST(waiting_on_an_idle_queue_is_legal_and_calls_no_handler)
{
    struct log log = {0};
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    for (int round = 0; round < 2; ++round) {
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_queue_wait_and_throw(queue));
        TW_PASS(tw_queue_throw_asynchronous(queue));
        submit_put(queue, buffer, 1, round ? NULL : &event);
    }
    TW_CHECK(event != NULL);
    TW_PASS(tw_event_wait_and_throw(event));
    tw_event_release(&event);
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(log.calls, 0);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_FAIL(tw_queue_wait(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_wait_and_throw(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_throw_asynchronous(NULL), TW_ERROR_INVALID_ARGUMENT);
}

TW_TEST(destruction_waits_for_the_commands)
{
    tw_queue *queue = tw_test_queue();
    tw_event *last = NULL;
    tw_buffer *buffer = int_buffer();
    int value = 0;
    submit_put(queue, buffer, 0, NULL);
    for (int i = 0; i < 50; ++i) {
        tw_event_release(&last);
        tw_command_group *cg = tw_queue_begin(queue);
        tw_single_task(cg, add_one, .out = tw_read_write(cg, buffer), .value = 1);
        TW_PASS(tw_queue_submit(queue, cg, &last));
    }
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(tw_event_get_state(last), TW_EVENT_COMPLETE);
    tw_event_release(&last);
    tw_test_fetch(buffer, &value);
    TW_EQUAL(value, 50);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* ---- errors, on simulated devices -------------------------------------------------------------------------------- */

/* Property 68, first half. */
TW_TEST(the_handler_of_the_queue_has_priority_over_the_contexts)
{
    struct log of_context = {0}, of_queue = {0};
    tw_context *context = NULL;
    tw_queue *own = NULL, *without = NULL;
    tw_test_use_sim(1);
    tw_device *device = tw_test_device(0);
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_context_create(&device, 1, keep, &of_context, &context));
    TW_PASS(tw_queue_create_in_context(context, device, keep, &of_queue, &own));
    TW_PASS(tw_queue_create_in_context(context, device, NULL, NULL, &without));
    submit_failing(own, buffer);
    TW_PASS(tw_queue_wait_and_throw(own));
    TW_EQUAL(of_queue.count, 1);
    TW_EQUAL(of_context.count, 0);
    TW_EQUAL(of_queue.statuses[0], TW_ERROR_LAUNCH_FAILED);
    submit_failing(without, buffer);
    TW_PASS(tw_queue_wait_and_throw(without));
    TW_EQUAL(of_queue.count, 1);
    TW_EQUAL(of_context.count, 1);
    TW_EQUAL(of_context.statuses[0], TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_queue_destroy(&own));
    TW_PASS(tw_queue_destroy(&without));
    TW_PASS(tw_context_destroy(&context));
    TW_EQUAL(of_queue.count + of_context.count, 2);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* Property 30 for queues: wait reports nothing while there is a handler, and each error comes once. Property 69: with
   what failed and where. */
TW_TEST(each_error_is_delivered_once)
{
    struct log log = {0};
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    tw_test_use_sim(1);
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    TW_PASS(tw_sim_fail_nth(tw_test_device(0), TW_SIM_LAUNCH, 1));
    const int line = submit_put(queue, buffer, 1, &event);
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(log.calls, 0);
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    TW_EQUAL(log.calls, 0);
    TW_PASS(tw_queue_throw_asynchronous(queue));
    TW_EQUAL(log.calls, 1);
    TW_EQUAL(log.count, 1);
    TW_CHECK(!strcmp(log.kernels[0], "put_one"));
    TW_CHECK(strstr(log.files[0], "test_queue.c") != NULL);
    TW_EQUAL(log.lines[0], line);
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_FAIL(tw_event_wait_and_throw(event), TW_ERROR_LAUNCH_FAILED);
    TW_EQUAL(log.calls, 1);
    tw_event_release(&event);
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(log.calls, 1);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* Property 68, second half. */
TW_TEST(one_call_carries_several_errors_in_their_order)
{
    struct log log = {0};
    tw_queue *queue = NULL;
    tw_test_use_sim(1);
    tw_buffer *buffers[5];
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    for (int i = 0; i < 5; ++i) {
        buffers[i] = int_buffer();
        submit_failing(queue, buffers[i]);
        TW_PASS(tw_queue_wait(queue));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_EQUAL(log.calls, 1);
    TW_EQUAL(log.count, 5);
    for (int i = 0; i < 5; ++i) {
        TW_EQUAL(log.statuses[i], TW_ERROR_LAUNCH_FAILED);
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(dependants_are_cancelled_and_name_the_cause)
{
    struct log log = {0};
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    tw_test_use_sim(1);
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    submit_failing(queue, buffer);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, add_one, .out = tw_read_write(cg, buffer), .value = 1);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "put_one") != NULL);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_FAILED);
    TW_EQUAL(tw_event_get_status(event), TW_ERROR_CANCELLED);
    tw_event_release(&event);
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(log.count, 2);
    TW_EQUAL(log.statuses[0], TW_ERROR_LAUNCH_FAILED);
    TW_EQUAL(log.statuses[1], TW_ERROR_CANCELLED);
    TW_CHECK(strstr(log.messages[1], "put_one") != NULL);
    TW_CHECK(!strcmp(log.kernels[1], "add_one"));
    TW_PASS(tw_buffer_destroy(&buffer));
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); ++text)
        ++count;
    return count;
}

/* Whoever brings the message adds the kernel's name only where it is not there yet. */
TW_TEST(messages_name_a_kernel_once)
{
    struct log log = {0};
    tw_queue *queue = NULL;
    tw_event *events[2] = {NULL};
    tw_test_use_sim(1);
    tw_buffer *buffer = int_buffer();
    for (int with_handler = 0; with_handler < 2; ++with_handler) {
        TW_PASS(tw_queue_create(NULL, NULL, with_handler ? keep : NULL, &log, &queue));
        submit_failing(queue, buffer);
        for (int i = 0; i < 2; ++i) {
            tw_command_group *cg = tw_queue_begin(queue);
            if (i == 0)
                tw_single_task(cg, add_one, .out = tw_read_write(cg, buffer), .value = 1);
            TW_PASS(tw_queue_submit(queue, cg, &events[i]));
        }
        TW_FAIL(tw_event_wait(events[0]), TW_ERROR_CANCELLED);
        TW_EQUAL(occurrences(tw_error_detail(), "put_one"), 1);
        if (with_handler) {
            TW_PASS(tw_queue_wait_and_throw(queue));
            TW_EQUAL(log.count, 2);
            TW_EQUAL(occurrences(log.messages[0], "put_one"), 1);
            TW_EQUAL(occurrences(log.messages[1], "put_one"), 1);
        } else {
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
            TW_EQUAL(occurrences(tw_error_detail(), "put_one"), 1);
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
            TW_EQUAL(occurrences(tw_error_detail(), "put_one"), 1);
            TW_EQUAL(occurrences(tw_error_detail(), "kernel add_one: not run"), 1);
        }
        tw_event_release(&events[0]);
        tw_event_release(&events[1]);
        TW_PASS(tw_queue_destroy(&queue));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(without_a_handler_the_next_wait_returns_the_first_error)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = int_buffer();
    submit_failing(queue, buffer);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "put_one") != NULL);
    TW_PASS(tw_queue_wait(queue));
    submit_failing(queue, buffer);
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_queue_throw_asynchronous(queue));
    submit_failing(queue, buffer);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(queue == NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(destruction_delivers_to_the_handler)
{
    struct log log = {0}, of_context = {0};
    tw_context *context = NULL;
    tw_queue *queue = NULL;
    tw_test_use_sim(1);
    tw_device *device = tw_test_device(0);
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    submit_failing(queue, buffer);
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(log.count, 1);
    /* a context that goes first waits for its queues, delivers their errors, and lives on for them */
    TW_PASS(tw_context_create(&device, 1, keep, &of_context, &context));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &queue));
    submit_failing(queue, buffer);
    TW_PASS(tw_context_destroy(&context));
    TW_EQUAL(of_context.count, 1);
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(of_context.count, 1);
    /* and without any handler, destroying the context returns the first error */
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &queue));
    submit_failing(queue, buffer);
    TW_FAIL(tw_context_destroy(&context), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&buffer));
}

static void submit_from_handler(const tw_error *errors, size_t count, void *user)
{
    tw_queue **queues = user;
    tw_buffer *buffer = int_buffer();
    (void)errors;
    TW_EQUAL(count, 1);
    submit_put(queues[0], buffer, 3, NULL);
    TW_PASS(tw_queue_wait(queues[0]));
    TW_PASS(tw_buffer_destroy(&buffer));
    queues[1] = queues[0];
}

TW_TEST(a_handler_may_use_the_library)
{
    tw_queue *queues[2] = {NULL, NULL};
    tw_test_use_sim(1);
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_queue_create(NULL, NULL, submit_from_handler, queues, &queues[0]));
    submit_failing(queues[0], buffer);
    TW_PASS(tw_queue_wait_and_throw(queues[0]));
    TW_CHECK(queues[1] == queues[0]);
    TW_PASS(tw_queue_destroy(&queues[0]));
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* The kernel and the name of the file may be from a library that is closed when nothing of it is in use any more. */
TW_TEST(errors_say_the_same_when_the_submitters_library_is_closed)
{
    char file[] = "closed.c", name[] = "unloaded";
    struct tw_internal_kernel kernel = put_one_kernel.single_task_kernel;
    struct log log = {0};
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    int value = 0;
    tw_buffer *buffer = NULL;
    tw_test_use_sim(1);
    TW_PASS(tw_queue_create(NULL, NULL, keep, &log, &queue));
    TW_PASS(tw_buffer_create_over(&value, sizeof value, tw_range_1d(1), &buffer));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
    kernel.name = name;
    kernel.file = file;
    tw_command_group *cg = tw_queue_begin(queue);
    const struct put_one args = {.out = tw_read_write(cg, buffer)};
    tw_single_task_kernel(cg, &kernel, &args, sizeof args);
    TW_PASS(tw_internal_submit(queue, cg, &event, file, 17));
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    memset(file, '?', sizeof file - 1);
    memset(name, '?', sizeof name - 1);
    memset(&kernel, 0, sizeof kernel);
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "kernel unloaded"));
    tw_event_release(&event);
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_CHECK(log.count == 1 && !strcmp(log.files[0], "closed.c") && !strcmp(log.kernels[0], "unloaded"));
    TW_EQUAL(log.lines[0], 17);
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
    TW_CHECK(strstr(tw_error_detail(), "unloaded") && strstr(tw_error_detail(), "closed.c:17"));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- programs that go on in spite of errors ---------------------------------------------------------------------- */

#if defined(__GLIBC__) && defined(__has_feature)
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
#include <malloc.h>
#define ALLOCATED_BYTES() mallinfo2().uordblks
#endif
#endif

/* A command that fails, one that is cancelled, and one that makes the buffer whole again: nothing stays of the first
   two. */
static void fail_often(tw_queue *queue, tw_buffer *buffer, int turns)
{
    for (int turn = 0; turn < turns; ++turn) {
        submit_failing(queue, buffer);
        TW_COMMAND_GROUP(queue, cg) {
            tw_single_task(cg, add_one, .out = tw_read_write(cg, buffer), .value = 1);
        }
        TW_EQUAL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
        submit_put(queue, buffer, turn, NULL);
        TW_PASS(tw_queue_wait(queue));
    }
}

TW_TEST(errors_that_were_delivered_take_no_memory)
{
#ifdef ALLOCATED_BYTES
    enum { TURNS = 3000 };
    for (int asynchronous = 0; asynchronous < 2; ++asynchronous) {
        tw_test_use_sim(1);
        setenv("TW_SIM_ASYNC", asynchronous ? "1" : "0", 1);
        tw_queue *queue = tw_test_queue();
        tw_buffer *buffer = int_buffer();
        fail_often(queue, buffer, TURNS); /* threads come to keep memory that they have freed */
        const size_t before = ALLOCATED_BYTES();
        fail_often(queue, buffer, TURNS);
        const size_t after = ALLOCATED_BYTES();
        TW_CHECK(after < before + 30 * TURNS); /* a record or a failure has more than 100 bytes */
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_queue_destroy(&queue));
    }
#else
    (void)fail_often;
    TW_SKIP();
#endif
}

/* Errors that nobody takes: so many are kept, and how many more there were is told last. */
static size_t told;
static tw_error last_told;
static char last_message[256];
static void count_errors(const tw_error *errors, size_t count, void *user)
{
    (void)user;
    told += count;
    last_told = errors[count - 1];
    snprintf(last_message, sizeof last_message, "%s", last_told.message);
}

TW_TEST(a_queue_keeps_65536_errors)
{
    enum { KEPT = 65536, MORE = 3 };
    tw_queue *queues[2] = {NULL, tw_test_queue()};
    TW_PASS(tw_queue_create(NULL, NULL, count_errors, NULL, &queues[0]));
    told = 0;
    for (int i = 0; i < KEPT + MORE; ++i)
        for (int q = 0; q < 2; ++q)
            TW_COMMAND_GROUP(queues[q], cg) {
                tw_read(cg, NULL);
            }
    TW_PASS(tw_queue_wait_and_throw(queues[0]));
    TW_EQUAL(told, KEPT + 1);
    TW_EQUAL(last_told.status, TW_ERROR_OUT_OF_MEMORY);
    TW_CHECK(strstr(last_message, "3 errors"));
    for (int i = 0; i < KEPT; ++i)
        TW_EQUAL(tw_queue_wait(queues[1]), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_OUT_OF_MEMORY);
    TW_PASS(tw_queue_wait(queues[1]));
    for (int q = 0; q < 2; ++q)
        TW_PASS(tw_queue_destroy(&queues[q]));
}

/* ---- what a record says ------------------------------------------------------------------------------------------ */

struct records {
    size_t count;
    tw_error errors[8]; /* without their strings */
};

static void keep_records(const tw_error *errors, size_t count, void *user)
{
    struct records *records = user;
    for (size_t i = 0; i < count && records->count < 8; ++i)
        records->errors[records->count++] = errors[i];
}

static void expect_record(const tw_error *error, tw_status status, tw_queue *queue, tw_context *context, int operation)
{
    TW_EQUAL(error->status, status);
    TW_CHECK(error->queue == queue);
    TW_CHECK(error->device == tw_queue_device(queue));
    TW_CHECK(error->context == context);
    TW_EQUAL(error->native.api, operation < 0 ? TW_NATIVE_NONE : TW_NATIVE_SIM);
    TW_EQUAL(error->native.code, operation < 0 ? 0 : operation);
}

TW_TEST(a_record_names_queue_device_context_and_native_code)
{
    struct records records = {.count = 0};
    tw_context *context = NULL;
    tw_queue *queue = NULL;
    tw_test_use_sim(2);
    tw_device *device = tw_test_device(1);
    TW_PASS(tw_context_create(&device, 1, keep_records, &records, &context));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &queue));
    tw_buffer *buffer = int_buffer(), *other = tw_test_ints(1, 1);
    submit_failing(queue, buffer);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, add_one, .out = tw_read_write(cg, buffer), .value = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL)); /* cancelled: `buffer` is lost */
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, 1));
    cg = tw_queue_begin(queue);
    tw_single_task(cg, add_one, .out = tw_read_write(cg, other), .value = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_COMMAND_GROUP(queue, block) {
        tw_read(block, NULL);
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_EQUAL(records.count, 4);
    size_t refused = 0; /* the error of the block is there at once, the copy's when it has failed */
    while (refused < 3 && records.errors[refused].status != TW_ERROR_INVALID_ARGUMENT)
        ++refused;
    TW_CHECK(refused >= 2);
    expect_record(&records.errors[0], TW_ERROR_LAUNCH_FAILED, queue, context, TW_SIM_LAUNCH);
    expect_record(&records.errors[1], TW_ERROR_CANCELLED, queue, context, TW_SIM_LAUNCH); /* that of the first */
    expect_record(&records.errors[refused], TW_ERROR_INVALID_ARGUMENT, queue, context, -1);
    expect_record(&records.errors[5 - refused], TW_ERROR_TRANSFER_FAILED, queue, context, TW_SIM_COPY);
    (void)tw_buffer_destroy(&buffer);
    (void)tw_buffer_destroy(&other);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_destroy(&context));
}

TW_TEST(calls_that_fail_tell_the_native_code)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = int_buffer();
    tw_event *event = NULL;
    TW_EQUAL(tw_error_native_code().api, TW_NATIVE_NONE);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
    submit_put(queue, buffer, 1, &event);
    TW_FAIL(tw_event_wait(event), TW_ERROR_LAUNCH_FAILED);
    TW_EQUAL(tw_error_native_code().api, TW_NATIVE_SIM);
    TW_EQUAL(tw_error_native_code().code, TW_SIM_LAUNCH);
    TW_FAIL(tw_event_get_times(event, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_EQUAL(tw_error_native_code().api, TW_NATIVE_NONE);
    TW_EQUAL(tw_error_native_code().code, 0);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED); /* takes the record */
    TW_EQUAL(tw_error_native_code().api, TW_NATIVE_SIM);
    TW_PASS(tw_queue_wait(queue)); /* a success changes nothing */
    TW_EQUAL(tw_error_native_code().code, TW_SIM_LAUNCH);
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- waits that cannot end --------------------------------------------------------------------------------------- */

TW_TEST(a_wait_for_what_this_thread_holds_back_is_refused)
{
    tw_device *device = tw_test_device(0);
    tw_context *context = NULL;
    tw_queue *queue = NULL;
    tw_event *event = NULL;
    tw_host_accessor *accessor = NULL;
    tw_buffer *buffer = int_buffer();
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    TW_PASS(tw_queue_create_in_context(context, NULL, NULL, NULL, &queue));
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor));
    submit_put(queue, buffer, 9, &event);
    const tw_queue *const queue_was = queue;
    const tw_context *const context_was = context;
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(queue == queue_was);
    TW_FAIL(tw_context_destroy(&context), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(context == context_was);
    TW_FAIL(tw_event_wait(event), TW_ERROR_WOULD_DEADLOCK);
    TW_PASS(tw_queue_throw_asynchronous(queue));
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_context_destroy(&context));
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST_LIST = {TW_CASE(creation_and_what_the_queue_knows),
                TW_CASE(a_selector_chooses_among_the_devices_of_a_context),
                TW_CASE(a_queue_has_a_context_of_its_own),
                TW_CASE(a_queue_has_handles_and_answers),
                TW_CASE(creation_refuses_nulls_and_foreign_devices),
                TW_CASE(waiting_on_an_idle_queue_is_legal_and_calls_no_handler),
                TW_CASE(destruction_waits_for_the_commands),
                TW_CASE(the_handler_of_the_queue_has_priority_over_the_contexts),
                TW_CASE(each_error_is_delivered_once),
                TW_CASE(one_call_carries_several_errors_in_their_order),
                TW_CASE(dependants_are_cancelled_and_name_the_cause),
                TW_CASE(messages_name_a_kernel_once),
                TW_CASE(without_a_handler_the_next_wait_returns_the_first_error),
                TW_CASE(destruction_delivers_to_the_handler),
                TW_CASE(a_handler_may_use_the_library),
                TW_CASE(errors_say_the_same_when_the_submitters_library_is_closed),
                TW_CASE(errors_that_were_delivered_take_no_memory),
                TW_CASE(a_queue_keeps_65536_errors),
                TW_CASE(a_record_names_queue_device_context_and_native_code),
                TW_CASE(calls_that_fail_tell_the_native_code),
                TW_CASE(a_wait_for_what_this_thread_holds_back_is_refused),
                TW_CASES_END};
