/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), long */
/**
 * Kernels in flight together: enqueued before those they depend on are over. On simulated devices, where a kernel can
 * be held, nearly all is deterministic; what only counts results runs on every device.
 */
#define _GNU_SOURCE
#include "held_test.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { MANY = 3000, LONG = 1000, WIDE = 20 };

struct sum_all {
    const unsigned *in[WIDE];
    unsigned *out;
};
static inline void sum_all(tw_item item, const struct sum_all *k)
{
    const size_t i = tw_global_id(item, 0);
    for (int n = 0; n < WIDE; ++n)
        k->out[i] += k->in[n][i];
}
TW_RANGE_KERNEL(sum_all, 1);

static void nap(void)
{
    const struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

static uint64_t launches(tw_queue *queue)
{
    return tw_sim_count(tw_queue_device(queue), TW_SIM_LAUNCH);
}

TW_TEST(dependent_kernels_are_enqueued_before_the_first_is_over)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    tw_event *events[3] = {NULL};
    atomic_int open = 0;
    bring(queue, x);
    const uint64_t before = launches(queue);
    submit(queue, x, 2, 1, &open, &events[0]); /* 3 */
    submit(queue, x, 3, 1, NULL, &events[1]);  /* 10 */
    submit(queue, x, 2, 5, NULL, &events[2]);  /* 25 */
    TW_EQUAL(launches(queue), before + 3);
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_RUNNING);
    TW_EQUAL(tw_event_get_state(events[1]), TW_EVENT_PENDING);
    size_t waits = 0;
    TW_PASS(tw_event_get_wait_list(events[2], NULL, 0, &waits));
    TW_EQUAL(waits, 1);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(events[1]));
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_COMPLETE);
    tw_test_expect_ints(x, 25);
    for (int i = 0; i < 3; ++i) {
        tw_event_times times;
        TW_PASS(tw_event_get_times(events[i], &times));
        TW_CHECK(times.submit_ns && times.submit_ns <= times.start_ns && times.start_ns < times.end_ns);
        tw_event_release(&events[i]);
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_diamond_over_two_queues)
{
    use_async_sim(1);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    for (int turn = 0; turn < 20; ++turn) {
        tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0), *w = tw_test_ints(N, 0);
        atomic_int open = 0;
        bring(queues[0], x);
        const uint64_t before = launches(queues[0]);
        submit(queues[0], x, 5, 2, &open, NULL);           /* x = 7 */
        submit_sum(queues[0], x, x, y, NULL, NULL);        /* y = 14 */
        submit_sum(queues[1], x, x, z, NULL, NULL);        /* z = 14 */
        submit_sum(queues[turn % 2], y, z, w, NULL, NULL); /* w = 28 */
        submit(queues[1], x, 0, 3, NULL, NULL);            /* after both readers */
        TW_EQUAL(launches(queues[0]), before + 5);
        atomic_store(&open, 1);
        tw_test_expect_ints(w, 28);
        tw_test_expect_ints(x, 3);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&y));
        TW_PASS(tw_buffer_destroy(&z));
        TW_PASS(tw_buffer_destroy(&w));
    }
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(a_kernel_after_more_chains_than_are_told_at_a_time)
{
    use_async_sim(1);
    tw_queue *queues[WIDE];
    tw_buffer *in[WIDE], *out = tw_test_ints(N, 0);
    atomic_int open = 0;
    tw_test_queues(queues, WIDE);
    bring(queues[0], out);
    for (int i = 0; i < WIDE; ++i)
        bring(queues[0], in[i] = tw_test_ints(N, (unsigned)i));
    const uint64_t before = launches(queues[0]);
    for (int i = 0; i < WIDE; ++i)
        submit(queues[i], in[i], 1, 100, &open, NULL);
    tw_command_group *cg = tw_queue_begin(queues[3]);
    struct sum_all k = {.out = tw_read_write(cg, out)};
    for (int i = 0; i < WIDE; ++i)
        k.in[i] = tw_read(cg, in[i]);
    tw_parallel_for_kernel(cg, tw_range_1d(N), &sum_all_kernel.range_kernel, &k, sizeof k);
    TW_PASS(tw_queue_submit(queues[3], cg, NULL));
    TW_EQUAL(launches(queues[0]), before + WIDE + 1);
    atomic_store(&open, 1);
    tw_test_expect_ints(out, WIDE * 100 + WIDE * (WIDE - 1) / 2);
    for (int i = 0; i < WIDE; ++i)
        TW_PASS(tw_buffer_destroy(&in[i]));
    TW_PASS(tw_buffer_destroy(&out));
    tw_test_destroy_queues(queues, WIDE);
}

