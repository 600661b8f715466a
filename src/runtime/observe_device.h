/* SPDX-License-Identifier: Apache-2.0 */
/** Telling tools (teamwork/tool.h) of devices and of memory. Where there are no tools, that costs a comparison. */
#ifndef TEAMWORK_RUNTIME_OBSERVE_DEVICE_H
#define TEAMWORK_RUNTIME_OBSERVE_DEVICE_H

#include "base/tool.h"
#include "device.h"
#include "graph/coherence.h"

/* Returns the number that a memory space's device has for tools. */
int tw_observed_space(size_t space);
void tw_tell_device(const struct tw_device *device);
void tw_tell_memory(tw_tool_memory_kind kind, const struct tw_data *data, size_t space, size_t bytes);

/* A device was found, or made. Without the lock. */
static inline void tw_observe_device(const struct tw_device *device)
{
    if (tw_tools_are_on())
        tw_tell_device(device);
}

/* A buffer gets memory in a memory space, or loses it. With the lock or without. */
static inline void tw_observe_memory(tw_tool_memory_kind kind, const struct tw_data *data, size_t space, size_t bytes)
{
    if (tw_tools_are_on())
        tw_tell_memory(kind, data, space, bytes);
}

#endif
