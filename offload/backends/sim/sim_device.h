/* SPDX-License-Identifier: Apache-2.0 */
/** What the two halves of the simulated backend share: sim.c (memory, kernels, faults) and sim_chain.c (chains). */
#ifndef TEAMWORK_OFFLOAD_SIM_DEVICE_H
#define TEAMWORK_OFFLOAD_SIM_DEVICE_H

#include "backend.h"

/* Chains and graphs. A device that is not asynchronous takes nothing. */
extern const struct tw_backend_async tw_sim_async;
extern const struct tw_backend_graphs tw_sim_graphs;

/* Whether the device has chains; never changes. */
bool tw_sim_is_asynchronous(struct tw_backend_device *device);

/* Whether a kernel has failed, so that all after it fail. */
bool tw_sim_is_lost(struct tw_backend_device *device);

/* Counts an operation. Returns whether it is to fail. */
bool tw_sim_op_fails(struct tw_backend_device *device, tw_sim_operation operation);

/* Takes as long as the operation is to take. */
void tw_sim_op_delay(struct tw_backend_device *device, tw_sim_operation operation);

/* Runs a kernel that was launched. */
tw_status tw_sim_run_kernel(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *launch);

/* The failure of a copy to or from the device, and that of a launch. */
tw_status tw_sim_refuse_copy(const struct tw_backend_device *device, bool to, size_t bytes);
tw_status tw_sim_refuse_launch(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel);

#endif
