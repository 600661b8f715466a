/* SPDX-License-Identifier: Apache-2.0 */
/* Calls functions of the program, which may call the library again. */
#include "host_task.h"

#include <stdio.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "hold.h"
#include "ready.h"

#define DETAIL_BYTES 1024

/* A call of the function of a native task. */
struct native_call {
    const struct tw_host_task *task;
    tw_native native;
};

static tw_status call_native(void *user)
{
    const struct native_call *native = user;
    return native->task->native_function(native->task->block, &native->native);
}

/* Calls the function, which simulated devices watch as they do a kernel. */
static tw_status run_native(const struct tw_command *command, const struct tw_host_task *task, void *stream)
{
    struct native_call native = {task, task->native};
    struct tw_backend_device *device = command->device->backend;
    const struct tw_internal_launch accesses = {.accesses = command->uses, .access_count = command->use_count};
    native.native.stream = stream;
    return device->backend->watch ? device->backend->watch(device, &accesses, call_native, &native)
                                  : call_native(&native);
}

/* Calls the function, whose target regions run on the queue's device if they do not name another. If it does not return, as by
   pthread_exit(), its command could never end: that ends the program. */
static tw_status call(const struct tw_command *command, const struct tw_host_task *task, void *stream)
{
    bool returned TW_ENDS_UNLESS_TRUE = false;
    const int before = task->omp_set_default(task->omp_device);
    const tw_status status = task->function ? task->function(task->block) : run_native(command, task, stream);
    (void)task->omp_set_default(before);
    returned = true;
    return status;
}

/* Does the same while this thread holds the command open, so that waits for it are refused. */
static tw_status call_held(struct tw_command *command, const struct tw_host_task *task)
{
    struct tw_hold hold;
    tw_lock();
    tw_hold_locked(&hold, command);
    tw_unlock();
    const tw_status status = call(command, task, NULL);
    tw_lock();
    tw_unhold_locked(&hold);
    tw_unlock();
    return status;
}

/* Calls the function, and returns what its command ends with. One on a stream is in a list of those in flight, and calls
   nothing that waits: it is not `held`. */
static tw_status run(struct tw_command *command, void *stream, bool held)
{
    const struct tw_host_task *task = (const struct tw_host_task *)(const void *)command->args;
    const struct tw_command *const awaited = tw_awaited;
    char before[DETAIL_BYTES], detail[DETAIL_BYTES];
    /* the thread may be one of the program that waits: what it knows is put aside */
    tw_awaited = NULL;
    const bool in_task = tw_detail_of_task(false);
    snprintf(before, sizeof before, "%s", tw_error_detail());
    (void)tw_fail(TW_SUCCESS, "%s", "");
    tw_status status = held ? call_held(command, task) : call(command, task, stream);
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    (void)tw_fail(TW_SUCCESS, "%s", before);
    (void)tw_detail_of_task(in_task);
    tw_awaited = awaited;
    if (status == TW_SUCCESS)
        return command->bounds ? tw_bounds_check(command->bounds, NULL) : TW_SUCCESS;
    const int returned = (int)status;
    if (status == TW_ERROR_CANCELLED || (int)status < 0 || status >= TW_STATUS_COUNT)
        status = TW_ERROR_LAUNCH_FAILED;
    if (detail[0])
        return tw_fail(status, "%s", detail);
    const char *kind = task->function ? "host" : "native";
    return returned >= 0 && returned < TW_STATUS_COUNT
               ? tw_fail(status, "a %s task has returned %s", kind, tw_status_name((tw_status)returned))
               : tw_fail(status, "a %s task has returned %d, which is no status", kind, returned);
}

static tw_status execute(struct tw_task *task)
{
    return run(task->command, NULL, true);
}

/* For a backend's streams; `command` is a struct tw_command, and `stream` the device's own, or NULL. */
static tw_status call_on_stream(const void *command, void *stream)
{
    return run((struct tw_command *)(uintptr_t)command, stream, false);
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    return async->native(stream, call_on_stream, task->command, &task->sequence);
}

static const void *domain(struct tw_command *command)
{
    const struct tw_host_task *task = (const struct tw_host_task *)(const void *)command->args;
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_async *async = device->backend->async;
    return async && async->native && task->enqueues && !command->bounds && async->reaches(device, device) ? async
                                                                                                          : NULL;
}

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    const struct tw_host_task *host_task = (const struct tw_host_task *)(const void *)task->command->args;
    told->name = host_task->name;
}

const struct tw_task_kind tw_kind_host = {
    .tool_kind = TW_TOOL_HOST_TASK,
    .what = "a host task",
    .may_block = true,
    .execute = execute,
    .describe = describe,
};

const struct tw_task_kind tw_kind_native = {
    .tool_kind = TW_TOOL_NATIVE_TASK,
    .what = "a native task",
    .occupies = true,
    .writes_more = true,
    .domain = domain,
    .execute = execute,
    .enqueue = enqueue,
    .describe = describe,
};
