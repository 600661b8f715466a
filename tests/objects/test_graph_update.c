/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** command_graph.h: graphs that become others (tw_queue_update_graph()). */
#include "step_kernel.h"

#include <teamwork/command_graph.h>
#include <teamwork/copy.h>
#include <teamwork/task.h>

enum { N = 64, TURNS = 30, SMALL = 8 };

/* The first `count` elements: x = 3 x + term. */
static void submit_steps(tw_queue *queue, tw_buffer *x, size_t count, unsigned term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(count), step, .x = tw_read_write(cg, x), .term = term);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Records x = 3 (3 x + term) + 1 for `count` elements, as a new graph, or into one. */
static void record(tw_queue *queue, tw_buffer *x, size_t count, unsigned term, tw_command_graph **graph)
{
    TW_PASS(tw_queue_begin_recording(queue));
    submit_steps(queue, x, count, term);
    submit_steps(queue, x, count, 1);
    if (*graph)
        TW_PASS(tw_queue_update_graph(queue, *graph));
    else
        TW_PASS(tw_queue_end_recording(queue, graph));
}

static unsigned recorded_step(unsigned x, unsigned term)
{
    return 3 * (3 * x + term) + 1;
}

/* Checks the first SMALL elements, and the others. */
static void expect(tw_buffer *x, unsigned small, unsigned large)
{
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(x, TW_READ, &accessor));
    const unsigned *values = (const unsigned *)tw_host_accessor_const_data(accessor);
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(values[i], i < SMALL ? small : large);
    tw_host_accessor_release(&accessor);
}

/* What is submitted is what was recorded last, also while earlier submissions are not over. */
TW_TEST(arguments_and_ranges_change)
{
    for (int waits = 0; waits < 2; ++waits) {
        tw_queue *queue = tw_test_queue();
        tw_buffer *x = tw_test_ints(N, 1);
        tw_command_graph *graph = NULL;
        unsigned small = 1, large = 1;
        for (unsigned i = 0; i < TURNS; ++i) {
            const bool is_small = i % 3 == 1;
            record(queue, x, is_small ? SMALL : N, i, &graph);
            for (int twice = 0; twice < 2; ++twice) {
                TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
                small = recorded_step(small, i);
                large = is_small ? large : recorded_step(large, i);
            }
            if (waits)
                TW_PASS(tw_queue_wait(queue));
        }
        expect(x, small, large);
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_queue_destroy(&queue));
    }
}

static tw_status add_on_host(const void *block)
{
    unsigned *x = *(unsigned *const *)block;
    for (size_t i = 0; i < N; ++i)
        ++x[i];
    return TW_SUCCESS;
}

/* Other groups, more or fewer of them, other buffers, none, and such as need the host. */
TW_TEST(a_graph_becomes_another_one)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    unsigned of_x = 1, of_y = 1;
    record(queue, x, N, 2, &graph);
    for (int round = 0; round < 3; ++round) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        of_x = recorded_step(of_x, 2);
        TW_PASS(tw_queue_begin_recording(queue));
        for (unsigned i = 0; i < 5; ++i)
            submit_steps(queue, i % 2 ? x : y, N, i);
        TW_PASS(tw_queue_update_graph(queue, graph));
        TW_EQUAL(tw_command_graph_count(graph), 5);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (unsigned i = 0; i < 5; ++i)
            *(i % 2 ? &of_x : &of_y) = 3 * (i % 2 ? of_x : of_y) + i;
        TW_PASS(tw_queue_begin_recording(queue));
        TW_PASS(tw_queue_update_graph(queue, graph));
        TW_EQUAL(tw_command_graph_count(graph), 0);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_begin_recording(queue));
        TW_COMMAND_GROUP(queue, cg) {
            unsigned *const on_host = (unsigned *)tw_host_read_write(cg, x);
            tw_host_task(cg, add_on_host, &on_host, sizeof on_host);
        }
        submit_steps(queue, x, N, 4);
        TW_PASS(tw_queue_update_graph(queue, graph));
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        of_x = 3 * (of_x + 1) + 4;
        record(queue, x, N, 2, &graph);
    }
    tw_test_expect_ints(x, (int)of_x);
    tw_test_expect_ints(y, (int)of_y);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A submission that has not come to the device yet still runs as it was recorded; and the graph may be given up. */
