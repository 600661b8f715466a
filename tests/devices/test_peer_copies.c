/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams), long */
/**
 * Copies between devices that keep their own order: enqueued before the kernels that they wait for are over, and
 * failing in every way. On simulated devices, where a kernel can be held; what only counts results runs on every
 * device.
 */
#include "held_test.h"

enum { MANY = 1500, STEPS = 40 };

TW_TEST_ONE_THREAD

static uint64_t launches(void)
{
    return tw_test_sim_total(TW_SIM_LAUNCH);
}

static uint64_t copies(void)
{
    return tw_test_sim_total(TW_SIM_COPY);
}

/* ---- enqueued at once -------------------------------------------------------------------------------------------- */

TW_TEST(a_line_over_two_devices_is_enqueued_before_its_first_kernel_is_over)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_event *events[STEPS] = {NULL};
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1);
    atomic_int open = 0;
    unsigned value = 1;
    bring(queues[0], x);
    const uint64_t launches_before = launches(), copies_before = copies();
    for (unsigned i = 0; i < STEPS; ++i) {
        submit(queues[i % 2], x, 3, i, i ? NULL : &open, &events[i]);
        value = 3 * value + i;
    }
    TW_EQUAL(launches(), launches_before + STEPS);
    TW_EQUAL(copies(), copies_before + STEPS - 1);
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_RUNNING);
    for (int i = 1; i < STEPS; ++i)
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_PENDING);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(events[STEPS - 1]));
    for (int i = 0; i < STEPS; ++i) {
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_COMPLETE);
        tw_event_release(&events[i]);
    }
    tw_test_expect_ints(x, value);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 2);
}

/* A copy that is ready arrives while a kernel of its own queue runs, and while what it is for waits for that kernel. */
TW_TEST(a_copy_does_not_wait_for_a_kernel_of_its_queue)
{
    use_async_sim(2);
    tw_queue *queues[3];
    tw_test_queues(queues, 2);
    TW_PASS(tw_queue_create_on_device(tw_queue_device(queues[1]), NULL, NULL, &queues[2]));
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 2), *z = tw_test_ints(N, 0), *w = tw_test_ints(N, 0);
    tw_event *events[2] = {NULL};
    atomic_int open = 0;
    bring(queues[0], x);
    bring(queues[1], y);
    const uint64_t copies_before = copies();
    submit(queues[1], y, 1, 1, &open, NULL);
    submit_sum(queues[1], x, y, z, NULL, &events[0]); /* brings x */
    submit_sum(queues[2], x, x, w, NULL, &events[1]); /* which is enough for this one */
    TW_PASS(tw_event_wait(events[1]));
    TW_EQUAL(copies(), copies_before + 1);
    TW_EQUAL(tw_event_get_state(events[0]), TW_EVENT_PENDING);
    atomic_store(&open, 1);
    tw_test_expect_ints(z, 4);
    tw_test_expect_ints(w, 2);
    tw_event_release(&events[0]);
    tw_event_release(&events[1]);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    TW_PASS(tw_buffer_destroy(&w));
    tw_test_destroy_queues(queues, 3);
}

/* What a copy reads, and what it overwrites, is not changed before it is over. */
TW_TEST(writers_wait_for_copies)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0);
    atomic_int open = 0;
    bring(queues[0], x);
    bring(queues[1], y);
    bring(queues[1], z);
    TW_PASS(tw_sim_delay(tw_queue_device(queues[1]), TW_SIM_COPY, 2000000));
    for (unsigned i = 0; i < 10; ++i) {
        atomic_store(&open, 0);
        submit_sum(queues[1], x, x, y, &open, NULL); /* a copy of x to device 1; its reader is held */
        submit(queues[0], x, 2, i, NULL, NULL);      /* waits for the reader */
        submit_sum(queues[1], x, x, z, NULL, NULL);  /* another copy, over the first one */
        atomic_store(&open, 1);
        unsigned got[2][N];
        tw_test_fetch(y, got[0]);
        tw_test_fetch(z, got[1]);
        for (int k = 0; k < N; ++k) {
            TW_EQUAL(got[0][k], got[0][0]);
            TW_EQUAL(got[1][k], 2 * got[0][0] + 2 * i);
        }
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    tw_test_destroy_queues(queues, 2);
}

