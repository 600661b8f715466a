/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * Command graphs: recorded groups do nothing until they are submitted, and then what they would have done one after the
 * other; order, data and errors towards other groups are those of one group.
 */
#include "unsigned_kernels.h"

#include <time.h>

enum { N = 96, BUFFERS = 5, STEPS = 120, ROUNDS = 60, MANY = 2000, LARGE = 80 };

TW_TEST_ONE_THREAD

/* ---- kernels of every form --------------------------------------------------------------------------------------- */

/* An argument block that does not fit kernel arguments. */
struct table {
    unsigned at[LARGE];
};
struct large {
    unsigned *x;
    struct table add;
};
static inline void large(tw_item item, const struct large *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] += k->add.at[i % LARGE];
}
TW_RANGE_KERNEL(large, 1);

struct first {
    unsigned *x;
};
static inline void first(const struct first *k)
{
    k->x[0] += 7;
}
TW_SINGLE_TASK(first);

/* A column of a square of SIDE x SIDE elements. */
enum { SIDE = 4 };
struct column {
    unsigned *x, value;
};
static inline void column(tw_item item, const struct column *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[SIDE * i] = k->value + (unsigned)i;
}
TW_RANGE_KERNEL(column, 1);

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static void submit_step(tw_queue *queue, tw_buffer *x, unsigned a, unsigned b)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = a, .b = b);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

static void submit_fill(tw_queue *queue, tw_buffer *x, unsigned value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), count_from, .x = tw_discard_write(cg, x), .value = value);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* A graph that does x = 3 x + 1. */
static tw_command_graph *graph_of_step(tw_queue *queue, tw_buffer *x)
{
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    submit_step(queue, x, 3, 1);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    return graph;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

TW_TEST(recording_runs_nothing)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 5);
    unsigned values[N];
    tw_command_graph *graph = NULL;
    TW_CHECK(!tw_queue_is_recording(queue));
    TW_PASS(tw_queue_begin_recording(queue));
    TW_CHECK(tw_queue_is_recording(queue));
    submit_step(queue, x, 3, 1);
    submit_step(queue, x, 2, 5);
    TW_PASS(tw_queue_wait(queue));
    for (unsigned i = 0; i < N; ++i)
        values[i] = 5 + i;
    expect(x, values);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_CHECK(!tw_queue_is_recording(queue));
    TW_EQUAL(tw_command_graph_count(graph), 2);
    expect(x, values);
    for (int round = 0; round < 3; ++round) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        submit_step(queue, x, 1, 9); /* between two submissions */
        for (unsigned i = 0; i < N; ++i)
            values[i] = (3 * values[i] + 1) * 2 + 5 + 9;
    }
    expect(x, values);
    tw_command_graph_destroy(&graph);
    TW_CHECK(graph == NULL);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Submits groups of every form. */
static void submit_every_form(tw_queue *queue, tw_buffer *x, tw_buffer *y, tw_buffer *sum, struct table table)
{
    submit_step(queue, x, 5, 3);
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, tw_range_1d(N / REVERSED), tw_range_1d(REVERSED), reverse,
                                   .x = tw_read_write(cg, x));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), large, .x = tw_read_write(cg, y), .add = table);
    }
    TW_COMMAND_GROUP(queue, cg) {
        (void)tw_read_write(cg, x); /* no kernel: only order */
        (void)tw_read_write(cg, y);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), combine, .x = tw_read(cg, x), .y = tw_read(cg, y), .z = tw_write(cg, y),
                        .a = 2);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, first, .x = tw_read_write(cg, y));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), total, .x = tw_read(cg, y), .sum = TW_REDUCE_INIT(cg, sum));
    }
}

