/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** queue.h: markers, barriers, the last event, and whether a queue is empty. */
#include "step_kernel.h"

#include <teamwork/command_graph.h>

enum { N = 64, MANY = 200 };

static tw_event *user_event(void)
{
    tw_event *event = NULL;
    TW_PASS(tw_event_create_user(&event));
    return event;
}

/* Submits a step that user event `start` holds back. */
static void submit_held(tw_queue *queue, tw_buffer *x, int term, tw_event *start)
{
    tw_event *event = submit_step_after(queue, x, term, &start, 1);
    tw_event_release(&event);
}

TW_TEST(a_marker_is_complete_when_all_before_it_is)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x[3] = {tw_test_ints(N, 1), tw_test_ints(N, 1), tw_test_ints(N, 1)};
    tw_event *starts[2] = {user_event(), user_event()}, *marker = NULL, *second = NULL, *free_one = NULL;
    submit_held(queue, x[0], 1, starts[0]);
    submit_held(queue, x[1], 2, starts[1]);
    TW_PASS(tw_queue_submit_marker(queue, &marker));
    TW_PASS(tw_queue_submit_marker(queue, &second));
    free_one = submit_step_after(queue, x[2], 3, NULL, 0);
    TW_PASS(tw_event_wait(free_one)); /* what comes later does not wait */
    TW_PASS(tw_event_complete(starts[1], TW_SUCCESS));
    TW_EQUAL(tw_event_get_state(marker), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(second), TW_EVENT_PENDING);
    TW_PASS(tw_event_complete(starts[0], TW_SUCCESS));
    TW_PASS(tw_event_wait(second));
    TW_EQUAL(tw_event_get_state(marker), TW_EVENT_COMPLETE);
    for (int i = 0; i < 3; ++i) {
        TW_EQUAL(value_of(x[i]), 4 + i);
        TW_PASS(tw_buffer_destroy(&x[i]));
    }
    tw_event_release(&starts[0]);
    tw_event_release(&starts[1]);
    tw_event_release(&marker);
    tw_event_release(&second);
    tw_event_release(&free_one);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A group of another queue, with other buffers, waits for all of the first one. */
TW_TEST(groups_of_other_queues_depend_on_markers)
{
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1), *c = tw_test_ints(N, 1);
    tw_event *start = user_event(), *marker = NULL;
    submit_held(queues[0], a, 1, start);
    submit_held(queues[0], b, 1, start);
    TW_PASS(tw_queue_submit_marker(queues[0], &marker));
    tw_event *after = submit_step_after(queues[1], c, 1, &marker, 1);
    TW_EQUAL(tw_event_get_state(after), TW_EVENT_PENDING);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_event_wait(after));
    TW_CHECK(tw_queue_is_empty(queues[0]));
    TW_EQUAL(value_of(c), 4);
    tw_event_release(&start);
    tw_event_release(&marker);
    tw_event_release(&after);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(what_is_submitted_after_a_barrier_waits_for_all_before_it)
{
    tw_queue *queue = tw_test_queue(), *other = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1), *c = tw_test_ints(N, 1), *d = tw_test_ints(N, 1);
    tw_event *start = user_event(), *barrier = NULL;
    submit_held(queue, a, 1, start);
    TW_PASS(tw_queue_submit_barrier(queue, NULL));
    tw_event *behind = submit_step_after(queue, b, 1, NULL, 0);
    TW_PASS(tw_queue_submit_barrier(queue, &barrier));
    tw_event *last = submit_step_after(queue, c, 1, NULL, 0);
    tw_event *elsewhere = submit_step_after(other, d, 1, NULL, 0);
    TW_PASS(tw_event_wait(elsewhere));
    TW_EQUAL(tw_event_get_state(behind), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(barrier), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    TW_PASS(tw_event_wait(last));
    TW_EQUAL(tw_event_get_state(behind), TW_EVENT_COMPLETE);
    TW_EQUAL(tw_event_get_state(barrier), TW_EVENT_COMPLETE);
    tw_event *free_one = submit_step_after(queue, a, 1, NULL, 0); /* a barrier that is complete holds nothing back */
    TW_PASS(tw_event_wait(free_one));
    tw_event_release(&start);
    tw_event_release(&behind);
    tw_event_release(&barrier);
    tw_event_release(&last);
    tw_event_release(&elsewhere);
    tw_event_release(&free_one);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_buffer_destroy(&c));
    TW_PASS(tw_buffer_destroy(&d));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&other));
}

/* x = 3 x + term for the first int, by its address: only barriers order these. */
struct usm_step {
    unsigned *x;
    unsigned term;
};
static inline void usm_step(const struct usm_step *k)
{
    *k->x = 3 * *k->x + k->term;
}
TW_SINGLE_TASK(usm_step);

