/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * The n-th allocation of host memory inside a call fails, for every n: the call says so and leaves its outputs alone,
 * or copes.
 */
#include "failing_memory.h"
#include "int_kernels.h"

#include <teamwork/command_graph.h>
#include <teamwork/copy.h>
#include <teamwork/storage.h>
#include <teamwork/task.h>

/* Whether the call came to its end; if not it must have said why. */
static bool succeeded(tw_status status)
{
    if (fired && status != TW_SUCCESS) {
        if (status != TW_ERROR_OUT_OF_DEVICE_MEMORY)
            TW_EQUAL(status, TW_ERROR_OUT_OF_MEMORY);
        TW_CHECK(*tw_error_detail());
        return false;
    }
    TW_EQUAL(status, TW_SUCCESS);
    return true;
}

enum { N = 32, MOST = 100 };

/* Discovery is done before anything is made to fail: what it calls does not belong to the library. */
static tw_device *device_of(bool sim)
{
    tw_device *device = NULL;
    tw_test_use_sim(1);
    if (sim)
        return tw_test_device(0);
    TW_PASS(tw_select_device(tw_host_selector, NULL, &device));
    return device;
}

TW_TEST(queues_and_contexts)
{
    NEEDS_MALLOC;
    tw_device *device = device_of(true);
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        tw_context *context = NULL;
        tw_queue *queue = NULL;
        TW_CHECK(n < MOST);
        arm(n);
        tw_status status = tw_context_create(&device, 1, NULL, NULL, &context);
        disarm();
        done = !fired;
        TW_CHECK(succeeded(status) == (context != NULL));
        arm(n);
        status = tw_queue_create_on_device(device, NULL, NULL, &queue);
        disarm();
        done = done && !fired;
        TW_CHECK(succeeded(status) == (queue != NULL));
        TW_PASS(tw_queue_destroy(&queue));
        if (context) {
            arm(n);
            status = tw_queue_create_in_context(context, device, NULL, NULL, &queue);
            disarm();
            done = done && !fired;
            TW_CHECK(succeeded(status) == (queue != NULL));
        }
        TW_PASS(tw_queue_destroy(&queue));
        TW_PASS(tw_context_destroy(&context));
    }
}

static tw_status create_buffer(int kind, int *data, tw_buffer **buffer)
{
    switch (kind) {
    case 0:
        return tw_buffer_create(sizeof(int), tw_range_1d(N), buffer);
    case 1:
        return tw_buffer_create_over(data, sizeof(int), tw_range_1d(N), buffer);
    case 2:
        return tw_buffer_create_over_const(data, sizeof(int), tw_range_1d(N), buffer);
    default:
        return tw_buffer_create_copy(data, sizeof(int), tw_range_1d(N), buffer);
    }
}

TW_TEST(buffers)
{
    NEEDS_MALLOC;
    int data[N] = {0};
    device_of(true);
    for (int kind = 0; kind < 4; ++kind) {
        bool done = false;
        for (unsigned n = 1; !done; ++n) {
            tw_buffer *buffer = NULL;
            TW_CHECK(n < MOST);
            arm(n);
            const tw_status status = create_buffer(kind, data, &buffer);
            disarm();
            done = !fired;
            TW_CHECK(succeeded(status) == (buffer != NULL));
            TW_PASS(tw_buffer_destroy(&buffer));
        }
    }
}

/* A group with many accessors, from its beginning to its submission. */
static tw_status submit_gather(tw_queue *queue, tw_buffer **in, tw_buffer *out, tw_event **event)
{
    struct inputs inputs;
    tw_command_group *cg = tw_queue_begin(queue);
    for (int b = 0; b < INPUTS; ++b)
        inputs.at[b] = tw_read(cg, in[b]);
    tw_parallel_for(cg, tw_range_1d(N), gather, .in = inputs, .out = tw_discard_write(cg, out));
    return tw_queue_submit(queue, cg, event);
}

