/* SPDX-License-Identifier: Apache-2.0 */
/* From a recorded group to a command (spec 3.5.6): it is made, and submitted or recorded in a command graph. */
#include "command_group_command.h"

#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/process.h"
#include "objects/data/buffer.h"
#include "objects/data/storage.h"
#include "objects/queues/recording.h"
#include "runtime/submit.h"

#define FEW_EVENTS 16

static bool is_empty(const struct tw_internal_launch *launch)
{
    return !launch->range[0] || !launch->range[1] || !launch->range[2];
}

const struct tw_task_kind *tw_command_group_body(const struct tw_command_group *group)
{
    if (group->kernel)
        return is_empty(&group->launch) && !group->replaces ? &tw_kind_nothing : &tw_kind_kernel;
    return group->body              ? group->body
           : !group->args           ? &tw_kind_nothing
           : group->has_host_task   ? &tw_kind_host
           : group->has_native_task ? &tw_kind_native
                                    : &tw_kind_step;
}

static void completed_locked(struct tw_command *command)
{
    tw_queue_complete_locked(command);
    tw_buffers_complete_locked(command);
}

static const struct tw_command_object object = {.completed_locked = completed_locked,
                                                .released_locked = tw_queue_take_memory_locked};

struct tw_command *tw_command_group_make_command(struct tw_command_group *group, const char *file, int line)
{
    /* of parts, the memory on a device is most often accessed besides the contents */
    const size_t for_uses = group->has_parts ? 2 * group->use_count : group->use_count;
    const size_t access_room = for_uses + (group->events ? group->events->count : 0);
    struct tw_command *command =
        tw_command_create(&object, &group->memory, group->use_count, access_room, group->has_parts, group->args_bytes);
    if (!command)
        return NULL;
    struct tw_device *device = group->device;
    command->device = device;
    command->queue = device == group->queue->device ? &group->queue->tasks : device->system;
    command->kernel = group->kernel;
    command->file = file;
    command->line = line;
    if (group->use_count)
        memcpy(command->uses, group->uses, group->use_count * sizeof *command->uses);
    command->use_count = group->use_count;
    const struct tw_task_kind *kind = command->body.kind = tw_command_group_body(group);
    command->body.exclusive = kind->occupies && device->backend->exclusive
                              && !(group->kernel && group->kernel->form == TW_INTERNAL_SINGLE_TASK);
    if (group->args)
        memcpy(command->args, group->args, group->args_bytes);
    if (group->kernel) {
        command->launch = group->launch;
        command->launch.accesses = command->uses;
        command->launch.access_count = group->use_count;
        command->launch.args = command->args;
    }
    command->bounds = group->bounds;
    command->fallback = group->fallback;
    command->pins = group->pins;
    command->body.node.domain = kind->domain ? kind->domain(command) : NULL;
    return command;
}

/* Fails if a buffer that is `lent` was destroyed while the group was open: the program has its memory back. Sets
   *have_storage if a buffer has a storage. */
static tw_status check_buffers_locked(const struct tw_command_group *group, bool *have_storage)
{
    for (size_t i = 0; i < group->use_count; ++i) {
        const struct tw_buffer *buffer = tw_buffer_of(group->uses[i].data);
        if (!atomic_load_explicit(&buffer->lent, memory_order_relaxed))
            continue;
        if (!buffer->handles)
            return tw_fail(
                TW_ERROR_INVALID_COMMAND_GROUP,
                "a buffer over host or device memory, with final data or with storage, was destroyed before a group "
                "that accesses it was submitted; destroy it after that");
        *have_storage = *have_storage || buffer->storage;
    }
    return TW_SUCCESS;
}

/* Submits a command that depends on events. */
static __attribute__((noinline)) tw_status submit_behind_locked(const struct tw_event_list *list,
                                                                struct tw_command *command)
{
    struct tw_command *few[FEW_EVENTS], **before = few;
    if (list->count > FEW_EVENTS && !(before = malloc(list->count * sizeof *before)))
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for %zu events that a group depends on", list->count);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < list->count; ++i) {
        before[i] = tw_command_of(list->events[i]);
        if (before[i]->is_recorded)
            status = tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                             "the group depends on one that was recorded: only groups of the same recording can");
    }
    if (status == TW_SUCCESS)
        status = tw_command_submit_after_locked(command, before, list->count);
    if (before != few)
        free(before);
    return status;
}

