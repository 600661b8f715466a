/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch memory of reductions (scratch.h). Knows a device by its table alone. */
#include "scratch.h"

#define COUNTER_BYTES 64u

void tw_scratch_open(struct tw_scratch *scratch)
{
    *scratch = (struct tw_scratch){.count = 0};
    pthread_mutex_init(&scratch->mutex, NULL);
}

void tw_scratch_close(struct tw_scratch *scratch, struct tw_backend_device *device)
{
    while (scratch->count)
        device->backend->memory->free(device, scratch->kept[--scratch->count]);
    pthread_mutex_destroy(&scratch->mutex);
}

tw_status tw_scratch_make(struct tw_backend_device *device, struct tw_internal_launch *launch)
{
    static const unsigned char zero[COUNTER_BYTES];
    launch->scratch = device->backend->memory->allocate(device, TW_INTERNAL_SCRATCH_BYTES + COUNTER_BYTES);
    if (!launch->scratch)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for the parts of a reduction");
    const tw_status status = device->backend->memory->copy(
        device, (unsigned char *)launch->scratch + TW_INTERNAL_SCRATCH_BYTES, NULL, zero, sizeof zero);
    if (status != TW_SUCCESS) {
        device->backend->memory->free(device, launch->scratch);
        launch->scratch = NULL;
    }
    return status;
}

tw_status tw_scratch_take(struct tw_scratch *scratch, struct tw_backend_device *device,
                          struct tw_internal_launch *launch)
{
    pthread_mutex_lock(&scratch->mutex);
    launch->scratch = scratch->count ? scratch->kept[--scratch->count] : NULL;
    pthread_mutex_unlock(&scratch->mutex);
    return launch->scratch ? TW_SUCCESS : tw_scratch_make(device, launch);
}

void tw_scratch_give(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                     bool clean)
{
    void *unused = launch->scratch;
    launch->scratch = NULL;
    pthread_mutex_lock(&scratch->mutex);
    if (clean && scratch->count < TW_SCRATCH_KEPT) {
        scratch->kept[scratch->count++] = unused;
        unused = NULL;
    }
    pthread_mutex_unlock(&scratch->mutex);
    if (unused)
        device->backend->memory->free(device, unused);
}
