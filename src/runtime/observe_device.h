/* SPDX-License-Identifier: Apache-2.0 */
/** Telling tools (teamwork/tool.h) of devices and of memory. Called only while tools are on. */
#ifndef TEAMWORK_RUNTIME_OBSERVE_DEVICE_H
#define TEAMWORK_RUNTIME_OBSERVE_DEVICE_H

#include "base/tool.h"
#include "device.h"
#include "graph/coherence.h"

/* Returns the number that a memory space's device has for tools. */
int tw_observed_space(size_t space);
/* Tells of a device. Without the lock. */
void tw_observe_device(const struct tw_device *device);
/* Tells of memory of a buffer in a memory space. With the lock or without. */
void tw_observe_memory(tw_tool_memory_kind kind, const struct tw_data *data, size_t space, size_t bytes);

#endif
