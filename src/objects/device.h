/* SPDX-License-Identifier: Apache-2.0 */
/** Discovery of devices. */
#ifndef TEAMWORK_OBJECTS_DEVICE_H
#define TEAMWORK_OBJECTS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/device.h>

#include "runtime/device.h"

struct tw_platform {
    const char *name;
    tw_device_type type;
    struct tw_device **devices;
    size_t count;
};

/* Finds the devices if that has not happened. Takes the discovery lock. */
tw_status tw_discover(void);
/* The same, and holds off tw_shutdown() until tw_runtime_leave(): for calls that make objects. Must be balanced, also
   where it fails. Nests. */
tw_status tw_runtime_enter(void);
void tw_runtime_leave(void);
bool tw_is_device(const struct tw_device *device);

#endif
