/* SPDX-License-Identifier: Apache-2.0 */
/** What the simulated devices share with the host's, since they run kernels in the host lowering. */
#ifndef TEAMWORK_OFFLOAD_HOST_H
#define TEAMWORK_OFFLOAD_HOST_H

#include "backend.h"

extern const struct tw_backend tw_backend_host;

#define TW_HOST_LOCAL_BYTES                                                                                            \
    ((size_t)256 << 10) /* ordinary memory of the thread that runs the group: what stays in a cache */

/* Prepares a worker thread for running OpenMP regions of its own. */
void tw_host_begin_thread(struct tw_backend_device *device);

/* Lets the threads of the calling thread's teams sleep soon, unless the environment says how long they poll. From then on the
   thread counts as one of OpenMP's. */
void tw_host_shorten_polling(void);

void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts);
tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch);

/* Bytes of the TW_LOCAL variables of a kernel's function: what the host's code of it has noted. */
size_t tw_host_static_local_bytes(const struct tw_internal_kernel *kernel);

/* Refuses a launch whose groups need more local memory than a CPU device has for one. */
tw_status tw_host_check_local(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                              size_t most);

void tw_host_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts);

/* What is to be done before a kernel runs: piece `piece` of `pieces`, by each thread of the team that runs it. */
struct tw_host_prelude {
    void (*run)(const struct tw_host_prelude *prelude, size_t piece, size_t pieces);
};

/* Runs a kernel in the host lowering, on the calling thread and its OpenMP team, in a parallel region of its own. `prelude` may be
   NULL. */
tw_status tw_host_run(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                      const struct tw_host_prelude *prelude);

/* What a launch that has returned says of itself. */
tw_status tw_host_outcome(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description);

#endif
