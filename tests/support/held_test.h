/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What tests of kernels in flight have in common: buffers of N numbers, and a kernel on them that can be held, on
 * simulated devices, until a flag is set.
 */
#ifndef TW_HELD_TEST_H
#define TW_HELD_TEST_H

#include "tw_test.h"

#include <stdatomic.h>
#include <time.h>

enum { N = 64 };

/* Waits until `flag`, the address of an atomic_int if it is not 0, is set. It rests between two looks: forty threads
   that poll under ThreadSanitizer, whose atomic load takes a lock to read, may keep the store from its lock to write
   for ever. */
static inline void await(uintptr_t flag)
{
#if TW_ON_GPU
    (void)flag;
#else
    while (flag && !atomic_load((atomic_int *)flag)) {
        const struct timespec time = {0, 20000};
        nanosleep(&time, NULL);
    }
#endif
}

/* x = a x + b, once the flag is set: only in simulated devices, which share the host's memory but refuse pointers to
   it. Does not commute, so that a chain shows its order. */
struct held {
    unsigned *x;
    unsigned a, b;
    uintptr_t flag;
};
static inline void held(tw_item item, const struct held *k)
{
    const size_t i = tw_global_id(item, 0);
    await(k->flag);
    k->x[i] = k->a * k->x[i] + k->b;
}
TW_RANGE_KERNEL(held, 1);

static inline void use_async_sim(unsigned devices)
{
    tw_test_use_sim(devices);
    setenv("TW_SIM_ASYNC", "1", 1);
}

static inline tw_status try_submit(tw_queue *queue, tw_buffer *x, unsigned a, unsigned b, atomic_int *flag,
                                   tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), held, .x = tw_read_write(cg, x), .a = a, .b = b, .flag = (uintptr_t)flag);
    return tw_queue_submit(queue, cg, event);
}

static inline void submit(tw_queue *queue, tw_buffer *x, unsigned a, unsigned b, atomic_int *flag, tw_event **event)
{
    TW_PASS(try_submit(queue, x, a, b, flag, event));
}

/* out = x + y, once the flag is set. */
struct sum {
    const unsigned *x, *y;
    unsigned *out;
    uintptr_t flag;
};
static inline void sum(tw_item item, const struct sum *k)
{
    const size_t i = tw_global_id(item, 0);
    await(k->flag);
    k->out[i] = k->x[i] + k->y[i];
}
TW_RANGE_KERNEL(sum, 1);

static inline tw_status try_sum(tw_queue *queue, tw_buffer *x, tw_buffer *y, tw_buffer *out, atomic_int *flag,
                                tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), sum, .x = tw_read(cg, x), .y = tw_read(cg, y), .out = tw_discard_write(cg, out),
                    .flag = (uintptr_t)flag);
    return tw_queue_submit(queue, cg, event);
}

static inline void submit_sum(tw_queue *queue, tw_buffer *x, tw_buffer *y, tw_buffer *out, atomic_int *flag,
                              tw_event **event)
{
    TW_PASS(try_sum(queue, x, y, out, flag, event));
}

/* Puts a buffer's contents on a device, and only there: what comes after on it needs no copy. */
static inline void bring(tw_queue *queue, tw_buffer *buffer)
{
    submit(queue, buffer, 1, 0, NULL, NULL);
    TW_PASS(tw_queue_wait(queue));
}

/* Runs `body` on several threads, each with a buffer of its own, of ones, and one of all, of zeros. Each makes 3 x + i
   of its own for i below `steps`, and adds `added` to the common one. */
static inline void check_threads(void *(*body)(void *buffers), unsigned steps, unsigned added)
{
    enum { THREADS = 4 };
    tw_buffer *buffers[THREADS][2], *shared = tw_test_ints(N, 0);
    pthread_t threads[THREADS];
    unsigned value = 1;
    for (int i = 0; i < THREADS; ++i) {
        buffers[i][0] = tw_test_ints(N, 1);
        buffers[i][1] = shared;
    }
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_create(&threads[i], NULL, body, buffers[i]) == 0);
    for (int i = 0; i < THREADS; ++i)
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    for (unsigned i = 0; i < steps; ++i)
        value = 3 * value + i;
    for (int i = 0; i < THREADS; ++i) {
        tw_test_expect_ints(buffers[i][0], value);
        TW_PASS(tw_buffer_destroy(&buffers[i][0]));
    }
    tw_test_expect_ints(shared, added * THREADS);
    TW_PASS(tw_buffer_destroy(&shared));
}

#endif