/* Groups of every form in one graph, again and again. */
TW_TEST(every_form)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 0), *y = filled(N, 100), *sum = tw_test_zeroed(sizeof(unsigned), 1);
    unsigned xs[N], ys[N], result = 0;
    tw_command_graph *graph = NULL;
    struct table table;
    for (unsigned i = 0; i < LARGE; ++i)
        table.at[i] = i * i;
    TW_PASS(tw_queue_begin_recording(queue));
    submit_every_form(queue, x, y, sum, table);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), 7);
    for (unsigned i = 0; i < N; ++i) {
        xs[i] = i;
        ys[i] = 100 + i;
    }
    for (int round = 0; round < 4; ++round) {
        unsigned old[N];
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (unsigned i = 0; i < N; ++i)
            old[i] = 5 * xs[i] + 3;
        for (unsigned i = 0; i < N; ++i)
            xs[i] = old[reversed_at(i)];
        result = 0;
        for (unsigned i = 0; i < N; ++i) {
            ys[i] = xs[i] + 2 * (ys[i] + table.at[i % LARGE]) + (i == 0 ? 7 : 0);
            result += ys[i];
        }
    }
    expect(x, xs);
    expect(y, ys);
    unsigned got = 0;
    tw_test_fetch(sum, &got);
    TW_EQUAL(got, result);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* What a random sequence does to the model; with a queue, also to the buffers. */
static void random_steps(unsigned seed, unsigned count, unsigned model[BUFFERS][N], tw_queue *queue, tw_buffer **x)
{
    for (unsigned s = 0; s < count; ++s) {
        const unsigned kind = next_random(&seed) % 3, a = next_random(&seed) % 5 + 2, b = next_random(&seed) % 100;
        const unsigned to = next_random(&seed) % BUFFERS, from = next_random(&seed) % BUFFERS,
                       other = next_random(&seed) % BUFFERS;
        tw_command_group *cg = queue ? tw_queue_begin(queue) : NULL;
        if (kind == 0) {
            if (cg)
                tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x[to]), .a = a, .b = b);
            for (unsigned i = 0; i < N; ++i)
                model[to][i] = a * model[to][i] + b;
        } else if (kind == 1) {
            if (cg)
                tw_parallel_for(cg, tw_range_1d(N), count_from, .x = tw_discard_write(cg, x[to]), .value = b);
            for (unsigned i = 0; i < N; ++i)
                model[to][i] = b + i;
        } else {
            if (cg)
                tw_parallel_for(cg, tw_range_1d(N), combine, .x = tw_read(cg, x[from]), .y = tw_read(cg, x[other]),
                                .z = tw_write(cg, x[to]), .a = a);
            for (unsigned i = 0; i < N; ++i)
                model[to][i] = model[from][i] + a * model[other][i];
        }
        if (cg)
            TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
}

/* Random graphs, between other random groups and host accesses, against the same one after the other. */
TW_TEST(random_graphs)
{
    unsigned seed = 20260101, scratch[BUFFERS][N];
    tw_queue *queue = tw_test_queue();
    for (int round = 0; round < ROUNDS; ++round) {
        unsigned model[BUFFERS][N];
        tw_buffer *x[BUFFERS];
        tw_command_graph *graph = NULL;
        for (unsigned b = 0; b < BUFFERS; ++b) {
            x[b] = filled(N, b);
            for (unsigned i = 0; i < N; ++i)
                model[b][i] = b + i;
        }
        const unsigned graph_seed = next_random(&seed), length = next_random(&seed) % STEPS;
        memset(scratch, 0, sizeof scratch);
        TW_PASS(tw_queue_begin_recording(queue));
        random_steps(graph_seed, length, scratch, queue, x);
        TW_PASS(tw_queue_end_recording(queue, &graph));
        for (int again = 0; again < 4; ++again) {
            const unsigned between = next_random(&seed), few = next_random(&seed) % 4;
            random_steps(between, few, model, queue, x);
            if (next_random(&seed) % 3 == 0) {
                const unsigned b = next_random(&seed) % BUFFERS;
                expect(x[b], model[b]);
            }
            TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
            random_steps(graph_seed, length, model, NULL, NULL);
        }
        for (unsigned b = 0; b < BUFFERS; ++b) {
            expect(x[b], model[b]);
            TW_PASS(tw_buffer_destroy(&x[b]));
        }
        tw_command_graph_destroy(&graph);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(long_graph)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 1);
    unsigned values[N];
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    for (unsigned s = 0; s < MANY; ++s)
        submit_step(queue, x, 3, s);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), MANY);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 1 + i;
    for (int round = 0; round < 3; ++round) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (unsigned s = 0; s < MANY; ++s)
            for (unsigned i = 0; i < N; ++i)
                values[i] = 3 * values[i] + s;
    }
    expect(x, values);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

