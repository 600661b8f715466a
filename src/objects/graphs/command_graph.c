/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command graphs (teamwork/command_graph.h): recorded commands that are submitted many times.
 *
 * command_graph_analysis.c finds the order of the recorded commands, and command_graph_submit.c submits them as one.
 * Those with functions of the program are submitted one by one (command_graph_groups.c).
 */

#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "command_graph_groups.h"
#include "command_graph_life.h"
#include "command_graph_submit.h"
#include "objects/queues/queue.h"
#include "objects/queues/recording.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"

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
    if (!device->backend->backend->memory || device->parent || other->parent)
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

/* Stops the recording that a queue has begun. Returns NULL if there is none. */
static struct tw_recording *stop_locked(tw_queue *queue)
{
    struct tw_recording *recording = queue->recorder.recording;
    if (!recording || recording->owner != &queue->recorder) {
        (void)tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, recording ? "the queue has joined the recording of another one, "
                                                                  "which has to end it"
                                                                : "the queue is not recording");
        return NULL;
    }
    tw_recording_stop_locked(recording);
    return recording;
}

/* Makes a graph of a recording's commands, of an earlier one if that is not NULL. */
static tw_status make_recorded(struct tw_recording *recording, struct tw_recorded_graph *before,
                               struct tw_recorded_graph **result)
{
    if (recording->status != TW_SUCCESS)
        return tw_fail(recording->status, "%s", recording->detail);
    struct tw_recorded_graph *recorded = calloc(1, sizeof *recorded);
    if (!recorded)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    *result = recorded;
    recorded->references = 1;
    recorded->device = recording->device;
    recorded->by_groups = recording->by_groups;
    tw_recorded_graph_take(recorded, &recording->list);
    return tw_recorded_graph_make(recorded, before);
}

/* Makes a graph with what was recorded. */
static tw_status make_graph(struct tw_recording *recording, tw_command_graph **result)
{
    struct tw_command_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    graph->references = 1;
    graph->device = recording->device;
    tw_lock();
    tw_object_born_locked(TW_OBJECT_COMMAND_GRAPH);
    tw_unlock();
    const tw_status status = make_recorded(recording, NULL, &graph->recorded);
    if (status == TW_SUCCESS)
        *result = graph;
    else
        tw_command_graph_destroy(&graph);
    return status;
}

tw_status tw_queue_end_recording(tw_queue *queue, tw_command_graph **result)
{
    tw_status status = check_queue(queue);
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    tw_lock();
    struct tw_recording *recording = stop_locked(queue);
    tw_unlock();
    if (!recording)
        return TW_ERROR_INVALID_COMMAND_GROUP;
    if (result)
        status = make_graph(recording, result);
    tw_lock();
    tw_recording_drop_locked(recording);
    tw_unlock();
    tw_reclaim();
    return status;
}

/* Puts what was recorded in the place of what the graph was. */
static void replace_locked(struct tw_command_graph *graph, struct tw_recorded_graph *recorded)
{
    struct tw_recorded_graph *before = graph->recorded;
    graph->recorded = recorded;
    if (before->is_superseded
        && !before->successor) { /* its launches in flight are those of the successor's instance */
        before->successor = recorded;
        ++recorded->references;
    }
    tw_recorded_graph_release_locked(before);
}

/* Makes the graph one of what was recorded. */
static tw_status update(struct tw_command_graph *graph, struct tw_recording *recording)
{
    struct tw_recorded_graph *recorded = NULL;
    if (recording->device != graph->device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the graph was recorded by a queue on %s, and the queue is on %s",
                       tw_device_name(graph->device), tw_device_name(recording->device));
    tw_lock();
    struct tw_recorded_graph *before = graph->recorded;
    ++before->references;
    tw_unlock();
    const tw_status status = make_recorded(recording, before, &recorded);
    tw_lock();
    if (status == TW_SUCCESS && recorded)
        replace_locked(graph, recorded);
    else if (recorded)
        tw_recorded_graph_release_locked(recorded);
    tw_recorded_graph_release_locked(before);
    tw_unlock();
    return status;
}

tw_status tw_queue_update_graph(tw_queue *queue, tw_command_graph *graph)
{
    tw_status status = check_queue(queue);
    if (status == TW_SUCCESS && !graph)
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the graph is NULL");
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    tw_lock();
    struct tw_recording *recording = stop_locked(queue);
    tw_unlock();
    if (!recording)
        return TW_ERROR_INVALID_COMMAND_GROUP;
    status = update(graph, recording);
    tw_lock();
    tw_recording_drop_locked(recording);
    tw_unlock();
    tw_reclaim();
    return status;
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

size_t tw_command_graph_count(const tw_command_graph *graph)
{
    if (!graph)
        return 0;
    tw_lock();
    const size_t count = graph->recorded->group_count;
    tw_unlock();
    return count;
}

void tw_command_graph_destroy(tw_command_graph **graph)
{
    if (!graph || !*graph)
        return;
    tw_lock();
    tw_command_graph_release_locked(*graph);
    tw_unlock();
    *graph = NULL;
    tw_reclaim();
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

static tw_status check(const struct tw_queue *queue, const struct tw_command_graph *graph)
{
    if (!queue || !graph)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", queue ? "graph" : "queue");
    if (queue->device != graph->device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the graph was recorded by a queue on %s, and the queue is on %s",
                       tw_device_name(graph->device), tw_device_name(queue->device));
    return tw_check_process();
}

tw_status tw_internal_submit_graph(tw_queue *queue, tw_command_graph *graph, tw_event **event, const char *file,
                                   int line)
{
    tw_status status = check(queue, graph);
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    struct tw_recorded_graph *recorded = graph->recorded; /* an update may put another one in its place */
    ++recorded->references;
    tw_unlock();
    const struct tw_graph_submission of = {queue, graph, recorded, file, line};
    status = recorded->by_groups ? tw_graph_submit_groups(&of, event) : tw_graph_submit_as_one(&of, event);
    tw_lock();
    tw_recorded_graph_release_locked(recorded);
    tw_unlock();
    tw_reclaim();
    return status;
}
