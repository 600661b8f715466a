/* SPDX-License-Identifier: Apache-2.0 */
/** Memory of simulated devices: allocations with red zones around them, and kernels that are watched while they run. */
#ifndef TEAMWORK_OFFLOAD_SIM_MEMORY_H
#define TEAMWORK_OFFLOAD_SIM_MEMORY_H

#include "backend.h"

/* Allocates memory that is poisoned, with red zones around it. NULL: there is none. */
void *tw_sim_memory_allocate(const struct tw_backend_device *device, size_t bytes);

/* Frees it, and warns if a red zone was written to: there is no command to fail. Returns its bytes. */
size_t tw_sim_memory_free(void *memory);

/* The allocation that an address lies in, red zones included; NULL: none of any simulated device. Stores the device. */
void *tw_sim_memory_around(const void *address, const struct tw_backend_device **device);

/* Looks for writes beside memory that is copied, and mends the red zones. */
tw_status tw_sim_memory_check_copy(const void *memory);

/* Runs a kernel, with what it discards poisoned. Fails if it has written to the red zones of what it accesses or, if
   `checks_reads`, to what it only reads; the red zones, and what was only to be read, are then as before. */
tw_status tw_sim_memory_run(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *launch, bool checks_reads);

#endif
