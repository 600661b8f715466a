/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of launches, and of copies between devices, on CUDA streams (backend.h), a stream each.
 *
 * How far a chain has come is a number in host memory, which the stream writes behind some of the launches, and behind
 * the last one when somebody asks for it: so looking costs a load, where asking the driver for an event costs more than
 * a microsecond and stops others from launching meanwhile. Events are for other chains to wait for.
 *
 * What the launches of a chain need beside their parameters exists once for the chain, since they run in their order:
 * scratch memory of reductions, and memory for a large argument block, which a copy on the stream fills.
 *
 * After a kernel's fault the number stands still, so who waits for it asks the driver now and then. The driver does not
 * tell which launch it was: all that was not known to be over fails; memory of the device is gone anyway. A
 * device that copies from it is lost with it: the driver gives both the error, also where they wait for each other.
 */
#include "cuda_chain.h"

#include <stdlib.h>
#include <string.h>

#include "common/scratch.h"
#include "cuda_copy.h"
#include "cuda_launch.h"
#include "cuda_repeat.h"
#include "cuda_times.h"

#define MIN_ARGS_BYTES 4096u
#define WRITE_EVERY 64u /* launches */
#define WRITE_EVERY_COPY 8u
#define ASK_EVERY 64u /* polls without progress */
#define GRAPH_NAME "of a command graph"
#define COPY_NAME "that ran before a copy" /* a copy does not fail by itself once it is enqueued */

/* An event behind the launch of a position. */
struct record {
    cu_event event;
    uint64_t position;
};

struct cuda_chain {
    struct tw_backend_chain base;
    struct tw_cuda_device *device;
    cu_stream stream;
    struct tw_scratch scratch;
    struct tw_cuda_repeats repeats;
    struct tw_cuda_times times;
    bool measures; /* the next launch */
    void *args;    /* device memory for argument blocks */
    size_t args_bytes;
    _Atomic uint64_t issued, over; /* positions; what is over is known to be */
    volatile uint32_t *progress;   /* in host memory: the low bits of a position, all up to which is over */
    atomic_uint polls;
    _Atomic uint64_t issued_before;    /* when somebody asked last */
    const char *names[TW_CHAIN_DEPTH]; /* of kernels, by position */

    pthread_mutex_t mutex;    /* for what follows: these calls come in the order of positions */
    _Atomic uint64_t written; /* the position that the stream writes last; read also without it */
    /* Record r in slot r % TW_CHAIN_DEPTH, those of `first` up to `past` in use. Their positions grow and are not
       known to be over, so there are no more of them than launches in flight. */
    struct record records[TW_CHAIN_DEPTH];
    uint64_t first, past;
    atomic_bool is_followed; /* by another chain, once: from then on each launch has a record */
};

static struct cuda_chain *cuda(const struct tw_backend_chain *chain)
{
    return (struct cuda_chain *)(uintptr_t)chain;
}

/* The device as the table of the backend has it. */
static struct tw_backend_device *owner_of(const struct cuda_chain *chain)
{
    return &chain->device->omp.base;
}

static tw_status complain(const struct cuda_chain *chain, const char *what, cu_result error)
{
    char text[256];
    const char *lost = tw_cuda_lost(chain->device);
    return lost ? tw_fail(TW_ERROR_LAUNCH_FAILED, "%s", lost)
                : tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver %s: %s", what,
                          tw_cuda_describe_error(error, text, sizeof text));
}

