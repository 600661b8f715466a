/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User events: commands whose body is finished by the program, as that of a host access. Each is a command of the
 * host's own task queue, without uses, so that groups and waiting threads treat it like any other.
 */
#include "user_event.h"

#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "objects/devices/lifetime.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"
#include "runtime/run.h"
#include "runtime/submit.h"

/* In the command's argument block. */
struct user_event {
    atomic_size_t handles; /* references of the program, which alone can complete the event */
    bool completed;        /* ... or given up; under the lock */
};

static struct user_event *state_of(const struct tw_command *command)
{
    return (struct user_event *)(void *)command->args;
}

static void completed_locked(struct tw_command *command)
{
    (void)command; /* has nothing */
}

static const struct tw_command_object object = {.completed_locked = completed_locked,
                                                .released_locked = tw_command_free};

static bool ready_locked(struct tw_task *task)
{
    (void)task;
    return false; /* until the program completes the event */
}

static const struct tw_task_kind user_event = {
    .tool_kind = TW_TOOL_USER_EVENT,
    .name = "user event",
    .what = "a user event",
    .awaits_program = true,
    .ready_locked = ready_locked,
};

static tw_status create(tw_event **event)
{
    struct tw_command *command =
        tw_command_create(&object, &(struct tw_memory){.block = NULL}, 0, 0, false, sizeof(struct user_event));
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a user event");
    struct user_event *state = state_of(command);
    atomic_init(&state->handles, 1);
    state->completed = false;
    command->device = tw_host_device();
    command->home = command->queue = command->device->system;
    command->body.kind = &user_event;
    command->is_user_event = true;
    command->timed = true;
    tw_lock();
    const tw_status status = tw_command_submit_locked(command);
    if (status != TW_SUCCESS)
        tw_command_release_locked(command);
    tw_unlock();
    if (status == TW_SUCCESS)
        *event = &command->events[TW_PHASE_COMPLETE]; /* takes over the reference from creation */
    return status;
}

tw_status tw_event_create_user(tw_event **event)
{
    if (!event)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the event is to be stored at NULL");
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = create(event);
    tw_runtime_leave();
    return status;
}

/* Completes an event, which fails unless `status` is TW_SUCCESS, with the thread's tw_task_detail() as its message. */
static void complete_locked(struct tw_command *command, tw_status status)
{
    state_of(command)->completed = true;
    if (status != TW_SUCCESS)
        command->body.failure = tw_failure_make_locked(status, "a user event", NULL, NULL, 0);
    tw_command_finish_access_locked(command, command->body.failure);
}

tw_status tw_event_complete(tw_event *event, tw_status status)
{
    struct tw_command *command = event ? tw_command_of(event) : NULL;
    if (!command || !command->is_user_event)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       command ? "the event is that of a command group, which completes it" : "the event is NULL");
    if ((unsigned)status >= TW_STATUS_COUNT)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no status", (int)status);
    const tw_status allowed = tw_check_process();
    if (allowed != TW_SUCCESS)
        return allowed;
    if (status != TW_SUCCESS) {
        tw_detail_of_task(true);
        (void)tw_fail(status, "the program completed it with %s", tw_status_name(status));
        tw_detail_of_task(false);
    }
    tw_lock();
    const bool is_first = !state_of(command)->completed;
    if (is_first)
        complete_locked(command, status);
    tw_unlock();
    tw_reclaim();
    return is_first ? TW_SUCCESS : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the user event is complete already");
}

void tw_user_event_retain(struct tw_command *command)
{
    atomic_fetch_add(&state_of(command)->handles, 1);
}

void tw_user_event_release(struct tw_command *command)
{
    if (atomic_fetch_sub(&state_of(command)->handles, 1) != 1 || tw_is_forked)
        return;
    tw_detail_of_task(true);
    (void)tw_fail(TW_ERROR_CANCELLED, "its last reference was released before it was completed");
    tw_detail_of_task(false);
    tw_lock();
    if (!state_of(command)->completed)
        complete_locked(command, TW_ERROR_CANCELLED);
    tw_unlock();
    tw_reclaim();
}