TW_TEST(copies_only_what_is_needed)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    const tw_device *device = tw_queue_device(queue);
    unsigned host[N] = {0}, values[N];
    tw_buffer *x = NULL;
    tw_command_graph *discards = NULL, *needs = NULL;
    TW_PASS(tw_buffer_create_over(host, sizeof *host, tw_range_1d(N), &x));
    TW_PASS(tw_queue_begin_recording(queue));
    submit_fill(queue, x, 4); /* what comes after reads what this has written */
    submit_step(queue, x, 3, 1);
    TW_PASS(tw_queue_end_recording(queue, &discards));
    needs = graph_of_step(queue, x);
    TW_PASS(tw_queue_submit_graph(queue, discards, NULL));
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 0);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 3 * (4 + i) + 1;
    expect(x, values); /* a copy home */
    memset(values, 0, sizeof values);
    tw_test_store(x, values);
    TW_PASS(tw_queue_submit_graph(queue, needs, NULL)); /* and one back */
    TW_PASS(tw_queue_wait(queue));
    TW_EQUAL(tw_sim_count(device, TW_SIM_COPY), 2);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 1;
    expect(x, values);
    TW_PASS(tw_buffer_destroy(&x));
    TW_EQUAL(host[N - 1], 1);
    tw_command_graph_destroy(&discards);
    tw_command_graph_destroy(&needs);
    TW_PASS(tw_queue_destroy(&queue));
}

