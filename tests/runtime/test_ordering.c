/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * The order of groups follows from their accesses alone, across queues, devices and host threads (properties 19, 20).
 * Order is proved with gates: a group that should wait is looked at while what it waits for is held back.
 */
#include "int_kernels.h"
#include "unsigned_kernels.h"

enum { N = 96, QUEUES = 3 };

TW_TEST_ONE_THREAD

struct fill {
    int *out;
    int value;
    size_t first, step;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[k->first + k->step * tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(fill, 1);

static tw_event *submit_plus(tw_queue *queue, tw_buffer *in, tw_buffer *out, int term, const struct tw_gate *gate)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    if (gate)
        tw_read(cg, gate->buffer);
    tw_parallel_for(cg, tw_range_1d(N), plus, .in = tw_read(cg, in),
                    .out = in == out ? tw_read_write(cg, out) : tw_discard_write(cg, out), .term = term);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

static tw_event *submit_fill(tw_queue *queue, tw_buffer *out, tw_access_mode mode, int value, size_t first, size_t step)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N / step), fill, .out = tw_access(cg, out, mode, TW_GLOBAL), .value = value,
                    .first = first, .step = step);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    return event;
}

static void release(tw_event **events, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        tw_event_release(&events[i]);
}

/* Property 19 on one queue, 20 on several: two writers, each of one half, then a reader, without a wait. */
TW_TEST(a_reader_sees_both_writers)
{
    tw_queue *queues[QUEUES];
    tw_test_queues(queues, QUEUES);
    for (int spread = 0; spread < QUEUES; ++spread)
        for (int round = 0; round < 20; ++round) {
            int data[N];
            tw_buffer *buffers[2] = {tw_test_ints(N, -1), tw_test_ints(N, -1)};
            tw_event *events[] = {
                submit_fill(queues[0], buffers[0], TW_WRITE, 10 * round, 0, 2),
                submit_fill(queues[spread > 0], buffers[0], TW_WRITE, 10 * round + 1, 1, 2),
                submit_plus(queues[spread], buffers[0], buffers[1], 5, NULL),
            };
            release(events, 3);
            tw_test_fetch(buffers[1], data);
            for (int i = 0; i < N; ++i)
                TW_EQUAL(data[i], 10 * round + i % 2 + 5);
            tw_test_destroy_buffers(buffers, 2);
        }
    tw_test_destroy_queues(queues, QUEUES);
}

/* Property 20: a long chain that changes queue and device at each step. */
TW_TEST(a_chain_over_queues_keeps_its_order)
{
    enum { LENGTH = 400 };
    unsigned data[N] = {0}, expected = 0;
    tw_queue *queues[QUEUES];
    tw_buffer *buffer = NULL;
    tw_test_queues(queues, QUEUES);
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
    for (unsigned i = 0; i < LENGTH; ++i) {
        tw_queue *queue = queues[i * 7 / 3 % QUEUES];
        TW_COMMAND_GROUP(queue, cg) {
            tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, buffer), .a = 2 * i + 3, .b = i);
        }
        expected = (2 * i + 3) * expected + i;
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < N; ++i)
        TW_CHECK(data[i] == expected);
    tw_test_destroy_queues(queues, QUEUES);
}