static tw_status open_chain(struct tw_backend_device *device, struct tw_backend_chain **result)
{
    struct cuda_chain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a CUDA stream");
    chain->device = tw_cuda_of(device);
    const enum tw_cuda_entry entry = tw_cuda_enter(chain->device);
    cu_result error =
        entry ? tw_cuda.host_allocate((void **)(uintptr_t)&chain->progress, sizeof *chain->progress, 0) : 1;
    if (!error) {
        *chain->progress = 0;
        error = tw_cuda.stream_create(&chain->stream, CU_STREAM_NON_BLOCKING);
        if (error)
            (void)tw_cuda.host_free((void *)(uintptr_t)chain->progress);
    }
    tw_cuda_leave(entry);
    if (error) {
        const tw_status status = complain(chain, "made no stream", error);
        free(chain);
        return status;
    }
    tw_scratch_open(&chain->scratch);
    pthread_mutex_init(&chain->mutex, NULL);
    *result = &chain->base;
    return TW_SUCCESS;
}

static void close_chain(struct tw_backend_chain *base)
{
    struct cuda_chain *chain = cuda(base);
    tw_scratch_close(&chain->scratch, owner_of(chain));
    if (chain->args)
        owner_of(chain)->backend->memory->free(owner_of(chain), chain->args);
    const enum tw_cuda_entry entry = tw_cuda_enter(chain->device);
    if (entry) {
        for (size_t i = 0; i < TW_CHAIN_DEPTH; ++i)
            if (chain->records[i].event)
                (void)tw_cuda.event_destroy(chain->records[i].event);
        tw_cuda_repeats_close(&chain->repeats);
        tw_cuda_times_close(&chain->times);
        (void)tw_cuda.stream_destroy(chain->stream);
        (void)tw_cuda.host_free((void *)(uintptr_t)chain->progress);
    }
    tw_cuda_leave(entry);
    pthread_mutex_destroy(&chain->mutex);
    free(chain);
}

/* ---- how far it is ----------------------------------------------------------------------------------------------- */

static bool is_over(struct cuda_chain *chain, uint64_t position)
{
    return atomic_load_explicit(&chain->over, memory_order_acquire) >= position;
}

/* Lets the stream write how far it has come, after all that has been issued. In the chain's context. */
static cu_result write_locked(struct cuda_chain *chain)
{
    const uint64_t issued = atomic_load_explicit(&chain->issued, memory_order_acquire);
    const cu_result error = tw_cuda.stream_write(chain->stream, (uintptr_t)chain->progress, (uint32_t)issued, 0);
    if (!error)
        atomic_store_explicit(&chain->written, issued, memory_order_release);
    return error;
}

/* Reads how far the chain is. */
static void look(struct cuda_chain *chain)
{
    uint64_t known = atomic_load_explicit(&chain->over, memory_order_acquire);
    const uint32_t progress = __atomic_load_n(chain->progress, __ATOMIC_ACQUIRE);
    const int32_t ahead = (int32_t)(progress - (uint32_t)known); /* another thread may have seen more */
    if (ahead <= 0)
        return;
    const uint64_t now = known + (uint64_t)ahead;
    while (known < now
           && !atomic_compare_exchange_weak_explicit(&chain->over, &known, now, memory_order_release,
                                                     memory_order_acquire)) {
    }
}

/* Forgets records of what is over. */
static void forget_locked(struct cuda_chain *chain)
{
    while (chain->first < chain->past && is_over(chain, chain->records[chain->first % TW_CHAIN_DEPTH].position))
        ++chain->first;
}

/* Records an event behind all that has been issued. In the chain's context. */
static cu_result record_locked(struct cuda_chain *chain)
{
    struct record *record = &chain->records[chain->past % TW_CHAIN_DEPTH];
    const uint64_t issued = atomic_load_explicit(&chain->issued, memory_order_acquire);
    cu_result error = record->event ? 0 : tw_cuda.event_create(&record->event, CU_EVENT_DISABLE_TIMING);
    if (error) {
        record->event = NULL;
        return error;
    }
    error = tw_cuda.event_record(record->event, chain->stream);
    if (!error) {
        record->position = issued;
        ++chain->past;
    }
    return error;
}

/* The first record behind a position that is not known to be over; makes one if there is none. In the chain's
   context. */
