/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of launches, copies and fills (backend.h). Each has a CUDA stream.
 *
 * The progress of a stream is a number in host memory. The stream writes it behind some of the launches, and behind the
 * last one when a thread asks for it. So reading the progress costs a load, while a query of an event costs more than a
 * microsecond and keeps other threads from launching meanwhile. Events are used only for waits of other streams.
 *
 * The launches of a stream run in order, so they share its scratch memory for reductions, and its memory for a large
 * argument block, which a copy on the stream fills.
 *
 * After a kernel's fault the number stands still, so a waiting thread queries the driver now and then. The driver does
 * not say which launch failed: so every launch that was not known to be over fails. The device's memory is lost anyway.
 * So are the other GPUs of the process: the driver reports the error for all of them.
 */
#include "cuda_stream.h"

#include <stdlib.h>
#include <string.h>

#include "backends/gpu/gpu_arguments.h"
#include "backends/gpu/gpu_records.h"
#include "base/clock.h"
#include "common/scratch.h"
#include "cuda_copy.h"
#include "cuda_fill.h"
#include "cuda_launch.h"
#include "cuda_launch_cache.h"
#include "cuda_memory.h"
#include "cuda_part.h"
#include "cuda_times.h"

#define WRITE_EVERY 64u /* launches between two writes of the progress */
#define WRITE_EVERY_COPY 8u
#define LAUNCH_NS 4500u /* what slow hosts take to launch a kernel; fast ones 3000 */
#define ASK_EVERY 64u   /* polls between two queries of the driver */
#define GRAPH_NAME "of a command graph"
#define COPY_NAME "that ran before a copy" /* a copy does not fail by itself once it is enqueued */
#define FILL_NAME "that ran before a fill"
#define HINT_NAME "that ran before a prefetch"
#define NATIVE_NAME "of a native task, or one that ran before it"
#define EVENT_NAME "that ran before an event of the program"

struct cuda_stream {
    struct tw_backend_stream base;
    struct tw_cuda_device *device;
    struct tw_cuda_part *part; /* of the device; NULL: all of it */
    cu_stream stream;
    struct tw_scratch scratch;
    struct tw_cuda_launch_cache launch_cache;
    struct tw_cuda_times times;
    bool measures;    /* the next launch is measured */
    uint64_t seen;    /* while the device has launches to run for a while: the progress that was seen last, ... */
    uint64_t seen_ns; /* ... and when; else 0 */
    bool is_slow;     /* the device takes longer for them than the host */
    struct tw_gpu_arguments arguments;
    _Atomic uint64_t issued, over; /* the last sequence numbers that are issued, and known to be over */
    volatile uint32_t *progress;   /* in host memory: the low bits of the last sequence number that is over */
    atomic_uint polls;
    _Atomic uint64_t issued_before;     /* the value of issued at the last call of should_ask() */
    const char *names[TW_STREAM_DEPTH]; /* names of kernels, by sequence number */

    pthread_mutex_t mutex;    /* protects the members below; writes and records follow the order of sequence numbers */
    _Atomic uint64_t written; /* the last sequence number that the stream will write; read also without the mutex */
    struct tw_gpu_records records;
};

static struct cuda_stream *cuda(const struct tw_backend_stream *stream)
{
    return (struct cuda_stream *)(uintptr_t)stream;
}

/* Returns the stream's device as the backend's table knows it. */
static struct tw_backend_device *owner_of(const struct cuda_stream *stream)
{
    return &stream->device->omp.base;
}

static tw_status complain(const struct cuda_stream *stream, const char *what, cu_result error)
{
    if (tw_cuda_lost(stream->device))
        return tw_cuda_fail_lost(TW_ERROR_LAUNCH_FAILED, stream->device);
    return tw_gpu_fail(TW_ERROR_LAUNCH_FAILED, tw_cuda_error(error), "the CUDA driver %s", what);
}

