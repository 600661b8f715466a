/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt gpu-teams) */
/** interop.h: CUDA's events, with streams of the program's own by CUDA's driver. Skipped where there is no CUDA device. */
#include "tw_test.h"

#include <dlfcn.h>

#include <teamwork/interop.h>

enum { N = 1 << 22, ROUNDS = 20, WORK = 20 };

/* The driver's functions that the test uses. */
#define FUNCTIONS(X)                                                                                                   \
    X(device_get, "cuDeviceGet", (int *device, int ordinal))                                                           \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **context, int device))                                        \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                                                   \
    X(context_push, "cuCtxPushCurrent_v2", (void *context))                                                            \
    X(context_pop, "cuCtxPopCurrent_v2", (void **context))                                                             \
    X(allocate, "cuMemAlloc_v2", (unsigned long long *address, size_t bytes))                                          \
    X(release, "cuMemFree_v2", (unsigned long long address))                                                           \
    X(set, "cuMemsetD32Async", (unsigned long long address, unsigned value, size_t count, void *stream))               \
    X(to_host, "cuMemcpyDtoHAsync_v2", (void *target, unsigned long long source, size_t bytes, void *stream))          \
    X(stream_create, "cuStreamCreate", (void **stream, unsigned flags))                                                \
    X(stream_wait, "cuStreamWaitEvent", (void *stream, void *event, unsigned flags))                                   \
    X(stream_synchronize, "cuStreamSynchronize", (void *stream))                                                       \
    X(stream_destroy, "cuStreamDestroy_v2", (void *stream))                                                            \
    X(event_create, "cuEventCreate", (void **event, unsigned flags))                                                   \
    X(event_record, "cuEventRecord", (void *event, void *stream))                                                      \
    X(event_destroy, "cuEventDestroy_v2", (void *event))

static struct {
#define POINTER(name, symbol, parameters) int(*name) parameters;
    FUNCTIONS(POINTER)
#undef POINTER
} cu;

#define STREAM_NON_BLOCKING 1u
#define EVENT_WITHOUT_TIMES 2u

/* What a case works with. */
struct setting {
    tw_queue *queue;
    tw_device *device;
    int number;
    void *context, *stream, *event;
    unsigned long long memory; /* N ints of the program's own */
};

/* Returns false if the device under test is none of CUDA's. */
static bool begin(struct setting *s)
{
    *s = (struct setting){.queue = tw_test_queue()};
    s->device = tw_queue_device(s->queue);
    const int ordinal = tw_device_cuda_ordinal(s->device);
    void *library = ordinal >= 0 ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
    if (!library) {
        TW_PASS(tw_queue_destroy(&s->queue));
        return false;
    }
#define FIND(name, symbol, parameters)                                                                                 \
    *(void **)&cu.name = dlsym(library, symbol);                                                                       \
    TW_CHECK(cu.name != NULL);
    FUNCTIONS(FIND)
#undef FIND
    TW_EQUAL(cu.device_get(&s->number, ordinal), 0);
    TW_EQUAL(cu.context_retain(&s->context, s->number), 0);
    TW_EQUAL(cu.context_push(s->context), 0);
    TW_EQUAL(cu.stream_create(&s->stream, STREAM_NON_BLOCKING), 0);
    TW_EQUAL(cu.event_create(&s->event, EVENT_WITHOUT_TIMES), 0);
    TW_EQUAL(cu.allocate(&s->memory, N * sizeof(int)), 0);
    return true;
}

static void end(struct setting *s)
{
    TW_PASS(tw_queue_destroy(&s->queue));
    TW_EQUAL(cu.stream_synchronize(s->stream), 0); /* events wait for it that nobody else waits for */
    TW_EQUAL(cu.release(s->memory), 0);
    TW_EQUAL(cu.event_destroy(s->event), 0);
    TW_EQUAL(cu.stream_destroy(s->stream), 0);
    void *context = NULL;
    TW_EQUAL(cu.context_pop(&context), 0);
    TW_EQUAL(cu.context_release(s->number), 0);
}

/* Moves ints of the program's memory to a buffer, and numbers them anew. */
struct take {
    int *out;
    uintptr_t memory;
    int next;
};
static inline void take(tw_item item, const struct take *k)
{
    const size_t i = tw_global_id(item, 0);
    int *memory = (int *)k->memory;
    k->out[i] = memory[i];
    memory[i] = k->next;
}
TW_RANGE_KERNEL(take, 1);

static tw_event *submit_take(const struct setting *s, tw_buffer *out, int next, tw_event *before)
{
    tw_event *event = NULL;
    tw_command_group *cg = tw_queue_begin(s->queue);
    tw_depends_on(cg, before);
    tw_parallel_for(cg, tw_range_1d(N), take, .out = tw_discard_write(cg, out), .memory = (uintptr_t)s->memory,
                    .next = next);
    TW_PASS(tw_queue_submit(s->queue, cg, &event));
    return event;
}

