/* SPDX-License-Identifier: Apache-2.0 */
/** Small copies between memory of devices, by a kernel of the library's own: nodes of graphs. */
#ifndef TEAMWORK_OFFLOAD_CUDA_COPY_KERNEL_H
#define TEAMWORK_OFFLOAD_CUDA_COPY_KERNEL_H

#include "cuda_driver.h"

/* Returns true if a kernel makes a copy, which is one of joined rows, sooner than the driver. Both devices can use each
   other's memory. */
bool tw_cuda_kernel_copies(const struct tw_backend_copy *copy);

/* Adds the kernel to a graph. */
cu_result tw_cuda_add_copy_kernel(const struct tw_backend_copy *copy, cu_graph graph, const cu_node *before,
                                  size_t count, cu_node *node);

/* Unloads the kernels. Called in the device's context. */
void tw_cuda_close_copy_kernels(struct tw_cuda_device *device);

#endif
