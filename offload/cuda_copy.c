/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies by the CUDA driver (cuda.h), each on a stream of its own, so that they overlap with kernels and with each other; but
 * for those that a chain enqueues on its stream.
 *
 * The bus reads and writes page-locked host memory by itself. Other host memory goes through a page-locked stage, in parts:
 * while the bus moves one, several threads copy the next (copier.h). The driver does the same with one thread, at a fifth of
 * the speed; it is left what is too small for that to matter.
 */
#include <stdlib.h>

#include "copier.h"
#include "cuda.h"
#include "cuda_driver.h"

enum { POINTER_MEMORY_TYPE = 2, HOST_MEMORY = 1 };

#define DIRECT_BYTES (16u << 10) /* up to which the driver's own way is as good */
#define SMALL_BYTES (1u << 20)   /* up to which the small stage is */
#define SMALL_PART_BYTES (256u << 10)
#define LARGE_PART_BYTES (8u << 20)
#define LEAST_PART_BYTES (512u << 10) /* of the large stage: a transfer has at least a few parts, for the overlap */
#define FEW_PARTS 6u
#define SLOTS 3u

struct tw_cuda_stage {
    struct tw_cuda_stage *next; /* in the device's list of idle ones */
    unsigned char *memory;      /* page-locked, SLOTS times slot_bytes */
    size_t slot_bytes;
    cu_event events[SLOTS]; /* behind the last copy from or to a slot */
};

/* ---- stages ---------------------------------------------------------------------------------------------------------- */

static void free_stage(struct tw_cuda_stage *stage)
{
    for (unsigned slot = 0; slot < SLOTS; ++slot)
        if (stage->events[slot])
            (void)tw_cuda.event_destroy(stage->events[slot]);
    if (stage->memory)
        (void)tw_cuda.host_free(stage->memory);
    free(stage);
}

/* In the device's context, as all below. NULL: no memory for one. */
static struct tw_cuda_stage *make_stage(size_t slot_bytes)
{
    struct tw_cuda_stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return NULL;
    stage->slot_bytes = slot_bytes;
    cu_result error = tw_cuda.host_allocate((void **)&stage->memory, SLOTS * slot_bytes, 0);
    if (error)
        stage->memory = NULL;
    for (unsigned slot = 0; slot < SLOTS && !error; ++slot)
        error = tw_cuda.event_create(&stage->events[slot], CU_EVENT_DISABLE_TIMING);
    if (error) {
        free_stage(stage);
        return NULL;
    }
    return stage;
}

static struct tw_cuda_stage *take_stage(struct tw_cuda_device *device, size_t bytes)
{
    const size_t slot_bytes = bytes <= SMALL_BYTES ? SMALL_PART_BYTES : LARGE_PART_BYTES;
    pthread_mutex_lock(&device->streams);
    struct tw_cuda_stage **link = &device->idle_stages;
    while (*link && (*link)->slot_bytes != slot_bytes)
        link = &(*link)->next;
    struct tw_cuda_stage *stage = *link;
    if (stage)
        *link = stage->next;
    pthread_mutex_unlock(&device->streams);
    return stage ? stage : make_stage(slot_bytes);
}

static void give_stage(struct tw_cuda_device *device, struct tw_cuda_stage *stage)
{
    pthread_mutex_lock(&device->streams);
    stage->next = device->idle_stages;
    device->idle_stages = stage;
    pthread_mutex_unlock(&device->streams);
}

void tw_cuda_free_stages(struct tw_cuda_device *device)
{
    while (device->idle_stages) {
        struct tw_cuda_stage *next = device->idle_stages->next;
        free_stage(device->idle_stages);
        device->idle_stages = next;
    }
}

/* ---- through a stage ------------------------------------------------------------------------------------------------- */

/* A part of a transfer, and its slot. */
struct part {
    size_t at, bytes;
    unsigned char *slot;
    cu_event event;
};

/* The size of the parts of a transfer. */
static size_t choose_part(const struct tw_cuda_stage *stage, size_t bytes)
{
    size_t part = bytes / FEW_PARTS / 4096 * 4096;
    part = part > LEAST_PART_BYTES ? part : LEAST_PART_BYTES;
    return part < stage->slot_bytes ? part : stage->slot_bytes;
}

static struct part part_of(const struct tw_cuda_stage *stage, size_t number, size_t part_bytes, size_t bytes)
{
    const size_t at = number * part_bytes, left = bytes - at;
    return (struct part){.at = at,
                         .bytes = left < part_bytes ? left : part_bytes,
                         .slot = stage->memory + number % SLOTS * stage->slot_bytes,
                         .event = stage->events[number % SLOTS]};
}

static cu_result stage_in(const struct tw_cuda_stage *stage, uintptr_t target, const unsigned char *source,
                          size_t bytes, cu_stream stream)
{
    const size_t part_bytes = choose_part(stage, bytes), parts = (bytes + part_bytes - 1) / part_bytes;
    cu_result error = 0;
    for (size_t number = 0; number < parts && !error; ++number) {
        const struct part part = part_of(stage, number, part_bytes, bytes);
        if (number >= SLOTS)
            error = tw_cuda.event_synchronize(part.event);
        if (error)
            break;
        tw_copier_copy(part.slot, source + part.at, part.bytes);
        error = tw_cuda.copy_to_device(target + part.at, part.slot, part.bytes, stream);
        if (!error)
            error = tw_cuda.event_record(part.event, stream);
    }
    return error;
}

