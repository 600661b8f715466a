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
 * Commands copy and fill such memory, and give hints about it: tw_memcpy() and those below it. docs/usm.md tells when to
 * use it, and when buffers.
 *
 * An extension: SYCL 1.2 has no such memory (unified shared memory of SYCL 2020).
 */
#ifndef TEAMWORK_USM_H
#define TEAMWORK_USM_H

#include <teamwork/command_group.h>
#include <teamwork/device.h>
#include <teamwork/host_memory.h>

TW_BEGIN_DECLS

/** What a pointer points into. */
typedef enum tw_pointer_type {
    TW_POINTER_UNKNOWN = 0, /**< none of the others: memory that the library did not allocate, or that of a buffer */
    TW_POINTER_DEVICE = 1,  /**< tw_malloc_device(), tw_malloc_async() */
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
 * Allocates memory that the host and a device share, aligned to 128 bytes, its contents undefined. The host uses it
 * before a kernel that uses it is submitted, and after it is complete. Freeing it may wait for kernels of the device.
 * Thread safe.
 *
 * @param device  not NULL
 * @param bytes   at least 1
 * @return the memory, to be freed by tw_free(); or NULL, and tw_error_detail() says why: the device has no such memory,
 *         or no room, or the process was forked
 */
TW_API void *tw_malloc_shared(tw_device *device, size_t bytes);

/**
 * tw_malloc_device() with another alignment (aligned_alloc_device of SYCL 2020).
 *
 * @param alignment  bytes, a power of two; memory is aligned to 128 bytes in any case
 * @return as tw_malloc_device()
 */
TW_API void *tw_aligned_alloc_device(tw_device *device, size_t alignment, size_t bytes);

/** tw_malloc_shared() with another alignment, as tw_aligned_alloc_device(). host_memory.h has tw_aligned_alloc_host().
 *  @return as tw_malloc_shared() */
TW_API void *tw_aligned_alloc_shared(tw_device *device, size_t alignment, size_t bytes);

/**
 * Frees memory of the functions above, of tw_malloc_host() or of tw_malloc_async(). No unfinished command may use it:
 * this function waits for none. `memory` is the pointer that the allocation returned; an address further inside of it
 * frees nothing. NULL, and memory that the library does not know, are left alone. tw_shutdown() is refused while there
 * is memory that was not freed. Thread safe.
 */
TW_API void tw_free(void *memory);

/* ---- allocation in the order of a queue -------------------------------------------------------------------------- */

/**
 * Allocates device memory that tw_free_async() can free while groups that use it are still to run: temporary memory
 * costs neither a wait nor a call of the device then (cudaMallocAsync(); async_malloc of DPC++).
 *
 *     float *scratch = tw_malloc_async(queue, bytes);
 *     ... groups for the queue that use it ...
 *     status = tw_free_async(queue, scratch);              waits for nothing
 *
 * The memory comes from a pool of the device, where freed memory stays. Memory that a queue that keeps the order has
 * freed is allocated again for that queue at once, since later groups of it run later; for other queues when the groups
 * before tw_free_async() are complete. Such memory is the library's own on each kind of device: CUDA's pools are not
 * used. Blocks have eight sizes for each power of two, from 512 bytes on.
 *
 * Groups may use the memory that are submitted to the queue after this call, or depend on such a group. In a graph that
 * is recorded it is memory as any other, and must not be freed as long as the graph is submitted. Thread safe.
 *
 * @param queue  of several devices: the memory is the first one's
 * @param bytes  at least 1
 * @return memory aligned to 128 bytes, its contents undefined, a TW_POINTER_DEVICE; or NULL, and tw_error_detail() says
 *         why. Where the device has no more room, this waits until memory becomes unused that was freed before
 */
TW_API void *tw_malloc_async(tw_queue *queue, size_t bytes);

/**
 * Gives memory of tw_malloc_async() back to the pool when all that was submitted to the queue so far is complete.
 * Returns at once. tw_free() gives it back too: there nothing may use it any more. Thread safe.
 *
 * @param queue   of the device of the memory; groups of other queues that use it are complete, or groups of this one
 *                depend on them
 * @param memory  the pointer that tw_malloc_async() returned; NULL is allowed
 * @return an error, after which the memory is not freed:
 *         TW_ERROR_INVALID_ARGUMENT       queue is NULL, or of another device; memory is not from tw_malloc_async(), or
 *                                         was freed
 *         TW_ERROR_INVALID_COMMAND_GROUP  the queue is recording a command graph
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_free_async(tw_queue *queue, void *memory);

/** Thread safe.
 *  @return bytes that were freed and are in the device's pool, used by unfinished groups or not; 0 for NULL */
TW_API size_t tw_memory_pool_bytes(const tw_device *device);

/**
 * Frees unused memory of a device's pool until at most `keep_bytes` are in it (cudaMemPoolTrimTo()). What unfinished
 * groups use stays. Allocations and buffers that find the device full, and tw_shutdown(), free it by themselves. Thread
 * safe.
 *
 * @return TW_ERROR_INVALID_ARGUMENT  device is NULL
 */
TW_API tw_status tw_memory_pool_trim(tw_device *device, size_t keep_bytes);

/** Thread safe.
 *  @return what `pointer` points into; any address inside of an allocation will do */
TW_API tw_pointer_type tw_pointer_get_type(const void *pointer);

/** Thread safe.
 *  @return the device of the allocation that `pointer` points into; NULL for memory of tw_malloc_host() and for
 *          pointers into something else */
TW_API tw_device *tw_pointer_get_device(const void *pointer);

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/**
 * @name Commands
 *
 * Each of these is the step of a command group, in the place of its kernel, as the copies and fills of copy.h are. Like
 * kernels that use such memory, they are ordered by tw_depends_on(), by in-order queues, and by accessors of their
 * group; recorded in a command graph, they are ordered if the queue that records is in order. The memory stays
 * allocated until the command is complete, or the command graph destroyed. All functions are thread safe, but a group is
 * recorded by one thread.
 *
 * On devices with streams, steps on device and shared memory of the queue's device, and copies between that and memory of
 * tw_malloc_host(), do not wait on the host for what is before them. All others are done by threads of the library when
 * it is their turn.
 *
 * Sizes of 0 are allowed, with any pointers: the command does nothing then, in its place in the order.
 *
 * Errors of recording, kept in the group:
 *     TW_ERROR_INVALID_ARGUMENT       a pointer is NULL, or does not point into unified shared memory where it has to
 *     TW_ERROR_INVALID_RANGE          the bytes do not lie in one allocation, or what is copied overlaps
 *     TW_ERROR_UNSUPPORTED            a copy between the memory of devices that do not know each other, as of a
 *                                     simulated device and a GPU
 *     TW_ERROR_INVALID_COMMAND_GROUP  the group has a kernel or a step already
 *     TW_ERROR_OUT_OF_MEMORY
 *
 * A command that fails reports TW_ERROR_TRANSFER_FAILED; the contents of what it should have written are undefined.
 *
 * They take addresses and sizes in bytes, as memcpy() does. The functions of copy.h take buffers and elements, and are
 * ordered by their accesses:
 *
 * | what is done         | buffers (copy.h)                            | memory by its address            |
 * |----------------------|---------------------------------------------|----------------------------------|
 * | a copy               | tw_copy(), tw_copy_part()                   | tw_memcpy(), tw_memcpy_2d()      |
 * | between the two      | tw_copy_from(), tw_copy_to()                | the same two take such memory    |
 * | a fill               | tw_fill(), tw_fill_part()                   | tw_mem_fill(), tw_memset()       |
 * | moved to the device  | tw_prefetch(), tw_prefetch_part()           | tw_mem_prefetch()                |
 * | moved to the host    | tw_update_host(), tw_update_host_part()     | tw_mem_prefetch_host()           |
 * | advice               | none: the library knows who uses a buffer   | tw_mem_advise()                  |
 *
 * @{
 */

/**
 * Copies bytes. Each side is unified shared memory, of any device, or memory of the program; a pointer into something else
 * than unified shared memory is taken for the latter. It must not be memory of a buffer, not even an address that an
 * accessor gave: tw_copy_to() and tw_copy_from() copy between buffers and such memory. The program's memory has to stay
 * valid until the command is complete, and is not used meanwhile.
 */
TW_API void tw_memcpy(tw_command_group *group, void *to, const void *from, size_t bytes);

/**
 * Copies `rows` rows of `row_bytes` each, between the kinds of memory that tw_memcpy() copies between.
 *
 * @param to_pitch    bytes from the beginning of a row to that of the next, at least row_bytes
 * @param from_pitch  likewise; if the pitches are equal, rows of both sides may lie between each other
 */
TW_API void tw_memcpy_2d(tw_command_group *group, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t row_bytes, size_t rows);

/** Sets each byte of unified shared memory to the low 8 bits of `value`. */
TW_API void tw_memset(tw_command_group *group, void *memory, int value, size_t bytes);

/** Sets `count` elements of `value_bytes` each, from `memory` on, to a value, which is read before the call returns. The
 *  memory is unified shared memory. */
TW_API void tw_mem_fill(tw_command_group *group, void *memory, const void *value, size_t value_bytes, size_t count);

/**
 * Moves memory of tw_malloc_shared() to its device, in advance, so that kernels need not wait for its pages; on a queue of
 * the host, or a CPU, to the host. The queue's device is the one that the memory was allocated for, or the host or a CPU.
 * Memory of the other kinds is where it is: the command does nothing. So does it where the device moves shared memory
 * only as a whole.
 *
 * Further error: TW_ERROR_INVALID_ARGUMENT  the memory is shared with another device than the queue's
 */
TW_API void tw_mem_prefetch(tw_command_group *group, const void *memory, size_t bytes);

/** Moves memory of tw_malloc_shared() to the host, in advance. What tw_mem_prefetch() says of queues, of other memory
 *  and of errors holds here too. */
TW_API void tw_mem_prefetch_host(tw_command_group *group, const void *memory, size_t bytes);

/** How memory of tw_malloc_shared() will be used. "The device" is the one that it was allocated for. */
typedef enum tw_mem_advice {
    TW_ADVICE_RESET = 0,           /**< as others think best: takes all advice back */
    TW_ADVICE_READ_MOSTLY = 1,     /**< read often and written seldom: device and host may have copies */
    TW_ADVICE_NOT_READ_MOSTLY = 2, /**< takes that back; so does each other NOT or NONE */
    TW_ADVICE_PREFER_DEVICE = 3,   /**< it should stay on the device, also when the host uses it */
    TW_ADVICE_PREFER_HOST = 4,
    TW_ADVICE_PREFER_NONE = 5,
    TW_ADVICE_DEVICE_ACCESSES = 6, /**< the device will use it where it is: keep it mapped there */
    TW_ADVICE_DEVICE_DOES_NOT = 7,
    TW_ADVICE_HOST_ACCESSES = 8,
    TW_ADVICE_HOST_DOES_NOT = 9
} tw_mem_advice;

/**
 * Tells the device how memory will be used. It changes no result. Memory of tw_malloc_device() and tw_malloc_host(),
 * and devices that take no advice, ignore it. On CUDA devices it may be taken before the command's turn.
 *
 * Further errors: TW_ERROR_INVALID_ARGUMENT  as for tw_mem_prefetch(), and for unknown advice
 */
TW_API void tw_mem_advise(tw_command_group *group, const void *memory, size_t bytes, tw_mem_advice advice);

/** @} */

/* ---- groups of one step ------------------------------------------------------------------------------------------ */

/**
 * Submit a group that has nothing but this step, as in SYCL's shortcuts of queues:
 *
 *     status = tw_queue_memcpy(queue, on_device, x, bytes, NULL);
 *
 * @param event  as for tw_queue_submit()
 * @return the first error of recording (above): nothing was submitted
 *         TW_ERROR_INVALID_ARGUMENT  queue is NULL
 *         TW_ERROR_OUT_OF_MEMORY
 */
#define tw_queue_memcpy(queue, to, from, bytes, event)                                                                 \
    tw_internal_queue_memcpy((queue), (to), (from), (bytes), (event), __FILE__, __LINE__)
#define tw_queue_memset(queue, memory, value, bytes, event)                                                            \
    tw_internal_queue_memset((queue), (memory), (value), (bytes), (event), __FILE__, __LINE__)
#define tw_queue_mem_fill(queue, memory, value, value_bytes, count, event)                                             \
    tw_internal_queue_mem_fill((queue), (memory), (value), (value_bytes), (count), (event), __FILE__, __LINE__)
#define tw_queue_mem_prefetch(queue, memory, bytes, event)                                                             \
    tw_internal_queue_mem_prefetch((queue), (memory), (bytes), (event), __FILE__, __LINE__)

/* What these macros call. */
TW_API tw_status tw_internal_queue_memcpy(tw_queue *queue, void *to, const void *from, size_t bytes, tw_event **event,
                                          const char *file, int line);
TW_API tw_status tw_internal_queue_memset(tw_queue *queue, void *memory, int value, size_t bytes, tw_event **event,
                                          const char *file, int line);
TW_API tw_status tw_internal_queue_mem_fill(tw_queue *queue, void *memory, const void *value, size_t value_bytes,
                                            size_t count, tw_event **event, const char *file, int line);
TW_API tw_status tw_internal_queue_mem_prefetch(tw_queue *queue, const void *memory, size_t bytes, tw_event **event,
                                                const char *file, int line);

TW_END_DECLS

#endif
