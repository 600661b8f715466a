/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that the program waits for, between a buffer and memory of its own (teamwork/copy.h). */
#include <stdint.h>

#include <teamwork/copy.h>

#include "base/detail.h"
#include "base/process.h"
#include "buffer.h"
#include "host_access.h"
#include "host_accessor.h"
#include "runtime/reclaim.h"
#include "usm_place.h"

static tw_status check(const tw_buffer *buffer, bool writes)
{
    if (!buffer)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is NULL");
    if (buffer->read_only && writes)
        return tw_fail(TW_ERROR_READ_ONLY_BUFFER, "the buffer is over const memory and can only be read");
    const tw_status status = tw_check_copy(buffer);
    return status == TW_SUCCESS ? tw_check_process() : status;
}

static tw_status transfer(tw_buffer *buffer, tw_id offset, tw_range range, void *memory, bool writes)
{
    struct tw_box box;
    tw_status status = check(buffer, writes);
    if (status == TW_SUCCESS)
        status = tw_buffer_box(buffer, offset, range, &box);
    if (status != TW_SUCCESS || tw_box_is_empty(&box))
        return status;
    status = tw_usm_check_host(memory, tw_box_count(&box) * buffer->root->data.element_bytes, "the program's memory",
                               "tw_copy_to() and tw_copy_from() copy there");
    if (status != TW_SUCCESS)
        return status;
    struct tw_command *command = tw_host_copy_create(&buffer->root->data, &box, memory, writes);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a copy");
    status = tw_host_command_run(buffer->root, command);
    if (status == TW_SUCCESS)
        tw_command_release(command);
    tw_reclaim();
    return status;
}

tw_status tw_buffer_read_part(tw_buffer *buffer, tw_id offset, tw_range range, void *memory)
{
    return transfer(buffer, offset, range, memory, false);
}

tw_status tw_buffer_write_part(tw_buffer *buffer, tw_id offset, tw_range range, const void *memory)
{
    return transfer(buffer, offset, range, (void *)(uintptr_t)memory, true);
}

tw_status tw_buffer_read(tw_buffer *buffer, void *memory)
{
    const tw_range range = tw_buffer_range(buffer);
    return transfer(buffer, (tw_id){.dims = range.dims}, range, memory, false);
}

tw_status tw_buffer_write(tw_buffer *buffer, const void *memory)
{
    const tw_range range = tw_buffer_range(buffer);
    return transfer(buffer, (tw_id){.dims = range.dims}, range, (void *)(uintptr_t)memory, true);
}
