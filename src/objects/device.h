/* SPDX-License-Identifier: Apache-2.0 */
/** Discovery of devices. */
#ifndef TEAMWORK_OBJECTS_DEVICE_H
#define TEAMWORK_OBJECTS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/device.h>

#include "runtime/device.h"

/* What is wrong with a device that is not tw_is_device(). */
#define TW_NO_DEVICE                                                                                                   \
    "the device is NULL, or from before tw_shutdown() (tw_get_devices() finds none where TW_DEVICES hides them)"

struct tw_platform {
    const char *name;
    tw_device_type type;
    struct tw_device **devices;
    size_t count;
};

/* Finds the devices unless that has been done. Takes the discovery lock. */
tw_status tw_discover(void);
/* Does the same and holds off tw_shutdown() until tw_runtime_leave(): for calls that create objects. Each call needs a
   tw_runtime_leave(), even if it failed. Calls nest. */
tw_status tw_runtime_enter(void);
void tw_runtime_leave(void);
/* Returns true if a pointer, which may be NULL or from before tw_shutdown(), is a device. */
bool tw_is_device(const struct tw_device *device);
/* The same for a platform. */
bool tw_is_platform(const struct tw_platform *platform);
/* Returns the device with the highest score, the first of equals; NULL if all are negative. The selector, NULL for
   tw_default_selector, may throw a C++ exception. */
struct tw_device *tw_best_device(struct tw_device *const *devices, size_t count, tw_device_selector selector,
                                 void *user);
/* Stores the sub-device of `count` units of a device from number `first` on: the one that was made before in the same way,
   or a new one. Called with the lock of tw_discovery_lock() held. */
tw_status tw_device_part(struct tw_device *parent, size_t first, size_t count, struct tw_division division,
                         struct tw_device **result);
/* Take and release the discovery lock. */
void tw_discovery_lock(void);
void tw_discovery_unlock(void);

#endif
