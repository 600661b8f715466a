/* SPDX-License-Identifier: Apache-2.0 */
/** Copies by the CUDA driver. */
#ifndef TEAMWORK_OFFLOAD_CUDA_COPY_H
#define TEAMWORK_OFFLOAD_CUDA_COPY_H

#include "cuda_driver.h"

/* Copies, and returns when all has arrived; NULL for a device stands for the host. */
tw_status tw_cuda_copy(struct tw_cuda_device *to, void *target, struct tw_cuda_device *from, const void *source,
                       size_t bytes);

/* Enqueues a copy from memory of one device to that of another; on failure, says so as tw_cuda_copy() does. In the
   device's context. */
tw_status tw_cuda_enqueue_copy(const struct tw_cuda_device *to, void *target, const struct tw_cuda_device *from,
                               const void *source, size_t bytes, cu_stream stream);

/* Frees the memory that copies went through. In the device's context. */
void tw_cuda_free_stages(struct tw_cuda_device *device);

#endif
