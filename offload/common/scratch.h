/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Device memory that launches borrow: for the parts of a reduction, kept from launch to launch, and for a large
 * argument block.
 */
#ifndef TEAMWORK_SCRATCH_H
#define TEAMWORK_SCRATCH_H

#include <pthread.h>

#include "backend.h"

#define TW_SCRATCH_KEPT 8u

struct tw_scratch {
    pthread_mutex_t mutex;
    void *kept[TW_SCRATCH_KEPT];
    unsigned count;
};

void tw_scratch_open(struct tw_scratch *scratch);

/* Frees what is kept. */
void tw_scratch_close(struct tw_scratch *scratch, struct tw_backend_device *device);

/* Allocates launch->scratch, with a counter of zero behind it (lower/kernel/launch.h), for whoever keeps it. */
tw_status tw_scratch_make(struct tw_backend_device *device, struct tw_internal_launch *launch);

/* Lends a launch that waits what it needs of both; copies its argument block. */
tw_status tw_scratch_lend(struct tw_scratch *scratch, struct tw_backend_device *device,
                          const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch);

/* Takes both back once the launch is complete; `clean` as below. */
void tw_scratch_return(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                       bool clean);

/* Lends launch->scratch, with a counter of zero behind it (lower/kernel/launch.h). */
tw_status tw_scratch_take(struct tw_scratch *scratch, struct tw_backend_device *device,
                          struct tw_internal_launch *launch);

/* Takes it back once the launch is complete; `clean` unless the kernel may have left something in the counter. */
void tw_scratch_give(struct tw_scratch *scratch, struct tw_backend_device *device, struct tw_internal_launch *launch,
                     bool clean);

#endif
