/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory by the CUDA driver (cuda_memory.h): device memory from the library's own pool, and page-locked host memory.
 *
 * omp_target_free() calls cuMemFree, which waits for everything that runs on the device. A pool keeps freed memory for
 * the next allocation instead, and neither call waits for kernels. The pool keeps at most a quarter of the device's
 * memory, and releases all of that when an allocation fails. To share the pools of two devices takes some ten
 * milliseconds, so that is done when the first copy between them is made.
 *
 * Of large buffers that are accessed in parts, addresses are reserved, and memory is mapped below what is accessed. That
 * leaves some of the device's memory free, for what launches need.
 */
#include "cuda_memory.h"

#include <string.h>

#define SPARE_BYTES ((size_t)64 << 20) /* that mapping leaves free */

/* Attributes of pointers. */
enum { POINTER_MEMORY_TYPE = 2, POINTER_IS_MANAGED = 8, POINTER_ORDINAL = 9 };

enum { HOST_PORTABLE = 1, MANAGED_GLOBAL = 1, POOL_RELEASE_THRESHOLD = 4, POOL_READ_WRITE = 3 };

/* Lets a device use the memory of another one's pool, what is allocated already as well. */
static void share(struct tw_cuda_device *owner, const struct tw_cuda_device *with)
{
    const uint64_t bit = (uint64_t)1 << with->ordinal;
    if (atomic_load_explicit(&owner->shared_with, memory_order_acquire) & bit)
        return;
    const struct cu_access access = {{CU_LOCATION_DEVICE, with->device}, POOL_READ_WRITE};
    (void)tw_cuda.pool_set_access(owner->pool, &access, 1); /* else the driver copies through host memory */
    atomic_fetch_or_explicit(&owner->shared_with, bit, memory_order_release);
}

bool tw_cuda_connect(struct tw_cuda_device *a, struct tw_cuda_device *b)
{
    if (!a->pool || !b->pool || !tw_cuda_uses_peer(a, b) || !tw_cuda_uses_peer(b, a))
        return false;
    share(a, b);
    share(b, a);
    return true;
}

static void open_pool(struct tw_cuda_device *device)
{
    struct cu_pool_properties properties;
    size_t bytes = 0;
    int supported = 0;
    if (tw_cuda.device_attribute(&supported, CU_MEMORY_POOLS, device->device) || !supported
        || tw_cuda.device_memory(&bytes, device->device))
        return;
    uint64_t kept = bytes / 4;
    memset(&properties, 0, sizeof properties);
    properties.allocation_type = CU_ALLOCATION_PINNED;
    properties.location.type = CU_LOCATION_DEVICE;
    properties.location.id = device->device;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry && !tw_cuda.pool_create(&device->pool, &properties)) {
        if (tw_cuda.pool_set(device->pool, POOL_RELEASE_THRESHOLD, &kept)
            || tw_cuda.stream_create(&device->pool_stream, CU_STREAM_NON_BLOCKING)) {
            (void)tw_cuda.pool_destroy(device->pool);
            device->pool = NULL;
        }
    } else {
        device->pool = NULL;
    }
    tw_cuda_leave(entry);
}

void tw_cuda_close_pool(struct tw_cuda_device *device)
{
    if (!device->pool)
        return;
    (void)tw_cuda.stream_destroy(device->pool_stream);
    (void)tw_cuda.pool_destroy(device->pool);
    device->pool = NULL;
    device->shared_with = 0;
}

/* Allocates in the order of the pool's own stream, and waits for that stream. Only allocations and frees run there. */
static cu_result allocate(struct tw_cuda_device *device, uintptr_t *memory, size_t bytes)
{
    const cu_result error = tw_cuda.pool_allocate(memory, bytes, device->pool, device->pool_stream);
    return error ? error : tw_cuda.stream_synchronize(device->pool_stream);
}

