/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels of the simt lowering by the CUDA driver: their properties, and their launches. They use the same device image
 * and context as libomptarget, but run on streams, and a fault is an error instead of abort().
 */
#ifndef TEAMWORK_OFFLOAD_CUDA_LAUNCH_H
#define TEAMWORK_OFFLOAD_CUDA_LAUNCH_H

#include "backends/gpu/gpu_backend.h"
#include "cuda_driver.h"

/* Slots (backend.h), with what gpu_kernel.h says of them. */
void tw_cuda_limits(struct tw_backend_device *base, const struct tw_internal_kernel *key, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts);
tw_status tw_cuda_load(struct tw_backend_device *base, const struct tw_internal_kernel *key);
tw_status tw_cuda_check(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                        struct tw_internal_launch *launch);

/* Launches a kernel that tw_gpu_takes(), and returns when it is complete. The launch has its device memory. */
tw_status tw_cuda_launch(struct tw_backend_device *base, const struct tw_internal_kernel *key,
                         const struct tw_internal_launch *launch);

/* Enqueues a launch that tw_gpu_takes(). Called in the device's context. */
cu_result tw_cuda_enqueue(const struct tw_internal_launch *launch, cu_stream stream);

/* Adds such a launch to a graph as a node. `follows_kernel`: what it waits for is one node, a kernel of its device; then
   its blocks may come to the device while that kernel ends. Called in the device's context. */
cu_result tw_cuda_add_node(const struct tw_internal_launch *launch, cu_graph graph, const cu_node *before, size_t count,
                           bool follows_kernel, cu_node *node);

/* Sets the parameters of such a node for all later launches of the executable graph. */
cu_result tw_cuda_set_node(const struct tw_internal_launch *launch, cu_executable executable, cu_node node);

/* Reports the failure of a driver call for a kernel: of the launch only, or of the device, which is then lost. `alone`
   as for tw_cuda_lose(). Called in the device's context. */
tw_status tw_cuda_report(struct tw_cuda_device *device, const char *kernel, cu_result error, bool alone);

/* Unloads all device images. Called before the contexts are released. */
void tw_cuda_forget_kernels(void);

#endif
