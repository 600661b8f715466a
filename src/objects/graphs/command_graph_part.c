/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional parts of command graphs: what a queue records between the beginning and the end of a part becomes one
 * command of the recording, which accesses what its groups access. Knows nothing of submissions.
 *
 * A part may run no group at all: so it needs the earlier contents of what it writes.
 */
#include <stdlib.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "command_graph_life.h"
#include "command_graph_run.h"
#include "objects/data/buffer.h"
#include "objects/groups/command_group_command.h"
#include "objects/queues/queue.h"
#include "runtime/reclaim.h"

/* ---- the step of its command ------------------------------------------------------------------------------------- */

static const struct tw_graph_part *part_of(const struct tw_task *task)
{
    return (const struct tw_graph_part *)(const void *)task->command->args;
}

static tw_status execute(struct tw_task *task)
{
    return tw_graph_part_run(part_of(task));
}

static bool add_to_graph(struct tw_task *task, struct tw_backend_graph_node *node)
{
    struct tw_graph_part *part = (struct tw_graph_part *)(void *)task->command->args;
    part->what.nodes = part->body->nodes;
    part->what.count = part->body->task_count;
    node->part = &part->what;
    return true;
}

static void dropped_locked(struct tw_command *command)
{
    tw_recorded_graph_release_locked(((const struct tw_graph_part *)(const void *)command->args)->body);
}

static const struct tw_task_kind part_kind = {
    .tool_kind = TW_TOOL_GRAPH,
    .name = "part of a command graph",
    .what = "a part of a command graph",
    .occupies = true,
    .execute = execute,
    .add_to_graph = add_to_graph,
    .dropped_locked = dropped_locked,
};

/* ---- the beginning ----------------------------------------------------------------------------------------------- */

static tw_status check_queue(const tw_queue *queue)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
    const tw_status status = tw_check_process();
    if (status == TW_SUCCESS && queue->devices)
        return tw_fail(TW_ERROR_UNSUPPORTED, "a queue over several devices records no conditional parts");
    return status;
}

static tw_status check_condition(const tw_buffer *condition, size_t element)
{
    if (!condition)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer of the condition is NULL");
    if (tw_check_copy(condition) != TW_SUCCESS)
        return TW_ERROR_INVALID_ARGUMENT;
    if (condition->root->data.element_bytes != sizeof(int))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a condition is an int, and the buffer has elements of %zu bytes",
                       condition->root->data.element_bytes);
    if (element >= tw_buffer_count(condition))
        return tw_fail(TW_ERROR_INVALID_RANGE, "a buffer of %zu elements has no element %zu for a condition",
                       tw_buffer_count(condition), element);
    return TW_SUCCESS;
}

/* Notes an error in what is recorded. Returns it. */
static tw_status refuse(tw_queue *queue, tw_status status)
{
    tw_lock();
    if (queue->recorder.recording)
        tw_recording_refuse_locked(queue->recorder.recording, status, NULL, 0);
    tw_unlock();
    return status;
}

static tw_status begin(tw_queue *queue, bool repeats, tw_buffer *condition, size_t element)
{
    tw_status status = check_queue(queue);
    if (status != TW_SUCCESS)
        return status;
    status = check_condition(condition, element);
    struct tw_open_part *part = status == TW_SUCCESS ? calloc(1, sizeof *part) : NULL;
    if (!part)
        return refuse(queue, status == TW_SUCCESS
                                 ? tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a part of a command graph")
                                 : status);
    part->repeats = repeats;
    part->condition = condition;
    part->element = element;
    tw_lock();
    const bool records = queue->recorder.recording != NULL;
    if (records) {
        atomic_fetch_add(&condition->root->uses, 1);
        tw_recorder_begin_part_locked(&queue->recorder, part);
    }
    tw_unlock();
    if (records)
        return TW_SUCCESS;
    free(part);
    return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                   "the queue is not recording: a conditional part is one of a command graph");
}

tw_status tw_queue_begin_while(tw_queue *queue, tw_buffer *condition, size_t element)
{
    return begin(queue, true, condition, element);
}