static cu_result find_record_locked(struct cuda_chain *chain, uint64_t position, uint64_t *found)
{
    forget_locked(chain);
    uint64_t past = chain->past;
    for (*found = chain->first; *found < past;) {
        const uint64_t middle = *found + (past - *found) / 2;
        if (chain->records[middle % TW_CHAIN_DEPTH].position < position)
            *found = middle + 1;
        else
            past = middle;
    }
    return *found < chain->past ? 0 : record_locked(chain);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static cu_result follow_other(const struct cuda_chain *chain, struct cuda_chain *other, uint64_t position)
{
    uint64_t at = 0;
    if (is_over(other, position) || tw_cuda_lost(other->device))
        return 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(other->device);
    atomic_store_explicit(&other->is_followed, true, memory_order_relaxed);
    look(other);
    pthread_mutex_lock(&other->mutex); /* until the event is used: its slot could be taken for another */
    cu_result error = entry ? find_record_locked(other, position, &at) : 1;
    tw_cuda_leave(entry);
    if (!error)
        error = tw_cuda.stream_wait_event(chain->stream, other->records[at % TW_CHAIN_DEPTH].event, 0);
    pthread_mutex_unlock(&other->mutex);
    return error;
}

static tw_status follow(struct tw_backend_chain *base, const struct tw_backend_mark *marks, size_t count)
{
    struct cuda_chain *chain = cuda(base);
    cu_result error = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(chain->device);
    if (!entry)
        return complain(chain, "has no context", 0);
    for (size_t i = 0; i < count && !error; ++i)
        error = follow_other(chain, cuda(marks[i].chain), marks[i].position);
    tw_cuda_leave(entry);
    return error ? complain(chain, "let no stream wait for another", error) : TW_SUCCESS;
}

/* Lends a reduction the chain's scratch memory. */
static tw_status lend_scratch(struct cuda_chain *chain, struct tw_internal_launch *launch)
{
    const tw_status status = tw_scratch_take(&chain->scratch, owner_of(chain), launch);
    void *memory = launch->scratch;
    if (status == TW_SUCCESS) /* the next launch runs after this one: it can have it already */
        tw_scratch_give(&chain->scratch, owner_of(chain), launch, true);
    launch->scratch = memory;
    return status;
}

/* Enqueues the copying of a large argument block. In the device's context. */
static tw_status copy_args(struct cuda_chain *chain, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *launch)
{
    if (kernel->args_bytes > chain->args_bytes) {
        const size_t bytes = kernel->args_bytes > MIN_ARGS_BYTES ? kernel->args_bytes : MIN_ARGS_BYTES;
        void *memory = owner_of(chain)->backend->memory->allocate(owner_of(chain), bytes);
        if (!memory)
            return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the %zu argument bytes of %s",
                           kernel->args_bytes, kernel->name);
        if (chain->args) { /* launches may be using it */
            (void)tw_cuda.stream_synchronize(chain->stream);
            owner_of(chain)->backend->memory->free(owner_of(chain), chain->args);
        }
        chain->args = memory;
        chain->args_bytes = bytes;
    }
    launch->device_args = chain->args;
    const cu_result error =
        tw_cuda.copy_to_device((uintptr_t)chain->args, launch->args, kernel->args_bytes, chain->stream);
    return error ? complain(chain, "did not copy the arguments of a kernel", error) : TW_SUCCESS;
}

/* In the device's context. */
static tw_status add_kernel(struct cuda_chain *chain, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *launch)
{
    tw_status status = TW_SUCCESS;
    if (kernel->form == TW_INTERNAL_REDUCTION)
        status = lend_scratch(chain, launch);
    if (status == TW_SUCCESS && launch->words == 1)
        status = copy_args(chain, kernel, launch);
    if (status != TW_SUCCESS)
        return status;
    const bool alone = atomic_load_explicit(&chain->device->running, memory_order_relaxed) == 0;
    const cu_result error = tw_cuda_repeats_enqueue(&chain->repeats, launch, chain->stream);
    return error ? tw_cuda_report(chain->device, kernel->name, error, alone) : TW_SUCCESS;
}

