/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * What other threads see while the library starts one, and what happens where none can be started: the program brings
 * its own pthread_create, which refuses or waits on demand. Sanitizers bring theirs, so under them the program is
 * skipped.
 */
#define _GNU_SOURCE
#include "int_kernels.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include <teamwork/storage.h>

enum { N = 100 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PTHREAD_CREATE_IS_TAKEN 1
#endif
#endif

static atomic_bool refuses; /* no thread can be started */
static _Thread_local sem_t *halts,
    *goes; /* this thread tells the one when it starts a thread, and waits for the other */

#ifdef PTHREAD_CREATE_IS_TAKEN
#define NEEDS_PTHREAD_CREATE TW_SKIP()
#else
#define NEEDS_PTHREAD_CREATE (void)0

/* Whether a function is the library's, which may be part of the program, and not that of OpenMP's runtime. */
static bool is_teamwork(void *function)
{
    Dl_info info;
    return dladdr(function, &info)
           && (strstr(info.dli_fname, "teamwork") || strstr(info.dli_fname, "test_thread_start"))
           && !strstr(info.dli_fname, "libomp");
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*run)(void *),
                   void *restrict argument)
{
    static int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!original)
        memcpy(&original, &(void *){dlsym(RTLD_NEXT, "pthread_create")}, sizeof original);
    if (refuses && is_teamwork(__builtin_return_address(0)))
        return EAGAIN;
    if (halts) {
        sem_t *const go = goes;
        sem_post(halts);
        halts = NULL;
        tw_test_wait(go);
    }
    return original(thread, attributes, run, argument);
}
#endif

struct increase {
    int *data;
};
static inline void increase(tw_item item, const struct increase *k)
{
    k->data[tw_global_id(item, 0)] += 1;
}
TW_RANGE_KERNEL(increase, 1);

static void submit_copy(tw_queue *queue, tw_buffer *in, tw_buffer *out, tw_event **event)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), copy, .in = tw_read(cg, in), .out = tw_discard_write(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, event));
}

/* ---- where none can be started ----------------------------------------------------------------------------------- */

static void *data_of(void *user)
{
    return user;
}
static const void *contents_of(void *user)
{
    return user;
}

/* Whoever polls an event, or destroys a buffer without waiting, relies on a worker. */
TW_TEST(nothing_is_promised_without_a_worker)
{
    NEEDS_PTHREAD_CREATE;
    int data[N] = {0};
    const tw_storage storage = {.user = data, .initial_data = contents_of, .final_data = data_of};
    tw_async_storage *own = NULL;
    tw_device *device = tw_test_device(0);
    tw_context *context = NULL;
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    TW_PASS(tw_context_create(&device, 1, NULL, NULL, &context));
    TW_PASS(tw_async_storage_create(sizeof data, &own));
    refuses = true;
    const tw_status statuses[] = {
        tw_queue_create(NULL, NULL, NULL, NULL, &queue), tw_queue_create_on_device(device, NULL, NULL, &queue),
        tw_queue_create_in_context(context, device, NULL, NULL, &queue),
        tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer),
        tw_buffer_create_with_storage(tw_async_storage_get(own), sizeof(int), tw_range_1d(N), &buffer)};
    const bool explained = strstr(tw_error_detail(), "no thread can be started") != NULL;
    const tw_native_code native = tw_error_native_code();
    refuses = false;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; ++i)
        TW_EQUAL(statuses[i], TW_ERROR_OUT_OF_MEMORY);
    TW_CHECK(explained && !queue && !buffer);
    TW_EQUAL(native.api, TW_NATIVE_ERRNO);
    TW_EQUAL(native.code, EAGAIN);
    TW_PASS(tw_buffer_create_with_storage(tw_async_storage_get(own), sizeof(int), tw_range_1d(N), &buffer));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_async_storage_destroy(&own));
    TW_PASS(tw_context_destroy(&context));
}

/* What a storage is told of its end. */
struct ending {
    int data[N];
    tw_status status;
    sem_t ended;
};
static void note_end(void *user, tw_status status)
{
    struct ending *ending = user;
    ending->status = status;
    sem_post(&ending->ended);
}

static tw_buffer *buffer_of(struct ending *ending)
{
    tw_buffer *buffer = NULL;
    const tw_storage storage = {
        .user = ending, .initial_data = contents_of, .final_data = data_of, .finished = note_end};
    TW_CHECK(sem_init(&ending->ended, 0, 0) == 0);
    TW_PASS(tw_buffer_create_with_storage(&storage, sizeof(int), tw_range_1d(N), &buffer));
    return buffer;
}

static void arrived(struct ending *ending, int value)
{
    tw_test_wait(&ending->ended);
    TW_EQUAL(ending->status, TW_SUCCESS);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(ending->data[i], value);
}

/* No more threads can be started once the queue and the buffer are there, and nobody waits: one worker does it all. */
TW_TEST(one_worker_brings_everything_to_its_end)
{
    NEEDS_PTHREAD_CREATE;
    static struct ending ending;
    struct tw_gate gate;
    tw_buffer *in = tw_test_ints(N, 7), *between = tw_test_ints(N, 0), *buffer = buffer_of(&ending);
    tw_queue *queue = tw_test_queue();
    tw_event *event = NULL;
    submit_copy(queue, in, between, NULL); /* asynchronous devices start a thread for their first kernel */
    TW_PASS(tw_queue_wait(queue));
    tw_gate_shut(&gate);
    refuses = true;
    tw_command_group *cg = tw_queue_begin(queue);
    tw_read(cg, gate.buffer);
    tw_write(cg, between);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    submit_copy(queue, between, buffer, &event);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_gate_open(&gate);
    while (tw_event_get_state(event) != TW_EVENT_COMPLETE)
        sched_yield();
    arrived(&ending, 7);
    refuses = false;
    tw_event_release(&event);
    tw_gate_free(&gate);
    TW_PASS(tw_queue_destroy(&queue));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&between));
}

