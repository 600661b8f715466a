/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of buffers, from a device's backend or from the host. Knows no command, but tells tools.
 *
 * Most memory is allocated as a whole. Of a large buffer that is accessed in parts, or that takes much of a device, the
 * device reserves all addresses, and puts memory only behind the chunks that are accessed.
 */
#include "allocation.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/process.h"
#include "base/tuning.h"
#include "changes.h"
#include "device.h"
#include "observe_device.h"
#include "pool.h"

/* Large memory begins at successive multiples of this, each in other sets of the first two caches. */
#define COLOUR_BYTES (4096u + 256u)

#define LEAST_PAGES 64u  /* of a buffer that devices may back in parts */
#define MOST_CHUNKS 256u /* of a buffer */
#define LARGE_SHARE 4u   /* a buffer is reserved, not allocated, if it is larger than this share of a device's memory */

static pthread_mutex_t allocating = PTHREAD_MUTEX_INITIALIZER; /* taken before tw_lock, never after */
static struct tw_data *first_with_memory; /* list of the buffers with memory on devices; under the lock */
static unsigned long last_use;            /* under the lock */

void tw_memory_begin(void)
{
    pthread_mutex_lock(&allocating);
}

void tw_memory_end(void)
{
    pthread_mutex_unlock(&allocating);
}

struct tw_data *tw_data_with_memory_locked(void)
{
    return first_with_memory;
}

/* Allocates a buffer's host memory. Large memory begins at another offset in its first page each time. With one offset
   for all, elements (i, j) of several buffers, which kernels access together, would share few sets of the caches, and a
   load would wait for a store to another buffer with the same low bits of the address. */
