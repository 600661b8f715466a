/* SPDX-License-Identifier: Apache-2.0 */
/** Unified shared memory (teamwork/usm.h): the list of its allocations. Has a lock of its own, and holds it
    for no call. */
#ifndef TEAMWORK_RUNTIME_USM_LIST_H
#define TEAMWORK_RUNTIME_USM_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <teamwork/usm.h>

#include "backend.h"
#include "device.h"

struct tw_pool_block;

struct tw_usm_allocation {
    const unsigned char *first, *past; /* the key in the tree */
    tw_pointer_type type;
    tw_device *device;            /* NULL: host memory */
    void *block;                  /* what was allocated: begins earlier if the alignment demands it */
    struct tw_pool_block *pooled; /* that goes to the device's pool when it is freed (pool.h); NULL: `block` is freed */
};

/* Returns true if memory can be aligned so. */
static inline bool tw_is_alignment(size_t alignment)
{
    return alignment && !(alignment & (alignment - 1)) && alignment <= SIZE_MAX / 4;
}
#define TW_NO_ALIGNMENT "an alignment is a power of two, and not %zu"

/* Adds an allocation, and counts it among the objects that are alive: who removes it takes it from them when its memory is
   free. Returns false, with a message, if memory is exhausted. */
bool tw_usm_add(const struct tw_usm_allocation *allocation);
/* Copies the allocation around an address. Returns false if there is none. */
bool tw_usm_find(const void *pointer, struct tw_usm_allocation *result);
/* Removes the allocation that begins at an address, and stores it. Returns false if there is none. */
bool tw_usm_remove(const void *memory, struct tw_usm_allocation *result);
/* Tells a backend whether a device reaches what a pointer leads to (tw_backend_device.reaches_usm). */
bool tw_usm_is_reached(const struct tw_backend_device *device, const void *pointer);
/* Writes for a backend which memory a pointer leads to (tw_backend_device.name_usm). */
bool tw_usm_name(const void *pointer, char *text, size_t bytes);

#endif
