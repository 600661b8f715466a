/* SPDX-License-Identifier: Apache-2.0 */
/** Threads that wait for tasks in flight. */
#ifndef TEAMWORK_RUNTIME_POLLER_H
#define TEAMWORK_RUNTIME_POLLER_H

#include <pthread.h>

#include "ready.h"

/* A thread that waits for tasks in flight. Of the threads that wait for one stream, one polls. The others sleep until
   their task is finished, or until they have to take over the polling. */
struct tw_poller {
    struct tw_stream *stream;       /* the stream that it polls; NULL: none, as at first */
    struct tw_task_queue *queue;    /* counted; has that stream */
    const struct tw_task *target;   /* the task that it sleeps for; or NULL */
    struct tw_poller *next, **link; /* links of stream->sleepers, while it sleeps */
    pthread_cond_t *woken;          /* signalled to wake it, while it sleeps */
};
/* Hands the polling to another thread, if this one polls. Called before the thread does, or waits for, anything but
   tasks of the stream. */
void tw_poller_leave_locked(struct tw_poller *poller);
/* Sleeps until the target, which is in flight, is finished, or this thread has to take over the polling. */
void tw_poller_sleep_locked(struct tw_poller *poller, struct tw_task *target);
/* Wakes the threads that sleep for a task, which is finished or has started. */
void tw_poller_wake_locked(struct tw_task *task);

#endif
