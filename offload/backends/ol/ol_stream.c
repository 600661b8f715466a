/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of launches, copies and fills (backend.h). Each has a queue of liboffload.
 *
 * Progress is asked for: whether the queue is empty, which tells of the last launch, or whether an event is complete that
 * was recorded behind a launch. An event costs about a fifth of a launch, and so does asking. So there is an event behind
 * every 64 launches that are not known to be over, behind a launch that the host waits for once others are enqueued behind
 * it, and behind those that other streams wait for. Right behind a launch nobody asks: it cannot be over.
 *
 * The launches of a stream run in order, so they share its scratch memory for reductions, and its memory for a large
 * argument block, which a copy on the stream fills.
 *
 * After a kernel's fault, the driver below reports an error for everything. It does not say which launch failed: so every
 * launch that was not known to be over fails. The device's memory is lost anyway.
 */
#include "ol_stream.h"

#include <stdlib.h>
#include <string.h>

#include "backends/gpu/gpu_arguments.h"
#include "backends/gpu/gpu_records.h"
#include "base/clock.h"
#include "common/scratch.h"
#include "ol_copy.h"
#include "ol_launch.h"

#define RECORD_EVERY 64u /* launches not known to be over, behind the last event, that need one */
#define RECORD_EVERY_COPY 8u
#define LIKELY_OVER 8u /* launches, behind which an event is worth asking for */
#define QUIET_NS                                                                                                       \
    8000u          /* after a launch, before a thread that does not launch asks the driver: both would take its lock */
#define POLLS 256u /* of the queue, before an event is recorded: not every driver says that a queue is empty */
#define COPY_NAME "that ran before a copy" /* a copy does not fail by itself once it is enqueued */
#define FILL_NAME "that ran before a fill"
#define GRAPH_NAME "of a command graph"

/* When a launch began and ended: 0 until it has. Written by the host functions around it. */
struct timing {
    _Atomic uint64_t start_ns, end_ns;
};

struct ol_stream {
    struct tw_backend_stream base;
    struct tw_ol_device *device;
    ol_queue queue;
    struct tw_scratch scratch;
    struct tw_gpu_arguments arguments;
    _Atomic uint64_t issued, over;      /* the last sequence numbers that are issued, and known to be over */
    _Atomic uint64_t recorded;          /* the last sequence number that an event is behind */
    _Atomic uint64_t awaited;           /* the last sequence number that the host was said to wait for */
    _Atomic(const void *) launcher;     /* the thread of the last launch; see this_thread */
    _Atomic uint64_t seen, seen_ns;     /* what was issued when another thread polled last and that was new, and when */
    _Atomic uint64_t asked;             /* what was issued when such a thread asked last */
    const char *names[TW_STREAM_DEPTH]; /* names of kernels, by sequence number */
    struct timing *timings;             /* likewise; NULL until the first use */
    bool measures;                      /* the next launch is measured */

    pthread_mutex_t mutex; /* protects the members below; records follow the order of sequence numbers */
    struct tw_gpu_records records;
    uint64_t issued_before; /* what was issued when ask_locked() last found that it is too early to ask */
    unsigned polls;         /* of the queue in a row that did not find it empty */
};

static _Thread_local const char this_thread; /* its address stands for the thread */

static struct ol_stream *ol(const struct tw_backend_stream *stream)
{
    return (struct ol_stream *)(uintptr_t)stream;
}

/* Returns the stream's device as the backend's table knows it. */
static struct tw_backend_device *owner_of(const struct ol_stream *stream)
{
    return &stream->device->omp.base;
}

static tw_status complain(const struct ol_stream *stream, const char *what, ol_result error)
{
    if (tw_ol_lost(stream->device))
        return tw_ol_fail_lost(TW_ERROR_LAUNCH_FAILED, stream->device);
    return tw_gpu_fail(TW_ERROR_LAUNCH_FAILED, tw_ol_error(error), "liboffload %s", what);
}

