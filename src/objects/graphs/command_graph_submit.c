/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submissions of command graphs: one command runs a graph.
 *
 * A backend may have instantiated the recorded commands as one graph, which a stream launches at once. Otherwise the
 * kernels run one after the other, as one task.
 */
#include "command_graph_submit.h"

#include <string.h>

#include "base/detail.h"
#include "base/lock.h"
#include "command_graph_run.h"
#include "objects/data/buffer.h"
#include "objects/data/storage.h"
#include "runtime/command.h"
#include "runtime/submit.h"

static tw_status execute(struct tw_task *task)
{
    return tw_recorded_graph_run(tw_recorded_graph_of(task->command));
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    (void)async;
    const struct tw_command *command = task->command;
    const tw_status status =
        command->device->backend->backend->graphs->launch(stream, command->instance, &task->sequence);
    if (status == TW_SUCCESS)
        atomic_fetch_sub(&tw_recorded_graph_of(command)->unissued, 1);
    return status;
}

static const struct tw_task_kind graph_kind = {
    .tool_kind = TW_TOOL_GRAPH,
    .name = "command graph",
    .what = "a command graph",
    .execute = execute,
    .enqueue = enqueue,
};

static void completed_locked(struct tw_command *command)
{
    if (command->instance && !command->body.node.issued)
        atomic_fetch_sub(&tw_recorded_graph_of(command)->unissued, 1);
    tw_queue_complete_locked(command);
    tw_buffers_complete_locked(command);
    tw_recorded_graph_release_locked(tw_recorded_graph_of(command));
    tw_command_graph_release_locked(tw_command_graph_of(command));
}

static const struct tw_command_object object = {.completed_locked = completed_locked,
                                                .released_locked = tw_queue_take_memory_locked};

/* Acquires the references that a submitted command releases on completion: queue, graph and buffers. */
static void acquire_references_locked(struct tw_command *command, const struct tw_graph_submission *of)
{
    struct tw_recorded_graph *recorded = of->recorded;
    command->home = &of->queue->tasks;
    command->turn = &of->graph->turn;
    command->instance = recorded->is_superseded ? NULL : recorded->instance;
    command->body.node.domain = command->instance ? command->device->backend->backend->async : NULL;
    command->use_count = recorded->use_count;
    command->places = recorded->places;
    command->place_count = recorded->place_count;
    if (command->instance)
        atomic_fetch_add(&recorded->unissued, 1);
    ++of->queue->tasks.references;
    ++of->graph->references;
    ++recorded->references;
    for (size_t i = 0; i < recorded->use_count; ++i)
        ++tw_buffer_of(recorded->uses[i].data)->uses;
}

/* Releases the references of a command that could not be submitted. The caller has others to the graph. */
static void release_references_locked(struct tw_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i)
        --tw_buffer_of(command->uses[i].data)->uses;
    if (command->instance)
        atomic_fetch_sub(&tw_recorded_graph_of(command)->unissued, 1);
    --tw_recorded_graph_of(command)->references;
    --tw_command_graph_of(command)->references;
    --command->home->references;
    command->home = NULL;
    command->turn = NULL;
    command->use_count = 0;
}

/* Makes the command that runs the graph. Returns NULL if memory is exhausted. */
static struct tw_command *make_command(const struct tw_graph_submission *of, bool is_timed)
{
    struct tw_recorded_graph *recorded = of->recorded;
    struct tw_command *command = tw_command_create(&object, &(struct tw_memory){.block = NULL}, recorded->use_count,
                                                   recorded->use_count + 1, true, 0);
    if (!command)
        return NULL;
    command->device = of->queue->device;
    command->queue = &of->queue->tasks;
    command->body.kind = &graph_kind;
    command->body.exclusive = of->queue->device->backend->exclusive;
    command->context = recorded;
    memcpy(command->uses, recorded->uses, recorded->use_count * sizeof *recorded->uses);
    command->file = of->file;
    command->line = of->line;
    command->timed = is_timed;
    command->measured = is_timed && tw_queue_measures(of->queue);
    return command;
}

tw_status tw_graph_submit_as_one(const struct tw_graph_submission *of, tw_event **event)
{
    const struct tw_recorded_graph *recorded = of->recorded;
    struct tw_command *command = make_command(of, event != NULL);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to submit a command graph");
    tw_lock();
    if (of->queue->tasks.unfinished >= of->queue->limit)
        tw_queue_make_room_locked(of->queue);
    tw_status status = tw_graph_check_locked(of, recorded->uses, recorded->use_count);
    if (status == TW_SUCCESS) {
        acquire_references_locked(command, of);
        tw_storage_begin_locked(recorded->uses, recorded->use_count);
        status = tw_graph_check_locked(of, recorded->uses, recorded->use_count); /* again: the lock was released */
        if (status == TW_SUCCESS)
            status = tw_command_submit_locked(command);
        if (status != TW_SUCCESS) {
            tw_storage_abandon_locked(recorded->uses, recorded->use_count);
            release_references_locked(command);
        } else if (event) {
            *event = &command->events[TW_PHASE_COMPLETE];
        }
    }
    if (status != TW_SUCCESS || !event)
        tw_command_release_locked(command);
    tw_unlock();
    return status;
}