/* More than chains hold, and nobody waits: workers see to it. */
TW_TEST(progress_while_nobody_waits)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 0);
    tw_event *last = NULL;
    const struct timespec nap = {0, 1000000};
    for (int i = 0; i < MANY; ++i)
        submit(queues[i % 2], x, 1, 1, NULL, i == MANY - 1 ? &last : NULL);
    while (tw_event_get_state(last) != TW_EVENT_COMPLETE)
        nanosleep(&nap, NULL);
    tw_event_release(&last);
    tw_test_expect_ints(x, MANY);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 2);
}

TW_TEST(a_recorded_graph_behind_a_copy)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1);
    tw_command_graph *graph = NULL;
    atomic_int open = 0;
    bring(queues[0], x);
    TW_PASS(tw_queue_begin_recording(queues[1]));
    submit(queues[1], x, 2, 1, NULL, NULL);
    submit(queues[1], x, 3, 0, NULL, NULL);
    TW_PASS(tw_queue_end_recording(queues[1], &graph));
    const uint64_t launches_before = launches();
    submit(queues[0], x, 1, 4, &open, NULL);                /* 5 */
    TW_PASS(tw_queue_submit_graph(queues[1], graph, NULL)); /* 33 */
    submit(queues[0], x, 1, 1, NULL, NULL);                 /* 34 */
    TW_EQUAL(launches(), launches_before + 3);
    atomic_store(&open, 1);
    tw_test_expect_ints(x, 34);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    tw_test_destroy_queues(queues, 2);
}

/* Objects may go while copies are in flight; what was theirs is freed after. */
TW_TEST(destruction_while_in_flight)
{
    use_async_sim(3);
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_device *devices[3];
    tw_event *event = NULL;
    for (int i = 0; i < 3; ++i) {
        devices[i] = tw_queue_device(queues[i]);
        TW_PASS(tw_sim_delay(devices[i], TW_SIM_COPY, 300000));
    }
    for (int i = 0; i < 10; ++i) {
        tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 1);
        submit(queues[0], x, 2, 1, NULL, NULL);
        tw_event_release(&event);
        submit_sum(queues[1], x, x, y, NULL, NULL);
        submit_sum(queues[2], x, y, x, NULL, &event);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&y));
    }
    tw_test_destroy_queues(queues, 3);
    TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
    tw_event_release(&event);
    for (int i = 0; i < 3; ++i)
        tw_test_released(devices[i]);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* A copy cannot be enqueued, while the kernel that it waits for is in flight: it fails in its turn, what it is for is
   not run, and the contents are where they were. */
TW_TEST(a_copy_that_cannot_be_enqueued)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    tw_event *events[4] = {NULL};
    atomic_int open = 0;
    bring(queues[0], x);
    bring(queues[1], y);
    const uint64_t launches_before = launches();
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_COPY, 1));
    submit(queues[0], x, 2, 1, &open, &events[0]);
    submit_sum(queues[1], x, x, y, NULL, &events[1]); /* this one */
    submit(queues[1], y, 1, 1, NULL, &events[2]);
    submit(queues[0], x, 2, 1, NULL, &events[3]); /* waits for it because it overwrites what it reads */
    for (int i = 1; i < 4; ++i)
        TW_EQUAL(tw_event_get_state(events[i]), TW_EVENT_PENDING);
    TW_EQUAL(launches(), launches_before + 1);
    atomic_store(&open, 1);
    TW_PASS(tw_event_wait(events[3]));
    TW_PASS(tw_event_wait(events[0]));
    TW_FAIL(tw_event_wait(events[1]), TW_ERROR_TRANSFER_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "copying 256 bytes to device 1") != NULL);
    TW_FAIL(tw_event_wait(events[2]), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "sum") != NULL);
    for (int i = 0; i < 4; ++i)
        tw_event_release(&events[i]);
    tw_test_expect_lost(y);
    submit_sum(queues[1], x, x, y, NULL, NULL); /* copies again */
    tw_test_expect_ints(y, 14);
    tw_test_expect_ints(x, 7);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_TRANSFER_FAILED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_CANCELLED);
    tw_test_destroy_queues(queues, 2);
}

