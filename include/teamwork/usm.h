/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Unified shared memory: memory that kernels use by plain pointers, in structs, lists and trees too, without a buffer.
 *
 *     struct node *tree = tw_malloc_shared(device, n * sizeof *tree);
 *     ... build the tree, on the host ...
 *     tw_single_task(cg, search, .root = tree, .found = result);
 *
 * The library does not know which kernel uses which of it. So it moves nothing by itself, and orders nothing: groups
 * that use such memory are ordered by tw_depends_on(), by in-order queues, or by waiting. An address means the same
 * memory in the host's code and in kernels.
 *
 * | allocated by        | the host uses it | kernels use it     | where it lies                           |
 * |---------------------|------------------|--------------------|-----------------------------------------|
 * | tw_malloc_device()  | no               | of that device     | in the device's memory                  |
 * | tw_malloc_shared()  | yes              | of that device     | moves between both, as they use it      |
 * | tw_malloc_host()    | yes              | of all devices     | in host memory, which devices reach     |
 *
 * On the host's own device, and on CPUs as offload devices, all three are host memory. On an OpenMP device that is a
 * GPU of another maker than NVIDIA, shared memory is not available.
 *
 * An extension: SYCL 1.2 has no such memory (unified shared memory of SYCL 2020).
 */
#ifndef TEAMWORK_USM_H
#define TEAMWORK_USM_H

#include <teamwork/device.h>
#include <teamwork/host_memory.h>

TW_BEGIN_DECLS

/** What a pointer points into. */
typedef enum tw_pointer_type {
    TW_POINTER_UNKNOWN = 0, /**< none of the others: memory that the library did not allocate, or that of a buffer */
    TW_POINTER_DEVICE = 1,  /**< tw_malloc_device() */
    TW_POINTER_SHARED = 2,  /**< tw_malloc_shared() */
    TW_POINTER_HOST = 3     /**< tw_malloc_host() */
} tw_pointer_type;

/**
 * Allocates memory of a device, aligned to 128 bytes, its contents undefined. Thread safe.
 *
 * @param device  not NULL
 * @param bytes   at least 1
 * @return the memory, to be freed by tw_free(); or NULL, and tw_error_detail() says why: the device has no room, or the
 *         process was forked
 */
TW_API void *tw_malloc_device(tw_device *device, size_t bytes);

/**
 * Allocates memory that the host and a device share; otherwise as tw_malloc_device(). The host uses it before a kernel
 * that uses it is submitted, and after it is complete. Freeing it may wait for kernels of the device.
 *
 * @return as tw_malloc_device(); NULL also where the device has no such memory
 */
TW_API void *tw_malloc_shared(tw_device *device, size_t bytes);

/**
 * Frees memory of tw_malloc_device(), tw_malloc_shared() or tw_malloc_host(). No unfinished command may use it: this
 * function waits for none. NULL, and memory of which the library knows nothing, are left alone. Thread safe.
 */
TW_API void tw_free(void *memory);

/** What `pointer` points into; any address inside of an allocation will do. Thread safe. */
TW_API tw_pointer_type tw_pointer_get_type(const void *pointer);

/** The device of the allocation that `pointer` points into; NULL for memory of tw_malloc_host() and for pointers into
 *  something else. Thread safe. */
TW_API tw_device *tw_pointer_get_device(const void *pointer);

TW_END_DECLS

#endif
