/* SPDX-License-Identifier: Apache-2.0 */
/** Memory by the CUDA driver: device memory from a pool, and host memory that the bus can reach. */
#ifndef TEAMWORK_OFFLOAD_CUDA_MEMORY_H
#define TEAMWORK_OFFLOAD_CUDA_MEMORY_H

#include "cuda_driver.h"

/* Whether device memory comes from a pool; always the same for a device. Else OpenMP has to allocate it. */
bool tw_cuda_has_pool(struct tw_cuda_device *device);

/* Allocate and free memory of a device that has a pool. NULL: out of memory. */
void *tw_cuda_allocate(struct tw_cuda_device *device, size_t bytes);
void tw_cuda_free(struct tw_cuda_device *device, void *memory);

/* Host memory that is page-locked for all devices; NULL: there is none. */
void *tw_cuda_allocate_host(size_t bytes);
void tw_cuda_free_host(void *memory);

/* Frees the pool. In the device's context. */
void tw_cuda_close_pool(struct tw_cuda_device *device);

#endif