/* Lets others see the launch, now and then or always. Where that fails, whoever asks tries again. */
static void note_launch(struct cuda_chain *chain, uint64_t position, bool is_copy)
{
    const bool is_followed = atomic_load_explicit(&chain->is_followed, memory_order_relaxed);
    const bool writes = position % (is_copy ? WRITE_EVERY_COPY : WRITE_EVERY) == 0;
    if (!writes && !is_followed)
        return;
    pthread_mutex_lock(&chain->mutex);
    if (writes)
        (void)write_locked(chain);
    if (is_followed) {
        look(chain);
        forget_locked(chain);
        /* a follower may have been quicker */
        if (chain->first == chain->past || chain->records[(chain->past - 1) % TW_CHAIN_DEPTH].position < position)
            (void)record_locked(chain);
    }
    pthread_mutex_unlock(&chain->mutex);
}

/* A kernel of a chain, a graph or a copy. */
struct request {
    const char *name;
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch *launch;
    cu_executable executable;          /* of a graph */
    const struct tw_cuda_device *from; /* of a copy */
    void *target;
    const void *source;
    size_t bytes;
};

static tw_status add(struct cuda_chain *chain, const struct request *request)
{
    if (request->kernel)
        return add_kernel(chain, request->kernel, request->launch);
    if (request->from)
        return tw_cuda_enqueue_copy(chain->device, request->target, request->from, request->source, request->bytes,
                                    chain->stream);
    const bool alone = atomic_load_explicit(&chain->device->running, memory_order_relaxed) == 0;
    const cu_result error = tw_cuda.graph_launch(request->executable, chain->stream);
    return error ? tw_cuda_report(chain->device, GRAPH_NAME, error, alone) : TW_SUCCESS;
}

static tw_status issue(struct cuda_chain *chain, const struct request *request, uint64_t *position)
{
    const uint64_t next = atomic_load_explicit(&chain->issued, memory_order_relaxed) + 1;
    const enum tw_cuda_entry entry = tw_cuda_lost(chain->device) ? TW_CUDA_OUTSIDE : tw_cuda_enter(chain->device);
    if (!entry)
        return complain(chain, "has no context", 0);
    chain->names[next % TW_CHAIN_DEPTH] = request->name;
    struct tw_cuda_timing *timing = NULL;
    if (chain->measures) {
        timing = tw_cuda_times_begin(&chain->times, chain->device, next, chain->stream);
        chain->measures = false;
    }
    const tw_status status = add(chain, request);
    if (timing)
        tw_cuda_times_end(timing, chain->stream, status == TW_SUCCESS);
    if (status == TW_SUCCESS) {
        atomic_fetch_add_explicit(&chain->device->running, 1, memory_order_relaxed);
        atomic_store_explicit(&chain->issued, next, memory_order_release);
        *position = next;
        note_launch(chain, next, request->from != NULL);
    }
    tw_cuda_leave(entry);
    return status;
}

static void measure(struct tw_backend_chain *base)
{
    cuda(base)->measures = true;
}

static tw_status launch(struct tw_backend_chain *base, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *description, uint64_t *position)
{
    tw_omp_prepare(&cuda(base)->device->omp, kernel, description);
    return issue(cuda(base), &(struct request){.name = kernel->name, .kernel = kernel, .launch = description},
                 position);
}

tw_status tw_cuda_chain_replay(struct tw_backend_chain *base, cu_executable executable, uint64_t *position)
{
    return issue(cuda(base), &(struct request){.name = GRAPH_NAME, .executable = executable}, position);
}

/* Where devices cannot use each other's memory, the driver copies through the host's, with a thread of the program.
   Memory that is not from a pool is not known to be shared. */
