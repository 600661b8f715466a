/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** command_graph.h: parts of graphs that run if, or as long as, a value on the device says so. */
#define TW_DEBUG_BOUNDS 1
#include "step_kernel.h"

#include <teamwork/command_graph.h>
#include <teamwork/copy.h>
#include <teamwork/sim.h>
#include <teamwork/task.h>
#include <teamwork/usm.h>

enum { N = 64, TURNS = 5 };

TW_TEST_ONE_THREAD

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Begins to count. */
struct set {
    int *value, to;
};
static inline void set(const struct set *k)
{
    *k->value = k->to;
}
TW_SINGLE_TASK(set);

/* Counts down: `left` is the condition of a loop itself. */
struct count_down {
    int *left;
};
static inline void count_down(const struct count_down *k)
{
    --*k->left;
}
TW_SINGLE_TASK(count_down);

/* Whether what is left is odd, in element 1 of the conditions. */
struct test_odd {
    const int *left;
    int *odd;
};
static inline void test_odd(const struct test_odd *k)
{
    k->odd[1] = *k->left % 2;
}
TW_SINGLE_TASK(test_odd);

/* x = term, without what was there before */
struct overwrite {
    unsigned *x, term;
};
static inline void overwrite(tw_item item, const struct overwrite *k)
{
    k->x[tw_global_id(item, 0)] = k->term;
}
TW_RANGE_KERNEL(overwrite, 1);

/* y = y + x */
struct add_to {
    const unsigned *x;
    unsigned *y;
};
static inline void add_to(tw_item item, const struct add_to *k)
{
    const size_t i = tw_global_id(item, 0);
    k->y[i] += k->x[i];
}
TW_RANGE_KERNEL(add_to, 1);

static void submit_set(tw_queue *queue, tw_buffer *value, int to)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, set, .value = tw_write(cg, value), .to = to);
    }
}

static void submit_count_down(tw_queue *queue, tw_buffer *left)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, count_down, .left = tw_read_write(cg, left));
    }
}

static void submit_add(tw_queue *queue, tw_buffer *x, tw_buffer *y)
{
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), add_to, .x = tw_read(cg, x), .y = tw_read_write(cg, y));
    }
}

