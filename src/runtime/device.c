/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces, memory of devices, and their facts. Knows no task. */
#define _DEFAULT_SOURCE
#include "device.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/cancellation.h"

#define HOST_ALIGNMENT 128u /* bytes, as of the largest vector type */
#define HUGE_PAGE ((size_t)2 << 20)

static struct {
    struct tw_device **devices;
    size_t count;
    struct tw_device *host;
} spaces;

void tw_memory_spaces_set(struct tw_device **devices, size_t count, struct tw_device *host)
{
    spaces.devices = devices;
    spaces.count = count;
    spaces.host = host;
}

size_t tw_memory_space_count(void)
{
    return spaces.count;
}

struct tw_device *tw_memory_space_device(size_t space)
{
    return spaces.devices[space];
}

struct tw_device *tw_host_device(void)
{
    return spaces.host;
}

/* Requests huge pages for large memory, where the system leaves that to programs: fewer TLB misses, and fewer faults at
   the first touch. */
void *tw_host_allocate(size_t bytes)
{
    const size_t alignment = bytes >= TW_HUGE_BYTES ? HUGE_PAGE : HOST_ALIGNMENT;
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#ifdef MADV_HUGEPAGE
    if (memory && alignment == HUGE_PAGE)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void *tw_device_allocate(struct tw_device *device, size_t bytes)
{
    const struct tw_backend_memory *memory = device->backend->backend->memory;
    return memory ? memory->allocate(device->backend, bytes) : tw_host_allocate(bytes);
}

void tw_device_release(struct tw_device *device, void *memory)
{
    const struct tw_backend_memory *backend = device->backend->backend->memory;
    if (backend)
        backend->free(device->backend, memory);
    else
        free(memory);
}

static pthread_mutex_t describing = PTHREAD_MUTEX_INITIALIZER; /* taken after all others */

const struct tw_device_facts *tw_device_facts(const struct tw_device *device)
{
    struct tw_device *owner = (struct tw_device *)(uintptr_t)device; /* cached facts are not part of its value */
    if (!atomic_load_explicit(&owner->described, memory_order_acquire)) {
        TW_DEFER_CANCELLATION;
        pthread_mutex_lock(&describing);
        if (!atomic_load_explicit(&owner->described, memory_order_relaxed)) {
            device->backend->backend->describe(device->backend, &owner->facts);
            atomic_store_explicit(&owner->described, true, memory_order_release);
        }
        pthread_mutex_unlock(&describing);
    }
    return &owner->facts;
}
