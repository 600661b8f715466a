/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a command group, from its beginning to its submission (spec 3.5.6), with fallback queues and blocks. A
   submitted group becomes a command, and is used again. Knows nothing of what is recorded in between: command_group.c. */
#include "command_group.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/command_graph.h>

#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "base/tool.h"
#include "base/tuning.h"
#include "divided.h"
#include "objects/data/buffer.h"
#include "objects/data/storage.h"
#include "objects/queues/recording.h"
#include "runtime/allocation.h"
#include "runtime/command.h"
#include "runtime/fallback.h"
#include "runtime/reclaim.h"
#include "runtime/submit.h"

#define FEW_EVENTS 16
#define MOST_KEPT_USES 64 /* largest `uses` array that a spare group keeps */

/* NULL is allowed. Called without the lock, if there are any. */
static void drop_events(struct tw_event_list *list)
{
    for (size_t i = 0; list && i < list->count; ++i)
        tw_event_release(&list->events[i]);
    free(list);
}

static void free_group(struct tw_command_group *group)
{
    if (group->uses != group->few_uses)
        free(group->uses);
    if (group->args != group->few_args)
        free(group->args);
    free(group->detail);
    free(group->bounds);
    drop_events(group->events);
    tw_divided_free(group->divided);
    free(group->memory.block);
    free(group);
}

/* ---- beginning and discarding ----------------------------------------------------------------------------------- */

static _Atomic(tw_command_group *) *spare_of_thread(tw_queue *queue)
{
    static atomic_uint threads;
    static _Thread_local unsigned thread; /* 0: not numbered yet */
    if (!thread)
        thread = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % TW_SPARE_GROUPS + 1;
    return &queue->spare[thread - 1].group;
}

/* Returns a spare group of the queue, or a new group, or NULL if memory is exhausted. Only the members that are not
   cleared are valid in it. */
static tw_command_group *take_spare(tw_queue *queue)
{
    _Atomic(tw_command_group *) *spare = spare_of_thread(queue);
    tw_command_group *group = atomic_load_explicit(spare, memory_order_relaxed);
    if (group)
        group = atomic_exchange_explicit(spare, NULL, memory_order_acquire);
    if (!group && (group = malloc(sizeof *group))) {
        group->memory = (struct tw_memory){.block = NULL};
        group->uses = group->few_uses;
        group->use_capacity = TW_FEW_USES;
    }
    if (group) {
        group->spare = spare;
        tw_memory_fetch(group->memory.block, TW_FETCHED_BYTES); /* another thread used it last */
    }
    return group;
}

/* Gives a submitted group to its queue as a spare one. Returns the group if the caller is to free it, else NULL. */
static tw_command_group *leave_spare_locked(tw_queue *queue, tw_command_group *group)
{
    if (!TW_TUNE_SPARE_GROUPS || group->use_capacity > MOST_KEPT_USES || (group->args && group->args != group->few_args)
        || atomic_load_explicit(group->spare, memory_order_relaxed))
        return group;
    group->use_count = 0;
    group->memory = tw_memory_take_locked(&queue->kept);
    group->args = NULL;
    queue->free_group = free_group;
    group->queue = NULL; /* tells who submits it once more, and whose recording calls do nothing */
    group->status = TW_ERROR_INVALID_COMMAND_GROUP;
    atomic_store_explicit(group->spare, group, memory_order_release); /* stored only under the lock */
    return NULL;
}

/* Whether a group is a spare one: the program uses it once more. This is found as long as no other group took its
   place, and may be missed. */
static inline bool was_submitted(const tw_command_group *group)
{
    return !group->queue;
}

