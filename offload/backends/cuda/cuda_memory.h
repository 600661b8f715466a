/* SPDX-License-Identifier: Apache-2.0 */
/** Memory by the CUDA driver: device memory from a pool, and page-locked host memory. */
#ifndef TEAMWORK_OFFLOAD_CUDA_MEMORY_H
#define TEAMWORK_OFFLOAD_CUDA_MEMORY_H

#include "cuda_driver.h"

/* Returns true if device memory comes from a pool; otherwise OpenMP allocates it. Never changes for a device. */
bool tw_cuda_has_pool(struct tw_cuda_device *device);

/* Allocate and free memory of a device that has a pool. Returns NULL if there is not enough. */
void *tw_cuda_allocate(struct tw_cuda_device *device, size_t bytes);
void tw_cuda_free(struct tw_cuda_device *device, void *memory);

/* Lets two devices use each other's pools. Returns false if they cannot. Called before each copy between them, by any
   thread. */
bool tw_cuda_connect(struct tw_cuda_device *a, struct tw_cuda_device *b);

/* Reserve addresses of a device that has pages, put memory behind a part of them, take it away, and give the addresses
   back; as the slots of tw_backend_memory. */
void *tw_cuda_reserve(const struct tw_cuda_device *device, size_t bytes);
bool tw_cuda_back(struct tw_cuda_device *device, void *reserved, size_t at, size_t bytes);
void tw_cuda_unback(const struct tw_cuda_device *device, void *reserved, size_t at, size_t bytes);
void tw_cuda_release(const struct tw_cuda_device *device, void *reserved, size_t bytes);

/* Slots (backend.h): managed memory. Freeing it waits for what runs on the device. */
void *tw_cuda_allocate_shared(struct tw_backend_device *base, size_t bytes);
void tw_cuda_free_shared(struct tw_backend_device *base, void *memory);

/* Does what a hint about managed memory says and returns when that is done; the second function enqueues it, and is called
   in the device's context. */
tw_status tw_cuda_hint(struct tw_cuda_device *device, const struct tw_backend_hint *hint);
tw_status tw_cuda_enqueue_hint(const struct tw_cuda_device *device, const struct tw_backend_hint *hint,
                               cu_stream stream);

/* Slot (backend.h): finds out by the driver what memory of the program is. */
tw_status tw_cuda_examine(struct tw_backend_device *base, const void *memory, size_t bytes, bool *shared);

/* Allocate and free host memory that is page-locked for all devices. Returns NULL if there is none. */
void *tw_cuda_allocate_host(size_t bytes);
void tw_cuda_free_host(void *memory);

/* Frees the pool. Called in the device's context. */
void tw_cuda_close_pool(struct tw_cuda_device *device);

#endif