/* Holds a first group back, and looks at one that conflicts with it, on another queue. */
static void check_conflict(tw_queue **queues, int kind)
{
    struct tw_gate gate;
    tw_buffer *buffers[3] = {tw_test_ints(N, 1), tw_test_ints(N, 2), tw_test_ints(N, 3)};
    tw_event *events[2];
    tw_gate_shut(&gate);
    if (kind == 0) { /* read after write */
        events[0] = submit_plus(queues[0], buffers[0], buffers[1], 10, &gate);
        events[1] = submit_plus(queues[1], buffers[1], buffers[2], 100, NULL);
    } else if (kind == 1) { /* write after read */
        events[0] = submit_plus(queues[0], buffers[0], buffers[1], 10, &gate);
        events[1] = submit_fill(queues[1], buffers[0], TW_DISCARD_WRITE, 50, 0, 1);
    } else { /* write after write */
        events[0] = submit_plus(queues[0], buffers[0], buffers[1], 10, &gate);
        events[1] = submit_fill(queues[1], buffers[1], TW_WRITE, 50, 0, 1);
    }
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(events[1]), TW_EVENT_PENDING);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(events[1]));
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_COMPLETE);
    tw_test_expect_ints(buffers[0], kind == 1 ? 50 : 1);
    tw_test_expect_ints(buffers[1], kind == 2 ? 50 : 11);
    tw_test_expect_ints(buffers[2], kind == 0 ? 111 : 3);
    release(events, 2);
    tw_gate_free(&gate);
    tw_test_destroy_buffers(buffers, 3);
}

TW_TEST(conflicting_groups_wait_for_each_other)
{
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    for (int kind = 0; kind < 3; ++kind)
        check_conflict(queues, kind);
    tw_test_destroy_queues(queues, 2);
    tw_queue *same = tw_test_queue();
    tw_queue *twice[2] = {same, same};
    for (int kind = 0; kind < 3; ++kind)
        check_conflict(twice, kind);
    TW_PASS(tw_queue_destroy(&same));
}

/* A group that conflicts with nothing overtakes one that is held back, in the same queue and in another. */
TW_TEST(independent_groups_are_not_held_back)
{
    struct tw_gate gate;
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *buffers[] = {tw_test_ints(N, 1), tw_test_ints(N, 0), tw_test_ints(N, 0), tw_test_ints(N, 0)};
    tw_gate_shut(&gate);
    tw_event *events[] = {
        submit_plus(queues[0], buffers[0], buffers[1], 1, &gate),
        submit_plus(queues[0], buffers[0], buffers[2], 2, NULL), /* shares a buffer that both only read */
        submit_plus(queues[1], buffers[0], buffers[3], 3, NULL),
    };
    TW_PASS(tw_event_wait(events[1]));
    TW_PASS(tw_event_wait(events[2]));
    tw_test_expect_ints(buffers[2], 3);
    tw_test_expect_ints(buffers[3], 4);
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_PENDING);
    tw_gate_open(&gate);
    TW_PASS(tw_event_wait(events[0]));
    tw_test_expect_ints(buffers[1], 2);
    release(events, 3);
    tw_gate_free(&gate);
    tw_test_destroy_buffers(buffers, 4);
    tw_test_destroy_queues(queues, 2);
}

/* ---- host threads ------------------------------------------------------------------------------------------------ */

enum { THREADS = 4, ROUNDS = 100 };

struct worker {
    pthread_t thread;
    tw_queue *queue;
    tw_buffer *shared, *own;
    pthread_barrier_t *start;
};

/* Increments the shared buffer, and passes what it finds through one of its own: each group sees a whole state. */
static void *increment(void *context)
{
    struct worker *w = context;
    pthread_barrier_wait(w->start);
    for (int round = 0; round < ROUNDS; ++round) {
        tw_event *events[] = {submit_plus(w->queue, w->shared, w->shared, 1, NULL),
                              submit_plus(w->queue, w->shared, w->own, 0, NULL)};
        if (round % 10 == 9) {
            int seen[N];
            TW_PASS(tw_event_wait(events[1]));
            tw_test_fetch(w->own, seen);
            for (int i = 1; i < N; ++i)
                TW_EQUAL(seen[i], seen[0]);
            TW_CHECK(seen[0] >= round + 1 && seen[0] <= THREADS * ROUNDS);
        }
        release(events, 2);
    }
    return NULL;
}

