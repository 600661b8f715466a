/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers (spec 3.6.1): creation, queries, and the end of the last use. Knows storages only by tw_buffer_storage. */
#define _GNU_SOURCE
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/range_check.h"
#include "objects/devices/lifetime.h"
#include "runtime/allocation.h"
#include "runtime/changes.h"
#include "runtime/command.h"
#include "usm_place.h"

static tw_status check_shape(size_t element_bytes, tw_range range, const void *result)
{
    if (!result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is to be stored at NULL");
    if (!element_bytes)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a buffer's elements have at least one byte");
    if (!tw_range_is_valid(range))
        return tw_refuse_range("the buffer's range", range);
    size_t bytes = 0;
    if (__builtin_mul_overflow(tw_range_count(range), element_bytes, &bytes) || bytes > SIZE_MAX / 2)
        return tw_fail(TW_ERROR_INVALID_RANGE, "%zu elements of %zu bytes are more than memory can hold",
                       tw_range_count(range), element_bytes);
    return TW_SUCCESS;
}

/* ---- what buffers do for the runtime ----------------------------------------------------------------------------- */

static bool is_idle_locked(const struct tw_data *data)
{
    const struct tw_buffer *buffer = tw_buffer_of(data);
    return buffer->handles && atomic_load(&buffer->uses) == 1;
}

static void hold_locked(struct tw_data *data)
{
    atomic_fetch_add(&tw_buffer_of(data)->uses, 1);
}

static void release_locked(struct tw_data *data)
{
    tw_buffer_unuse_locked(tw_buffer_of(data));
}

static const struct tw_data_owner owner = {is_idle_locked, hold_locked, release_locked};

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Returns true if changes of the program's host memory that nobody tells are to be found (runtime/changes.h). */
static bool is_checked(void)
{
    for (size_t space = 1; space < tw_memory_space_count(); ++space)
        if (tw_memory_space_device(space)->backend->backend->simulation)
            return tw_environment_is_on(TW_VARIABLE_SIM_CHECK);
    return false;
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
    buffer->data.owner = &owner;
    buffer->root = buffer;
    buffer->box = buffer->data.whole;
    buffer->range = range;
    buffer->handles = 1;
    atomic_init(&buffer->uses, 1);
    buffer->copy = &tw_this_copy;
    atomic_init(&buffer->lent, host != NULL);
    if (host) {
        buffer->over_host = true;
        buffer->final = host;
        buffer->data.allocations[0].valid = true;
        atomic_store(&buffer->data.allocations[0].address, host);
        if (is_checked() && !tw_changes_watch(&buffer->data, 0, false)) {
            tw_data_free(&buffer->data);
            free(buffer);
            return tw_fail(TW_ERROR_OUT_OF_MEMORY,
                           "no memory for a copy of a buffer's memory, which TW_SIM_CHECK needs");
        }
    }
    tw_lock();
    tw_object_born_locked(TW_OBJECT_BUFFER);
    tw_unlock();
    *result = buffer;
    return TW_SUCCESS;
}

static tw_status create(void *host, size_t element_bytes, tw_range range, tw_buffer **result)
{
    tw_status status = check_shape(element_bytes, range, result);
    if (status == TW_SUCCESS && host)
        status = tw_usm_check_host(host, tw_range_count(range) * element_bytes, "the host memory",
                                   "tw_buffer_create_over_device() makes a buffer over such memory");
    if (status != TW_SUCCESS)
        return status;
    status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = create_alive(host, element_bytes, range, result);
    tw_runtime_leave();
    return status;
}

/* Returns true if a buffer with this range has no elements, and so needs no memory. */
static bool is_empty(tw_range range)
{
    return tw_range_is_valid(range) && !tw_range_count(range);
}

tw_status tw_buffer_create_over(void *host, size_t element_bytes, tw_range range, tw_buffer **buffer)
{
    if (!host && !is_empty(range))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the host memory is NULL; tw_buffer_create() needs none");
    return create(is_empty(range) ? NULL : host, element_bytes, range, buffer);
}

tw_status tw_buffer_create_over_const(const void *host, size_t element_bytes, tw_range range, tw_buffer **buffer)
{
    const tw_status status = tw_buffer_create_over((void *)(uintptr_t)host, element_bytes, range, buffer);
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
    if (!data && !is_empty(range))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the data to copy is NULL");
    struct tw_buffer *buffer = NULL;
    if (!result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is to be stored at NULL");
    tw_status status = check_shape(element_bytes, range, result);
    if (status == TW_SUCCESS && !is_empty(range))
        status = tw_usm_check_host(data, tw_range_count(range) * element_bytes, "the data to copy",
                                   "tw_copy_from() copies it to a buffer");
    if (status == TW_SUCCESS)
        status = create(NULL, element_bytes, range, &buffer);
    if (status != TW_SUCCESS)
        return status;
    status = tw_data_allocate(&buffer->data, 0);
    if (status != TW_SUCCESS) {
        tw_buffer_drop(buffer);
        return status;
    }
    if (buffer->data.bytes) {
        __builtin_assume(data != NULL); /* for clang-tidy */
        memcpy(atomic_load(&buffer->data.allocations[0].address), data, buffer->data.bytes);
        buffer->data.allocations[0].valid = true;
    }
    *result = buffer;
    return TW_SUCCESS;
}

static void free_buffer(struct tw_unused *unused)
{
    struct tw_buffer *buffer = (struct tw_buffer *)((char *)unused - offsetof(struct tw_buffer, unused));
    tw_data_free(&buffer->data);
    if (buffer->storage)
        buffer->storage_of->free(buffer->storage);
    for (struct tw_final *final = buffer->final_parts, *next; final; final = next) {
        next = final->next;
        free(final);
    }
    free(buffer);
    tw_lock();
    tw_object_died_locked(TW_OBJECT_BUFFER);
    tw_unlock();
}

void tw_buffer_unuse_locked(struct tw_buffer *buffer)
{
    if (atomic_fetch_sub(&buffer->uses, 1) != 1)
        return;
    tw_resource_end(&buffer->data.contents);
    for (size_t space = 0; space < buffer->data.space_count; ++space)
        tw_resource_end(&buffer->data.allocations[space].resource);
    tw_data_unlist_locked(&buffer->data); /* a thread that makes room would use it again */
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
    if (command->pins)
        tw_unpin(&command->pins);
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

/* ---- parts ------------------------------------------------------------------------------------------------------- */

tw_status tw_buffer_box(const struct tw_buffer *buffer, tw_id offset, tw_range range, struct tw_box *box)
{
    const unsigned dims = buffer->range.dims;
    if (!tw_range_is_valid(range))
        return tw_refuse_range("the part's range", range);
    if (range.dims != dims || offset.dims != dims)
        return tw_fail(TW_ERROR_INVALID_RANGE,
                       "the part's offset and range have %u and %u dimensions, and the buffer has %u", offset.dims,
                       range.dims, dims);
    *box = buffer->box;
    for (unsigned d = 0; d < dims; ++d) {
        const unsigned at = 3 - dims + d; /* the box's dimension */
        if (offset.at[d] > buffer->range.size[d] || range.size[d] > buffer->range.size[d] - offset.at[d])
            return tw_fail(TW_ERROR_INVALID_RANGE,
                           "the part of %zu elements from %zu on does not lie in the buffer's %zu in dimension %u",
                           range.size[d], offset.at[d], buffer->range.size[d], d);
        box->begin[at] += offset.at[d];
        box->end[at] = box->begin[at] + range.size[d];
    }
    return TW_SUCCESS;
}

void *tw_buffer_address(const struct tw_buffer *buffer, const struct tw_box *box, size_t space)
{
    const struct tw_data *data = &buffer->root->data;
    unsigned char *address = atomic_load(&data->allocations[tw_data_space(data, space)].address);
    return address ? address + tw_box_first(box, &data->whole) * data->element_bytes : NULL;
}

tw_status tw_buffer_create_sub(tw_buffer *buffer, tw_id offset, tw_range range, tw_buffer **result)
{
    struct tw_box box;
    if (!buffer || !result)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", buffer ? "place for the sub-buffer" : "buffer");
    tw_status status = tw_check_copy(buffer);
    if (status == TW_SUCCESS)
        status = tw_buffer_box(buffer, offset, range, &box);
    if (status != TW_SUCCESS)
        return status;
    struct tw_buffer *sub = calloc(1, sizeof *sub);
    if (!sub)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a sub-buffer");
    sub->copy = &tw_this_copy;
    sub->handles = 1;
    sub->read_only = buffer->read_only;
    sub->root = tw_buffer_retain(buffer->root);
    sub->box = box;
    sub->range = range;
    *result = sub;
    return TW_SUCCESS;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

tw_status tw_buffer_set_name(tw_buffer *buffer, const char *name)
{
    if (!buffer)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is NULL");
    const tw_status status = tw_check_copy(buffer);
    if (status != TW_SUCCESS)
        return status;
    char *copy = name && *name ? strdup(name) : NULL;
    if (name && *name && !copy)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the buffer's name");
    tw_lock();
    char *old = buffer->root->data.name;
    buffer->root->data.name = copy;
    tw_unlock();
    free(old);
    return TW_SUCCESS;
}

/* ---- where the contents go --------------------------------------------------------------------------------------- */

bool tw_buffer_has_contents_locked(const struct tw_buffer *buffer)
{
    for (size_t space = 0; space < buffer->data.space_count; ++space)
        if (buffer->data.allocations[space].valid || buffer->data.allocations[space].parts.root)
            return true;
    return false;
}

/* Sets where a part of the buffer goes. Takes over `made`, which has room for it. Returns what is to be freed. */
static struct tw_final *set_final_part_locked(struct tw_buffer *root, struct tw_final *made)
{
    struct tw_final **link = &root->final_parts;
    while (*link && !tw_box_equals(&(*link)->box, &made->box))
        link = &(*link)->next;
    struct tw_final *old = *link;
    if (old && made->memory) {
        old->memory = made->memory;
        return made;
    }
    if (made->memory) {
        *link = made;
        return NULL;
    }
    if (old)
        *link = old->next;
    free(made);
    return old;
}

tw_status tw_buffer_set_final_data(tw_buffer *buffer, void *memory)
{
    if (!buffer)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is NULL");
    tw_status status = tw_check_copy(buffer);
    if (status == TW_SUCCESS)
        status = tw_check_process();
    struct tw_buffer *root = buffer->root;
    if (status == TW_SUCCESS && root->storage)
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the storage of the buffer says where its contents go");
    if (status != TW_SUCCESS || tw_box_is_empty(&buffer->box))
        return status;
    if (memory)
        status = tw_usm_check_host(memory, tw_box_count(&buffer->box) * root->data.element_bytes, "the final place",
                                   "tw_copy_to() copies a buffer there");
    if (status != TW_SUCCESS)
        return status;
    struct tw_final *made = NULL;
    if (!tw_box_equals(&buffer->box, &root->data.whole)) {
        if (!(made = malloc(sizeof *made)))
            return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to note the final data of a part");
        *made = (struct tw_final){.box = buffer->box, .memory = memory};
    }
    tw_lock();
    if (made)
        made = set_final_part_locked(root, made);
    else
        root->final = memory;
    atomic_store_explicit(&root->lent, root->over_host || root->home || root->final || root->final_parts,
                          memory_order_relaxed);
    tw_unlock();
    free(made);
    return TW_SUCCESS;
}

/* ---- what a buffer is -------------------------------------------------------------------------------------------- */

tw_range tw_buffer_range(const tw_buffer *buffer)
{
    const tw_range none = {{0, 0, 0}, 0};
    return buffer ? buffer->range : none;
}

tw_id tw_buffer_offset(const tw_buffer *buffer)
{
    tw_id offset = {{0, 0, 0}, 0};
    if (!buffer)
        return offset;
    offset.dims = buffer->range.dims;
    for (unsigned d = 0; d < offset.dims; ++d)
        offset.at[d] = buffer->box.begin[3 - offset.dims + d];
    return offset;
}

tw_range tw_buffer_pitch(const tw_buffer *buffer)
{
    const tw_range none = {{0, 0, 0}, 0};
    return buffer ? buffer->root->range : none;
}

size_t tw_buffer_count(const tw_buffer *buffer)
{
    return buffer ? tw_range_count(buffer->range) : 0;
}

size_t tw_buffer_size(const tw_buffer *buffer)
{
    return tw_buffer_count(buffer) * tw_buffer_element_size(buffer);
}

size_t tw_buffer_element_size(const tw_buffer *buffer)
{
    return buffer ? buffer->root->data.element_bytes : 0;
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
