/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels and copies in flight on devices that keep the order themselves. */
#ifndef TEAMWORK_RUNTIME_STREAM_H
#define TEAMWORK_RUNTIME_STREAM_H

#include <stdbool.h>

#include "poller.h"
#include "ready.h"

/* Issues the tasks that streams are to issue. Releases the lock meanwhile. */
void tw_issue_locked(void);
/* Lets the host see soon when those are over that a task waits for, and that are issued to streams which do not keep the
   order for it. Called when the task is inserted. */
void tw_stream_announce_before_locked(const struct tw_node *node);
/* Retires completed kernels of a task queue once in a while; for submitting threads. Releases the lock meanwhile. */
void tw_stream_tidy_locked(struct tw_task_queue *queue);
/* Retires completed tasks of a stream of the device. Returns true if there were any. Releases the lock meanwhile. */
bool tw_retire_device_locked(struct tw_device *device);
/* Waits until a task in flight is a step nearer to its end, or anything else has changed. If another thread polls the
   stream, waits until `target` is finished, provided it is of the same stream. Releases the lock meanwhile. */
void tw_stream_wait_locked(struct tw_poller *poller, struct tw_task *task, struct tw_task *target);
/* Notes the start of the first kernel in flight on a task queue, if all its predecessors are finished. */
void tw_note_start_locked(struct tw_task_queue *queue);
/* Closes the backend's streams of a device on which nothing is in flight. Releases the lock meanwhile. */
void tw_close_streams_locked(struct tw_device *device);

#endif