static void submit_column(tw_queue *queue, tw_buffer *square, size_t at, unsigned value)
{
    tw_command_group *cg = tw_queue_begin(queue);
    unsigned *x = tw_discard_write_part(cg, square, tw_id_2d(0, at), tw_range_2d(SIDE, 1));
    tw_parallel_for(cg, tw_range_1d(SIDE), column, .x = x, .value = value);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Records a group for the first column of a square, one for its middle, and one for all of it. What the last one has in
   common with neither of the others is in several boxes, most of which the first column meets. */
static tw_command_graph *graph_of_parts(tw_queue *queue, tw_buffer *square, bool discards)
{
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    if (discards)
        submit_column(queue, square, 0, 10);
    tw_command_group *cg = tw_queue_begin(queue);
    if (!discards)
        tw_read_write_part(cg, square, tw_id_2d(0, 0), tw_range_2d(SIDE, 1));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    unsigned *x = tw_read_write_part(cg, square, tw_id_2d(1, 1), tw_range_2d(2, 2));
    tw_single_task(cg, first, .x = x);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    x = tw_read_write(cg, square);
    tw_parallel_for(cg, tw_range_1d(SIDE * SIDE), affine, .x = x, .a = 3, .b = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    return graph;
}

static void expect_square(tw_buffer *square)
{
    unsigned data[SIDE * SIDE];
    tw_test_fetch(square, data);
    for (unsigned i = 0; i < SIDE * SIDE; ++i) {
        const unsigned before = i % SIDE == 0 ? 10 + i / SIDE : i == SIDE + 1 ? i + 7 : i;
        TW_EQUAL(data[i], 3 * before + 1);
    }
}

/* What an earlier group of the graph overwrites is neither copied nor missed, wherever it lies in later accesses. */
TW_TEST(needs_no_part_that_it_overwrites)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    unsigned host[SIDE * SIDE];
    for (int round = 0; round < 2; ++round) {
        tw_buffer *square = NULL;
        for (unsigned i = 0; i < SIDE * SIDE; ++i)
            host[i] = i;
        TW_PASS(tw_buffer_create_over(host, sizeof *host, tw_range_2d(SIDE, SIDE), &square));
        tw_command_graph *graph = graph_of_parts(queue, square, true);
        TW_PASS(tw_sim_reset(device));
        if (round) { /* the column is lost */
            TW_PASS(tw_sim_fail_nth(device, TW_SIM_LAUNCH, 1));
            submit_column(queue, square, 0, 90);
            TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
        }
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(tw_sim_copied_bytes(device), SIDE * (SIDE - 1) * sizeof *host);
        expect_square(square);
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&square));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Parts that touch no neighbour, in no order, and then all: of which it needs only what lies between them. */
TW_TEST(many_parts_that_are_far_from_each_other)
{
    enum { WIDTH = 24, CELLS = WIDTH * WIDTH, STEP = 161 /* without a common divisor */ };
    unsigned host[CELLS], data[CELLS];
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *cells = NULL;
    tw_command_graph *graph = NULL;
    for (unsigned i = 0; i < CELLS; ++i)
        host[i] = i;
    TW_PASS(tw_buffer_create_over(host, sizeof *host, tw_range_2d(WIDTH, WIDTH), &cells));
    TW_PASS(tw_queue_begin_recording(queue));
    for (size_t i = 0, at = 0; i < CELLS; ++i, at = (at + STEP) % CELLS) {
        if ((at / WIDTH + at % WIDTH) % 2)
            continue;
        tw_command_group *cg = tw_queue_begin(queue);
        unsigned *x = tw_discard_write_part(cg, cells, tw_id_2d(at / WIDTH, at % WIDTH), tw_range_2d(1, 1));
        tw_parallel_for(cg, tw_range_1d(1), column, .x = x, .value = (unsigned)at + 1000);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    tw_command_group *cg = tw_queue_begin(queue);
    unsigned *all = tw_read_write(cg, cells);
    tw_parallel_for(cg, tw_range_1d(CELLS), affine, .x = all, .a = 3, .b = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_sim_reset(device));
    for (unsigned round = 0; round < 2; ++round) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        TW_PASS(tw_queue_wait(queue));
        TW_EQUAL(tw_sim_copied_bytes(device), CELLS / 2 * sizeof *host);
    }
    tw_test_fetch(cells, data);
    for (unsigned i = 0; i < CELLS; ++i)
        TW_EQUAL(data[i], (i / WIDTH + i % WIDTH) % 2 ? 9 * i + 4 : 3 * (i + 1000) + 1);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&cells));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Whichever copy to the device fails: the graph fails, and the next one, which needs its results, is cancelled. */