/* Submits a graph and gives it up. */
static void submit_once(tw_queue *queue, tw_command_graph *graph)
{
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    tw_command_graph_destroy(&graph);
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* Records `turns` turns of x = 3 x + 1, y = y + x. */
static void record_loop(tw_queue *queue, tw_buffer *left, tw_buffer *x, tw_buffer *y, int turns)
{
    submit_set(queue, left, turns);
    TW_PASS(tw_queue_begin_while(queue, left, 0));
    submit_add(queue, x, y);
    submit_step(queue, x, 1);
    submit_count_down(queue, left);
    TW_PASS(tw_queue_end_while(queue));
}

static void expect_loops(tw_buffer *x, tw_buffer *y, int turns)
{
    unsigned of_x = 1, of_y = 0;
    for (int i = 0; i < turns; ++i) {
        of_y += of_x;
        of_x = 3 * of_x + 1;
    }
    tw_test_expect_ints(x, (int)of_x);
    tw_test_expect_ints(y, (int)of_y);
}

/* Again at each submission; and what comes before and behind a submission is where it was. Also while the queue keeps the
   order, of which the part is one more. */
TW_TEST(a_loop_runs_as_long_as_the_device_says)
{
    for (int in_order = 0; in_order < 2; ++in_order) {
        tw_queue *queue = NULL;
        tw_command_graph *graph = NULL;
        TW_PASS(tw_queue_create_with_properties(NULL, tw_test_device(0), in_order ? TW_QUEUE_IN_ORDER : 0, NULL, NULL,
                                                &queue));
        tw_buffer *left = tw_test_int(0), *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
        TW_PASS(tw_queue_begin_recording(queue));
        record_loop(queue, left, x, y, TURNS);
        TW_PASS(tw_queue_end_recording(queue, &graph));
        TW_EQUAL(tw_command_graph_count(graph), 4);
        for (int turns = TURNS; turns <= 3 * TURNS; turns += TURNS) {
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
            if (turns == 2 * TURNS)
                TW_PASS(tw_queue_wait(queue));
        }
        expect_loops(x, y, 3 * TURNS);
        TW_EQUAL(value_of(left), 0);
        tw_command_graph_destroy(&graph);
        tw_test_destroy_buffers((tw_buffer *[]){left, x, y}, 3);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* The condition is what was there before the graph, of whatever element of whatever part of a buffer; and what a part
   would have overwritten is still there if it does not run. */
TW_TEST(conditions_come_from_before)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *conditions = tw_test_ints(6, 0), *part = NULL, *x = tw_test_ints(N, 7);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_buffer_create_sub(conditions, tw_id_1d(2), tw_range_1d(4), &part));
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_begin_if(queue, part, 3));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), overwrite, .x = tw_discard_write(cg, x), .term = 9);
    }
    TW_PASS(tw_queue_end_if(queue));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (int turn = 0; turn < 4; ++turn) {
        const int values[6] = {1, 1, 1, 1, 1, turn == 2 ? -256 : 0};
        tw_test_store(conditions, values);
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        tw_test_expect_ints(x, turn < 2 ? 7 : 9);
    }
    tw_command_graph_destroy(&graph);
    tw_test_destroy_buffers((tw_buffer *[]){part, x, conditions}, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Loops in loops, and parts that run once in some turns. */
TW_TEST(parts_in_parts)
{
    tw_queue *queue = tw_test_queue();
    tw_command_graph *graph = NULL;
    tw_buffer *outer = tw_test_int(0), *inner = tw_test_ints(2, 0), *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    TW_PASS(tw_queue_begin_recording(queue));
    submit_set(queue, outer, 3);
    TW_PASS(tw_queue_begin_while(queue, outer, 0));
    submit_set(queue, inner, TURNS);
    TW_PASS(tw_queue_begin_while(queue, inner, 0));
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, test_odd, .left = tw_read_part(cg, inner, tw_id_1d(0), tw_range_1d(1)),
                       .odd = tw_read_write(cg, inner));
    }
    TW_PASS(tw_queue_begin_if(queue, inner, 1));
    submit_add(queue, x, y);
    TW_PASS(tw_queue_end_if(queue));
    submit_count_down(queue, inner);
    TW_PASS(tw_queue_end_while(queue));
    submit_step(queue, x, 2);
    TW_PASS(tw_queue_begin_if(queue, inner, 0)); /* never */
    submit_step(queue, x, 100);
    TW_PASS(tw_queue_end_if(queue));
    submit_count_down(queue, outer);
    TW_PASS(tw_queue_end_while(queue));
    TW_PASS(tw_queue_begin_while(queue, outer, 0)); /* nor this one, which is empty */
    TW_PASS(tw_queue_end_while(queue));
    submit_step(queue, y, 5);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), 9);
    unsigned of_x = 1, of_y = 0;
    for (int turn = 0; turn < 3; ++turn) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (int i = 0; i < 3; ++i) {
            of_y += (TURNS + 1) / 2 * of_x;
            of_x = 3 * of_x + 2;
        }
        of_y = 3 * of_y + 5;
    }
    tw_test_expect_ints(x, (int)of_x);
    tw_test_expect_ints(y, (int)of_y);
    tw_command_graph_destroy(&graph);
    tw_test_destroy_buffers((tw_buffer *[]){outer, inner, x, y}, 4);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Copies, fills and moves of data in a loop, and a function of the program around it: then groups are submitted one by
   one, the loop as one of them. */
static tw_status read_on_host(const void *block)
{
    unsigned *const x = *(unsigned *const *)block;
    for (size_t i = 0; i < N; ++i)
        x[i] += 1000;
    return TW_SUCCESS;
}

