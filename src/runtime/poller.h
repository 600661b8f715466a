/* SPDX-License-Identifier: Apache-2.0 */
/** Threads that wait for tasks in flight. */
#ifndef TEAMWORK_RUNTIME_POLLER_H
#define TEAMWORK_RUNTIME_POLLER_H

#include <pthread.h>

#include "ready.h"

/* A thread that waits for tasks in flight. Of those that wait for one stream, one polls; the others sleep until what
   they wait for is finished, or the polling is left to them. */
struct tw_poller {
    struct tw_stream *stream;       /* that it polls for; NULL: none, as at first */
    struct tw_task_queue *queue;    /* counted, keeps that stream */
    const struct tw_task *target;   /* that it sleeps for; or NULL */
    struct tw_poller *next, **link; /* in stream->sleepers, while it sleeps */
    pthread_cond_t *woken;          /* then */
};
/* Leaves the polling, if the thread polls, to others. A thread calls it before it does, or waits for, anything but
   tasks of the stream. */
void tw_poller_leave_locked(struct tw_poller *poller);
/* Sleeps until the target, which is in flight, is finished, or the polling is left to this thread. */
void tw_poller_sleep_locked(struct tw_poller *poller, struct tw_task *target);
/* Wakes those who sleep for a task, which is finished, or has started. */
void tw_poller_wake_locked(struct tw_task *task);

#endif
