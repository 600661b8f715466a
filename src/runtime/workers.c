/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker threads: a few for each device, which run the tasks of task queues that no waiting thread serves.
 *
 * They make progress while no thread waits. The first one starts with the device's first queue, the others with ready
 * tasks. After its last task a worker lingers for a moment: it looks for work by itself, so that submission need not
 * wake it. Then it sleeps.
 */
#define _GNU_SOURCE
#include "workers.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/tuning.h"
#include "ready.h"
#include "reclaim.h"
#include "run.h"
#include "stream.h"

#define LINGER_NAP_NS 50000u /* interval at which a lingering worker looks for work ... */
#define SHORT_NAP_NS 20000u  /* ... at first */
#define CALM_NAP_NS 500000u  /* ... on a device where it takes a processor from kernels */
#define MAX_NAP_NS 500000u   /* ... at most, while something long is in flight */
#define MOST_MORE_WORKERS 16
#define SETTLE_NS 100000000u /* longest time that tw_shutdown() waits for what is in flight */
#define END_NS 2000000000u   /* longest time that exit() waits for running tasks */

static void nap_locked(struct tw_device *device, uint64_t ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t at = (uint64_t)until.tv_nsec + ns;
    until.tv_sec += (time_t)(at / 1000000000u);
    until.tv_nsec = (long)(at % 1000000000u);
    tw_sleep_locked(&device->work, &until);
}

/* Polls for a moment until a thread would wake the worker. Releases the lock meanwhile. */
static void poll_locked(struct tw_device *device)
{
    const unsigned since = atomic_load_explicit(&device->wakes, memory_order_relaxed);
    const uint64_t until = tw_now_ns() + TW_TUNE_WAIT_SPIN_NS;
    device->polls = true;
    tw_unlock();
    while (atomic_load_explicit(&device->wakes, memory_order_acquire) == since && tw_now_ns() < until)
        tw_pause();
    tw_lock();
    device->polls = false;
}

/* The source of a worker's tasks. */
struct worker_source {
    struct tw_task_source source;
    struct tw_device *device;
};

static struct tw_task *take_for_worker(struct tw_device *device)
{
    struct tw_task *task = tw_may_run_locked() ? tw_take_from_device(device) : NULL;
    if (task && (device->active || device->in_flight))
        tw_wake_worker_locked(device, true);
    return task;
}

static struct tw_task *take_next_for_worker(struct tw_task_source *source)
{
    struct tw_device *device = ((struct worker_source *)source)->device;
    return device->stopping || tw_reclaim_is_due() ? NULL : take_for_worker(device);
}

static void *work(void *argument)
{
    struct tw_device *device = argument;
    struct worker_source source = {{take_next_for_worker}, device};
    const uint64_t nap = device->backend->exclusive ? CALM_NAP_NS : LINGER_NAP_NS;
    uint64_t idle_since = 0, flight_nap = nap;
    tw_is_worker = true;
    if (device->backend->has_own_threads)
        device->backend->backend->parts->begin_thread(device->backend);
    else
        device->backend->backend->begin_thread();
    tw_lock();
    while (!device->stopping) {
        struct tw_task *task = take_for_worker(device);
        if (task) {
            tw_task_run_locked(task, &source.source);
            idle_since = 0;
            tw_reclaim_meanwhile_locked();
            continue;
        }
        if (device->in_flight && !device->lingering && tw_retire_device_locked(device)) {
            idle_since = 0;
            flight_nap = nap;
            tw_reclaim_meanwhile_locked();
            continue;
        }
        if (device->stopping)
            break;
        if (!idle_since && device->backend->has_own_threads && !device->polls) { /* its processors wait for tasks */
            idle_since = tw_held_ns();
            poll_locked(device);
            continue;
        }
        const uint64_t now = tw_held_ns();
        if (!idle_since)
            idle_since = now;
        ++device->idle_workers;
        if (!device->lingering && (device->active || device->in_flight || now - idle_since < TW_TUNE_LINGER_NS)) {
            /* short at first, so that a thread that submits small tasks in a row need not wake it for each */
            const uint64_t rested = now - idle_since;
            flight_nap = device->in_flight       ? 2 * flight_nap < MAX_NAP_NS ? 2 * flight_nap : MAX_NAP_NS
                         : rested < SHORT_NAP_NS ? SHORT_NAP_NS
                         : rested < nap          ? rested
                                                 : nap;
            device->napping_shortly = flight_nap <= LINGER_NAP_NS;
            ++device->lingering;
            nap_locked(device, flight_nap);
            --device->lingering;
            device->napping_shortly = false;
        } else {
            tw_sleep_locked(&device->work, NULL);
            idle_since = 0;
        }
        --device->idle_workers;
    }
    tw_unlock();
    return NULL;
}

