/* SPDX-License-Identifier: Apache-2.0 */
/** Fills by the CUDA driver, and by a kernel of the library's own. */
#ifndef TEAMWORK_OFFLOAD_CUDA_FILL_H
#define TEAMWORK_OFFLOAD_CUDA_FILL_H

#include "cuda_driver.h"

/* Fills rows of bytes and returns when that is done. */
tw_status tw_cuda_fill(struct tw_cuda_device *device, const struct tw_backend_fill *fill);

/* Enqueues a fill. Called in the device's context. */
tw_status tw_cuda_enqueue_fill(struct tw_cuda_device *device, const struct tw_backend_fill *fill, cu_stream stream);

/* Returns true if a fill can be a node of a graph. */
bool tw_cuda_fill_fits_node(const struct tw_backend_fill *fill);

/* Adds such a fill to a graph. Called in the device's context. */
cu_result tw_cuda_add_fill(struct tw_cuda_device *device, const struct tw_backend_fill *fill, cu_graph graph,
                           const cu_node *before, size_t count, cu_node *node);

/* Unloads the kernel. Called in the device's context. */
void tw_cuda_close_fill(struct tw_cuda_device *device);

#endif
