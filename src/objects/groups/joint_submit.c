/* SPDX-License-Identifier: Apache-2.0 */
/* Submits several groups as one: those of the devices of a queue over several (divided_submit.c), and
   those of an algorithm (algorithm.c), which have one queue. */
#include "command_group_command.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/tool.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"
#include "runtime/reclaim.h"
#include "runtime/submit.h"

/* The commands that a join waits for, in its arguments; counted until it is complete. */
struct joined {
    size_t count;
    struct tw_command *commands[];
};

/* Makes the times of a join those from the first start to the last end of its commands. */
static void join_times(tw_event_times *times, const tw_event_times *part)
{
    if (part->submit_ns < times->submit_ns) /* a part may be ready before the join is submitted */
        times->submit_ns = part->submit_ns;
    if (part->ready_ns && (!times->ready_ns || part->ready_ns < times->ready_ns)) /* it is not if a part has failed */
        times->ready_ns = part->ready_ns;
    if (part->start_ns && (!times->start_ns || part->start_ns < times->start_ns))
        times->start_ns = part->start_ns;
    if (part->end_ns > times->end_ns)
        times->end_ns = part->end_ns;
    if (part->transfer_start_ns && (!times->transfer_start_ns || part->transfer_start_ns < times->transfer_start_ns))
        times->transfer_start_ns = part->transfer_start_ns;
    if (part->transfer_end_ns > times->transfer_end_ns)
        times->transfer_end_ns = part->transfer_end_ns;
}

void tw_join_complete_locked(struct tw_command *command)
{
    const struct joined *joined = (const struct joined *)(const void *)command->args;
    bool is_known = command->status != TW_ERROR_CANCELLED;
    command->times.start_ns = command->times.end_ns = 0;
    for (size_t i = 0; i < joined->count; ++i) {
        struct tw_command *part = joined->commands[i];
        join_times(&command->times, &part->times);
        if (!is_known && part->status != TW_SUCCESS && part->status != TW_ERROR_CANCELLED) {
            command->status = part->status;
            is_known = true;
        }
        tw_command_release_locked(part);
    }
}

static const struct tw_command_object join_object = {.completed_locked = tw_join_complete_locked,
                                                     .released_locked = tw_queue_take_memory_locked};

struct tw_command *tw_join_create(const struct tw_command_object *object, struct tw_queue *queue, size_t count,
                                  const char *file, int line)
{
    const size_t bytes = sizeof(struct joined) + count * sizeof(struct tw_command *);
    struct tw_command *join = tw_command_create(object, &(struct tw_memory){.block = NULL}, 0, 1, false, bytes);
    if (!join)
        return NULL;
    *(struct joined *)(void *)join->args = (struct joined){.count = 0};
    join->device = queue->device;
    join->queue = &queue->tasks;
    join->file = file;
    join->line = line;
    join->body.kind = &tw_kind_nothing;
    join->timed = true;
    return join;
}

/* A submission of several groups. */
struct joint {
    struct tw_queue *queue;
    struct tw_command_group **groups;
    struct tw_command **commands; /* of each */
    size_t count;
    struct tw_event_list *before; /* that all depend on; or NULL */
    struct tw_command *join;      /* or NULL */
    tw_event **events;            /* receives one of each group, which is measured; or NULL */
};

/* Makes the commands. Stores NULL for those that could not be made. */
static tw_status make_commands(struct joint *joint, bool has_event, const char *file, int line)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < joint->count && status == TW_SUCCESS; ++i) {
        struct tw_command_group *group = joint->groups[i];
        status = tw_command_group_check(group->queue, group);
        if (status != TW_SUCCESS)
            break;
        joint->commands[i] = tw_command_group_make_command(group, file, line);
        if (!joint->commands[i]) {
            status = TW_ERROR_OUT_OF_MEMORY;
            break;
        }
        joint->commands[i]->timed = joint->events || has_event;
        joint->commands[i]->measured = joint->events || (has_event && tw_queue_measures(group->queue));
        joint->commands[i]->is_held = true; /* nothing gets in between */
        if (tw_tools_are_on())
            joint->commands[i]->recorded_ns = group->began_ns;
    }
    if (status == TW_SUCCESS && (has_event || (joint->queue->devices && joint->queue->tasks.in_order))
        && !(joint->join = tw_join_create(&join_object, joint->queue, joint->count, file, line)))
        status = TW_ERROR_OUT_OF_MEMORY;
    return status == TW_ERROR_OUT_OF_MEMORY ? tw_fail(status, "no memory for the command group") : status;
}

/* Makes room in the queues of all groups. Releases the lock meanwhile. */
static void make_rooms_locked(const struct joint *joint)
{
    for (size_t i = 0; i < joint->count; ++i)
        if (joint->groups[i]->queue->tasks.unfinished >= joint->groups[i]->queue->limit)
            tw_queue_make_room_locked(joint->groups[i]->queue);
    if (joint->queue->tasks.unfinished >= joint->queue->limit)
        tw_queue_make_room_locked(joint->queue);
}

struct tw_data *tw_find_unstaged(const struct tw_use *uses, size_t count, size_t space)
{
    for (size_t i = 0; i < count; ++i) {
        struct tw_data *data = uses[i].data;
        for (size_t from = 1; !atomic_load(&data->allocations[0].address) && from < data->space_count; ++from)
            if (atomic_load(&data->allocations[from].address)
                && tw_copy_must_stage(data, from, tw_data_space(data, space)))
                return data;
    }
    return NULL;
}