/* With one group held back, so that submission also makes dependencies, and no kernel runs while malloc is armed. */
static bool try_group(tw_queue *queue, unsigned n)
{
    int data[N], result[N];
    struct tw_gate gate;
    tw_buffer *in[INPUTS], *out = NULL;
    tw_event *event = NULL, *list[4] = {NULL};
    size_t count = 0;
    for (int i = 0; i < N; ++i)
        data[i] = i;
    for (int b = 0; b < INPUTS; ++b)
        TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(N), &in[b]));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &out));
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, gate.buffer);
    tw_write(cg, out);
    for (int b = 0; b < INPUTS; ++b)
        tw_read_write(cg, in[b]);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    arm(n);
    const tw_status status = submit_gather(queue, in, out, &event);
    disarm();
    bool done = !fired;
    const bool submitted = succeeded(status);
    TW_CHECK(submitted == (event != NULL));
    arm(n);
    const tw_status listed = tw_event_get_wait_list(event, list, 4, &count);
    disarm();
    done = done && !fired;
    if (succeeded(listed))
        TW_EQUAL(count, submitted ? 1 : 0);
    tw_event_release(&list[0]);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    TW_PASS(tw_queue_wait(queue));
    if (submitted) {
        tw_test_fetch(out, result);
        for (int i = 0; i < N; ++i)
            TW_EQUAL(result[i], INPUTS * i);
    }
    tw_gate_free(&gate);
    for (int b = 0; b < INPUTS; ++b)
        TW_PASS(tw_buffer_destroy(&in[b]));
    TW_PASS(tw_buffer_destroy(&out));
    return done;
}

static void groups_on(bool sim)
{
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(sim), NULL, NULL, &queue));
    unsigned n = 1;
    while (!try_group(queue, n))
        TW_CHECK(++n < MOST);
    TW_CHECK(n > 1);
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(tw_test_device(0));
}

TW_TEST(groups_on_a_simulated_device)
{
    NEEDS_MALLOC;
    groups_on(true);
}

TW_TEST(groups_on_the_host)
{
    NEEDS_MALLOC;
    groups_on(false);
}

/* A group whose data another device is about to write: the copy and the kernel are enqueued, with what they follow,
   when it is submitted. What cannot be enqueued fails, and what is read stays whole. */
static bool try_across(tw_queue *const queues[2], unsigned n)
{
    int data[N], result[N];
    tw_buffer *in = NULL, *middle = NULL, *out = NULL;
    tw_event *event = NULL;
    for (int i = 0; i < N; ++i)
        data[i] = i;
    TW_PASS(tw_buffer_create_copy(data, sizeof *data, tw_range_1d(N), &in));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &middle));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &out));
    tw_buffer *ins[INPUTS], *middles[INPUTS];
    for (int b = 0; b < INPUTS; ++b) {
        ins[b] = in;
        middles[b] = middle;
    }
    TW_PASS(submit_gather(queues[0], ins, middle, NULL));
    arm(n);
    const tw_status status = submit_gather(queues[1], middles, out, &event);
    disarm();
    const bool done = !fired;
    TW_CHECK((status == TW_SUCCESS) == (event != NULL));
    if (!event)
        succeeded(status);
    const bool written = event && succeeded(tw_event_wait(event));
    tw_event_release(&event);
    if (!written && status == TW_SUCCESS)
        TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_OUT_OF_MEMORY);
    if (!written)
        TW_PASS(submit_gather(queues[1], middles, out, NULL));
    tw_test_fetch(out, result);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(result[i], INPUTS * INPUTS * i);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&middle));
    TW_PASS(tw_buffer_destroy(&out));
    return done;
}

TW_TEST(groups_across_asynchronous_devices)
{
    NEEDS_MALLOC;
    tw_queue *queues[2];
    tw_test_use_sim(2);
    setenv("TW_SIM_ASYNC", "1", 1);
    tw_test_queues(queues, 2);
    TW_PASS(tw_sim_delay(tw_test_device(0), TW_SIM_LAUNCH, 1000000)); /* so that there is something to follow */
    unsigned n = 1;
    while (!try_across(queues, n))
        TW_CHECK(++n < MOST);
    TW_CHECK(n > 3);
    tw_test_destroy_queues(queues, 2);
    tw_test_released(tw_test_device(0));
    tw_test_released(tw_test_device(1));
}