tw_command_group *tw_queue_begin(tw_queue *queue)
{
    if (!queue) {
        tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
        return NULL;
    }
    if (tw_check_copy(queue) != TW_SUCCESS || tw_check_process() != TW_SUCCESS)
        return NULL;
    struct tw_command_group *group = take_spare(queue);
    if (!group) {
        tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command group");
        return NULL;
    }
    memset(group, 0, offsetof(struct tw_command_group, spare));
    group->queue = queue;
    group->device = queue->device;
    if (queue->devices && !(group->divided = tw_divided_new())) {
        free_group(group);
        tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command group");
        return NULL;
    }
    if (tw_tools_are_on())
        group->began_ns = tw_now_ns();
    atomic_fetch_add_explicit(&queue->tasks.references, 1, memory_order_relaxed); /* the caller keeps it alive */
    return group;
}

static void drop_locked(struct tw_command_group *group)
{
    tw_unpin(&group->pins);
    for (size_t i = 0; i < group->use_count; ++i)
        tw_buffer_unuse_locked(tw_buffer_of(group->uses[i].data));
    if (group->divided)
        tw_divided_drop_locked(group->divided);
    tw_fallback_free_locked(group->fallback);
    tw_task_queue_release_locked(&group->queue->tasks);
}

void tw_command_group_discard(tw_command_group *group)
{
    if (!group || was_submitted(group))
        return;
    tw_lock();
    drop_locked(group);
    tw_unlock();
    free_group(group);
    tw_reclaim();
}

void tw_internal_discard(tw_command_group **group)
{
    tw_command_group_discard(*group);
}

tw_status tw_command_group_status(const tw_command_group *group)
{
    return group ? group->status : TW_ERROR_OUT_OF_MEMORY;
}

static bool is_empty(const struct tw_internal_launch *launch)
{
    return !launch->range[0] || !launch->range[1] || !launch->range[2];
}

/* Returns the kind of the command's body. A launch of no work-items still replaces what it reduces into. */
static const struct tw_task_kind *body_of(const struct tw_command_group *group)
{
    if (group->kernel)
        return is_empty(&group->launch) && !group->replaces ? &tw_kind_nothing : &tw_kind_kernel;
    return !group->args             ? &tw_kind_nothing
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

/* Makes a command of a recorded group, which keeps all that it owns until the command is submitted. Returns NULL if
   memory is exhausted. */
static struct tw_command *make_command(struct tw_command_group *group, const char *file, int line)
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
    const struct tw_task_kind *kind = command->body.kind = body_of(group);
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
    for (size_t i = 0; i < list->count; ++i)
        before[i] = tw_command_of(list->events[i]);
    const tw_status status = tw_command_submit_after_locked(command, before, list->count);
    if (before != few)
        free(before);
    return status;
}

static inline tw_status submit_after_locked(const struct tw_event_list *list, struct tw_command *command)
{
    return __builtin_expect(list != NULL, 0) ? submit_behind_locked(list, command) : tw_command_submit_locked(command);
}

/* Submits a command, or records it if the queue is recording; then it has no home. On success the command takes over
   the group's uses of buffers, and with a home its reference to the queue. May release the lock meanwhile. */
static tw_status submit_or_record_locked(const struct tw_command_group *group, struct tw_command *command,
                                         tw_event **event)
{
    struct tw_queue *queue = group->queue;
    if (queue->recorder.recording && (group->on_host || group->has_native_task))
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                       "%s%s cannot be recorded: submit it each time, behind the command graph",
                       group->step ? group->step : "a host accessor", group->step ? "()" : "");
    if (queue->recorder.recording && group->events)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                       "the queue is recording: a recorded group cannot depend on an event");
    if (queue->recorder.recording)
        return event ? tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is recording: a recorded group has no event")
                     : tw_recorder_add_locked(&queue->recorder, command, queue->tasks.in_order);
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

/* Fails if a group must not be submitted to the queue. */
static inline tw_status check_group(const tw_queue *queue, const tw_command_group *group)
{
    if (queue != group->queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       queue ? "the command group was begun for another queue" : "the queue is NULL");
    if (tw_is_forked)
        return tw_refuse_fork();
    if (group->status != TW_SUCCESS)
        return tw_fail(group->status, "%s", group->detail ? group->detail : "no memory to say what is wrong");
    return TW_SUCCESS;
}

