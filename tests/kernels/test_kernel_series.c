/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/**
 * Many kernels in a row: what is ready one after the other may share a team of threads, and must not show it. Kernels
 * of all forms in turn, pieces that keep the others waiting, failures and host work in between, teams of other sizes,
 * several threads.
 */
#define TW_DEBUG_BOUNDS 1
#include "nd_range_test.h"
#include "unsigned_kernels.h"

#include <omp.h>
#include <time.h>

enum { N = 480, GROUP = REVERSED, ROUNDS = 40, LONG_WAIT = 3000000, THREADS = 4 };

/* Keeps whoever waits for this piece waiting: a few milliseconds. */
struct slow {
    unsigned *x;
    size_t at;
};
static inline void slow(tw_item item, const struct slow *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i == k->at)
        for (volatile unsigned turn = 0; turn < LONG_WAIT;)
            turn = turn + 1;
    k->x[i] = 3 * k->x[i] + 1;
}
TW_RANGE_KERNEL(slow, 1);

/* Turns the elements of each group by one. */
struct turn {
    unsigned *x;
};
static inline void turn(tw_nd_item item, const struct turn *k)
{
    const unsigned mine = k->x[tw_global_id(item, 0)];
    tw_barrier(item, TW_GLOBAL_SPACE);
    k->x[tw_group_id(item, 0) * GROUP + (tw_local_id(item, 0) + 1) % GROUP] = mine;
}
TW_ND_RANGE_KERNEL(turn, GROUP);

/* Adds the sum to the first element. */
struct carry {
    unsigned *x;
    const unsigned *sum;
};
static inline void carry(const struct carry *k)
{
    k->x[0] += k->sum[0];
}
TW_SINGLE_TASK(carry);

#define SUBMIT(queue, ...)                                                                                             \
    do {                                                                                                               \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        __VA_ARGS__;                                                                                                   \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
    } while (0)

/* Writes where there is nothing. */
struct stray {
    TW_VIEW(unsigned) x;
};
static inline void stray(tw_item item, const struct stray *k)
{
    if (tw_global_id(item, 0) == N - 1)
        tw_at(k->x, N) = 1;
}
TW_RANGE_KERNEL(stray, 1);

/* ---- a row of kernels of all forms, and what it does ------------------------------------------------------------- */

static tw_nd_range nd_groups_of(size_t size)
{
    return tw_nd_range_make(tw_range_1d(N), tw_range_1d(size));
}

static void submit_round(tw_queue *queue, tw_buffer *x, tw_buffer *sum, unsigned round, bool has_nd)
{
    SUBMIT(queue,
           tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 2 * round + 3, .b = round));
    SUBMIT(queue, tw_parallel_for_work_group(cg, tw_range_1d(N / GROUP), tw_range_1d(GROUP), reverse,
                                             .x = tw_read_write(cg, x)));
    if (has_nd)
        SUBMIT(queue, tw_parallel_for_nd_range(cg, nd_groups_of(GROUP), turn, .x = tw_read_write(cg, x)));
    SUBMIT(queue, tw_parallel_for(cg, tw_range_1d(N), total, .x = tw_read(cg, x), .sum = TW_REDUCE_INIT(cg, sum)));
    SUBMIT(queue, tw_single_task(cg, carry, .x = tw_read_write(cg, x), .sum = tw_read(cg, sum)));
}

static void expect_round(unsigned x[N], unsigned round, bool has_nd)
{
    unsigned moved[N], sum = 0;
    for (size_t i = 0; i < N; ++i) {
        const size_t first = i / GROUP * GROUP, reversed = first + GROUP - 1 - i % GROUP;
        moved[has_nd ? first + (reversed % GROUP + 1) % GROUP : reversed] = (2 * round + 3) * x[i] + round;
    }
    for (size_t i = 0; i < N; ++i)
        sum += x[i] = moved[i];
    x[0] += sum;
}

static void check_rounds(tw_queue *queue, bool has_nd)
{
    unsigned expected[N] = {0}, got[N];
    tw_buffer *x = tw_test_zeroed(sizeof(unsigned), N), *sum = tw_test_zeroed(sizeof(unsigned), 1);
    for (unsigned round = 0; round < ROUNDS; ++round) {
        submit_round(queue, x, sum, round, has_nd);
        expect_round(expected, round, has_nd);
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(x, got);
    TW_CHECK(!memcmp(got, expected, sizeof got));
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&sum));
}

static tw_queue *any_queue(bool *has_nd)
{
    tw_queue *queue = nd_queue();
    *has_nd = queue != NULL;
    return queue ? queue : tw_test_queue();
}

/* While more threads use OpenMP than there are processors, libomp lets all sleep at once, and says that by a time of 0:
   those of the library that only look on must not count. The first case: teams do count. */
