/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host accessors (spec 3.6.4.7). Each is a command on host memory whose body is the program's own code, from
 * acquisition to release. Also copies a buffer's contents back to the host when it is destroyed.
 */
#include "host_accessor.h"

#include <stdlib.h>

#include "base/detail.h"
#include "base/failure.h"
#include "base/lock.h"
#include "base/process.h"
#include "buffer.h"
#include "host_access.h"
#include "runtime/allocation.h"
#include "runtime/ready.h"
#include "runtime/run.h"
#include "runtime/submit.h"
#include "runtime/wait.h"
#include "storage.h"

struct tw_host_accessor {
    struct tw_hold hold;      /* with a reference to the command */
    struct tw_buffer *buffer; /* kept alive by the command */
};

static struct tw_command *unfinished_access(const void *what)
{
    struct tw_command *command = *(struct tw_command *const *)what;
    return command->acquired || command->complete ? NULL : command;
}

static struct tw_command *incomplete(const void *what)
{
    struct tw_command *command = *(struct tw_command *const *)what;
    return command->complete ? NULL : command;
}

static tw_status submit_locked(struct tw_command *command)
{
    const unsigned long mark = tw_mark_own_accesses_locked();
    if (mark && tw_command_would_wait_locked(command, mark))
        return tw_fail(TW_ERROR_WOULD_DEADLOCK,
                       "the access would wait for a host accessor that this thread holds; release that one first");
    return tw_command_submit_locked(command);
}

/* Submits a host access and waits until its body may run; then the caller gets a reference to the command. On failure
   waits until the command is complete, and returns the failure's status. */
static tw_status acquire(struct tw_buffer *buffer, bool needs, bool writes, struct tw_command **result)
{
    tw_status status = tw_check_copy(buffer);
    if (status == TW_SUCCESS)
        status = tw_check_process();
    if (status == TW_SUCCESS && (needs || writes))
        status = tw_data_allocate(&buffer->data, 0);
    if (status != TW_SUCCESS)
        return status;
    struct tw_command *command = tw_command_create(&tw_host_access_object, &(struct tw_memory){.block = NULL}, 1, 1, 0);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a host access");
    command->device = tw_host_device();
    command->home = command->queue = command->device->system;
    command->body.kind = TW_TASK_HOST_ACCESS;
    command->uses[0] = (struct tw_use){.data = &buffer->data, .needs = needs, .writes = writes};
    command->use_count = 1;
    tw_lock();
    atomic_fetch_add(&buffer->uses, 1);
    tw_storage_begin_locked(command->uses, 1);
    tw_awaited = command;
    status = submit_locked(command);
    if (status != TW_SUCCESS) {
        tw_awaited = NULL;
        tw_storage_abandon_locked(command->uses, 1);
        tw_buffer_unuse_locked(buffer);
        tw_command_release_locked(command);
        tw_unlock();
        return status;
    }
    tw_wait_locked(unfinished_access, &command, NULL, NULL);
    tw_awaited = NULL;
    status = command->status;
    const struct tw_failure *failure = command->failure;
    char description[TW_DESCRIPTION_BYTES];
    if (status == TW_ERROR_CANCELLED && !buffer->data.contents.lost)
        status = failure->status; /* of a copy for another command */
    if (status == TW_ERROR_CANCELLED)
        status = tw_fail(TW_ERROR_DATA_LOST, "the buffer's contents are lost: %s",
                         tw_failure_describe(failure, description));
    else if (status != TW_SUCCESS)
        tw_fail(status, "%s", tw_failure_message(failure));
    if (status != TW_SUCCESS) {
        tw_wait_locked(incomplete, &command, NULL, NULL);
        tw_command_release_locked(command);
        tw_unlock();
        return status;
    }
    tw_unlock();
    *result = command;
    return TW_SUCCESS;
}

tw_status tw_host_access(tw_buffer *buffer, tw_access_mode mode, tw_host_accessor **result)
{
    if (!buffer || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", buffer ? "place for the accessor" : "buffer");
    if (!tw_access_mode_is_valid(mode) || mode == TW_ATOMIC)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no access mode", (int)mode);
    if (buffer->read_only && tw_access_mode_writes(mode))
        return tw_fail(TW_ERROR_READ_ONLY_BUFFER, "the buffer is over const memory; only TW_READ can access it");
    struct tw_host_accessor *accessor = calloc(1, sizeof *accessor);
    if (!accessor)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a host accessor");
    struct tw_command *command = NULL;
    const tw_status status = acquire(buffer, tw_access_mode_needs(mode), tw_access_mode_writes(mode), &command);
    if (status != TW_SUCCESS) {
        free(accessor);
        tw_reclaim();
        return status;
    }
    accessor->buffer = buffer;
    tw_lock();
    tw_hold_locked(&accessor->hold, command);
    tw_unlock();
    *result = accessor;
    return TW_SUCCESS;
}

void *tw_host_accessor_data(tw_host_accessor *accessor)
{
    return accessor ? atomic_load(&accessor->buffer->data.allocations[0].address) : NULL;
}

const void *tw_host_accessor_const_data(const tw_host_accessor *accessor)
{
    return accessor ? atomic_load(&accessor->buffer->data.allocations[0].address) : NULL;
}

void tw_host_accessor_release(tw_host_accessor **handle)
{
    if (!handle || !*handle)
        return;
    struct tw_host_accessor *accessor = *handle;
    *handle = NULL;
    if (tw_is_forked)
        return;
    struct tw_command *command = accessor->hold.command;
    tw_lock();
    tw_unhold_locked(&accessor->hold);
    tw_command_finish_access_locked(command, NULL);
    tw_command_release_locked(command);
    tw_unlock();
    free(accessor);
    tw_reclaim();
}

/* Accesses the buffer to read and write, so that it also waits for readers: they use the program's memory. */
tw_status tw_buffer_bring_home(struct tw_buffer *buffer)
{
    struct tw_command *command = NULL;
    const tw_status status = acquire(buffer, true, true, &command);
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    tw_command_finish_access_locked(command, NULL);
    tw_command_release_locked(command);
    tw_unlock();
    return TW_SUCCESS;
}