static void submit_host_task(tw_queue *queue, tw_buffer *x)
{
    TW_COMMAND_GROUP(queue, cg) {
        unsigned *const on_host = (unsigned *)tw_host_read_write(cg, x);
        tw_host_task(cg, read_on_host, &on_host, sizeof on_host);
    }
}

TW_TEST(copies_and_fills_and_tasks_around)
{
    for (int has_tasks = 0; has_tasks < 2; ++has_tasks) {
        tw_queue *queue = tw_test_queue();
        tw_command_graph *graph = NULL;
        tw_event *event = NULL;
        tw_buffer *left = tw_test_int(0), *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0);
        const unsigned pattern = 11;
        TW_PASS(tw_queue_begin_recording(queue));
        submit_set(queue, left, TURNS);
        if (has_tasks)
            submit_host_task(queue, x);
        TW_PASS(tw_queue_begin_while(queue, left, 0));
        TW_COMMAND_GROUP(queue, cg) {
            tw_copy(cg, x, y);
        }
        TW_COMMAND_GROUP(queue, cg) {
            tw_fill(cg, x, &pattern);
        }
        submit_add(queue, y, z);
        TW_COMMAND_GROUP(queue, cg) {
            tw_prefetch(cg, z);
        }
        submit_count_down(queue, left);
        TW_PASS(tw_queue_end_while(queue));
        if (has_tasks)
            submit_host_task(queue, z);
        submit_step(queue, z, 0);
        TW_PASS(tw_queue_end_recording(queue, &graph));
        TW_PASS(tw_queue_submit_graph(queue, graph, &event));
        TW_PASS(tw_event_wait(event));
        TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
        tw_event_release(&event);
        const unsigned more = has_tasks ? 1000 : 0;
        tw_test_expect_ints(z, (int)(3 * (1 + more + (TURNS - 1) * pattern + more)));
        tw_command_graph_destroy(&graph);
        tw_test_destroy_buffers((tw_buffer *[]){left, x, y, z}, 4);
        TW_PASS(tw_queue_destroy(&queue));
    }
}

/* Within a part a queue that keeps the order gives it to groups without accessors; another queue's are not in it. */
struct step_usm {
    unsigned *x;
    unsigned factor, term;
};
static inline void step_usm(tw_item item, const struct step_usm *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = k->factor * k->x[i] + k->term;
}
TW_RANGE_KERNEL(step_usm, 1);

TW_TEST(queues_that_record_together)
{
    tw_queue *queue = NULL, *other = NULL;
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_create_with_properties(NULL, tw_test_device(0), TW_QUEUE_IN_ORDER, NULL, NULL, &queue));
    TW_PASS(tw_queue_create_on_device(tw_test_device(0), NULL, NULL, &other));
    tw_buffer *left = tw_test_int(0), *y = tw_test_ints(N, 1);
    unsigned values[N], *x = (unsigned *)tw_malloc_device(tw_test_device(0), N * sizeof *x);
    TW_CHECK(x != NULL);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_join_recording(other, queue));
    submit_set(queue, left, TURNS);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), step_usm, .x = x, .term = 1);
    }
    TW_PASS(tw_queue_begin_while(queue, left, 0));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), step_usm, .x = x, .factor = 3, .term = 1);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), step_usm, .x = x, .factor = 1, .term = 2);
    }
    submit_step(other, y, 1);
    submit_count_down(queue, left);
    TW_PASS(tw_queue_end_while(queue));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), step_usm, .x = x, .factor = 2, .term = 5);
    }
    TW_PASS(tw_queue_end_recording(queue, &graph));
    submit_once(queue, graph);
    TW_COMMAND_GROUP(queue, cg) {
        tw_memcpy(cg, values, x, sizeof values);
    }
    TW_PASS(tw_queue_wait(queue));
    unsigned expected = 1;
    for (int i = 0; i < TURNS; ++i)
        expected = 3 * expected + 3;
    TW_EQUAL(values[N - 1], 2 * expected + 5);
    tw_test_expect_ints(y, 4);
    tw_free(x);
    tw_test_destroy_buffers((tw_buffer *[]){left, y}, 2);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&other));
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

