/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** command_graph.h, task.h: graphs with host tasks, native tasks and updates of the host. */
#include "step_kernel.h"

#include <omp.h>

#include <teamwork/command_graph.h>
#include <teamwork/copy.h>
#include <teamwork/task.h>

enum { N = 64, TURNS = 20, LOG = 4 * TURNS };

/* A step on the host. */
struct host_step {
    unsigned *x;
    unsigned term;
};
static tw_status host_step(const void *block)
{
    const struct host_step *k = (const struct host_step *)block;
    for (size_t i = 0; i < N; ++i)
        k->x[i] = 3 * k->x[i] + k->term;
    return TW_SUCCESS;
}

/* A step by a target region. Simulated devices, which OpenMP does not have, share the host's memory. */
static tw_status native_step(const void *block, const tw_native *native)
{
    const struct step *k = (const struct step *)block;
    unsigned *x = k->x;
    const unsigned term = k->term;
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

static void submit_host_step(tw_queue *queue, tw_buffer *x, unsigned term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const struct host_step block = {(unsigned *)tw_host_read_write(cg, x), term};
    tw_host_task(cg, host_step, &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void submit_native_step(tw_queue *queue, tw_buffer *x, unsigned term)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const struct step block = {(unsigned *)tw_read_write(cg, x), term};
    tw_native_task(cg, native_step, &block, sizeof block);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Kernels, tasks on the host and on the device, and an update of the host, by their data. */
static tw_command_graph *record_steps(tw_queue *queue, tw_buffer *x)
{
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    submit_step(queue, x, 1);
    submit_host_step(queue, x, 2);
    submit_native_step(queue, x, 3);
    submit_step(queue, x, 4);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_update_host(cg, x);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), 5);
    return graph;
}

TW_TEST(tasks_run_at_each_submission)
{
    tw_queue *queue = tw_test_queue(), *other = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_graph *graph = record_steps(queue, x);
    tw_event *event = NULL;
    unsigned expected = 1;
    TW_EQUAL(value_of(x), 1);
    for (unsigned i = 0; i < TURNS; ++i) {
        tw_queue *const on = i % 3 ? queue : other;
        TW_PASS(tw_queue_submit_graph(on, graph, i + 1 < TURNS ? NULL : &event));
        for (unsigned term = 1; term <= 4; ++term)
            expected = 3 * expected + term;
        if (i % 4 == 0) { /* groups of its own between two submissions */
            submit_step(other, x, 7);
            expected = 3 * expected + 7;
        }
    }
    TW_PASS(tw_event_wait(event));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    tw_event_release(&event);
    tw_test_expect_ints(x, (int)expected);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&other));
}

/* ---- order without data ------------------------------------------------------------------------------------------ */

static int log_of[LOG], logged;

static tw_status add_to_log(const void *block)
{
    log_of[__atomic_fetch_add(&logged, 1, __ATOMIC_RELAXED) % LOG] = *(const int *)block;
    return TW_SUCCESS;
}

/* A queue that keeps the order gives it to the graph, wherever that is submitted; and submissions run one after the
   other. */
TW_TEST(an_in_order_recording_orders_tasks)
{
    tw_queue *queue = NULL, *other = tw_test_queue();
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, NULL, TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    TW_PASS(tw_queue_begin_recording(queue));
    for (int i = 0; i < 4; ++i)
        TW_COMMAND_GROUP(queue, cg) {
            tw_host_task(cg, add_to_log, &i, sizeof i);
        }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_destroy(&queue)); /* the graph does not need it */
    logged = 0;
    for (int i = 0; i < TURNS; ++i)
        TW_PASS(tw_queue_submit_graph(other, graph, NULL));
    TW_PASS(tw_queue_wait(other));
    TW_EQUAL(logged, LOG);
    for (int i = 0; i < LOG; ++i)
        TW_EQUAL(log_of[i], i % 4);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_queue_destroy(&other));
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static int fails;

static tw_status may_fail(const void *block)
{
    return fails ? tw_task_fail(TW_ERROR_TRANSFER_FAILED, "as it was told") : host_step(block);
}

/* What a task that fails should have written is lost, and with it what comes behind; and the next submission does not
   suffer. */