/* A copy to the host is the host's work: it waits for what is in flight, and what needs it waits for it. Copies between
   devices: test_peer_copies.c. */
TW_TEST(copies_to_the_host_wait_for_what_is_in_flight)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue(), *host = NULL;
    TW_PASS(tw_queue_create(tw_host_selector, NULL, NULL, NULL, &host));
    tw_buffer *x = tw_test_ints(N, 1);
    atomic_int open = 0;
    bring(queue, x);
    const uint64_t copies = tw_test_sim_total(TW_SIM_COPY), before = launches(queue);
    submit(queue, x, 2, 1, &open, NULL);
    submit(host, x, 3, 1, NULL, NULL);
    submit(queue, x, 2, 5, NULL, NULL);
    for (int i = 0; i < 20; ++i)
        nap();
    TW_EQUAL(tw_test_sim_total(TW_SIM_COPY), copies);
    TW_EQUAL(launches(queue), before + 1);
    atomic_store(&open, 1);
    tw_test_expect_ints(x, 25);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_queue_destroy(&host));
}

/* When a kernel is complete, so is what it depended on, on whichever chain and by whomever it is looked at. */
TW_TEST(a_kernel_is_complete_after_its_predecessors)
{
    use_async_sim(1);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 0), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0);
    bring(queues[0], x);
    bring(queues[0], y);
    bring(queues[0], z);
    for (int turn = 0; turn < 300; ++turn) {
        tw_event *before = NULL, *after = NULL;
        submit(queues[1], y, 1, 1, NULL, NULL);
        submit(queues[0], x, 1, 1, NULL, &before);
        submit_sum(queues[1], x, y, z, NULL, &after);
        if (turn % 2)
            TW_PASS(tw_event_wait(after));
        while (tw_event_get_state(after) != TW_EVENT_COMPLETE) {
        }
        TW_EQUAL(tw_event_get_state(before), TW_EVENT_COMPLETE);
        tw_event_release(&before);
        tw_event_release(&after);
    }
    tw_test_expect_ints(z, 600);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(write_backs_come_after_all_that_is_in_flight)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    unsigned data[N];
    tw_buffer *x = NULL;
    memset(data, 0, sizeof data);
    TW_PASS(tw_buffer_create_over(data, sizeof *data, tw_range_1d(N), &x));
    TW_PASS(tw_sim_delay(tw_queue_device(queue), TW_SIM_LAUNCH, 100000));
    for (unsigned i = 0; i < 100; ++i)
        submit(queue, x, 3, i, NULL, NULL);
    TW_PASS(tw_buffer_destroy(&x));
    unsigned value = 0;
    for (unsigned i = 0; i < 100; ++i)
        value = 3 * value + i;
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], value);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(more_than_a_chain_holds)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 0);
    tw_event *last = NULL;
    atomic_int open = 0;
    bring(queue, x);
    const uint64_t before = launches(queue);
    submit(queue, x, 1, 1, &open, NULL);
    for (int i = 1; i < MANY; ++i)
        submit(queue, x, 1, 1, NULL, i == MANY - 1 ? &last : NULL);
    TW_CHECK(launches(queue) >= before + 100 && launches(queue) < before + MANY);
    TW_EQUAL(tw_event_get_state(last), TW_EVENT_PENDING);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(last));
    TW_EQUAL(launches(queue), before + MANY);
    tw_event_release(&last);
    tw_test_expect_ints(x, MANY);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Nobody waits: workers see to it that what is over is finished, and that what is left over is enqueued. */
