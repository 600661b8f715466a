/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads that wait for tasks of one track.
 *
 * One thread finishes what is over and issues more. Others that looked as well would only hold the lock, which the first one
 * needs for each launch: so they sleep. Each sleeps for one task, the last one that is known to come before what it waits for, and
 * is woken when that is finished. Whoever ceases to poll leaves that to a thread that sleeps, which looks anew at what it waits
 * for: so a track with sleepers has a poller at any time.
 */
#include "poller.h"

#include "base/lock.h"

static void wake_locked(struct tw_poller *sleeper)
{
    *sleeper->link = sleeper->next;
    *(sleeper->next ? &sleeper->next->link : &tw_track_of(sleeper->target)->last_sleeper) = sleeper->link;
    sleeper->target = NULL;
    pthread_cond_signal(sleeper->woken);
}

void tw_chain_wake_locked(struct tw_task *task)
{
    struct tw_poller *next;
    for (struct tw_poller *sleeper = tw_track_of(task)->sleepers; sleeper; sleeper = next) {
        next = sleeper->next;
        if (sleeper->target == task)
            wake_locked(sleeper);
    }
}

void tw_poller_leave_locked(struct tw_poller *poller)
{
    struct tw_track *track = poller->track;
    if (!track)
        return;
    struct tw_poller *heir = track->poller = track->sleepers;
    poller->track = NULL;
    if (heir) {
        heir->track = track;
        heir->lane = poller->lane;
        wake_locked(heir);
    } else {
        tw_lane_release_locked(poller->lane);
    }
}

void tw_poller_sleep_locked(struct tw_poller *poller, struct tw_task *target)
{
    struct tw_track *track = tw_track_of(target);
    pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
    target->awaited = true;
    poller->woken = &woken;
    poller->target = target;
    poller->next = NULL;
    poller->link = track->sleepers ? track->last_sleeper : &track->sleepers;
    *poller->link = poller;
    track->last_sleeper = &poller->next;
    while (poller->target)
        tw_sleep_locked(&woken, NULL);
    pthread_cond_destroy(&woken);
}
