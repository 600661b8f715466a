/* SPDX-License-Identifier: Apache-2.0 */
/* Records host tasks and native tasks as the steps of command groups (teamwork/task.h). */
#include <teamwork/task.h>

#include <string.h>

#include "base/detail.h"
#include <teamwork/interop.h>

#include "command_group.h"
#include "objects/queues/queue.h"
#include "runtime/device.h"
#include "runtime/host_task.h"

/* Adds a task without its function. Returns NULL if the group fails. */
static struct tw_host_task *add_task(tw_command_group *group, bool has_function, const void *block, size_t bytes,
                                     const char *name)
{
    if (!has_function || (!block && bytes)) {
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s of the task is NULL",
                                             has_function ? "block" : "function"));
        return NULL;
    }
    struct tw_host_task *task = tw_command_group_make_args(group, sizeof *task, bytes);
    if (!task)
        return NULL;
    task->name = name;
    if (bytes)
        memcpy(task->block, block, bytes);
    const int number = tw_device_omp_number(group->queue->device);
    task->omp_device = number >= 0 ? number : tw_backends[0]->interop->omp_stand_in();
    task->omp_set_default = tw_backends[0]->interop->omp_set_default;
    return task;
}

void tw_internal_host_task(tw_command_group *group, tw_task_function function, const char *name, const void *block,
                           size_t bytes)
{
    if (!tw_command_group_begin_host_task(group, "tw_host_task"))
        return;
    struct tw_host_task *task = add_task(group, function != NULL, block, bytes, name);
    if (task)
        task->function = function;
}

static void add_native(tw_command_group *group, const char *call, bool enqueues, tw_native_function function,
                       const void *block, size_t bytes, const char *name)
{
    tw_device *device = tw_command_group_begin_native_task(group, call);
    struct tw_host_task *task = device ? add_task(group, function != NULL, block, bytes, name) : NULL;
    if (!task)
        return;
    task->native_function = function;
    task->native = (tw_native){device, tw_device_omp_number(device), tw_device_cuda_ordinal(device), NULL};
    task->enqueues = enqueues;
}

void tw_internal_native_task(tw_command_group *group, tw_native_function function, const char *name, const void *block,
                             size_t bytes)
{
    add_native(group, "tw_native_task", false, function, block, bytes, name);
}

void tw_internal_enqueue_task(tw_command_group *group, tw_native_function function, const char *name, const void *block,
                              size_t bytes)
{
    add_native(group, "tw_enqueue_task", true, function, block, bytes, name);
}

/* The functions that the macros hide, for who takes their addresses. */

void(tw_host_task)(tw_command_group *group, tw_task_function function, const void *block, size_t bytes)
{
    tw_internal_host_task(group, function, "host task", block, bytes);
}

void(tw_native_task)(tw_command_group *group, tw_native_function function, const void *block, size_t bytes)
{
    tw_internal_native_task(group, function, "native task", block, bytes);
}

void(tw_enqueue_task)(tw_command_group *group, tw_native_function function, const void *block, size_t bytes)
{
    tw_internal_enqueue_task(group, function, "native task", block, bytes);
}

tw_status tw_task_fail(tw_status status, const char *message)
{
    return tw_fail(status, "%s", message ? message : "");
}
