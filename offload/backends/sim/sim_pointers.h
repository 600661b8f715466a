/* SPDX-License-Identifier: Apache-2.0 */
/** Wrong pointers in argument blocks of kernels on simulated devices. */
#ifndef TEAMWORK_OFFLOAD_SIM_POINTERS_H
#define TEAMWORK_OFFLOAD_SIM_POINTERS_H

#include "backend.h"

/* Fails unless all pointers in the argument block of a recorded launch come from accessors of its group. */
tw_status tw_sim_pointers_check(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                                const struct tw_internal_launch *launch);

#endif
