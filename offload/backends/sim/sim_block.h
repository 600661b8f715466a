/* SPDX-License-Identifier: Apache-2.0 */
/** Pointers in argument blocks of kernels on simulated devices. */
#ifndef TEAMWORK_OFFLOAD_SIM_BLOCK_H
#define TEAMWORK_OFFLOAD_SIM_BLOCK_H

#include "backend.h"

/* Whether all pointers in a block, whose launch is recorded, come from accessors of its group. */
tw_status tw_sim_block_check(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                             const struct tw_internal_launch *launch);

/* Finds the member of a block that points to `address`, and stores its name, as "grid.data". False: there is none. */
bool tw_sim_block_member(const struct tw_internal_kernel *kernel, const void *args, const void *address, char *name,
                         size_t bytes);

#endif
