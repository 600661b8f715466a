/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** Events and in-order queues on devices with streams: groups are issued before what they wait for is over. */
#include "held_test.h"

#include <teamwork/copy.h>

static tw_event *submit_behind(tw_queue *queue, tw_buffer *x, unsigned a, unsigned b, tw_event *before)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_depends_on(cg, before);
    tw_parallel_for(cg, tw_range_1d(N), held, .x = tw_read_write(cg, x), .a = a, .b = b, .flag = 0);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

/* Across queues and devices: each launch is with its device while the first kernel runs, and its own has not begun. */
TW_TEST(dependants_of_events_are_issued_ahead)
{
    enum { QUEUES = 3 };
    use_async_sim(2);
    tw_queue *queues[QUEUES];
    tw_test_queues(queues, QUEUES);
    tw_buffer *x[QUEUES];
    tw_event *events[QUEUES];
    atomic_int flag = 0;
    for (int i = 0; i < QUEUES; ++i) {
        x[i] = tw_test_ints(N, 1);
        bring(queues[i], x[i]);
    }
    for (unsigned i = 0; i < 2; ++i)
        TW_PASS(tw_sim_reset(tw_test_device(i)));
    submit(queues[0], x[0], 2, 1, &flag, &events[0]);
    for (int i = 1; i < QUEUES; ++i)
        events[i] = submit_behind(queues[i], x[i], 3, (unsigned)i, events[i - 1]);
    TW_EQUAL(tw_test_sim_total(TW_SIM_LAUNCH), QUEUES);
    for (int i = 1; i < QUEUES; ++i)
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_PENDING);
    atomic_store(&flag, 1);
    TW_PASS(tw_event_wait(events[QUEUES - 1]));
    for (int i = 0; i < QUEUES; ++i) {
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_COMPLETE);
        tw_test_expect_ints(x[i], i ? 3 + i : 3);
        tw_event_release(&events[i]);
        TW_PASS(tw_buffer_destroy(&x[i]));
    }
    tw_test_destroy_queues(queues, QUEUES);
}

/* Markers are enqueued, too: what depends on one, or is behind a barrier, is with its device while the first kernel
   runs. */
TW_TEST(what_waits_for_a_marker_is_issued_ahead)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x[3];
    tw_event *marker = NULL;
    atomic_int flag = 0;
    for (int i = 0; i < 3; ++i) {
        x[i] = tw_test_ints(N, 1);
        bring(queues[i > 0], x[i]);
    }
    for (unsigned i = 0; i < 2; ++i)
        TW_PASS(tw_sim_reset(tw_test_device(i)));
    submit(queues[0], x[0], 2, 1, &flag, NULL);
    TW_PASS(tw_queue_submit_marker(queues[0], &marker));
    tw_event *second = submit_behind(queues[1], x[1], 3, 1, marker);
    TW_PASS(tw_queue_submit_barrier(queues[1], NULL));
    tw_event *third = submit_behind(queues[1], x[2], 3, 2, NULL);
    TW_EQUAL(tw_test_sim_total(TW_SIM_LAUNCH), 5); /* three kernels, and the two as native tasks */
    TW_EQUAL(tw_event_get_state(second), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(third), TW_EVENT_PENDING);
    atomic_store(&flag, 1);
    TW_PASS(tw_event_wait(third));
    TW_EQUAL(tw_event_get_state(second), TW_EVENT_COMPLETE);
    for (int i = 0; i < 3; ++i) {
        tw_test_expect_ints(x[i], 3 + i);
        TW_PASS(tw_buffer_destroy(&x[i]));
    }
    tw_event_release(&marker);
    tw_event_release(&second);
    tw_event_release(&third);
    tw_test_destroy_queues(queues, 2);
}

/* A kernel that fails in flight cancels those that depend on its event, though they were issued; not those that only
   come behind it in their queue. */
TW_TEST(a_failure_in_flight_cancels_dependants)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1), *z = tw_test_ints(N, 1);
    tw_event *first = NULL, *second, *third;
    atomic_int flag = 0;
    bring(queues[0], x);
    bring(queues[1], y);
    bring(queues[1], z);
    TW_PASS(tw_sim_reset(tw_queue_device(queues[0])));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_KERNEL, 1));
    submit(queues[0], x, 2, 1, &flag, &first);
    second = submit_behind(queues[1], y, 3, 1, first);
    third = submit_behind(queues[1], z, 3, 1, NULL);
    atomic_store(&flag, 1);
    TW_FAIL(tw_event_wait(second), TW_ERROR_CANCELLED);
    TW_FAIL(tw_event_wait(first), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_event_wait(third));
    TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_CANCELLED);
    TW_PASS(tw_sim_reset(tw_queue_device(queues[0])));
    tw_event_release(&first);
    tw_event_release(&second);
    tw_event_release(&third);
    tw_test_expect_lost(x);
    tw_test_expect_lost(y);
    tw_test_expect_ints(z, 4);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    tw_test_destroy_queues(queues, 2);
}

/* An in-order queue, whose kernels and copies are in two streams: all are issued behind the first, and none runs. */
TW_TEST(an_in_order_queue_issues_ahead)
{
    enum { ROUNDS = 10 };
    use_async_sim(1);
    tw_queue *queue = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, tw_test_device(0), TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    tw_buffer *x[3 * ROUNDS];
    tw_event *events[3 * ROUNDS];
    const int value = 5;
    atomic_int flag = 0;
    for (int i = 0; i < 3 * ROUNDS; ++i) {
        x[i] = tw_test_ints(N, 1);
        bring(queue, x[i]);
    }
    tw_buffer *first = tw_test_ints(N, 1);
    bring(queue, first);
    TW_PASS(tw_sim_reset(tw_queue_device(queue)));
    submit(queue, first, 2, 1, &flag, NULL);
    for (int i = 0; i < 3 * ROUNDS; i += 3) { /* no two of a round access the same buffer */
        tw_command_group *cg = tw_queue_begin(queue);
        tw_fill(cg, x[i], &value);
        TW_PASS(tw_queue_submit(queue, cg, &events[i]));
        submit(queue, x[i + 1], 3, 1, NULL, &events[i + 1]);
        cg = tw_queue_begin(queue);
        tw_copy(cg, first, x[i + 2]);
        TW_PASS(tw_queue_submit(queue, cg, &events[i + 2]));
    }
    TW_EQUAL(tw_test_sim_total(TW_SIM_LAUNCH), 1 + ROUNDS);
    for (int i = 0; i < 3 * ROUNDS; ++i)
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_PENDING);
    atomic_store(&flag, 1);
    TW_PASS(tw_queue_wait(queue));
    uint64_t end = 0;
    for (int i = 0; i < 3 * ROUNDS; ++i) {
        tw_event_times times;
        TW_PASS(tw_event_get_times(events[i], &times));
        TW_CHECK(times.start_ns >= end && times.end_ns >= times.start_ns);
        end = times.end_ns;
        tw_test_expect_ints(x[i], i % 3 == 0 ? value : i % 3 == 1 ? 4 : 3);
        tw_event_release(&events[i]);
        TW_PASS(tw_buffer_destroy(&x[i]));
    }
    TW_PASS(tw_buffer_destroy(&first));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(dependants_of_events_are_issued_ahead), TW_CASE(what_waits_for_a_marker_is_issued_ahead),
                TW_CASE(a_failure_in_flight_cancels_dependants), TW_CASE(an_in_order_queue_issues_ahead), TW_CASES_END};
