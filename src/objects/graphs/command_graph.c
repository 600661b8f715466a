/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command graphs (teamwork/command_graph.h): recorded commands, and one command that runs them all.
 *
 * command_graph_analysis.c finds the order of the recorded commands. A backend may instantiate them as one graph, which
 * a stream launches at once. Otherwise the kernels run one after the other, as one task.
 */

#include <stdlib.h>
#include <string.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "command_graph_analysis.h"
#include "objects/data/buffer.h"
#include "objects/data/storage.h"
#include "objects/queues/queue.h"
#include "objects/queues/recording.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"
#include "runtime/submit.h"

static tw_status check_queue(const tw_queue *queue)
{
    return queue ? tw_check_process() : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Fails if the groups of two devices cannot be in one graph. */
static tw_status check_devices(const struct tw_device *device, const struct tw_device *other)
{
    if (device == other)
        return TW_SUCCESS;
    if (device->platform != other->platform || device->backend->backend != other->backend->backend)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s and %s are of different platforms: no command graph has both",
                       tw_device_name(device), tw_device_name(other));
    if (!device->backend->backend->memory || device->backend->has_own_threads || other->backend->has_own_threads)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s is a sub-device: no command graph has both it and %s",
                       tw_device_name(device->parent ? device : other),
                       tw_device_name(device->parent ? other : device));
    return TW_SUCCESS;
}

/* Fails if the groups of a queue cannot be in a graph with those of a device. */
static tw_status check_queue_devices(const tw_queue *queue, const struct tw_device *device)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < tw_queue_device_count(queue) && status == TW_SUCCESS; ++i)
        status = check_devices(tw_queue_device_at(queue, i), device);
    return status;
}

/* Lets a queue record, and those of its devices. */
static void join_locked(tw_queue *queue, struct tw_recording *recording)
{
    tw_recorder_join_locked(&queue->recorder, recording);
    for (size_t i = 0; queue->devices && i < queue->devices->count; ++i)
        tw_recorder_join_locked(&queue->devices->queues[i]->recorder, recording);
}

tw_status tw_queue_begin_recording(tw_queue *queue)
{
    tw_status status = check_queue(queue);
    if (status == TW_SUCCESS)
        status = check_queue_devices(queue, queue->device);
    if (status != TW_SUCCESS)
        return status;
    struct tw_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to record command groups");
    recording->owner = &queue->recorder;
    recording->device = queue->device;
    tw_lock();
    const bool is_recording = queue->recorder.recording != NULL;
    if (!is_recording)
        join_locked(queue, recording);
    tw_unlock();
    if (!is_recording)
        return TW_SUCCESS;
    free(recording);
    return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording already");
}

tw_status tw_queue_join_recording(tw_queue *queue, tw_queue *other)
{
    tw_status status = check_queue(queue && other ? queue : NULL);
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    struct tw_recording *recording = other->recorder.recording;
    if (!recording)
        status = tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the other queue is not recording");
    else if (queue->recorder.recording)
        status = tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording already");
    else
        status = check_queue_devices(queue, recording->device);
    if (status == TW_SUCCESS)
        join_locked(queue, recording);
    tw_unlock();
    return status;
}

/* Moves the commands to the graph, which owns them even on failure, and makes it a graph of them. */
static tw_status fill(struct tw_command_graph *graph, struct tw_recording *recording)
{
    graph->commands = recording->commands;
    graph->count = recording->count;
    recording->commands = NULL;
    recording->count = 0;
    return tw_command_graph_make(graph);
}