TW_TEST(blocks_keep_the_error_for_the_next_wait)
{
    NEEDS_MALLOC;
    int value = 0;
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    TW_PASS(tw_buffer_create_over(&value, sizeof value, tw_range_1d(1), &buffer));
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        TW_CHECK(n < MOST);
        arm(n);
        TW_COMMAND_GROUP(queue, cg) {
            tw_read_write(cg, buffer);
        }
        disarm();
        done = !fired;
        succeeded(tw_queue_wait(queue));
        TW_PASS(tw_queue_wait(queue));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(host_accessors)
{
    NEEDS_MALLOC;
    int data[N] = {5};
    bool done = false;
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    for (unsigned n = 1; !done; ++n) {
        tw_buffer *buffer = NULL;
        tw_host_accessor *accessor = NULL;
        TW_CHECK(n < MOST);
        TW_PASS(tw_buffer_create_over_const(data, sizeof *data, tw_range_1d(N), &buffer));
        arm(n);
        const tw_status status = tw_host_access(buffer, TW_READ, &accessor);
        disarm();
        done = !fired;
        TW_CHECK(succeeded(status) == (accessor != NULL));
        if (accessor)
            TW_EQUAL(*(const int *)tw_host_accessor_const_data(accessor), 5);
        tw_host_accessor_release(&accessor);
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* To find what waits for this thread's accessor takes no memory: else a call would wait for itself. */
TW_TEST(deadlocks_are_found_without_memory)
{
    NEEDS_MALLOC;
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    tw_host_accessor *held = NULL, *second = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &buffer));
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &held));
    for (int i = 0; i < 200; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_read_write(cg, buffer);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    for (unsigned n = 1; n < 5; ++n) {
        arm(n);
        const tw_status waited = tw_queue_wait(queue);
        arm(n);
        const tw_status accessed = tw_host_access(buffer, TW_READ, &second);
        disarm();
        TW_EQUAL(waited, TW_ERROR_WOULD_DEADLOCK);
        if (!fired)
            TW_EQUAL(accessed, TW_ERROR_WOULD_DEADLOCK);
        TW_CHECK(accessed != TW_SUCCESS && !second);
    }
    tw_host_accessor_release(&held);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* A destruction that has no memory to wait leaves the buffer as it was: the program's memory is still in use. It can be
   tried again, and nothing is lost. */
TW_TEST(destruction)
{
    NEEDS_MALLOC;
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        int data[N] = {1};
        tw_buffer *buffer = NULL;
        TW_CHECK(n < MOST);
        TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_read_write(cg, buffer);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue));
        arm(n);
        const tw_status status = tw_buffer_destroy(&buffer);
        disarm();
        done = !fired;
        TW_CHECK((buffer == NULL) == succeeded(status));
        if (!succeeded(status))
            TW_PASS(tw_buffer_destroy(&buffer));
        TW_CHECK(buffer == NULL);
        TW_EQUAL(data[0], 1);
    }
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(tw_test_device(0));
}

/* ---- storage objects --------------------------------------------------------------------------------------------- */

/* The memory that a storage names, and how often it was told the end, with which status. */
struct ended {
    int *data;
    int destroys, ends;
    tw_status status;
};
static const void *initial_of(void *user)
{
    return ((struct ended *)user)->data;
}
static void *final_of(void *user)
{
    return ((struct ended *)user)->data;
}
static void count_destroy(void *user)
{
    ++((struct ended *)user)->destroys;
}
static void note_end(void *user, tw_status status)
{
    struct ended *ended = user;
    ++ended->ends;
    ended->status = status;
}

TW_TEST(creation_with_storage)
{
    NEEDS_MALLOC;
    int data[N] = {0};
    struct ended ended = {.data = data};
    const tw_storage storage = {.user = &ended, .initial_data = initial_of, .finished = note_end};
    device_of(true);
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        tw_buffer *buffer = NULL;
        tw_async_storage *own = NULL;
        TW_CHECK(n < MOST);
        ended.ends = 0;
        arm(n);
        tw_status status = tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer);
        disarm();
        done = !fired;
        TW_CHECK(succeeded(status) == (buffer != NULL));
        TW_EQUAL(ended.ends, 0);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_EQUAL(ended.ends, status == TW_SUCCESS); /* a buffer that there never was tells nothing */
        arm(n);
        status = tw_async_storage_create(N * sizeof(int), &own);
        disarm();
        done = done && !fired;
        TW_CHECK(succeeded(status) == (own != NULL));
        TW_PASS(tw_async_storage_destroy(&own));
    }
}