/* Does so for all groups of a submission. */
static struct tw_data *find_unstaged(const struct joint *joint)
{
    struct tw_data *data = NULL;
    for (size_t i = 0; i < joint->count && !data; ++i)
        data = tw_find_unstaged(joint->groups[i]->uses, joint->groups[i]->use_count, joint->groups[i]->device->space);
    return data;
}

/* Allocates the host memory that copies of the submission go through: so nothing gets in between its commands. Releases the
   lock meanwhile. */
static tw_status allocate_stages_locked(const struct joint *joint)
{
    tw_status status = TW_SUCCESS;
    struct tw_data *data;
    while (status == TW_SUCCESS && (data = find_unstaged(joint)) != NULL) {
        tw_unlock();
        status = tw_data_allocate(data, 0);
        tw_lock();
    }
    return status;
}

tw_status tw_join_submit_locked(struct tw_command *join, struct tw_queue *queue, struct tw_command *const *commands,
                                size_t count)
{
    struct joined *joined = (struct joined *)(void *)join->args;
    for (; joined->count < count; ++joined->count) {
        joined->commands[joined->count] = commands[joined->count];
        atomic_fetch_add(&commands[joined->count]->references, 1);
    }
    join->home = &queue->tasks;
    tw_task_queue_retain(&queue->tasks);
    const tw_status status = tw_command_submit_after_locked(join, commands, count);
    if (status == TW_SUCCESS)
        return status;
    for (size_t i = 0; i < joined->count; ++i)
        tw_command_release_locked(joined->commands[i]);
    join->home = NULL;
    tw_task_queue_release_locked(&queue->tasks);
    return status;
}

/* Submits or records all commands, and stores how many of them. */
static tw_status submit_commands_locked(const struct joint *joint, tw_event **event, size_t *submitted)
{
    const bool records = joint->queue->recorder.recording != NULL;
    tw_status status = TW_SUCCESS;
    if (records && event)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       "the queue is recording: a group that becomes several, of an algorithm "
                       "or for several devices, has no event");
    for (*submitted = 0; *submitted < joint->count; ++*submitted) {
        struct tw_command_group *group = joint->groups[*submitted];
        group->events = joint->before;
        status = tw_command_group_enter_locked(group, joint->commands[*submitted]);
        group->events = NULL;
        if (status != TW_SUCCESS)
            return status;
    }
    if (records && joint->queue->devices && joint->queue->tasks.in_order)
        tw_recorder_order_locked(&joint->queue->recorder, joint->commands, joint->count);
    return joint->join && !records ? tw_join_submit_locked(joint->join, joint->queue, joint->commands, joint->count)
                                   : status;
}

void tw_commands_cancel_locked(struct tw_command *const *commands, size_t count, tw_status status)
{
    char detail[1024];
    (void)tw_fail(status, "%s: what the group writes is lost", tw_error_detail());
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    tw_detail_of_task(true);
    (void)tw_fail(status, "%s", detail);
    struct tw_failure *failure = tw_command_failure_locked(commands[0], status);
    tw_detail_of_task(false);
    for (size_t i = 0; i < count; ++i)
        tw_command_cancel_locked(commands[i], failure);
    tw_cause_release(&failure->cause);
}

/* Releases the commands, and the groups of those that were submitted: the last one first, which may be the program's, so that
   it becomes the spare group that is known if it is submitted once more. */
static void end_joint_locked(const struct joint *joint, size_t submitted, bool succeeded, tw_event **event)
{
    const bool has_events = joint->events && succeeded;
    for (size_t i = joint->count; i-- > 0;) {
        if (i >= submitted && joint->commands[i])
            tw_command_group_abandon_locked(joint->commands[i]);
        if (i >= submitted)
            continue;
        struct tw_queue *queue = joint->groups[i]->queue;
        tw_command_group_hand_over(joint->groups[i]);
        joint->groups[i] = tw_command_group_leave_spare_locked(queue, joint->groups[i]);
        tw_command_group_release_locked(queue, joint->commands[i], has_events ? &joint->events[i] : NULL);
    }
    if (event && succeeded && joint->join)
        *event = &joint->join->events[TW_PHASE_COMPLETE];
    else if (joint->join)
        tw_command_release_locked(joint->join);
}

tw_status tw_command_groups_submit(struct tw_queue *queue, struct tw_command_group **groups, size_t count,
                                   struct tw_event_list *before, tw_event **event, tw_event **events, const char *file,
                                   int line)
{
    struct joint joint = {.queue = queue, .groups = groups, .count = count, .before = before, .events = events};
    size_t submitted = 0;
    joint.commands = calloc(count, sizeof(struct tw_command *));
    if (!joint.commands)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the command group");
    tw_status status = make_commands(&joint, event != NULL, file, line);
    tw_lock();
    if (status == TW_SUCCESS) {
        make_rooms_locked(&joint);
        status = allocate_stages_locked(&joint);
    }
    if (status == TW_SUCCESS)
        status = submit_commands_locked(&joint, event, &submitted);
    if (status != TW_SUCCESS && submitted && !queue->recorder.recording)
        tw_commands_cancel_locked(joint.commands, submitted, status);
    for (size_t i = 0; i < submitted && !queue->recorder.recording; ++i)
        tw_command_issue_locked(joint.commands[i]);
    end_joint_locked(&joint, submitted, status == TW_SUCCESS, event);
    tw_unlock();
    for (size_t i = 0; i < submitted; ++i)
        if (groups[i]) {
            tw_command_group_free(groups[i]);
            groups[i] = NULL;
        }
    free(joint.commands);
    tw_reclaim();
    return status;
}
