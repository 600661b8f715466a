/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels in the host lowering: they run on the calling thread and its OpenMP team, for the host and for simulated
 * devices. Also the properties that host code gives for kernels on any CPU.
 */
#ifndef TEAMWORK_OFFLOAD_HOST_LOWERING_H
#define TEAMWORK_OFFLOAD_HOST_LOWERING_H

#include "backend.h"

/* The limit of a group's local memory on a CPU. It is ordinary memory of the thread that runs the group: as much as
   stays in a cache. */
#define TW_HOST_LOCAL_BYTES ((size_t)256 << 10)

/* Slots of tables (backend.h), for devices that run kernels in the host lowering. */
void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
void tw_host_observe(struct tw_backend_device *device, struct tw_device_state *state);
tw_status tw_host_load(struct tw_backend_device *device, const struct tw_internal_kernel *kernel);
tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);
void tw_host_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts);

/* Returns the bytes of the TW_LOCAL variables of a kernel's function, from the records of its host code. */
size_t tw_host_static_local_bytes(const struct tw_internal_kernel *kernel);

/* Fails if the function of a kernel without work-groups has TW_LOCAL variables: they would be those of whatever work-items
   a device runs together. */
tw_status tw_host_check_has_groups(const struct tw_internal_kernel *kernel);

/* Likewise, and fails if the groups of a launch need more than `most` bytes of local memory each. */
tw_status tw_host_check_local(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                              size_t most);

/* Work that is done before a kernel runs. Each thread of the kernel's team runs one piece of `pieces`. */
struct tw_host_prelude {
    void (*run)(const struct tw_host_prelude *prelude, size_t piece, size_t pieces);
};

/* Returns true for a launch that one thread runs alone, without a team: a single task, or one work-group. */
bool tw_host_needs_one_thread(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description);
/* Runs a kernel in the host lowering, on the calling thread and its OpenMP team, in a parallel region of its own.
   `prelude` may be NULL. */
tw_status tw_host_run(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                      const struct tw_host_prelude *prelude);

/* Memory for the parts of reductions. */
struct tw_host_scratch {
    void *memory;
    size_t bytes;
};

/* The same in two parts, for a caller that runs `kernel->host` in its own parallel region. `scratch` is kept for the
   next kernel, and the caller frees its memory with free(). tw_host_prepare() returns false if there is no memory for
   it; tw_host_outcome() then reports that. */
bool tw_host_prepare(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                     struct tw_host_scratch *scratch);
void tw_host_end(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description);

/* Makes a launch of a kernel that has stages the first of them, and returns that one's kernel. */
const struct tw_internal_kernel *tw_host_next_stage(const struct tw_internal_kernel *kernel,
                                                    struct tw_internal_launch *description);

/* Returns the status of a launch that has returned. */
tw_status tw_host_outcome(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description);

#endif
