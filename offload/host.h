/* SPDX-License-Identifier: Apache-2.0 */
/** What the simulated devices share with the host's, since they run kernels in the host lowering. */
#ifndef TEAMWORK_OFFLOAD_HOST_H
#define TEAMWORK_OFFLOAD_HOST_H

#include "backend.h"

/* Prepares a worker thread for running OpenMP regions of its own. */
void tw_host_begin_thread(struct tw_backend_device *device);

/* Lets the threads of the calling thread's teams sleep soon, unless the environment says how long they poll. From then on the
   thread counts as one of OpenMP's. */
void tw_host_shorten_polling(void);

void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);

void tw_host_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts);

/* Runs a kernel in the host lowering, on the calling thread and its OpenMP team, in a parallel region of its own. */
tw_status tw_host_run(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description);

/* What a launch that has returned says of itself. */
tw_status tw_host_outcome(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description);

#endif