TW_TEST(a_task_fails)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    submit_step(queue, y, 1);
    TW_COMMAND_GROUP(queue, cg) {
        const struct host_step block = {(unsigned *)tw_host_read_write(cg, x), 2};
        tw_host_task(cg, may_fail, &block, sizeof block);
    }
    submit_step(queue, x, 3);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (fails = 1; fails >= 0; --fails) {
        tw_event *event = NULL;
        TW_PASS(tw_queue_submit_graph(queue, graph, &event));
        if (fails) {
            TW_FAIL(tw_event_wait(event), TW_ERROR_TRANSFER_FAILED);
            TW_CHECK(strstr(tw_error_detail(), "as it was told") != NULL);
            TW_EQUAL(tw_event_get_state(event), TW_EVENT_FAILED);
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_TRANSFER_FAILED);
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_CANCELLED);
            tw_test_expect_lost(x);
            tw_test_expect_ints(y, 4);
            TW_COMMAND_GROUP(queue, cg) {
                tw_fill(cg, x, &(int){1});
            }
        } else {
            TW_PASS(tw_event_wait(event));
            tw_test_expect_ints(x, 3 * (3 + 2) + 3);
            tw_test_expect_ints(y, 13);
        }
        tw_event_release(&event);
        TW_PASS(tw_queue_wait(queue));
    }
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The event of the graph that the task is in. */
static _Atomic(tw_event *) own_event;

static tw_status wait_for_own_graph(const void *block)
{
    (void)block;
    while (!own_event) {
        const struct timespec pause = {0, 100000};
        nanosleep(&pause, NULL);
    }
    return tw_event_wait(own_event) == TW_ERROR_WOULD_DEADLOCK ? TW_SUCCESS : TW_ERROR_INVALID_ARGUMENT;
}

TW_TEST(a_task_does_not_wait_for_its_graph)
{
    tw_queue *queue = tw_test_queue();
    tw_command_graph *graph = NULL;
    tw_event *event = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    TW_COMMAND_GROUP(queue, cg) {
        tw_host_task(cg, wait_for_own_graph, NULL, 0);
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, &event));
    own_event = event;
    TW_PASS(tw_event_wait(event));
    own_event = NULL;
    tw_event_release(&event);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Submissions keep what they need when the graph is given up. */
TW_TEST(a_graph_is_given_up_early)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *start = NULL;
    TW_PASS(tw_event_create_user(&start));
    tw_event *held = submit_step_after(queue, x, 0, &start, 1);
    tw_command_graph *graph = record_steps(queue, x);
    for (int i = 0; i < 2; ++i)
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_event_complete(start, TW_SUCCESS));
    unsigned expected = 3;
    for (unsigned i = 0; i < 8; ++i)
        expected = 3 * expected + i % 4 + 1;
    tw_test_expect_ints(x, (int)expected);
    tw_event_release(&start);
    tw_event_release(&held);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(what_is_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *untouched = (tw_event *)&untouched, *event = untouched;
    tw_command_graph *graph = record_steps(queue, x);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_queue_submit_graph(queue, graph, &event), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_end_recording(queue, NULL));
    TW_PASS(tw_buffer_destroy(&x));
    TW_FAIL(tw_queue_submit_graph(queue, graph, &event), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(event == untouched);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Groups of several devices, with a host task between them. */
TW_TEST(tasks_between_groups_of_several_devices)
{
    tw_queue *queues[3];
    tw_test_use_sim(3);
    tw_test_queues(queues, 3);
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    unsigned expected = 1;
    TW_PASS(tw_queue_begin_recording(queues[0]));
    TW_PASS(tw_queue_join_recording(queues[1], queues[0]));
    TW_PASS(tw_queue_join_recording(queues[2], queues[0]));
    submit_step(queues[0], x, 1);
    submit_step(queues[1], x, 2);
    submit_host_step(queues[1], x, 3);
    submit_step(queues[2], x, 4);
    TW_PASS(tw_queue_end_recording(queues[0], &graph));
    for (unsigned i = 0; i < TURNS; ++i) {
        TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
        for (unsigned term = 1; term <= 4; ++term)
            expected = 3 * expected + term;
    }
    tw_test_expect_ints(x, (int)expected);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 3);
}

TW_TEST_LIST = {TW_CASE(tasks_run_at_each_submission),
                TW_CASE(an_in_order_recording_orders_tasks),
                TW_CASE(a_task_fails),
                TW_CASE(a_task_does_not_wait_for_its_graph),
                TW_CASE(a_graph_is_given_up_early),
                TW_CASE(what_is_refused),
                TW_CASE(tasks_between_groups_of_several_devices),
                TW_CASES_END};