static cu_result stage_out(const struct tw_cuda_stage *stage, unsigned char *target, uintptr_t source, size_t bytes,
                           cu_stream stream)
{
    const size_t part_bytes = choose_part(stage, bytes), parts = (bytes + part_bytes - 1) / part_bytes;
    cu_result error = 0;
    for (size_t number = 0; number < parts + SLOTS - 1 && !error; ++number) {
        if (number < parts) {
            const struct part part = part_of(stage, number, part_bytes, bytes);
            error = tw_cuda.copy_to_host(part.slot, source + part.at, part.bytes, stream);
            if (!error)
                error = tw_cuda.event_record(part.event, stream);
        }
        if (!error && number >= SLOTS - 1) {
            const struct part part = part_of(stage, number - (SLOTS - 1), part_bytes, bytes);
            error = tw_cuda.event_synchronize(part.event);
            if (!error)
                tw_copier_copy(target + part.at, part.slot, part.bytes);
        }
    }
    return error;
}

/* ---- copies ---------------------------------------------------------------------------------------------------------- */

struct transfer {
    const struct tw_cuda_device *to, *from; /* NULL: host memory */
    unsigned char *target;
    const unsigned char *source;
    size_t bytes;
};

static bool is_locked_at(const unsigned char *memory)
{
    unsigned type = 0;
    int which = POINTER_MEMORY_TYPE;
    void *values[] = {&type}; /* this way to ask is no error for memory that the driver does not know */
    return !tw_cuda.pointer_attributes(1, &which, values, (uintptr_t)memory) && type == HOST_MEMORY;
}

static bool is_locked(const unsigned char *memory, size_t bytes)
{
    return is_locked_at(memory) && is_locked_at(memory + bytes - 1);
}

static cu_result enqueue(const struct transfer *t, cu_stream stream)
{
    if (!t->from)
        return tw_cuda.copy_to_device((uintptr_t)t->target, t->source, t->bytes, stream);
    if (!t->to)
        return tw_cuda.copy_to_host(t->target, (uintptr_t)t->source, t->bytes, stream);
    if (t->to == t->from)
        return tw_cuda.copy_on_device((uintptr_t)t->target, (uintptr_t)t->source, t->bytes, stream);
    return tw_cuda.copy_to_peer((uintptr_t)t->target, t->to->context, (uintptr_t)t->source, t->from->context, t->bytes,
                                stream);
}

static cu_result run(struct tw_cuda_device *device, const struct transfer *t)
{
    cu_stream stream;
    cu_result error = tw_cuda_take_stream(device, &stream);
    if (error)
        return error;
    struct tw_cuda_stage *stage = NULL;
    if (t->bytes > DIRECT_BYTES && (!t->to || !t->from) && !is_locked(t->from ? t->target : t->source, t->bytes))
        stage = take_stage(device, t->bytes);
    if (!stage)
        error = enqueue(t, stream);
    else if (t->to)
        error = stage_in(stage, (uintptr_t)t->target, t->source, t->bytes, stream);
    else
        error = stage_out(stage, t->target, (uintptr_t)t->source, t->bytes, stream);
    const cu_result end = tw_cuda.stream_synchronize(stream);
    if (stage)
        give_stage(device, stage);
    tw_cuda_give_stream(device, stream);
    return error ? error : end;
}

static tw_status complain(const struct transfer *t, cu_result error)
{
    char text[256];
    tw_cuda_describe_error(error, text, sizeof text);
    return tw_backend_complain(TW_ERROR_TRANSFER_FAILED, "the CUDA driver could not copy %zu bytes %s: %s", t->bytes,
                               !t->from ? "to a device"
                               : !t->to ? "from a device"
                                        : "between devices",
                               text);
}

/* Whether a fault of a device is why it fails is left to those who wait for what is in flight there: to ask would be to wait. */
tw_status tw_cuda_enqueue_copy(const struct tw_cuda_device *to, void *target, const struct tw_cuda_device *from,
                               const void *source, size_t bytes, cu_stream stream)
{
    const struct transfer transfer = {to, from, target, source, bytes};
    const cu_result error = bytes ? enqueue(&transfer, stream) : 0;
    return error ? complain(&transfer, error) : TW_SUCCESS;
}

tw_status tw_cuda_copy(int to, void *target, int from, const void *source, size_t bytes, bool *taken)
{
    struct tw_cuda_device *device = tw_cuda_device(to), *source_device = tw_cuda_device(from);
    const struct transfer transfer = {device, source_device, target, source, bytes};
    device = device ? device : source_device;
    *taken = false;
    if (!device || tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH)
        return TW_SUCCESS;
    *taken = true;
    if (!bytes)
        return TW_SUCCESS;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry)
        return tw_backend_complain(TW_ERROR_TRANSFER_FAILED, "the CUDA driver has no context to copy %zu bytes", bytes);
    const cu_result error = run(device, &transfer);
    if (error && tw_cuda.context_synchronize())
        tw_cuda_lose(device, "that ran before a copy", error, true);
    tw_cuda_leave(entry);
    return error ? complain(&transfer, error) : TW_SUCCESS;
}