/* A copy fails when what depends on it is enqueued: a kernel that it has to wait for took the device with it. */
TW_TEST(a_copy_that_fails_late)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 0);
    tw_event *events[4] = {NULL};
    atomic_int open = 0;
    bring(queues[0], x);
    submit_sum(queues[1], x, x, y, NULL, NULL); /* x is on both devices, */
    TW_PASS(tw_queue_wait(queues[1]));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_KERNEL, 1));
    const uint64_t launches_before = launches(), copies_before = copies();
    submit_sum(queues[1], x, x, y, &open, &events[0]); /* is read on one, */
    submit(queues[0], x, 2, 1, NULL, &events[1]);      /* overwritten on the other, */
    submit_sum(queues[1], x, x, z, NULL, &events[2]);  /* and copied again */
    submit(queues[1], z, 1, 1, NULL, &events[3]);
    TW_EQUAL(launches(), launches_before + 4);
    TW_EQUAL(copies(), copies_before + 1);
    atomic_store(&open, 1);
    TW_FAIL(tw_event_wait(events[2]), TW_ERROR_TRANSFER_FAILED);
    TW_CHECK(strstr(tw_error_detail(), "copying 256 bytes to device 1") != NULL);
    TW_FAIL(tw_event_wait(events[0]), TW_ERROR_LAUNCH_FAILED);
    TW_PASS(tw_event_wait(events[1]));
    TW_FAIL(tw_event_wait(events[3]), TW_ERROR_CANCELLED);
    for (int i = 0; i < 4; ++i)
        tw_event_release(&events[i]);
    tw_test_expect_ints(x, 3);
    tw_test_expect_lost(y);
    tw_test_expect_lost(z);
    TW_PASS(tw_sim_reset(tw_queue_device(queues[1])));
    submit_sum(queues[1], x, x, z, NULL, NULL);
    tw_test_expect_ints(z, 6);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_TRANSFER_FAILED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_CANCELLED);
    tw_test_destroy_queues(queues, 2);
}

/* A kernel fails when a copy of what it writes is enqueued: what the copy is for is cancelled, and the other device is
   well. */
TW_TEST(a_kernel_before_a_copy_fails)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0), *z = tw_test_ints(N, 3);
    tw_event *events[3] = {NULL};
    atomic_int open = 0;
    bring(queues[0], x);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_KERNEL, 1));
    submit(queues[0], x, 2, 1, &open, &events[0]);
    submit_sum(queues[1], x, x, y, NULL, &events[1]);
    submit(queues[0], y, 1, 1, NULL, &events[2]); /* behind two copies */
    atomic_store(&open, 1);
    for (int i = 2; i > 0; --i) {
        TW_FAIL(tw_event_wait(events[i]), TW_ERROR_CANCELLED);
        TW_CHECK(strstr(tw_error_detail(), "kernel held") && !strstr(tw_error_detail(), "copying"));
    }
    TW_FAIL(tw_event_wait(events[0]), TW_ERROR_LAUNCH_FAILED);
    for (int i = 0; i < 3; ++i)
        tw_event_release(&events[i]);
    tw_test_expect_lost(x);
    tw_test_expect_lost(y);
    submit(queues[1], z, 1, 1, NULL, NULL);
    tw_test_expect_ints(z, 4);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_PASS(tw_buffer_destroy(&z));
    TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_CANCELLED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_CANCELLED);
    tw_test_destroy_queues(queues, 2);
}

/* Both the kernel and the copy fail: the kernel is the cause, as if the copy had waited for its end. */
TW_TEST(a_copy_that_cannot_be_enqueued_behind_a_kernel_that_fails)
{
    use_async_sim(2);
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    tw_buffer *x = tw_test_ints(N, 1), *y = tw_test_ints(N, 0);
    tw_event *event = NULL;
    atomic_int open = 0;
    bring(queues[0], x);
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[0]), TW_SIM_KERNEL, 1));
    TW_PASS(tw_sim_fail_nth(tw_queue_device(queues[1]), TW_SIM_COPY, 1));
    submit(queues[0], x, 2, 1, &open, NULL);
    submit_sum(queues[1], x, x, y, NULL, &event);
    TW_EQUAL(tw_sim_count(tw_queue_device(queues[1]), TW_SIM_COPY), 1);
    atomic_store(&open, 1);
    TW_FAIL(tw_event_wait(event), TW_ERROR_CANCELLED);
    TW_CHECK(strstr(tw_error_detail(), "kernel held") != NULL);
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&y));
    TW_FAIL(tw_queue_wait(queues[0]), TW_ERROR_LAUNCH_FAILED);
    TW_FAIL(tw_queue_wait(queues[1]), TW_ERROR_CANCELLED);
    tw_test_destroy_queues(queues, 2);
}

