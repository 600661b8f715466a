/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a part of a launch on its fallback's device. The part has memory of its own there, laid out as that of the
 * buffers: what it needs is copied to it, and what it writes is copied from it to where later commands look for it. So the
 * other parts may use the same buffers on that device meanwhile. What is copied from cannot change, since later writers
 * wait for the part; and what is copied to is the part's alone.
 */
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "command.h"
#include "fallback_data.h"

/* The part's own memory in place of a buffer's. */
struct own {
    const struct tw_data *of;
    struct tw_data data;
};

/* While a part runs. */
struct part {
    const struct tw_command *command;
    struct own *owns; /* a buffer each */
    size_t own_count;
    struct tw_use *uses; /* those of the command, of its own memory */
};

/* Returns the part's own memory in place of a buffer's; NULL if there is none yet. */
static struct tw_data *own_of(const struct part *part, const struct tw_data *data)
{
    for (size_t i = 0; i < part->own_count; ++i)
        if (part->owns[i].of == data)
            return &part->owns[i].data;
    return NULL;
}

/* Makes memory for what a use accesses. */
static tw_status make_own(struct part *part, size_t use)
{
    const struct tw_use *of = &part->command->uses[use];
    struct tw_data *own = own_of(part, of->data);
    if (!own) {
        own = &part->owns[part->own_count].data;
        const tw_status status = tw_data_init(own, of->data->range, of->data->element_bytes);
        if (status != TW_SUCCESS)
            return status;
        part->owns[part->own_count++].of = of->data;
    }
    part->uses[use] = *of;
    part->uses[use].data = own;
    return tw_data_allocate_box(own, &of->box, part->command->device->space);
}

static void free_owns(struct part *part)
{
    tw_lock();
    for (size_t i = 0; i < part->own_count; ++i)
        tw_data_unlist_locked(&part->owns[i].data);
    tw_unlock();
    for (size_t i = 0; i < part->own_count; ++i)
        tw_data_free(&part->owns[i].data);
    free(part->owns);
    free(part->uses);
}

/* Copies what a use needs to the part's own memory: from the first device, or else from another place that has all of it. */
static tw_status bring(const struct part *part, size_t use)
{
    const struct tw_command *command = part->command;
    const struct tw_fallback *fallback = command->fallback;
    const struct tw_use *needed = &command->uses[use];
    tw_status status = tw_fail(TW_ERROR_TRANSFER_FAILED, "no device has the contents any more");
    for (size_t i = 0; i <= fallback->space_count && status != TW_SUCCESS; ++i) {
        const size_t from = i ? i - 1 : fallback->first_space;
        tw_lock();
        const bool holds = (i == 0 || from != fallback->first_space) && tw_fallback_holds_locked(command, use, from);
        tw_unlock();
        if (holds)
            status = tw_fallback_copy(needed->data, from, part->uses[use].data, command->device->space, &needed->box);
    }
    return status;
}

/* Lets the block lead to the part's own memory. */
static void set_pointers(const struct part *part)
{
    struct tw_fallback *fallback = part->command->fallback;
    for (size_t i = 0; i < fallback->pointer_count; ++i) {
        const struct tw_fallback_pointer *pointer = &fallback->pointers[i];
        const struct tw_data *own = own_of(part, pointer->data);
        const size_t space = part->command->device->space;
        unsigned char *const to = (unsigned char *)atomic_load(&own->allocations[space].address) + pointer->offset;
        memcpy(fallback->args + pointer->at, &to, sizeof to);
    }
    fallback->launch.accesses = part->uses;
    fallback->launch.access_count = part->command->use_count;
}

/* Leaves what a use has written in the memory of the fallback's device: the first one takes it no more. */
static tw_status keep_here(const struct part *part, size_t use, tw_status reason)
{
    const struct tw_command *command = part->command;
    const struct tw_use *written = &command->uses[use];
    const size_t here = command->device->space;
    struct tw_pin *pins = NULL;
    if (written->data->chunks && !tw_pin(&pins, written->data, &written->box))
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the results of a part");
    tw_status status = tw_data_allocate_box(written->data, &written->box, tw_data_space(written->data, here));
    if (status == TW_SUCCESS)
        status = tw_fallback_copy(part->uses[use].data, here, written->data, here, &written->box);
    if (status == TW_SUCCESS) {
        tw_lock();
        tw_fallback_stays_locked(command, written, reason);
        tw_unlock();
    }
    tw_unpin(&pins);
    return status;
}

/* Copies what a use has written to where later commands expect it. */
static tw_status hand_over(const struct part *part, size_t use)
{
    const struct tw_use *written = &part->command->uses[use];
    const size_t first = part->command->fallback->first_space;
    const tw_status status =
        tw_fallback_copy(part->uses[use].data, part->command->device->space, written->data, first, &written->box);
    if (status != TW_SUCCESS)
        return keep_here(part, use, status);
    tw_lock();
    tw_graph_lose(&written->data->allocations[tw_data_space(written->data, first)].resource,
                  written->is_part ? &written->box : NULL, NULL);
    tw_unlock();
    return TW_SUCCESS;
}

static tw_status run(struct part *part)
{
    const struct tw_command *command = part->command;
    struct tw_fallback *fallback = command->fallback;
    struct tw_backend_device *device = command->device->backend;
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        status = make_own(part, i);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (command->uses[i].needs)
            status = bring(part, i);
    if (status == TW_SUCCESS) {
        set_pointers(part);
        status = device->backend->launch(device, fallback->kernel, &fallback->launch);
    }
    if (status == TW_SUCCESS)
        status = tw_command_check_bounds(command);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (command->uses[i].writes)
            status = hand_over(part, i);
    return status;
}

static tw_status execute(struct tw_task *task)
{
    const struct tw_command *command = task->command;
    struct part part = {.command = command,
                        .owns = calloc(command->use_count + 1, sizeof *part.owns),
                        .uses = calloc(command->use_count + 1, sizeof *part.uses)};
    const tw_status status = part.owns && part.uses
                                 ? run(&part)
                                 : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to run a part on another device");
    free_owns(&part);
    return status;
}

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    tw_kind_kernel.describe(task, told);
}

const struct tw_task_kind tw_kind_fallback_part = {
    .execute = execute,
    .describe = describe,
};
