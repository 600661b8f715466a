/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of host accesses. Knows nothing of waiting. */
#include "host_access.h"

#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "buffer.h"
#include "runtime/allocation.h"
#include "runtime/command.h"
#include "runtime/step.h"
#include "runtime/task_queue.h"

/* ---- the kind of task ------------------------------------------------------------------------------------------- */

static bool ready_locked(struct tw_task *task)
{
    struct tw_command *command = task->command;
    command->started = command->acquired = true;
    tw_buffer_ready_locked(tw_buffer_of(command->uses[0].data));
    tw_announce_locked(command->queue);
    return false; /* until the program releases its access */
}

static const struct tw_task_kind host_access = {
    .tool_kind = TW_TOOL_HOST_ACCESS,
    .name = "host access",
    .what = "a host access",
    .awaits_program = true,
    .can_be_undone = true,
    .ready_locked = ready_locked,
};

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static void completed(struct tw_command *command)
{
    tw_drop_before(&command->uses[0], (struct tw_before *)(void *)command->args);
    tw_buffers_complete_locked(command);
}

static const struct tw_command_object object = {.completed_locked = completed, .released_locked = tw_command_free};

/* Creates a command with one use and room for arguments, which are 0. NULL if memory is exhausted. */
static struct tw_command *create(const struct tw_command_object *owner, size_t args_bytes, struct tw_data *data,
                                 const struct tw_box *box, bool needs, bool writes)
{
    struct tw_command *command = tw_command_create(owner, &(struct tw_memory){.block = NULL}, 1, 1, true, args_bytes);
    if (!command)
        return NULL;
    if (args_bytes)
        memset(command->args, 0, args_bytes);
    command->uses[0] = (struct tw_use){
        .data = data, .box = *box, .is_part = !tw_box_covers(box, &data->whole), .needs = needs, .writes = writes};
    command->use_count = 1;
    return command;
}

/* Says on which device a command runs, and that it belongs to no queue of the program. */
static void put_on(struct tw_command *command, struct tw_device *device)
{
    command->device = device;
    command->home = command->queue = device->system;
}

struct tw_command *tw_host_access_create(struct tw_data *data, const struct tw_box *box, bool needs, bool writes)
{
    struct tw_command *command =
        create(&object, data->space_count * sizeof(struct tw_before), data, box, needs, writes);
    if (!command)
        return NULL;
    put_on(command, tw_host_device());
    command->body.kind = &host_access;
    return command;
}

/* ---- accesses that are over at once ------------------------------------------------------------------------------ */

static const struct tw_command_object brief_object = {.completed_locked = tw_buffers_complete_locked,
                                                      .released_locked = tw_command_free};

struct tw_command *tw_brief_access_create(struct tw_data *data, const struct tw_box *box, struct tw_device *device,
                                          bool needs, bool writes)
{
    struct tw_command *command = create(&brief_object, 0, data, box, needs, writes);
    if (!command)
        return NULL;
    put_on(command, device);
    command->body.kind = &tw_kind_nothing;
    return command;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

struct tw_command *tw_host_copy_create(struct tw_data *data, const struct tw_box *box, void *memory, bool writes)
{
    struct tw_command *command = create(&brief_object, sizeof(struct tw_step), data, box, !writes, writes);
    if (!command)
        return NULL;
    const struct tw_step_side side = {.data = data, .box = *box}, program = {.memory = memory};
    *tw_step_of(command) = (struct tw_step){.to = writes ? side : program, .from = writes ? program : side};
    command->body.kind = &tw_kind_step;
    return command;
}

/* Returns the first memory space that has the elements of a use, or else one that will have them; that of the host if
   none will have all of them. */
static size_t place_of(const struct tw_use *use)
{
    for (size_t space = 0; space < use->data->space_count; ++space)
        if (tw_allocation_has(use, space))
            return space;
    for (size_t space = 0; space < use->data->space_count; ++space)
        if (tw_allocation_holds(use, space))
            return space;
    return 0;
}

tw_status tw_host_copy_place_locked(struct tw_command *command)
{
    const struct tw_use *use = &command->uses[0];
    size_t space;
    while (!atomic_load(&use->data->allocations[space = place_of(use)].address)) {
        tw_unlock();
        const tw_status status = tw_data_allocate(use->data, space);
        tw_lock();
        if (status != TW_SUCCESS)
            return status;
    }
    put_on(command, space ? tw_memory_space_device(space) : tw_host_device());
    return TW_SUCCESS;
}