/* To other turns, to none, and to no parts; while what was submitted is not over. */
TW_TEST(graphs_with_parts_are_updated)
{
    tw_queue *queue = tw_test_queue();
    tw_command_graph *graph = NULL;
    tw_buffer *left = tw_test_int(0), *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    int all = 0;
    TW_PASS(tw_queue_begin_recording(queue));
    record_loop(queue, left, x, y, 2);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (int turns = 4; turns >= 0; --turns) {
        TW_PASS(tw_queue_begin_recording(queue));
        record_loop(queue, left, x, y, turns);
        TW_PASS(tw_queue_update_graph(queue, graph));
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        all += turns;
    }
    TW_PASS(tw_queue_begin_recording(queue));
    submit_add(queue, x, y);
    submit_step(queue, x, 1);
    TW_PASS(tw_queue_update_graph(queue, graph));
    submit_once(queue, graph);
    expect_loops(x, y, all + 1);
    tw_test_destroy_buffers((tw_buffer *[]){left, x, y}, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* Ends a recording that has a gap. */
static void expect_gap(tw_queue *queue, tw_status status)
{
    tw_command_graph *graph = NULL;
    TW_FAIL(tw_queue_end_recording(queue, &graph), status);
    TW_CHECK(graph == NULL && !tw_queue_is_recording(queue));
}

TW_TEST(what_is_no_part)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *left = tw_test_int(1), *wide = tw_test_zeroed(8, 1), *x = tw_test_ints(N, 1);
    TW_FAIL(tw_queue_begin_while(NULL, left, 0), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_end_if(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_begin_if(queue, left, 0), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_FAIL(tw_queue_end_if(queue), TW_ERROR_INVALID_COMMAND_GROUP);
    const struct {
        tw_buffer *condition;
        size_t element;
        tw_status status;
    } wrong[] = {
        {NULL, 0, TW_ERROR_INVALID_ARGUMENT}, {wide, 0, TW_ERROR_INVALID_ARGUMENT}, {left, 1, TW_ERROR_INVALID_RANGE}};
    for (size_t i = 0; i < 3; ++i) {
        TW_PASS(tw_queue_begin_recording(queue));
        TW_FAIL(tw_queue_begin_while(queue, wrong[i].condition, wrong[i].element), wrong[i].status);
        expect_gap(queue, wrong[i].status);
    }
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_queue_end_while(queue), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_begin_while(queue, left, 0));
    TW_PASS(tw_queue_begin_if(queue, left, 0));
    TW_FAIL(tw_queue_end_while(queue), TW_ERROR_INVALID_COMMAND_GROUP);
    submit_step(queue, x, 1);
    TW_PASS(tw_queue_end_if(queue));
    expect_gap(queue, TW_ERROR_INVALID_COMMAND_GROUP); /* the loop was not ended */
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_begin_if(queue, left, 0));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_update_host(cg, x);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_UNSUPPORTED);
    TW_PASS(tw_queue_end_if(queue));
    expect_gap(queue, TW_ERROR_UNSUPPORTED);
    TW_PASS(tw_queue_begin_recording(queue)); /* nothing stays behind of a part that is given up */
    TW_PASS(tw_queue_begin_if(queue, left, 0));
    submit_step(queue, x, 1);
    TW_PASS(tw_queue_destroy(&queue));
    tw_test_expect_ints(x, 1);
    tw_test_destroy_buffers((tw_buffer *[]){left, wide, x}, 3);
}

TW_TEST(a_queue_over_devices_has_no_parts)
{
    tw_device *devices[2];
    if (tw_test_devices(devices, 2) < 2)
        TW_SKIP();
    tw_queue *queue = tw_test_queue_over(2, 0);
    tw_buffer *left = tw_test_int(1);
    const bool share = tw_queue_begin_recording(queue) == TW_SUCCESS; /* a GPU and its host have no graph in common */
    if (share) {
        TW_FAIL(tw_queue_begin_while(queue, left, 0), TW_ERROR_UNSUPPORTED);
        TW_PASS(tw_queue_end_recording(queue, NULL));
    }
    TW_PASS(tw_buffer_destroy(&left));
    TW_PASS(tw_queue_destroy(&queue));
    if (!share)
        TW_SKIP();
}