bool tw_cuda_has_pool(struct tw_cuda_device *device)
{
    if (tw_cuda_choice() == TW_CUDA_OPENMP_LAUNCH)
        return false;
    pthread_mutex_lock(&device->streams);
    if (!device->pool_is_tried)
        open_pool(device);
    device->pool_is_tried = true;
    pthread_mutex_unlock(&device->streams);
    return device->pool != NULL;
}

void *tw_cuda_allocate(struct tw_cuda_device *device, size_t bytes)
{
    uintptr_t memory = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    cu_result error = entry ? allocate(device, &memory, bytes) : 1;
    if (error == CU_OUT_OF_MEMORY && !tw_cuda.pool_trim(device->pool, 0))
        error = allocate(device, &memory, bytes);
    tw_cuda_leave(entry);
    return error ? NULL : (void *)memory;
}

void tw_cuda_free(struct tw_cuda_device *device, void *memory)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry)
        (void)tw_cuda.pool_free((uintptr_t)memory, device->pool_stream);
    tw_cuda_leave(entry);
}

/* ---- mapped memory ----------------------------------------------------------------------------------------------- */

static size_t whole_pages(const struct tw_cuda_device *device, size_t bytes)
{
    return (bytes + device->page_bytes - 1) / device->page_bytes * device->page_bytes;
}

void *tw_cuda_reserve(const struct tw_cuda_device *device, size_t bytes)
{
    uintptr_t address = 0;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry && tw_cuda.address_reserve(&address, whole_pages(device, bytes), 0, 0, 0))
        address = 0;
    tw_cuda_leave(entry);
    return (void *)address;
}

/* Returns true if the device has so much memory, besides what is to stay free. */
static bool has_room(size_t bytes)
{
    size_t left = 0, total = 0;
    return !tw_cuda.memory_info(&left, &total) && left >= SPARE_BYTES && bytes <= left - SPARE_BYTES;
}

/* Lets the device use mapped memory, and the other devices that can. */
static cu_result allow(const struct tw_cuda_device *device, uintptr_t address, size_t bytes)
{
    const struct cu_access own = {{CU_LOCATION_DEVICE, device->device}, POOL_READ_WRITE};
    const cu_result error = tw_cuda.memory_access(address, bytes, &own, 1);
    const struct tw_cuda_device *peer;
    for (int other = 0; !error && (peer = tw_cuda_device(other)); ++other) {
        const struct cu_access access = {{CU_LOCATION_DEVICE, peer->device}, POOL_READ_WRITE};
        if (tw_cuda_uses_peer(peer, device))
            (void)tw_cuda.memory_access(address, bytes, &access, 1);
    }
    return error;
}

/* Maps new memory, which lives until it is unmapped: the handle is only needed here. */
static bool map(const struct tw_cuda_device *device, uintptr_t address, size_t bytes)
{
    const struct cu_memory_properties properties = tw_cuda_memory_properties(device);
    unsigned long long handle;
    if (tw_cuda.memory_create(&handle, bytes, &properties, 0))
        return false;
    bool is_mapped = !tw_cuda.memory_map(address, bytes, 0, handle, 0);
    (void)tw_cuda.memory_release(handle);
    if (is_mapped && allow(device, address, bytes)) {
        (void)tw_cuda.memory_unmap(address, bytes);
        is_mapped = false;
    }
    return is_mapped;
}

bool tw_cuda_back(struct tw_cuda_device *device, void *reserved, size_t at, size_t bytes)
{
    const size_t whole = whole_pages(device, bytes);
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    bool has = entry && has_room(whole);
    if (entry && !has && device->pool && !tw_cuda.pool_trim(device->pool, 0))
        has = has_room(whole);
    has = has && map(device, (uintptr_t)reserved + at, whole);
    tw_cuda_leave(entry);
    return has;
}

