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
    struct tw_hold hold;   /* with a reference to the command, which keeps the buffer alive; no elements: no command */
    void *data;            /* the first element */
    tw_range range, pitch; /* of the part; of the whole buffer */
    tw_id offset;          /* of the part in the buffer that was given */
    struct tw_internal_bounds bounds; /* record of indices outside of its views */
};

static _Alignas(128) unsigned char nothing[1]; /* what an accessor without elements points at */

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
        return tw_fail(TW_ERROR_WOULD_DEADLOCK, "the access would wait " TW_WAITS_FOR_ITSELF);
    return tw_command_submit_locked(command);
}

/* Returns the status of a command that was waited for, with the thread's tw_error_detail(). */
static tw_status outcome_locked(const struct tw_command *command, const struct tw_data *data, const struct tw_box *box)
{
    tw_status status = command->status;
    const struct tw_failure *failure = command->failure;
    char description[TW_DESCRIPTION_BYTES];
    struct tw_box_node part = tw_box_node(box, &data->whole);
    /* by a copy for another command, which failed, or was cancelled because of other elements that it should bring */
    if (status == TW_ERROR_CANCELLED && !tw_graph_lost(&data->contents, &part))
        status = failure->status == TW_ERROR_OUT_OF_BOUNDS || failure->status == TW_ERROR_OUT_OF_MEMORY
                         || failure->status == TW_ERROR_CHANGED_MEMORY
                     ? failure->status
                     : TW_ERROR_TRANSFER_FAILED;
    if (status == TW_ERROR_CANCELLED)
        return tw_fail(TW_ERROR_DATA_LOST, "the buffer's contents are lost: they depend on %s",
                       tw_failure_describe(failure, description));
    return status == TW_SUCCESS ? status : tw_fail(status, "%s", tw_failure_message(failure));
}

tw_status tw_host_command_run(struct tw_buffer *buffer, struct tw_command *command)
{
    const struct tw_box box = command->uses[0].box;
    tw_lock();
    atomic_fetch_add(&buffer->uses, 1);
    tw_storage_begin_locked(command->uses, 1);
    tw_status status = command->device ? TW_SUCCESS : tw_host_copy_place_locked(command);
    if (status == TW_SUCCESS) {
        tw_awaited = command;
        status = submit_locked(command);
    }
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
    status = outcome_locked(command, &buffer->data, &box);
    if (status != TW_SUCCESS) {
        tw_wait_locked(incomplete, &command, NULL, NULL);
        tw_command_release_locked(command);
    }
    tw_unlock();
    return status;
}

/* Submits a host access and waits until its body may run; then the caller gets a reference to the command. On failure
   waits until the command is complete, and returns the failure's status. */
static tw_status acquire(struct tw_buffer *buffer, const struct tw_box *box, bool needs, bool writes,
                         struct tw_command **result)
{
    tw_status status = tw_check_copy(buffer);
    if (status == TW_SUCCESS)
        status = tw_check_process();
    if (status == TW_SUCCESS && (needs || writes))
        status = tw_data_allocate(&buffer->data, 0);
    if (status != TW_SUCCESS)
        return status;
    struct tw_command *command = tw_host_access_create(&buffer->data, box, needs, writes);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a host access");
    status = tw_host_command_run(buffer, command);
    if (status == TW_SUCCESS)
        *result = command;
    return status;
}

static tw_status check_access(const tw_buffer *buffer, tw_access_mode mode, tw_host_accessor *const *result)
{
    if (!buffer || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", buffer ? "place for the accessor" : "buffer");
    if (mode == TW_ATOMIC)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       "TW_ATOMIC is for kernels: a host accessor has the contents to itself, by TW_READ_WRITE");
    if (!tw_access_mode_is_valid(mode))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no access mode", (int)mode);
    if (buffer->read_only && tw_access_mode_writes(mode))
        return tw_fail(TW_ERROR_READ_ONLY_BUFFER, "the buffer is over const memory; only TW_READ can access it");
    return tw_check_copy(buffer);
}

