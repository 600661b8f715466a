/* SPDX-License-Identifier: Apache-2.0 */
/** Copies by the CUDA driver. */
#ifndef TEAMWORK_OFFLOAD_CUDA_COPY_H
#define TEAMWORK_OFFLOAD_CUDA_COPY_H

#include "cuda_driver.h"

/* Copies `bytes` and returns when they have arrived. A device that is NULL stands for the host. */
tw_status tw_cuda_copy(struct tw_cuda_device *to, void *target, struct tw_cuda_device *from, const void *source,
                       size_t bytes);

/* Enqueues a copy from one device's memory to another's. Reports a failure as tw_cuda_copy() does. Called in the
   context of `to`. */
tw_status tw_cuda_enqueue_copy(const struct tw_cuda_device *to, void *target, const struct tw_cuda_device *from,
                               const void *source, size_t bytes, cu_stream stream);

/* Frees the page-locked stages of a device. Called in its context. */
void tw_cuda_free_stages(struct tw_cuda_device *device);

#endif
