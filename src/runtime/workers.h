/* SPDX-License-Identifier: Apache-2.0 */
/** Worker threads of devices, and the end of all. */
#ifndef TEAMWORK_RUNTIME_WORKERS_H
#define TEAMWORK_RUNTIME_WORKERS_H

#include <teamwork/status.h>

#include "device.h"

/* Starts one more worker, if the device has fewer than it may have: device->start_worker_locked. */
void tw_start_worker_locked(struct tw_device *device);
/* Sees to it that the device has a worker: for what has to come to its end although no thread waits for it. */
tw_status tw_device_needs_worker(struct tw_device *device);
/* Ends the workers of a device; with the lock held, which is released meanwhile. */
void tw_stop_workers_locked(struct tw_device *device);
/* What exit() does first; while the devices stay. */
void tw_end_tasks(void);

#endif
