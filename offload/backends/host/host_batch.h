/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEAMWORK_OFFLOAD_HOST_BATCH_H
#define TEAMWORK_OFFLOAD_HOST_BATCH_H

#include "backend.h"

/* The host's `launch_batch` (backend.h). */
void tw_host_launch_batch(struct tw_backend_device *device, struct tw_backend_batch *batch);

/* Runs one launch and its stages, as the host's `launch` does. */
tw_status tw_host_launch_stages(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                                struct tw_internal_launch *launch);

#endif