/* Anything fails anywhere in random lines over three devices: what can still be read is right. */
struct line {
    tw_queue *queues[3];
    tw_buffer *buffers[3];
    unsigned values[3];
    uint64_t random;
};

/* Returns whether the buffer could be read. */
static bool look_at(struct line *line, unsigned b)
{
    tw_host_accessor *accessor = NULL;
    const tw_status status = tw_host_access(line->buffers[b], TW_READ, &accessor);
    if (status != TW_SUCCESS) {
        TW_CHECK(status == TW_ERROR_DATA_LOST || status == TW_ERROR_TRANSFER_FAILED);
        return false;
    }
    const unsigned *data = tw_host_accessor_const_data(accessor);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(data[i], line->values[b]);
    tw_host_accessor_release(&accessor);
    return true;
}

/* A device that is lost has no memory for a buffer that was never there. */
static bool is_submitted(tw_status status)
{
    TW_CHECK(status == TW_SUCCESS || status == TW_ERROR_OUT_OF_DEVICE_MEMORY);
    return status == TW_SUCCESS;
}

static void go_on(struct line *line)
{
    static const tw_sim_operation operations[] = {TW_SIM_COPY, TW_SIM_LAUNCH, TW_SIM_KERNEL};
    tw_queue *queue = line->queues[tw_test_random(&line->random, 3)];
    const unsigned x = tw_test_random(&line->random, 3), y = tw_test_random(&line->random, 3),
                   out = tw_test_random(&line->random, 3), what = tw_test_random(&line->random, 20);
    if (what < 8) {
        const unsigned b = tw_test_random(&line->random, 100);
        if (is_submitted(try_submit(queue, line->buffers[x], 3, b, NULL, NULL)))
            line->values[x] = 3 * line->values[x] + b;
    } else if (what < 16 && x != out && y != out) {
        if (is_submitted(try_sum(queue, line->buffers[x], line->buffers[y], line->buffers[out], NULL, NULL)))
            line->values[out] = line->values[x] + line->values[y];
    } else if (what == 16) {
        (void)look_at(line, x);
    } else if (what == 17) {
        TW_PASS(tw_sim_fail_nth(tw_queue_device(queue), operations[tw_test_random(&line->random, 3)],
                                1 + tw_test_random(&line->random, 5)));
    } else if (what == 18) {
        TW_PASS(tw_sim_delay(tw_queue_device(queue), operations[tw_test_random(&line->random, 3)],
                             20000 * tw_test_random(&line->random, 3)));
    }
}

static void drop_errors(const tw_error *errors, size_t count, void *user)
{
    unsigned *seen = user;
    for (size_t i = 0; i < count; ++i)
        seen[errors[i].status]++;
}

TW_TEST(random_lines_with_faults)
{
    use_async_sim(3);
    struct line line = {.random = 0x9e3779b97f4a7c15u};
    unsigned seen[TW_STATUS_COUNT] = {0};
    for (size_t i = 0; i < 3; ++i)
        TW_PASS(tw_queue_create_on_device(tw_test_device(i), drop_errors, seen, &line.queues[i]));
    for (int turn = 0; turn < 150; ++turn) {
        for (unsigned b = 0; b < 3; ++b)
            line.buffers[b] = tw_test_ints(N, line.values[b] = b + 1);
        for (unsigned left = 5 + tw_test_random(&line.random, 60); left; --left)
            go_on(&line);
        for (int i = 0; i < 3; ++i)
            TW_PASS(tw_queue_wait_and_throw(line.queues[i]));
        for (int i = 0; i < 3; ++i)
            TW_PASS(tw_sim_reset(tw_queue_device(line.queues[i])));
        for (unsigned b = 0; b < 3; ++b) {
            const bool whole = look_at(&line, b);
            submit(line.queues[b], line.buffers[b], 1, 1, NULL, NULL); /* as before */
            ++line.values[b];
            TW_EQUAL(look_at(&line, b), whole);
            TW_PASS(tw_buffer_destroy(&line.buffers[b]));
        }
        for (int i = 0; i < 3; ++i)
            tw_test_released(tw_queue_device(line.queues[i]));
    }
    TW_CHECK(seen[TW_ERROR_TRANSFER_FAILED] && seen[TW_ERROR_LAUNCH_FAILED] && seen[TW_ERROR_CANCELLED]);
    for (int i = 0; i < 3; ++i)
        TW_PASS(tw_queue_destroy(&line.queues[i]));
}

