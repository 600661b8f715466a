/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies by the CUDA driver (cuda_copy.h). Each synchronous copy has a CUDA stream of its own, so that it overlaps with
 * kernels and with other copies. Enqueued copies use the stream of their caller.
 *
 * The bus reads and writes page-locked host memory by itself. Other host memory goes through a page-locked stage, in
 * parts: while the bus moves some parts, several threads copy others (staged_copy.h). The driver does the same with one
 * thread, at a fifth of the speed; small copies are left to it.
 */
#include "cuda_copy.h"

#include <stdlib.h>

#include "backends/gpu/gpu_stage.h"
#include "cuda_copy_kernel.h"
#include "cuda_memory.h"
#include "rows.h"

enum { POINTER_MEMORY_TYPE = 2, HOST_MEMORY = 1 };

#define MOST_PITCH ((size_t)INT32_MAX) /* that the driver takes */
#define SLOTS TW_STAGED_COPY_SLOTS

struct tw_cuda_stage {
    struct tw_gpu_stage base; /* first */
    cu_event events[SLOTS];   /* for each slot, behind the last copy from or to it */
};

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static void free_stage(struct tw_gpu_stage *base)
{
    struct tw_cuda_stage *stage = (struct tw_cuda_stage *)base;
    for (unsigned slot = 0; slot < SLOTS; ++slot)
        if (stage->events[slot])
            (void)tw_cuda.event_destroy(stage->events[slot]);
    if (base->memory)
        (void)tw_cuda.host_free(base->memory);
    free(stage);
}

/* Makes a stage. Returns NULL if there is not enough memory. Called in the device's context, as all functions below. */
static struct tw_cuda_stage *make_stage(size_t bytes)
{
    struct tw_cuda_stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return NULL;
    stage->base.bytes = bytes;
    cu_result error = tw_cuda.host_allocate((void **)&stage->base.memory, bytes, 0);
    if (error)
        stage->base.memory = NULL;
    for (unsigned slot = 0; slot < SLOTS && !error; ++slot)
        error = tw_cuda.event_create(&stage->events[slot], CU_EVENT_DISABLE_TIMING);
    if (error) {
        free_stage(&stage->base);
        return NULL;
    }
    return stage;
}

static struct tw_cuda_stage *take_stage(struct tw_cuda_device *device, size_t bytes)
{
    const size_t stage_bytes = tw_gpu_stage_bytes(bytes);
    struct tw_gpu_stage *stage = tw_gpu_stage_take(&device->streams, &device->idle_stages, stage_bytes);
    return stage ? (struct tw_cuda_stage *)stage : make_stage(stage_bytes);
}

void tw_cuda_free_stages(struct tw_cuda_device *device)
{
    tw_gpu_stages_free(&device->idle_stages, free_stage);
}

/* ---- by the driver ----------------------------------------------------------------------------------------------- */

static cu_result enqueue_bytes(const struct tw_backend_copy *t, cu_stream stream)
{
    const uintptr_t target = (uintptr_t)t->target, source = (uintptr_t)t->source;
    if (!t->from)
        return tw_cuda.copy_to_device(target, t->source, t->row_bytes, stream);
    if (!t->to)
        return tw_cuda.copy_to_host(t->target, source, t->row_bytes, stream);
    /* on the stream of the device that it copies to, cuMemcpyPeerAsync takes twice as long to enqueue */
    if (t->to == t->from || tw_cuda_connect(tw_cuda_of(t->to), tw_cuda_of(t->from)))
        return tw_cuda.copy_on_device(target, source, t->row_bytes, stream);
    return tw_cuda.copy_to_peer(target, tw_cuda_of(t->to)->context, source, tw_cuda_of(t->from)->context, t->row_bytes,
                                stream);
}

/* Describes a side of a copy to the driver. `height` is the number of pitches of a plane. */
static struct cu_rows side_of(struct tw_backend_device *device, const void *memory, size_t pitch, size_t height)
{
    struct cu_rows side = {.pitch = pitch, .height = height};
    if (device) {
        side.memory_type = CU_MEMORY_DEVICE;
        side.device = (uintptr_t)memory;
    } else {
        side.memory_type = CU_MEMORY_HOST;
        side.host = memory;
    }
    return side;
}

static bool has_long_pitch(const struct tw_backend_copy *t)
{
    return t->target_pitch > MOST_PITCH || t->source_pitch > MOST_PITCH;
}