static inline tw_status submit_after_locked(const struct tw_event_list *list, struct tw_command *command)
{
    return __builtin_expect(list != NULL, 0) ? submit_behind_locked(list, command) : tw_command_submit_locked(command);
}

/* Lets a command that is recorded come after those of events. */
static tw_status follow_recorded_locked(const struct tw_event_list *list, const struct tw_recorder *recorder,
                                        struct tw_command *command)
{
    struct tw_recorded_before *after = malloc(sizeof *after + list->count * sizeof after->commands[0]);
    if (!after)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for %zu events that a group depends on", list->count);
    for (after->count = 0; after->count < list->count; ++after->count) {
        struct tw_command *before = after->commands[after->count] = tw_command_of(list->events[after->count]);
        if (tw_recorder_knows_locked(recorder, before))
            continue;
        free(after);
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording: a recorded group can only depend on "
                                                       "groups of the same recording, and of the same part of it");
    }
    command->after = after;
    return TW_SUCCESS;
}

/* Records a command. */
static tw_status record_locked(const struct tw_command_group *group, struct tw_command *command)
{
    struct tw_queue *queue = group->queue;
    const bool by_groups = group->on_host || group->has_native_task;
    if (by_groups && queue->recorder.open)
        return tw_fail(TW_ERROR_UNSUPPORTED, "a conditional part of a command graph has kernels, copies, fills and "
                                             "prefetches: no host task, native task or update of the host");
    tw_status status = group->events ? follow_recorded_locked(group->events, &queue->recorder, command) : TW_SUCCESS;
    if (status == TW_SUCCESS)
        status = tw_recorder_add_locked(&queue->recorder, command, queue->tasks.in_order);
    if (status == TW_SUCCESS) {
        queue->recorder.recording->by_groups |= by_groups;
        return TW_SUCCESS;
    }
    free(command->after);
    command->after = NULL;
    return status;
}

tw_status tw_command_group_enter_locked(const struct tw_command_group *group, struct tw_command *command)
{
    struct tw_queue *queue = group->queue;
    if (queue->recorder.recording)
        return record_locked(group, command);
    if (queue->tasks.unfinished >= queue->limit)
        tw_queue_make_room_locked(queue);
    bool have_storage = false;
    tw_status status = group->borrows ? check_buffers_locked(group, &have_storage) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        return status;
    command->home = &queue->tasks;
    if (!have_storage)
        return submit_after_locked(group->events, command);
    tw_storage_begin_locked(group->uses, group->use_count);
    status = check_buffers_locked(group, &have_storage); /* again: the lock was released */
    if (status == TW_SUCCESS)
        status = submit_after_locked(group->events, command);
    if (status != TW_SUCCESS)
        tw_storage_abandon_locked(group->uses, group->use_count);
    return status;
}

tw_status tw_command_group_check(const tw_queue *queue, const tw_command_group *group)
{
    if (queue != group->queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       queue ? "the command group was begun for another queue" : "the queue is NULL");
    if (tw_is_forked)
        return tw_refuse_fork();
    if (__builtin_expect(group->counted && group->status == TW_SUCCESS, 0))
        return tw_fail(
            TW_ERROR_INVALID_COMMAND_GROUP,
            "tw_count_on_device() was called, and no algorithm behind it takes the count: it stands in front of "
            "the algorithm of its group");
    return tw_command_group_tell(group);
}

void tw_command_group_hand_over(struct tw_command_group *group)
{
    group->bounds = NULL;
    group->fallback = NULL;
    group->pins = NULL;
    group->events = NULL;
}

void tw_command_group_abandon_locked(struct tw_command *command)
{
    command->home = NULL;
    command->bounds = NULL;
    command->fallback = NULL;
    command->pins = NULL;
    tw_command_release_locked(command);
}

void tw_command_group_release_locked(struct tw_queue *queue, struct tw_command *command, tw_event **event)
{
    if (!command->home)
        tw_task_queue_release_locked(&queue->tasks);
    if (event && !command->home)
        atomic_fetch_add(&command->references, 1);
    if (event)
        *event = &command->events[TW_PHASE_COMPLETE]; /* takes over the reference from creation */
    else if (command->home)
        tw_command_release_locked(command);
}
