/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock of the runtime, the time of the current hold, and the count of objects. */
#define _GNU_SOURCE
#include "lock.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "cancellation.h"
#include "clock.h"
#include "tuning.h"

/* The lock is held for less time than it takes to put a thread to sleep and to wake it. So a thread that finds it taken
   polls for a while. It polls a flag and not the mutex, whose cache line the holder needs. Threads sleep only if the
   holder itself does not run, or if very many threads compete. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool taken;      /* a hint: written by the holder, read by polling threads */
static uint64_t held_since_ns; /* 0 until the first tw_held_ns() of the hold; under the lock */
static size_t objects;         /* under the lock */

static void begin_hold(void)
{
    atomic_store_explicit(&taken, true, memory_order_relaxed);
    held_since_ns = 0;
}

static void end_hold(void)
{
    atomic_store_explicit(&taken, false, memory_order_relaxed);
}

static bool poll_for_lock(void)
{
    for (unsigned polls = 0; polls < TW_TUNE_LOCK_POLLS; ++polls) {
        if (!atomic_load_explicit(&taken, memory_order_relaxed) && pthread_mutex_trylock(&mutex) == 0)
            return true;
        tw_pause();
    }
    return false;
}

void tw_lock(void)
{
    if (pthread_mutex_trylock(&mutex) != 0 && !poll_for_lock())
        pthread_mutex_lock(&mutex);
    begin_hold();
}

void tw_unlock(void)
{
    end_hold();
    pthread_mutex_unlock(&mutex);
}

void tw_sleep_locked(pthread_cond_t *condition, const struct timespec *until)
{
    TW_DEFER_CANCELLATION; /* a thread cancelled here would keep the lock */
    end_hold();
    if (until)
        pthread_cond_timedwait(condition, &mutex, until);
    else
        pthread_cond_wait(condition, &mutex);
    begin_hold();
}

uint64_t tw_held_ns(void)
{
    if (!held_since_ns)
        held_since_ns = tw_now_ns();
    return held_since_ns;
}

void tw_object_born_locked(void)
{
    ++objects;
}

void tw_object_died_locked(void)
{
    --objects;
}

size_t tw_object_count_locked(void)
{
    return objects;
}