/* Destruction that brings contents from a device: all of it happens, or it is refused and can be tried again. */
TW_TEST(destruction_with_storage)
{
    NEEDS_MALLOC;
    int data[N];
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        struct ended ended = {.data = data};
        const tw_storage storage = {.user = &ended,
                                    .initial_data = initial_of,
                                    .final_data = final_of,
                                    .destroy = count_destroy,
                                    .finished = note_end};
        tw_buffer *buffer = NULL, *other = NULL;
        TW_CHECK(n < MOST);
        for (int i = 0; i < N; ++i)
            data[i] = i;
        TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &other));
        tw_command_group *cg = tw_queue_begin(queue);
        struct inputs inputs;
        for (int b = 0; b < INPUTS; ++b)
            inputs.at[b] = tw_read(cg, buffer);
        tw_parallel_for(cg, tw_range_1d(N), gather, .in = inputs, .out = tw_discard_write(cg, other));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        cg = tw_queue_begin(queue);
        for (int b = 0; b < INPUTS; ++b)
            inputs.at[b] = tw_read(cg, other);
        tw_parallel_for(cg, tw_range_1d(N), gather, .in = inputs, .out = tw_discard_write(cg, buffer));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue));
        arm(n);
        const tw_status status = tw_buffer_destroy(&buffer);
        disarm();
        done = !fired;
        TW_CHECK(succeeded(status) == (buffer == NULL));
        TW_EQUAL(ended.destroys, buffer == NULL);
        TW_EQUAL(ended.ends, buffer == NULL);
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_EQUAL(ended.destroys, 1);
        TW_EQUAL(ended.ends, 1);
        TW_EQUAL(ended.status, TW_SUCCESS);
        for (int i = 0; i < N; ++i)
            TW_EQUAL(data[i], INPUTS * INPUTS * i);
        TW_PASS(tw_buffer_destroy(&other));
    }
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(tw_test_device(0));
}

/* The places of a buffer and of its parts are set or not, and the contents come to all of them, or the destruction is
   refused and can be tried again. */
TW_TEST(destruction_with_final_data)
{
    NEEDS_MALLOC;
    int data[N], all[N], parts[2][N / 2];
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        tw_buffer *buffer = NULL, *subs[2] = {NULL, NULL};
        TW_CHECK(n < MOST);
        done = true;
        for (int i = 0; i < N; ++i)
            data[i] = i;
        TW_PASS(tw_buffer_create_copy(data, sizeof(int), tw_range_1d(N), &buffer));
        TW_PASS(tw_buffer_set_final_data(buffer, all));
        for (size_t s = 0; s < 2; ++s) {
            arm(n);
            tw_status status = tw_buffer_create_sub(buffer, tw_id_1d(s * N / 2), tw_range_1d(N / 2), &subs[s]);
            disarm();
            done = done && !fired;
            TW_CHECK(succeeded(status) == (subs[s] != NULL));
            if (!subs[s])
                TW_PASS(tw_buffer_create_sub(buffer, tw_id_1d(s * N / 2), tw_range_1d(N / 2), &subs[s]));
            arm(n);
            status = tw_buffer_set_final_data(subs[s], parts[s]);
            disarm();
            done = done && !fired;
            if (!succeeded(status))
                TW_PASS(tw_buffer_set_final_data(subs[s], parts[s]));
        }
        tw_command_group *cg = tw_queue_begin(queue); /* half of the contents is on the device */
        struct inputs inputs;
        for (int b = 0; b < INPUTS; ++b)
            inputs.at[b] = tw_read(cg, subs[0]);
        tw_parallel_for(cg, tw_range_1d(N / 2), gather, .in = inputs, .out = tw_discard_write(cg, subs[1]));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_buffer_destroy(&subs[0]));
        arm(n);
        const tw_status status = tw_buffer_destroy(&subs[1]);
        disarm();
        done = done && !fired;
        TW_CHECK(succeeded(status) == (subs[1] == NULL));
        TW_PASS(tw_buffer_destroy(&subs[1]));
        for (int i = 0; i < N; ++i) {
            TW_EQUAL(all[i], i < N / 2 ? i : INPUTS * (i - N / 2));
            TW_EQUAL(parts[i * 2 / N][i % (N / 2)], all[i]);
        }
    }
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(tw_test_device(0));
}

/* ---- markers, pools, graphs --------------------------------------------------------------------------------------- */