void tw_cuda_unback(const struct tw_cuda_device *device, void *reserved, size_t at, size_t bytes)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry)
        (void)tw_cuda.memory_unmap((uintptr_t)reserved + at, whole_pages(device, bytes));
    tw_cuda_leave(entry);
}

void tw_cuda_release(const struct tw_cuda_device *device, void *reserved, size_t bytes)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry)
        (void)tw_cuda.address_free((uintptr_t)reserved, whole_pages(device, bytes));
    tw_cuda_leave(entry);
}

/* ---- host memory ------------------------------------------------------------------------------------------------- */

void *tw_cuda_allocate_host(size_t bytes)
{
    void *memory = NULL;
    const struct tw_cuda_device *device = tw_cuda_device(0);
    const enum tw_cuda_entry entry = device ? tw_cuda_enter(device) : TW_CUDA_OUTSIDE;
    if (entry && tw_cuda.host_allocate(&memory, bytes, HOST_PORTABLE))
        memory = NULL;
    tw_cuda_leave(entry);
    return memory;
}

void tw_cuda_free_host(void *memory)
{
    const struct tw_cuda_device *device = tw_cuda_device(0);
    const enum tw_cuda_entry entry = device ? tw_cuda_enter(device) : TW_CUDA_OUTSIDE;
    if (entry)
        (void)tw_cuda.host_free(memory);
    tw_cuda_leave(entry);
}

void *tw_cuda_allocate_shared(struct tw_backend_device *base, size_t bytes)
{
    struct tw_cuda_device *device = tw_cuda_of(base);
    uintptr_t memory = 0;
    if (tw_cuda_lost(device))
        return NULL;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (!entry || tw_cuda.managed_allocate(&memory, bytes, MANAGED_GLOBAL))
        memory = 0;
    tw_cuda_leave(entry);
    return (void *)memory;
}

void tw_cuda_free_shared(struct tw_backend_device *base, void *memory)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(tw_cuda_of(base));
    if (entry)
        (void)tw_cuda.memory_free((uintptr_t)memory);
    tw_cuda_leave(entry);
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */

/* What the driver is told for each advice. */
static const struct {
    enum cu_advice advice;
    bool is_about_host; /* else about the device, if it matters */
} told[] = {
    [TW_ADVICE_READ_MOSTLY] = {CU_SET_READ_MOSTLY, false},
    [TW_ADVICE_NOT_READ_MOSTLY] = {CU_UNSET_READ_MOSTLY, false},
    [TW_ADVICE_PREFER_DEVICE] = {CU_SET_PREFERRED, false},
    [TW_ADVICE_PREFER_HOST] = {CU_SET_PREFERRED, true},
    [TW_ADVICE_PREFER_NONE] = {CU_UNSET_PREFERRED, false},
    [TW_ADVICE_DEVICE_ACCESSES] = {CU_SET_ACCESSED_BY, false},
    [TW_ADVICE_DEVICE_DOES_NOT] = {CU_UNSET_ACCESSED_BY, false},
    [TW_ADVICE_HOST_ACCESSES] = {CU_SET_ACCESSED_BY, true},
    [TW_ADVICE_HOST_DOES_NOT] = {CU_UNSET_ACCESSED_BY, true},
};

static cu_result advise(const struct tw_cuda_device *device, const struct tw_backend_hint *hint, tw_mem_advice advice)
{
    const cu_device about = told[advice].is_about_host ? CU_HOST : device->device;
    return tw_cuda.advise((uintptr_t)hint->memory, hint->bytes, (int)told[advice].advice, about);
}

/* Takes back all advice. */
static cu_result reset(const struct tw_cuda_device *device, const struct tw_backend_hint *hint)
{
    static const tw_mem_advice undone[] = {TW_ADVICE_NOT_READ_MOSTLY, TW_ADVICE_PREFER_NONE, TW_ADVICE_DEVICE_DOES_NOT,
                                           TW_ADVICE_HOST_DOES_NOT};
    cu_result error = 0;
    for (size_t i = 0; i < sizeof undone / sizeof *undone && !error; ++i)
        error = advise(device, hint, undone[i]);
    return error;
}