static void *allocate_host(struct tw_data *data)
{
    static atomic_uint made;
    size_t at = 0;
    if (data->bytes >= TW_HUGE_BYTES)
        at = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % TW_TUNE_HOST_COLOURS * COLOUR_BYTES;
    data->host_block = tw_host_allocate(data->bytes + at);
    return data->host_block ? (unsigned char *)data->host_block + at : NULL;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* The chunks of a large buffer, alike in all memory spaces. */
struct tw_chunks {
    size_t bytes, count; /* the last one may be smaller */
    atomic_uint pins[];  /* of each: the number of groups and commands that hold its address */
};

/* The chunks of one allocation. */
struct tw_backing {
    size_t reserved_bytes;
    struct {
        atomic_bool backed; /* has memory; changed by the thread in tw_memory_begin() */
        unsigned long used; /* under the lock, as the allocation's */
    } chunks[];
};

size_t tw_chunk_count(const struct tw_data *data)
{
    return data->chunks->count;
}

size_t tw_chunk_bytes(const struct tw_data *data, size_t chunk)
{
    const size_t bytes = data->chunks->bytes, at = chunk * bytes;
    return data->bytes - at < bytes ? data->bytes - at : bytes;
}

bool tw_chunk_is_backed(const struct tw_data *data, size_t space, size_t chunk)
{
    return atomic_load(&data->allocations[space].backing->chunks[chunk].backed);
}

unsigned long tw_chunk_used_locked(const struct tw_data *data, size_t space, size_t chunk)
{
    return data->allocations[space].backing->chunks[chunk].used;
}

bool tw_chunk_is_pinned(const struct tw_data *data, size_t chunk)
{
    return atomic_load(&data->chunks->pins[chunk]) > 0;
}

size_t tw_chunk_boxes(const struct tw_data *data, size_t first, size_t past, struct tw_box boxes[TW_BOX_RUNS])
{
    const size_t from = first * data->chunks->bytes,
                 to = (past - 1) * data->chunks->bytes + tw_chunk_bytes(data, past - 1);
    return tw_box_of_run(from / data->element_bytes, (to + data->element_bytes - 1) / data->element_bytes, &data->whole,
                         boxes);
}

/* Runs of chunks that a box touches, found one after the other. Neighbouring runs may have a chunk in common. */
struct runs {
    const struct tw_data *data;
    const struct tw_box *box;
    size_t plane, row;  /* of the box: where the next run begins */
    size_t first, past; /* the run */
};

static bool next_run(struct runs *runs)
{
    const struct tw_data *data = runs->data;
    const struct tw_box *box = runs->box;
    const size_t chunk = data->chunks->bytes, pitch = data->whole.end[2] * data->element_bytes;
    struct tw_box run = *box;
    run.begin[0] += runs->plane;
    run.begin[1] += runs->row;
    if (tw_box_is_empty(&run))
        return false;
    struct tw_box last = run; /* the last row of the run */
    if (pitch * data->whole.end[1] <= chunk) {
        runs->plane = box->end[0] - box->begin[0];
        last.begin[0] = box->end[0] - 1;
        last.begin[1] = box->end[1] - 1;
    } else if (pitch <= chunk) {
        ++runs->plane;
        last.begin[1] = box->end[1] - 1;
    } else if (++runs->row == box->end[1] - box->begin[1]) {
        runs->row = 0;
        ++runs->plane;
    }
    const size_t past = tw_box_first(&last, &data->whole) + box->end[2] - box->begin[2];
    runs->first = tw_box_first(&run, &data->whole) * data->element_bytes / chunk;
    runs->past = (past * data->element_bytes - 1) / chunk + 1;
    return true;
}

bool tw_pin(struct tw_pin **pins, struct tw_data *data, const struct tw_box *box)
{
    struct tw_pin *pin = malloc(sizeof *pin);
    if (!pin)
        return false;
    *pin = (struct tw_pin){.next = *pins, .data = data, .box = *box};
    struct runs runs = {.data = data, .box = &pin->box};
    while (next_run(&runs))
        for (size_t chunk = runs.first; chunk < runs.past; ++chunk)
            atomic_fetch_add(&data->chunks->pins[chunk], 1);
    *pins = pin;
    return true;
}

void tw_unpin(struct tw_pin **pins)
{
    while (*pins) {
        struct tw_pin *pin = *pins;
        *pins = pin->next;
        struct runs runs = {.data = pin->data, .box = &pin->box};
        while (next_run(&runs))
            for (size_t chunk = runs.first; chunk < runs.past; ++chunk)
                atomic_fetch_sub(&pin->data->chunks->pins[chunk], 1);
        free(pin);
    }
}

static size_t page_bytes_of(const struct tw_device *device)
{
    const struct tw_backend_memory *memory = device->backend->backend->memory;
    return memory->page_bytes ? memory->page_bytes(device->backend) : 0;
}

/* Divides a large buffer into chunks, if there are devices that can back it in parts. Returns false if memory is
   exhausted. */
static bool divide(struct tw_data *data)
{
    size_t page = 0;
    for (size_t space = 1; space < data->space_count; ++space) {
        const size_t bytes = page_bytes_of(tw_memory_space_device(space));
        page = bytes > page ? bytes : page;
    }
    if (!page || data->bytes / LEAST_PAGES < page)
        return true;
    const size_t bytes = (data->bytes / MOST_CHUNKS + page - 1) / page * page;
    const size_t count = (data->bytes + bytes - 1) / bytes;
    data->chunks = calloc(1, sizeof *data->chunks + count * sizeof data->chunks->pins[0]);
    if (!data->chunks)
        return false;
    data->chunks->bytes = bytes;
    data->chunks->count = count;
    return true;
}

/* ---- allocating -------------------------------------------------------------------------------------------------- */

tw_status tw_data_init(struct tw_data *data, tw_range range, size_t element_bytes)
{
    static atomic_uint_fast64_t numbered;
    const size_t count = tw_memory_space_count();
    data->number = atomic_fetch_add_explicit(&numbered, 1, memory_order_relaxed) + 1;
    data->allocations = calloc(count, sizeof *data->allocations);
    data->range = range;
    data->whole = tw_box_of_range(range);
    data->contents.whole = &data->whole;
    data->element_bytes = element_bytes;
    data->bytes = tw_range_count(range) * element_bytes;
    data->space_count = count;
    if (!data->allocations || !divide(data)) {
        free(data->allocations);
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a buffer");
    }
    for (size_t space = 0; space < count; ++space)
        data->allocations[space].resource = (struct tw_resource){.whole = &data->whole, .contents = &data->contents};
    for (size_t space = 1; space < count; ++space)
        data->allocations[space].driver = tw_memory_space_device(space)->backend->backend;
    return TW_SUCCESS;
}

static bool is_backed(const struct tw_data *data, const struct tw_box *box, size_t space)
{
    struct runs runs = {.data = data, .box = box};
    while (next_run(&runs))
        for (size_t chunk = runs.first; chunk < runs.past; ++chunk)
            if (!tw_chunk_is_backed(data, space, chunk))
                return false;
    return true;
}

bool tw_data_is_there(const struct tw_data *data, const struct tw_box *box, size_t space)
{
    space = tw_data_space(data, space);
    const struct tw_allocation *allocation = &data->allocations[space];
    return !data->bytes || (atomic_load(&allocation->address) && (!allocation->backing || is_backed(data, box, space)));
}

/* Returns true if a device is to reserve addresses for a buffer of which a box is accessed. */
static bool is_to_reserve(const struct tw_data *data, const struct tw_box *box, const struct tw_device *device)
{
    return data->chunks && page_bytes_of(device)
           && (!tw_box_covers(box, &data->whole)
               || data->bytes > tw_device_facts(device)->global_mem_bytes / LARGE_SHARE);
}

/* Makes the new memory of a buffer known. */
static void publish(struct tw_data *data, size_t space, void *memory)
{
    tw_lock();
    data->allocations[space].used = last_use;
    if (space && !data->link) {
        data->next = first_with_memory;
        data->link = &first_with_memory;
        if (data->next)
            data->next->link = &data->next;
        first_with_memory = data;
    }
    tw_unlock();
    atomic_store(&data->allocations[space].address, memory);
}

/* Reserves addresses. Returns false if the device cannot. */
static bool reserve(struct tw_data *data, size_t space, const struct tw_device *device)
{
    struct tw_backing *backing = calloc(1, sizeof *backing + data->chunks->count * sizeof backing->chunks[0]);
    void *memory = backing ? device->backend->backend->memory->reserve(device->backend, data->bytes) : NULL;
    if (!memory) {
        free(backing);
        return false;
    }
    data->allocations[space].backing = backing;
    publish(data, space, memory);
    tw_log(TW_LOG_INFO, "memory: %s: addresses for a buffer of %zu bytes, backed by %zu at a time",
           tw_device_facts(device)->name, data->bytes, data->chunks->bytes);
    return true;
}

static bool allocate_whole(struct tw_data *data, size_t space, const struct tw_device *device)
{
    void *memory =
        device ? device->backend->backend->memory->allocate(device->backend, data->bytes) : allocate_host(data);
    if (!memory)
        return false;
    publish(data, space, memory);
    tw_log(TW_LOG_INFO, "memory: %s: %zu bytes for a buffer", device ? tw_device_facts(device)->name : "host memory",
           data->bytes);
    tw_observe_memory(TW_TOOL_ALLOCATE, data, space, data->bytes);
    return true;
}

/* Backs those chunks of a box that are not backed. Returns false if the device has no room for one of them; the others
   stay. */
static bool back(struct tw_data *data, const struct tw_box *box, size_t space, const struct tw_device *device)
{
    __builtin_assume(device != NULL); /* for clang-tidy */
    const struct tw_backend_memory *memory = device->backend->backend->memory;
    struct tw_allocation *allocation = &data->allocations[space];
    struct runs runs = {.data = data, .box = box};
    while (next_run(&runs))
        for (size_t chunk = runs.first; chunk < runs.past; ++chunk) {
            if (tw_chunk_is_backed(data, space, chunk))
                continue;
            if (!memory->back(device->backend, atomic_load(&allocation->address), chunk * data->chunks->bytes,
                              tw_chunk_bytes(data, chunk)))
                return false;
            tw_lock();
            allocation->backing->chunks[chunk].used = last_use;
            tw_unlock();
            atomic_store(&allocation->backing->chunks[chunk].backed, true);
            tw_log(TW_LOG_DEBUG, "memory: %s: chunk %zu of a buffer of %zu bytes is backed",
                   tw_device_facts(device)->name, chunk, data->bytes);
            tw_observe_memory(TW_TOOL_ALLOCATE, data, space, tw_chunk_bytes(data, chunk));
        }
    return true;
}

static bool try_to_allocate(struct tw_data *data, const struct tw_box *box, size_t space)
{
    const struct tw_device *device = space ? tw_memory_space_device(space) : NULL;
    if (!atomic_load(&data->allocations[space].address)
        && !(device && is_to_reserve(data, box, device) && reserve(data, space, device))
        && !allocate_whole(data, space, device))
        return false;
    return !data->allocations[space].backing || back(data, box, space, device);
}

tw_status tw_data_allocate_box(struct tw_data *data, const struct tw_box *box, size_t space)
{
    if (tw_data_is_there(data, box, space))
        return TW_SUCCESS;
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    tw_memory_begin();
    if (!tw_data_is_there(data, box, space) && !try_to_allocate(data, box, space)
        && !(tw_pool_make_room(space ? tw_memory_space_device(space) : NULL) && try_to_allocate(data, box, space))) {
        if (space)
            status = tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "%s has no room for a buffer of %zu bytes",
                             tw_device_facts(tw_memory_space_device(space))->name, data->bytes);
        else
            status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory for a buffer of %zu bytes", data->bytes);
    }
    tw_memory_end();
    return status;
}