/* Makes a stream of the current context. The driver's range usually ends at the normal priority. */
static cu_result make_stream(const struct tw_cuda_part *part, enum tw_priority priority, cu_stream *stream)
{
    int least = 0, greatest = 0;
    const bool is_normal = priority == TW_PRIORITY_NORMAL || tw_cuda.stream_priorities(&least, &greatest);
    const int number = is_normal ? 0 : priority == TW_PRIORITY_HIGH ? greatest : least;
    if (part)
        return tw_cuda_make_part_stream(part, number, stream);
    return is_normal ? tw_cuda.stream_create(stream, CU_STREAM_NON_BLOCKING)
                     : tw_cuda.stream_create_with_priority(stream, CU_STREAM_NON_BLOCKING, number);
}

static tw_status open_stream(struct tw_backend_device *device, enum tw_priority priority,
                             struct tw_backend_stream **result)
{
    struct cuda_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a CUDA stream");
    stream->device = tw_cuda_of(device);
    stream->part = tw_cuda_part_of(device);
    const enum tw_cuda_entry entry = tw_cuda_enter(stream->device);
    cu_result error =
        entry ? tw_cuda.host_allocate((void **)(uintptr_t)&stream->progress, sizeof *stream->progress, 0) : 1;
    if (!error) {
        *stream->progress = 0;
        error = make_stream(stream->part, priority, &stream->stream);
        if (error)
            (void)tw_cuda.host_free((void *)(uintptr_t)stream->progress);
    }
    tw_cuda_leave(entry);
    if (error) {
        const tw_status status = complain(stream, "made no stream", error);
        free(stream);
        return status;
    }
    tw_scratch_open(&stream->scratch);
    pthread_mutex_init(&stream->mutex, NULL);
    *result = &stream->base;
    return TW_SUCCESS;
}

