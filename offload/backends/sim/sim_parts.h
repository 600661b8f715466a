/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels that access parts of buffers, on simulated devices: by part accessors, or as a part of a divided launch. */
#ifndef TEAMWORK_OFFLOAD_SIM_PARTS_H
#define TEAMWORK_OFFLOAD_SIM_PARTS_H

#include "backend.h"

/* Runs a kernel as tw_sim_watch_run() does, with the check of what it only reads. One that accesses parts of buffers runs
   several times, on private memory. Fails with TW_ERROR_OUT_OF_BOUNDS if it has read or written an element of such a buffer
   that is in no part; then the buffers have the contents from before. */
tw_status tw_sim_parts_run(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                           struct tw_internal_launch *launch);

#endif