tw_status tw_data_allocate(struct tw_data *data, size_t space)
{
    return tw_data_allocate_box(data, &data->whole, space);
}

size_t tw_data_bytes_for(const struct tw_data *data, const struct tw_box *box, size_t space)
{
    const struct tw_device *device = tw_memory_space_device(space);
    const bool reserves = atomic_load(&data->allocations[space].address) ? data->allocations[space].backing != NULL
                                                                         : is_to_reserve(data, box, device);
    if (!reserves)
        return data->bytes;
    size_t bytes = 0, after = 0; /* runs come in the order of their chunks, so a chunk in two of them is counted once */
    struct runs runs = {.data = data, .box = box};
    while (next_run(&runs))
        for (size_t chunk = runs.first > after ? runs.first : after; chunk < runs.past; ++chunk, after = chunk)
            bytes += tw_chunk_bytes(data, chunk);
    return bytes;
}

void tw_data_used_locked(const struct tw_use *use, size_t space)
{
    struct tw_allocation *allocation = &use->data->allocations[tw_data_space(use->data, space)];
    allocation->used = ++last_use;
    if (!allocation->backing)
        return;
    struct runs runs = {.data = use->data, .box = &use->box};
    while (next_run(&runs))
        for (size_t chunk = runs.first; chunk < runs.past; ++chunk)
            allocation->backing->chunks[chunk].used = last_use;
}