TW_TEST(barriers_order_kernels_that_use_addresses)
{
    tw_queue *queue = tw_test_queue();
    unsigned *x, got = 0, expected = 1;
    x = (unsigned *)tw_malloc_device(tw_queue_device(queue), sizeof *x);
    TW_CHECK(x != NULL);
    TW_PASS(tw_queue_memcpy(queue, x, &expected, sizeof *x, NULL));
    for (unsigned i = 0; i < MANY; ++i) {
        TW_PASS(tw_queue_submit_barrier(queue, NULL));
        TW_COMMAND_GROUP(queue, cg) {
            tw_single_task(cg, usm_step, .x = x, .term = i);
        }
    }
    TW_PASS(tw_queue_submit_barrier(queue, NULL));
    TW_PASS(tw_queue_memcpy(queue, &got, x, sizeof *x, NULL));
    TW_PASS(tw_queue_wait(queue));
    for (unsigned i = 0; i < MANY; ++i)
        expected = 3 * expected + i;
    TW_EQUAL(got, expected);
    tw_free(x);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A marker says when, and not how: a failure before it is the queue's. */
TW_TEST(a_failure_before_a_barrier_cancels_nothing_behind_it)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *a = tw_test_ints(N, 1), *b = tw_test_ints(N, 1);
    tw_event *start = user_event(), *barrier = NULL;
    submit_held(queue, a, 1, start);
    TW_PASS(tw_queue_submit_barrier(queue, &barrier));
    tw_event *behind = submit_step_after(queue, b, 1, &barrier, 1);
    TW_PASS(tw_event_complete(start, TW_ERROR_TRANSFER_FAILED));
    TW_PASS(tw_event_wait(barrier));
    TW_PASS(tw_event_wait(behind));
    TW_EQUAL(value_of(b), 4);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
    TW_PASS(tw_queue_wait(queue));
    tw_event_release(&start);
    tw_event_release(&barrier);
    tw_event_release(&behind);
    tw_test_expect_lost(a);
    TW_PASS(tw_buffer_destroy(&a));
    TW_PASS(tw_buffer_destroy(&b));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_last_event_and_whether_a_queue_is_empty)
{
    for (unsigned properties = 0; properties <= TW_QUEUE_IN_ORDER; properties += TW_QUEUE_IN_ORDER) {
        tw_queue *queue = NULL;
        TW_PASS(tw_queue_create_with_properties(NULL, NULL, properties, NULL, NULL, &queue));
        tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
        tw_event *start = user_event(), *last = start, *marker = NULL;
        TW_CHECK(tw_queue_is_empty(queue));
        TW_PASS(tw_queue_last_event(queue, &last));
        TW_CHECK(last == NULL);
        submit_held(queue, x, 1, start);
        submit_held(queue, y, 2, start);
        TW_CHECK(!tw_queue_is_empty(queue));
        TW_PASS(tw_queue_last_event(queue, &last));
        TW_PASS(tw_queue_submit_marker(queue, &marker));
        TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
        TW_EQUAL(tw_event_get_state(marker), TW_EVENT_PENDING);
        TW_PASS(tw_event_complete(start, TW_SUCCESS));
        TW_PASS(tw_event_wait(last));
        TW_EQUAL(value_of(y), 5);
        TW_PASS(tw_event_wait(marker));
        while (!tw_queue_is_empty(queue)) {
            const struct timespec pause = {0, 100000};
            nanosleep(&pause, NULL);
        }
        TW_EQUAL(value_of(x), 4);
        tw_event_release(&last);
        TW_PASS(tw_queue_last_event(queue, &last));
        TW_CHECK(last == NULL);
        tw_event_release(&start);
        tw_event_release(&marker);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&y));
        TW_PASS(tw_queue_destroy(&queue));
    }
    TW_CHECK(tw_queue_is_empty(NULL));
}

/* A group is several commands there, and a barrier orders all of them. */
TW_TEST(queues_over_several_devices_have_markers)
{
    for (unsigned properties = 0; properties <= TW_QUEUE_IN_ORDER; properties += TW_QUEUE_IN_ORDER) {
        tw_test_use_sim(3);
        tw_queue *queue = tw_test_queue_over(3, properties);
        tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
        tw_event *start = user_event(), *last = NULL, *marker = NULL;
        submit_held(queue, x, 1, start);
        TW_CHECK(!tw_queue_is_empty(queue));
        TW_PASS(tw_queue_last_event(queue, &last));
        TW_PASS(tw_queue_submit_barrier(queue, NULL));
        tw_event *behind = submit_step_after(queue, y, 1, NULL, 0);
        TW_PASS(tw_queue_submit_marker(queue, &marker));
        TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
        TW_EQUAL(tw_event_get_state(behind), TW_EVENT_PENDING);
        TW_PASS(tw_event_complete(start, TW_SUCCESS));
        TW_PASS(tw_event_wait(marker));
        TW_EQUAL(tw_event_get_state(last), TW_EVENT_COMPLETE);
        TW_EQUAL(tw_event_get_state(behind), TW_EVENT_COMPLETE);
        TW_PASS(tw_queue_wait(queue));
        TW_CHECK(tw_queue_is_empty(queue));
        TW_EQUAL(value_of(x), 4);
        TW_EQUAL(value_of(y), 4);
        tw_event_release(&start);
        tw_event_release(&last);
        tw_event_release(&behind);
        tw_event_release(&marker);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&y));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

TW_TEST(wrong_arguments_and_a_queue_that_records)
{
    tw_queue *queue = tw_test_queue();
    tw_command_graph *graph = NULL;
    tw_event *untouched = (tw_event *)&untouched, *event = untouched;
    TW_FAIL(tw_queue_submit_marker(NULL, &event), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit_marker(queue, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit_barrier(NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_last_event(NULL, &event), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_last_event(queue, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_queue_submit_barrier(queue, &event), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(strstr(tw_error_detail(), "recording") != NULL);
    TW_FAIL(tw_queue_end_recording(queue, &graph), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(event == untouched && graph == NULL);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(a_marker_is_complete_when_all_before_it_is),
                TW_CASE(groups_of_other_queues_depend_on_markers),
                TW_CASE(what_is_submitted_after_a_barrier_waits_for_all_before_it),
                TW_CASE(barriers_order_kernels_that_use_addresses),
                TW_CASE(a_failure_before_a_barrier_cancels_nothing_behind_it),
                TW_CASE(the_last_event_and_whether_a_queue_is_empty),
                TW_CASE(queues_over_several_devices_have_markers),
                TW_CASE(wrong_arguments_and_a_queue_that_records),
                TW_CASES_END};