TW_TEST(each_copy_of_a_part_fails)
{
    tw_test_use_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_event *events[2] = {NULL};
    unsigned host[SIDE * SIDE] = {0};
    bool failed = true;
    for (unsigned n = 1; failed; ++n) {
        tw_buffer *square = NULL;
        TW_PASS(tw_buffer_create_copy(host, sizeof *host, tw_range_2d(SIDE, SIDE), &square));
        tw_command_graph *graph = graph_of_parts(queue, square, false);
        TW_PASS(tw_sim_reset(device));
        TW_PASS(tw_sim_fail_nth(device, TW_SIM_COPY, n));
        for (int i = 0; i < 2; ++i)
            TW_PASS(tw_queue_submit_graph(queue, graph, &events[i]));
        const tw_status status = tw_event_wait(events[0]);
        failed = status != TW_SUCCESS;
        TW_EQUAL(status, failed ? TW_ERROR_TRANSFER_FAILED : TW_SUCCESS);
        TW_EQUAL(tw_event_wait(events[1]), failed ? TW_ERROR_CANCELLED : TW_SUCCESS);
        TW_CHECK(tw_sim_copied_bytes(device) <= sizeof host); /* none twice */
        while (tw_queue_wait(queue) != TW_SUCCESS) {
        }
        TW_PASS(tw_sim_reset(device));
        for (int i = 0; i < 2; ++i)
            tw_event_release(&events[i]);
        tw_command_graph_destroy(&graph);
        TW_PASS(tw_buffer_destroy(&square));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* Other queues and devices order themselves with a graph. */
TW_TEST(among_queues)
{
    tw_queue *queues[3];
    tw_buffer *x = filled(N, 0);
    unsigned values[N];
    tw_test_queues(queues, 3);
    tw_command_graph *graph = graph_of_step(queues[0], x);
    for (unsigned i = 0; i < N; ++i)
        values[i] = i;
    for (unsigned round = 0; round < 50; ++round) {
        submit_step(queues[1 + round % 2], x, 2, round);
        TW_PASS(tw_queue_submit_graph(queues[0], graph, NULL));
        for (unsigned i = 0; i < N; ++i)
            values[i] = 3 * (2 * values[i] + round) + 1;
    }
    expect(x, values);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 3);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

struct submitter {
    tw_queue *queue;
    tw_command_graph *graph;
};

static void *submit_often(void *argument)
{
    const struct submitter *s = argument;
    for (int i = 0; i < 100; ++i)
        TW_PASS(tw_queue_submit_graph(s->queue, s->graph, NULL));
    return NULL;
}

TW_TEST(from_several_threads)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 0);
    tw_command_graph *graph = NULL;
    pthread_t threads[4];
    unsigned values[N];
    TW_PASS(tw_queue_begin_recording(queue));
    submit_step(queue, x, 1, 1);
    submit_step(queue, x, 1, 2);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    struct submitter s = {queue, graph};
    for (int i = 0; i < 4; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, submit_often, &s) == 0);
    for (int i = 0; i < 4; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    for (unsigned i = 0; i < N; ++i)
        values[i] = i + 1200;
    expect(x, values);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- events, lifetimes, errors ----------------------------------------------------------------------------------- */

TW_TEST(events)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 0);
    tw_command_graph *graph = graph_of_step(queue, x);
    tw_event *event = NULL;
    tw_event_times times;
    TW_PASS(tw_queue_set_profiling(queue, true));
    TW_PASS(tw_queue_submit_graph(queue, graph, &event));
    TW_PASS(tw_event_wait(event));
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    TW_PASS(tw_event_get_times(event, &times));
    TW_CHECK(times.submit_ns && times.submit_ns <= times.ready_ns && times.ready_ns <= times.start_ns);
    TW_CHECK(times.start_ns < times.end_ns && times.end_ns <= times.complete_ns);
    tw_event_release(&event);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A graph may be given up while it waits to run, and a queue while it records. */
TW_TEST(given_up_early)
{
    tw_queue *queue = tw_test_queue(), *other = tw_test_queue();
    tw_buffer *x = filled(N, 0);
    unsigned values[N];
    struct tw_gate gate;
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_read(cg, gate.buffer);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 2, .b = 0);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_command_graph *graph = graph_of_step(queue, x);
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_queue_begin_recording(other));
    submit_step(other, x, 0, 0);
    TW_PASS(tw_queue_destroy(&other));
    tw_gate_open(&gate);
    for (unsigned i = 0; i < N; ++i)
        values[i] = 3 * (3 * (2 * i) + 1) + 1;
    expect(x, values);
    TW_PASS(tw_buffer_destroy(&x));
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(dropped_and_empty)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 0);
    tw_command_graph *graph = NULL;
    tw_event *event = NULL;
    unsigned values[N];
    TW_PASS(tw_queue_begin_recording(queue));
    submit_step(queue, x, 0, 0);
    TW_PASS(tw_queue_end_recording(queue, NULL));
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), 0);
    TW_PASS(tw_queue_submit_graph(queue, graph, &event));
    TW_PASS(tw_event_wait(event));
    for (unsigned i = 0; i < N; ++i)
        values[i] = i;
    expect(x, values);
    tw_event_release(&event);
    tw_command_graph_destroy(&graph);
    tw_command_graph_destroy(&graph);
    tw_command_graph_destroy(NULL);
    TW_EQUAL(tw_command_graph_count(NULL), 0);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Groups that only have accessors move data, also in a graph. */
