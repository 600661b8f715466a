/* SPDX-License-Identifier: Apache-2.0 */
/** event.h: waiting, states, times and wait lists of command groups. */
#include "tw_test.h"

struct scale {
    const int *in;
    int *out;
    int factor, term;
    const int *gate; /* keeps the group pending; may be NULL */
};
static inline void scale(tw_item item, const struct scale *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i] * k->factor + k->term + (k->gate ? k->gate[0] : 0);
}
TW_RANGE_KERNEL(scale, 1);

enum { N = 50 };

/* out = in * factor + term */
static tw_event *submit_scale(tw_queue *queue, tw_buffer *in, tw_buffer *out, int factor, int term,
                              const struct tw_gate *gate)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), scale, .in = tw_read(cg, in),
                    .out = in == out ? tw_read_write(cg, out) : tw_discard_write(cg, out), .factor = factor,
                    .term = term, .gate = gate ? tw_read(cg, gate->buffer) : NULL);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_CHECK(event != NULL);
    return event;
}

/* The four forms of waiting, by number. */
static tw_status wait_for(tw_event *event, int form)
{
    tw_event *both[2] = {NULL, event};
    switch (form) {
    case 0:
        return tw_event_wait(event);
    case 1:
        return tw_event_wait_all(both, 2);
    case 2:
        return tw_event_wait_and_throw(event);
    default:
        return tw_event_wait_and_throw_all(both, 2);
    }
}