tw_status tw_host_access_part(tw_buffer *buffer, tw_id offset, tw_range range, tw_access_mode mode,
                              tw_host_accessor **result)
{
    struct tw_box box;
    tw_status status = check_access(buffer, mode, result);
    if (status == TW_SUCCESS)
        status = tw_buffer_box(buffer, offset, range, &box);
    if (status == TW_SUCCESS)
        status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    struct tw_host_accessor *accessor = calloc(1, sizeof *accessor);
    if (!accessor)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a host accessor");
    accessor->range = range;
    accessor->pitch = buffer->root->range;
    accessor->offset = offset;
    if (tw_box_is_empty(&box)) {
        accessor->data = nothing;
    } else {
        struct tw_command *command = NULL;
        status = acquire(buffer->root, &box, tw_access_mode_needs(mode), tw_access_mode_writes(mode), &command);
        if (status != TW_SUCCESS) {
            free(accessor);
            tw_reclaim();
            return status;
        }
        accessor->data = tw_buffer_address(buffer, &box, 0);
        tw_lock();
        tw_hold_locked(&accessor->hold, command);
        tw_unlock();
    }
    *result = accessor;
    return TW_SUCCESS;
}

tw_status tw_host_access(tw_buffer *buffer, tw_access_mode mode, tw_host_accessor **result)
{
    if (!buffer)
        return check_access(buffer, mode, result);
    const tw_id start = {.dims = buffer->range.dims};
    return tw_host_access_part(buffer, start, buffer->range, mode, result);
}

void *tw_host_accessor_data(tw_host_accessor *accessor)
{
    return accessor ? accessor->data : NULL;
}

const void *tw_host_accessor_const_data(const tw_host_accessor *accessor)
{
    return accessor ? accessor->data : NULL;
}

tw_range tw_host_accessor_range(const tw_host_accessor *accessor)
{
    const tw_range none = {{0, 0, 0}, 0};
    return accessor ? accessor->range : none;
}

tw_range tw_host_accessor_pitch(const tw_host_accessor *accessor)
{
    const tw_range none = {{0, 0, 0}, 0};
    return accessor ? accessor->pitch : none;
}

tw_id tw_host_accessor_offset(const tw_host_accessor *accessor)
{
    const tw_id none = {{0, 0, 0}, 0};
    return accessor ? accessor->offset : none;
}

struct tw_internal_bounds *tw_internal_host_bounds_of(tw_host_accessor *accessor)
{
    return accessor ? &accessor->bounds : NULL;
}

tw_status tw_host_accessor_release(tw_host_accessor **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_host_accessor *accessor = *handle;
    *handle = NULL;
    if (tw_is_forked)
        return TW_SUCCESS;
    struct tw_command *command = accessor->hold.command;
    tw_detail_of_task(true); /* whoever needs the contents is told the same */
    const tw_status status = tw_bounds_check(&accessor->bounds, NULL);
    tw_detail_of_task(false);
    if (status != TW_SUCCESS)
        tw_fail(status, "%s", tw_task_detail());
    if (command) {
        tw_lock();
        if (status != TW_SUCCESS)
            command->body.failure = tw_command_failure_locked(command, status);
        tw_unhold_locked(&accessor->hold);
        tw_command_finish_access_locked(command, command->body.failure);
        tw_command_release_locked(command);
        tw_unlock();
    }
    free(accessor);
    tw_reclaim();
    return status;
}

tw_status tw_buffer_access_briefly(struct tw_buffer *buffer, const struct tw_box *box, struct tw_device *device,
                                   bool needs, bool writes)
{
    struct tw_command *command = tw_brief_access_create(&buffer->data, box, device, needs, writes);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an access to a buffer");
    const tw_status status = tw_host_command_run(buffer, command);
    if (status == TW_SUCCESS)
        tw_command_release(command);
    return status;
}

/* Copies a box to memory of the program where its rows lie back to back, from where the contents are. */
static tw_status copy_out(struct tw_buffer *buffer, const struct tw_box *box, void *to)
{
    struct tw_command *command = tw_host_copy_create(&buffer->data, box, to, false);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to copy a buffer's contents");
    const tw_status status = tw_host_command_run(buffer, command);
    if (status == TW_SUCCESS)
        tw_command_release(command);
    return status;
}

tw_status tw_buffer_bring_home(struct tw_buffer *buffer, const struct tw_box *box, bool needs, bool writes, void *to)
{
    const bool elsewhere = to && to != tw_buffer_address(buffer, box, 0);
    struct tw_command *command = NULL;
    const tw_status copied = elsewhere ? copy_out(buffer, box, to) : TW_SUCCESS;
    if (elsewhere && (!writes || copied == TW_ERROR_WOULD_DEADLOCK || copied == TW_ERROR_OUT_OF_MEMORY))
        return copied;
    const tw_status status = acquire(buffer, box, needs && !elsewhere, writes, &command);
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    tw_command_finish_access_locked(command, NULL);
    tw_command_release_locked(command);
    tw_unlock();
    return copied;
}