/* liboffload's queues have no priorities. */
static tw_status open_stream(struct tw_backend_device *device, enum tw_priority priority,
                             struct tw_backend_stream **result)
{
    struct ol_stream *stream = calloc(1, sizeof *stream);
    (void)priority;
    if (!stream)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a stream of liboffload");
    stream->device = tw_ol_of(device);
    const ol_result error = tw_ol_take_queue(stream->device, &stream->queue);
    if (error) {
        const tw_status status = complain(stream, "made no queue", error);
        free(stream);
        return status;
    }
    tw_scratch_open(&stream->scratch);
    pthread_mutex_init(&stream->mutex, NULL);
    *result = &stream->base;
    return TW_SUCCESS;
}

static void finish_queue(void *user)
{
    (void)tw_ol.queue_sync(((struct ol_stream *)user)->queue);
}

static void close_stream(struct tw_backend_stream *base)
{
    struct ol_stream *stream = ol(base);
    tw_scratch_close(&stream->scratch, owner_of(stream));
    tw_gpu_arguments_free(&stream->arguments, owner_of(stream));
    if (!tw_ol_lost(stream->device)) {
        if (stream->timings)
            finish_queue(stream); /* a host function before a launch that was refused */
        free(stream->timings);    /* those of a lost device may be written yet */
        for (size_t i = 0; i < TW_STREAM_DEPTH; ++i)
            if (stream->records.slots[i].event)
                (void)tw_ol.event_destroy(stream->records.slots[i].event);
        tw_ol_give_queue(stream->device, stream->queue);
    }
    pthread_mutex_destroy(&stream->mutex);
    free(stream);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static bool is_over(struct ol_stream *stream, uint64_t sequence)
{
    return atomic_load_explicit(&stream->over, memory_order_acquire) >= sequence;
}

/* Notes that all launches up to a sequence number are over. */
static void note_over_locked(struct ol_stream *stream, uint64_t sequence)
{
    if (!is_over(stream, sequence))
        atomic_store_explicit(&stream->over, sequence, memory_order_release);
    tw_gpu_records_forget(&stream->records, atomic_load_explicit(&stream->over, memory_order_relaxed));
    stream->polls = 0;
}

/* Records an event behind all launches that are issued. An event is recorded once, when it is made. */
static ol_result record_locked(struct ol_stream *stream)
{
    struct tw_gpu_record *record = tw_gpu_records_next(&stream->records);
    const uint64_t issued = atomic_load_explicit(&stream->issued, memory_order_acquire);
    ol_event event = NULL;
    if (record->event)
        (void)tw_ol.event_destroy(record->event);
    record->event = NULL;
    static const struct ol_error no_context = {OL_OUT_OF_RESOURCES, "it has no context"};
    const ol_result error = tw_ol_enter(stream->device) ? tw_ol.event_create(stream->queue, &event) : &no_context;
    if (error)
        return error;
    record->event = event;
    tw_gpu_records_add(&stream->records, issued);
    atomic_store_explicit(&stream->recorded, issued, memory_order_relaxed);
    return NULL;
}

/* Makes sure that there is an event at or behind a launch that is not known to be over. */
static ol_result reach_locked(struct ol_stream *stream, uint64_t sequence)
{
    return tw_gpu_records_reach(&stream->records, sequence) ? NULL : record_locked(stream);
}

/* Asks whether a launch is over, unless what would tell was enqueued just now. Also frees what the driver below keeps for
   what is over, where that is its way. */
static ol_result ask_locked(struct ol_stream *stream, uint64_t sequence)
{
    bool is_complete = false;
    const uint64_t issued = atomic_load_explicit(&stream->issued, memory_order_acquire);
    const struct tw_gpu_record *record = tw_gpu_records_find(&stream->records, sequence);
    if (issued != stream->issued_before && (!record || issued - record->sequence < LIKELY_OVER)) {
        stream->issued_before = issued;
        return NULL;
    }
    if (!record && ++stream->polls % POLLS == 0)
        return record_locked(stream);
    ol_result error = record ? tw_ol.event_info(record->event, OL_EVENT_INFO_COMPLETE, sizeof is_complete, &is_complete)
                             : tw_ol.queue_info(stream->queue, OL_QUEUE_INFO_EMPTY, sizeof is_complete, &is_complete);
    if (error || !is_complete)
        return error;
    if (stream->device->platform != OL_PLATFORM_CUDA)
        error = record ? tw_ol.event_sync(record->event) : tw_ol.queue_sync(stream->queue);
    if (!error)
        note_over_locked(stream, record ? record->sequence : issued);
    return error;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static ol_result wait_for_other(const struct ol_stream *stream, struct ol_stream *other, uint64_t sequence)
{
    if (is_over(other, sequence) || tw_ol_lost(other->device))
        return NULL;
    pthread_mutex_lock(&other->mutex); /* until the event is used: its slot could be reused */
    tw_gpu_records_note_awaited(&other->records, other->names[sequence % TW_STREAM_DEPTH]);
    ol_result error = reach_locked(other, sequence);
    struct tw_gpu_record *record = error ? NULL : tw_gpu_records_find(&other->records, sequence);
    ol_event event = record ? record->event : NULL;
    if (event && stream->device->platform == other->device->platform)
        error = tw_ol.queue_wait(stream->queue, &event, 1);
    else if (event)
        error = tw_ol.event_sync(event); /* no event reaches from platform to platform */
    pthread_mutex_unlock(&other->mutex);
    return error;
}

static tw_status wait(struct tw_backend_stream *base, const struct tw_backend_event *events, size_t count)
{
    struct ol_stream *stream = ol(base);
    ol_result error = NULL;
    for (size_t i = 0; i < count && !error; ++i)
        error = wait_for_other(stream, ol(events[i].stream), events[i].sequence);
    return error ? complain(stream, "let no stream wait for another", error) : TW_SUCCESS;
}

/* Enqueues the copy of a large argument block. */
static tw_status copy_arguments(struct ol_stream *stream, const struct tw_internal_kernel *kernel,
                                struct tw_internal_launch *launch)
{
    const tw_status status =
        tw_gpu_arguments_make_room(&stream->arguments, owner_of(stream), kernel, finish_queue, stream);
    if (status != TW_SUCCESS)
        return status;
    launch->device_args = stream->arguments.memory;
    const ol_result error = tw_ol.copy(stream->queue, stream->arguments.memory, stream->device->handle, launch->args,
                                       tw_ol_host(), kernel->args_bytes);
    /* the block is the caller's until the launch is over */
    return error ? complain(stream, "did not copy the arguments of a kernel", error) : TW_SUCCESS;
}

/* A graph: what its launches enqueue one after the other. liboffload has no graphs. */
struct ol_graph {
    struct tw_backend_graph base;
    size_t count;
    struct node {
        const struct tw_internal_kernel *kernel;
        struct tw_internal_launch launch; /* of the kernel */
        const struct tw_backend_copy *copy;
        const struct tw_backend_fill *fill;
    } nodes[];
};

/* A kernel, a copy, a fill or a graph to enqueue on a stream. */
struct request {
    const char *name;
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch *launch;
    const struct tw_backend_copy *copy;
    const struct tw_backend_fill *fill;
    struct ol_graph *graph;
};

static tw_status add_kernel(struct ol_stream *stream, const struct request *request)
{
    tw_status status = TW_SUCCESS;
    if (request->kernel->misfit)
        status = tw_scratch_lend_in_order(&stream->scratch, owner_of(stream), request->kernel, request->launch);
    if (status == TW_SUCCESS && request->launch->words == 1)
        status = copy_arguments(stream, request->kernel, request->launch);
    if (status != TW_SUCCESS)
        return status;
    const bool alone = atomic_load_explicit(&stream->device->running, memory_order_relaxed) == 0;
    const ol_result error = tw_ol_enqueue(stream->device, request->launch, stream->queue);
    return error ? tw_ol_report(stream->device, request->kernel->name, error, alone) : TW_SUCCESS;
}

static tw_status add_one(struct ol_stream *stream, const struct request *request)
{
    if (request->kernel)
        return add_kernel(stream, request);
    if (request->copy)
        return tw_ol_enqueue_copy(request->copy, stream->queue);
    return request->fill ? tw_ol_enqueue_fill(request->fill, stream->queue) : TW_SUCCESS;
}

/* Enqueues the nodes of a graph in their order, so that each comes behind those that it waits for. If that fails, those
   before it have run when this returns. */
static tw_status add_graph(struct ol_stream *stream, struct ol_graph *graph)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < graph->count && status == TW_SUCCESS; ++i) {
        struct node *node = &graph->nodes[i];
        const struct request request = {.name = node->kernel ? node->kernel->name : GRAPH_NAME,
                                        .kernel = node->kernel,
                                        .launch = &node->launch,
                                        .copy = node->copy,
                                        .fill = node->fill};
        status = add_one(stream, &request);
    }
    if (status != TW_SUCCESS && !tw_ol_lost(stream->device))
        finish_queue(stream);
    return status;
}