tw_status tw_cuda_enqueue_hint(const struct tw_cuda_device *device, const struct tw_backend_hint *hint,
                               cu_stream stream)
{
    cu_result error = 0;
    if (!device->pages_shared_memory) /* the driver moves all of it with each launch, and knows no hints */
        return TW_SUCCESS;
    if (hint->prefetches)
        error =
            tw_cuda.prefetch((uintptr_t)hint->memory, hint->bytes, hint->to_host ? CU_HOST : device->device, stream);
    else
        error = hint->advice == TW_ADVICE_RESET ? reset(device, hint) : advise(device, hint, hint->advice);
    if (!error)
        return TW_SUCCESS;
    return tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, tw_cuda_error(error),
                       "the CUDA driver could not %s %zu bytes of shared memory",
                       hint->prefetches ? "prefetch" : "take advice about", hint->bytes);
}

tw_status tw_cuda_hint(struct tw_cuda_device *device, const struct tw_backend_hint *hint)
{
    cu_stream stream;
    cu_result error = 1;
    tw_status status = TW_SUCCESS;
    const enum tw_cuda_entry entry = tw_cuda_enter(device);
    if (entry && !(error = tw_cuda_take_stream(device, &stream))) {
        status = tw_cuda_enqueue_hint(device, hint, stream);
        error = tw_cuda.stream_synchronize(stream);
        tw_cuda_give_stream(device, stream);
    }
    if (entry && error && tw_cuda.context_synchronize())
        tw_cuda_lose(device, "that ran before a prefetch", error, true);
    tw_cuda_leave(entry);
    if (!error || status != TW_SUCCESS)
        return status;
    return tw_gpu_fail(TW_ERROR_TRANSFER_FAILED, tw_cuda_error(error),
                       "the CUDA driver did not finish a prefetch of %zu bytes", hint->bytes);
}

/* ---- memory of the program --------------------------------------------------------------------------------------- */

/* What the driver says of an address. */
struct pointer {
    int memory_type; /* 0: the driver does not know the address */
    int ordinal;
    unsigned managed; /* the driver writes one byte or four */
};

static struct pointer look_up(const void *address)
{
    struct pointer found = {.ordinal = -1};
    if (tw_cuda.pointer_attribute(&found.memory_type, POINTER_MEMORY_TYPE, (uintptr_t)address))
        return (struct pointer){.ordinal = -1};
    (void)tw_cuda.pointer_attribute(&found.ordinal, POINTER_ORDINAL, (uintptr_t)address);
    (void)tw_cuda.pointer_attribute(&found.managed, POINTER_IS_MANAGED, (uintptr_t)address);
    return found;
}

tw_status tw_cuda_examine(struct tw_backend_device *base, const void *memory, size_t bytes, bool *shared)
{
    const struct tw_cuda_device *device = tw_cuda_of(base);
    const struct pointer first = look_up(memory), last = look_up((const unsigned char *)memory + bytes - 1);
    int reaches_all = 0;
    if (!first.memory_type)
        (void)tw_cuda.device_attribute(&reaches_all, CU_PAGEABLE_MEMORY, device->device);
    if (!first.memory_type && !reaches_all)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is not of CUDA device %d, and is not managed",
                       device->ordinal);
    if (first.memory_type != last.memory_type || first.ordinal != last.ordinal)
        return tw_fail(TW_ERROR_INVALID_RANGE, "the memory ends before its %zu bytes do", bytes);
    *shared = first.memory_type != CU_MEMORY_DEVICE || first.managed;
    if (!*shared && first.ordinal != device->ordinal)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is of CUDA device %d, not of %d", first.ordinal,
                       device->ordinal);
    return TW_SUCCESS;
}