/* ---- giving up --------------------------------------------------------------------------------------------------- */

void tw_data_unlist_locked(struct tw_data *data)
{
    if (!data->link)
        return;
    *data->link = data->next;
    if (data->next)
        data->next->link = data->link;
    data->link = NULL;
    data->next = NULL;
}

static bool has_memory(const struct tw_data *data)
{
    for (size_t space = 1; space < data->space_count; ++space)
        if (atomic_load(&data->allocations[space].address) && !data->allocations[space].borrowed)
            return true;
    return false;
}

/* A group counts its use, or pins its chunks, before it looks for the address. So either it finds none and comes to
   tw_memory_begin(), or this thread finds its count, and puts the address back. */
void *tw_data_detach_locked(struct tw_data *data, size_t space)
{
    struct tw_allocation *allocation = &data->allocations[space];
    void *memory = atomic_exchange(&allocation->address, NULL);
    if (!data->owner->is_idle_locked(data)) {
        atomic_store(&allocation->address, memory);
        return NULL;
    }
    tw_forget_box(data, &data->whole, space);
    if (!has_memory(data))
        tw_data_unlist_locked(data);
    return memory;
}

bool tw_chunks_detach_locked(struct tw_data *data, size_t space, size_t first, size_t past)
{
    struct tw_backing *backing = data->allocations[space].backing;
    bool pinned = false;
    for (size_t chunk = first; chunk < past; ++chunk)
        atomic_store(&backing->chunks[chunk].backed, false);
    for (size_t chunk = first; chunk < past; ++chunk)
        pinned = pinned || tw_chunk_is_pinned(data, chunk);
    for (size_t chunk = first; chunk < past; ++chunk)
        atomic_store(&backing->chunks[chunk].backed, pinned);
    if (pinned)
        return false;
    struct tw_box boxes[TW_BOX_RUNS];
    const size_t count = tw_chunk_boxes(data, first, past, boxes);
    for (size_t i = 0; i < count; ++i)
        tw_forget_box(data, &boxes[i], space);
    return true;
}

void tw_chunks_unback(const struct tw_data *data, size_t space, size_t first, size_t past)
{
    const struct tw_backend_device *device = tw_memory_space_device(space)->backend;
    for (size_t chunk = first; chunk < past; ++chunk)
        device->backend->memory->unback(tw_memory_space_device(space)->backend,
                                        atomic_load(&data->allocations[space].address), chunk * data->chunks->bytes,
                                        tw_chunk_bytes(data, chunk));
}

/* Tells tools that a buffer's memory on a device is freed with it. */
static __attribute__((noinline, cold)) void tell_of_end(const struct tw_data *data, size_t space)
{
    size_t bytes = data->bytes;
    if (data->allocations[space].backing) {
        bytes = 0;
        for (size_t chunk = 0; chunk < data->chunks->count; ++chunk)
            bytes += tw_chunk_is_backed(data, space, chunk) ? tw_chunk_bytes(data, chunk) : 0;
    }
    tw_observe_memory(TW_TOOL_FREE, data, space, bytes);
}

