/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers over memory that is on a device already, and what the program changes there by itself (teamwork/interop.h).
 *
 * Such a buffer is a plain one whose allocations have addresses from the start: of the program's memory on one device,
 * and of its host memory, if it has any. Where the host and the device use the same memory, that is the host's
 * allocation, and the device uses it too (tw_data_space()).
 */
#include <teamwork/interop.h>

#include <stdint.h>
#include <stdio.h>

#include "base/detail.h"
#include "base/process.h"
#include "buffer.h"
#include "host_accessor.h"
#include "objects/devices/discovery.h"
#include "objects/devices/lifetime.h"
#include "runtime/changes.h"
#include "runtime/reclaim.h"
#include "runtime/usm_list.h"

#define MOST_ALIGNMENT 8u /* bytes, of the scalar types */

/* The memory of a buffer. */
struct place {
    struct tw_device *device;
    void *memory, *host; /* on the device; on the host, or NULL */
    bool shared;         /* `memory` is the host's, too */
    tw_current current;
};

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Checks that memory is aligned as far as the size of an element says: to the power of two that divides it. */
static tw_status check_alignment(const void *memory, size_t element_bytes)
{
    const size_t power = element_bytes & -element_bytes;
    const size_t alignment = power < MOST_ALIGNMENT ? power : MOST_ALIGNMENT;
    return (uintptr_t)memory % alignment == 0 ? TW_SUCCESS
                                              : tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                                        "the memory at %p is not aligned to %zu bytes, as elements of "
                                                        "%zu bytes are",
                                                        memory, alignment, element_bytes);
}

/* Checks memory that the library has allocated as unified shared memory. Sets place->shared if the host uses it. */
static tw_status check_usm(const struct tw_usm_allocation *usm, struct place *place, size_t bytes)
{
    const size_t left = (size_t)(usm->past - (const unsigned char *)place->memory);
    if (bytes > left)
        return tw_fail(TW_ERROR_INVALID_RANGE, "the allocation has %zu bytes from the address on, the buffer %zu", left,
                       bytes);
    place->shared = usm->type != TW_POINTER_DEVICE;
    if (!usm->device || usm->device == place->device || (place->shared && !place->device->space))
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is of %s, not of %s", tw_device_name(usm->device),
                   tw_device_name(place->device));
}

/* Checks that the memory is one that kernels of the device use, and finds out whether the host uses it too. */
static tw_status examine(struct place *place, size_t bytes)
{
    struct tw_usm_allocation usm;
    const struct tw_backend_memory *memory = place->device->backend->backend->memory;
    tw_status status = TW_SUCCESS;
    const bool is_usm = tw_usm_find(place->memory, &usm);
    place->shared = place->memory == place->host;
    if (is_usm)
        status = check_usm(&usm, place, bytes);
    if (status == TW_SUCCESS && memory && memory->examine && !(is_usm && place->shared))
        status = memory->examine(place->device->backend, place->memory, bytes, &place->shared);
    if (status == TW_SUCCESS && memory && place->memory == place->host && !place->shared)
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is of %s alone, and cannot be the host's too",
                         tw_device_name(place->device));
    return status;
}

/* Finds the memory that OpenMP has mapped all of the host memory to. */
static tw_status find_mapped(struct place *place, size_t bytes)
{
    int number = tw_device_omp_number(place->device);
    unsigned char *host = place->host;
    if (!place->device->space) {
        place->memory = host;
        return TW_SUCCESS;
    }
    if (number < 0) { /* a simulated device: its target regions run on the default device, too */
        const int standard = tw_backends[0]->interop->omp_default();
        number = tw_backends[0]->interop->omp_stand_in();
        if (number != standard)
            return tw_fail(TW_ERROR_UNSUPPORTED,
                           "%s does not reach the memory of OpenMP's default device, %d: let OMP_DEFAULT_DEVICE be a "
                           "CPU (ARCHS x86_64), or run with OMP_TARGET_OFFLOAD=DISABLED (docs/porting.md)",
                           tw_device_name(place->device), standard);
    }
    void *(*const mapped)(int, const void *) = tw_backends[0]->interop->omp_mapped;
    unsigned char *first = mapped(number, host), *last = mapped(number, host + bytes - 1);
    if (!first || !last || (uintptr_t)last - (uintptr_t)first != bytes - 1)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                       "OpenMP has not mapped %s of the %zu bytes to device %d: that is what `target enter data "
                       "map(...)` does",
                       first || last ? "all" : "any", bytes, number);
    place->memory = first;
    return TW_SUCCESS;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* Gives a buffer its memory. No other thread knows the buffer yet. */
static void attach(struct tw_buffer *buffer, const struct place *place)
{
    struct tw_data *data = &buffer->data;
    struct tw_allocation *device = &data->allocations[place->device->space], *host = &data->allocations[0];
    if (place->shared) {
        data->shared_space = place->device->space;
        atomic_store(&host->address, place->memory);
        host->valid = true;
    } else {
        atomic_store(&device->address, place->memory);
        device->borrowed = true;
        device->valid = place->current & TW_CURRENT_DEVICE;
        atomic_store(&host->address, place->host);
        host->valid = place->current & TW_CURRENT_HOST;
    }
    buffer->over_host = place->shared || place->host;
    buffer->home = place->device;
    atomic_store_explicit(&buffer->lent, true, memory_order_relaxed);
}

