/* SPDX-License-Identifier: Apache-2.0 */
/** Worker threads of devices, and the end of the program. */
#ifndef TEAMWORK_RUNTIME_WORKERS_H
#define TEAMWORK_RUNTIME_WORKERS_H

#include <teamwork/status.h>

#include "device.h"

/* Starts one more worker, unless the device has as many as it may have: device->start_worker_locked. */
void tw_start_worker_locked(struct tw_device *device);
/* Makes sure that the device has a worker, for tasks that must be finished although no thread waits for them. */
tw_status tw_device_needs_worker(struct tw_device *device);
/* Ends the workers of a device, and closes its streams. Releases the lock meanwhile. */
void tw_stop_workers_locked(struct tw_device *device);
/* Waits, for a limited time, until nothing is in flight on any device: for some commands, as those of CUDA events, no
   queue can be waited for. */
void tw_settle_tasks(void);
/* Waits for running tasks when exit() begins, and lets no others begin. The devices still exist. */
void tw_end_tasks(void);

#endif