tw_status tw_queue_begin_if(tw_queue *queue, tw_buffer *condition, size_t element)
{
    return begin(queue, false, condition, element);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Makes the body of a part of what was recorded. */
static tw_status make_body(struct tw_queue *queue, struct tw_open_part *open, struct tw_recorded_graph **result)
{
    struct tw_recorded_graph *body = calloc(1, sizeof *body);
    if (!body)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a part of a command graph");
    *result = body;
    body->references = 1;
    body->device = queue->device;
    tw_recorded_graph_take(body, &open->list);
    return tw_recorded_graph_analyse(body);
}

/* Adds what a part accesses to the group that stands for it. Returns the address of the condition. */
static const int *access_all(struct tw_command_group *group, const struct tw_open_part *open,
                             const struct tw_recorded_graph *body)
{
    const struct tw_buffer *condition = open->condition;
    const struct tw_box *all = &condition->box;
    struct tw_box element = *all;
    size_t rest = open->element;
    for (unsigned d = 3; d-- > 0;) { /* in the order of the elements of the buffer, which may be a part of its root */
        const size_t size = all->end[d] - all->begin[d];
        __builtin_assume(size > 0); /* it has that element */
        element.begin[d] = all->begin[d] + rest % size;
        element.end[d] = element.begin[d] + 1;
        rest /= size;
    }
    const int *address = tw_command_group_access_within(group, condition->root, &element, &element, TW_READ);
    for (size_t i = 0; i < body->use_count; ++i)
        (void)tw_command_group_access(group, tw_buffer_of(body->uses[i].data), &body->uses[i].box,
                                      body->uses[i].writes ? TW_READ_WRITE : TW_READ);
    return address;
}

/* Makes the group that stands for a part. Returns NULL, or a group that has failed, on failure. */
static struct tw_command_group *make_group(struct tw_queue *queue, const struct tw_open_part *open,
                                           struct tw_recorded_graph *body)
{
    struct tw_command_group *group = tw_queue_begin(queue);
    if (!group)
        return NULL;
    group->body = &part_kind;
    const int *condition = access_all(group, open, body);
    struct tw_graph_part *part =
        group->status == TW_SUCCESS ? tw_command_group_make_args(group, sizeof *part, 0) : NULL;
    if (part)
        *part = (struct tw_graph_part){.body = body, .what = {.condition = condition, .repeats = open->repeats}};
    return group;
}

/* Records the command of a part, which owns the body from then on. */
static tw_status record_locked(struct tw_queue *queue, struct tw_command_group *group, struct tw_command *command,
                               const struct tw_recording *recording)
{
    tw_status status = TW_SUCCESS;
    if (queue->recorder.recording != recording)
        status = tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the recording ended before the part did");
    if (status == TW_SUCCESS)
        status = tw_command_group_enter_locked(group, command);
    if (status != TW_SUCCESS) {
        tw_command_group_abandon_locked(command);
        return status;
    }
    struct tw_graph_part *part = (struct tw_graph_part *)(void *)command->args;
    command->context = part;
    part->body->part = part;
    tw_command_group_hand_over(group);
    tw_command_group_release_locked(queue, command, NULL);
    return TW_SUCCESS;
}

/* Records the group that stands for a part, and frees it. */
static tw_status record(struct tw_queue *queue, struct tw_command_group *group, const struct tw_recording *recording)
{
    tw_status status = group ? tw_command_group_tell(group) : TW_ERROR_OUT_OF_MEMORY;
    struct tw_command *command = status == TW_SUCCESS ? tw_command_group_make_command(group, NULL, 0) : NULL;
    if (status == TW_SUCCESS && !command)
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a part of a command graph");
    if (status == TW_SUCCESS) {
        tw_lock();
        status = record_locked(queue, group, command, recording);
        tw_unlock();
    }
    if (status == TW_SUCCESS)
        tw_command_group_free(group);
    return status;
}

/* Takes the innermost part of a queue, if it is of that kind. Returns NULL if it is not. */
static struct tw_open_part *take_part(struct tw_queue *queue, bool repeats, struct tw_recording **recording)
{
    tw_lock();
    struct tw_open_part *part = queue->recorder.open;
    *recording = queue->recorder.recording;
    if (part && part->repeats == repeats)
        (void)tw_recorder_end_part_locked(&queue->recorder);
    tw_unlock();
    if (part && part->repeats == repeats)
        return part;
    (void)tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                  part ? "the innermost part of the queue is ended by tw_queue_end_%s()"
                       : "the queue has begun no part that tw_queue_end_%s() ends",
                  part      ? repeats ? "if" : "while"
                  : repeats ? "while"
                            : "if");
    return NULL;
}

/* Ends a part. A failed group is discarded, and its error kept. */
static tw_status end(tw_queue *queue, bool repeats)
{
    tw_status status = check_queue(queue);
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    struct tw_recording *recording;
    struct tw_open_part *open = take_part(queue, repeats, &recording);
    if (!open)
        return TW_ERROR_INVALID_COMMAND_GROUP;
    struct tw_recorded_graph *body = NULL;
    status = make_body(queue, open, &body);
    if (status == TW_SUCCESS) {
        struct tw_command_group *group = make_group(queue, open, body);
        status = record(queue, group, recording);
        if (status != TW_SUCCESS) {
            (void)refuse(queue, status);
            tw_command_group_discard(group);
        }
    } else {
        (void)refuse(queue, status);
    }
    tw_lock();
    tw_open_part_drop_locked(open);
    if (status != TW_SUCCESS && body)
        tw_recorded_graph_release_locked(body);
    tw_unlock();
    tw_reclaim();
    return status;
}

tw_status tw_queue_end_while(tw_queue *queue)
{
    return end(queue, true);
}

tw_status tw_queue_end_if(tw_queue *queue)
{
    return end(queue, false);
}