TW_TEST(progress_while_nobody_waits)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 0), *y = tw_test_ints(N, 0);
    tw_event *events[2] = {NULL};
    for (int i = 0; i < MANY; ++i)
        submit(queues[0], x, 1, 1, NULL, NULL);
    submit_sum(queues[1], x, x, y, NULL, &events[0]); /* a copy between */
    submit(queues[1], y, 1, 1, NULL, &events[1]);
    while (tw_event_get_state(events[1]) != TW_EVENT_COMPLETE)
        nap();
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_COMPLETE);
    tw_event_release(&events[0]);
    tw_event_release(&events[1]);
    tw_test_expect_ints(y, 2 * MANY + 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(the_start_of_a_kernel_in_flight)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    atomic_int first = 0, second = 0;
    tw_event *event = NULL;
    bring(queue, x);
    submit(queue, x, 2, 1, &first, NULL);
    submit(queue, x, 3, 1, &second, &event);
    tw_event *start = tw_event_of_start(event);
    TW_EQUAL(tw_event_get_state(start), TW_EVENT_PENDING);
    atomic_store(&first, 1);
    TW_PASS(tw_event_wait(start)); /* though the kernel cannot end */
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_RUNNING);
    atomic_store(&second, 1);
    TW_PASS(tw_event_wait(event));
    tw_event_release(&start);
    tw_event_release(&event);
    tw_test_expect_ints(x, 10);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A kernel fails when those that depend on it are enqueued: they are cancelled, and all that the device had is lost. */
TW_TEST(a_fault_that_is_found_late)
{
    use_async_sim(1);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    tw_event *events[4] = {NULL};
    atomic_int open = 0, other = 0;
    bring(queues[0], x);
    bring(queues[0], y);
    TW_PASS(tw_sim_fail_nth(device, TW_SIM_KERNEL, 1));
    submit(queues[0], x, 2, 1, &open, &events[0]);
    submit(queues[0], x, 3, 1, NULL, &events[1]);
    submit_sum(queues[1], x, x, y, NULL, &events[2]);
    atomic_store(&open, 1);
    TW_FAIL(tw_event_wait(events[0]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_event_wait(events[2]), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "held") != NULL);
    TW_FAIL(tw_event_wait(events[1]), TW_ERROR_CANCELLED);
    submit(queues[0], y, 0, 1, &other, &events[3]); /* y is lost already */
    TW_FAIL(tw_event_wait(events[3]), TW_ERROR_CANCELLED);
    for (int i = 0; i < 4; ++i)
        tw_event_release(&events[i]);
    tw_test_expect_lost(x);
    tw_test_expect_lost(y);
    TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_LAUNCH_FAILED);
    for (int i = 0; i < 2; ++i)
        TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_CANCELLED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_CANCELLED);
    /* a new life for the device: what is overwritten is whole */
    TW_PASS(tw_sim_reset(device));
    unsigned fresh[N];
    for (int i = 0; i < N; ++i)
        fresh[i] = 4;
    tw_test_store(x, fresh);
    submit(queues[1], x, 2, 0, NULL, NULL);
    tw_test_expect_ints(x, 8);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    tw_test_destroy_queues(queues, 2);
}

/* What is enqueued beside the kernel that failed is lost with the device, though it does not depend on it. */
TW_TEST(a_fault_takes_what_is_behind_it_on_the_device)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
    tw_event *events[2] = {NULL};
    atomic_int open = 0;
    bring(queue, x);
    bring(queue, y);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_KERNEL, 1));
    submit(queue, x, 2, 1, &open, &events[0]);
    submit(queue, y, 3, 1, NULL, &events[1]);
    atomic_store(&open, 1);
    TW_FAIL(tw_event_wait(events[1]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_event_wait(events[0]), TW_ERROR_LAUNCH_FAILED);
    tw_event_release(&events[0]);
    tw_event_release(&events[1]);
    TW_PASS(tw_sim_reset(tw_queue_device(queue)));
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_LAUNCH_FAILED);
}

/* A kernel that cannot be enqueued while others before it are in flight fails in its turn. */
TW_TEST(a_kernel_that_cannot_be_enqueued)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1), *z = tw_test_ints(N, 1);
    tw_event *events[4] = {NULL};
    atomic_int open = 0;
    bring(queue, x);
    bring(queue, y);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_LAUNCH, 2));
    submit(queue, x, 2, 1, &open, &events[0]);
    submit_sum(queue, x, x, y, NULL, &events[1]); /* this one */
    submit_sum(queue, y, y, z, NULL, &events[2]);
    submit(queue, x, 2, 1, NULL, &events[3]); /* waits for it because it overwrites what it reads */
    TW_EQUAL(tw_event_get_state(events[1]), TW_EVENT_PENDING);
    TW_EQUAL(tw_event_get_state(events[2]), TW_EVENT_PENDING);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(events[3]));
    TW_PASS(tw_event_wait(events[0]));
    TW_FAIL(tw_event_wait(events[1]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_event_wait(events[2]), TW_ERROR_CANCELLED);
    for (int i = 0; i < 4; ++i)
        tw_event_release(&events[i]);
    tw_test_expect_ints(x, 7);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    TW_FAIL(tw_queue_wait(queue), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_CANCELLED);
}

