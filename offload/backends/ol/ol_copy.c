/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills by liboffload (ol_copy.h). Each synchronous copy has a queue of its own, so that it overlaps with
 * kernels and with other copies. Enqueued copies use the queue of their caller.
 *
 * liboffload copies contiguous bytes alone, and enqueuing a copy takes some microseconds. So rows that are scattered on the
 * host alone go through a page-locked stage, where they are back to back, and rows that are close to each other on the
 * device come with what is between them. Other rows are copied one by one: those that a device gets, since what is between
 * them may be written by others. liboffload copies pageable host memory at 3 GB/s: it goes through the stage, too
 * (gpu_stage.h).
 */
#include "ol_copy.h"

#include <stdlib.h>
#include <string.h>

#include "backends/gpu/gpu_stage.h"
#include "base/memory.h"
#include "rows.h"

#define SLOTS TW_STAGED_COPY_SLOTS
#define SHORT_ROW ((size_t)16 << 10)   /* a thread copies more while another copy is enqueued */
#define SHORT_PITCH ((size_t)64 << 10) /* from row to row: the bus passes more in that time */

struct tw_ol_stage {
    struct tw_gpu_stage base; /* first */
    ol_event events[SLOTS];   /* for each slot, behind the last copy from or to it; NULL: none yet */
};

