/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Device memory that a launch borrows: scratch memory for the parts of a reduction, which is kept from launch to
 * launch, and memory for a large argument block. Knows a device by its table alone.
 */
#ifndef TEAMWORK_SCRATCH_H
#define TEAMWORK_SCRATCH_H

#include <pthread.h>

#include "backend.h"

/* More than there are sizes: powers of two, and one more. */
#define TW_SCRATCH_KEPT 40u

struct tw_scratch_kept {
    void *memory;
    size_t bytes;
};

struct tw_scratch {
    pthread_mutex_t mutex;
    struct tw_scratch_kept kept[TW_SCRATCH_KEPT];
    unsigned count;
};

void tw_scratch_open(struct tw_scratch *scratch);

/* Frees the scratch memory that is kept. */
void tw_scratch_close(struct tw_scratch *scratch, struct tw_backend_device *device);

/* Allocates launch->scratch, with counters and arrays of zero (lower/kernel/launch.h). The caller frees it. */
tw_status tw_scratch_make(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                          struct tw_internal_launch *launch);

/* Lends a synchronous launch the scratch memory and the argument memory that it needs, and copies its arguments. */
tw_status tw_scratch_lend(struct tw_scratch *scratch, struct tw_backend_device *device,
                          const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch);

/* Takes both back once the launch is complete; `clean` as for tw_scratch_give(). */
void tw_scratch_return(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                       bool clean);

/* Lends launch->scratch, with counters and arrays of zero (lower/kernel/launch.h). */
tw_status tw_scratch_take(struct tw_scratch *scratch, struct tw_backend_device *device,
                          const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch);

/* Takes the scratch memory back once the launch is complete; `clean` unless counters or arrays may not be zero. */
void tw_scratch_give(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                     bool clean);

/* Lends launch->scratch to a launch of a stream: the next one runs after it, so it can take the same memory. Nothing is to be
   given back. */
tw_status tw_scratch_lend_in_order(struct tw_scratch *scratch, struct tw_backend_device *device,
                                   const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch);

#endif
