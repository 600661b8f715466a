/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels in the host lowering, on the calling thread and its OpenMP team: for the host, and for the devices that it
 * simulates. And what the host's code tells of kernels on any CPU.
 */
#ifndef TEAMWORK_OFFLOAD_HOST_LOWERING_H
#define TEAMWORK_OFFLOAD_HOST_LOWERING_H

#include "backend.h"

/* Ordinary memory of the thread that runs the group: what stays in a cache. */
#define TW_HOST_LOCAL_BYTES ((size_t)256 << 10)

/* Slots of tables (backend.h), for devices that run kernels in the host lowering. */
void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);
void tw_host_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts);

/* Bytes of the TW_LOCAL variables of a kernel's function: what the host's code of it has noted. */
size_t tw_host_static_local_bytes(const struct tw_internal_kernel *kernel);

/* Refuses a launch whose groups need more local memory than a CPU device has for one. */
tw_status tw_host_check_local(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                              size_t most);

/* What is to be done before a kernel runs: piece `piece` of `pieces`, by each thread of the team that runs it. */
struct tw_host_prelude {
    void (*run)(const struct tw_host_prelude *prelude, size_t piece, size_t pieces);
};

/* Runs a kernel in the host lowering, on the calling thread and its OpenMP team, in a parallel region of its own.
   `prelude` may be NULL. */
tw_status tw_host_run(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                      const struct tw_host_prelude *prelude);

/* The same in two parts, for who runs `kernel->host` in a region of its own. `scratch` is memory for the parts of
   reductions, kept for the next kernel, to be freed by free(). False: there is none, which the launch's outcome
   tells. */
bool tw_host_prepare(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description, void **scratch);
void tw_host_end(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description);

/* What a launch that has returned says of itself. */
tw_status tw_host_outcome(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description);

#endif