/* A kernel is doomed by a copy that fails, while another one before it is in flight. */
TW_TEST(doomed_while_a_predecessor_is_in_flight)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1), *out = tw_test_ints(N, 0);
    tw_event *events[3] = {NULL};
    atomic_int open = 0;
    bring(queue, x);
    bring(queue, out);
    submit(queue, x, 2, 1, &open, &events[0]);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), TW_SIM_COPY, 1));
    submit_sum(queue, x, y, out, NULL, &events[1]); /* y has to be brought, which fails */
    submit(queue, x, 2, 1, NULL, &events[2]);
    while (tw_sim_count(tw_queue_device(queue), TW_SIM_COPY) < 3)
        nap();
    nap();
    TW_EQUAL(tw_event_get_state(events[1]), TW_EVENT_PENDING);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(events[2]));
    TW_FAIL(tw_event_wait(events[1]), TW_ERROR_TRANSFER_FAILED);
    for (int i = 0; i < 3; ++i)
        tw_event_release(&events[i]);
    tw_test_expect_ints(x, 7);
    tw_test_expect_ints(y, 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&out));
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_TRANSFER_FAILED);
}

/* Objects may go while kernels that use them are in flight; what was theirs is freed after. */
TW_TEST(destruction_while_in_flight)
{
    use_async_sim(1);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_device *device = tw_queue_device(queues[0]);
    tw_event *event = NULL;
    TW_PASS(tw_sim_delay(device, TW_SIM_LAUNCH, 300000));
    for (int i = 0; i < 20; ++i) {
        tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
        submit(queues[0], x, 2, 1, NULL, NULL);
        tw_event_release(&event);
        submit_sum(queues[1], x, x, y, NULL, &event);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&y));
    }
    tw_test_destroy_queues(queues, 2);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    tw_event_release(&event);
    tw_test_released(device);
}

/* ---- on every device --------------------------------------------------------------------------------------------- */

TW_TEST(a_long_chain)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 1);
    unsigned value = 1;
    for (unsigned i = 0; i < LONG; ++i) {
        submit(queue, x, 3, i, NULL, NULL);
        value = 3 * value + i;
    }
    tw_test_expect_ints(x, value);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_chain_that_goes_from_queue_to_queue)
{
    tw_queue *queues[4];
    tw_test_queues(queues, 4);
    tw_buffer *x = tw_test_ints(N, 1);
    unsigned value = 1;
    for (unsigned i = 0; i < 400; ++i) {
        submit(queues[i % 4], x, 3, i, NULL, NULL);
        value = 3 * value + i;
        if (i % 100 == 99)
            tw_test_expect_ints(x, value);
    }
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 4);
}

/* Arguments that do not fit a launch, one after the other on a chain. */
struct large {
    unsigned add[100];
    unsigned *x;
};
static inline void large(tw_item item, const struct large *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = 2 * k->x[i] + k->add[i];
}
TW_RANGE_KERNEL(large, 1);

TW_TEST(large_argument_blocks_in_a_chain)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 0);
    unsigned value = 0;
    for (unsigned n = 0; n < 200; ++n) {
        tw_command_group *cg = tw_queue_begin(queue);
        struct large k = {.x = tw_read_write(cg, x)};
        for (int i = 0; i < N; ++i)
            k.add[i] = n;
        tw_parallel_for_kernel(cg, tw_range_1d(N), &large_kernel.range_kernel, &k, sizeof k);
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        value = 2 * value + n;
    }
    tw_test_expect_ints(x, value);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

static void *submit_from_a_thread(void *argument)
{
    tw_buffer **buffers = argument; /* its own, and one of all */
    tw_queue *queue = tw_test_queue();
    for (unsigned i = 0; i < 300; ++i) {
        submit(queue, buffers[0], 3, i, NULL, NULL);
        if (i % 3 == 0)
            submit(queue, buffers[1], 1, 1, NULL, NULL);
        if (i % 100 == 50)
            TW_PASS(tw_queue_wait(queue));
    }
    TW_PASS(tw_queue_destroy(&queue));
    return NULL;
}

