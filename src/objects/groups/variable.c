/* SPDX-License-Identifier: Apache-2.0 */
/* Records copies to and from variables of file scope, as the steps of command groups (teamwork/variable.h). A backend knows
   where a variable of the program is on its devices; on all others kernels use the program's own. */
#include <teamwork/variable.h>

#include <stdint.h>
#include <string.h>

#include "base/detail.h"
#include "command_group.h"
#include "divided.h"
#include "objects/data/usm_place.h"
#include "runtime/device.h"

/* Finds out where kernels of the group's device see bytes of a variable: the address there and the device, NULL for the
   program's own. */
static tw_status find(const struct tw_command_group *group, const void *variable, size_t bytes, void **address,
                      struct tw_backend_device **device)
{
    const struct tw_backend_memory *memory = group->device->backend->backend->memory;
    *address = (void *)(uintptr_t)variable;
    *device = NULL;
    if (!variable)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the variable's address is NULL");
    if (!memory || !memory->find_variable)
        return TW_SUCCESS;
    *device = tw_memory_owner(group->device)->backend;
    unsigned char *first = memory->find_variable(*device, variable);
    if (!first)
        return tw_fail(
            TW_ERROR_INVALID_ARGUMENT,
            "%s has no such variable: it stands between TW_BEGIN_DEVICE_VARIABLES and TW_END_DEVICE_VARIABLES, is "
            "neither static nor const, and is defined in a file that is compiled for the device",
            tw_device_name(group->device));
    const unsigned char *last = memory->find_variable(*device, (const unsigned char *)variable + bytes - 1);
    if (!last || (uintptr_t)last - (uintptr_t)first != bytes - 1)
        return tw_fail(TW_ERROR_INVALID_RANGE, "the variable has no %zu bytes from this address on", bytes);
    *address = first;
    return TW_SUCCESS;
}

/* Begins a step of `bytes` bytes between a variable and memory of the program. Returns NULL if the group fails, or if
   there is nothing to copy. */
static struct tw_step *begin(tw_command_group *group, const char *name, const void *variable, const void *value,
                             size_t bytes, size_t pattern_bytes, void **address)
{
    struct tw_backend_device *device = NULL;
    if (!group || !tw_command_group_begin_step(group, name) || !bytes)
        return NULL;
    tw_status status = tw_usm_check_host(value, bytes, "the value", "give memory of the program");
    if (status == TW_SUCCESS)
        status = find(group, variable, bytes, address, &device);
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return NULL;
    }
    struct tw_step *step = tw_command_group_make_step(group, pattern_bytes);
    if (!step)
        return NULL;
    step->kind = pattern_bytes ? TW_STEP_FILL : TW_STEP_COPY;
    step->is_usm = true;
    step->is_for_stream = pattern_bytes;
    step->device = device;
    step->pattern_bytes = pattern_bytes;
    return step;
}

/* Keeps the value for all devices of the queue: each has its own variable. */
static void note_for_all(tw_command_group *group, void *variable, const void *value, size_t bytes)
{
    if (!tw_command_group_begin_divisible_step(group, "tw_copy_to_variable") || !bytes)
        return;
    const tw_status status = tw_usm_check_host(value, bytes, "the value", "give memory of the program");
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    struct tw_variable_step *step =
        status == TW_SUCCESS ? tw_command_group_make_args(group, sizeof *step, bytes) : NULL;
    if (!step)
        return;
    *step = (struct tw_variable_step){variable, bytes};
    memcpy(step->value, value, bytes);
    group->divided->sets_variable = true;
}

/* The value is the pattern of a fill: it is kept in the group. */
void tw_copy_to_variable(tw_command_group *group, void *variable, const void *value, size_t bytes)
{
    void *address;
    if (group && group->recorder) {
        note_for_all(group, variable, value, bytes);
        return;
    }
    struct tw_step *step = begin(group, "tw_copy_to_variable", variable, value, bytes, bytes, &address);
    if (!step)
        return;
    memcpy(step->pattern, value, bytes);
    step->request.fill =
        (struct tw_backend_fill){.target = address, .pattern_bytes = bytes, .row_bytes = bytes, .rows = 1, .planes = 1};
}

void tw_copy_from_variable(tw_command_group *group, void *value, const void *variable, size_t bytes)
{
    void *address;
    struct tw_step *step = begin(group, "tw_copy_from_variable", variable, value, bytes, 0, &address);
    if (step)
        step->request.copy = tw_backend_copy_of(NULL, value, step->device, address, bytes);
}
