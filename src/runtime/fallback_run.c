/* SPDX-License-Identifier: Apache-2.0 */
/* Running a command on its fallback's device: copies its inputs, launches its kernel, and hands over its results. */
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "command.h"
#include "fallback_data.h"

static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock, never after */

static bool is_defined(const struct tw_fallback *fallback, size_t use)
{
    return memchr(fallback->held + use * fallback->space_count, true, fallback->space_count) != NULL;
}

/* Returns true if what a use needs must be copied to the fallback's device. */
static bool is_missing(const struct tw_command *command, size_t use)
{
    const struct tw_use *needed = &command->uses[use];
    const size_t space = command->device->space;
    if (!needed->needs || !is_defined(command->fallback, use))
        return false;
    tw_lock();
    const bool is_there = tw_fallback_holds_locked(command, use, space)
                          || (command->fallback->expected[use] && !tw_fallback_copy_failed_locked(needed, space));
    tw_unlock();
    return !is_there;
}

/* Copies what a use needs to the fallback's device, from the first memory space where that works. */
static tw_status bring(const struct tw_command *command, size_t use)
{
    const struct tw_fallback *fallback = command->fallback;
    const struct tw_data *data = command->uses[use].data;
    const size_t to = command->device->space;
    tw_status status = tw_fail(TW_ERROR_TRANSFER_FAILED, "no device has the contents any more");
    for (size_t from = 0; from < fallback->space_count && status != TW_SUCCESS; ++from) {
        tw_lock();
        const bool holds = from != to && tw_fallback_holds_locked(command, use, from);
        tw_unlock();
        if (holds)
            status = tw_fallback_copy(data, from, data, to, &data->whole);
    }
    return status;
}

/* Copies what the command wrote to where later commands expect it. If that fails, it stays, and they are redirected. */
static void hand_over(const struct tw_command *command, const struct tw_use *use)
{
    struct tw_data *data = use->data;
    const size_t first = command->fallback->first_space, here = command->device->space;
    if (first == here)
        return;
    const tw_status status = tw_fallback_copy(data, here, data, first, &data->whole);
    tw_lock();
    if (status == TW_SUCCESS)
        tw_graph_lose(&data->allocations[first].resource, NULL, NULL);
    else
        tw_fallback_stays_locked(command, use, status);
    tw_unlock();
}

static tw_status execute(struct tw_task *task)
{
    struct tw_command *command = task->command;
    struct tw_fallback *fallback = command->fallback;
    struct tw_backend_device *device = command->device->backend;
    tw_status status = TW_SUCCESS;
    fallback->launch.accesses = command->uses; /* equal to those of the recorded group, which are gone */
    fallback->launch.access_count = command->use_count;
    pthread_mutex_lock(&running);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (is_missing(command, i))
            status = bring(command, i);
    if (status == TW_SUCCESS)
        status = fallback->kernel ? device->backend->launch(device, fallback->kernel, &fallback->launch)
                                  : tw_kind_step.execute(&command->body);
    if (status == TW_SUCCESS)
        status = tw_command_check_bounds(command);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (command->uses[i].writes)
            hand_over(command, &command->uses[i]);
    pthread_mutex_unlock(&running);
    return status;
}

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    (task->command->kernel ? &tw_kind_kernel : &tw_kind_step)->describe(task, told);
}

const struct tw_task_kind tw_kind_fallback = {
    .what = "a data movement",
    .execute = execute,
    .describe = describe,
};