TW_TEST(chains_of_several_threads)
{
    check_threads(submit_from_a_thread, 300, 100);
}

/* The same beside a simulated device that is asynchronous, whatever the device under test is. */
TW_TEST(chains_of_several_threads_in_flight)
{
    use_async_sim(1);
    chains_of_several_threads();
}

/* ---- threads that wait at the same time -------------------------------------------------------------------------- */

enum { WAITERS = 24, ROUNDS = 10 };

struct waiting_thread {
    tw_event *event;
    sem_t *began;
    long id; /* the system's */
};

/* How often a thread of this process has given up the processor to wait for something. */
static long rests_of(long id)
{
    char line[128];
    long rests = -1;
    snprintf(line, sizeof line, "/proc/self/task/%ld/status", id);
    FILE *file = fopen(line, "r");
    TW_CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file))
        (void)sscanf(line, "voluntary_ctxt_switches: %ld", &rests);
    TW_CHECK(rests >= 0);
    if (file)
        fclose(file);
    return rests;
}

static void *wait_for_event(void *argument)
{
    struct waiting_thread *thread = argument;
    thread->id = syscall(SYS_gettid);
    sem_post(thread->began);
    TW_PASS(tw_event_wait(thread->event));
    return NULL;
}

/* While one thread looks how far the device is, the others sleep. Counted is how often they woke up, which does not
   depend on how fast the machine is: threads that look now and then do so hundreds of times while the kernel is
   held. */
TW_TEST(threads_that_wait_beside_another_one_sleep)
{
    use_async_sim(1);
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 0);
    struct waiting_thread waiting[WAITERS];
    pthread_t threads[WAITERS];
    atomic_int open = 0;
    sem_t began;
    int busy = 0;
    TW_CHECK(sem_init(&began, 0, 0) == 0);
    bring(queue, x);
    for (int i = 0; i < WAITERS; ++i) {
        waiting[i] = (struct waiting_thread){.began = &began};
        submit(queue, x, 1, 1, i == 0 ? &open : NULL, &waiting[i].event);
    }
    for (int i = 0; i < WAITERS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, wait_for_event, &waiting[i]) == 0);
    for (int i = 0; i < WAITERS; ++i)
        while (sem_wait(&began) != 0) {
        }
    for (int i = 0; i < 100; ++i)
        nap(); /* a shorter time would find less, but never fail */
    for (int i = 0; i < WAITERS; ++i)
        busy += rests_of(waiting[i].id) > 100;
    atomic_store(&open, 1);
    for (int i = 0; i < WAITERS; ++i) {
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
        TW_EQUAL(tw_event_get_state(waiting[i].event), TW_EVENT_COMPLETE);
        tw_event_release(&waiting[i].event);
    }
    TW_CHECK(busy <= WAITERS / 4); /* the one that looks; and a few that had to wait for the lock */
    sem_destroy(&began);
    tw_test_expect_ints(x, WAITERS);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

struct fallback_args {
    tw_buffer *x;
};

static void submit_on_either(tw_command_group *cg, void *user)
{
    const struct fallback_args *args = user;
    tw_parallel_for(cg, tw_range_1d(N), held, .x = tw_read_write(cg, args->x), .a = 1, .b = 1);
}

/* What they sleep for fails, and runs on another queue. */
TW_TEST(threads_that_sleep_for_a_kernel_that_goes_elsewhere)
{
    enum { SLEEPERS = 6 };
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 0);
    struct waiting_thread waiting[SLEEPERS];
    pthread_t threads[SLEEPERS];
    tw_event *events[3] = {NULL};
    atomic_int open = 0;
    sem_t began;
    TW_CHECK(sem_init(&began, 0, 0) == 0);
    bring(queues[0], x);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_LAUNCH, 2));
    submit(queues[0], x, 1, 1, &open, &events[0]);
    TW_PASS(tw_queue_submit_function(queues[0], queues[1], submit_on_either, &(struct fallback_args){x}, &events[1]));
    submit(queues[0], x, 1, 1, NULL, &events[2]);
    for (int i = 0; i < SLEEPERS; ++i) {
        waiting[i] = (struct waiting_thread){.event = events[i % 3], .began = &began};
        TW_CHECK(pthread_create(&threads[i], NULL, wait_for_event, &waiting[i]) == 0);
    }
    for (int i = 0; i < SLEEPERS; ++i)
        while (sem_wait(&began) != 0) {
        }
    for (int i = 0; i < 20; ++i)
        nap();
    atomic_store(&open, 1);
    for (int i = 0; i < SLEEPERS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < 3; ++i)
        tw_event_release(&events[i]);
    sem_destroy(&began);
    tw_test_expect_ints(x, 3);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 2);
}