tw_status tw_queue_end_recording(tw_queue *queue, tw_command_graph **result)
{
    tw_status status = check_queue(queue);
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    struct tw_command_graph *graph = result ? calloc(1, sizeof *graph) : NULL;
    tw_lock();
    struct tw_recording *recording = queue->recorder.recording;
    const bool has_joined = recording && recording->owner != &queue->recorder;
    if (has_joined)
        recording = NULL;
    if (recording)
        tw_recording_stop_locked(recording);
    if (graph) {
        graph->references = 1;
        graph->device = queue->device;
        tw_object_born_locked(TW_OBJECT_COMMAND_GRAPH);
    }
    tw_unlock();
    if (!recording)
        status =
            tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, has_joined ? "the queue has joined the recording of another one, "
                                                                 "which has to end it"
                                                               : "the queue is not recording");
    else if (result && !graph)
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    else if (result && recording->status != TW_SUCCESS)
        status = tw_fail(recording->status, "%s", recording->detail);
    else if (result)
        status = fill(graph, recording);
    tw_lock();
    tw_recording_drop_locked(recording);
    tw_unlock();
    if (status == TW_SUCCESS && result)
        *result = graph;
    else
        tw_command_graph_destroy(&graph);
    tw_reclaim();
    return status;
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

size_t tw_command_graph_count(const tw_command_graph *graph)
{
    return graph ? graph->count : 0;
}

static void free_graph(struct tw_unused *unused)
{
    struct tw_command_graph *graph =
        (struct tw_command_graph *)((char *)unused - offsetof(struct tw_command_graph, unused));
    tw_command_graph_unmake(graph);
    tw_lock();
    for (size_t i = 0; i < graph->count; ++i)
        tw_recording_drop_command_locked(graph->commands[i]);
    tw_resource_end(&graph->turn);
    tw_object_died_locked(TW_OBJECT_COMMAND_GRAPH);
    tw_unlock();
    free(graph->commands);
    free(graph);
}

static void release_locked(struct tw_command_graph *graph)
{
    if (--graph->references)
        return;
    graph->unused.free = free_graph;
    tw_reclaim_later_locked(&graph->unused);
}

void tw_command_graph_destroy(tw_command_graph **graph)
{
    if (!graph || !*graph)
        return;
    tw_lock();
    release_locked(*graph);
    tw_unlock();
    *graph = NULL;
    tw_reclaim();
}

/* State of running a graph's tasks one after the other. */
struct run {
    struct tw_backend_batch batch; /* first: the backend's view */
    const struct tw_command_graph *graph;
    size_t at; /* number of tasks done, the running one included */
    struct tw_internal_launch launch;
    tw_status status;
};

/* Runs the tasks before the next kernel, and prepares its launch. Returns false if there is no further kernel, or a task
   fails. */
static bool find_kernel(struct run *run)
{
    while (run->at < run->graph->task_count) {
        struct tw_task *task = run->graph->tasks[run->at++];
        struct tw_command *command = task->command;
        if (!task->kind->launches) {
            run->status = task->kind->execute ? task->kind->execute(task) : TW_SUCCESS;
            if (run->status != TW_SUCCESS)
                return false;
            continue;
        }
        run->launch = command->launch;
        run->batch.kernel = command->kernel;
        run->batch.launch = &run->launch;
        if (command->bounds)
            memset(command->bounds, 0, sizeof *command->bounds);
        return true;
    }
    return false;
}

static bool next_of_run(struct tw_backend_batch *batch, tw_status status)
{
    struct run *run = (struct run *)batch;
    run->status = status == TW_SUCCESS ? tw_command_check_bounds(run->graph->tasks[run->at - 1]->command) : status;
    return run->status == TW_SUCCESS && find_kernel(run);
}

/* Returns the graph that a command runs. */
static struct tw_command_graph *graph_of(const struct tw_command *command)
{
    return (struct tw_command_graph *)((char *)command->turn - offsetof(struct tw_command_graph, turn));
}

static tw_status execute(struct tw_task *task)
{
    const struct tw_command_graph *graph = graph_of(task->command);
    const struct tw_backend_device *device = graph->device->backend;
    struct run all = {.batch = {.next = next_of_run}, .graph = graph, .status = TW_SUCCESS};
    if (!find_kernel(&all))
        return all.status;
    if (device->backend->launch_batch && !graph->places) {
        device->backend->launch_batch(graph->device->backend, &all.batch);
        return all.status;
    }
    tw_status status;
    do {
        struct tw_backend_device *on = graph->tasks[all.at - 1]->command->device->backend;
        status = on->backend->launch(on, all.batch.kernel, &all.launch);
    } while (next_of_run(&all.batch, status));
    return all.status;
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    (void)async;
    const struct tw_command *command = task->command;
    return command->device->backend->backend->graphs->launch(stream, command->instance, &task->sequence);
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
    tw_queue_complete_locked(command);
    tw_buffers_complete_locked(command);
    release_locked(graph_of(command));
}