TW_TEST(submissions_that_wait_are_not_changed)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    tw_event *start = NULL;
    TW_PASS(tw_event_create_user(&start));
    tw_event *held = submit_step_after(queue, x, 0, &start, 1);
    unsigned expected = 3;
    for (unsigned i = 0; i < TURNS; ++i) {
        record(queue, x, N, i, &graph);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        expected = recorded_step(expected, i);
    }
    record(queue, x, N, 100, &graph); /* never submitted */
    tw_command_graph_destroy(&graph);
    TW_EQUAL(tw_event_get_state(held), TW_EVENT_PENDING);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    tw_test_expect_ints(x, (int)expected);
    tw_event_release(&start);
    tw_event_release(&held);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* What was submitted before an update comes before what is submitted after it, though nothing else orders the two. */
struct usm_step {
    unsigned *x;
    unsigned term;
};
static inline void usm_step(const struct usm_step *k)
{
    *k->x = 3 * *k->x + k->term;
}
TW_SINGLE_TASK(usm_step);

TW_TEST(an_update_keeps_the_order_of_submissions)
{
    tw_queue *queue = tw_test_queue();
    unsigned *x = (unsigned *)tw_malloc_device(tw_queue_device(queue), sizeof *x), got = 0, expected = 1;
    tw_command_graph *graph = NULL;
    TW_CHECK(x != NULL);
    TW_PASS(tw_queue_memcpy(queue, x, &expected, sizeof *x, NULL));
    TW_PASS(tw_queue_wait(queue));
    for (unsigned i = 0; i < TURNS; ++i) {
        TW_PASS(tw_queue_begin_recording(queue));
        TW_PASS(tw_queue_single_task(queue, cg, NULL, usm_step, .x = x, .term = i));
        if (graph)
            TW_PASS(tw_queue_update_graph(queue, graph));
        else
            TW_PASS(tw_queue_end_recording(queue, &graph));
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        expected = 3 * expected + i;
    }
    TW_PASS(tw_queue_wait(queue));
    TW_PASS(tw_queue_memcpy(queue, &got, x, sizeof got, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(got, expected);
    tw_command_graph_destroy(&graph);
    tw_free(x);
    TW_PASS(tw_queue_destroy(&queue));
}

/* On an error the graph is what it was. */
TW_TEST(updates_that_are_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    record(queue, x, N, 5, &graph);
    TW_FAIL(tw_queue_update_graph(NULL, graph), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_update_graph(queue, graph), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_queue_update_graph(queue, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(tw_queue_is_recording(queue)); /* nothing was ended */
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), step, .x = tw_read_write(cg, NULL), .term = 1);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_update_graph(queue, graph), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!tw_queue_is_recording(queue) && strstr(tw_error_detail(), "refused while recording"));
    TW_EQUAL(tw_command_graph_count(graph), 2);
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    tw_test_expect_ints(x, (int)recorded_step(1, 5));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_graph_of_another_device_is_refused)
{
    tw_queue *queues[2];
    tw_test_use_sim(2);
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    record(queues[0], x, N, 5, &graph);
    TW_PASS(tw_queue_begin_recording(queues[1]));
    submit_steps(queues[1], x, N, 1);
    TW_FAIL(tw_queue_update_graph(queues[1], graph), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
    tw_test_expect_ints(x, (int)recorded_step(1, 5));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 2);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static tw_command_graph *common;
static tw_queue *common_queue;

static void *submit_many(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < TURNS; ++i)
        TW_PASS(tw_queue_submit_graph(common_queue, common, NULL));
    return NULL;
}

/* One thread updates a graph, which another one submits: each submission is one or the other. */
TW_TEST(one_thread_updates_and_another_submits)
{
    tw_queue *recorder = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 0);
    pthread_t thread;
    common_queue = tw_test_queue();
    common = NULL;
    record(recorder, x, N, 0, &common);
    TW_CHECK(pthread_create(&thread, NULL, submit_many, NULL) == 0);
    for (unsigned i = 0; i < TURNS; ++i)
        record(recorder, x, N, 0, &common);
    TW_CHECK(pthread_join(thread, NULL) == 0);
    unsigned expected = 0;
    for (unsigned i = 0; i < TURNS; ++i)
        expected = recorded_step(expected, 0);
    tw_test_expect_ints(x, (int)expected);
    tw_command_graph_destroy(&common);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&recorder));
    TW_PASS(tw_queue_destroy(&common_queue));
}

TW_TEST_LIST = {TW_CASE(arguments_and_ranges_change),
                TW_CASE(a_graph_becomes_another_one),
                TW_CASE(submissions_that_wait_are_not_changed),
                TW_CASE(an_update_keeps_the_order_of_submissions),
                TW_CASE(updates_that_are_refused),
                TW_CASE(a_graph_of_another_device_is_refused),
                TW_CASE(one_thread_updates_and_another_submits),
                TW_CASES_END};