TW_TEST(without_kernels)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 5);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_read(cg, x);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_expect_ints(x, 5);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(misuse)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 0), *y = filled(N, 0);
    tw_event *event = NULL;
    tw_command_graph *graph = NULL;
    TW_FAIL(tw_queue_begin_recording(NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_end_recording(NULL, &graph), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_end_recording(queue, &graph), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_CHECK(!graph && !tw_queue_is_recording(NULL));
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_queue_begin_recording(queue), TW_ERROR_INVALID_COMMAND_GROUP);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 1, .b = 1);
    TW_PASS(tw_queue_submit(queue, cg, &event)); /* of a node: nothing waits for it */
    TW_FAIL(tw_event_wait(event), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_FAIL(tw_event_wait_and_throw(event), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_PENDING);
    tw_event_release(&event);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, NULL), .a = 1, .b = 1);
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_end_recording(queue, NULL)); /* what is dropped may be incomplete */
    TW_PASS(tw_queue_begin_recording(queue));
    submit_step(queue, x, 2, 2);
    submit_step(queue, y, 2, 2);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), 2);
    TW_FAIL(tw_queue_submit_graph(NULL, graph, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_submit_graph(queue, NULL, NULL), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_begin_recording(queue));
    TW_FAIL(tw_queue_submit_graph(queue, graph, NULL), TW_ERROR_INVALID_COMMAND_GROUP);
    TW_PASS(tw_queue_end_recording(queue, NULL));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_buffer_destroy(&y));
    TW_FAIL(tw_queue_submit_graph(queue, graph, &event), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!event);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* What counts is when a group is submitted. Contents can be brought to the device. */
TW_TEST(begun_before_and_prefetched)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 3);
    unsigned values[N];
    tw_command_graph *graph = NULL;
    tw_command_group *early = tw_queue_begin(queue);
    tw_parallel_for(early, tw_range_1d(N), affine, .x = tw_read_write(early, x), .a = 2, .b = 1);
    TW_PASS(tw_queue_begin_recording(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_prefetch(cg, x);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_submit(queue, early, NULL));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_EQUAL(tw_command_graph_count(graph), 2);
    for (int turn = 0; turn < 2; ++turn)
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    for (unsigned i = 0; i < N; ++i)
        values[i] = 2 * (2 * (3 + i) + 1) + 1;
    expect(x, values);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A graph without one of its groups would give wrong results: there is none, whoever looked at the group's error. */
TW_TEST(a_refused_group_leaves_no_graph)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = filled(N, 0);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 1, .b = 1);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_2d(N, 1), affine, .x = tw_read_write(cg, x), .a = 1, .b = 1);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, NULL), .a = 1, .b = 1);
    }
    TW_FAIL(tw_queue_end_recording(queue, &graph), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(!graph && !tw_queue_is_recording(queue));
    TW_CHECK(strstr(tw_error_detail(), "refused while recording, at ") && strstr(tw_error_detail(), __FILE__));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_INVALID_KERNEL); /* as for every block */
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_INVALID_ARGUMENT);
    TW_PASS(tw_queue_begin_recording(queue));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, NULL), .a = 1, .b = 1);
    (void)tw_queue_submit(queue, cg, NULL);
    submit_step(queue, x, 3, 1);
    TW_FAIL(tw_queue_end_recording(queue, &graph), TW_ERROR_INVALID_ARGUMENT);
    TW_CHECK(!graph);
    graph = graph_of_step(queue, x); /* the next recording is a new one */
    TW_EQUAL(tw_command_graph_count(graph), 1);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(another_device)
{
    tw_test_use_sim(2);
    tw_queue *queues[2];
    tw_buffer *x = filled(N, 0);
    tw_test_queues(queues, 2);
    tw_command_graph *graph = graph_of_step(queues[0], x);
    TW_FAIL(tw_queue_submit_graph(queues[1], graph, NULL), TW_ERROR_INVALID_ARGUMENT);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 2);
}