TW_TEST(workers_leave_openmp_alone)
{
    tw_queue *queue = tw_test_queue(); /* first of all: it starts what libomp asks for where a tool is loaded */
    const int before = kmp_get_blocktime();
    if (!tw_queue_is_host(queue)) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    tw_buffer *x = tw_test_zeroed(sizeof(unsigned), 1), *sum = tw_test_zeroed(sizeof(unsigned), 1);
    tw_event *last = NULL;
    for (unsigned i = 0; i < ROUNDS; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_event_release(&last);
        tw_single_task(cg, carry, .x = tw_read_write(cg, x), .sum = tw_read(cg, sum));
        TW_PASS(tw_queue_submit(queue, cg, &last));
    }
    while (tw_event_get_state(last) != TW_EVENT_COMPLETE) /* by a worker, since nobody waits */
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    tw_event_release(&last);
    TW_EQUAL(kmp_get_blocktime(), before);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(kernels_of_all_forms_in_turn)
{
    bool has_nd;
    tw_queue *queue = any_queue(&has_nd);
    check_rounds(queue, has_nd);
    TW_PASS(tw_queue_destroy(&queue));
}

/* Whoever is done first has to wait for long: at the beginning of the next kernel, or for the end of this one. */
TW_TEST(pieces_that_keep_the_others_waiting)
{
    unsigned expected = 0, got[N];
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_zeroed(sizeof(unsigned), N);
    for (unsigned i = 0; i < 9; ++i) {
        const size_t at[] = {0, N - 1, N};
        SUBMIT(queue, tw_parallel_for(cg, tw_range_1d(N), slow, .x = tw_read_write(cg, x), .at = at[i % 3]));
        expected = 3 * expected + 1;
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(x, got);
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(got[i], expected);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Threads that must not poll sleep at once. */
TW_TEST(threads_that_sleep_between_kernels)
{
    const int before = kmp_get_blocktime();
    bool has_nd;
    tw_queue *queue = any_queue(&has_nd);
    kmp_set_blocktime(0);
    check_rounds(queue, has_nd);
    kmp_set_blocktime(before);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The rest goes on; only what needs the failed kernel's data does not run. */
TW_TEST(a_failure_in_between)
{
    unsigned expected = 0, got[N];
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (!strcmp(backend, "omp")) { /* bounds are checked on the host and simulated devices */
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    tw_buffer *x = tw_test_zeroed(sizeof(unsigned), N), *y = tw_test_zeroed(sizeof(unsigned), N);
    for (unsigned i = 0; i < ROUNDS; ++i) {
        SUBMIT(queue, tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 3, .b = i));
        expected = 3 * expected + i;
        if (i == ROUNDS / 2)
            SUBMIT(queue, tw_parallel_for(cg, tw_range_1d(N), stray, .x = TW_READ_WRITE_VIEW(cg, y)));
        if (i > ROUNDS / 2)
            SUBMIT(queue, tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, y), .a = 2, .b = 1));
    }
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_OUT_OF_BOUNDS);
    tw_test_fetch(x, got);
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(got[i], expected);
    tw_test_expect_lost(y);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    while (tw_queue_wait_and_throw(queue) != TW_SUCCESS) /* one for each that was cancelled */
        ;
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(recorded_and_run_again)
{
    unsigned expected[N] = {0}, got[N];
    bool has_nd;
    tw_queue *queue = any_queue(&has_nd);
    tw_buffer *x = tw_test_zeroed(sizeof(unsigned), N), *sum = tw_test_zeroed(sizeof(unsigned), 1);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    for (unsigned round = 0; round < 4; ++round)
        submit_round(queue, x, sum, round, has_nd);
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (unsigned run = 0; run < ROUNDS; ++run) {
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
        for (unsigned round = 0; round < 4; ++round)
            expect_round(expected, round, has_nd);
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(x, got);
    TW_CHECK(!memcmp(got, expected, sizeof got));
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several threads --------------------------------------------------------------------------------------------- */

static void *own_rounds(void *context)
{
    bool has_nd;
    tw_queue *queue = any_queue(&has_nd);
    for (unsigned i = 0; i < 5; ++i)
        check_rounds(queue, has_nd);
    TW_PASS(tw_queue_destroy(&queue));
    return context;
}

static void *rounds_of_a_team(void *context)
{
    omp_set_num_threads(*(const int *)context);
    return own_rounds(context);
}

/* By a thread each, and not large: libomp loses memory where a team grows much. */
TW_TEST(teams_of_other_sizes)
{
    int sizes[] = {1, 2, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        pthread_t thread;
        TW_CHECK(pthread_create(&thread, NULL, rounds_of_a_team, &sizes[i]) == 0);
        TW_CHECK(pthread_join(thread, NULL) == 0);
    }
}

TW_TEST(several_threads_with_a_row_each)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, own_rounds, NULL) == 0);
    for (unsigned i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Two rows on one device, of which a waiting thread looks after one; the other must not be forgotten. */
TW_TEST(rows_of_two_queues_that_depend_on_each_other)
{
    unsigned expected = 0, got[N];
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_zeroed(sizeof(unsigned), N), *other = tw_test_zeroed(sizeof(unsigned), N);
    for (unsigned i = 0; i < 4 * ROUNDS; ++i) {
        SUBMIT(queues[i / 3 % 2],
               tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, x), .a = 3, .b = i));
        SUBMIT(queues[1], tw_parallel_for(cg, tw_range_1d(N), affine, .x = tw_read_write(cg, other), .a = 1, .b = 1));
        expected = 3 * expected + i;
    }
    TW_PASS(tw_queue_wait_and_throw(queues[0]));
    tw_test_fetch(x, got);
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(got[i], expected);
    tw_test_fetch(other, got);
    for (size_t i = 0; i < N; ++i)
        TW_EQUAL(got[i], 4 * ROUNDS);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&other));
    tw_test_destroy_queues(queues, 2);
}

/* There the teams of kernels have one thread each. */
TW_TEST(waiting_inside_a_parallel_region)
{
#pragma omp parallel num_threads(2)
    own_rounds(NULL);
}

TW_TEST_LIST = {TW_CASE(workers_leave_openmp_alone),
                TW_CASE(kernels_of_all_forms_in_turn),
                TW_CASE(pieces_that_keep_the_others_waiting),
                TW_CASE(threads_that_sleep_between_kernels),
                TW_CASE(teams_of_other_sizes),
                TW_CASE(a_failure_in_between),
                TW_CASE(recorded_and_run_again),
                TW_CASE(several_threads_with_a_row_each),
                TW_CASE(rows_of_two_queues_that_depend_on_each_other),
                TW_CASE(waiting_inside_a_parallel_region),
                TW_CASES_END};
