/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Host memory that devices copy to and from fastest.
 *
 *     double *samples = tw_malloc_host(n * sizeof *samples);
 *     status = tw_buffer_create_over(samples, sizeof *samples, tw_range_1d(n), &buffer);
 *
 * A GPU's bus moves page-locked memory by itself; other memory is copied once more on the way, by several threads. On
 * an H200 that is 55 GB/s against 35 to 50. Page-locking takes time itself, a millisecond for every few megabytes: it
 * pays for memory that is transferred more than once.
 *
 * An extension: SYCL 1.2 has no such thing (malloc_host of SYCL 2020). Memory that the program has page-locked by other
 * means, such as cudaHostAlloc(), is recognized too.
 */
#ifndef TEAMWORK_HOST_MEMORY_H
#define TEAMWORK_HOST_MEMORY_H

#include <teamwork/status.h>

TW_BEGIN_DECLS

/**
 * Allocates host memory, page-locked if a device gains by that, aligned to 128 bytes, its contents undefined. Thread
 * safe. Starts what the devices need, as the first queue does.
 *
 * @param bytes  at least 1
 * @return the memory, to be freed by tw_free_host() or tw_free(); NULL, and tw_error_detail(), where there is none
 */
TW_API void *tw_malloc_host(size_t bytes);

/**
 * The same with another alignment (aligned_alloc_host of SYCL 2020): for vector instructions, pages, or direct files.
 *
 * @param alignment  bytes, a power of two; memory is aligned to 128 bytes in any case
 * @return as tw_malloc_host()
 */
TW_API void *tw_aligned_alloc_host(size_t alignment, size_t bytes);

/** Frees memory of tw_malloc_host() or tw_aligned_alloc_host(), which no buffer may be over any more; tw_free() of
 *  usm.h does the same. `memory` is the pointer that the allocation returned. NULL, and all other memory, are left
 *  alone. Thread safe. */
TW_API void tw_free_host(void *memory);

TW_END_DECLS

#endif