/* A kernel inside fails: so does the graph, and who needs its data is cancelled. */
static void fail_inside(const char *async, tw_sim_operation operation)
{
    tw_test_use_sim(1);
    setenv("TW_SIM_ASYNC", async, 1);
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    tw_buffer *x = filled(N, 0);
    tw_command_graph *graph = NULL;
    tw_event *failed = NULL, *after = NULL;
    unsigned values[N];
    TW_PASS(tw_queue_begin_recording(queue));
    submit_fill(queue, x, 1);
    submit_step(queue, x, 2, 0);
    submit_step(queue, x, 2, 0);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    TW_PASS(tw_sim_fail_nth(device, operation, operation == TW_SIM_KERNEL ? 2 : 1));
    TW_PASS(tw_queue_submit_graph(queue, graph, &failed));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 1, .b = 1);
    TW_PASS(tw_queue_submit(queue, cg, &after));
    TW_FAIL(tw_event_wait(failed), TW_ERROR_LAUNCH_FAILED);
    /* cancelled, unless it was launched on the broken device before that was known */
    const tw_status second = tw_event_wait(after);
    TW_CHECK(second == TW_ERROR_CANCELLED || (*async == '1' && second == TW_ERROR_LAUNCH_FAILED));
    if (second == TW_ERROR_CANCELLED)
        TW_CHECK(strstr(tw_error_detail(), "it depends on a command graph ("));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_wait(queue), second);
    TW_PASS(tw_sim_reset(device));
    TW_PASS(tw_queue_submit_graph(queue, graph, NULL)); /* overwrites all that was lost */
    for (unsigned i = 0; i < N; ++i)
        values[i] = 4 * (1 + i);
    expect(x, values);
    tw_event_release(&failed);
    tw_event_release(&after);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_kernel_fails)
{
    fail_inside("0", TW_SIM_KERNEL);
}

TW_TEST(a_kernel_in_flight_fails)
{
    fail_inside("1", TW_SIM_KERNEL);
}

TW_TEST(a_launch_fails)
{
    fail_inside("1", TW_SIM_LAUNCH);
}

TW_TEST_LIST = {TW_CASE(recording_runs_nothing),
                TW_CASE(every_form),
                TW_CASE(random_graphs),
                TW_CASE(long_graph),
                TW_CASE(copies_only_what_is_needed),
                TW_CASE(needs_no_part_that_it_overwrites),
                TW_CASE(many_parts_that_are_far_from_each_other),
                TW_CASE(each_copy_of_a_part_fails),
                TW_CASE(among_queues),
                TW_CASE(from_several_threads),
                TW_CASE(events),
                TW_CASE(given_up_early),
                TW_CASE(dropped_and_empty),
                TW_CASE(without_kernels),
                TW_CASE(misuse),
                TW_CASE(begun_before_and_prefetched),
                TW_CASE(a_refused_group_leaves_no_graph),
                TW_CASE(another_device),
                TW_CASE(a_kernel_fails),
                TW_CASE(a_kernel_in_flight_fails),
                TW_CASE(a_launch_fails),
                TW_CASES_END};
