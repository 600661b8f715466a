/* SPDX-License-Identifier: Apache-2.0 */
/* Copying host memory with several threads (copier.h): slices, taken by whoever has time. */
#define _GNU_SOURCE
#include "copier.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "topology.h"

#define SLICE_BYTES (128u << 10)
#define ALONE_BYTES (2 * SLICE_BYTES) /* up to which helpers are not worth it */
#define MOST_HELPERS 11u
#define LINGER_NS 300000u

static struct {
    pthread_mutex_t busy;  /* held by the thread that has the helpers */
    pthread_mutex_t mutex; /* for what follows, and for sleeping */
    pthread_cond_t work;
    pthread_t threads[MOST_HELPERS];
    unsigned helpers, sleeping, wanted;
    bool is_set, started, stopping;

    /* the copy; set while no helper is at it */
    unsigned char *target;
    const unsigned char *source;
    size_t bytes;
    atomic_uint round;        /* counts copies */
    atomic_size_t next, done; /* slices */
    atomic_uint at_it;        /* helpers that may look at the copy */
} copier = {.busy = PTHREAD_MUTEX_INITIALIZER, .mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Copies slices until none is left. */
static void copy_slices(void)
{
    const size_t slices = (copier.bytes + SLICE_BYTES - 1) / SLICE_BYTES;
    size_t slice;
    while ((slice = atomic_fetch_add_explicit(&copier.next, 1, memory_order_relaxed)) < slices) {
        const size_t at = slice * SLICE_BYTES, left = copier.bytes - at;
        memcpy(copier.target + at, copier.source + at, left < SLICE_BYTES ? left : SLICE_BYTES);
        atomic_fetch_add_explicit(&copier.done, 1, memory_order_release);
    }
}

/* Waits for another copy than that of `round`; false: the helpers are to end. */
static bool next_round(unsigned *round)
{
    const uint64_t until = now_ns() + LINGER_NS;
    do {
        for (int i = 0; i < 64; ++i, relax())
            if (atomic_load_explicit(&copier.round, memory_order_acquire) != *round) {
                *round = atomic_load_explicit(&copier.round, memory_order_acquire);
                return true;
            }
    } while (now_ns() < until);
    pthread_mutex_lock(&copier.mutex);
    ++copier.sleeping;
    while (!copier.stopping && atomic_load_explicit(&copier.round, memory_order_acquire) == *round)
        pthread_cond_wait(&copier.work, &copier.mutex);
    --copier.sleeping;
    *round = atomic_load_explicit(&copier.round, memory_order_acquire);
    const bool goes_on = !copier.stopping;
    pthread_mutex_unlock(&copier.mutex);
    return goes_on;
}

static void *help(void *argument)
{
    unsigned round = 0;
    (void)argument;
    while (next_round(&round)) {
        /* an even number: the copy is being changed, or is over */
        atomic_fetch_add(&copier.at_it, 1);
        if (atomic_load(&copier.round) % 2)
            copy_slices();
        atomic_fetch_sub(&copier.at_it, 1);
    }
    return NULL;
}

static void start_locked(void)
{
    const unsigned copying = tw_topology_processors() * 3 / 4; /* this thread among them */
    unsigned wanted = copier.is_set ? copier.wanted : copying ? copying - 1 : 0;
    wanted = wanted > MOST_HELPERS ? MOST_HELPERS : wanted;
    copier.started = true;
    while (copier.helpers < wanted && pthread_create(&copier.threads[copier.helpers], NULL, help, NULL) == 0)
        ++copier.helpers;
}

void tw_copier_set_helpers(unsigned helpers)
{
    pthread_mutex_lock(&copier.mutex);
    copier.wanted = helpers;
    copier.is_set = true;
    pthread_mutex_unlock(&copier.mutex);
}

/* With the helpers; the caller has `busy`. */
static void copy_together(void *target, const void *source, size_t bytes)
{
    const size_t slices = (bytes + SLICE_BYTES - 1) / SLICE_BYTES;
    copier.target = target;
    copier.source = source;
    copier.bytes = bytes;
    atomic_store(&copier.next, 0);
    atomic_store(&copier.done, 0);
    atomic_fetch_add(&copier.round, 1);
    pthread_mutex_lock(&copier.mutex);
    if (copier.sleeping)
        pthread_cond_broadcast(&copier.work);
    pthread_mutex_unlock(&copier.mutex);
    copy_slices();
    while (atomic_load_explicit(&copier.done, memory_order_acquire) < slices)
        relax();
    atomic_fetch_add(&copier.round, 1);
    while (atomic_load(&copier.at_it)) /* until the last one has seen that nothing is left */
        relax();
}

void tw_copier_copy(void *target, const void *source, size_t bytes)
{
    if (bytes <= ALONE_BYTES || pthread_mutex_trylock(&copier.busy) != 0) {
        memcpy(target, source, bytes);
        return;
    }
    pthread_mutex_lock(&copier.mutex);
    if (!copier.started)
        start_locked();
    pthread_mutex_unlock(&copier.mutex);
    if (copier.helpers)
        copy_together(target, source, bytes);
    else
        memcpy(target, source, bytes);
    pthread_mutex_unlock(&copier.busy);
}

void tw_copier_close(void)
{
    pthread_mutex_lock(&copier.mutex);
    copier.stopping = true;
    pthread_cond_broadcast(&copier.work);
    pthread_mutex_unlock(&copier.mutex);
    for (unsigned i = 0; i < copier.helpers; ++i)
        pthread_join(copier.threads[i], NULL);
    copier.helpers = 0;
    copier.started = copier.stopping = false;
}