/* Takes what a submitted command owns out of its group. */
static inline void hand_over(struct tw_command_group *group)
{
    group->bounds = NULL;
    group->fallback = NULL;
    group->pins = NULL;
    group->events = NULL;
}

/* Frees a command that was not submitted. What it would own stays in its group. */
static void abandon_locked(struct tw_command *command)
{
    command->home = NULL;
    command->bounds = NULL;
    command->fallback = NULL;
    command->pins = NULL;
    tw_command_release_locked(command);
}

/* Gives the reference from its creation to the program if it asked for an event; else releases it, except of a recorded
   command, which belongs to its recording and does not count the queue. */
static inline void release_submitted_locked(struct tw_queue *queue, struct tw_command *command, tw_event **event)
{
    if (!command->home)
        tw_task_queue_release_locked(&queue->tasks);
    if (event)
        *event = &command->events[TW_PHASE_COMPLETE]; /* takes over the reference from creation */
    else if (command->home)
        tw_command_release_locked(command);
}

/* ---- several groups as one --------------------------------------------------------------------------------------- */

/* The command that is complete when those of a submission are: it reports no errors, which they do themselves. */
static void joined_locked(struct tw_command *command)
{
    (void)command;
}

static const struct tw_command_object join_object = {.completed_locked = joined_locked,
                                                     .released_locked = tw_queue_take_memory_locked};

static struct tw_command *make_join(struct tw_queue *queue, const char *file, int line)
{
    struct tw_command *join = tw_command_create(&join_object, &(struct tw_memory){.block = NULL}, 0, 0, false, 0);
    if (!join)
        return NULL;
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
        status = check_group(group->queue, group);
        if (status != TW_SUCCESS)
            break;
        joint->commands[i] = make_command(group, file, line);
        if (!joint->commands[i]) {
            status = TW_ERROR_OUT_OF_MEMORY;
            break;
        }
        joint->commands[i]->timed = joint->commands[i]->measured = joint->events != NULL;
        if (tw_tools_are_on())
            joint->commands[i]->recorded_ns = group->began_ns;
    }
    if (status == TW_SUCCESS && (has_event || joint->queue->tasks.in_order)
        && !(joint->join = make_join(joint->queue, file, line)))
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

/* Submits or records all commands, and stores how many of them. */
static tw_status submit_commands_locked(const struct joint *joint, tw_event **event, size_t *submitted)
{
    const bool records = joint->queue->recorder.recording != NULL;
    tw_status status = TW_SUCCESS;
    if (records && joint->queue->tasks.in_order)
        return tw_fail(TW_ERROR_UNSUPPORTED, "a queue over several devices that keeps the order cannot record: within a "
                                             "command graph accessors give the order");
    for (*submitted = 0; *submitted < joint->count; ++*submitted) {
        struct tw_command_group *group = joint->groups[*submitted];
        group->events = joint->before;
        status = submit_or_record_locked(group, joint->commands[*submitted], records ? event : NULL);
        group->events = NULL;
        if (status != TW_SUCCESS)
            return *submitted ? tw_fail(status, "%s: %zu of %zu parts of the group were submitted", tw_error_detail(),
                                        *submitted, joint->count)
                              : status;
    }
    if (joint->join && !records) {
        joint->join->home = &joint->queue->tasks;
        tw_task_queue_retain(&joint->queue->tasks);
        status = tw_command_submit_after_locked(joint->join, joint->commands, joint->count);
        if (status != TW_SUCCESS) {
            joint->join->home = NULL;
            tw_task_queue_release_locked(&joint->queue->tasks);
        }
    }
    return status;
}