/* Describes a copy of joined rows to the driver. Returns false if it does not know such copies: it knows planes of a
   whole number of pitches. */
static bool describe(const struct tw_backend_copy *t, struct cu_copy *copy)
{
    size_t target_height = t->rows, source_height = t->rows;
    if (has_long_pitch(t))
        return false;
    if (t->planes > 1) {
        if (t->target_plane % t->target_pitch || t->source_plane % t->source_pitch)
            return false;
        target_height = t->target_plane / t->target_pitch;
        source_height = t->source_plane / t->source_pitch;
    }
    *copy = (struct cu_copy){.source = side_of(t->from, t->source, t->source_pitch, source_height),
                             .target = side_of(t->to, t->target, t->target_pitch, target_height),
                             .row_bytes = t->row_bytes,
                             .rows = t->rows,
                             .planes = t->planes};
    return true;
}

static cu_result enqueue_rows(const struct tw_backend_copy *t, struct cu_copy *copy, cu_stream stream)
{
    if (!t->to || !t->from || t->to == t->from)
        return tw_cuda.copy_rows(copy, stream);
    (void)tw_cuda_connect(tw_cuda_of(t->to), tw_cuda_of(t->from)); /* else the driver copies through host memory */
    copy->source.context = tw_cuda_of(t->from)->context;
    copy->target.context = tw_cuda_of(t->to)->context;
    return tw_cuda.copy_rows_to_peer(copy, stream);
}

/* Enqueues a copy of joined rows: as one if the driver takes it, else plane by plane, and row by row. It refuses pitches
   that are too long, planes of a part of a pitch, and memory of which parts between the first row and the last one are
   not mapped, as those of a large buffer that nobody accessed yet. */
static cu_result enqueue(const struct tw_backend_copy *t, cu_stream stream)
{
    struct cu_copy copy;
    if (t->rows == 1 && t->planes == 1)
        return enqueue_bytes(t, stream);
    cu_result error = describe(t, &copy) ? enqueue_rows(t, &copy, stream) : CU_INVALID_VALUE;
    if (error != CU_INVALID_VALUE)
        return error;
    const bool by_row = t->planes == 1;
    const size_t count = by_row ? t->rows : t->planes;
    struct tw_backend_copy part = *t;
    part.rows = by_row ? 1 : t->rows;
    part.planes = 1;
    error = 0;
    for (size_t i = 0; i < count && !error; ++i) {
        part.target = (unsigned char *)t->target + i * (by_row ? t->target_pitch : t->target_plane);
        part.source = (const unsigned char *)t->source + i * (by_row ? t->source_pitch : t->source_plane);
        error = enqueue(&part, stream);
    }
    return error;
}

/* ---- through a stage --------------------------------------------------------------------------------------------- */

/* A copy between host memory and a device's. */
struct staged_copy {
    const struct tw_cuda_stage *stage;
    cu_stream stream;
    cu_result error;
};

static bool enqueue_piece(void *user, const struct tw_backend_copy *piece)
{
    struct staged_copy *copy = user;
    copy->error = enqueue(piece, copy->stream);
    return !copy->error;
}

static bool mark_slot(void *user, size_t slot)
{
    struct staged_copy *copy = user;
    copy->error = tw_cuda.event_record(copy->stage->events[slot], copy->stream);
    return !copy->error;
}

static enum tw_staged_copy_answer ask_slot(void *user, size_t slot, bool may_wait)
{
    struct staged_copy *copy = user;
    cu_event event = copy->stage->events[slot];
    const cu_result error = may_wait ? tw_cuda.event_synchronize(event) : tw_cuda.event_query(event);
    if (error == CU_NOT_READY)
        return TW_STAGED_COPY_LATER;
    copy->error = error;
    return error ? TW_STAGED_COPY_NEVER : TW_STAGED_COPY_NOW;
}

static const struct tw_gpu_stage_use use = {.enqueue = enqueue_piece, .mark = mark_slot, .ask = ask_slot};

