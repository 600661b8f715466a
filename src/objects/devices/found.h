/* SPDX-License-Identifier: Apache-2.0 */
/** What a discovery has found: written once, under the discovery lock, and then read-only until shutdown. */
#ifndef TEAMWORK_OBJECTS_FOUND_H
#define TEAMWORK_OBJECTS_FOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/device.h"

struct tw_found {
    struct tw_device **all; /* by ordinal; the host is first */
    size_t all_count;
    struct tw_device **visible; /* in order of preference */
    size_t visible_count;
    struct tw_platform *platforms;
    size_t platform_count;
    struct tw_device **by_space; /* NULL for number 0, host memory */
    size_t space_count;
    char filter[256]; /* TW_DEVICES; "" if not set */
    char absent[512]; /* why devices that it lets through are absent; or "" */
};

#define TW_OFFLOAD_DEVICES (TW_DEVICE_GPU | TW_DEVICE_CPU | TW_DEVICE_ACCELERATOR)
#define TW_SIM_ADVICE "TW_SIM=N or tw_sim_set_count() makes simulated devices"

/* Returns true if there are devices of these types, visible or not. */
static inline bool tw_found_has(const struct tw_found *found, unsigned types)
{
    for (size_t i = 0; i < found->all_count; ++i)
        if (found->all[i]->backend->type & types)
            return true;
    return false;
}

/* Returns the number of a device among those of its type, as TW_DEVICES counts. */
static inline unsigned tw_found_number(const struct tw_found *found, const struct tw_device *device)
{
    unsigned number = 0;
    for (size_t i = 0; i < found->all_count && found->all[i] != device; ++i)
        number += found->all[i]->backend->type == device->backend->type;
    return number;
}

#endif