/* Property 25: 1 * 2 on one queue, wait, - 3 on another gives -1. */
TW_TEST(waiting_in_each_form_completes_the_kernel)
{
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    for (int form = 0; form < 4; ++form) {
        tw_buffer *buffer = tw_test_ints(N, 1);
        tw_event *first = submit_scale(queues[0], buffer, buffer, 2, 0, NULL);
        TW_PASS(wait_for(first, form));
        TW_EQUAL(tw_event_get_state(first), TW_EVENT_COMPLETE);
        TW_EQUAL(tw_event_get_status(first), TW_SUCCESS);
        tw_event *second = submit_scale(queues[1], buffer, buffer, 1, -3, NULL);
        TW_PASS(wait_for(second, form));
        tw_test_expect_ints(buffer, -1);
        tw_event_release(&first);
        tw_event_release(&second);
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    tw_test_destroy_queues(queues, 2);
}

/* Property 26: the event that C has for "none" has happened. */
TW_TEST(a_null_event_has_happened)
{
    tw_event *none = NULL;
    tw_event *nulls[2] = {NULL, NULL};
    size_t count = 99;
    TW_EQUAL(tw_event_get_state(NULL), TW_EVENT_COMPLETE);
    TW_EQUAL(tw_event_get_status(NULL), TW_SUCCESS);
    TW_PASS(tw_event_wait(NULL));
    TW_PASS(tw_event_wait_and_throw(NULL));
    TW_PASS(tw_event_wait_all(nulls, 2));
    TW_PASS(tw_event_wait_and_throw_all(nulls, 2));
    TW_PASS(tw_event_wait_all(NULL, 0));
    TW_CHECK(tw_event_of_start(NULL) == NULL && tw_event_of_kernel(NULL) == NULL);
    TW_CHECK(tw_event_of_completion(NULL) == NULL && tw_event_retain(NULL) == NULL);
    TW_PASS(tw_event_get_wait_list(NULL, NULL, 0, &count));
    TW_EQUAL(count, 0);
    tw_event_release(&none);
    tw_event_release(NULL);
}

static uint64_t submitted(const tw_event *event)
{
    tw_event_times times = {0, 0, 0};
    TW_PASS(tw_event_get_times(event, &times));
    return times.submit_ns;
}

/* Property 27. Groups are told apart by their moment of submission. */
TW_TEST(the_wait_list_holds_exactly_the_direct_dependencies)
{
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *source = tw_test_ints(N, 1), *x = tw_test_ints(N, 0), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0);
    tw_event *list[4] = {NULL, NULL, NULL, NULL};
    size_t count = 0;
    tw_gate_shut(&gate);
    tw_event *a = submit_scale(queue, source, x, 1, 1, &gate);
    tw_event *b = submit_scale(queue, source, y, 1, 2, &gate);
    tw_event *c = submit_scale(queue, x, y, 1, 0, NULL); /* reads what a writes, overwrites what b writes */
    tw_event *d = submit_scale(queue, y, z, 1, 0, NULL); /* depends on c alone, and through it on a and b */
    TW_PASS(tw_event_get_wait_list(c, NULL, 0, &count));
    TW_EQUAL(count, 2);
    TW_PASS(tw_event_get_wait_list(c, list, 4, &count));
    TW_EQUAL(count, 2);
    TW_CHECK(list[0] && list[1] && !list[2]);
    TW_CHECK((submitted(list[0]) == submitted(a) && submitted(list[1]) == submitted(b))
             || (submitted(list[0]) == submitted(b) && submitted(list[1]) == submitted(a)));
    tw_event_release(&list[0]);
    tw_event_release(&list[1]);
    TW_PASS(tw_event_get_wait_list(d, list, 1, &count));
    TW_EQUAL(count, 1);
    TW_CHECK(submitted(list[0]) == submitted(c));
    TW_FAIL(tw_event_get_wait_list(d, list, 1, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_event_get_wait_list(d, NULL, 1, &count), TW_ERROR_INVALID_ARGUMENT);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(list[0]));
    TW_EQUAL(tw_event_get_state(c), TW_EVENT_COMPLETE);
    TW_PASS(tw_event_wait(d));
    TW_PASS(tw_event_get_wait_list(d, NULL, 0, &count));
    TW_EQUAL(count, 0);
    tw_event *all[] = {a, b, c, d, list[0]};
    for (size_t i = 0; i < 5; ++i)
        tw_event_release(&all[i]);
    tw_test_expect_ints(z, 2);
    tw_gate_free(&gate);
    tw_buffer *buffers[] = {source, x, y, z};
    for (size_t i = 0; i < 4; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 28. */
TW_TEST(when_a_dependent_group_is_complete_its_dependencies_are)
{
    enum { LENGTH = 20 };
    tw_queue *queues[3];
    tw_buffer *buffer = tw_test_ints(N, 0);
    tw_event *events[LENGTH];
    tw_test_queues(queues, 3);
    for (int i = 0; i < LENGTH; ++i)
        events[i] = submit_scale(queues[i % 3], buffer, buffer, 1, 1, NULL);
    TW_PASS(tw_event_wait(events[LENGTH - 1]));
    for (int i = 0; i < LENGTH; ++i) {
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_COMPLETE);
        tw_event_release(&events[i]);
    }
    tw_test_expect_ints(buffer, LENGTH);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_destroy_queues(queues, 3);
}

TW_TEST(a_group_is_pending_until_what_it_depends_on_is_over)
{
    struct tw_gate gate;
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 5);
    tw_event_times times = {1, 1, 1};
    tw_gate_shut(&gate);
    tw_event *event = submit_scale(queue, buffer, buffer, 2, 0, &gate);
    tw_event *start = tw_event_of_start(event), *kernel = tw_event_of_kernel(event);
    tw_event *completion = tw_event_of_completion(start);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(start), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(kernel), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_status(event), TW_SUCCESS);
    TW_PASS(tw_event_get_times(event, &times));
    TW_CHECK(times.submit_ns > 0 && times.start_ns == 0 && times.end_ns == 0);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(start));
    TW_CHECK(tw_event_get_state(start) == TW_EVENT_COMPLETE && tw_event_get_state(event) != TW_EVENT_PENDING);
    TW_PASS(tw_event_wait(kernel));
    TW_PASS(tw_event_wait(completion));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    tw_event_release(&start);
    tw_event_release(&kernel);
    tw_event_release(&completion);
    TW_CHECK(completion == NULL);
    tw_event_release(&event);
    tw_gate_free(&gate);
    tw_test_expect_ints(buffer, 10);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Property 29. */
TW_TEST(times_are_in_their_order)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_event_times first, second;
    tw_event *a = submit_scale(queue, buffer, buffer, 1, 1, NULL);
    tw_event *b = submit_scale(queue, buffer, buffer, 1, 1, NULL);
    TW_PASS(tw_event_wait(b));
    TW_PASS(tw_event_get_times(a, &first));
    TW_PASS(tw_event_get_times(b, &second));
    TW_CHECK(first.submit_ns && first.submit_ns <= first.start_ns && first.start_ns <= first.end_ns);
    TW_CHECK(second.submit_ns && second.submit_ns <= second.start_ns && second.start_ns <= second.end_ns);
    TW_CHECK(first.submit_ns <= second.submit_ns && first.end_ns <= second.start_ns);
    TW_FAIL(tw_event_get_times(a, NULL), TW_ERROR_INVALID_ARGUMENT);
    tw_event_release(&a);
    tw_event_release(&b);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

