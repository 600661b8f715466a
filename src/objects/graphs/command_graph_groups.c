/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command graphs with host tasks and native tasks: each recorded group becomes a command of its own at each submission,
 * and a join stands for all. So functions of the program run on threads that may block, contents come to the host and
 * go back, and kernels stay on their streams.
 *
 * The commands use the arguments of the recorded ones: a graph's submissions run one after the other. For that each
 * reads the graph's turn, which the join writes.
 */
#include "command_graph_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/lock.h"
#include "objects/data/buffer.h"
#include "objects/data/storage.h"
#include "objects/groups/command_group_command.h"
#include "runtime/allocation.h"
#include "runtime/submit.h"

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* Acquires the references that a command releases on completion: queue, graph and buffers. */
static void acquire_locked(struct tw_command *command, const struct tw_graph_submission *of)
{
    command->turn = &of->graph->turn;
    command->context = of->recorded;
    ++of->graph->references;
    ++of->recorded->references;
    for (size_t i = 0; i < command->use_count; ++i)
        ++tw_buffer_of(command->uses[i].data)->uses;
}

static void release_locked(struct tw_command *command)
{
    tw_recorded_graph_release_locked(tw_recorded_graph_of(command));
    tw_command_graph_release_locked(tw_command_graph_of(command));
}

static void completed_locked(struct tw_command *command)
{
    if (command->bounds)
        memset(command->bounds, 0, sizeof *command->bounds); /* the recorded one's: for the next submission */
    command->bounds = NULL;
    tw_queue_complete_locked(command);
    tw_buffers_complete_locked(command);
    release_locked(command);
}

static const struct tw_command_object object = {.completed_locked = completed_locked,
                                                .released_locked = tw_queue_take_memory_locked};

static void all_completed_locked(struct tw_command *join)
{
    tw_join_complete_locked(join);
    release_locked(join);
}

static const struct tw_command_object join_object = {.completed_locked = all_completed_locked,
                                                     .released_locked = tw_queue_take_memory_locked};

/* Makes the command of a recorded group. Returns NULL if memory is exhausted. */
static struct tw_command *make_command(const struct tw_graph_submission *of, const struct tw_command *recorded,
                                       bool is_timed)
{
    struct tw_command *command = tw_command_create(&object, &(struct tw_memory){.block = NULL}, recorded->use_count,
                                                   2 * recorded->use_count + 2, recorded->parts != NULL, 0);
    if (!command)
        return NULL;
    struct tw_device *device = recorded->device;
    command->device = device;
    command->queue = device == of->queue->device ? &of->queue->tasks : device->system;
    command->kernel = recorded->kernel;
    command->file = recorded->file;
    command->line = recorded->line;
    memcpy(command->uses, recorded->uses, recorded->use_count * sizeof *recorded->uses);
    command->use_count = recorded->use_count;
    command->body.kind = recorded->body.kind;
    command->body.exclusive = recorded->body.exclusive;
    command->args = recorded->args;
    command->bounds = recorded->bounds;
    if (recorded->kernel) {
        command->launch = recorded->launch;
        command->launch.accesses = command->uses;
    }
    command->body.node.domain = command->body.kind->domain ? command->body.kind->domain(command) : NULL;
    command->only_orders = !recorded->after; /* a queue that keeps the order cancels nothing, the program's edges do */
    command->shares_turn = true;
    command->is_held = true; /* nothing gets in between */
    command->timed = is_timed;
    command->measured = is_timed && tw_queue_measures(of->queue);
    return command;
}

/* ---- their submission -------------------------------------------------------------------------------------------- */

/* The commands of a submission, in the order of the recorded ones. */
struct parts {
    const struct tw_graph_submission *of;
    struct tw_command **commands;
    size_t count;
    struct tw_command **before; /* room for those that one comes after */
    struct tw_command *join;
};

static tw_status make_commands(struct parts *parts, bool is_timed)
{
    const struct tw_graph_submission *of = parts->of;
    for (size_t i = 0; i < parts->count; ++i)
        if (!(parts->commands[i] = make_command(of, of->recorded->commands[i], is_timed)))
            return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to submit a command graph");
    parts->join = tw_join_create(&join_object, of->queue, parts->count, of->file, of->line);
    return parts->join ? TW_SUCCESS : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to submit a command graph");
}

static tw_status check_locked(const struct parts *parts)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < parts->count && status == TW_SUCCESS; ++i)
        status = tw_graph_check_locked(parts->of, parts->commands[i]->uses, parts->commands[i]->use_count);
    return status;
}