static void run_threads(tw_queue **queues, size_t queue_count)
{
    struct worker workers[THREADS];
    pthread_barrier_t start;
    tw_buffer *shared = tw_test_ints(N, 0);
    TW_CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (struct worker){.queue = queues[(size_t)i % queue_count], .shared = shared, .start = &start};
        workers[i].own = tw_test_ints(N, 0);
        TW_CHECK(pthread_create(&workers[i].thread, NULL, increment, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(workers[i].thread, NULL) == 0);
    tw_test_expect_ints(shared, THREADS * ROUNDS);
    for (int i = 0; i < THREADS; ++i)
        TW_PASS(tw_buffer_destroy(&workers[i].own));
    TW_PASS(tw_buffer_destroy(&shared));
    pthread_barrier_destroy(&start);
}

TW_TEST(threads_submit_to_one_queue)
{
    tw_queue *queue = tw_test_queue();
    run_threads(&queue, 1);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(threads_submit_to_queues_of_their_own)
{
    tw_queue *queues[QUEUES];
    tw_test_queues(queues, QUEUES);
    run_threads(queues, QUEUES);
    tw_test_destroy_queues(queues, QUEUES);
}

/* Threads that also create and destroy everything they use. */
static void *live_and_die(void *context)
{
    struct worker *w = context;
    pthread_barrier_wait(w->start);
    for (int round = 0; round < 20; ++round) {
        tw_queue *queue = NULL;
        int data[N] = {0};
        tw_buffer *buffer = NULL;
        TW_PASS(tw_queue_create_on_device(tw_queue_device(w->queue), NULL, NULL, &queue));
        TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &buffer));
        for (int i = 0; i < 5; ++i) {
            tw_event *event = submit_plus(queue, buffer, buffer, round, NULL);
            tw_event_release(&event);
        }
        if (round % 2)
            TW_PASS(tw_queue_destroy(&queue));
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_queue_destroy(&queue));
        for (int i = 0; i < N; ++i)
            TW_EQUAL(data[i], 5 * round);
    }
    return NULL;
}

TW_TEST(threads_create_and_destroy_at_once)
{
    struct worker workers[THREADS];
    pthread_barrier_t start;
    tw_queue *queues[QUEUES];
    tw_test_queues(queues, QUEUES);
    TW_CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (struct worker){.queue = queues[i % QUEUES], .start = &start};
        TW_CHECK(pthread_create(&workers[i].thread, NULL, live_and_die, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(workers[i].thread, NULL) == 0);
    pthread_barrier_destroy(&start);
    tw_test_destroy_queues(queues, QUEUES);
}

/* Many readers of one version, then a writer, then readers again; readers of different devices run side by side. */
TW_TEST(readers_share_and_writers_do_not)
{
    enum { READERS = 12 };
    tw_queue *queues[QUEUES];
    tw_buffer *outs[2][READERS], *source = tw_test_ints(N, 1);
    tw_test_queues(queues, QUEUES);
    for (int version = 0; version < 2; ++version) {
        for (int i = 0; i < READERS; ++i) {
            outs[version][i] = tw_test_ints(N, 0);
            tw_event *event = submit_plus(queues[i % QUEUES], source, outs[version][i], i, NULL);
            tw_event_release(&event);
        }
        tw_event *event = submit_fill(queues[version], source, TW_DISCARD_WRITE, 1000, 0, 1);
        tw_event_release(&event);
    }
    for (int version = 0; version < 2; ++version)
        for (int i = 0; i < READERS; ++i) {
            tw_test_expect_ints(outs[version][i], (version ? 1000 : 1) + i);
            TW_PASS(tw_buffer_destroy(&outs[version][i]));
        }
    TW_PASS(tw_buffer_destroy(&source));
    tw_test_destroy_queues(queues, QUEUES);
}

TW_TEST_LIST = {TW_CASE(a_reader_sees_both_writers),
                TW_CASE(a_chain_over_queues_keeps_its_order),
                TW_CASE(conflicting_groups_wait_for_each_other),
                TW_CASE(independent_groups_are_not_held_back),
                TW_CASE(threads_submit_to_one_queue),
                TW_CASE(threads_submit_to_queues_of_their_own),
                TW_CASE(threads_create_and_destroy_at_once),
                TW_CASE(readers_share_and_writers_do_not),
                TW_CASES_END};