static bool reaches(struct tw_backend_device *to, struct tw_backend_device *from)
{
    const struct tw_cuda_device *target = tw_cuda_of(to), *source = tw_cuda_of(from);
    return target->pool && source->pool && tw_cuda_uses_peer(target, source) && tw_cuda_uses_peer(source, target);
}

static tw_status copy(struct tw_backend_chain *base, void *target, struct tw_backend_device *from, const void *source,
                      size_t bytes, uint64_t *position)
{
    const struct request request = {
        .name = COPY_NAME, .from = tw_cuda_of(from), .target = target, .source = source, .bytes = bytes};
    const char *lost = tw_cuda_lost(tw_cuda_of(from));
    return lost ? tw_fail(TW_ERROR_TRANSFER_FAILED, "%s", lost) : issue(cuda(base), &request, position);
}

/* ---- their end --------------------------------------------------------------------------------------------------- */

static bool is_written(struct cuda_chain *chain, uint64_t position)
{
    return atomic_load_explicit(&chain->written, memory_order_acquire) >= position;
}

/* Sees to it that the position will be told of; if so already, asks the driver whether all is well. */
static cu_result ask(struct cuda_chain *chain, uint64_t position)
{
    cu_result error = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(chain->device);
    if (!entry)
        return CU_NOT_READY;
    pthread_mutex_lock(&chain->mutex);
    if (!is_written(chain, position))
        error = write_locked(chain);
    else
        error = tw_cuda.stream_query(chain->stream);
    pthread_mutex_unlock(&chain->mutex);
    tw_cuda_leave(entry);
    return error;
}

/* Whether it is worth asking. While another thread launches, the next regular write comes soon. */
static bool should_ask(struct cuda_chain *chain, uint64_t position)
{
    const uint64_t issued = atomic_load_explicit(&chain->issued, memory_order_relaxed);
    if (!is_written(chain, position))
        return atomic_exchange_explicit(&chain->issued_before, issued, memory_order_relaxed) == issued;
    return atomic_fetch_add_explicit(&chain->polls, 1, memory_order_relaxed) % ASK_EVERY == ASK_EVERY - 1;
}

static uint64_t reached(struct tw_backend_chain *base, uint64_t position)
{
    struct cuda_chain *chain = cuda(base);
    look(chain);
    if (is_over(chain, position))
        return atomic_load_explicit(&chain->over, memory_order_acquire);
    if (!tw_cuda_lost(chain->device) && should_ask(chain, position)) {
        const cu_result error = ask(chain, position);
        if (error && error != CU_NOT_READY)
            tw_cuda_lose(chain->device, chain->names[(atomic_load(&chain->over) + 1) % TW_CHAIN_DEPTH], error,
                         atomic_load_explicit(&chain->device->running, memory_order_relaxed) == 1);
    }
    return tw_cuda_lost(chain->device) ? position : atomic_load_explicit(&chain->over, memory_order_acquire);
}

static void times(struct tw_backend_chain *base, uint64_t position, struct tw_backend_times *result)
{
    struct cuda_chain *chain = cuda(base);
    const enum tw_cuda_entry entry = tw_cuda_lost(chain->device) ? TW_CUDA_OUTSIDE : tw_cuda_enter(chain->device);
    if (entry)
        tw_cuda_times_read(&chain->times, position, result);
    tw_cuda_leave(entry);
}

static tw_status outcome(struct tw_backend_chain *base, uint64_t position)
{
    struct cuda_chain *chain = cuda(base);
    atomic_fetch_sub_explicit(&chain->device->running, 1, memory_order_relaxed);
    return is_over(chain, position) ? TW_SUCCESS : tw_fail(TW_ERROR_LAUNCH_FAILED, "%s", chain->device->story);
}

const struct tw_backend_async tw_cuda_async = {
    .open = open_chain,
    .close = close_chain,
    .takes = tw_cuda_takes,
    .reaches = reaches,
    .follow = follow,
    .measure = measure,
    .launch = launch,
    .copy = copy,
    .reached = reached,
    .times = times,
    .outcome = outcome,
};