void tw_start_worker_locked(struct tw_device *device)
{
    /* a running host task may block: while it runs, there may be one worker more */
    const unsigned most = device->backend->max_workers + MOST_MORE_WORKERS;
    const unsigned more = device->backend->max_copies ? 0 : device->copying;
    if (device->workers >= most || device->workers >= device->backend->max_workers + more)
        return;
    if (!device->threads) {
        device->threads = calloc(most, sizeof *device->threads);
        if (!device->threads)
            return;
    }
    device->thread_error = pthread_create(&device->threads[device->workers], NULL, work, device);
    if (!device->thread_error)
        ++device->workers;
}

tw_status tw_device_needs_worker(struct tw_device *device)
{
    tw_lock();
    if (!device->workers)
        tw_start_worker_locked(device);
    const bool has_worker = device->workers;
    const int error = device->threads ? device->thread_error : ENOMEM;
    tw_unlock();
    if (has_worker)
        return TW_SUCCESS;
    (void)tw_fail(TW_ERROR_OUT_OF_MEMORY,
                  "no thread can be started for %s: memory or the system's limit of threads is exhausted",
                  tw_device_facts(device)->name);
    return tw_fail_native(TW_ERROR_OUT_OF_MEMORY, TW_NATIVE_ERRNO, error);
}

void tw_stop_workers_locked(struct tw_device *device)
{
    device->stopping = true;
    pthread_cond_broadcast(&device->work);
    for (unsigned i = 0; i < device->workers; ++i) {
        tw_unlock();
        pthread_join(device->threads[i], NULL);
        tw_lock();
    }
    free(device->threads);
    device->threads = NULL;
    device->workers = 0;
    device->stopping = false;
    tw_close_streams_locked(device);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* Retires completed tasks of all devices. Returns true if any are still in flight. */
static bool retire_all_locked(void)
{
    bool is_in_flight = false;
    for (size_t space = 1; space < tw_memory_space_count(); ++space) {
        struct tw_device *device = tw_memory_space_device(space);
        if (device->in_flight)
            (void)tw_retire_device_locked(device);
        is_in_flight = is_in_flight || device->in_flight;
    }
    return is_in_flight;
}

/* Waits, for a limited time, until no command is in flight, and with `others` none runs on another thread. */
static void settle_locked(uint64_t limit_ns, bool others)
{
    const uint64_t until = tw_now_ns() + limit_ns;
    while ((retire_all_locked() || (others && tw_others_run_locked())) && tw_now_ns() < until) {
        tw_unlock();
        nanosleep(&(struct timespec){.tv_nsec = SHORT_NAP_NS}, NULL);
        tw_lock();
    }
}

void tw_settle_tasks(void)
{
    tw_lock();
    settle_locked(SETTLE_NS, false);
    tw_unlock();
}

/* When the program ends, libomp and libomptarget destroy what kernels and copies of other threads use. So this function
   waits, for a limited time, until those that run or are in flight are over. No others begin, except on this thread,
   whose exit handlers may still use the library. */
void tw_end_tasks(void)
{
    tw_lock();
    tw_is_ending = true;
    settle_locked(END_NS, true);
    tw_ends_program = true;
    tw_unlock();
}