static tw_status add(struct ol_stream *stream, const struct request *request)
{
    return request->graph ? add_graph(stream, request->graph) : add_one(stream, request);
}

/* Records an event behind the launches so far if the host waits for one of them, which would otherwise be seen to be over
   only with those that follow. If that fails, completed() finds out. */
static void record_awaited(struct ol_stream *stream)
{
    const uint64_t awaited = atomic_load_explicit(&stream->awaited, memory_order_acquire);
    if (is_over(stream, awaited))
        return;
    pthread_mutex_lock(&stream->mutex);
    (void)reach_locked(stream, awaited);
    pthread_mutex_unlock(&stream->mutex);
}

/* Returns the number of launches up to this one that are not known to be over and have no event behind them. */
static uint64_t unrecorded(struct ol_stream *stream, uint64_t sequence)
{
    const uint64_t recorded = atomic_load_explicit(&stream->recorded, memory_order_relaxed);
    const uint64_t over = atomic_load_explicit(&stream->over, memory_order_relaxed);
    return sequence - (recorded > over ? recorded : over);
}

/* Records an event behind many launches without one, and behind those whose names other streams have waited for. If that
   fails, completed() or wait_for_other() tries again. */
static void note_launch(struct ol_stream *stream, uint64_t sequence, bool is_copy)
{
    const bool records = unrecorded(stream, sequence) >= (is_copy ? RECORD_EVERY_COPY : RECORD_EVERY);
    if (!records && !atomic_load_explicit(&stream->records.is_awaited, memory_order_relaxed))
        return;
    pthread_mutex_lock(&stream->mutex);
    if (records || tw_gpu_records_await(&stream->records, stream->names[sequence % TW_STREAM_DEPTH]))
        (void)reach_locked(stream, sequence);
    pthread_mutex_unlock(&stream->mutex);
}