/* Copies between host memory and a device. The last parts may still be in flight on the stream when it returns. */
static cu_result pass(const struct tw_cuda_stage *stage, const struct tw_backend_copy *t, cu_stream stream)
{
    struct staged_copy copy = {.stage = stage, .stream = stream};
    (void)tw_gpu_stage_copy(&stage->base, t, &use, &copy); /* on failure, copy.error is set */
    return copy.error;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool is_locked_at(const unsigned char *memory)
{
    unsigned type = 0;
    int which = POINTER_MEMORY_TYPE;
    void *values[] = {&type}; /* with this call, memory that the driver does not know is no error */
    return !tw_cuda.pointer_attributes(1, &which, values, (uintptr_t)memory) && type == HOST_MEMORY;
}

static cu_result run(struct tw_cuda_device *device, const struct tw_backend_copy *t)
{
    cu_stream stream;
    cu_result error = tw_cuda_take_stream(device, &stream);
    if (error)
        return error;
    struct tw_cuda_stage *stage = NULL;
    const size_t bytes = tw_backend_copy_bytes(t);
    if (bytes > TW_GPU_DIRECT_BYTES && (!t->to || !t->from) && !tw_gpu_is_locked(t, is_locked_at))
        stage = take_stage(device, bytes);
    error = stage ? pass(stage, t, stream) : enqueue(t, stream);
    const cu_result end = tw_cuda.stream_synchronize(stream);
    if (stage)
        tw_gpu_stage_give(&device->streams, &device->idle_stages, &stage->base);
    tw_cuda_give_stream(device, stream);
    return error ? error : end;
}

/* Does not check whether a device's fault is the cause of a failure: that would wait for the device. The threads that
   wait for its launches find out. */
tw_status tw_cuda_enqueue_copy(const struct tw_backend_copy *copy, cu_stream stream)
{
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    const cu_result error = tw_rows_is_nothing(copy) ? 0 : enqueue(&joined, stream);
    return error ? tw_gpu_fail_copy(copy, "the CUDA driver", tw_cuda_error(error)) : TW_SUCCESS;
}

tw_status tw_cuda_copy(const struct tw_backend_copy *copy)
{
    struct tw_cuda_device *device = tw_cuda_of(copy->to ? copy->to : copy->from);
    __builtin_assume(device != NULL); /* for clang-tidy */
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    if (tw_rows_is_nothing(copy))
        return TW_SUCCESS;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return tw_fail(TW_ERROR_TRANSFER_FAILED, "the CUDA driver has no context to copy %zu bytes",
                       tw_backend_copy_bytes(copy));
    const cu_result error = run(device, &joined);
    if (error && tw_cuda.context_synchronize())
        tw_cuda_lose(device, "that ran before a copy", error, true);
    tw_cuda_leave(entry);
    return error ? tw_gpu_fail_copy(copy, "the CUDA driver", tw_cuda_error(error)) : TW_SUCCESS;
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static bool is_between(const struct tw_backend_copy *copy)
{
    return copy->to && copy->from && copy->to != copy->from;
}

/* Describes a copy to the driver. Returns false if it does not know such copies. A node has one context: addresses say
   which devices' memory it is. */
static bool describe_node(const struct tw_backend_copy *copy, struct cu_copy *node)
{
    struct tw_backend_copy joined = tw_rows_join(*copy);
    if (joined.rows == 1)
        joined.target_pitch = joined.source_pitch = joined.row_bytes;
    const bool is_known = describe(&joined, node);
    if (is_between(copy))
        node->source.memory_type = node->target.memory_type = CU_MEMORY_UNIFIED;
    return is_known;
}

bool tw_cuda_copy_fits_node(const struct tw_backend_copy *copy)
{
    struct cu_copy node;
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    return tw_rows_is_nothing(copy)
           || ((!is_between(copy) || tw_cuda_connect(tw_cuda_of(copy->to), tw_cuda_of(copy->from)))
               && (tw_cuda_kernel_copies(&joined) || describe_node(copy, &node)));
}

cu_result tw_cuda_add_copy(const struct tw_backend_copy *copy, cu_graph graph, const cu_node *before, size_t count,
                           cu_node *node)
{
    struct cu_copy described;
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    if (!tw_rows_is_nothing(copy) && tw_cuda_kernel_copies(&joined))
        return tw_cuda_add_copy_kernel(&joined, graph, before, count, node);
    if (tw_rows_is_nothing(copy) || !describe_node(copy, &described))
        return tw_cuda.graph_add_empty(node, graph, before, count);
    return tw_cuda.graph_add_copy(node, graph, before, count, &described,
                                  tw_cuda_of(copy->to ? copy->to : copy->from)->context);
}
