/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of launches on CUDA streams (backend.h): a stream each, with an event after each launch, in a ring.
 *
 * What the launches of a chain need beside their parameters exists once for the chain, since they run in their order:
 * scratch memory of reductions, and memory for a large argument block, which a copy on the stream fills.
 *
 * A kernel's fault is found by the first query after it. The driver tells then of no event whether it was reached, so all
 * that was not known to be over fails; memory of the device is gone anyway.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda.h"
#include "cuda_driver.h"
#include "scratch.h"

enum { STREAM_NON_BLOCKING = 1, EVENT_DISABLE_TIMING = 2 };

#define MIN_ARGS_BYTES 4096u

struct cuda_chain {
    struct tw_backend_chain base;
    struct tw_backend_device *owner;
    struct tw_cuda_device *device;
    cu_stream stream;
    struct tw_scratch scratch;
    void *args; /* device memory for argument blocks */
    size_t args_bytes;
    _Atomic uint64_t issued, over; /* positions; what is over is known to be */
    /* of position p in slot p % TW_CHAIN_DEPTH: free again when p is over. An event that is used again while some thread
       still asks for its old position tells the truth if it says that it was reached, and `over` knows else. */
    cu_event events[TW_CHAIN_DEPTH];
    const char *names[TW_CHAIN_DEPTH]; /* of kernels */
};

static struct cuda_chain *cuda(const struct tw_backend_chain *chain)
{
    return (struct cuda_chain *)(uintptr_t)chain;
}

struct tw_backend_device *tw_cuda_chain_owner(const struct tw_backend_chain *chain)
{
    return cuda(chain)->owner;
}

static tw_status complain(const struct cuda_chain *chain, const char *what, cu_result error)
{
    char text[256];
    const char *lost = tw_cuda_lost(chain->device->ordinal);
    return lost ? tw_backend_complain(TW_ERROR_LAUNCH_FAILED, "%s", lost)
                : tw_backend_complain(TW_ERROR_LAUNCH_FAILED, "the CUDA driver %s: %s", what,
                                      tw_cuda_describe_error(error, text, sizeof text));
}

tw_status tw_cuda_chain_open(struct tw_backend_device *owner, int ordinal, struct tw_backend_chain **result)
{
    struct cuda_chain *chain = calloc(1, sizeof *chain);
    if (!chain)
        return tw_backend_complain(TW_ERROR_OUT_OF_MEMORY, "no memory for a CUDA stream");
    chain->owner = owner;
    chain->device = tw_cuda_device(ordinal);
    cu_result error = 1;
    if (tw_cuda_enter(chain->device)) {
        error = tw_cuda.stream_create(&chain->stream, STREAM_NON_BLOCKING);
        tw_cuda_leave();
    }
    if (error) {
        const tw_status status = complain(chain, "made no stream", error);
        free(chain);
        return status;
    }
    tw_scratch_open(&chain->scratch);
    *result = &chain->base;
    return TW_SUCCESS;
}

void tw_cuda_chain_close(struct tw_backend_chain *base)
{
    struct cuda_chain *chain = cuda(base);
    tw_scratch_close(&chain->scratch, chain->owner);
    if (chain->args)
        chain->owner->backend->free(chain->owner, chain->args);
    if (tw_cuda_enter(chain->device)) {
        for (size_t i = 0; i < TW_CHAIN_DEPTH; ++i)
            if (chain->events[i])
                (void)tw_cuda.event_destroy(chain->events[i]);
        (void)tw_cuda.stream_destroy(chain->stream);
        tw_cuda_leave();
    }
    free(chain);
}

/* ---- launches -------------------------------------------------------------------------------------------------------- */

tw_status tw_cuda_chain_follow(struct tw_backend_chain *base, const struct tw_backend_mark *marks, size_t count)
{
    struct cuda_chain *chain = cuda(base);
    cu_result error = 0;
    if (!tw_cuda_enter(chain->device))
        return complain(chain, "has no context", 0);
    for (size_t i = 0; i < count && !error; ++i) {
        const struct cuda_chain *other = cuda(marks[i].chain);
        if (atomic_load_explicit(&other->over, memory_order_acquire) < marks[i].position)
            error = tw_cuda.stream_wait_event(chain->stream, other->events[marks[i].position % TW_CHAIN_DEPTH], 0);
    }
    tw_cuda_leave();
    return error ? complain(chain, "let no stream wait for another", error) : TW_SUCCESS;
}

/* Lends a reduction the chain's scratch memory. */
static tw_status lend_scratch(struct cuda_chain *chain, struct tw_internal_launch *launch)
{
    const tw_status status = tw_scratch_take(&chain->scratch, chain->owner, launch);
    void *memory = launch->scratch;
    if (status == TW_SUCCESS) /* the next launch runs after this one: it can have it already */
        tw_scratch_give(&chain->scratch, chain->owner, launch, true);
    launch->scratch = memory;
    return status;
}

