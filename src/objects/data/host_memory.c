/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory for transfers (teamwork/host_memory.h). It comes from the first backend that allocates such memory, or
   else from the C library. */
#include <teamwork/host_memory.h>

#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "objects/devices/lifetime.h"
#include "runtime/allocation.h"
#include "runtime/usm_list.h"

/* Precedes each block, in HEADER_BYTES bytes: as many as the alignment. */
struct header {
    const struct tw_backend_memory *backend; /* allocator of the block; NULL: the C library */
};

enum { HEADER_BYTES = 128 };

static void *allocate(size_t bytes)
{
    const struct tw_backend_memory *asked = NULL;
    struct header *header = NULL;
    for (size_t space = 1; space < tw_memory_space_count() && !header; ++space) {
        const struct tw_device *device = tw_memory_space_device(space);
        const struct tw_backend_memory *backend = device ? device->backend->backend->memory : NULL;
        if (!backend || backend == asked || !backend->allocate_host)
            continue;
        asked = backend;
        header = backend->allocate_host(bytes);
        if (header)
            header->backend = backend;
    }
    if (!header && (header = tw_host_allocate(bytes)) != NULL)
        header->backend = NULL;
    return header;
}

static void release(struct header *header)
{
    if (header->backend)
        header->backend->free_host(header);
    else
        free(header);
}

void *tw_malloc_host(size_t bytes)
{
    unsigned char *block = NULL;
    if (!bytes || bytes > SIZE_MAX / 2) {
        (void)tw_fail(bytes ? TW_ERROR_OUT_OF_MEMORY : TW_ERROR_INVALID_ARGUMENT, "%zu bytes of host memory", bytes);
        return NULL;
    }
    if (tw_runtime_enter() == TW_SUCCESS) {
        block = allocate(HEADER_BYTES + bytes);
        if (!block)
            (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory of %zu bytes", bytes);
    }
    if (block && !tw_usm_add(block + HEADER_BYTES, bytes, TW_POINTER_HOST, NULL)) {
        release((struct header *)block);
        block = NULL;
        (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to note an allocation");
    }
    if (block) {
        tw_lock();
        tw_object_born_locked(TW_OBJECT_MEMORY);
        tw_unlock();
    }
    tw_runtime_leave();
    return block ? block + HEADER_BYTES : NULL;
}

void tw_free_host(void *memory)
{
    struct tw_usm_allocation allocation;
    tw_pointer_type type;
    tw_device *device;
    if (tw_is_forked || !tw_usm_find(memory, &allocation) || allocation.type != TW_POINTER_HOST
        || !tw_usm_remove(memory, &type, &device))
        return;
    release((struct header *)((unsigned char *)memory - HEADER_BYTES));
    tw_lock();
    tw_object_died_locked(TW_OBJECT_MEMORY);
    tw_unlock();
}