/* Releases the commands, and the groups of those that were submitted. */
static void end_joint_locked(const struct joint *joint, size_t submitted, tw_event **event)
{
    const bool has_events = joint->events && submitted == joint->count;
    for (size_t i = 0; i < joint->count; ++i) {
        if (i >= submitted && joint->commands[i])
            abandon_locked(joint->commands[i]);
        if (i >= submitted)
            continue;
        struct tw_queue *queue = joint->groups[i]->queue;
        hand_over(joint->groups[i]);
        joint->groups[i] = leave_spare_locked(queue, joint->groups[i]);
        release_submitted_locked(queue, joint->commands[i], has_events ? &joint->events[i] : NULL);
    }
    if (event && joint->join)
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
        status = submit_commands_locked(&joint, event, &submitted);
    }
    end_joint_locked(&joint, submitted, status == TW_SUCCESS ? event : NULL);
    tw_unlock();
    for (size_t i = 0; i < submitted; ++i)
        if (groups[i]) {
            free_group(groups[i]);
            groups[i] = NULL;
        }
    free(joint.commands);
    tw_reclaim();
    return status;
}

/* Submits a group of a queue over several devices, and frees it. On failure the group is left as it was. */
static tw_status submit_divided(tw_command_group *group, tw_event **event, const char *file, int line)
{
    const tw_status status = tw_divided_submit(group, event, file, line);
    if (status == TW_SUCCESS)
        tw_command_group_discard(group);
    return status;
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

/* Submits a group and frees it. On failure the group is left as it was. */
static tw_status submit(tw_queue *queue, tw_command_group *group, tw_event **event, const char *file, int line)
{
    tw_status status = check_group(queue, group);
    if (status != TW_SUCCESS)
        return status;
    if (__builtin_expect(group->divided != NULL, 0))
        return submit_divided(group, event, file, line);
    struct tw_command *command = make_command(group, file, line);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the command group");
    command->timed = event != NULL;
    command->measured = command->timed && tw_queue_measures(queue);
    struct tw_event_list *const events = group->events;
    if (tw_tools_are_on())
        command->recorded_ns = group->began_ns;
    tw_lock(); /* taken once for each group: submitting threads compete for it */
    status = submit_or_record_locked(group, command, event);
    if (status == TW_SUCCESS) {
        hand_over(group);
        group = leave_spare_locked(queue, group); /* while the queue is still counted */
        release_submitted_locked(queue, command, event);
    } else {
        abandon_locked(command);
    }
    tw_unlock();
    if (status != TW_SUCCESS)
        return status;
    if (group)
        free_group(group);
    if (events)
        drop_events(events);
    tw_reclaim();
    return TW_SUCCESS;
}

/* Notes that a group was refused, if the queue is recording: what it records has a gap. The status is that of
   tw_error_detail(). Returns it. */
static __attribute__((noinline, cold)) tw_status refuse(tw_queue *queue, tw_status status, const char *file, int line)
{
    if (!queue || tw_is_forked || queue->copy != &tw_this_copy)
        return status;
    tw_lock();
    if (queue->recorder.recording)
        tw_recording_refuse_locked(queue->recorder.recording, status, file, line);
    tw_unlock();
    return status;
}

/* Discards a group that could not be submitted. Returns `status`, and keeps the thread's tw_error_detail(). */
static tw_status drop(tw_command_group *group, tw_status status)
{
    char detail[1024]; /* discarding the group may set another detail */
    const tw_native_code native = tw_error_native_code();
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    tw_command_group_discard(group);
    return tw_fail_native(tw_fail(status, "%s", detail), native.api, native.code);
}

/* Returns the reason for which tw_queue_begin() returned NULL. */
static __attribute__((noinline, cold)) tw_status refuse_no_group(const tw_queue *queue)
{
    if (!queue)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
    if (tw_check_copy(queue) != TW_SUCCESS)
        return TW_ERROR_INVALID_ARGUMENT;
    if (tw_is_forked)
        return tw_refuse_fork();
    return tw_fail(TW_ERROR_OUT_OF_MEMORY, "the command group is NULL: tw_queue_begin() had no memory or no queue");
}

tw_status tw_internal_submit(tw_queue *queue, tw_command_group *group, tw_event **event, const char *file, int line)
{
    if (!group)
        return refuse(queue, refuse_no_group(queue), file, line);
    if (__builtin_expect(was_submitted(group), 0))
        return refuse(queue,
                      tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                              "the command group was submitted before: each submission needs a group of its own, from "
                              "tw_queue_begin(); a command graph is submitted many times"),
                      file, line);
    const tw_status status = submit(queue, group, event, file, line);
    return status == TW_SUCCESS ? status : drop(group, refuse(queue, status, file, line));
}

