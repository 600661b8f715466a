/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers (spec 3.6.1): creation, queries, and the end of the last use. Knows storages only by tw_buffer_storage. */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/lock.h"
#include "device.h"
#include "runtime/allocation.h"
#include "runtime/command.h"

bool tw_access_mode_is_valid(tw_access_mode mode)
{
    return mode >= TW_READ && mode <= TW_ATOMIC;
}

bool tw_access_mode_needs(tw_access_mode mode)
{
    return mode != TW_DISCARD_WRITE && mode != TW_DISCARD_READ_WRITE;
}

bool tw_access_mode_writes(tw_access_mode mode)
{
    return mode != TW_READ;
}

static tw_status check_shape(size_t element_bytes, tw_range range, const void *result)
{
    if (!result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is to be stored at NULL");
    if (!element_bytes)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a buffer's elements have at least one byte");
    if (!tw_range_is_valid(range))
        return tw_fail(TW_ERROR_INVALID_RANGE, "the buffer's range has no valid dimensions (%u), or overflows",
                       range.dims);
    if (!tw_range_count(range))
        return tw_fail(TW_ERROR_INVALID_RANGE, "a buffer has at least one element");
    size_t bytes = 0;
    if (__builtin_mul_overflow(tw_range_count(range), element_bytes, &bytes) || bytes > SIZE_MAX / 2)
        return tw_fail(TW_ERROR_INVALID_RANGE, "%zu elements of %zu bytes are more than memory can hold",
                       tw_range_count(range), element_bytes);
    return TW_SUCCESS;
}

static tw_status create_alive(void *host, size_t element_bytes, tw_range range, tw_buffer **result)
{
    struct tw_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a buffer");
    const tw_status status = tw_data_init(&buffer->data, range, element_bytes);
    if (status != TW_SUCCESS) {
        free(buffer);
        return status;
    }
    buffer->handles = 1;
    atomic_init(&buffer->uses, 1);
    buffer->copy = &tw_this_copy;
    if (host) {
        buffer->over_host = buffer->lent = true;
        buffer->data.allocations[0].valid = true;
        atomic_store(&buffer->data.allocations[0].address, host);
    }
    tw_lock();
    tw_object_born_locked();
    tw_unlock();
    *result = buffer;
    return TW_SUCCESS;
}

static tw_status create(void *host, size_t element_bytes, tw_range range, tw_buffer **result)
{
    tw_status status = check_shape(element_bytes, range, result);
    if (status != TW_SUCCESS)
        return status;
    status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = create_alive(host, element_bytes, range, result);
    tw_runtime_leave();
    return status;
}

tw_status tw_buffer_create_over(void *host, size_t element_bytes, tw_range range, tw_buffer **buffer)
{
    if (!host)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the host memory is NULL; tw_buffer_create() needs none");
    return create(host, element_bytes, range, buffer);
}

tw_status tw_buffer_create_over_const(const void *host, size_t element_bytes, tw_range range, tw_buffer **buffer)
{
    if (!host)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the host memory is NULL; tw_buffer_create() needs none");
    const tw_status status = create((void *)(uintptr_t)host, element_bytes, range, buffer);
    if (status == TW_SUCCESS)
        (*buffer)->read_only = true;
    return status;
}

tw_status tw_buffer_create(size_t element_bytes, tw_range range, tw_buffer **buffer)
{
    return create(NULL, element_bytes, range, buffer);
}

tw_status tw_buffer_create_copy(const void *data, size_t element_bytes, tw_range range, tw_buffer **result)
{
    if (!data)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the data to copy is NULL");
    struct tw_buffer *buffer = NULL;
    if (!result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is to be stored at NULL");
    tw_status status = create(NULL, element_bytes, range, &buffer);
    if (status != TW_SUCCESS)
        return status;
    status = tw_data_allocate(&buffer->data, 0);
    if (status != TW_SUCCESS) {
        tw_buffer_drop(buffer);
        return status;
    }
    memcpy(atomic_load(&buffer->data.allocations[0].address), data, buffer->data.bytes);
    buffer->data.allocations[0].valid = true;
    *result = buffer;
    return TW_SUCCESS;
}

static void free_buffer(struct tw_unused *unused)
{
    struct tw_buffer *buffer = (struct tw_buffer *)((char *)unused - offsetof(struct tw_buffer, unused));
    tw_data_free(&buffer->data);
    if (buffer->storage)
        buffer->storage_of->free(buffer->storage);
    free(buffer);
    tw_lock();
    tw_object_died_locked();
    tw_unlock();
}

void tw_buffer_unuse_locked(struct tw_buffer *buffer)
{
    if (atomic_fetch_sub(&buffer->uses, 1) != 1)
        return;
    tw_resource_end(&buffer->data.contents);
    for (size_t space = 0; space < buffer->data.space_count; ++space)
        tw_resource_end(&buffer->data.allocations[space].resource);
    buffer->unused.free = free_buffer;
    tw_reclaim_later_locked(&buffer->unused);
}

void tw_buffer_ready_locked(struct tw_buffer *buffer)
{
    if (buffer->storage)
        buffer->storage_of->ready_locked(buffer);
}

void tw_buffers_complete_locked(struct tw_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i) {
        struct tw_buffer *buffer = tw_buffer_of(command->uses[i].data);
        if (buffer->storage)
            buffer->storage_of->complete_locked(buffer, command);
        tw_buffer_unuse_locked(buffer);
    }
    command->use_count = 0;
}

void tw_buffer_drop(struct tw_buffer *buffer)
{
    tw_lock();
    tw_buffer_unuse_locked(buffer);
    tw_unlock();
    tw_reclaim();
}

tw_range tw_buffer_range(const tw_buffer *buffer)
{
    const tw_range none = {{0, 0, 0}, 0};
    return buffer ? buffer->data.range : none;
}

size_t tw_buffer_count(const tw_buffer *buffer)
{
    return buffer ? tw_range_count(buffer->data.range) : 0;
}

size_t tw_buffer_size(const tw_buffer *buffer)
{
    return buffer ? buffer->data.bytes : 0;
}

size_t tw_buffer_element_size(const tw_buffer *buffer)
{
    return buffer ? buffer->data.element_bytes : 0;
}

tw_buffer *tw_buffer_retain(tw_buffer *buffer)
{
    if (buffer) {
        tw_lock();
        ++buffer->handles;
        tw_unlock();
    }
    return buffer;
}