/* ---- while one is started ---------------------------------------------------------------------------------------- */

struct halted {
    sem_t halts, goes;
    tw_host_accessor *accessor;
    tw_buffer *buffer;
};

static void halt_at_next_thread(struct halted *halted)
{
    halts = &halted->halts;
    goes = &halted->goes;
}

static void *release(void *context)
{
    struct halted *halted = context;
    halt_at_next_thread(halted);
    tw_host_accessor_release(&halted->accessor);
    return NULL;
}

static void *destroy(void *context)
{
    struct halted *halted = context;
    halt_at_next_thread(halted);
    TW_PASS(tw_buffer_destroy(&halted->buffer));
    return NULL;
}

static void submit_access(tw_queue *queue, tw_buffer *buffer, tw_access_mode mode)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_access(cg, buffer, mode, TW_GLOBAL);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

/* Uses memory of the size that an accessor takes, and gives it back: malloc finds out if it was freed twice. */
static void access_often(tw_buffer *buffer)
{
    tw_host_accessor *accessors[6];
    for (size_t i = 0; i < 6; ++i)
        TW_PASS(tw_host_access(buffer, TW_READ, &accessors[i]));
    for (size_t i = 0; i < 6; ++i)
        tw_host_accessor_release(&accessors[i]);
}

/* Two kernels become ready. One thread begins to issue them, and stops at the first; another one destroys a buffer with
   storage, and stops at the second kernel, in the middle of its own submission. What a third one does meanwhile must
   leave that submission's command alone. */
TW_TEST(a_submission_that_issues_other_kernels_keeps_its_command)
{
    NEEDS_PTHREAD_CREATE;
    static struct ending ending;
    struct halted releasing = {.accessor = NULL}, destroying = {.buffer = NULL};
    pthread_t threads[2];
    tw_host_accessor *accessor = NULL;
    tw_test_use_sim(1);
    setenv("TW_SIM_ASYNC", "1", 1);
    tw_queue *queues[2] = {tw_test_queue(), tw_test_queue()}, *idle = tw_test_queue();
    tw_buffer *held = tw_test_ints(N, 0), *other = tw_test_ints(N, 3), *buffers[2];
    destroying.buffer = buffer_of(&ending);
    struct halted *const halted[] = {&releasing, &destroying};
    for (size_t i = 0; i < 2; ++i) {
        TW_CHECK(sem_init(&halted[i]->halts, 0, 0) == 0 && sem_init(&halted[i]->goes, 0, 0) == 0);
        buffers[i] = tw_test_ints(N, 4);
        submit_access(queues[i], buffers[i], TW_READ); /* brings it to the device */
        TW_PASS(tw_queue_wait(queues[i]));
    }
    TW_PASS(tw_host_access(held, TW_READ_WRITE, &releasing.accessor));
    tw_command_group *cg = tw_queue_begin(idle); /* one accessor holds back both kernels, which need no copies */
    tw_discard_write(cg, held);
    tw_read_write(cg, buffers[0]);
    tw_read_write(cg, buffers[1]);
    TW_PASS(tw_queue_submit(idle, cg, NULL));
    for (size_t i = 0; i < 2; ++i) {
        cg = tw_queue_begin(queues[i]);
        tw_parallel_for(cg, tw_range_1d(N), increase, .data = tw_read_write(cg, buffers[i]));
        TW_PASS(tw_queue_submit(queues[i], cg, NULL));
    }
    access_often(other);
    TW_CHECK(pthread_create(&threads[0], NULL, release, &releasing) == 0);
    tw_test_wait(&releasing.halts);
    TW_CHECK(pthread_create(&threads[1], NULL, destroy, &destroying) == 0);
    tw_test_wait(&destroying.halts);
    TW_PASS(tw_queue_wait(idle));                       /* tells storage what there is to tell ... */
    TW_PASS(tw_host_access(other, TW_READ, &accessor)); /* ... and takes memory that has become free */
    for (size_t i = 2; i-- > 0;) {
        sem_post(&halted[i]->goes);
        TW_CHECK(pthread_join(threads[i], NULL) == 0);
    }
    arrived(&ending, 0);
    tw_host_accessor_release(&accessor);
    access_often(other);
    for (size_t i = 0; i < 2; ++i) {
        tw_test_expect_ints(buffers[i], 5);
        TW_PASS(tw_buffer_destroy(&buffers[i]));
        TW_PASS(tw_queue_destroy(&queues[i]));
    }
    TW_PASS(tw_queue_destroy(&idle));
    TW_PASS(tw_buffer_destroy(&held));
    TW_PASS(tw_buffer_destroy(&other));
}

TW_TEST_LIST = {TW_CASE(nothing_is_promised_without_a_worker), TW_CASE(one_worker_brings_everything_to_its_end),
                TW_CASE(a_submission_that_issues_other_kernels_keeps_its_command), TW_CASES_END};