static void count_errors(const tw_error *errors, size_t count, void *user)
{
    (void)errors;
    *(size_t *)user += count;
}

/* Property 30. */
TW_TEST(wait_reports_to_no_handler_and_wait_and_throw_does_once)
{
    size_t delivered = 0;
    tw_queue *queue = NULL;
    tw_test_use_sim(1);
    TW_PASS(tw_queue_create(NULL, NULL, count_errors, &delivered, &queue));
    for (int form = 0; form < 4; ++form) {
        tw_buffer *in = tw_test_ints(N, 1), *out = tw_test_ints(N, 0);
        delivered = 0;
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 1));
        tw_event *event = submit_scale(queue, in, out, 1, 1, NULL);
        TW_FAIL(wait_for(event, form), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(delivered, form < 2 ? 0 : 1);
        TW_EQUAL(tw_event_get_state(event), TW_EVENT_FAILED);
        TW_EQUAL(tw_event_get_status(event), TW_ERROR_LAUNCH_FAILED);
        TW_FAIL(tw_event_wait_and_throw(event), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(delivered, 1);
        TW_FAIL(tw_event_wait_and_throw(event), TW_ERROR_LAUNCH_FAILED);
        TW_EQUAL(delivered, 1);
        tw_event_release(&event);
        TW_PASS(tw_buffer_destroy(&in));
        TW_PASS(tw_buffer_destroy(&out));
    }
    TW_PASS(tw_queue_destroy(&queue));
    TW_EQUAL(delivered, 1);
}

TW_TEST(wait_all_returns_the_first_failure_of_the_array)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *in = tw_test_ints(N, 1), *good = tw_test_ints(N, 0), *bad = tw_test_ints(N, 0),
              *out = tw_test_ints(N, 0);
    tw_event *events[3];
    events[0] = submit_scale(queues[0], in, good, 1, 1, NULL);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_LAUNCH, 1));
    events[2] = submit_scale(queues[1], in, bad, 1, 1, NULL);
    events[1] = submit_scale(queues[1], bad, out, 1, 1, NULL);
    TW_FAIL(tw_event_wait_all(events, 3), TW_ERROR_CANCELLED);
    TW_EQUAL(tw_event_get_status(events[2]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_event_wait_all(&events[2], 1), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_event_wait_all(events, 1));
    TW_FAIL(tw_event_wait_all(NULL, 1), TW_ERROR_INVALID_ARGUMENT);
    for (size_t i = 0; i < 3; ++i)
        tw_event_release(&events[i]);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_LAUNCH_FAILED);
    tw_buffer *buffers[] = {in, good, bad, out};
    for (size_t i = 0; i < 4; ++i)
        TW_PASS(tw_buffer_destroy(&buffers[i]));
    /* the cancelled group's error is still undelivered, and this is the last chance to deliver it */
    TW_PASS(tw_queue_destroy(&queues[0]));
    TW_FAIL(tw_queue_destroy(&queues[1]), TW_ERROR_CANCELLED);
}

TW_TEST(an_event_outlives_its_queue_and_counts_references)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 1);
    tw_event *event = submit_scale(queue, buffer, buffer, 3, 0, NULL);
    tw_event *again = tw_event_retain(event);
    TW_CHECK(again == event);
    tw_event_release(&event);
    TW_CHECK(event == NULL);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_event_wait(again));
    TW_PASS(tw_event_wait_and_throw(again));
    TW_EQUAL(tw_event_get_state(again), TW_EVENT_COMPLETE);
    tw_event_release(&again);
    tw_test_expect_ints(buffer, 3);
    TW_PASS(tw_buffer_destroy(&buffer));
}

TW_TEST_LIST = {TW_CASE(waiting_in_each_form_completes_the_kernel),
                TW_CASE(a_null_event_has_happened),
                TW_CASE(the_wait_list_holds_exactly_the_direct_dependencies),
                TW_CASE(when_a_dependent_group_is_complete_its_dependencies_are),
                TW_CASE(a_group_is_pending_until_what_it_depends_on_is_over),
                TW_CASE(times_are_in_their_order),
                TW_CASE(wait_reports_to_no_handler_and_wait_and_throw_does_once),
                TW_CASE(wait_all_returns_the_first_failure_of_the_array),
                TW_CASE(an_event_outlives_its_queue_and_counts_references),
                TW_CASES_END};
