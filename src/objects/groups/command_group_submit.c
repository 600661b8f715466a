/* SPDX-License-Identifier: Apache-2.0 */
/* Submission of command groups (spec 3.5.6), with fallback queues and blocks. A submitted group becomes a command. */
#include "command_group_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/command_graph.h>

#include "algorithm.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "base/tool.h"
#include "divided.h"
#include "divided_submit.h"
#include "kernel_pointers.h"
#include "objects/queues/recording.h"
#include "runtime/fallback.h"
#include "runtime/reclaim.h"

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
    tw_status status = tw_command_group_check(queue, group);
    if (status != TW_SUCCESS)
        return status;
    if (__builtin_expect(group->divided != NULL, 0))
        return submit_divided(group, event, file, line);
    if (__builtin_expect(group->algorithm != NULL, 0))
        return tw_algorithm_submit(group, event, file, line);
    struct tw_command *command = tw_command_group_make_command(group, file, line);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the command group");
    command->timed = event != NULL;
    command->measured = command->timed && tw_queue_measures(queue);
    struct tw_event_list *const events = group->events;
    if (tw_tools_are_on())
        command->recorded_ns = group->began_ns;
    tw_lock(); /* taken once for each group: submitting threads compete for it */
    status = tw_command_group_enter_locked(group, command);
    if (status == TW_SUCCESS) {
        tw_command_group_hand_over(group);
        group = tw_command_group_leave_spare_locked(queue, group); /* while the queue is still counted */
        tw_command_group_release_locked(queue, command, event);
    } else {
        tw_command_group_abandon_locked(command);
    }
    tw_unlock();
    if (status != TW_SUCCESS)
        return status;
    if (group)
        tw_command_group_free(group);
    if (events)
        tw_command_group_drop_events(events);
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
    if (__builtin_expect(tw_command_group_was_submitted(group), 0))
        return refuse(queue,
                      tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                              "the command group was submitted before: each submission needs a group of its own, from "
                              "tw_queue_begin(); a command graph is submitted many times"),
                      file, line);
    const tw_status status = submit(queue, group, event, file, line);
    return status == TW_SUCCESS ? status : drop(group, refuse(queue, status, file, line));
}

tw_status tw_internal_submit_launch(tw_queue *queue, tw_command_group **group, tw_event **event, const char *file,
                                    int line)
{
    tw_command_group *const submitted = *group;
    *group = NULL; /* it is gone, whatever happens */
    return tw_internal_submit(queue, submitted, event, file, line);
}

static bool are_equal(const struct tw_use *one, const struct tw_use *other)
{
    return one->data == other->data && one->needs == other->needs && one->writes == other->writes
           && tw_box_covers(&one->box, &other->box) && tw_box_covers(&other->box, &one->box);
}

/* Returns true if one group can run in the other's place: both have a kernel to run, or the same step, and the same
   uses. */
static bool are_alike(const struct tw_command_group *one, const struct tw_command_group *other)
{
    const struct tw_task_kind *body = tw_command_group_body(one);
    if (!body->execute || other->divided || other->algorithm || body != tw_command_group_body(other)
        || one->use_count != other->use_count)
        return false;
    if (!body->launches
        && (one->args_bytes != other->args_bytes || memcmp(one->args, other->args, one->args_bytes) != 0))
        return false;
    for (size_t i = 0; i < one->use_count; ++i)
        if (!are_equal(&one->uses[i], &other->uses[i]))
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

/* Returns true if a group accesses a part of a buffer. */
static bool accesses_parts(const struct tw_command_group *group)
{
    for (size_t i = 0; i < group->use_count; ++i)
        if (group->uses[i].is_part)
            return true;
    return false;
}

/* Finds the pointers in a group's block that lead into its buffers, which the caller frees. Returns false if there is no
   kernel, if a word of the block may be an address that the kernel's list does not have, or if memory is exhausted. */
static bool find_pointers(const struct tw_command_group *group, struct tw_fallback_pointer **pointers, size_t *count)
{
    const size_t words = group->kernel ? group->args_bytes / sizeof(void *) : 0;
    *count = 0;
    *pointers = words ? malloc(words * sizeof **pointers) : NULL;
    for (size_t i = 0; *pointers && i < words; ++i) {
        struct tw_fallback_pointer *pointer = &(*pointers)[*count];
        const void *address;
        memcpy(&address, group->args + i * sizeof address, sizeof address);
        pointer->at = i * sizeof address;
        pointer->data = tw_kernel_data_at(group, address, &pointer->offset);
        if (!pointer->data)
            continue;
        if (!tw_kernel_has_pointer_at(group->kernel, pointer->at))
            return false;
        ++*count;
    }
    return *pointers != NULL;
}

/* Records a group for the fallback queue too, for the case that its command fails later. One that accesses parts of buffers
   runs in memory of its own there, beside the other parts. If that does not succeed, the command has no fallback. */
static void record_fallback(struct tw_command_group *group, tw_queue *fallback, tw_command_group_function function,
                            void *user)
{
    struct tw_command_group *other = record_by(function, user, fallback);
    struct tw_fallback_pointer *pointers = NULL;
    size_t count = 0;
    const bool is_part = accesses_parts(group);
    if (other && other->status == TW_SUCCESS && are_alike(group, other)
        && (!is_part || find_pointers(other, &pointers, &count))) {
        const struct tw_fallback_record record = {.kernel = other->kernel,
                                                  .launch = &other->launch,
                                                  .bounds = other->bounds,
                                                  .args = other->args,
                                                  .args_bytes = other->args_bytes,
                                                  .use_count = other->use_count,
                                                  .is_part = is_part,
                                                  .pointers = pointers,
                                                  .pointer_count = count};
        group->fallback = tw_fallback_create(&fallback->tasks, &record);
        if (group->fallback)
            other->bounds = NULL;
    }
    free(pointers);
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
        if (i == 0 && recorded && recorded->divided)
            recorded->divided->fallback = fallback;
        else if (i == 0 && recorded && recorded->status == TW_SUCCESS && fallback && fallback->device != queue->device
                 && !recorded->on_host && !recorded->has_native_task && !recorded->algorithm
                 && !tw_queue_is_recording(queue))
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
