/* SPDX-License-Identifier: Apache-2.0 */
/** Unified shared memory (teamwork/usm.h): the list of its allocations. Has a lock of its own, and holds it
    for no call. */
#ifndef TEAMWORK_RUNTIME_USM_LIST_H
#define TEAMWORK_RUNTIME_USM_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/usm.h>

#include "backend.h"
#include "device.h"

struct tw_usm_allocation {
    const unsigned char *first, *past; /* the key in the tree */
    tw_pointer_type type;
    tw_device *device; /* NULL: host memory */
};

/* Adds an allocation. `device` is NULL for host memory. Returns false if memory is exhausted. */
bool tw_usm_add(void *memory, size_t bytes, tw_pointer_type type, tw_device *device);
/* Copies the allocation around an address. Returns false if there is none. */
bool tw_usm_find(const void *pointer, struct tw_usm_allocation *result);
/* Removes the allocation that begins at an address, and stores its type and device. Returns false if there is none. */
bool tw_usm_remove(const void *memory, tw_pointer_type *type, tw_device **device);
/* Tells a backend whether a device reaches what a pointer leads to (tw_backend_device.reaches_usm). */
bool tw_usm_is_reached(const struct tw_backend_device *device, const void *pointer);
/* Writes for a backend which memory a pointer leads to (tw_backend_device.name_usm). */
bool tw_usm_name(const void *pointer, char *text, size_t bytes);

#endif
