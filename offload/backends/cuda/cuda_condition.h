/* SPDX-License-Identifier: Apache-2.0 */
/** The conditions of a CUDA graph's conditional nodes, which a kernel of the library's own sets. */
#ifndef TEAMWORK_OFFLOAD_CUDA_CONDITION_H
#define TEAMWORK_OFFLOAD_CUDA_CONDITION_H

#include "cuda_driver.h"

/* Returns true if the driver has conditional nodes. */
bool tw_cuda_has_conditions(void);

/* Adds a kernel to a graph that sets the condition with a handle: to whether an int on the device is not 0. Called in the
   device's context. */
cu_result tw_cuda_add_set_condition(struct tw_cuda_device *device, uint64_t handle, const int *value, cu_graph graph,
                                    const cu_node *before, size_t count, cu_node *node);

/* Unloads the kernel. Called in the device's context. */
void tw_cuda_close_condition(struct tw_cuda_device *device);

#endif