/* Enqueues the copying of a large argument block. In the device's context. */
static tw_status copy_args(struct cuda_chain *chain, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *launch)
{
    if (kernel->args_bytes > chain->args_bytes) {
        const size_t bytes = kernel->args_bytes > MIN_ARGS_BYTES ? kernel->args_bytes : MIN_ARGS_BYTES;
        void *memory = chain->owner->backend->allocate(chain->owner, bytes);
        if (!memory)
            return tw_backend_complain(TW_ERROR_OUT_OF_DEVICE_MEMORY,
                                       "no device memory for the %zu argument bytes of %s", kernel->args_bytes,
                                       kernel->name);
        if (chain->args) { /* launches may be using it */
            (void)tw_cuda.stream_synchronize(chain->stream);
            chain->owner->backend->free(chain->owner, chain->args);
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
static tw_status enqueue(struct cuda_chain *chain, const struct tw_internal_kernel *kernel,
                         struct tw_internal_launch *launch, uint64_t position)
{
    cu_event *event = &chain->events[position % TW_CHAIN_DEPTH];
    tw_status status = TW_SUCCESS;
    cu_result error = *event ? 0 : tw_cuda.event_create(event, EVENT_DISABLE_TIMING);
    if (error) {
        *event = NULL;
        return complain(chain, "made no event", error);
    }
    if (kernel->form == TW_INTERNAL_REDUCTION)
        status = lend_scratch(chain, launch);
    if (status == TW_SUCCESS && launch->words == 1)
        status = copy_args(chain, kernel, launch);
    if (status != TW_SUCCESS)
        return status;
    const bool alone = atomic_load_explicit(&chain->device->running, memory_order_relaxed) == 0;
    error = tw_cuda_enqueue(chain->device, kernel, launch, chain->stream);
    if (!error)
        error = tw_cuda.event_record(*event, chain->stream);
    return error ? tw_cuda_report(chain->device, kernel, error, alone) : TW_SUCCESS;
}

tw_status tw_cuda_chain_launch(struct tw_backend_chain *base, const struct tw_internal_kernel *kernel,
                               struct tw_internal_launch *launch, uint64_t *position)
{
    struct cuda_chain *chain = cuda(base);
    const uint64_t next = atomic_load_explicit(&chain->issued, memory_order_relaxed) + 1;
    if (tw_cuda_lost(chain->device->ordinal) || !tw_cuda_enter(chain->device))
        return complain(chain, "has no context", 0);
    const tw_status status = enqueue(chain, kernel, launch, next);
    tw_cuda_leave();
    if (status != TW_SUCCESS)
        return status;
    chain->names[next % TW_CHAIN_DEPTH] = kernel->name;
    atomic_fetch_add_explicit(&chain->device->running, 1, memory_order_relaxed);
    atomic_store_explicit(&chain->issued, next, memory_order_release);
    *position = next;
    return TW_SUCCESS;
}

/* ---- their end ------------------------------------------------------------------------------------------------------- */

static void note_over(struct cuda_chain *chain, uint64_t position)
{
    uint64_t known = atomic_load_explicit(&chain->over, memory_order_relaxed);
    while (known < position
           && !atomic_compare_exchange_weak_explicit(&chain->over, &known, position, memory_order_release,
                                                     memory_order_relaxed)) {
    }
}

/* Asks for a position and, where it is reached, for some after it too, in steps that grow: so whoever looks now and then
   at a long chain need not ask for each. In the device's context. */
static cu_result query(struct cuda_chain *chain, uint64_t position)
{
    const uint64_t issued = atomic_load_explicit(&chain->issued, memory_order_acquire);
    cu_result error = tw_cuda.event_query(chain->events[position % TW_CHAIN_DEPTH]);
    for (uint64_t step = 1, next = position; !error; step *= 2) {
        note_over(chain, next);
        next += step;
        if (next > issued || tw_cuda.event_query(chain->events[next % TW_CHAIN_DEPTH]))
            break;
    }
    return error;
}

static bool is_over(struct cuda_chain *chain, uint64_t position)
{
    return atomic_load_explicit(&chain->over, memory_order_acquire) >= position;
}

bool tw_cuda_chain_poll(struct tw_backend_chain *base, uint64_t position)
{
    struct cuda_chain *chain = cuda(base);
    if (is_over(chain, position) || tw_cuda_lost(chain->device->ordinal))
        return true;
    if (!tw_cuda_enter(chain->device))
        return false;
    const cu_result error = query(chain, position);
    tw_cuda_leave();
    if (error && error != CU_NOT_READY) {
        const uint64_t first = atomic_load_explicit(&chain->over, memory_order_acquire) + 1;
        tw_cuda_lose(chain->device, chain->names[first % TW_CHAIN_DEPTH], error,
                     atomic_load_explicit(&chain->device->running, memory_order_relaxed) == 1);
    }
    return error != CU_NOT_READY;
}

tw_status tw_cuda_chain_outcome(struct tw_backend_chain *base, uint64_t position,
                                const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    struct cuda_chain *chain = cuda(base);
    (void)kernel;
    (void)launch;
    atomic_fetch_sub_explicit(&chain->device->running, 1, memory_order_relaxed);
    return is_over(chain, position) ? TW_SUCCESS
                                    : tw_backend_complain(TW_ERROR_LAUNCH_FAILED, "%s", chain->device->story);
}
