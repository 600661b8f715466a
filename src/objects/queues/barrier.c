/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that was submitted to a queue before, as an event, with or without what is submitted later waiting for it
 * (teamwork/queue.h); and the event of the last group. Knows no groups.
 *
 * A marker is a command of its own that waits for the unfinished ones before it. A later marker waits for the one
 * before and for what was submitted since: so markers cost no more than what they stand for. On devices with streams
 * they are enqueued, so that what waits for them need not wait on the host.
 */
#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "queue.h"
#include "runtime/complete.h"
#include "runtime/reclaim.h"
#include "runtime/submit.h"

/* ---- the command ------------------------------------------------------------------------------------------------- */

static const void *domain(struct tw_command *command)
{
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_async *async = device->backend->async;
    return async && async->native && async->reaches(device, device) ? async : NULL;
}

static tw_status do_nothing(const void *context, void *stream)
{
    (void)context;
    (void)stream;
    return TW_SUCCESS;
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    return async->native(stream, do_nothing, NULL, &task->sequence);
}

static bool ready_locked(struct tw_task *task)
{
    tw_command_start_locked(task->command);
    return true;
}

static const struct tw_task_kind marker_kind = {
    .tool_kind = TW_TOOL_NOTHING,
    .name = "marker",
    .what = "a marker or barrier",
    .domain = domain,
    .ready_locked = ready_locked,
    .enqueue = enqueue,
};

static void completed_locked(struct tw_command *command)
{
    struct tw_task_queue *home = command->home;
    if (home->marker == command)
        home->marker = NULL;
    if (home->barrier == command)
        home->barrier = NULL;
    tw_queue_complete_locked(command);
}

static const struct tw_command_object object = {.completed_locked = completed_locked,
                                                .released_locked = tw_queue_take_memory_locked};

/* ---- its submission ---------------------------------------------------------------------------------------------- */

/* Returns how many unfinished commands of a task queue are not behind its latest marker. Stores them, unless `commands`
   is NULL. */
static size_t list_unmarked(const struct tw_task_queue *tasks, struct tw_command **commands)
{
    size_t count = 0;
    struct tw_command *command = tasks->last_unfinished;
    for (; command && command->sequence > tasks->marked; command = command->previous) {
        if (commands)
            commands[count] = command;
        ++count;
    }
    return count;
}

/* Does so for all that a marker of the queue waits for. In an in-order queue that is its last command, for which it
   waits in any case. */
static size_t list_before(const struct tw_queue *queue, struct tw_command **commands)
{
    if (queue->tasks.in_order)
        return 0;
    size_t count = list_unmarked(&queue->tasks, commands);
    for (size_t i = 0; queue->devices && i < queue->devices->count; ++i)
        count += list_unmarked(&queue->devices->queues[i]->tasks, commands ? commands + count : NULL);
    if (queue->tasks.marker) {
        if (commands)
            commands[count] = queue->tasks.marker;
        ++count;
    }
    return count;
}

/* Notes the marker in the queue: later ones need not wait for what it waits for. */
static void note_marker_locked(struct tw_queue *queue, struct tw_command *marker, bool is_barrier)
{
    if (queue->tasks.in_order)
        return;
    queue->tasks.marker = marker;
    queue->tasks.marked = queue->tasks.submitted;
    for (size_t i = 0; queue->devices && i < queue->devices->count; ++i)
        queue->devices->queues[i]->tasks.marked = queue->devices->queues[i]->tasks.submitted;
    if (is_barrier)
        queue->tasks.barrier = marker;
}

static tw_status submit_locked(struct tw_queue *queue, struct tw_command *marker, bool is_barrier)
{
    if (queue->tasks.unfinished >= queue->limit)
        tw_queue_make_room_locked(queue);
    const size_t count = list_before(queue, NULL);
    struct tw_command **before = count ? malloc(count * sizeof *before) : NULL;
    if (count && !before)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a marker of %zu command groups", count);
    (void)list_before(queue, before);
    marker->home = &queue->tasks;
    tw_task_queue_retain(&queue->tasks);
    const tw_status status = tw_command_submit_after_locked(marker, before, count);
    free(before);
    if (status == TW_SUCCESS) {
        note_marker_locked(queue, marker, is_barrier);
        tw_command_issue_locked(marker); /* may release the lock: others may submit from now on */
    } else {
        marker->home = NULL;
        tw_task_queue_release_locked(&queue->tasks);
    }
    return status;
}

/* Refuses a marker while the queue records: what is recorded has a gap then. */
static tw_status refuse_locked(struct tw_queue *queue)
{
    const tw_status status =
        tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording: a marker or barrier cannot be recorded; "
                                                "accessors, or a queue that keeps the order, give that of a graph");
    tw_recording_refuse_locked(queue->recorder.recording, status, NULL, 0);
    return status;
}

static tw_status submit_marker(struct tw_queue *queue, bool is_barrier, tw_event **event)
{
    struct tw_command *marker = tw_command_create(&object, &(struct tw_memory){.block = NULL}, 0, 0, false, 0);
    if (!marker)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a marker");
    marker->device = queue->device;
    marker->queue = &queue->tasks;
    marker->body.kind = &marker_kind;
    marker->body.node.domain = domain(marker);
    marker->timed = event != NULL;
    marker->only_orders = true;
    marker->is_held = true; /* until the queue knows of it */
    tw_lock();
    const tw_status status =
        queue->recorder.recording ? refuse_locked(queue) : submit_locked(queue, marker, is_barrier);
    if (status == TW_SUCCESS && event)
        *event = &marker->events[TW_PHASE_COMPLETE]; /* takes over the reference from creation */
    else
        tw_command_release_locked(marker);
    tw_unlock();
    tw_reclaim();
    return status;
}

/* ---- what the program calls -------------------------------------------------------------------------------------- */

tw_status tw_queue_submit_marker(tw_queue *queue, tw_event **event)
{
    const tw_status status = event
                                 ? tw_queue_check(queue)
                                 : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the place for the event is NULL: a marker that "
                                                                      "nobody waits for does nothing");
    return status == TW_SUCCESS ? submit_marker(queue, false, event) : status;
}

tw_status tw_queue_submit_barrier(tw_queue *queue, tw_event **event)
{
    const tw_status status = tw_queue_check(queue);
    return status == TW_SUCCESS ? submit_marker(queue, true, event) : status;
}

tw_status tw_queue_last_event(tw_queue *queue, tw_event **event)
{
    const tw_status status =
        event ? tw_queue_check(queue) : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the event is to be stored at NULL");
    if (status != TW_SUCCESS)
        return status;
    if (queue->devices)
        return submit_marker(queue, false, event); /* its last group is several commands */
    tw_lock();
    struct tw_command *last = queue->tasks.last_unfinished;
    const bool is_complete = !last || last->sequence != queue->tasks.submitted;
    *event = is_complete ? NULL : tw_event_retain(&last->events[TW_PHASE_COMPLETE]);
    tw_unlock();
    return TW_SUCCESS;
}

bool tw_queue_is_empty(const tw_queue *queue)
{
    if (!queue)
        return true;
    tw_lock();
    size_t unfinished = queue->tasks.unfinished;
    for (size_t i = 0; queue->devices && i < queue->devices->count; ++i)
        unfinished += queue->devices->queues[i]->tasks.unfinished;
    tw_unlock();
    return unfinished == 0;
}
