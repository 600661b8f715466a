/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels and copies in flight on devices that keep their order themselves. */
#ifndef TEAMWORK_RUNTIME_STREAM_H
#define TEAMWORK_RUNTIME_STREAM_H

#include <stdbool.h>

#include "poller.h"
#include "ready.h"

/* Issues what is to be issued; releases the lock meanwhile. */
void tw_issue_locked(void);
/* Looks once in a while for what is over on a task queue; for who submits. Releases the lock meanwhile. */
void tw_stream_tidy_locked(struct tw_task_queue *queue);
/* Finishes what is over on some task queue. Releases the lock meanwhile. Returns whether there was any. */
bool tw_retire_device_locked(struct tw_device *device);
/* Waits until a task in flight is a step nearer to its end, or anything else has changed; beside another poller, until
   `target` is finished if it is of the same stream. Releases the lock meanwhile. */
void tw_stream_wait_locked(struct tw_poller *poller, struct tw_task *task, struct tw_task *target);
/* Notes which task in flight on a task queue runs now. */
void tw_note_start_locked(struct tw_task_queue *queue);
/* Ends the streams of a device on which nothing is in flight; with the lock held, which is released meanwhile. */
void tw_close_streams_locked(struct tw_device *device);

#endif
