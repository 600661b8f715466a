/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of queues over several: their queues, and what the program says of the division. */
#include "queue_devices.h"

#include <stdlib.h>

#include "balance.h"
#include "base/detail.h"

/* How many operations a compute unit does at a time, roughly. */
#define GPU_LANES 128.0
#define CPU_LANES 16.0

struct tw_queue_devices *tw_queue_devices_new(void)
{
    struct tw_queue_devices *devices = calloc(1, sizeof *devices);
    if (devices)
        (void)pthread_mutex_init(&devices->mutex, NULL);
    return devices;
}

void tw_queue_devices_add(struct tw_queue_devices *devices, struct tw_queue *queue)
{
    const struct tw_device_facts *facts = tw_device_facts(queue->device);
    const bool is_gpu = queue->device->backend->type == TW_DEVICE_GPU;
    const size_t i = devices->count++;
    devices->queues[i] = queue;
    devices->guess[i] = (is_gpu ? GPU_LANES : CPU_LANES) * (double)(facts->compute_units + !facts->compute_units);
    devices->weights[i] = devices->guess[i];
}

void tw_queue_devices_note_failure(struct tw_queue_devices *devices, const struct tw_queue *queue, tw_status status)
{
    const bool is_device = status == TW_ERROR_LAUNCH_FAILED || status == TW_ERROR_NO_DEVICE_IMAGE
                           || status == TW_ERROR_OUT_OF_DEVICE_MEMORY;
    for (size_t i = 0; is_device && i < devices->count; ++i)
        if (devices->queues[i] == queue)
            atomic_store(&devices->has_failed[i], true);
}

void tw_queue_end_devices(struct tw_queue_devices *devices)
{
    if (!devices)
        return;
    tw_balance_end(devices);
    for (size_t i = 0; i < devices->count; ++i)
        (void)tw_queue_destroy(&devices->queues[i]);
    devices->count = 0;
}

void tw_queue_devices_free(struct tw_queue_devices *devices)
{
    if (devices)
        (void)pthread_mutex_destroy(&devices->mutex);
    free(devices);
}

size_t tw_queue_device_count(const tw_queue *queue)
{
    return queue ? queue->devices ? queue->devices->count : 1 : 0;
}

tw_device *tw_queue_device_at(const tw_queue *queue, size_t index)
{
    if (index >= tw_queue_device_count(queue))
        return NULL;
    return queue->devices ? queue->devices->queues[index]->device : queue->device;
}

static bool is_share(double share)
{
    return share >= 0 && share <= 1e300;
}

tw_status tw_queue_set_division(tw_queue *queue, const double *shares)
{
    const size_t count = tw_queue_device_count(queue);
    double all = 0;
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
    for (size_t i = 0; shares && i < count; ++i) {
        if (!is_share(shares[i]))
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "share %zu is %g: shares are numbers from 0 on", i, shares[i]);
        all += shares[i] > 0;
    }
    if (shares && !(all > 0))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "all shares are 0: at least one device has work");
    struct tw_queue_devices *devices = queue->devices;
    if (!devices)
        return TW_SUCCESS;
    (void)pthread_mutex_lock(&devices->mutex);
    devices->is_fixed = shares != NULL;
    for (size_t i = 0; i < count; ++i)
        atomic_store(&devices->has_failed[i], false);
    for (size_t i = 0; i < count; ++i)
        devices->weights[i] = shares ? shares[i] : devices->guess[i];
    (void)pthread_mutex_unlock(&devices->mutex);
    return TW_SUCCESS;
}
