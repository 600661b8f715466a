/* SPDX-License-Identifier: Apache-2.0 */
/** Kernels and copies in flight on devices that keep their order themselves. */
#ifndef TEAMWORK_RUNTIME_CHAIN_H
#define TEAMWORK_RUNTIME_CHAIN_H

#include <pthread.h>
#include <stdbool.h>

#include "command.h"
#include "scheduler.h"

/* The engine for the body of a command that is about to be submitted: NULL if its launch has to wait for all before it.
   Without the lock. */
const void *tw_chain_engine(const struct tw_command *command);
/* The engine for a copy; likewise, but with the lock. */
const void *tw_chain_copy_engine_locked(const struct tw_copy_plan *plan);
/* Where a task that has an engine is issued. */
static inline struct tw_track *tw_track_of(const struct tw_task *task)
{
    return &task->command->lane->tracks[task->kind == TW_TASK_COPY ? TW_TRACK_COPIES : TW_TRACK_KERNELS];
}
/* Takes over a ready task that has an engine. */
void tw_chain_add_locked(struct tw_task *task);
/* Issues what is to be issued; releases the lock meanwhile. */
void tw_issue_locked(void);
/* Looks once in a while for what is over on a lane; for who submits. Releases the lock meanwhile. */
void tw_chain_tidy_locked(struct tw_lane *lane);
/* Finishes what is over on some lane. Releases the lock meanwhile. Returns whether there was any. */
bool tw_reap_device_locked(struct tw_device *device);
/* A thread that waits for tasks in flight. Of those that wait for one track, one polls; the others sleep until what they wait
   for is finished, or the polling is left to them. */
struct tw_poller {
    struct tw_track *track;         /* that it polls for; NULL: none, as at first */
    struct tw_lane *lane;           /* counted, keeps that track */
    const struct tw_task *target;   /* that it sleeps for; or NULL */
    struct tw_poller *next, **link; /* in track->sleepers, while it sleeps */
    pthread_cond_t *woken;          /* then */
};
/* Leaves the polling, if the thread polls, to others. To be called before the thread does, or waits for, anything but tasks of the track. */
void tw_poller_leave_locked(struct tw_poller *poller);
/* Waits until a task in flight is a step nearer to its end, or anything else has changed; beside another poller, until `target`
   is finished if it is of the same track. Releases the lock meanwhile. */
void tw_chain_wait_locked(struct tw_poller *poller, struct tw_task *task, struct tw_task *target);
/* Wakes those who sleep for a task, which is finished, or has started. */
void tw_chain_wake_locked(struct tw_task *task);
/* Notes which task in flight on a lane runs now. */
void tw_note_start_locked(struct tw_lane *lane);
/* Ends the chains of a device on which nothing is in flight; with the lock held, which is released meanwhile. */
void tw_close_chains_locked(struct tw_device *device);

#endif
