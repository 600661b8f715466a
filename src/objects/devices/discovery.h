/* SPDX-License-Identifier: Apache-2.0 */
/** The devices of the machine, and the sub-devices that were made of them. */
#ifndef TEAMWORK_OBJECTS_DISCOVERY_H
#define TEAMWORK_OBJECTS_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/device.h>

#include "found.h"

/* What is wrong with a device that is not tw_is_device(). */
#define TW_NO_DEVICE                                                                                                   \
    "the device is NULL, or from before tw_shutdown() (tw_get_devices() finds none where TW_DEVICES hides them)"

/* Take and release the discovery lock. It is taken before the lock, never after. */
void tw_discovery_lock(void);
void tw_discovery_unlock(void);
/* Opens the devices of all backends. Called with the discovery lock held. If it fails, nothing is found. */
tw_status tw_devices_find(void);
/* Closes all devices. Called with the discovery lock held, when no thread works on them. */
void tw_devices_forget(void);
/* Returns what tw_devices_find() has found. */
const struct tw_found *tw_devices_found(void);
/* Returns the latest sub-device. The others follow by `next_part`. */
struct tw_device *tw_device_parts(void);
/* Returns true if a pointer, which may be NULL or from before tw_shutdown(), is a device. */
bool tw_is_device(const struct tw_device *device);
/* The same for a platform. */
bool tw_is_platform(const struct tw_platform *platform);
/* Stores the sub-device of `count` units of a device from number `first` on: the one that was made before in the same way,
   or a new one. Called with the discovery lock held. */
tw_status tw_device_part(struct tw_device *parent, size_t first, size_t count, struct tw_division division,
                         struct tw_device **result);

#endif