static void submit_add(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, in), .out = tw_read_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Behind groups that are held back, so that a marker has dependencies of its own. */
TW_TEST(markers_and_barriers)
{
    NEEDS_MALLOC;
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    tw_buffer *one = tw_test_ints(N, 1), *sum = tw_test_ints(N, 0);
    int expected = 0;
    bool done = false;
    for (unsigned n = 1; !done; ++n) {
        tw_event *start = NULL, *events[2] = {NULL, NULL};
        TW_CHECK(n < MOST);
        TW_PASS(tw_event_create_user(&start));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_depends_on(cg, start);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        submit_add(queue, one, sum);
        done = true;
        for (int i = 0; i < 2; ++i) {
            arm(n);
            const tw_status status =
                i ? tw_queue_submit_barrier(queue, &events[i]) : tw_queue_submit_marker(queue, &events[i]);
            disarm();
            done = done && !fired;
            TW_CHECK(succeeded(status) == (events[i] != NULL));
        }
        TW_PASS(tw_event_complete(start, TW_SUCCESS));
        for (int i = 0; i < 2; ++i) {
            TW_PASS(tw_event_wait(events[i]));
            tw_event_release(&events[i]);
        }
        TW_PASS(tw_queue_wait(queue));
        tw_test_expect_ints(sum, ++expected);
        tw_event_release(&start);
    }
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

/* What could not be freed can be freed again. */
TW_TEST(memory_in_the_order_of_a_queue)
{
    NEEDS_MALLOC;
    for (unsigned properties = 0; properties <= TW_QUEUE_IN_ORDER; properties += TW_QUEUE_IN_ORDER) {
        tw_queue *queue = NULL;
        TW_PASS(tw_queue_create_with_properties(NULL, device_of(true), properties, NULL, NULL, &queue));
        tw_device *device = tw_queue_device(queue);
        bool done = false;
        for (unsigned n = 1; !done; ++n) {
            TW_CHECK(n < MOST);
            arm(n);
            void *memory = tw_malloc_async(queue, 1000), *aligned = tw_aligned_alloc_device(device, 4096, 1000);
            disarm();
            done = !fired;
            TW_CHECK(fired || (memory && aligned));
            tw_free(aligned);
            arm(n);
            const tw_status status = tw_free_async(queue, memory);
            disarm();
            done = done && !fired;
            if (!succeeded(status))
                TW_PASS(tw_free_async(queue, memory));
            TW_PASS(tw_queue_wait(queue));
            TW_PASS(tw_memory_pool_trim(device, 0));
            TW_EQUAL(tw_memory_pool_bytes(device), 0);
        }
        TW_PASS(tw_queue_destroy(&queue));
        tw_test_released(device);
    }
}

static tw_status add_ten(const void *block)
{
    int *const values = *(int *const *)block;
    for (int i = 0; i < N; ++i)
        values[i] += 10;
    return TW_SUCCESS;
}

/* Records sum += one, a host task that adds 10 if there is to be one, and sum += one. */
static void record_sums(tw_queue *queue, tw_buffer *one, tw_buffer *sum, bool has_task)
{
    TW_PASS(tw_queue_begin_recording(queue));
    submit_add(queue, one, sum);
    if (has_task)
        TW_COMMAND_GROUP(queue, cg) {
            int *const values = (int *)tw_host_read_write(cg, sum);
            tw_host_task(cg, add_ten, &values, sizeof values);
        }
    submit_add(queue, one, sum);
}

/* Submits a graph, which may fail in part: then what it writes is lost. Returns false if it did. */
static bool submit_sums(tw_queue *queue, tw_command_graph *graph, tw_buffer *sum, unsigned n, bool *done)
{
    tw_event *event = NULL;
    arm(n);
    const tw_status status = tw_queue_submit_graph(queue, graph, &event);
    disarm();
    *done = *done && !fired;
    TW_CHECK((status == TW_SUCCESS) == (event != NULL));
    const bool is_submitted = succeeded(status);
    const tw_status waited = tw_event_wait(event);
    tw_event_release(&event);
    if (is_submitted && waited == TW_SUCCESS) {
        TW_PASS(tw_queue_wait(queue));
        return true;
    }
    for (int i = 0; i < 3; ++i)
        (void)tw_queue_wait(queue); /* each of the groups that were cancelled, or had no memory later */
    TW_COMMAND_GROUP(queue, cg) {
        tw_fill(cg, sum, &(int){0});
    }
    TW_PASS(tw_queue_wait(queue));
    return false;
}

/* Graphs of either kind are made, become the other, and are submitted. */
TW_TEST(graphs_that_change)
{
    NEEDS_MALLOC;
    for (int async = 0; async < 2; ++async) {
        tw_queue *queue = NULL;
        TW_PASS(tw_shutdown());
        if (async)
            setenv("TW_SIM_ASYNC", "1", 1);
        TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
        tw_buffer *one = tw_test_ints(N, 1), *sum = tw_test_ints(N, 0);
        tw_command_graph *graph = NULL;
        bool done = false, has_task = false;
        int expected = 0;
        record_sums(queue, one, sum, has_task);
        TW_PASS(tw_queue_end_recording(queue, &graph));
        for (unsigned n = 1; !done; ++n) {
            TW_CHECK(n < MOST);
            done = true;
            for (int turn = 0; turn < 2; ++turn) { /* each kind becomes the other, for each n */
                record_sums(queue, one, sum, !has_task);
                arm(n);
                const tw_status status = tw_queue_update_graph(queue, graph);
                disarm();
                done = done && !fired;
                has_task = succeeded(status) ? !has_task : has_task;
                TW_EQUAL(tw_command_graph_count(graph), has_task ? 3 : 2);
                expected += has_task ? 12 : 2;
                if (!submit_sums(queue, graph, sum, n, &done))
                    expected = 0;
                tw_test_expect_ints(sum, expected);
            }
        }
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&one));
        TW_PASS(tw_buffer_destroy(&sum));
        TW_PASS(tw_queue_destroy(&queue));
        tw_test_released(tw_test_device(0));
    }
}

