/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock of the runtime, the time of the current hold, and the count of objects. */
#define _GNU_SOURCE
#include "lock.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "cancellation.h"
#include "clock.h"

/* The lock is held for less time than it takes to put a thread to sleep and to wake it. So a thread that finds it taken
   polls for a while, first as long as POLLS says and then as glibc's adaptive mutex does. Threads sleep only if the holder
   itself does not run, or if very many threads compete.

   Each poll takes the mutex's line of the cache away from the holder, which needs it to let go. So one thread polls it,
   and the others poll whether they may: eight threads with a queue each took 1.6 us a group together instead of 4.0. */
#define POLLS 100u /* some 20 us */
#define MOST_PAUSES 9u
static struct {
    _Alignas(128) pthread_mutex_t mutex; /* in lines of the cache with nothing else */
    _Alignas(128) atomic_bool is_polled;
} lock = {
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    .mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#else
    .mutex = PTHREAD_MUTEX_INITIALIZER
#endif
};
static uint64_t held_since_ns;          /* the time of the hold; 0: not read yet; under the lock */
static bool was_read_before;            /* ... by tw_lock_at()'s caller */
static uint64_t latest_ns;              /* the last time that was read in a hold */
static size_t objects[TW_OBJECT_KINDS]; /* under the lock */

/* Pauses between polls, longer and longer. */
static void pause_after(unsigned polls)
{
    for (unsigned pause = 0; pause <= (polls < MOST_PAUSES ? polls : MOST_PAUSES); ++pause)
        tw_pause();
}

/* Makes this thread the one that polls the mutex. Returns false if others have been that for too long. */
static bool begin_to_poll(void)
{
    unsigned polls = 0;
    while (atomic_load_explicit(&lock.is_polled, memory_order_relaxed)
           || atomic_exchange_explicit(&lock.is_polled, true, memory_order_acquire)) {
        if (++polls == POLLS)
            return false;
        pause_after(polls);
    }
    return true;
}

/* Takes the mutex, which another thread has. */
static __attribute__((noinline)) void take_from_other(void)
{
    bool taken = false;
    if (begin_to_poll()) {
        for (unsigned polls = 0; polls < POLLS && !taken; ++polls) {
            pause_after(polls);
            taken = pthread_mutex_trylock(&lock.mutex) == 0;
        }
        atomic_store_explicit(&lock.is_polled, false, memory_order_release);
    }
    if (!taken)
        pthread_mutex_lock(&lock.mutex);
}

void tw_lock(void)
{
    if (pthread_mutex_trylock(&lock.mutex) != 0)
        take_from_other();
    held_since_ns = 0;
}

void tw_lock_at(uint64_t now)
{
    const bool is_free = pthread_mutex_trylock(&lock.mutex) == 0;
    if (!is_free)
        take_from_other();
    held_since_ns = is_free && now >= latest_ns ? now : 0;
    was_read_before = true;
}

void tw_unlock(void)
{
    pthread_mutex_unlock(&lock.mutex);
}

void tw_sleep_locked(pthread_cond_t *condition, const struct timespec *until)
{
    TW_DEFER_CANCELLATION; /* a thread cancelled here would keep the lock */
    if (until)
        pthread_cond_timedwait(condition, &lock.mutex, until);
    else
        pthread_cond_wait(condition, &lock.mutex);
    held_since_ns = 0;
}

uint64_t tw_held_ns(void)
{
    if (!held_since_ns) {
        held_since_ns = latest_ns = tw_now_ns();
        was_read_before = false;
    }
    return held_since_ns;
}

uint64_t tw_held_read_ns(void)
{
    if (was_read_before)
        held_since_ns = 0;
    return tw_held_ns();
}

void tw_object_born_locked(enum tw_object kind)
{
    ++objects[kind];
}

void tw_object_died_locked(enum tw_object kind)
{
    --objects[kind];
}

size_t tw_object_count_locked(enum tw_object kind)
{
    return objects[kind];
}
