/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** buffer.h: host accessors wait for the data, hold back later groups, and never deadlock (property 17). */
#include "int_kernels.h"

enum { N = 300 };

struct triple {
    int *data;
    const int *gate;
};
static inline void triple(tw_item item, const struct triple *k)
{
    k->data[tw_global_id(item, 0)] *= 3 + k->gate[0];
}
TW_RANGE_KERNEL(triple, 1);

static tw_event *submit_triple(tw_queue *queue, tw_buffer *buffer, tw_buffer *gate)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), triple, .data = tw_read_write(cg, buffer), .gate = tw_read(cg, gate));
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

static tw_event *submit_copy(tw_queue *queue, tw_buffer *in, tw_buffer *out)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), copy, .in = tw_read(cg, in), .out = tw_discard_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

static void *open_after(void *context)
{
    tw_gate_open(context);
    return NULL;
}

/* Property 17: the access begins while the kernel is held back, so it must wait to see 15. */
TW_TEST(access_waits_for_earlier_kernels_and_sees_their_data)
{
    struct tw_gate gate;
    pthread_t opener;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 5);
    tw_host_accessor *accessor = NULL;
    tw_gate_shut(&gate);
    tw_event *event = submit_triple(queue, buffer, gate.buffer);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
    TW_CHECK(pthread_create(&opener, NULL, open_after, &gate) == 0);
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    const int *data = tw_host_accessor_const_data(accessor);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], 15);
    tw_host_accessor_release(&accessor);
    TW_CHECK(accessor == NULL);
    TW_CHECK(pthread_join(opener, NULL) == 0);
    tw_event_release(&event);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(access_holds_back_later_groups_that_conflict)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 2), *gate = tw_test_ints(N, 0), *out = tw_test_ints(N, 0);
    tw_host_accessor *reading = NULL, *writing = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &reading));
    tw_event *reader = submit_copy(queue, buffer, out);
    TW_PASS(tw_event_wait(reader)); /* reading and reading do not conflict */
    tw_event *writer = submit_triple(queue, buffer, gate);
    TW_FAIL(tw_event_wait(writer), TW_ERROR_WOULD_DEADLOCK);
    TW_EQUAL(tw_event_get_state(writer), TW_EVENT_PENDING);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(((const int *)tw_host_accessor_const_data(reading))[i], 2);
    tw_host_accessor_release(&reading);
    TW_PASS(tw_event_wait(writer));
    tw_test_expect_ints(buffer, 6);
    tw_test_expect_ints(out, 2);
    tw_event_release(&reader);
    tw_event_release(&writer);
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &writing));
    reader = submit_copy(queue, buffer, out);
    TW_EQUAL(tw_event_get_state(reader), TW_EVENT_PENDING);
    for (int i = 0; i < N; ++i)
        ((int *)tw_host_accessor_data(writing))[i] += 1;
    TW_EQUAL(tw_event_get_state(reader), TW_EVENT_PENDING);
    tw_host_accessor_release(&writing);
    TW_PASS(tw_event_wait(reader));
    tw_event_release(&reader);
    tw_test_expect_ints(out, 7);
    tw_buffer *buffers[] = {buffer, gate, out};
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(any_number_of_readers_at_once)
{
    enum { READERS = 8 };
    tw_buffer *buffer = tw_test_ints(N, 3);
    tw_host_accessor *readers[READERS];
    for (int i = 0; i < READERS; ++i)
        TW_PASS(tw_host_access(buffer, TW_READ, &readers[i]));
    for (int i = 0; i < READERS; ++i)
        TW_EQUAL(((const int *)tw_host_accessor_const_data(readers[i]))[N - 1], 3);
    for (int i = 0; i < READERS; ++i)
        tw_host_accessor_release(&readers[i]);
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST(modes_that_write)
{
    const tw_access_mode modes[] = {TW_WRITE, TW_READ_WRITE, TW_DISCARD_WRITE, TW_DISCARD_READ_WRITE};
    tw_queue *queue = tw_test_queue();
    tw_buffer *gate = tw_test_ints(N, 0);
    for (size_t m = 0; m < 4; ++m) {
        tw_buffer *buffer = tw_test_ints(N, 4);
        tw_host_accessor *accessor = NULL;
        tw_event *event = submit_triple(queue, buffer, gate);
        TW_PASS(tw_host_access(buffer, modes[m], &accessor));
        int *data = tw_host_accessor_data(accessor);
        if (m < 2) /* earlier contents are there, and what is not overwritten is kept */
            for (int i = 0; i < N; i += 2)
                data[i] = 12;
        else
            for (int i = 0; i < N; ++i)
                data[i] = 12;
        tw_host_accessor_release(&accessor);
        tw_event_release(&event);
        tw_test_expect_ints(buffer, 12);
        TW_PASS(tw_event_wait(event = submit_triple(queue, buffer, gate)));
        tw_event_release(&event);
        tw_test_expect_ints(buffer, 36);
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(discarding_on_the_host_transfers_nothing)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *buffer = tw_test_ints(N, 1), *gate = tw_test_ints(N, 0);
    tw_event *event = submit_triple(queue, buffer, gate);
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    TW_PASS(tw_sim_reset(device));
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
    memset(tw_host_accessor_data(accessor), 0, N * sizeof(int));
    tw_host_accessor_release(&accessor);
    tw_test_expect_ints(buffer, 0);
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&gate));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(arguments_are_checked)
{
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_host_accessor *untouched = (tw_host_accessor *)&untouched, *accessor = untouched;
    TW_FAIL(tw_host_access(NULL, TW_READ, &accessor), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_access(buffer, (tw_access_mode)0, &accessor), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_access(buffer, (tw_access_mode)7, &accessor), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_host_access(buffer, TW_ATOMIC, &accessor), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(strstr(tw_error_detail(), "TW_ATOMIC is for kernels") != NULL);
    TW_FAIL(tw_host_access(buffer, TW_READ, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(accessor == untouched);
    TW_CHECK(tw_host_accessor_data(NULL) == NULL && tw_host_accessor_const_data(NULL) == NULL);
    accessor = NULL;
    tw_host_accessor_release(&accessor);
    tw_host_accessor_release(NULL);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* ---- deadlocks --------------------------------------------------------------------------------------------------- */

TW_TEST(access_that_would_wait_for_this_thread_is_refused)
{
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_host_accessor *held = NULL, *untouched = (tw_host_accessor *)&untouched, *second = untouched;
    TW_PASS(tw_host_access(buffer, TW_READ, &held));
    TW_FAIL(tw_host_access(buffer, TW_WRITE, &second), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_host_access(buffer, TW_DISCARD_WRITE, &second), TW_ERROR_WOULD_DEADLOCK);
    TW_CHECK(second == untouched);
    tw_host_accessor_release(&held);
    TW_PASS(tw_host_access(buffer, TW_WRITE, &held));
    TW_FAIL(tw_host_access(buffer, TW_READ, &second), TW_ERROR_WOULD_DEADLOCK);
    tw_host_accessor_release(&held);
    TW_PASS(tw_host_access(buffer, TW_READ, &second));
    tw_host_accessor_release(&second);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* The thread holds one buffer; the group between makes another depend on it. */
TW_TEST(deadlocks_are_found_through_groups)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 0), *c = tw_test_ints(N, 0);
    tw_host_accessor *held = NULL, *second = NULL;
    TW_PASS(tw_host_access(a, TW_WRITE, &held));
    tw_event *first = submit_copy(queue, a, b), *last = submit_copy(queue, b, c);
    TW_FAIL(tw_host_access(b, TW_READ, &second), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_host_access(c, TW_READ, &second), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_event_wait(last), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_WOULD_DEADLOCK);
    tw_host_accessor_release(&held);
    TW_PASS(tw_event_wait(last));
    tw_test_expect_ints(c, 1);
    tw_event_release(&first);
    tw_event_release(&last);
    tw_buffer *buffers[] = {a, b, c};
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The group waits for `held`, and would use the host's copy of `data`, which failed. Reading `data` copies anew, over
   what the group is to use, so it waits for the group. */
TW_TEST(deadlocks_are_found_behind_a_failed_transfer)
{
    tw_test_use_sim(1);
    tw_queue *sim = tw_test_queue(), *host = NULL;
    tw_buffer *data = tw_test_ints(N, 1), *held = tw_test_ints(N, 0), *gate = tw_test_ints(N, 0);
    tw_host_accessor *holding = NULL, *reading = NULL;
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &host));
    tw_event *event = submit_triple(sim, data, gate);
    TW_PASS(tw_event_wait(event)); /* the contents are on the device only */
    tw_event_release(&event);
    TW_PASS(tw_host_access(held, TW_READ_WRITE, &holding));
    TW_PASS(tw_sim_fail_from(tw_queue_device(sim), TW_SIM_COPY, 1));
    event = submit_copy(host, data, held);
    tw_status status = TW_SUCCESS;
    do /* while the copy has not failed yet it is waited for */
        status = tw_host_access(data, TW_READ, &reading);
    while (status == TW_ERROR_TRANSFER_FAILED);
    TW_EQUAL(status, TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_host_access(data, TW_READ, &reading), TW_ERROR_WOULD_DEADLOCK);
    TW_FAIL(tw_host_access(data, TW_READ_WRITE, &reading), TW_ERROR_WOULD_DEADLOCK);
    TW_PASS(tw_sim_reset(tw_queue_device(sim)));
    tw_host_accessor_release(&holding);
    TW_FAIL(tw_event_wait(event), TW_ERROR_TRANSFER_FAILED);
    tw_event_release(&event);
    tw_test_expect_ints(data, 3);
    TW_FAIL(tw_queue_destroy(&host), TW_ERROR_TRANSFER_FAILED);
    TW_PASS(tw_queue_destroy(&sim));
    TW_PASS(tw_buffer_destroy(&data));
    TW_PASS(tw_buffer_destroy(&held));
    TW_PASS(tw_buffer_destroy(&gate));
}

/* The other thread's accessor is a wait, not a deadlock. */
static void *write_then_release(void *context)
{
    tw_host_accessor **accessor = context;
    for (int i = 0; i < N; ++i)
        ((int *)tw_host_accessor_data(*accessor))[i] = 8;
    tw_host_accessor_release(accessor);
    return NULL;
}

TW_TEST(an_accessor_is_released_on_another_thread)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 0);
    tw_host_accessor *accessor = NULL;
    pthread_t thread;
    TW_PASS(tw_host_access(a, TW_READ_WRITE, &accessor));
    tw_event *event = submit_copy(queue, a, b);
    TW_CHECK(pthread_create(&thread, NULL, write_then_release, &accessor) == 0);
    TW_CHECK(pthread_join(thread, NULL) == 0);
    TW_CHECK(accessor == NULL);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&event);
    tw_test_expect_ints(b, 8);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Two threads have an accessor each, and want that of the other one. One of them is told, and gives its own back. */
struct pair_of_accesses {
    tw_buffer *own, *other;
    pthread_barrier_t *both;
    bool refused;
};
static void *want_the_other(void *user)
{
    struct pair_of_accesses *k = user;
    tw_host_accessor *held = NULL, *second = NULL;
    TW_PASS(tw_host_access(k->own, TW_READ_WRITE, &held));
    pthread_barrier_wait(k->both);
    const tw_status status = tw_host_access(k->other, TW_READ_WRITE, &second);
    k->refused = status == TW_ERROR_WOULD_DEADLOCK;
    TW_CHECK(status == TW_SUCCESS || k->refused);
    tw_host_accessor_release(&second);
    tw_host_accessor_release(&held);
    return NULL;
}

TW_TEST(two_threads_do_not_wait_for_each_other)
{
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 0);
    pthread_t thread;
    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    for (int round = 0; round < 20; ++round) {
        struct pair_of_accesses one = {a, b, &both, false}, two = {b, a, &both, false};
        TW_CHECK(pthread_create(&thread, NULL, want_the_other, &two) == 0);
        want_the_other(&one);
        TW_CHECK(pthread_join(thread, NULL) == 0);
        TW_CHECK(one.refused != two.refused);
    }
    pthread_barrier_destroy(&both);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
}