/* A kernel of the fourth turn fails: none comes after it, what the graph writes is lost, and the next submission runs. */
struct check_turn {
    TW_VIEW(int) left;
    int *turns, last;
};
static inline void check_turn(const struct check_turn *k)
{
    ++*k->turns;
    --tw_at(k->left, *k->turns == k->last ? 1 : 0);
}
TW_SINGLE_TASK(check_turn);

TW_TEST(a_fault_ends_a_loop)
{
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (!strcmp(backend, "omp")) { /* does not check indices */
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    tw_command_graph *graph = NULL;
    tw_event *event = NULL;
    tw_buffer *left = tw_test_int(0), *x = tw_test_ints(N, 1);
    int *turns = (int *)tw_malloc_host(sizeof *turns);
    TW_CHECK(turns != NULL);
    *turns = 0;
    TW_PASS(tw_queue_begin_recording(queue));
    submit_set(queue, left, TURNS);
    TW_PASS(tw_queue_begin_while(queue, left, 0));
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, check_turn, .left = TW_READ_WRITE_VIEW(cg, left), .turns = turns, .last = 4);
    }
    submit_step(queue, x, 1);
    TW_PASS(tw_queue_end_while(queue));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_OUT_OF_BOUNDS);
    tw_event_release(&event);
    TW_EQUAL(*turns, 4);
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
    tw_test_expect_lost(x);
    tw_test_store(left, &(int){0});
    tw_test_store(x, (unsigned[N]){0});
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(*turns, 4 + TURNS);
    TW_EQUAL(value_of(left), 0);
    tw_command_graph_destroy(&graph);
    tw_free(turns);
    tw_test_destroy_buffers((tw_buffer *[]){left, x}, 2);
    TW_PASS(tw_queue_destroy(&queue));
}

/* A launch, or a copy that reads the condition, fails on a simulated device, whichever of them it is. */
TW_TEST(every_fault_of_a_loop)
{
    tw_queue *queue = tw_test_queue();
    if (!tw_device_has(tw_queue_device(queue), TW_ASPECT_EMULATED)) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    tw_command_graph *graph = NULL;
    tw_buffer *left = tw_test_int(0), *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    tw_device *device = tw_queue_device(queue);
    TW_PASS(tw_queue_begin_recording(queue));
    record_loop(queue, left, x, y, TURNS);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (int kind = 0; kind < 2; ++kind) {
        const tw_sim_operation operation = kind ? TW_SIM_COPY : TW_SIM_LAUNCH;
        bool failed = true;
        for (uint64_t n = 1; failed; ++n) {
            tw_test_store(left, &(int){0});
            tw_test_store(x, (unsigned[N]){0});
            tw_test_store(y, (unsigned[N]){0});
            TW_PASS(tw_sim_fail_nth(device, operation, n));
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
            failed = tw_queue_wait(queue) != TW_SUCCESS;
            TW_PASS(tw_sim_reset(device));
            TW_CHECK(n < 100);
        }
        tw_test_expect_ints(x, ((3 + 1) * 3 + 1) * 9 + 4);
    }
    tw_command_graph_destroy(&graph);
    tw_test_destroy_buffers((tw_buffer *[]){left, x, y}, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(a_loop_runs_as_long_as_the_device_says),
                TW_CASE(conditions_come_from_before),
                TW_CASE(parts_in_parts),
                TW_CASE(copies_and_fills_and_tasks_around),
                TW_CASE(queues_that_record_together),
                TW_CASE(graphs_with_parts_are_updated),
                TW_CASE(what_is_no_part),
                TW_CASE(a_queue_over_devices_has_no_parts),
                TW_CASE(a_fault_ends_a_loop),
                TW_CASE(every_fault_of_a_loop),
                TW_CASES_END};
