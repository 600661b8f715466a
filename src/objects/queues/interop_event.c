/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of OpenMP and CUDA beside the library's (teamwork/interop.h).
 *
 * An event that something outside of the library waits for gets a command of its own behind it: one that does nothing
 * on the host and then fulfills OpenMP's event, or one that a stream issues, which records CUDA's.
 */
#include <teamwork/interop.h>

#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "objects/data/host_access.h"
#include "objects/devices/discovery.h"
#include "objects/devices/lifetime.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"
#include "runtime/submit.h"
#include "runtime/wait.h"
#include "runtime/workers.h"

static void nothing_locked(struct tw_command *command)
{
    (void)command;
}

/* Makes a command of a device's own task queue. */
static struct tw_command *make_command(const struct tw_command_object *object, tw_device *device,
                                       const struct tw_task_kind *kind, size_t args_bytes)
{
    struct tw_command *command = tw_command_create(object, &(struct tw_memory){.block = NULL}, 0, 1, false, args_bytes);
    if (!command)
        return NULL;
    command->device = device;
    command->home = command->queue = device->system;
    command->body.kind = kind;
    return command;
}

/* Submits a command behind an event, which may be NULL. */
static tw_status submit_locked(struct tw_command *command, const tw_event *event)
{
    struct tw_command *const before = event ? tw_command_of(event) : NULL;
    if (before && before->is_recorded)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the event is of a recorded group, which never runs by itself");
    return tw_command_submit_after_locked(command, &before, event != NULL);
}

/* ---- OpenMP's events --------------------------------------------------------------------------------------------- */

/* The argument block of a command that fulfills an event of OpenMP. */
struct fulfilment {
    struct tw_late_call call;
    struct tw_command *command; /* with a reference */
    uintptr_t omp_event;
};

static void fulfill(struct tw_late_call *call)
{
    struct fulfilment *fulfilment = (struct fulfilment *)(void *)call;
    struct tw_command *command = fulfilment->command;
    const uintptr_t omp_event = fulfilment->omp_event;
    tw_command_release(command); /* first: the program may shut the library down once the event is fulfilled */
    tw_backends[0]->interop->omp_fulfill(omp_event);
}

/* Also if the command was cancelled. */
static void behind_locked(struct tw_command *command)
{
    struct fulfilment *fulfilment = (struct fulfilment *)(void *)command->args;
    fulfilment->call.call = fulfill;
    tw_reclaim_call_locked(&fulfilment->call);
}

static const struct tw_command_object fulfilling = {.completed_locked = behind_locked,
                                                    .released_locked = tw_command_free};

static tw_status fulfill_behind(const tw_event *event, uintptr_t omp_event)
{
    struct tw_command *command =
        make_command(&fulfilling, tw_host_device(), &tw_kind_nothing, sizeof(struct fulfilment));
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to fulfill an event of OpenMP");
    *(struct fulfilment *)(void *)command->args = (struct fulfilment){.command = command, .omp_event = omp_event};
    tw_lock();
    const tw_status status = submit_locked(command, event); /* the reference from creation goes to the call */
    if (status != TW_SUCCESS)
        tw_command_release_locked(command);
    tw_unlock();
    return status;
}

tw_status tw_event_fulfill_omp(tw_event *event, uintptr_t omp_event)
{
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = fulfill_behind(event, omp_event);
    tw_runtime_leave();
    tw_reclaim(); /* makes the call, if the event has happened */
    return status;
}

/* ---- CUDA's events ----------------------------------------------------------------------------------------------- */

/* The argument block of a command for an event of CUDA, which always has an ordering domain. */
struct cuda_event {
    void *event;  /* the program's, until the command is issued */
    bool records; /* else waits for it */
};

static struct cuda_event *cuda_event_of(const struct tw_command *command)
{
    return (struct cuda_event *)(void *)command->args;
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    (void)async;
    const struct tw_backend_interop *interop = task->command->device->backend->backend->interop;
    const struct cuda_event *cuda = cuda_event_of(task->command);
    return (cuda->records ? interop->record_cuda : interop->wait_cuda)(stream, cuda->event, &task->sequence);
}

static const struct tw_task_kind cuda_event_kind = {
    .tool_kind = TW_TOOL_CUDA_EVENT,
    .name = "CUDA event",
    .what = "a CUDA event",
    .enqueue = enqueue,
};

