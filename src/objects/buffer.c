/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and their memory on each device (spec 3.6.1). Knows nothing of what runs when. */
#define _DEFAULT_SOURCE
#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#define HOST_ALIGNMENT 128u /* of the largest vector type */
#define HUGE_PAGE ((size_t)2 << 20)
#define HUGE_BYTES (2 * HUGE_PAGE)

/* Places where large memory begins, in turn: each in other sets of the first two caches. */
#define COLOURS 16u
#define COLOUR_BYTES (4096u + 256u)

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

static tw_status check_shape(size_t element_bytes, tw_range range, const void *result, size_t *bytes)
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
    if (__builtin_mul_overflow(tw_range_count(range), element_bytes, bytes) || *bytes > SIZE_MAX / 2)
        return tw_fail(TW_ERROR_INVALID_RANGE, "%zu elements of %zu bytes are more than memory can hold",
                       tw_range_count(range), element_bytes);
    return TW_SUCCESS;
}

static tw_status create_alive(void *host, size_t element_bytes, size_t bytes, tw_range range, tw_buffer **result)
{
    const size_t places = tw_place_count();
    struct tw_buffer *buffer = calloc(1, sizeof *buffer + places * sizeof buffer->places[0]);
    if (!buffer)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a buffer");
    buffer->handles = 1;
    atomic_init(&buffer->uses, 1);
    buffer->copy = &tw_this_copy;
    buffer->range = range;
    buffer->element_bytes = element_bytes;
    buffer->bytes = bytes;
    buffer->place_count = places;
    pthread_mutex_init(&buffer->allocation, NULL);
    if (host) {
        buffer->over_host = buffer->lent = true;
        buffer->places[0].valid = true;
        atomic_store(&buffer->places[0].address, host);
    }
    tw_lock();
    tw_object_born_locked();
    tw_unlock();
    *result = buffer;
    return TW_SUCCESS;
}

static tw_status create(void *host, size_t element_bytes, tw_range range, tw_buffer **result)
{
    size_t bytes = 0;
    tw_status status = check_shape(element_bytes, range, result, &bytes);
    if (status != TW_SUCCESS)
        return status;
    status = tw_runtime_enter();
    if (status == TW_SUCCESS)
        status = create_alive(host, element_bytes, bytes, range, result);
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
    status = tw_buffer_allocate(buffer, 0);
    if (status != TW_SUCCESS) {
        tw_buffer_destroy(&buffer);
        return status;
    }
    memcpy(atomic_load(&buffer->places[0].address), data, buffer->bytes);
    buffer->places[0].valid = true;
    *result = buffer;
    return TW_SUCCESS;
}

/* Large memory is asked for in huge pages, where the system leaves that to programs: fewer misses of the TLB, and fewer faults
   at the first touch. */
void *tw_host_allocate(size_t bytes)
{
    const size_t alignment = bytes >= HUGE_BYTES ? HUGE_PAGE : HOST_ALIGNMENT;
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#ifdef MADV_HUGEPAGE
    if (memory && alignment == HUGE_PAGE)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

/* Large host memory of buffers begins at another place of its first page each time. Where all begin at one, so do lines that
   kernels access together, at (i, j) of several buffers: they share few sets of the caches, and a load waits for a
   store to another buffer whose address looks the same. */
static void *allocate_host(struct tw_buffer *buffer)
{
    static atomic_uint made;
    size_t at = 0;
    if (buffer->bytes >= HUGE_BYTES)
        at = atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) % COLOURS * COLOUR_BYTES;
    buffer->host_memory = tw_host_allocate(buffer->bytes + at);
    return buffer->host_memory ? (unsigned char *)buffer->host_memory + at : NULL;
}

static void *allocate_on(struct tw_buffer *buffer, const struct tw_device *device)
{
    return device ? device->backend->backend->memory->allocate(device->backend, buffer->bytes) : allocate_host(buffer);
}

tw_status tw_buffer_allocate(struct tw_buffer *buffer, size_t place)
{
    if (atomic_load(&buffer->places[place].address))
        return TW_SUCCESS;
    tw_status status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    pthread_mutex_lock(&buffer->allocation);
    if (!atomic_load(&buffer->places[place].address)) {
        struct tw_device *device = place ? tw_place_device(place) : NULL;
        void *memory = allocate_on(buffer, device);
        if (!memory && tw_reclaim_memory()) /* what others have done with may make room */
            memory = allocate_on(buffer, device);
        if (memory)
            atomic_store(&buffer->places[place].address, memory);
        else if (device)
            status = tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "%s has no room for a buffer of %zu bytes",
                             tw_device_name(device), buffer->bytes);
        else
            status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory for a buffer of %zu bytes", buffer->bytes);
    }
    pthread_mutex_unlock(&buffer->allocation);
    return status;
}

void tw_buffer_free(struct tw_buffer *buffer)
{
    free(buffer->host_memory);
    for (size_t place = 1; place < buffer->place_count; ++place) {
        void *memory = atomic_load(&buffer->places[place].address);
        struct tw_device *device = memory ? tw_place_device(place) : NULL;
        if (device)
            device->backend->backend->memory->free(device->backend, memory);
    }
    pthread_mutex_destroy(&buffer->allocation);
    tw_storage_free(buffer->storage);
    free(buffer);
    tw_lock();
    tw_object_died_locked();
    tw_unlock();
}

void tw_buffer_unuse_locked(struct tw_buffer *buffer)
{
    if (atomic_fetch_sub(&buffer->uses, 1) != 1)
        return;
    tw_resource_end(&buffer->contents);
    for (size_t place = 0; place < buffer->place_count; ++place)
        tw_resource_end(&buffer->places[place].resource);
    tw_reclaim_buffer_locked(buffer);
}

tw_range tw_buffer_range(const tw_buffer *buffer)
{
    const tw_range none = {{0, 0, 0}, 0};
    return buffer ? buffer->range : none;
}

size_t tw_buffer_count(const tw_buffer *buffer)
{
    return buffer ? tw_range_count(buffer->range) : 0;
}

size_t tw_buffer_size(const tw_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

size_t tw_buffer_element_size(const tw_buffer *buffer)
{
    return buffer ? buffer->element_bytes : 0;
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

/* What the last handle's end waits for. False: it was refused, and all is as it was. */
static bool end_use(struct tw_buffer *buffer, tw_status *status)
{
    if (buffer->storage)
        return tw_storage_destroy(buffer, status);
    *status = buffer->over_host ? tw_buffer_bring_home(buffer) : TW_SUCCESS;
    return *status != TW_ERROR_WOULD_DEADLOCK && *status != TW_ERROR_OUT_OF_MEMORY; /* else nothing was waited for */
}

tw_status tw_buffer_destroy(tw_buffer **handle)
{
    if (!handle || !*handle)
        return TW_SUCCESS;
    struct tw_buffer *buffer = *handle;
    tw_status status = tw_check_copy(buffer);
    if (status == TW_SUCCESS)
        status = tw_check_process();
    if (status != TW_SUCCESS)
        return status;
    tw_lock();
    const bool last = --buffer->handles == 0; /* from now on no group that is still open can be submitted */
    tw_unlock();
    if (last && !end_use(buffer, &status)) {
        tw_lock();
        buffer->handles = 1;
        tw_unlock();
        return status;
    }
    *handle = NULL;
    if (!last)
        return TW_SUCCESS;
    tw_lock();
    tw_buffer_unuse_locked(buffer);
    tw_unlock();
    tw_reclaim();
    return status;
}