static void *increment_often(void *context)
{
    for (int round = 0; round < 200; ++round) {
        tw_host_accessor *accessor = NULL;
        TW_PASS(tw_host_access(context, TW_READ_WRITE, &accessor));
        for (int i = 0; i < N; ++i)
            ((int *)tw_host_accessor_data(accessor))[i] += 1;
        tw_host_accessor_release(&accessor);
    }
    return NULL;
}

TW_TEST(threads_take_turns)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    tw_buffer *buffer = tw_test_ints(N, 0);
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, increment_often, buffer) == 0);
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    tw_test_expect_ints(buffer, 200 * THREADS);
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

TW_TEST(lost_data_is_reported_until_it_is_overwritten)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1), *gate = tw_test_ints(N, 0);
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
    tw_event *event = submit_triple(queue, buffer, gate);
    tw_test_expect_lost(buffer);
    TW_FAIL(tw_host_access(buffer, TW_WRITE, &accessor), TW_ERROR_DATA_LOST);
    TW_FAIL(tw_host_access(buffer, TW_READ_WRITE, &accessor), TW_ERROR_DATA_LOST);
    int fresh[N] = {0};
    tw_test_store(buffer, fresh);
    tw_test_expect_ints(buffer, 0);
    tw_event_release(&event);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&gate));
}