/* Each in turn writes the program's memory, in both directions without a wait of the host in between. */
TW_TEST(streams_and_groups_wait_for_each_other)
{
    struct setting s;
    if (!begin(&s))
        TW_SKIP();
    tw_buffer *out[ROUNDS];
    int last[ROUNDS];
    for (int i = 0; i < ROUNDS; ++i) {
        tw_event *set = NULL;
        TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &out[i]));
        for (int k = 0; k < WORK; ++k)
            TW_EQUAL(cu.set(s.memory, (unsigned)(1000 * i + k), N, s.stream), 0);
        TW_EQUAL(cu.event_record(s.event, s.stream), 0);
        TW_PASS(tw_event_from_cuda(s.device, s.event, &set));
        tw_event *taken = submit_take(&s, out[i], -i, set);
        TW_PASS(tw_event_record_cuda(taken, s.device, s.event));
        TW_EQUAL(cu.stream_wait(s.stream, s.event, 0), 0);
        TW_EQUAL(cu.to_host(&last[i], s.memory + (N - 1) * sizeof(int), sizeof last[i], s.stream), 0);
        tw_event_release(&set);
        tw_event_release(&taken);
    }
    TW_EQUAL(cu.stream_synchronize(s.stream), 0);
    TW_PASS(tw_queue_wait(s.queue));
    for (int i = 0; i < ROUNDS; ++i) {
        tw_host_accessor *accessor = NULL;
        TW_EQUAL(last[i], -i);
        TW_PASS(tw_host_access(out[i], TW_READ, &accessor));
        const int *values = tw_host_accessor_const_data(accessor);
        size_t wrong = 0;
        for (size_t k = 0; k < N; ++k)
            wrong += values[k] != 1000 * i + WORK - 1;
        TW_EQUAL(wrong, 0);
        tw_host_accessor_release(&accessor);
        TW_PASS(tw_buffer_destroy(&out[i]));
    }
    end(&s);
}

/* The program may wait for the event, and ask for its state, and release it before it happens. */
TW_TEST(events_of_streams_are_events)
{
    struct setting s;
    if (!begin(&s))
        TW_SKIP();
    tw_event *event = NULL;
    int value = 0;
    for (int i = 1; i <= ROUNDS; ++i) {
        TW_EQUAL(cu.set(s.memory, (unsigned)i, N, s.stream), 0);
        TW_EQUAL(cu.to_host(&value, s.memory, sizeof value, s.stream), 0);
        TW_EQUAL(cu.event_record(s.event, s.stream), 0);
        TW_PASS(tw_event_from_cuda(s.device, s.event, &event));
        if (i % 2) {
            TW_PASS(i % 4 == 1 ? tw_event_wait(event) : tw_event_wait_and_throw(event));
            TW_EQUAL(value, i);
            TW_EQUAL(tw_event_get_state(event), TW_EVENT_COMPLETE);
            TW_PASS(tw_event_record_cuda(event, s.device, s.event));
        }
        tw_event_release(&event);
    }
    TW_PASS(tw_event_record_cuda(NULL, s.device, s.event));
    end(&s);
}

static void *complete_later(void *event)
{
    TW_PASS(tw_event_complete(event, TW_SUCCESS));
    return NULL;
}

/* Recording waits for what the group waits for on the host; and fails with it. */
TW_TEST(recording_waits_for_the_host)
{
    struct setting s;
    if (!begin(&s))
        TW_SKIP();
    tw_buffer *out = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(N), &out));
    for (int fails = 0; fails < 2; ++fails) {
        tw_event *go = NULL;
        pthread_t thread;
        int last = 0;
        TW_PASS(tw_event_create_user(&go));
        tw_event *taken = submit_take(&s, out, 7, go);
        if (fails) {
            TW_PASS(tw_event_complete(go, TW_ERROR_TRANSFER_FAILED));
            TW_FAIL(tw_event_record_cuda(taken, s.device, s.event), TW_ERROR_CANCELLED);
            TW_FAIL(tw_queue_wait(s.queue), TW_ERROR_CANCELLED);
        } else {
            TW_CHECK(pthread_create(&thread, NULL, complete_later, go) == 0);
            TW_PASS(tw_event_record_cuda(taken, s.device, s.event));
            TW_EQUAL(cu.stream_wait(s.stream, s.event, 0), 0);
            TW_EQUAL(cu.to_host(&last, s.memory, sizeof last, s.stream), 0);
            TW_EQUAL(cu.stream_synchronize(s.stream), 0);
            TW_EQUAL(last, 7);
            TW_CHECK(pthread_join(thread, NULL) == 0);
        }
        tw_event_release(&go);
        tw_event_release(&taken);
    }
    tw_test_expect_lost(out);
    TW_PASS(tw_buffer_destroy(&out));
    end(&s);
}

TW_TEST_LIST = {TW_CASE(streams_and_groups_wait_for_each_other), TW_CASE(events_of_streams_are_events),
                TW_CASE(recording_waits_for_the_host), TW_CASES_END};