static const struct tw_command_object object = {.completed_locked = completed_locked,
                                                .released_locked = tw_queue_take_memory_locked};

static tw_status check(const struct tw_queue *queue, const struct tw_command_graph *graph)
{
    if (!queue || !graph)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", queue ? "graph" : "queue");
    if (queue->device != graph->device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the graph was recorded by a queue on %s, and the queue is on %s",
                       tw_device_name(graph->device), tw_device_name(queue->device));
    return tw_check_process();
}

static tw_status check_locked(const struct tw_queue *queue, const struct tw_command_graph *graph)
{
    if (queue->recorder.recording)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording, and graphs do not nest");
    for (size_t i = 0; i < graph->use_count; ++i)
        if (!tw_buffer_of(graph->uses[i].data)->handles)
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a buffer that the graph accesses has been destroyed");
    return TW_SUCCESS;
}

/* Acquires the references that a submitted command releases on completion: queue, graph and buffers. */
static void acquire_references_locked(struct tw_command *command, struct tw_queue *queue,
                                      struct tw_command_graph *graph)
{
    command->home = &queue->tasks;
    command->turn = &graph->turn;
    command->instance = graph->instance;
    command->use_count = graph->use_count;
    command->places = graph->places;
    command->place_count = graph->place_count;
    ++queue->tasks.references;
    ++graph->references;
    for (size_t i = 0; i < graph->use_count; ++i)
        ++tw_buffer_of(graph->uses[i].data)->uses;
}

/* Releases the references of a command that could not be submitted. */
static void release_references_locked(struct tw_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i)
        --tw_buffer_of(command->uses[i].data)->uses;
    --graph_of(command)->references;
    --command->home->references;
    command->home = NULL;
    command->turn = NULL;
    command->use_count = 0;
}

/* Makes the command that runs the graph. Returns NULL if memory is exhausted. */
static struct tw_command *make_command(struct tw_queue *queue, struct tw_command_graph *graph)
{
    struct tw_command *command =
        tw_command_create(&object, &(struct tw_memory){.block = NULL}, graph->use_count, graph->use_count + 1, true, 0);
    if (!command)
        return NULL;
    struct tw_backend_device *device = queue->device->backend;
    command->device = queue->device;
    command->queue = &queue->tasks;
    command->body.kind = &graph_kind;
    command->body.exclusive = device->exclusive;
    command->body.node.domain = graph->instance ? device->backend->async : NULL;
    memcpy(command->uses, graph->uses, graph->use_count * sizeof *graph->uses);
    return command;
}

tw_status tw_internal_submit_graph(tw_queue *queue, tw_command_graph *graph, tw_event **event, const char *file,
                                   int line)
{
    tw_status status = check(queue, graph);
    if (status != TW_SUCCESS)
        return status;
    struct tw_command *command = make_command(queue, graph);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to submit a command graph");
    command->file = file;
    command->line = line;
    command->timed = event != NULL;
    command->measured = command->timed && tw_queue_measures(queue);
    tw_lock();
    if (queue->tasks.unfinished >= queue->limit)
        tw_queue_make_room_locked(queue);
    status = check_locked(queue, graph);
    if (status == TW_SUCCESS) {
        acquire_references_locked(command, queue, graph);
        tw_storage_begin_locked(graph->uses, graph->use_count);
        status = check_locked(queue, graph); /* again: the lock was released */
        if (status == TW_SUCCESS)
            status = tw_command_submit_locked(command);
        if (status != TW_SUCCESS) {
            tw_storage_abandon_locked(graph->uses, graph->use_count);
            release_references_locked(command);
        } else if (event) {
            *event = &command->events[TW_PHASE_COMPLETE];
        }
    }
    if (status != TW_SUCCESS || !event)
        tw_command_release_locked(command);
    tw_unlock();
    tw_reclaim();
    return status;
}
