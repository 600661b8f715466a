/* SPDX-License-Identifier: Apache-2.0 */
/* Queues over several devices: their creation, and what the program says of the division. */
#include "balance.h"
#include "base/detail.h"
#include "objects/devices/discovery.h"
#include "objects/devices/lifetime.h"

static tw_status check_devices(tw_device *const *devices, size_t count)
{
    if (!devices)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the array of devices is NULL");
    if (!count || count > TW_MOST_QUEUE_DEVICES)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a queue has 1 to %u devices, and gets %zu", TW_MOST_QUEUE_DEVICES,
                       count);
    for (size_t i = 0; i < count; ++i) {
        if (!tw_is_device(devices[i]))
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "device %zu is NULL, or from before tw_shutdown()", i);
        for (size_t k = 0; k < i; ++k)
            if (devices[k] == devices[i])
                return tw_fail(TW_ERROR_INVALID_ARGUMENT, "devices %zu and %zu are the same", k, i);
    }
    return TW_SUCCESS;
}

/* Makes the queues of the devices. On failure those that were made stay with the queue. */
static tw_status add_devices(struct tw_queue *queue, tw_device *const *devices, size_t count, unsigned properties)
{
    queue->devices = tw_balance_new();
    tw_status status = queue->devices ? TW_SUCCESS : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a queue");
    for (size_t i = 0; i < count && status == TW_SUCCESS; ++i) {
        struct tw_queue *made = NULL;
        status = tw_queue_make(devices[i], NULL, properties & ~(unsigned)TW_QUEUE_IN_ORDER, NULL, NULL, &made);
        if (status != TW_SUCCESS)
            break;
        made->owner = queue;
        made->tasks.leader = &queue->tasks;
        tw_balance_add(queue->devices, made);
    }
    return status;
}

tw_status tw_queue_create_over(tw_device *const *devices, size_t count, unsigned properties, tw_error_handler handler,
                               void *handler_user, tw_queue **queue)
{
    tw_queue *made = NULL;
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is to be stored at NULL");
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = tw_queue_check_properties(properties);
    if (status == TW_SUCCESS)
        status = check_devices(devices, count);
    if (status == TW_SUCCESS)
        status = tw_queue_make(devices[0], NULL, properties, handler, handler_user, &made);
    if (status == TW_SUCCESS && count > 1)
        status = add_devices(made, devices, count, properties);
    if (status == TW_SUCCESS)
        *queue = made;
    else
        (void)tw_queue_destroy(&made);
    tw_runtime_leave();
    return status;
}

/* Returns true if a device is OpenMP's view of the host's cores, beside the host itself. */
static bool shares_cores(tw_device *const *devices, size_t count, size_t index)
{
    bool has_host = false;
    for (size_t i = 0; i < count; ++i)
        has_host = has_host || tw_device_is_host(devices[i]);
    return has_host && devices[index]->backend->type == TW_DEVICE_CPU;
}

tw_status tw_queue_create_over_selected(tw_device_selector selector, void *selector_user, unsigned properties,
                                        tw_error_handler handler, void *handler_user, tw_queue **queue)
{
    tw_device *devices[TW_MOST_QUEUE_DEVICES];
    size_t found = 0, count = 0;
    const tw_status status = tw_get_devices(TW_DEVICE_ALL, devices, TW_MOST_QUEUE_DEVICES, &found);
    if (status != TW_SUCCESS)
        return status;
    found = found < TW_MOST_QUEUE_DEVICES ? found : TW_MOST_QUEUE_DEVICES;
    for (size_t i = 0; i < found; ++i)
        if (selector ? selector(devices[i], selector_user) >= 0 : !shares_cores(devices, found, i))
            devices[count++] = devices[i];
    if (!count)
        return tw_fail(TW_ERROR_NO_DEVICE, "the selector takes none of the %zu devices that TW_DEVICES leaves", found);
    return tw_queue_create_over(devices, count, properties, handler, handler_user, queue);
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
    if (queue->devices)
        tw_balance_fix(queue->devices, shares);
    return TW_SUCCESS;
}

tw_status tw_queue_get_division(const tw_queue *queue, double *shares)
{
    double all = 0;
    if (!queue || !shares)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", queue ? "place for the shares" : "queue");
    const size_t count = tw_queue_device_count(queue);
    shares[0] = 1;
    if (queue->devices)
        tw_balance_weights(queue->devices, shares);
    for (size_t i = 0; i < count; ++i)
        all += shares[i];
    for (size_t i = 0; i < count; ++i)
        shares[i] /= all;
    return TW_SUCCESS;
}
