/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of buffers, from a device's backend or from the host. Knows no command. */
#define _DEFAULT_SOURCE
#include "allocation.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/process.h"
#include "base/tuning.h"
#include "device.h"
#include "reclaim.h"

#define HOST_ALIGNMENT 128u /* bytes, as of the largest vector type */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_BYTES (2 * HUGE_PAGE)

/* Large memory begins at successive multiples of this, each in other sets of the first two caches. */
#define COLOUR_BYTES (4096u + 256u)

static pthread_mutex_t allocating = PTHREAD_MUTEX_INITIALIZER; /* taken before tw_lock, never after */

/* Requests huge pages for large memory, where the system leaves that to programs: fewer TLB misses, and fewer faults at
   the first touch. */
void *tw_host_allocate(size_t bytes)
{
    const size_t alignment = bytes >= HUGE_BYTES ? HUGE_PAGE : HOST_ALIGNMENT;
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#ifdef MADV_HUGEPAGE
    if (memory && alignment == HUGE_PAGE)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

/* Allocates a buffer's host memory. Large memory begins at another offset in its first page each time. With one offset
   for all, elements (i, j) of several buffers, which kernels access together, would share few sets of the caches, and a
   load would wait for a store to another buffer with the same low bits of the address. */
static void *allocate_host(struct tw_data *data)
{
    static atomic_uint made;
    size_t at = 0;
    if (data->bytes >= HUGE_BYTES)
        at = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % TW_TUNE_HOST_COLOURS * COLOUR_BYTES;
    data->host_block = tw_host_allocate(data->bytes + at);
    return data->host_block ? (unsigned char *)data->host_block + at : NULL;
}

static void *allocate_on(struct tw_data *data, const struct tw_device *device)
{
    return device ? device->backend->backend->memory->allocate(device->backend, data->bytes) : allocate_host(data);
}

tw_status tw_data_init(struct tw_data *data, tw_range range, size_t element_bytes)
{
    const size_t count = tw_memory_space_count();
    data->allocations = calloc(count, sizeof *data->allocations);
    if (!data->allocations)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a buffer");
    data->range = range;
    data->whole = tw_box_of_range(range);
    data->contents.whole = &data->whole;
    data->element_bytes = element_bytes;
    data->bytes = tw_range_count(range) * element_bytes;
    data->space_count = count;
    for (size_t space = 0; space < count; ++space)
        data->allocations[space].resource.whole = &data->whole;
    for (size_t space = 1; space < count; ++space)
        data->allocations[space].driver = tw_memory_space_device(space)->backend->backend;
    return TW_SUCCESS;
}

tw_status tw_data_allocate(struct tw_data *data, size_t space)
{
    if (!data->bytes || atomic_load(&data->allocations[space].address))
        return TW_SUCCESS;
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    pthread_mutex_lock(&allocating);
    if (!atomic_load(&data->allocations[space].address)) {
        const struct tw_device *device = space ? tw_memory_space_device(space) : NULL;
        void *memory = allocate_on(data, device);
        if (!memory && tw_reclaim_memory()) /* freeing unused objects may make room */
            memory = allocate_on(data, device);
        if (memory)
            atomic_store(&data->allocations[space].address, memory);
        else if (device)
            status = tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "%s has no room for a buffer of %zu bytes",
                             tw_device_facts(device)->name, data->bytes);
        else
            status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory for a buffer of %zu bytes", data->bytes);
    }
    pthread_mutex_unlock(&allocating);
    return status;
}

void tw_data_free(struct tw_data *data)
{
    free(data->host_block);
    tw_coherence_end(data);
    for (size_t space = 1; space < data->space_count; ++space) {
        void *memory = atomic_load(&data->allocations[space].address);
        const struct tw_device *device = memory ? tw_memory_space_device(space) : NULL;
        if (device)
            device->backend->backend->memory->free(device->backend, memory);
    }
    free(data->allocations);
}

static struct tw_backend_device *backend_of(size_t space)
{
    return space ? tw_memory_space_device(space)->backend : NULL;
}

/* The memory of a buffer is laid out alike in all memory spaces. */
struct tw_backend_copy tw_copy_request(const struct tw_copy_plan *plan)
{
    const struct tw_data *data = plan->data;
    const struct tw_box *box = &plan->box;
    const size_t pitch = data->whole.end[2] * data->element_bytes;
    const size_t at = tw_box_first(box, &data->whole) * data->element_bytes;
    return (struct tw_backend_copy){.to = backend_of(plan->to),
                                    .from = backend_of(plan->from),
                                    .target = (unsigned char *)atomic_load(&data->allocations[plan->to].address) + at,
                                    .source =
                                        (const unsigned char *)atomic_load(&data->allocations[plan->from].address) + at,
                                    .row_bytes = (box->end[2] - box->begin[2]) * data->element_bytes,
                                    .rows = box->end[1] - box->begin[1],
                                    .planes = box->end[0] - box->begin[0],
                                    .target_pitch = pitch,
                                    .source_pitch = pitch,
                                    .target_plane = data->whole.end[1] * pitch,
                                    .source_plane = data->whole.end[1] * pitch};
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
    for (size_t space = 1; space < data->space_count; ++space)
        if (tw_memory_space_device(space)->backend == device)
            access->address = access->first = atomic_load(&data->allocations[space].address);
    if (use->is_part) {
        const struct tw_box *box = &use->box;
        access->first += tw_box_first(box, &data->whole) * data->element_bytes;
        access->row_bytes = (box->end[2] - box->begin[2]) * data->element_bytes;
        access->rows_of_plane = box->end[1] - box->begin[1];
        access->rows = (box->end[0] - box->begin[0]) * access->rows_of_plane;
        access->pitch = data->whole.end[2] * data->element_bytes;
        access->plane = data->whole.end[1] * access->pitch;
    }
    return true;
}