/* Returns true if one group can run in the other's place: both have a kernel to run, or the same step, and the same
   uses. */
static bool are_alike(const struct tw_command_group *one, const struct tw_command_group *other)
{
    const struct tw_task_kind *body = body_of(one);
    if (!body->execute || body != body_of(other) || one->use_count != other->use_count)
        return false;
    if (!body->launches
        && (one->args_bytes != other->args_bytes || memcmp(one->args, other->args, one->args_bytes) != 0))
        return false;
    for (size_t i = 0; i < one->use_count; ++i)
        if (one->uses[i].data != other->uses[i].data || one->uses[i].is_part
            || one->uses[i].needs != other->uses[i].needs || one->uses[i].writes != other->uses[i].writes)
            return false;
    return true;
}

/* Begins a group and lets the function record it. Discards the group if the function throws an exception. Returns NULL
   if no group could be begun. */
static struct tw_command_group *record_by(tw_command_group_function function, void *user, tw_queue *queue)
{
    struct tw_command_group *begun __attribute__((cleanup(tw_internal_discard))) = tw_queue_begin(queue);
    if (begun)
        function(begun, user);
    struct tw_command_group *group = begun;
    begun = NULL;
    return group;
}

/* Records a group for the fallback queue too, for the case that its command fails later. If that does not succeed, the
   command has no fallback. */
static void record_fallback(struct tw_command_group *group, tw_queue *fallback, tw_command_group_function function,
                            void *user)
{
    struct tw_command_group *other = record_by(function, user, fallback);
    if (other && other->status == TW_SUCCESS && are_alike(group, other)) {
        const struct tw_fallback_record record = {other->kernel, &other->launch,    other->bounds,
                                                  other->args,   other->args_bytes, other->use_count};
        group->fallback = tw_fallback_create(&fallback->tasks, &record);
        if (group->fallback)
            other->bounds = NULL;
    }
    tw_command_group_discard(other);
}

tw_status tw_internal_submit_function(tw_queue *queue, tw_queue *fallback, tw_command_group_function function,
                                      void *user, tw_event **event, const char *file, int line)
{
    if (!queue || !function)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", queue ? "function" : "queue");
    tw_queue *const tried[] = {queue, fallback};
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < 2 && tried[i]; ++i) {
        tw_command_group *recorded __attribute__((cleanup(tw_internal_discard))) = record_by(function, user, tried[i]);
        if (i == 0 && recorded && recorded->status == TW_SUCCESS && fallback && fallback->device != queue->device
            && !recorded->on_host && !recorded->has_native_task && !recorded->divided && !tw_queue_is_recording(queue))
            record_fallback(recorded, fallback, function, user);
        tw_command_group *group = recorded;
        recorded = NULL;
        status = tw_internal_submit(tried[i], group, event, file, line);
        if (status == TW_SUCCESS)
            break;
    }
    return status;
}

tw_command_group *tw_internal_begin_block(tw_queue *queue)
{
    tw_command_group *group = tw_queue_begin(queue);
    if (!group && queue) {
        const tw_status status = queue->copy == &tw_this_copy ? TW_ERROR_OUT_OF_MEMORY : TW_ERROR_INVALID_ARGUMENT;
        queue->keep_error(queue, refuse(queue, status, NULL, 0), tw_error_detail(), NULL, 0);
    }
    return group;
}

void tw_internal_submit_block(tw_command_group **group, const char *file, int line)
{
    tw_queue *queue = (*group)->queue;
    const tw_status status = submit(queue, *group, NULL, file, line);
    if (status != TW_SUCCESS) {
        (void)refuse(queue, status, file, line);
        queue->keep_error(queue, status, tw_error_detail(), file, line); /* before drop() releases the queue */
        drop(*group, status);
    }
    *group = NULL;
}