/* liboffload of LLVM 22 does not tell when an event was complete. But a queue calls functions of the host in its order. */
static void note_now(void *user)
{
    atomic_store_explicit((_Atomic uint64_t *)user, tw_now_ns(), memory_order_release);
}

/* Enqueues a function that notes when the next launch begins. Returns NULL if it cannot be measured. */
static __attribute__((noinline)) struct timing *begin_timing(struct ol_stream *stream, uint64_t sequence)
{
    stream->measures = false;
    if (!stream->timings && !(stream->timings = calloc(TW_STREAM_DEPTH, sizeof *stream->timings)))
        return NULL;
    struct timing *timing = &stream->timings[sequence % TW_STREAM_DEPTH];
    return tw_ol.host_function(stream->queue, note_now, &timing->start_ns) ? NULL : timing;
}

static tw_status issue(struct ol_stream *stream, const struct request *request, uint64_t *sequence)
{
    const uint64_t next = atomic_load_explicit(&stream->issued, memory_order_relaxed) + 1;
    if (tw_ol_lost(stream->device))
        return tw_ol_fail_lost(TW_ERROR_LAUNCH_FAILED, stream->device);
    if (!tw_ol_enter(stream->device))
        return tw_fail(TW_ERROR_LAUNCH_FAILED, "liboffload has no context");
    record_awaited(stream);
    stream->names[next % TW_STREAM_DEPTH] = request->name;
    struct timing *timing = stream->measures ? begin_timing(stream, next) : NULL;
    const tw_status status = add(stream, request);
    if (timing && status == TW_SUCCESS)
        (void)tw_ol.host_function(stream->queue, note_now, &timing->end_ns);
    if (status == TW_SUCCESS) {
        atomic_fetch_add_explicit(&stream->device->running, 1, memory_order_relaxed);
        atomic_store_explicit(&stream->launcher, &this_thread, memory_order_relaxed);
        atomic_store_explicit(&stream->issued, next, memory_order_release);
        *sequence = next;
        note_launch(stream, next, request->copy || request->fill);
    }
    return status;
}

