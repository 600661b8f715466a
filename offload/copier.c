/* SPDX-License-Identifier: Apache-2.0 */
/* Copying host memory with several threads (copier.h): slices, taken by whoever has time. */
#define _GNU_SOURCE
#include "copier.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "backend.h"
#include "topology.h"

#define SLICE_BYTES (128u << 10)
#define ALONE_BYTES (2 * SLICE_BYTES) /* up to which helpers are not worth it */
#define MOST_HELPERS 11u
#define JOBS 4u
#define LINGER_NS 300000u

/* A copy that helpers take part in. What it is about changes only while no helper may look at it. */
struct job {
    pthread_mutex_t busy; /* held by the thread whose copy it is */
    unsigned char *target;
    const unsigned char *source;
    size_t bytes, slices;
    atomic_bool is_open;
    atomic_uint helpers;      /* that may look at it */
    atomic_size_t next, done; /* slices */
};

static struct {
    struct job jobs[JOBS];
    atomic_uint posted;    /* counts copies */
    pthread_mutex_t mutex; /* for what follows, and for sleeping */
    pthread_cond_t work;
    pthread_t threads[MOST_HELPERS];
    unsigned helpers, sleeping, wanted;
    bool is_set, started, stopping;
} copier = {
#define JOB {.busy = PTHREAD_MUTEX_INITIALIZER}
    .jobs = {JOB, JOB, JOB, JOB},
#undef JOB
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
};

/* Copies a slice; false: none is left. */
static bool copy_slice(struct job *job)
{
    const size_t slice = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (slice >= job->slices)
        return false;
    const size_t at = slice * SLICE_BYTES, left = job->bytes - at;
    memcpy(job->target + at, job->source + at, left < SLICE_BYTES ? left : SLICE_BYTES);
    atomic_fetch_add_explicit(&job->done, 1, memory_order_release);
    return true;
}

/* ---- helpers ----------------------------------------------------------------------------------------------------------- */

/* Waits for another copy than those posted before; false: the helpers are to end. */
static bool next_post(unsigned *seen)
{
    const uint64_t until = tw_now_ns() + LINGER_NS;
    do {
        for (int i = 0; i < 64; ++i, tw_pause())
            if (atomic_load(&copier.posted) != *seen) {
                *seen = atomic_load(&copier.posted);
                return true;
            }
    } while (tw_now_ns() < until);
    pthread_mutex_lock(&copier.mutex);
    ++copier.sleeping;
    while (!copier.stopping && atomic_load(&copier.posted) == *seen)
        pthread_cond_wait(&copier.work, &copier.mutex);
    --copier.sleeping;
    *seen = atomic_load(&copier.posted);
    const bool goes_on = !copier.stopping;
    pthread_mutex_unlock(&copier.mutex);
    return goes_on;
}

/* A slice of each open copy in turn, so that copies at the same time share the helpers. */
static bool help_all(void)
{
    bool helped = false;
    for (size_t i = 0; i < JOBS; ++i) {
        struct job *job = &copier.jobs[i];
        if (!atomic_load(&job->is_open))
            continue;
        atomic_fetch_add(&job->helpers, 1);
        if (atomic_load(&job->is_open) && copy_slice(job)) /* it may have ended before it was counted */
            helped = true;
        atomic_fetch_sub(&job->helpers, 1);
    }
    return helped;
}

static void *help(void *argument)
{
    unsigned seen = 0;
    (void)argument;
    while (next_post(&seen))
        while (help_all()) {
        }
    return NULL;
}

static void start_once(void)
{
    pthread_mutex_lock(&copier.mutex);
    const unsigned copying = tw_topology_processors() * 3 / 4; /* this thread among them */
    unsigned wanted = copier.is_set ? copier.wanted : copying ? copying - 1 : 0;
    wanted = wanted > MOST_HELPERS ? MOST_HELPERS : wanted;
    if (!copier.started)
        while (copier.helpers < wanted && pthread_create(&copier.threads[copier.helpers], NULL, help, NULL) == 0)
            ++copier.helpers;
    copier.started = true;
    pthread_mutex_unlock(&copier.mutex);
}

void tw_copier_set_helpers(unsigned helpers)
{
    pthread_mutex_lock(&copier.mutex);
    copier.wanted = helpers;
    copier.is_set = true;
    pthread_mutex_unlock(&copier.mutex);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

/* With the helpers; the caller has the job. */
static void copy_together(struct job *job, void *target, const void *source, size_t bytes)
{
    job->target = target;
    job->source = source;
    job->bytes = bytes;
    job->slices = (bytes + SLICE_BYTES - 1) / SLICE_BYTES;
    atomic_store(&job->next, 0);
    atomic_store(&job->done, 0);
    atomic_store(&job->is_open, true);
    atomic_fetch_add(&copier.posted, 1);
    pthread_mutex_lock(&copier.mutex);
    if (copier.sleeping)
        pthread_cond_broadcast(&copier.work);
    pthread_mutex_unlock(&copier.mutex);
    while (copy_slice(job)) {
    }
    while (atomic_load_explicit(&job->done, memory_order_acquire) < job->slices)
        tw_pause();
    atomic_store(&job->is_open, false);
    while (atomic_load(&job->helpers))
        tw_pause();
}

void tw_copier_copy(void *target, const void *source, size_t bytes)
{
    size_t i = 0;
    if (bytes > ALONE_BYTES)
        start_once();
    while (i < JOBS && (bytes <= ALONE_BYTES || pthread_mutex_trylock(&copier.jobs[i].busy) != 0))
        ++i;
    if (i == JOBS) {
        memcpy(target, source, bytes);
        return;
    }
    copy_together(&copier.jobs[i], target, source, bytes);
    pthread_mutex_unlock(&copier.jobs[i].busy);
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
