/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads that wait for tasks of one stream.
 *
 * One thread polls: it retires completed tasks and issues more. If others polled too, they would only hold the lock,
 * which the first one needs for each launch. So they sleep. Each sleeps for one task, the last one that is known to
 * come before what it waits for, and is woken when that task is finished. A thread that ceases to poll hands the
 * polling to a sleeping thread, which checks again what it waits for. So a stream with sleepers always has a poller.
 */
#include "poller.h"

#include "base/lock.h"

static void wake_locked(struct tw_poller *sleeper)
{
    *sleeper->link = sleeper->next;
    *(sleeper->next ? &sleeper->next->link : &tw_stream_of(sleeper->target)->last_sleeper) = sleeper->link;
    sleeper->target = NULL;
    pthread_cond_signal(sleeper->woken);
}

void tw_poller_wake_locked(struct tw_task *task)
{
    struct tw_poller *next;
    for (struct tw_poller *sleeper = tw_stream_of(task)->sleepers; sleeper; sleeper = next) {
        next = sleeper->next;
        if (sleeper->target == task)
            wake_locked(sleeper);
    }
}

void tw_poller_leave_locked(struct tw_poller *poller)
{
    struct tw_stream *stream = poller->stream;
    if (!stream)
        return;
    struct tw_poller *heir = stream->poller = stream->sleepers;
    poller->stream = NULL;
    if (heir) {
        heir->stream = stream;
        heir->queue = poller->queue;
        wake_locked(heir);
    } else {
        tw_task_queue_release_locked(poller->queue);
    }
}

void tw_poller_sleep_locked(struct tw_poller *poller, struct tw_task *target)
{
    struct tw_stream *stream = tw_stream_of(target);
    pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
    target->awaited = true;
    poller->woken = &woken;
    poller->target = target;
    poller->next = NULL;
    poller->link = stream->sleepers ? stream->last_sleeper : &stream->sleepers;
    *poller->link = poller;
    stream->last_sleeper = &poller->next;
    while (poller->target)
        tw_sleep_locked(&woken, NULL);
    pthread_cond_destroy(&woken);
}