/* Lets changes of the memory be found that nobody tells, if it is a simulated device's. As long as no command has used the
   contents, and they are in one memory alone, the program may still make them. What host memory has beside that of a device
   may be undefined. Memory that both sides are meant to share has no old copies. Returns false if memory is exhausted. */
static bool watch(struct tw_data *data, const struct place *place, bool mapped)
{
    const bool is_simulated = place->device->backend->backend->simulation;
    if (!is_simulated || (place->shared && !mapped))
        return true;
    if (place->shared)
        return tw_changes_watch(data, 0, place->current == TW_CURRENT_BOTH);
    return tw_changes_watch(data, place->device->space, place->current != TW_CURRENT_DEVICE)
           && (!place->host || tw_changes_watch(data, 0, mapped && place->current != TW_CURRENT_HOST));
}

/* Creates a buffer over a place. If `mapped`, the memory on the device is what OpenMP has mapped the host's to. */
static tw_status create(struct place *place, bool mapped, size_t element_bytes, tw_range range, tw_buffer **result)
{
    if (!tw_is_device(place->device))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, TW_NO_DEVICE);
    place->device = tw_memory_owner(place->device);
    struct tw_buffer *buffer = NULL;
    tw_status status = tw_buffer_create(element_bytes, range, result ? &buffer : NULL);
    if (status != TW_SUCCESS)
        return status;
    __builtin_assume(buffer != NULL); /* for clang-tidy */
    const size_t bytes = buffer->data.bytes;
    if (bytes && !(mapped ? place->host : place->memory))
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is NULL");
    if (status == TW_SUCCESS && bytes)
        status = mapped ? find_mapped(place, bytes) : examine(place, bytes);
    if (status == TW_SUCCESS && bytes)
        status = check_alignment(place->memory, element_bytes);
    if (status == TW_SUCCESS && bytes && place->host)
        status = check_alignment(place->host, element_bytes);
    if (status != TW_SUCCESS) {
        char detail[256];
        const tw_native_code native = tw_error_native_code();
        snprintf(detail, sizeof detail, "%s", tw_error_detail());
        tw_buffer_drop(buffer);
        return tw_fail_native(tw_fail(status, "%s", detail), native.api, native.code);
    }
    if (bytes) {
        place->shared = place->shared || !place->device->space || (mapped && place->memory == place->host);
        attach(buffer, place);
        buffer->final = mapped ? place->host : NULL;
        if (!watch(&buffer->data, place, mapped)) {
            tw_buffer_drop(buffer);
            return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for copies of a buffer's memory");
        }
    }
    *result = buffer;
    return TW_SUCCESS;
}

tw_status tw_buffer_create_over_device(void *memory, tw_device *device, void *host, size_t element_bytes,
                                       tw_range range, tw_buffer **buffer)
{
    struct place place = {.device = device, .memory = memory, .host = host, .current = TW_CURRENT_DEVICE};
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = create(&place, false, element_bytes, range, buffer);
    tw_runtime_leave();
    return status;
}

tw_status tw_buffer_create_over_mapped(void *host, tw_device *device, tw_current current, size_t element_bytes,
                                       tw_range range, tw_buffer **buffer)
{
    if (current < TW_CURRENT_HOST || current > TW_CURRENT_BOTH)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d does not say where the contents are", (int)current);
    struct place place = {.device = device, .host = host, .current = current};
    tw_status status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = create(&place, true, element_bytes, range, buffer);
    tw_runtime_leave();
    return status;
}

/* ---- changes by the program -------------------------------------------------------------------------------------- */

/* Makes a part of a buffer current in a device's memory, or the host's, alone. */
static tw_status change(const tw_buffer *buffer, tw_id offset, tw_range range, tw_device *device)
{
    struct tw_box box;
    tw_status status = tw_buffer_box(buffer, offset, range, &box);
    if (status != TW_SUCCESS || tw_box_is_empty(&box))
        return status;
    status = tw_buffer_access_briefly(buffer->root, &box, device, false, true);
    tw_reclaim();
    return status;
}

static tw_status check(const tw_buffer *buffer)
{
    if (!buffer)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer is NULL");
    const tw_status status = tw_check_copy(buffer);
    return status == TW_SUCCESS ? tw_check_process() : status;
}

tw_status tw_buffer_host_changed_part(tw_buffer *buffer, tw_id offset, tw_range range)
{
    const tw_status status = check(buffer);
    if (status != TW_SUCCESS)
        return status;
    if (!buffer->root->over_host && buffer->root->data.bytes)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the buffer has no host memory of the program that could change");
    return change(buffer, offset, range, tw_host_device());
}

tw_status tw_buffer_device_changed_part(tw_buffer *buffer, tw_device *device, tw_id offset, tw_range range)
{
    const tw_status status = check(buffer);
    if (status != TW_SUCCESS)
        return status;
    if (!device || (buffer->root->home != device && buffer->root->data.bytes))
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, device
                                                      ? "the buffer is not over memory of this device that could change"
                                                      : "the device is NULL");
    return change(buffer, offset, range, device);
}

tw_status tw_buffer_host_changed(tw_buffer *buffer)
{
    const tw_range range = tw_buffer_range(buffer);
    return tw_buffer_host_changed_part(buffer, (tw_id){.dims = range.dims}, range);
}

tw_status tw_buffer_device_changed(tw_buffer *buffer, tw_device *device)
{
    const tw_range range = tw_buffer_range(buffer);
    return tw_buffer_device_changed_part(buffer, device, (tw_id){.dims = range.dims}, range);
}
