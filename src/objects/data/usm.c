/* SPDX-License-Identifier: Apache-2.0 */
/* Unified shared memory (teamwork/usm.h): allocation and queries. Knows no command. */
#include <teamwork/usm.h>

#include <stdint.h>
#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/process.h"
#include "objects/devices/discovery.h"
#include "objects/devices/lifetime.h"
#include "runtime/pool.h"
#include "runtime/usm_list.h"

tw_pointer_type tw_pointer_get_type(const void *pointer)
{
    struct tw_usm_allocation allocation;
    return tw_usm_find(pointer, &allocation) ? allocation.type : TW_POINTER_UNKNOWN;
}

tw_device *tw_pointer_get_device(const void *pointer)
{
    struct tw_usm_allocation allocation;
    return tw_usm_find(pointer, &allocation) ? allocation.device : NULL;
}

enum { ALIGNMENT = 128 }; /* that allocations of devices have at least */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static const struct tw_backend_memory *memory_of(const struct tw_device *device)
{
    return device->backend->backend->memory;
}

/* Returns memory of a device, or that it shares with the host; NULL if there is none. */
static void *allocate_once(tw_device *device, size_t bytes, tw_pointer_type type)
{
    const struct tw_backend_memory *memory = memory_of(device);
    return type == TW_POINTER_DEVICE || !memory ? tw_device_allocate(device, bytes)
                                                : memory->allocate_shared(device->backend, bytes);
}

static void release(tw_device *device, void *block, tw_pointer_type type)
{
    const struct tw_backend_memory *memory = memory_of(device);
    if (type == TW_POINTER_DEVICE || !memory)
        tw_device_release(device, block);
    else
        memory->free_shared(device->backend, block);
}

/* `alignment` is at least ALIGNMENT. */
static void *allocate(tw_device *device, size_t alignment, size_t bytes, tw_pointer_type type)
{
    TW_DEFER_CANCELLATION;
    const size_t block_bytes = bytes + alignment - ALIGNMENT;
    void *block = allocate_once(device, block_bytes, type);
    if (!block && tw_pool_make_room(device))
        block = allocate_once(device, block_bytes, type);
    if (!block) {
        (void)tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "%s has no room for %zu bytes of %s memory: it has %zu in all",
                      tw_device_name(device), bytes, type == TW_POINTER_DEVICE ? "device" : "shared",
                      tw_device_facts(device)->global_mem_bytes);
        return NULL;
    }
    unsigned char *memory = (unsigned char *)block + -(uintptr_t)block % alignment;
    if (!tw_usm_add(&(struct tw_usm_allocation){
            .first = memory, .past = memory + bytes, .type = type, .device = device, .block = block})) {
        release(device, block, type);
        return NULL;
    }
    tw_log(TW_LOG_INFO, "memory: %s: %zu bytes by tw_malloc_%s()", tw_device_name(device), bytes,
           type == TW_POINTER_DEVICE ? "device" : "shared");
    return memory;
}

/* The memory of a part of a device is the whole device's. */
static void *enter_and_allocate(tw_device *device, size_t alignment, size_t bytes, tw_pointer_type type)
{
    void *memory = NULL;
    if (!device || !bytes || bytes > SIZE_MAX / 2) {
        (void)tw_fail(TW_ERROR_INVALID_ARGUMENT, device ? "%zu bytes cannot be allocated" : TW_NO_DEVICE, bytes);
        return NULL;
    }
    if (!tw_is_alignment(alignment)) {
        (void)tw_fail(TW_ERROR_INVALID_ARGUMENT, TW_NO_ALIGNMENT, alignment);
        return NULL;
    }
    if (tw_check_process() != TW_SUCCESS)
        return NULL;
    if (tw_runtime_enter() == TW_SUCCESS) {
        device = tw_memory_owner(device);
        if (type == TW_POINTER_SHARED && memory_of(device) && !memory_of(device)->allocate_shared)
            (void)tw_fail(TW_ERROR_UNSUPPORTED, "%s has no memory that it shares with the host",
                          tw_device_name(device));
        else
            memory = allocate(device, alignment < ALIGNMENT ? ALIGNMENT : alignment, bytes, type);
    }
    tw_runtime_leave();
    return memory;
}

void *tw_malloc_device(tw_device *device, size_t bytes)
{
    return enter_and_allocate(device, 1, bytes, TW_POINTER_DEVICE);
}

void *tw_aligned_alloc_device(tw_device *device, size_t alignment, size_t bytes)
{
    return enter_and_allocate(device, alignment, bytes, TW_POINTER_DEVICE);
}

void *tw_malloc_shared(tw_device *device, size_t bytes)
{
    return enter_and_allocate(device, 1, bytes, TW_POINTER_SHARED);
}

void *tw_aligned_alloc_shared(tw_device *device, size_t alignment, size_t bytes)
{
    return enter_and_allocate(device, alignment, bytes, TW_POINTER_SHARED);
}

void tw_free(void *memory)
{
    struct tw_usm_allocation allocation;
    if (!memory || tw_is_forked)
        return;
    if (tw_pointer_get_type(memory) == TW_POINTER_HOST) {
        tw_free_host(memory);
        return;
    }
    TW_DEFER_CANCELLATION;
    if (!tw_usm_remove(memory, &allocation))
        return;
    if (allocation.pooled)
        tw_pool_give(allocation.device, allocation.pooled, (struct tw_pool_hold){.after = NULL});
    else
        release(allocation.device, allocation.block, allocation.type);
    tw_lock();
    tw_object_died_locked(TW_OBJECT_MEMORY);
    tw_unlock();
}
