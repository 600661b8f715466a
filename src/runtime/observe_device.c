/* SPDX-License-Identifier: Apache-2.0 */
/* What tools are told of devices and memory. Knows no command. */
#include "observe_device.h"

#include "base/clock.h"

int tw_observed_space(size_t space)
{
    const struct tw_device *device = tw_memory_space_device(space);
    return device ? device->number : TW_TOOL_HOST_MEMORY;
}

void tw_tell_device(const struct tw_device *device)
{
    const tw_tool_device told = {.size = sizeof told,
                                 .number = device->number,
                                 .parent = device->parent ? device->parent->number : device->number,
                                 .name = tw_device_facts(device)->name,
                                 .backend = device->backend->backend->name};
    TW_TELL_TOOLS(device, &told);
}

void tw_tell_memory(tw_tool_memory_kind kind, const struct tw_data *data, size_t space, size_t bytes)
{
    const tw_tool_memory told = {.size = sizeof told,
                                 .kind = kind,
                                 .device = tw_observed_space(space),
                                 .buffer = data->number,
                                 .bytes = bytes,
                                 .time_ns = tw_now_ns()};
    TW_TELL_TOOLS(memory, &told);
}
