/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * A program that submits without end: in bounded memory, and never waiting for itself.
 *
 * TW_TEST_SUBMISSIONS is how many groups the last cases submit; 10,000,000 is what the library is meant for.
 */
#include "held_test.h"

enum { DEPTH = TW_QUEUE_DEPTH, MORE = 3000 };

struct count_one {
    unsigned *x;
    uintptr_t flag; /* addresses of the host's: simulated devices refuse pointers there */
    uintptr_t submitted;
    uintptr_t most; /* unfinished groups that a kernel has seen */
};
static inline void count_one(const struct count_one *k)
{
    await(k->flag);
#if !TW_ON_GPU
    if (k->submitted) {
        const unsigned unfinished = atomic_load((const atomic_uint *)k->submitted) - *k->x;
        if (unfinished > atomic_load((atomic_uint *)k->most))
            atomic_store((atomic_uint *)k->most, unfinished);
    }
#endif
    ++*k->x;
}
TW_SINGLE_TASK(count_one);

static tw_buffer *counter(void)
{
    return tw_test_zeroed(sizeof(unsigned), 1);
}

static void expect(tw_buffer *buffer, unsigned value)
{
    unsigned got = 0;
    tw_test_fetch(buffer, &got);
    TW_EQUAL(got, value);
}

static tw_status count(tw_queue *queue, tw_buffer *buffer)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, count_one, .x = tw_read_write(cg, buffer));
    return tw_queue_submit(queue, cg, NULL);
}

/* ---- the limit --------------------------------------------------------------------------------------------------- */

struct stream {
    tw_queue *queue;
    tw_buffer *buffer;
    atomic_int flag;
    atomic_uint submitted, most;
};

static void *submit_stream(void *argument)
{
    struct stream *stream = argument;
    for (unsigned i = 0; i < DEPTH + MORE; ++i) {
        tw_command_group *cg = tw_queue_begin(stream->queue);
        tw_single_task(cg, count_one, .x = tw_read_write(cg, stream->buffer), .flag = (uintptr_t)&stream->flag,
                       .submitted = (uintptr_t)&stream->submitted, .most = (uintptr_t)&stream->most);
        TW_PASS(tw_queue_submit(stream->queue, cg, NULL));
        atomic_fetch_add(&stream->submitted, 1);
    }
    return NULL;
}

/* The first kernel is held until the queue is full, and for a moment more, in which the thread could submit
   thousands. */
TW_TEST(a_submission_to_a_full_queue_waits)
{
    struct stream stream = {.queue = tw_test_queue()};
    pthread_t thread;
    if (tw_device_is_gpu(tw_queue_device(stream.queue))) {
        TW_PASS(tw_queue_destroy(&stream.queue));
        TW_SKIP();
    }
    stream.buffer = counter();
    TW_EQUAL(pthread_create(&thread, NULL, submit_stream, &stream), 0);
    while (atomic_load(&stream.submitted) < DEPTH)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    const unsigned submitted = atomic_load(&stream.submitted);
    atomic_store(&stream.flag, 1);
    TW_EQUAL(pthread_join(thread, NULL), 0);
    TW_PASS(tw_queue_wait(stream.queue));
    expect(stream.buffer, DEPTH + MORE);
    TW_EQUAL(submitted, DEPTH);
    TW_CHECK(atomic_load(&stream.most) <= DEPTH + 1); /* the one that is being submitted may run already */
    TW_PASS(tw_buffer_destroy(&stream.buffer));
    TW_PASS(tw_queue_destroy(&stream.queue));
}

TW_TEST(groups_behind_an_own_accessor_are_submitted)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = counter();
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    for (unsigned i = 0; i < DEPTH + MORE; ++i)
        TW_PASS(count(queue, buffer));
    tw_host_accessor_release(&accessor);
    for (unsigned i = 0; i < DEPTH + MORE; ++i)
        TW_PASS(count(queue, buffer));
    TW_PASS(tw_queue_wait(queue));
    expect(buffer, 2 * (DEPTH + MORE));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* The accessor is another thread's, which waits for this one; and what waits for it waits in another queue. */
TW_TEST(groups_behind_anothers_accessor_are_submitted)
{
    struct tw_gate gate;
    tw_queue *queues[2];
    tw_buffer *buffer = counter();
    tw_test_queues(queues, 2);
    tw_gate_shut(&gate);
    tw_command_group *cg = tw_queue_begin(queues[0]);
    (void)tw_read(cg, gate.buffer);
    tw_single_task(cg, count_one, .x = tw_read_write(cg, buffer));
    TW_PASS(tw_queue_submit(queues[0], cg, NULL));
    for (unsigned i = 0; i < 100; ++i)
        TW_PASS(count(queues[0], buffer));
    for (unsigned i = 0; i < DEPTH + MORE; ++i)
        TW_PASS(count(queues[1], buffer));
    tw_gate_open(&gate);
    TW_PASS(tw_queue_wait(queues[1]));
    expect(buffer, 101 + DEPTH + MORE);
    tw_gate_free(&gate);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_destroy_queues(queues, 2);
}

/* ---- endurance --------------------------------------------------------------------------------------------------- */

static unsigned submissions(void)
{
    const char *text = getenv("TW_TEST_SUBMISSIONS");
    return text ? (unsigned)strtoul(text, NULL, 10) : DEPTH + DEPTH / 2;
}

static long long resident_bytes(void)
{
    long long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    TW_CHECK(file && fscanf(file, "%lld %lld", &size, &pages) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* Checks that memory has not grown by more than that of a full queue. Sanitizers have memory of their own. */
static void expect_bounded(long long before)
{
    const long long most = (long long)DEPTH * 4096;
    const long long grown = resident_bytes() - before;
    if (getenv("TW_TEST_SUBMISSIONS"))
        printf("%s: grew by %lld MiB\n", tw_test_name(), grown >> 20);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    TW_CHECK(grown < most);
#else
    (void)most;
#endif
}

static void submit_many(unsigned wait_every)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = counter();
    const unsigned all = submissions();
    const long long before = resident_bytes();
    for (unsigned i = 1; i <= all; ++i) {
        TW_PASS(count(queue, buffer));
        if (wait_every && i % wait_every == 0)
            TW_PASS(tw_queue_wait(queue));
        if (i % (all / 8 + 1) == 0)
            expect_bounded(before);
    }
    TW_PASS(tw_queue_wait(queue));
    expect_bounded(before);
    expect(buffer, all);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(submissions_without_end_take_bounded_memory)
{
    submit_many(0);
}

TW_TEST(submissions_and_waits_take_bounded_memory)
{
    submit_many(100);
}

TW_TEST_LIST = {
    TW_CASE(a_submission_to_a_full_queue_waits),
    TW_CASE(groups_behind_an_own_accessor_are_submitted),
    TW_CASE(groups_behind_anothers_accessor_are_submitted),
    TW_CASE(submissions_without_end_take_bounded_memory),
    TW_CASE(submissions_and_waits_take_bounded_memory),
    TW_CASES_END,
};
