/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory for transfers (teamwork/host_memory.h). It comes from the first backend that allocates such memory, or
   else from the C library. */
#include <teamwork/host_memory.h>

#include <stdint.h>
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

/* Allocates memory and notes it. `alignment` is at least HEADER_BYTES. Returns NULL if there is none. */
static void *allocate_and_note(size_t alignment, size_t bytes)
{
    struct header *header = allocate(alignment + bytes); /* the header, and what the alignment may take */
    if (!header) {
        (void)tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory of %zu bytes", bytes);
        return NULL;
    }
    unsigned char *memory = (unsigned char *)header + HEADER_BYTES;
    memory += -(uintptr_t)memory % alignment;
    if (!tw_usm_add(&(struct tw_usm_allocation){
            .first = memory, .past = memory + bytes, .type = TW_POINTER_HOST, .block = header})) {
        release(header);
        return NULL;
    }
    return memory;
}

void *tw_aligned_alloc_host(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    if (!bytes || bytes > SIZE_MAX / 2) {
        (void)tw_fail(bytes ? TW_ERROR_OUT_OF_MEMORY : TW_ERROR_INVALID_ARGUMENT, "%zu bytes of host memory", bytes);
        return NULL;
    }
    if (!tw_is_alignment(alignment)) {
        (void)tw_fail(TW_ERROR_INVALID_ARGUMENT, TW_NO_ALIGNMENT, alignment);
        return NULL;
    }
    if (tw_runtime_enter() == TW_SUCCESS)
        memory = allocate_and_note(alignment < HEADER_BYTES ? HEADER_BYTES : alignment, bytes);
    tw_runtime_leave();
    return memory;
}

void *tw_malloc_host(size_t bytes)
{
    return tw_aligned_alloc_host(1, bytes);
}

void tw_free_host(void *memory)
{
    struct tw_usm_allocation allocation;
    if (tw_is_forked || !tw_usm_find(memory, &allocation) || allocation.type != TW_POINTER_HOST
        || !tw_usm_remove(memory, &allocation))
        return;
    release(allocation.block);
    tw_lock();
    tw_object_died_locked(TW_OBJECT_MEMORY);
    tw_unlock();
}