struct crowd {
    tw_queue *queues[3];
    tw_buffer *shared;
    atomic_uint next;
};

/* Waits for kernels of a chain that goes from queue to queue, in every way in turn. */
static void *wait_in_a_crowd(void *argument)
{
    struct crowd *crowd = argument;
    const unsigned number = atomic_fetch_add(&crowd->next, 1);
    tw_buffer *own = tw_test_ints(N, 0);
    unsigned got[N];
    for (unsigned i = 0; i < ROUNDS; ++i) {
        tw_event *event = NULL, *start;
        tw_queue *first = crowd->queues[i % 3], *second = crowd->queues[(i + number) % 3];
        submit(first, own, 1, 1, NULL, NULL);
        submit(second, crowd->shared, 1, 1, NULL, NULL);
        submit(second, own, 1, 1, NULL, &event);
        switch ((number + i) % 5) {
        case 0:
            TW_PASS(tw_event_wait(event));
            break;
        case 1:
            TW_PASS(tw_queue_wait(second));
            break;
        case 2:
            start = tw_event_of_start(event);
            TW_PASS(tw_event_wait(start));
            tw_event_release(&start);
            break;
        case 3:
            tw_test_fetch(own, got);
            TW_EQUAL(got[N - 1], 2 * (i + 1));
            break;
        default: /* goes on */
            break;
        }
        tw_event_release(&event);
    }
    tw_test_expect_ints(own, 2 * ROUNDS);
    TW_PASS(tw_buffer_destroy(&own));
    return NULL;
}

TW_TEST(a_crowd_waits_in_every_way)
{
    struct crowd crowd = {.shared = tw_test_ints(N, 0)};
    pthread_t threads[WAITERS];
    tw_test_queues(crowd.queues, 3);
    for (int i = 0; i < WAITERS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, wait_in_a_crowd, &crowd) == 0);
    for (int i = 0; i < WAITERS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    tw_test_expect_ints(crowd.shared, WAITERS * ROUNDS);
    TW_PASS(tw_buffer_destroy(&crowd.shared));
    tw_test_destroy_queues(crowd.queues, 3);
}

/* The same beside simulated devices that are asynchronous. */
TW_TEST(a_crowd_waits_for_what_is_in_flight)
{
    use_async_sim(2);
    a_crowd_waits_in_every_way();
}

TW_TEST_LIST = {
    TW_CASE(dependent_kernels_are_enqueued_before_the_first_is_over),
    TW_CASE(a_diamond_over_two_queues),
    TW_CASE(a_kernel_after_more_chains_than_are_told_at_a_time),
    TW_CASE(copies_to_the_host_wait_for_what_is_in_flight),
    TW_CASE(a_kernel_is_complete_after_its_predecessors),
    TW_CASE(write_backs_come_after_all_that_is_in_flight),
    TW_CASE(more_than_a_chain_holds),
    TW_CASE(progress_while_nobody_waits),
    TW_CASE(the_start_of_a_kernel_in_flight),
    TW_CASE(a_fault_that_is_found_late),
    TW_CASE(a_fault_takes_what_is_behind_it_on_the_device),
    TW_CASE(a_kernel_that_cannot_be_enqueued),
    TW_CASE(doomed_while_a_predecessor_is_in_flight),
    TW_CASE(destruction_while_in_flight),
    TW_CASE(a_long_chain),
    TW_CASE(a_chain_that_goes_from_queue_to_queue),
    TW_CASE(large_argument_blocks_in_a_chain),
    TW_CASE(chains_of_several_threads),
    TW_CASE(chains_of_several_threads_in_flight),
    TW_CASE(threads_that_wait_beside_another_one_sleep),
    TW_CASE(threads_that_sleep_for_a_kernel_that_goes_elsewhere),
    TW_CASE(a_crowd_waits_in_every_way),
    TW_CASE(a_crowd_waits_for_what_is_in_flight),
    TW_CASES_END,
};
