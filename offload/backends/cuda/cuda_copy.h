/* SPDX-License-Identifier: Apache-2.0 */
/** Copies by the CUDA driver. */
#ifndef TEAMWORK_OFFLOAD_CUDA_COPY_H
#define TEAMWORK_OFFLOAD_CUDA_COPY_H

#include "cuda_driver.h"

/* Copies rows of bytes and returns when they have arrived. */
tw_status tw_cuda_copy(const struct tw_backend_copy *copy);

/* Enqueues a copy between devices, within one, or between one and page-locked host memory. Reports a failure as
   tw_cuda_copy() does. Called in the context of copy->to, or else of copy->from. */
tw_status tw_cuda_enqueue_copy(const struct tw_backend_copy *copy, cu_stream stream);

/* Returns true if such a copy can be a node of a graph. */
bool tw_cuda_copy_fits_node(const struct tw_backend_copy *copy);

/* Adds such a copy to a graph. Called in the context of copy->to, or else of copy->from. */
cu_result tw_cuda_add_copy(const struct tw_backend_copy *copy, cu_graph graph, const cu_node *before, size_t count,
                           cu_node *node);

/* Frees the page-locked stages of a device. Called in its context. */
void tw_cuda_free_stages(struct tw_cuda_device *device);

#endif
