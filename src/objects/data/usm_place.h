/* SPDX-License-Identifier: Apache-2.0 */
/** Where memory lies that the program gives by its address. */
#ifndef TEAMWORK_OBJECTS_USM_PLACE_H
#define TEAMWORK_OBJECTS_USM_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/usm.h>

#include "backend.h"

struct tw_usm_place {
    tw_pointer_type type;             /* TW_POINTER_UNKNOWN: memory of the program */
    tw_device *owner;                 /* the device that it was allocated for; or NULL */
    struct tw_backend_device *device; /* the same; NULL: it is host memory */
};

/* Returns true if the memory of a device is the host's. */
bool tw_usm_is_of_host(const struct tw_device *device);
/* Finds out where at least one byte lies. `what` is the memory's name in messages. Fails if it is NULL, or if the bytes
   do not end in the allocation where they begin. */
tw_status tw_usm_find_place(const void *memory, size_t bytes, const char *what, struct tw_usm_place *place);
/* Fails with TW_ERROR_INVALID_ARGUMENT if the host cannot use that memory, since it is a device's alone; `advice` says
   what to do then. Otherwise as tw_usm_find_place(). */
tw_status tw_usm_check_host(const void *memory, size_t bytes, const char *what, const char *advice);

#endif