static void close_stream(struct tw_backend_stream *base)
{
    struct cuda_stream *stream = cuda(base);
    tw_scratch_close(&stream->scratch, owner_of(stream));
    tw_gpu_arguments_free(&stream->arguments, owner_of(stream));
    const enum tw_cuda_entry entry = tw_cuda_enter(stream->device);
    if (entry) {
        for (size_t i = 0; i < TW_STREAM_DEPTH; ++i)
            if (stream->records.slots[i].event)
                (void)tw_cuda.event_destroy(stream->records.slots[i].event);
        tw_cuda_launch_cache_close(&stream->launch_cache);
        tw_cuda_times_close(&stream->times);
        (void)tw_cuda.stream_destroy(stream->stream);
        (void)tw_cuda.host_free((void *)(uintptr_t)stream->progress);
    }
    tw_cuda_leave(entry);
    pthread_mutex_destroy(&stream->mutex);
    free(stream);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static bool is_over(struct cuda_stream *stream, uint64_t sequence)
{
    return atomic_load_explicit(&stream->over, memory_order_acquire) >= sequence;
}

/* Makes the stream write its progress behind all launches that are issued. Called in the stream's context. */
static cu_result write_locked(struct cuda_stream *stream)
{
    const uint64_t issued = atomic_load_explicit(&stream->issued, memory_order_acquire);
    const cu_result error = tw_cuda.stream_write(stream->stream, (uintptr_t)stream->progress, (uint32_t)issued, 0);
    if (!error)
        atomic_store_explicit(&stream->written, issued, memory_order_release);
    return error;
}

/* Reads the stream's progress into `over`. */
static void look(struct cuda_stream *stream)
{
    uint64_t known = atomic_load_explicit(&stream->over, memory_order_acquire);
    const uint32_t progress = __atomic_load_n(stream->progress, __ATOMIC_ACQUIRE);
    const int32_t ahead = (int32_t)(progress - (uint32_t)known); /* another thread may have seen more */
    if (ahead <= 0)
        return;
    const uint64_t now = known + (uint64_t)ahead;
    while (known < now
           && !atomic_compare_exchange_weak_explicit(&stream->over, &known, now, memory_order_release,
                                                     memory_order_acquire)) {
    }
}

/* Drops the records of launches that are over. */
static void forget_locked(struct cuda_stream *stream)
{
    tw_gpu_records_forget(&stream->records, atomic_load_explicit(&stream->over, memory_order_acquire));
}

/* Records an event behind all launches that are issued. */
static cu_result record_locked(struct cuda_stream *stream)
{
    struct tw_gpu_record *record = tw_gpu_records_next(&stream->records);
    const uint64_t issued = atomic_load_explicit(&stream->issued, memory_order_acquire);
    const enum tw_cuda_entry entry = tw_cuda_enter(stream->device);
    cu_event event = record->event;
    cu_result error = entry ? 0 : 1;
    if (!error && !event)
        error = tw_cuda.event_create(&event, CU_EVENT_DISABLE_TIMING);
    if (!error) {
        record->event = event;
        error = tw_cuda.event_record(event, stream->stream);
    }
    tw_cuda_leave(entry);
    if (!error)
        tw_gpu_records_add(&stream->records, issued);
    return error;
}

/* Stores the event of the first record at or behind a launch that is not known to be over; makes one if there is none. */
static cu_result find_record_locked(struct cuda_stream *stream, uint64_t sequence, cu_event *event)
{
    forget_locked(stream);
    cu_result error = tw_gpu_records_find(&stream->records, sequence) ? 0 : record_locked(stream);
    const struct tw_gpu_record *found = error ? NULL : tw_gpu_records_find(&stream->records, sequence);
    *event = found ? found->event : NULL;
    return error;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static cu_result wait_for_other(const struct cuda_stream *stream, struct cuda_stream *other, uint64_t sequence)
{
    cu_event event;
    look(other);
    if (is_over(other, sequence) || tw_cuda_lost(other->device))
        return 0;
    pthread_mutex_lock(&other->mutex); /* until the event is used: its slot could be reused */
    tw_gpu_records_note_awaited(&other->records, other->names[sequence % TW_STREAM_DEPTH]);
    cu_result error = find_record_locked(other, sequence, &event);
    if (!error)
        error = tw_cuda.stream_wait_event(stream->stream, event, 0);
    pthread_mutex_unlock(&other->mutex);
    return error;
}

static tw_status wait(struct tw_backend_stream *base, const struct tw_backend_event *events, size_t count)
{
    struct cuda_stream *stream = cuda(base);
    cu_result error = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(stream->device);
    if (!entry)
        return complain(stream, "has no context", 0);
    for (size_t i = 0; i < count && !error; ++i)
        error = wait_for_other(stream, cuda(events[i].stream), events[i].sequence);
    tw_cuda_leave(entry);
    return error ? complain(stream, "let no stream wait for another", error) : TW_SUCCESS;
}

static void finish_stream(void *user)
{
    (void)tw_cuda.stream_synchronize(((struct cuda_stream *)user)->stream);
}

/* Enqueues the copy of a large argument block. Called in the device's context. */
static tw_status copy_args(struct cuda_stream *stream, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *launch)
{
    const tw_status status =
        tw_gpu_arguments_make_room(&stream->arguments, owner_of(stream), kernel, finish_stream, stream);
    if (status != TW_SUCCESS)
        return status;
    launch->device_args = stream->arguments.memory;
    const cu_result error =
        tw_cuda.copy_to_device((uintptr_t)stream->arguments.memory, launch->args, kernel->args_bytes, stream->stream);
    return error ? complain(stream, "did not copy the arguments of a kernel", error) : TW_SUCCESS;
}

/* Whether the device takes longer for the stream's launches than the host takes to launch kernels, as far as the progress
   tells. */
static bool is_slow(struct cuda_stream *stream)
{
    look(stream);
    const uint64_t over = atomic_load_explicit(&stream->over, memory_order_relaxed);
    const uint64_t in_flight = atomic_load_explicit(&stream->issued, memory_order_relaxed) - over;
    if (in_flight <= WRITE_EVERY + WRITE_EVERY / 4) { /* the device may have waited for the host */
        stream->seen = 0;
        stream->is_slow = false;
    } else if (over != stream->seen) {
        const uint64_t now = tw_now_ns();
        stream->is_slow = stream->seen && now - stream->seen_ns > (over - stream->seen) * LAUNCH_NS;
        stream->seen = over;
        stream->seen_ns = now;
    }
    return stream->is_slow;
}

/* Enqueues a kernel. Graphs of the launch cache would not run on a part of the device. Called in the device's context. */
static tw_status add_kernel(struct cuda_stream *stream, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *launch)
{
    tw_status status = TW_SUCCESS;
    if (kernel->misfit)
        status = tw_scratch_lend_in_order(&stream->scratch, owner_of(stream), kernel, launch);
    if (status == TW_SUCCESS && launch->words == 1)
        status = copy_args(stream, kernel, launch);
    if (status != TW_SUCCESS)
        return status;
    const bool alone = atomic_load_explicit(&stream->device->running, memory_order_relaxed) == 0;
    const cu_result error = stream->part ? tw_cuda_enqueue(launch, stream->stream)
                                         : tw_cuda_launch_cache_enqueue(&stream->launch_cache, stream->device, launch,
                                                                        stream->stream, is_slow(stream));
    return error ? tw_cuda_report(stream->device, kernel->name, error, alone) : TW_SUCCESS;
}

/* Writes the progress behind every n-th launch, and records an event behind it if another stream has waited for one with
   its name. If that fails, completed() or wait_for_other() tries again. */
static void note_launch(struct cuda_stream *stream, uint64_t sequence, bool is_copy)
{
    const bool writes = sequence % (is_copy ? WRITE_EVERY_COPY : WRITE_EVERY) == 0;
    if (!writes && !atomic_load_explicit(&stream->records.is_awaited, memory_order_relaxed))
        return;
    pthread_mutex_lock(&stream->mutex);
    if (writes)
        (void)write_locked(stream);
    if (tw_gpu_records_await(&stream->records, stream->names[sequence % TW_STREAM_DEPTH])) {
        look(stream);
        forget_locked(stream);
        if (!tw_gpu_records_reach(&stream->records, sequence)) /* unless a waiting stream has recorded it already */
            (void)record_locked(stream);
    }
    pthread_mutex_unlock(&stream->mutex);
}

/* A kernel, a graph, a copy, a fill or a hint to enqueue on a stream. */
struct request {
    const char *name;
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch *launch;
    cu_executable executable; /* of a graph */
    const struct tw_backend_copy *copy;
    const struct tw_backend_fill *fill;
    const struct tw_backend_hint *hint;
    cu_event event;                                       /* the program's; ... */
    bool records;                                         /* ... to be recorded, else to be waited for */
    tw_status (*call)(const void *context, void *stream); /* of the program, which enqueues */
    const void *context;
};

static tw_status add_event(struct cuda_stream *stream, const struct request *request)
{
    const cu_result error = request->records ? tw_cuda.event_record(request->event, stream->stream)
                                             : tw_cuda.stream_wait_event(stream->stream, request->event, 0);
    return error ? complain(stream,
                            request->records ? "did not record the program's event: is it one of this device?"
                                             : "did not wait for the program's event",
                            error)
                 : TW_SUCCESS;
}

/* Lets the program enqueue. If that fails, what it has enqueued is over when this returns. */
static tw_status add_native(struct cuda_stream *stream, const struct request *request)
{
    const tw_status status = request->call(request->context, stream->stream);
    if (status != TW_SUCCESS)
        (void)tw_cuda.stream_synchronize(stream->stream);
    return status;
}

static tw_status add(struct cuda_stream *stream, const struct request *request)
{
    if (request->call)
        return add_native(stream, request);
    if (request->kernel)
        return add_kernel(stream, request->kernel, request->launch);
    if (request->copy)
        return tw_cuda_enqueue_copy(request->copy, stream->stream);
    if (request->fill)
        return tw_cuda_enqueue_fill(stream->device, request->fill, stream->stream);
    if (request->hint)
        return tw_cuda_enqueue_hint(stream->device, request->hint, stream->stream);
    if (request->event)
        return add_event(stream, request);
    const bool alone = atomic_load_explicit(&stream->device->running, memory_order_relaxed) == 0;
    const cu_result error = tw_cuda.graph_launch(request->executable, stream->stream);
    return error ? tw_cuda_report(stream->device, GRAPH_NAME, error, alone) : TW_SUCCESS;
}

static tw_status issue(struct cuda_stream *stream, const struct request *request, uint64_t *sequence)
{
    const uint64_t next = atomic_load_explicit(&stream->issued, memory_order_relaxed) + 1;
    const enum tw_cuda_entry entry = tw_cuda_lost(stream->device) ? TW_CUDA_OUTSIDE : tw_cuda_enter(stream->device);
    if (!entry)
        return complain(stream, "has no context", 0);
    stream->names[next % TW_STREAM_DEPTH] = request->name;
    struct tw_cuda_timing *timing = NULL;
    if (stream->measures) {
        timing = tw_cuda_times_begin(&stream->times, stream->device, next, stream->stream);
        stream->measures = false;
    }
    const tw_status status = add(stream, request);
    if (timing)
        tw_cuda_times_end(timing, stream->stream, status == TW_SUCCESS);
    if (status == TW_SUCCESS) {
        atomic_fetch_add_explicit(&stream->device->running, 1, memory_order_relaxed);
        atomic_store_explicit(&stream->issued, next, memory_order_release);
        *sequence = next;
        note_launch(stream, next, request->copy || request->fill || request->hint);
    }
    tw_cuda_leave(entry);
    return status;
}

static void measure(struct tw_backend_stream *base)
{
    cuda(base)->measures = true;
}

/* Has an event recorded behind launches of a kernel from now on. */
static void expect_wait(struct cuda_stream *stream, const char *name)
{
    pthread_mutex_lock(&stream->mutex);
    tw_gpu_records_note_awaited(&stream->records, name);
    pthread_mutex_unlock(&stream->mutex);
}

static tw_status launch(struct tw_backend_stream *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description, uint64_t *sequence)
{
    tw_omp_prepare(&cuda(base)->device->omp, kernel, description);
    /* other devices will wait for a part of a launch: the first one that does would find the event behind what follows */
    if (memcmp(description->range, description->whole, sizeof description->range) != 0)
        expect_wait(cuda(base), kernel->name);
    return issue(cuda(base), &(struct request){.name = kernel->name, .kernel = kernel, .launch = description},
                 sequence);
}

static tw_status enqueue_native(struct tw_backend_stream *base, tw_status (*call)(const void *context, void *stream),
                                const void *context, uint64_t *sequence)
{
    return issue(cuda(base), &(struct request){.name = NATIVE_NAME, .call = call, .context = context}, sequence);
}

tw_status tw_cuda_stream_launch_graph(struct tw_backend_stream *base, cu_executable executable, uint64_t *sequence)
{
    return issue(cuda(base), &(struct request){.name = GRAPH_NAME, .executable = executable}, sequence);
}

/* Returns true if both devices can use each other's memory: otherwise the driver copies through host memory, with a
   thread of the program. Only memory from a pool is known to be shared. */
static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    const struct tw_cuda_device *target = tw_cuda_of(to), *source = tw_cuda_of(from);
    if (target == source)
        return tw_cuda_choice() != TW_CUDA_OPENMP_LAUNCH;
    return target->pool && source->pool && tw_cuda_uses_peer(target, source) && tw_cuda_uses_peer(source, target);
}

static tw_status copy(struct tw_backend_stream *base, const struct tw_backend_copy *copy, uint64_t *sequence)
{
    const struct request request = {.name = COPY_NAME, .copy = copy};
    return copy->from && tw_cuda_lost(tw_cuda_of(copy->from))
               ? tw_cuda_fail_lost(TW_ERROR_TRANSFER_FAILED, tw_cuda_of(copy->from))
               : issue(cuda(base), &request, sequence);
}

static tw_status fill(struct tw_backend_stream *base, const struct tw_backend_fill *fill, uint64_t *sequence)
{
    return issue(cuda(base), &(struct request){.name = FILL_NAME, .fill = fill}, sequence);
}

static tw_status hint(struct tw_backend_stream *base, const struct tw_backend_hint *hint, uint64_t *sequence)
{
    return issue(cuda(base), &(struct request){.name = HINT_NAME, .hint = hint}, sequence);
}

tw_status tw_cuda_stream_wait(struct tw_backend_stream *base, void *event, uint64_t *sequence)
{
    return issue(cuda(base), &(struct request){.name = EVENT_NAME, .event = event}, sequence);
}

tw_status tw_cuda_stream_record(struct tw_backend_stream *base, void *event, uint64_t *sequence)
{
    return issue(cuda(base), &(struct request){.name = EVENT_NAME, .event = event, .records = true}, sequence);
}

/* ---- completion -------------------------------------------------------------------------------------------------- */

static bool is_written(struct cuda_stream *stream, uint64_t sequence)
{
    return atomic_load_explicit(&stream->written, memory_order_acquire) >= sequence;
}

/* Makes sure that the stream will write `sequence`. If it will anyway, queries the driver for a failure. */
static cu_result ask(struct cuda_stream *stream, uint64_t sequence)
{
    cu_result error = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(stream->device);
    if (!entry)
        return CU_NOT_READY;
    pthread_mutex_lock(&stream->mutex);
    if (!is_written(stream, sequence))
        error = write_locked(stream);
    else
        error = tw_cuda.stream_query(stream->stream);
    pthread_mutex_unlock(&stream->mutex);
    tw_cuda_leave(entry);
    return error;
}

/* Returns true if ask() is worth its time. While another thread launches, the next regular write comes soon. */
static bool should_ask(struct cuda_stream *stream, uint64_t sequence)
{
    const uint64_t issued = atomic_load_explicit(&stream->issued, memory_order_relaxed);
    if (!is_written(stream, sequence))
        return atomic_exchange_explicit(&stream->issued_before, issued, memory_order_relaxed) == issued;
    return atomic_fetch_add_explicit(&stream->polls, 1, memory_order_relaxed) % ASK_EVERY == ASK_EVERY - 1;
}

static uint64_t completed(struct tw_backend_stream *base, uint64_t sequence)
{
    struct cuda_stream *stream = cuda(base);
    look(stream);
    if (is_over(stream, sequence))
        return atomic_load_explicit(&stream->over, memory_order_acquire);
    if (!tw_cuda_lost(stream->device) && should_ask(stream, sequence)) {
        const cu_result error = ask(stream, sequence);
        if (error && error != CU_NOT_READY)
            tw_cuda_lose(stream->device, stream->names[(atomic_load(&stream->over) + 1) % TW_STREAM_DEPTH], error,
                         atomic_load_explicit(&stream->device->running, memory_order_relaxed) == 1);
    }
    return tw_cuda_lost(stream->device) ? sequence : atomic_load_explicit(&stream->over, memory_order_acquire);
}

/* Errors are found by completed(). */
static void announce(struct tw_backend_stream *base, uint64_t sequence)
{
    struct cuda_stream *stream = cuda(base);
    if (!is_over(stream, sequence) && !is_written(stream, sequence) && !tw_cuda_lost(stream->device))
        (void)ask(stream, sequence);
}

static void times(struct tw_backend_stream *base, uint64_t sequence, struct tw_backend_times *result)
{
    struct cuda_stream *stream = cuda(base);
    const enum tw_cuda_entry entry = tw_cuda_lost(stream->device) ? TW_CUDA_OUTSIDE : tw_cuda_enter(stream->device);
    if (entry)
        tw_cuda_times_read(&stream->times, sequence, result);
    tw_cuda_leave(entry);
}

static tw_status outcome(struct tw_backend_stream *base, uint64_t sequence)
{
    struct cuda_stream *stream = cuda(base);
    atomic_fetch_sub_explicit(&stream->device->running, 1, memory_order_relaxed);
    return is_over(stream, sequence) ? TW_SUCCESS : tw_cuda_fail_lost(TW_ERROR_LAUNCH_FAILED, stream->device);
}

const struct tw_backend_async tw_cuda_async = {
    .open = open_stream,
    .close = close_stream,
    .takes = tw_gpu_takes,
    .reaches = reaches,
    .wait = wait,
    .measure = measure,
    .launch = launch,
    .native = enqueue_native,
    .copy = copy,
    .fill = fill,
    .hint = hint,
    .completed = completed,
    .announce = announce,
    .times = times,
    .outcome = outcome,
};