/* Parts of graphs: one that cannot be begun or ended is a gap in what was recorded. */
TW_TEST(parts_of_graphs)
{
    NEEDS_MALLOC;
    tw_queue *queue = NULL;
    TW_PASS(tw_shutdown());
    setenv("TW_SIM_ASYNC", "1", 1);
    TW_PASS(tw_queue_create_on_device(device_of(true), NULL, NULL, &queue));
    tw_buffer *one = tw_test_ints(N, 1), *sum = tw_test_ints(N, 0);
    bool done = false;
    int expected = 0;
    for (unsigned n = 1; !done; ++n) {
        tw_command_graph *graph = NULL;
        TW_CHECK(n < MOST);
        done = true;
        TW_PASS(tw_queue_begin_recording(queue));
        arm(n);
        const bool has_begun = succeeded(tw_queue_begin_if(queue, one, 1));
        disarm();
        done = done && !fired;
        submit_add(queue, one, sum);
        arm(n);
        const bool has_ended = has_begun && succeeded(tw_queue_end_if(queue));
        disarm();
        done = done && !fired;
        arm(n);
        const tw_status status = tw_queue_end_recording(queue, &graph); /* also tells of a part that failed before */
        disarm();
        done = done && !fired;
        const bool is_made = has_ended ? succeeded(status) : status == TW_SUCCESS;
        TW_CHECK((has_ended || !is_made) && is_made == (graph != NULL));
        if (is_made) {
            expected = submit_sums(queue, graph, sum, n, &done) ? expected + 1 : 0;
            tw_test_expect_ints(sum, expected);
        }
        tw_command_graph_destroy(&graph);
    }
    TW_PASS(tw_buffer_destroy(&one));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_released(tw_test_device(0));
}

TW_TEST_LIST = {TW_CASE(queues_and_contexts),
                TW_CASE(buffers),
                TW_CASE(groups_on_a_simulated_device),
                TW_CASE(groups_on_the_host),
                TW_CASE(groups_across_asynchronous_devices),
                TW_CASE(blocks_keep_the_error_for_the_next_wait),
                TW_CASE(host_accessors),
                TW_CASE(deadlocks_are_found_without_memory),
                TW_CASE(destruction),
                TW_CASE(creation_with_storage),
                TW_CASE(destruction_with_storage),
                TW_CASE(destruction_with_final_data),
                TW_CASE(markers_and_barriers),
                TW_CASE(memory_in_the_order_of_a_queue),
                TW_CASE(graphs_that_change),
                TW_CASE(parts_of_graphs),
                TW_CASES_END};
