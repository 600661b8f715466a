/* SPDX-License-Identifier: Apache-2.0 */
/* How the launches of a queue over several devices are divided. */
#include "queue_devices.h"

#include <stdlib.h>
#include <string.h>

#include "base/detail.h"

struct tw_queue_devices *tw_queue_devices_new(void)
{
    struct tw_queue_devices *devices = calloc(1, sizeof *devices);
    if (!devices)
        return NULL;
    (void)pthread_mutex_init(&devices->mutex, NULL);
    for (size_t i = 0; i < TW_MOST_QUEUE_DEVICES; ++i)
        devices->weights[i] = 1;
    return devices;
}

void tw_queue_end_devices(struct tw_queue_devices *devices)
{
    for (size_t i = 0; devices && i < devices->count; ++i)
        (void)tw_queue_destroy(&devices->queues[i]);
}

void tw_queue_get_weights(struct tw_queue *queue, const struct tw_internal_kernel *kernel, double *weights)
{
    struct tw_queue_devices *devices = queue->devices;
    (void)kernel;
    (void)pthread_mutex_lock(&devices->mutex);
    memcpy(weights, devices->weights, devices->count * sizeof *weights);
    (void)pthread_mutex_unlock(&devices->mutex);
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
        devices->weights[i] = shares ? shares[i] : 1;
    (void)pthread_mutex_unlock(&devices->mutex);
    return TW_SUCCESS;
}