/* Allocates the host memory that copies go through. Releases the lock meanwhile. */
static tw_status allocate_stages_locked(const struct parts *parts)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < parts->count && status == TW_SUCCESS; ++i) {
        const struct tw_command *command = parts->commands[i];
        struct tw_data *data;
        while (status == TW_SUCCESS
               && (data = tw_find_unstaged(command->uses, command->use_count, command->device->space)) != NULL) {
            tw_unlock();
            status = tw_data_allocate(data, 0);
            tw_lock();
        }
    }
    return status;
}

/* Makes all storages of the graph's buffers ready, or gives them back. The first releases the lock meanwhile. */
static void begin_storages_locked(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; ++i)
        tw_storage_begin_locked(parts->commands[i]->uses, parts->commands[i]->use_count);
}

static void abandon_storages_locked(const struct parts *parts, size_t first)
{
    for (size_t i = first; i < parts->count; ++i)
        tw_storage_abandon_locked(parts->commands[i]->uses, parts->commands[i]->use_count);
}

/* Submits a command, behind those of the submission before it in a queue that kept the order. */
static tw_status submit_command_locked(const struct parts *parts, size_t at)
{
    struct tw_command *command = parts->commands[at];
    const size_t before_count = tw_recorded_before(parts->of->recorded->commands[at], parts->before);
    for (size_t i = 0; i < before_count; ++i)
        parts->before[i] = parts->commands[parts->before[i]->sequence];
    acquire_locked(command, parts->of);
    command->home = &parts->of->queue->tasks;
    tw_task_queue_retain(command->home);
    const tw_status status = tw_command_submit_after_locked(command, parts->before, before_count);
    if (status == TW_SUCCESS)
        return status;
    for (size_t i = 0; i < command->use_count; ++i)
        --tw_buffer_of(command->uses[i].data)->uses;
    release_locked(command);
    tw_task_queue_release_locked(command->home);
    command->home = NULL;
    return status;
}

/* Submits all commands, stores how many of them, and then the join. */
static tw_status submit_all_locked(const struct parts *parts, size_t *submitted)
{
    tw_status status = TW_SUCCESS;
    for (*submitted = 0; *submitted < parts->count; ++*submitted)
        if ((status = submit_command_locked(parts, *submitted)) != TW_SUCCESS)
            return status;
    acquire_locked(parts->join, parts->of);
    status = tw_join_submit_locked(parts->join, parts->of->queue, parts->commands, parts->count);
    if (status != TW_SUCCESS)
        release_locked(parts->join);
    return status;
}

static tw_status enter_locked(const struct parts *parts)
{
    struct tw_queue *queue = parts->of->queue;
    if (queue->tasks.unfinished + parts->count > queue->limit)
        tw_queue_make_room_locked(queue);
    tw_status status = check_locked(parts);
    if (status == TW_SUCCESS)
        status = allocate_stages_locked(parts);
    if (status != TW_SUCCESS)
        return status;
    size_t submitted = 0;
    begin_storages_locked(parts);
    status = check_locked(parts); /* again: the lock was released */
    if (status == TW_SUCCESS)
        status = submit_all_locked(parts, &submitted);
    if (status != TW_SUCCESS) {
        abandon_storages_locked(parts, submitted);
        if (submitted)
            tw_commands_cancel_locked(parts->commands, submitted, status);
    }
    for (size_t i = 0; i < submitted; ++i)
        tw_command_issue_locked(parts->commands[i]);
    return status;
}

/* Releases the references from the creation of the commands. Those that were not submitted own nothing. */
static void drop_locked(const struct parts *parts, bool keeps_join)
{
    for (size_t i = 0; i < parts->count; ++i) {
        if (parts->commands[i] && !parts->commands[i]->home)
            parts->commands[i]->bounds = NULL;
        if (parts->commands[i])
            tw_command_release_locked(parts->commands[i]);
    }
    if (parts->join && !keeps_join)
        tw_command_release_locked(parts->join);
}

tw_status tw_graph_submit_groups(const struct tw_graph_submission *of, tw_event **event)
{
    struct parts parts = {.of = of, .count = of->recorded->count};
    size_t most = 0;
    for (size_t i = 0; i < parts.count; ++i) {
        const size_t before = tw_recorded_before(of->recorded->commands[i], NULL);
        most = before > most ? before : most;
    }
    parts.commands = calloc(parts.count + most + 1, sizeof(struct tw_command *));
    parts.before = parts.commands ? parts.commands + parts.count : NULL;
    tw_status status = parts.commands ? make_commands(&parts, event != NULL)
                                      : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to submit a command graph");
    tw_lock();
    if (status == TW_SUCCESS)
        status = enter_locked(&parts);
    const bool has_event = event && status == TW_SUCCESS;
    if (has_event)
        *event = &parts.join->events[TW_PHASE_COMPLETE];
    if (parts.commands)
        drop_locked(&parts, has_event);
    tw_unlock();
    free(parts.commands);
    return status;
}
