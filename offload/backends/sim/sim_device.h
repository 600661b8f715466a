/* SPDX-License-Identifier: Apache-2.0 */
/** A simulated device: its faults and delays, and kernels that meet them. */
#ifndef TEAMWORK_OFFLOAD_SIM_DEVICE_H
#define TEAMWORK_OFFLOAD_SIM_DEVICE_H

#include <pthread.h>

#include "backend.h"

#define TW_SIM_OPERATIONS (TW_SIM_KERNEL + 1)

struct tw_sim_device {
    struct tw_backend_device base;
    pthread_mutex_t mutex; /* for all below */
    uint64_t counts[TW_SIM_OPERATIONS];
    uint64_t fail_at[TW_SIM_OPERATIONS]; /* count at which to fail; 0: never */
    bool fail_on[TW_SIM_OPERATIONS];     /* ... and each after it */
    uint64_t delay_ns[TW_SIM_OPERATIONS];
    uint64_t allocated_bytes;
    bool lost;         /* after a failed kernel */
    bool asynchronous; /* never changes */
    bool checks_reads; /* looks for kernels that write to what they only read; never changes */
};

static inline struct tw_sim_device *tw_sim_of(struct tw_backend_device *device)
{
    return (struct tw_sim_device *)device;
}

/* Whether the device has streams; never changes. */
bool tw_sim_is_asynchronous(struct tw_backend_device *device);

/* Whether a kernel has failed, so that all after it fail. */
bool tw_sim_is_lost(struct tw_backend_device *device);

/* Counts an operation. Returns whether it is to fail. */
bool tw_sim_op_fails(struct tw_backend_device *device, tw_sim_operation operation);

/* Takes as long as the operation is to take. */
void tw_sim_op_delay(struct tw_backend_device *device, tw_sim_operation operation);

/* Both. Returns whether it is to fail. */
bool tw_sim_op_begin(struct tw_backend_device *device, tw_sim_operation operation);

/* Runs a kernel that was launched. */
tw_status tw_sim_run_kernel(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *launch);

/* The failure of a copy to or from the device, and that of a launch. */
tw_status tw_sim_refuse_copy(const struct tw_backend_device *device, bool to, size_t bytes);
tw_status tw_sim_refuse_launch(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel);

#endif
