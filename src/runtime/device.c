/* SPDX-License-Identifier: Apache-2.0 */
/* Memory spaces, and the facts of devices. Knows no task. */
#include "device.h"

#include <stdint.h>

#include "base/cancellation.h"

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