static ol_device handle_of(struct tw_backend_device *device)
{
    return device ? tw_ol_of(device)->handle : tw_ol_host();
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static void free_stage(struct tw_gpu_stage *base)
{
    struct tw_ol_stage *stage = (struct tw_ol_stage *)base;
    for (unsigned slot = 0; slot < SLOTS; ++slot)
        if (stage->events[slot])
            (void)tw_ol.event_destroy(stage->events[slot]);
    if (base->memory)
        (void)tw_ol.memory_free(base->memory);
    free(stage);
}

/* Makes a stage. Returns NULL if there is not enough memory. */
static struct tw_ol_stage *make_stage(struct tw_ol_device *device, size_t bytes)
{
    void *memory = NULL;
    struct tw_ol_stage *stage = calloc(1, sizeof *stage);
    if (!stage || tw_ol.memory_allocate(device->handle, OL_ALLOC_HOST, bytes, &memory)) {
        free(stage);
        return NULL;
    }
    stage->base.bytes = bytes;
    stage->base.memory = memory;
    return stage;
}

static struct tw_ol_stage *take_stage(struct tw_ol_device *device, size_t bytes)
{
    const size_t stage_bytes = tw_gpu_stage_bytes(bytes);
    struct tw_gpu_stage *stage = tw_gpu_stage_take(&device->mutex, &device->idle_stages, stage_bytes);
    return stage ? (struct tw_ol_stage *)stage : make_stage(device, stage_bytes);
}

void tw_ol_free_stages(struct tw_ol_device *device)
{
    tw_gpu_stages_free(&device->idle_stages, free_stage);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Enqueues a copy of joined rows. */
static ol_result enqueue(const struct tw_backend_copy *t, ol_queue queue)
{
    ol_result error = NULL;
    for (size_t plane = 0; plane < t->planes && !error; ++plane)
        for (size_t row = 0; row < t->rows && !error; ++row) {
            unsigned char *target = t->target;
            const unsigned char *source = t->source;
            target += plane ? plane * t->target_plane : 0; /* if there is one plane, or one row, this has no meaning */
            target += row ? row * t->target_pitch : 0;
            source += plane ? plane * t->source_plane : 0;
            source += row ? row * t->source_pitch : 0;
            error = tw_ol.copy(queue, target, handle_of(t->to), source, handle_of(t->from), t->row_bytes);
        }
    return error;
}

tw_status tw_ol_enqueue_copy(const struct tw_backend_copy *copy, ol_queue queue)
{
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    const ol_result error = tw_rows_is_nothing(copy) ? NULL : enqueue(&joined, queue);
    return error ? tw_gpu_fail_copy(copy, "liboffload", tw_ol_error(error)) : TW_SUCCESS;
}

/* ---- through a stage --------------------------------------------------------------------------------------------- */

/* A copy between host memory and a device's. */
struct staged_copy {
    struct tw_ol_stage *stage;
    ol_queue queue;
    ol_result error;
};

static bool enqueue_piece(void *user, const struct tw_backend_copy *piece)
{
    struct staged_copy *copy = user;
    copy->error = enqueue(piece, copy->queue);
    return !copy->error;
}

/* liboffload records an event once, when it is made. */
static bool mark_slot(void *user, size_t slot)
{
    struct staged_copy *copy = user;
    ol_event *event = &copy->stage->events[slot];
    if (*event)
        (void)tw_ol.event_destroy(*event);
    *event = NULL;
    copy->error = tw_ol.event_create(copy->queue, event);
    return !copy->error;
}

static enum tw_staged_copy_answer ask_slot(void *user, size_t slot, bool may_wait)
{
    struct staged_copy *copy = user;
    ol_event event = copy->stage->events[slot];
    bool is_complete = may_wait;
    copy->error = may_wait ? tw_ol.event_sync(event)
                           : tw_ol.event_info(event, OL_EVENT_INFO_COMPLETE, sizeof is_complete, &is_complete);
    return copy->error ? TW_STAGED_COPY_NEVER : is_complete ? TW_STAGED_COPY_NOW : TW_STAGED_COPY_LATER;
}

static const struct tw_gpu_stage_use use = {.enqueue = enqueue_piece, .mark = mark_slot, .ask = ask_slot};

/* Copies between host memory and a device. The last parts may still be in flight on the queue when it returns. */
static ol_result pass(struct tw_ol_stage *stage, const struct tw_backend_copy *t, ol_queue queue)
{
    struct staged_copy copy = {.stage = stage, .queue = queue};
    (void)tw_gpu_stage_copy(&stage->base, t, &use, &copy); /* on failure, copy.error is set */
    return copy.error;
}

/* Copies rows of a device that are close to each other: as many as fit into the stage at a time. */
static ol_result gather(struct tw_ol_stage *stage, const struct tw_backend_copy *t, ol_queue queue)
{
    const size_t fitting = (stage->base.bytes - t->row_bytes) / t->source_pitch + 1;
    ol_result error = NULL;
    for (size_t row = 0, rows; row < t->rows * t->planes && !error; row += rows) {
        const size_t plane = row / t->rows, first = row % t->rows;
        struct tw_backend_copy part = *t;
        rows = t->rows - first < fitting ? t->rows - first : fitting;
        part.rows = rows;
        part.planes = 1;
        part.target = (unsigned char *)t->target + plane * t->target_plane + first * t->target_pitch;
        part.source = stage->base.memory;
        error = tw_ol.copy(queue, stage->base.memory, tw_ol_host(),
                           (const unsigned char *)t->source + plane * t->source_plane + first * t->source_pitch,
                           handle_of(t->from), (rows - 1) * t->source_pitch + t->row_bytes);
        if (!error)
            error = tw_ol_finish(queue);
        if (!error)
            tw_rows_copy(&part);
    }
    return error;
}

/* Page-locked memory by tw_ol_allocate_host(), in the order of addresses. liboffload would make an error of each address
   that it does not know, and does not protect its list of errors from other threads. */
static struct {
    pthread_mutex_t mutex;
    struct {
        unsigned char *at;
        size_t bytes;
    } *blocks;
    size_t count, capacity;
} locked = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Returns the number of the blocks that begin at or before an address. */
static size_t blocks_before(const unsigned char *memory)
{
    size_t at = 0, past = locked.count;
    while (at < past) {
        const size_t middle = at + (past - at) / 2;
        if (locked.blocks[middle].at <= memory)
            at = middle + 1;
        else
            past = middle;
    }
    return at;
}

static bool note_locked(void *memory, size_t bytes)
{
    pthread_mutex_lock(&locked.mutex);
    void *blocks = tw_list_with_room(locked.blocks, locked.count, &locked.capacity, sizeof *locked.blocks);
    const bool fits = blocks != NULL;
    if (fits) {
        locked.blocks = blocks;
        const size_t at = blocks_before(memory);
        memmove(&locked.blocks[at + 1], &locked.blocks[at], (locked.count - at) * sizeof *locked.blocks);
        locked.blocks[at].at = memory;
        locked.blocks[at].bytes = bytes;
        ++locked.count;
    }
    pthread_mutex_unlock(&locked.mutex);
    return fits;
}

static void forget_locked(const void *memory)
{
    pthread_mutex_lock(&locked.mutex);
    const size_t at = blocks_before(memory);
    if (at && locked.blocks[at - 1].at == memory)
        memmove(&locked.blocks[at - 1], &locked.blocks[at], (locked.count-- - at) * sizeof *locked.blocks);
    if (!locked.count) {
        free(locked.blocks);
        locked.blocks = NULL;
        locked.capacity = 0;
    }
    pthread_mutex_unlock(&locked.mutex);
}

static bool is_locked_at(const unsigned char *memory)
{
    pthread_mutex_lock(&locked.mutex);
    const size_t at = blocks_before(memory);
    const bool is_inside = at && (size_t)(memory - locked.blocks[at - 1].at) < locked.blocks[at - 1].bytes;
    pthread_mutex_unlock(&locked.mutex);
    return is_inside;
}

/* How joined rows are copied. */
enum way { DIRECTLY, STAGED, GATHERED };

static enum way choose_way(const struct tw_backend_copy *t)
{
    const bool to_host = !t->to && t->from, to_device = t->to && !t->from;
    const size_t device_pitch = to_host ? t->source_pitch : t->target_pitch;
    const bool has_short_rows = t->rows > 1 && t->row_bytes <= SHORT_ROW;
    if (has_short_rows && to_host && device_pitch > t->row_bytes && device_pitch <= SHORT_PITCH)
        return GATHERED;
    const bool is_packed = has_short_rows && device_pitch == t->row_bytes;
    const bool is_large = tw_backend_copy_bytes(t) > TW_GPU_DIRECT_BYTES;
    return (to_host || to_device) && (is_packed || (is_large && !tw_gpu_is_locked(t, is_locked_at))) ? STAGED
                                                                                                     : DIRECTLY;
}

static ol_result run(struct tw_ol_device *device, const struct tw_backend_copy *t)
{
    ol_queue queue;
    ol_result error = tw_ol_take_queue(device, &queue);
    if (error)
        return error;
    const enum way way = choose_way(t);
    const size_t bytes = way == GATHERED ? t->rows * t->source_pitch : tw_backend_copy_bytes(t);
    struct tw_ol_stage *stage = way != DIRECTLY ? take_stage(device, bytes) : NULL;
    error = !stage ? enqueue(t, queue) : way == GATHERED ? gather(stage, t, queue) : pass(stage, t, queue);
    const ol_result end = tw_ol_finish(queue);
    if (stage)
        tw_gpu_stage_give(&device->mutex, &device->idle_stages, &stage->base);
    tw_ol_give_queue(device, queue);
    return error ? error : end;
}

/* A copy with both sides on different devices is left to libomptarget. */
tw_status tw_ol_copy(const struct tw_backend_copy *copy)
{
    struct tw_ol_device *device = tw_ol_of(copy->to ? copy->to : copy->from);
    __builtin_assume(device != NULL); /* for clang-tidy */
    const struct tw_backend_copy joined = tw_rows_join(*copy);
    if (tw_rows_is_nothing(copy))
        return TW_SUCCESS;
    if (copy->to && copy->from && copy->to != copy->from)
        return tw_omp_memory.copy(copy);
    if (!tw_ol_enter(device))
        return tw_fail(TW_ERROR_TRANSFER_FAILED, "liboffload has no context to copy %zu bytes",
                       tw_backend_copy_bytes(copy));
    const ol_result error = run(device, &joined);
    return error ? tw_gpu_fail_copy(copy, "liboffload", tw_ol_error(error)) : TW_SUCCESS;
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

/* Enqueues fills of single bytes. */
static ol_result fill_bytes(ol_queue queue, unsigned char *target, const unsigned char *values, size_t count)
{
    ol_result error = NULL;
    for (size_t i = 0; i < count && !error; ++i)
        error = tw_ol.fill(queue, target + i, 1, values + i, 1);
    return error;
}

/* Enqueues a fill of contiguous bytes. A driver below writes words of up to 4 bytes if the pattern's size allows it, and these
   have to be aligned. So the fill begins behind some single bytes, and within the pattern. */
static ol_result fill_row(ol_queue queue, unsigned char *target, const struct tw_backend_fill *fill)
{
    static const struct ol_error no_memory = {OL_OUT_OF_RESOURCES, "no memory for a pattern"};
    const size_t period = fill->pattern_bytes, word = period % 4 == 0 ? 4 : period % 2 == 0 ? 2 : 1;
    const size_t before = (word - (uintptr_t)target % word) % word;
    const unsigned char *pattern = fill->pattern;
    if (!before)
        return tw_ol.fill(queue, target, period, pattern, fill->row_bytes);
    unsigned char *rest = malloc(period); /* the pattern from there on */
    if (!rest)
        return &no_memory;
    memcpy(rest, pattern + before, period - before);
    memcpy(rest + period - before, pattern, before);
    const size_t middle = (fill->row_bytes - before) / period * period; /* a row is at least one pattern */
    ol_result error = fill_bytes(queue, target, pattern, before);
    if (!error && middle)
        error = tw_ol.fill(queue, target + before, period, rest, middle);
    if (!error)
        error = fill_bytes(queue, target + before + middle, rest, fill->row_bytes - before - middle);
    free(rest);
    return error;
}

tw_status tw_ol_enqueue_fill(const struct tw_backend_fill *fill, ol_queue queue)
{
    const struct tw_backend_fill joined = tw_rows_join_fill(*fill);
    ol_result error = NULL;
    if (!joined.row_bytes)
        return TW_SUCCESS;
    for (size_t row = 0; row < joined.rows * joined.planes && !error; ++row) {
        unsigned char *target = joined.target;
        target += row / joined.rows ? row / joined.rows * joined.plane : 0;
        target += row % joined.rows ? row % joined.rows * joined.pitch : 0;
        error = fill_row(queue, target, &joined);
    }
    return error ? tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, tw_ol_error(error), "liboffload could not fill %zu bytes",
                               tw_backend_fill_bytes(fill))
                 : TW_SUCCESS;
}

tw_status tw_ol_fill(struct tw_ol_device *device, const struct tw_backend_fill *fill)
{
    ol_queue queue;
    if (!tw_ol_enter(device))
        return tw_fail(TW_ERROR_TRANSFER_FAILED, "liboffload has no context for a fill");
    ol_result error = tw_ol_take_queue(device, &queue);
    if (error)
        return tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, tw_ol_error(error), "liboffload has no queue for a fill");
    const tw_status status = tw_ol_enqueue_fill(fill, queue);
    error = tw_ol_finish(queue);
    tw_ol_give_queue(device, queue);
    return status != TW_SUCCESS ? status
           : error ? tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, tw_ol_error(error), "liboffload did not finish a fill")
                   : TW_SUCCESS;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *allocate(struct tw_ol_device *device, int type, size_t bytes)
{
    void *memory = NULL;
    if (!device || tw_ol_lost(device) || tw_ol.memory_allocate(device->handle, type, bytes, &memory))
        return NULL;
    return memory;
}

void *tw_ol_allocate_host(size_t bytes)
{
    void *memory = allocate(tw_ol_device(0), OL_ALLOC_HOST, bytes);
    if (memory && !note_locked(memory, bytes)) {
        (void)tw_ol.memory_free(memory);
        memory = NULL;
    }
    return memory;
}

void *tw_ol_allocate_shared(struct tw_backend_device *base, size_t bytes)
{
    return allocate(tw_ol_of(base), OL_ALLOC_MANAGED, bytes);
}

void tw_ol_free_host(void *memory)
{
    forget_locked(memory);
    if (tw_ol_device(0) && !tw_ol_lost(tw_ol_device(0)))
        (void)tw_ol.memory_free(memory);
}

void tw_ol_free_shared(struct tw_backend_device *base, void *memory)
{
    if (!tw_ol_lost(tw_ol_of(base)))
        (void)tw_ol.memory_free(memory);
}
