/* SPDX-License-Identifier: Apache-2.0 */
/** A simulated device: its faults and delays, and the kernels that they apply to. */
#ifndef TEAMWORK_OFFLOAD_SIM_DEVICE_H
#define TEAMWORK_OFFLOAD_SIM_DEVICE_H

#include <pthread.h>

#include "backend.h"

#define TW_SIM_OPERATIONS (TW_SIM_KERNEL + 1)

struct tw_sim_device {
    struct tw_backend_device base;
    pthread_mutex_t mutex; /* protects all members below */
    uint64_t counts[TW_SIM_OPERATIONS];
    uint64_t fail_at[TW_SIM_OPERATIONS]; /* the count at which an operation fails; 0: never */
    bool fail_on[TW_SIM_OPERATIONS];     /* all operations after it fail too */
    uint64_t delay_ns[TW_SIM_OPERATIONS];
    uint64_t allocated_bytes, copied_bytes;
    bool lost;             /* a kernel has failed */
    uint64_t memory_bytes; /* the most allocated bytes; 0: any number; never changes */
    bool asynchronous;     /* never changes */
    bool checks_reads; /* TW_SIM_CHECK: checks what kernels read and write beside what they declare; never changes */
};

/* A sub-device: its kernels are those of the whole device, which has all that is counted. */
struct tw_sim_part {
    struct tw_backend_device base;
    size_t first, units;
};

/* Returns the device; of a sub-device, the whole one. */
static inline struct tw_sim_device *tw_sim_of(struct tw_backend_device *device)
{
    return (struct tw_sim_device *)(device->whole ? device->whole : device);
}

/* Returns true if the device has streams; never changes. */
bool tw_sim_is_asynchronous(struct tw_backend_device *device);

/* Returns true if a kernel has failed: then all later operations fail. */
bool tw_sim_is_lost(struct tw_backend_device *device);

/* Counts an operation. Returns true if it must fail. */
bool tw_sim_op_fails(struct tw_backend_device *device, tw_sim_operation operation);

/* Counts the bytes of a copy. */
void tw_sim_count_bytes(struct tw_backend_device *device, size_t bytes);

/* Sleeps for the delay of an operation. */
void tw_sim_op_delay(struct tw_backend_device *device, tw_sim_operation operation);

/* Counts an operation and sleeps for its delay. Returns true if it must fail. */
bool tw_sim_op_begin(struct tw_backend_device *device, tw_sim_operation operation);

/* Runs a launched kernel, with the faults and delays of TW_SIM_KERNEL. */
tw_status tw_sim_run_kernel(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                            struct tw_internal_launch *description);

/* Return the failure of a copy to or from the device, of a fill, and of a launch. */
tw_status tw_sim_refuse_copy(const struct tw_backend_device *device, bool to, size_t bytes);
tw_status tw_sim_refuse_fill(const struct tw_backend_device *device, const struct tw_backend_fill *fill);
tw_status tw_sim_refuse_launch(const struct tw_backend_device *device, const struct tw_internal_kernel *kernel);

#endif