/* ---- on every device --------------------------------------------------------------------------------------------- */

/* Two buffers that change places in turn, as halos do. */
TW_TEST(neighbours_exchange)
{
    tw_queue *queues[3];
    tw_test_queues(queues, 3);
    tw_buffer *now[3], *next[3];
    unsigned values[3] = {1, 2, 3};
    for (unsigned i = 0; i < 3; ++i) {
        now[i] = tw_test_ints(N, values[i]);
        next[i] = tw_test_ints(N, 0);
    }
    for (int step = 0; step < 300; ++step) {
        unsigned sums[3];
        for (unsigned i = 0; i < 3; ++i) {
            submit_sum(queues[i], now[(i + 1) % 3], now[(i + 2) % 3], next[i], NULL, NULL);
            sums[i] = values[(i + 1) % 3] + values[(i + 2) % 3];
        }
        for (unsigned i = 0; i < 3; ++i) {
            tw_buffer *swap = now[i];
            now[i] = next[i];
            next[i] = swap;
            values[i] = sums[i];
        }
        if (step % 100 == 50)
            tw_test_expect_ints(now[step % 3], values[step % 3]);
    }
    for (int i = 0; i < 3; ++i) {
        tw_test_expect_ints(now[i], values[i]);
        TW_PASS(tw_buffer_destroy(&now[i]));
        TW_PASS(tw_buffer_destroy(&next[i]));
    }
    tw_test_destroy_queues(queues, 3);
}

static void *submit_from_a_thread(void *argument)
{
    tw_buffer **buffers = argument; /* its own, and one of all */
    tw_queue *queues[2];
    tw_test_queues(queues, 2);
    for (unsigned i = 0; i < 200; ++i) {
        submit(queues[i % 2], buffers[0], 3, i, NULL, NULL);
        if (i % 3 == 0)
            submit(queues[i % 2], buffers[1], 1, 1, NULL, NULL);
        if (i % 80 == 50)
            TW_PASS(tw_queue_wait(queues[0]));
    }
    TW_PASS(tw_queue_destroy(&queues[0]));
    TW_PASS(tw_queue_destroy(&queues[1]));
    return NULL;
}

TW_TEST(lines_of_several_threads)
{
    check_threads(submit_from_a_thread, 200, 67);
}

/* The same on asynchronous simulated devices, whatever the devices under test are. */
TW_TEST(lines_of_several_threads_in_flight)
{
    use_async_sim(3);
    lines_of_several_threads();
}

TW_TEST(neighbours_exchange_in_flight)
{
    use_async_sim(3);
    neighbours_exchange();
}

TW_TEST_LIST = {
    TW_CASE(a_line_over_two_devices_is_enqueued_before_its_first_kernel_is_over),
    TW_CASE(a_copy_does_not_wait_for_a_kernel_of_its_queue),
    TW_CASE(writers_wait_for_copies),
    TW_CASE(progress_while_nobody_waits),
    TW_CASE(a_recorded_graph_behind_a_copy),
    TW_CASE(destruction_while_in_flight),
    TW_CASE(a_copy_that_cannot_be_enqueued),
    TW_CASE(a_copy_that_fails_late),
    TW_CASE(a_kernel_before_a_copy_fails),
    TW_CASE(a_copy_that_cannot_be_enqueued_behind_a_kernel_that_fails),
    TW_CASE(random_lines_with_faults),
    TW_CASE(neighbours_exchange),
    TW_CASE(lines_of_several_threads),
    TW_CASE(lines_of_several_threads_in_flight),
    TW_CASE(neighbours_exchange_in_flight),
    TW_CASES_END,
};