TW_TEST(a_failed_transfer_is_reported_and_can_be_tried_again)
{
    int two[N];
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 2), *gate = tw_test_ints(N, 0);
    tw_host_accessor *accessor = NULL;
    tw_event *event = submit_triple(queue, buffer, gate);
    for (int i = 0; i < N; ++i)
        two[i] = 2;
    TW_PASS(tw_event_wait(event));
    const tw_access_mode modes[] = {TW_READ, TW_WRITE, TW_READ_WRITE};
    for (int turn = 0; turn < 6; ++turn) {
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_COPY, 1));
        TW_FAIL(tw_host_access(buffer, modes[turn / 2], &accessor), TW_ERROR_TRANSFER_FAILED);
        TW_CHECK(accessor == NULL);
        if (turn % 2)
            tw_test_expect_ints(buffer, 6);
        else
            TW_PASS(tw_host_access(buffer, modes[turn / 2], &accessor));
        if (accessor)
            TW_EQUAL(*(const int *)tw_host_accessor_const_data(accessor), 6);
        tw_host_accessor_release(&accessor);
        tw_event *again = submit_copy(queue, buffer, gate);
        TW_PASS(tw_event_wait(again)); /* nor do groups miss anything */
        tw_event_release(&again);
        tw_test_expect_ints(gate, 6);
        tw_test_store(gate, (const int[N]){0});
        tw_test_store(buffer, two); /* the contents are on the device only again */
        tw_event_release(&event);
        TW_PASS(tw_event_wait(event = submit_triple(queue, buffer, gate)));
    }
    tw_event_release(&event);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_buffer_destroy(&gate));
}

TW_TEST_LIST = {TW_CASE(access_waits_for_earlier_kernels_and_sees_their_data),
                TW_CASE(access_holds_back_later_groups_that_conflict),
                TW_CASE(any_number_of_readers_at_once),
                TW_CASE(modes_that_write),
                TW_CASE(discarding_on_the_host_transfers_nothing),
                TW_CASE(arguments_are_checked),
                TW_CASE(access_that_would_wait_for_this_thread_is_refused),
                TW_CASE(deadlocks_are_found_through_groups),
                TW_CASE(deadlocks_are_found_behind_a_failed_transfer),
                TW_CASE(two_threads_do_not_wait_for_each_other),
                TW_CASE(an_accessor_is_released_on_another_thread),
                TW_CASE(threads_take_turns),
                TW_CASE(lost_data_is_reported_until_it_is_overwritten),
                TW_CASE(a_failed_transfer_is_reported_and_can_be_tried_again),
                TW_CASES_END};
