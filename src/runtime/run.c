/* SPDX-License-Identifier: Apache-2.0 */
/* Running tasks on the thread that took them. Does not choose them. */
#define _GNU_SOURCE
#include "run.h"

#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/tuning.h"
#include "complete.h"
#include "fallback_take.h"
#include "observe.h"
#include "ready.h"
#include "stream.h"

static unsigned running;                   /* tasks and batches that run; under the lock */
static _Thread_local unsigned own_running; /* ... on this thread */

void tw_command_finish_access_locked(struct tw_command *command, struct tw_failure *failure)
{
    tw_task_finish_locked(&command->body, failure, false);
    tw_issue_locked();
}

/* Notes that a task begins. Releases the lock. */
static void begin_task_locked(struct tw_task *task)
{
    struct tw_command *command = task->command;
    if (task == &command->body) /* a command's copies may run long before its body can */
        tw_command_start_locked(command);
    if (task->exclusive)
        command->device->exclusive_running = true;
    tw_observe_begin_locked(task);
    const struct tw_command *next = command->next;
    tw_unlock();
    tw_memory_fetch(next, TW_FETCHED_BYTES); /* in no cache if many are queued; may be freed already */
    tw_detail_of_task(true);
    tw_observe_begin(task);
}

/* Finishes a task that has run. Takes the lock. */
static void end_task(struct tw_task *task, tw_status status)
{
    struct tw_command *command = task->command;
    struct tw_device *device = command->device;
    tw_detail_of_task(false);
    tw_observe_end_lock(task);
    if (task->exclusive)
        device->exclusive_running = false;
    const bool made_room = task->exclusive || task->copying;
    device->copying -= task->copying;
    task->copying = false;             /* it may run again, elsewhere */
    if (made_room && device->active) { /* other tasks may have waited for the device */
        tw_wake_worker_locked(device, true);
        tw_announce_device_locked(device);
    }
    if (status != TW_SUCCESS)
        task->failure = tw_command_failure_locked(command, status);
    if (status != TW_SUCCESS && task->kind->launches && !tw_launch_was_refused())
        tw_fallback_kernel_has_run(command);
    tw_running_queue = command->queue;
    tw_task_finish_locked(task, task->failure, false);
    tw_running_queue = NULL;
    tw_issue_locked();
}

/* ---- batches of kernels ------------------------------------------------------------------------------------------ */

struct kernel_batch {
    struct tw_backend_batch batch; /* first: the backend's view */
    struct tw_device *device;
    struct tw_task *task; /* the running one; at the end one that was taken but has not begun, or NULL */
    struct tw_task_source *source;
};

static bool is_for_batch(const struct tw_task *task)
{
    return task->kind->launches && task->exclusive;
}

static bool next_kernel(struct tw_backend_batch *base, tw_status status)
{
    struct kernel_batch *batch = (struct kernel_batch *)base;
    if (status == TW_SUCCESS)
        status = tw_command_check_bounds(batch->task->command);
    end_task(batch->task, status);
    struct tw_task *task = batch->task = batch->source->take_locked(batch->source);
    if (!task || !is_for_batch(task) || task->command->device != batch->device) {
        tw_unlock();
        return false;
    }
    base->kernel = task->command->kernel;
    base->launch = &task->command->launch;
    begin_task_locked(task);
    return true;
}

/* Runs a batch that begins with `task`. Returns a task that was taken but does not belong to the batch, or NULL. */
static struct tw_task *run_batch_locked(struct tw_task *task, struct tw_task_source *source)
{
    struct tw_command *command = task->command;
    struct tw_backend_device *device = command->device->backend;
    struct kernel_batch batch = {{command->kernel, &command->launch, next_kernel}, command->device, task, source};
    begin_task_locked(task);
    device->backend->launch_batch(device, &batch.batch);
    tw_lock();
    return batch.task;
}

static void run_locked(struct tw_task *task, struct tw_task_source *source)
{
    while (task) {
        const struct tw_command *command = task->command;
        /* a batch makes a kernel that stays alone a little slower */
        if (TW_TUNE_BATCHES && is_for_batch(task) && command->next && command->device->backend->backend->launch_batch) {
            task = run_batch_locked(task, source);
        } else {
            begin_task_locked(task);
            end_task(task, task->kind->execute(task));
            task = NULL;
        }
    }
}

void tw_task_run_locked(struct tw_task *task, struct tw_task_source *source)
{
    ++running;
    ++own_running;
    run_locked(task, source);
    --running;
    --own_running;
}

bool tw_others_run_locked(void)
{
    return running > own_running;
}