static const struct tw_command_object cuda_object = {.completed_locked = nothing_locked,
                                                     .released_locked = tw_command_free};

static struct tw_command *unissued(const void *what)
{
    struct tw_command *command = *(struct tw_command *const *)what;
    return command->body.node.issued || command->complete ? NULL : command;
}

static tw_status check_device(const tw_device *device, const void *cuda_event)
{
    if (!cuda_event)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the CUDA event is NULL");
    if (!tw_is_device(device))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, TW_NO_DEVICE);
    const struct tw_backend_interop *interop = device->backend->backend->interop;
    const struct tw_backend_async *async = device->backend->backend->async;
    return interop && interop->wait_cuda && async && async->reaches(device->backend, device->backend)
               ? TW_SUCCESS
               : tw_fail(TW_ERROR_UNSUPPORTED, "%s has no streams of CUDA", tw_device_name(device));
}

/* Submits a command behind an event, which may be NULL. Stores the command, with a reference, and notes that this thread
   waits for its issue, which await_issue() does: meanwhile another thread may ask whether it can wait for this one. */
static tw_status submit_cuda(const tw_event *event, tw_device *device, struct cuda_event cuda,
                             struct tw_command **result, struct tw_hold_wait *wait)
{
    struct tw_command *command = make_command(&cuda_object, device, &cuda_event_kind, sizeof cuda);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an event of CUDA");
    *cuda_event_of(command) = cuda;
    command->body.node.domain = device->backend->backend->async;
    command->timed = true;
    tw_lock();
    const unsigned long mark = event && !tw_command_of(event)->complete ? tw_mark_own_accesses_locked() : 0;
    tw_status status = TW_SUCCESS;
    if (mark && tw_command_of(event)->body.node.mark == mark)
        status = tw_fail(TW_ERROR_WOULD_DEADLOCK, "the event waits " TW_WAITS_FOR_ITSELF);
    if (status == TW_SUCCESS)
        status = submit_locked(command, event);
    if (status == TW_SUCCESS) {
        *result = command;
        *wait = (struct tw_hold_wait){.unfinished = unissued, .what = result};
        tw_hold_wait_locked(wait);
    } else {
        tw_command_release_locked(command);
    }
    tw_unlock();
    return status;
}

/* Waits until a stream has issued a command. Fails if the command was over before that. */
static tw_status await_issue(struct tw_command *command, struct tw_hold_wait *wait)
{
    tw_status status = TW_SUCCESS;
    tw_lock();
    tw_wait_locked(unissued, &command, NULL, NULL);
    tw_hold_wait_end_locked(wait);
    if (!command->body.node.issued && command->status != TW_SUCCESS) {
        char message[1024];
        tw_command_message_locked(command, message, sizeof message);
        status = tw_fail(command->status, "%s", message);
    }
    tw_unlock();
    tw_reclaim();
    return status;
}

/* Checks, submits, and waits for the issue. Stores the command, with a reference, also if it failed later. */
static tw_status submit_and_issue(const tw_event *event, tw_device *device, struct cuda_event cuda,
                                  struct tw_command **command)
{
    struct tw_hold_wait wait;
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = check_device(device, cuda.event);
    if (status == TW_SUCCESS)
        status = tw_device_needs_worker(device);
    if (status == TW_SUCCESS)
        status = submit_cuda(event, device, cuda, command, &wait);
    tw_runtime_leave();
    return status == TW_SUCCESS ? await_issue(*command, &wait) : status;
}

tw_status tw_event_from_cuda(tw_device *device, void *cuda_event, tw_event **event)
{
    if (!event)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the event is to be stored at NULL");
    struct tw_command *command = NULL;
    const tw_status status = submit_and_issue(NULL, device, (struct cuda_event){.event = cuda_event}, &command);
    if (status == TW_SUCCESS)
        *event = &command->events[TW_PHASE_COMPLETE];
    else if (command)
        tw_command_release(command);
    return status;
}

tw_status tw_event_record_cuda(tw_event *event, tw_device *device, void *cuda_event)
{
    struct tw_command *command = NULL;
    const struct cuda_event cuda = {.event = cuda_event, .records = true};
    const tw_status status = submit_and_issue(event, device, cuda, &command);
    if (command)
        tw_command_release(command);
    return status;
}