static void measure(struct tw_backend_stream *base)
{
    ol(base)->measures = true;
}

static tw_status launch(struct tw_backend_stream *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description, uint64_t *sequence)
{
    tw_omp_prepare(&ol(base)->device->omp, kernel, description);
    return issue(ol(base), &(struct request){.name = kernel->name, .kernel = kernel, .launch = description}, sequence);
}

/* Copies between devices are left to libomptarget. */
static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    return to == from;
}

static tw_status copy(struct tw_backend_stream *base, const struct tw_backend_copy *copy, uint64_t *sequence)
{
    return issue(ol(base), &(struct request){.name = COPY_NAME, .copy = copy}, sequence);
}

static tw_status fill(struct tw_backend_stream *base, const struct tw_backend_fill *fill, uint64_t *sequence)
{
    return issue(ol(base), &(struct request){.name = FILL_NAME, .fill = fill}, sequence);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

/* Returns true if a stream of the device can run a node. */
static bool takes_node(const struct tw_backend_device *device, const struct tw_backend_graph_node *node)
{
    const struct tw_backend_copy *t = node->copy;
    if (t)
        return (!t->to || t->to == device) && (!t->from || t->from == device);
    return node->device == device && !node->part
           && (node->fill || !node->kernel || tw_gpu_takes(node->device, node->kernel, node->launch));
}

static tw_status instantiate(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                             struct tw_backend_graph **result)
{
    for (size_t i = 0; i < count; ++i)
        if (!takes_node(device, &nodes[i]))
            return TW_SUCCESS;
    struct ol_graph *graph = malloc(sizeof *graph + count * sizeof graph->nodes[0]);
    if (!graph)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    graph->base.device = device;
    graph->count = count;
    for (size_t i = 0; i < count; ++i) {
        struct node *node = &graph->nodes[i];
        *node = (struct node){.kernel = nodes[i].kernel, .copy = nodes[i].copy, .fill = nodes[i].fill};
        if (!node->kernel)
            continue;
        node->launch = *nodes[i].launch;
        tw_omp_prepare(&tw_ol_of(device)->omp, node->kernel, &node->launch);
    }
    *result = &graph->base;
    return TW_SUCCESS;
}

static void destroy(struct tw_backend_graph *graph)
{
    free(graph);
}

static tw_status launch_graph(struct tw_backend_stream *base, struct tw_backend_graph *graph, uint64_t *sequence)
{
    return issue(ol(base), &(struct request){.name = GRAPH_NAME, .graph = (struct ol_graph *)graph}, sequence);
}

const struct tw_backend_graphs tw_ol_graphs = {
    .instantiate = instantiate,
    .destroy = destroy,
    .launch = launch_graph,
};

/* ---- completion -------------------------------------------------------------------------------------------------- */

/* Returns true if the driver should be asked now. While another thread launches, it is once for some launches. */
static bool should_ask(struct ol_stream *stream)
{
    const uint64_t issued = atomic_load_explicit(&stream->issued, memory_order_relaxed);
    if (atomic_load_explicit(&stream->launcher, memory_order_relaxed) == &this_thread)
        return true;
    const uint64_t now = tw_now_ns();
    if (atomic_exchange_explicit(&stream->seen, issued, memory_order_relaxed) != issued)
        atomic_store_explicit(&stream->seen_ns, now, memory_order_relaxed);
    if (issued - atomic_load_explicit(&stream->asked, memory_order_relaxed) < RECORD_EVERY
        && now - atomic_load_explicit(&stream->seen_ns, memory_order_relaxed) < QUIET_NS)
        return false;
    atomic_store_explicit(&stream->asked, issued, memory_order_relaxed);
    return true;
}

static uint64_t completed(struct tw_backend_stream *base, uint64_t sequence)
{
    struct ol_stream *stream = ol(base);
    if (!is_over(stream, sequence) && !tw_ol_lost(stream->device) && should_ask(stream)
        && !pthread_mutex_trylock(&stream->mutex)) {
        const ol_result error = is_over(stream, sequence) ? NULL : ask_locked(stream, sequence);
        pthread_mutex_unlock(&stream->mutex);
        if (error)
            tw_ol_lose(stream->device, stream->names[(atomic_load(&stream->over) + 1) % TW_STREAM_DEPTH], error,
                       atomic_load_explicit(&stream->device->running, memory_order_relaxed) == 1);
    }
    if (!is_over(stream, sequence) && tw_ol_lost(stream->device))
        return sequence;
    return atomic_load_explicit(&stream->over, memory_order_acquire);
}

/* The next launch records an event behind those so far. Until there is one, the queue tells. */
static void announce(struct tw_backend_stream *base, uint64_t sequence)
{
    struct ol_stream *stream = ol(base);
    uint64_t awaited = atomic_load_explicit(&stream->awaited, memory_order_relaxed);
    while (awaited < sequence
           && !atomic_compare_exchange_weak_explicit(&stream->awaited, &awaited, sequence, memory_order_release,
                                                     memory_order_relaxed)) {
    }
}

static void times(struct tw_backend_stream *base, uint64_t sequence, struct tw_backend_times *result)
{
    struct ol_stream *stream = ol(base);
    if (!stream->timings || !is_over(stream, sequence))
        return;
    struct timing *timing = &stream->timings[sequence % TW_STREAM_DEPTH];
    const uint64_t end_ns = atomic_exchange_explicit(&timing->end_ns, 0, memory_order_acquire);
    const uint64_t start_ns = atomic_exchange_explicit(&timing->start_ns, 0, memory_order_relaxed);
    if (start_ns && end_ns)
        *result = (struct tw_backend_times){start_ns, end_ns};
}

static tw_status outcome(struct tw_backend_stream *base, uint64_t sequence)
{
    struct ol_stream *stream = ol(base);
    atomic_fetch_sub_explicit(&stream->device->running, 1, memory_order_relaxed);
    return is_over(stream, sequence) ? TW_SUCCESS : tw_ol_fail_lost(TW_ERROR_LAUNCH_FAILED, stream->device);
}

const struct tw_backend_async tw_ol_async = {
    .open = open_stream,
    .close = close_stream,
    .takes = tw_gpu_takes,
    .reaches = reaches,
    .wait = wait,
    .measure = measure,
    .launch = launch,
    .copy = copy,
    .fill = fill,
    .completed = completed,
    .announce = announce,
    .times = times,
    .outcome = outcome,
};