void tw_data_free(struct tw_data *data)
{
    if (data->host_block)
        tw_observe_memory(TW_TOOL_FREE, data, 0, data->bytes);
    free(data->host_block);
    free(data->name);
    tw_changes_free(data->changes);
    tw_coherence_end(data);
    for (size_t space = 1; space < data->space_count; ++space) {
        void *memory = atomic_load(&data->allocations[space].address);
        if (!memory || data->allocations[space].borrowed)
            continue;
        if (tw_tools_are_on())
            tell_of_end(data, space);
        struct tw_backend_device *device = tw_memory_space_device(space)->backend;
        if (!data->allocations[space].backing) {
            device->backend->memory->free(device, memory);
            continue;
        }
        for (size_t chunk = 0; chunk < data->chunks->count; ++chunk)
            if (tw_chunk_is_backed(data, space, chunk))
                tw_chunks_unback(data, space, chunk, chunk + 1);
        device->backend->memory->release(device, memory, data->bytes);
        free(data->allocations[space].backing);
    }
    free(data->chunks);
    free(data->allocations);
}

struct tw_backend_device *tw_space_backend(size_t space)
{
    return space ? tw_memory_space_device(space)->backend : NULL;
}

struct tw_data_rows tw_data_rows(const struct tw_data *data, const struct tw_box *box, size_t space)
{
    const size_t pitch = data->whole.end[2] * data->element_bytes;
    unsigned char *address = atomic_load(&data->allocations[tw_data_space(data, space)].address);
    return (struct tw_data_rows){.first = address + tw_box_first(box, &data->whole) * data->element_bytes,
                                 .row_bytes = (box->end[2] - box->begin[2]) * data->element_bytes,
                                 .rows = box->end[1] - box->begin[1],
                                 .planes = box->end[0] - box->begin[0],
                                 .pitch = pitch,
                                 .plane = data->whole.end[1] * pitch};
}

struct tw_backend_copy tw_rows_request(struct tw_backend_device *to_device, const struct tw_data_rows *to,
                                       struct tw_backend_device *from_device, const struct tw_data_rows *from)
{
    return (struct tw_backend_copy){.to = to_device,
                                    .from = from_device,
                                    .target = to->first,
                                    .source = from->first,
                                    .row_bytes = to->row_bytes,
                                    .rows = to->rows,
                                    .planes = to->planes,
                                    .target_pitch = to->pitch,
                                    .source_pitch = from->pitch,
                                    .target_plane = to->plane,
                                    .source_plane = from->plane};
}

static const char *space_name(size_t space)
{
    return space ? tw_device_facts(tw_memory_space_device(space))->name : "the host";
}

struct tw_backend_copy tw_copy_request(const struct tw_copy_plan *plan)
{
    const struct tw_data_rows to = tw_data_rows(plan->data, &plan->box, plan->to);
    const struct tw_data_rows from = tw_data_rows(plan->data, &plan->box, plan->from);
    tw_log(TW_LOG_DEBUG, "copy: %zu bytes of a buffer of %zu from %s to %s", to.row_bytes * to.rows * to.planes,
           plan->data->bytes, space_name(plan->from), space_name(plan->to));
    return tw_rows_request(tw_space_backend(plan->to), &to, tw_space_backend(plan->from), &from);
}

bool tw_data_access(const struct tw_backend_device *device, const struct tw_internal_launch *launch, size_t index,
                    struct tw_backend_access *access)
{
    if (index >= launch->access_count)
        return false;
    const struct tw_use *use = &((const struct tw_use *)launch->accesses)[index];
    const struct tw_data *data = use->data;
    *access = (struct tw_backend_access){.bytes = data->bytes,
                                         .element_bytes = data->element_bytes,
                                         .range = data->range,
                                         .row_bytes = data->bytes,
                                         .rows = 1,
                                         .rows_of_plane = 1,
                                         .needs = use->needs,
                                         .writes = use->writes};
    size_t space = 1;
    while (space < data->space_count && tw_memory_space_device(space)->backend != tw_backend_whole(device))
        ++space;
    if (space == data->space_count)
        return true;
    access->address = access->first = atomic_load(&data->allocations[tw_data_space(data, space)].address);
    if (use->is_part) {
        const struct tw_data_rows part = tw_data_rows(data, &use->box, space);
        access->first = part.first;
        access->row_bytes = part.row_bytes;
        access->rows_of_plane = part.rows;
        access->rows = part.planes * part.rows;
        access->pitch = part.pitch;
        access->plane = part.plane;
    }
    return true;
}
