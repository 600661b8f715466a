/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several kernels, and the stages of launches, in one parallel region.
 *
 * For a small kernel, opening and closing a region takes longer than its work. So the team stays in one region as long
 * as there is another kernel. Its first thread begins each kernel and waits until the other threads have finished it.
 * Between two kernels the first thread is in the runtime, for less than a microsecond. What one thread runs alone, the
 * first thread runs while the others wait for the next kernel.
 */
#define _GNU_SOURCE
#include "host_batch.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "common/host_lowering.h"
#include "common/team.h"

#define FIRST_POLLS 64u  /* polls before a thread checks whether it holds up a thread that it waits for */
#define POLLS 500u       /* polls before a thread yields its processor, and between two yields */
#define MOST_THREADS 64u /* threads of a batch: the first one looks for all others, one after the other */

/* In a line of the cache of its own: a counter that all threads add to goes from one to the next. */
struct progress {
    _Alignas(64) atomic_uint done; /* kernels that a thread has run its piece of */
};

struct team {
    struct tw_backend_batch *batch;
    struct tw_internal_launch *stage; /* advance_batch() */
    uint64_t poll_limit_ns;           /* the time for which a waiting thread polls before it sleeps: OpenMP's */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_uint sleepers;
    atomic_int processors[MOST_THREADS];     /* the processors that the threads last ran on */
    _Alignas(64) atomic_uint turn;           /* kernels begun, and in the same line what the other threads need: */
    const struct tw_internal_kernel *kernel; /* of the present turn; NULL: there is none any more */
    struct tw_internal_launch *launch;
    struct progress progress[MOST_THREADS];
};

static void advance(struct team *team, atomic_uint *counter)
{
    /* either this thread sees the sleeper, or the sleeper sees the new value */
    atomic_fetch_add(counter, 1u);
    if (!atomic_load(&team->sleepers))
        return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

static bool poll(const atomic_uint *counter, unsigned value, unsigned polls)
{
    for (unsigned i = 0; i < polls; ++i) {
        if (atomic_load_explicit(counter, memory_order_acquire) == value)
            return true;
        tw_pause();
    }
    return false;
}

/* Records the processor on which a thread of the team runs. */
static void note_processor(struct team *team, unsigned thread)
{
    const int now = sched_getcpu();
    if (atomic_load_explicit(&team->processors[thread], memory_order_relaxed) != now)
        atomic_store_explicit(&team->processors[thread], now, memory_order_relaxed);
}

/* Returns true if a thread that this one waits for last ran on this one's processor. The first thread waits for all
   others; they wait for the first. */
static bool holds_up(const struct team *team, unsigned thread, unsigned threads)
{
    const int here = sched_getcpu();
    if (thread)
        return atomic_load_explicit(&team->processors[0], memory_order_relaxed) == here;
    for (unsigned other = 1; other < threads; ++other)
        if (atomic_load_explicit(&team->processors[other], memory_order_relaxed) == here)
            return true;
    return false;
}

/* Waits until a counter has a value. If other programs use processors too, two threads of a team may share one: then
   polling holds up the other thread. If they do not share one, an early yield may cost another program's time slice. */
static void await(struct team *team, atomic_uint *counter, unsigned value, unsigned thread, unsigned threads)
{
    if (poll(counter, value, FIRST_POLLS))
        return;
    const bool shares = holds_up(team, thread, threads);
    if (shares && !thread)
        tw_team_step_aside();
    const uint64_t until = tw_now_ns() + team->poll_limit_ns;
    if (!shares && poll(counter, value, POLLS))
        return;
    do {
        sched_yield();
        if (poll(counter, value, shares ? FIRST_POLLS / 4 : POLLS))
            return;
    } while (tw_now_ns() < until);
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleepers, 1u);
    while (atomic_load(counter) != value)
        pthread_cond_wait(&team->changed, &team->mutex);
    atomic_fetch_sub(&team->sleepers, 1u);
    pthread_mutex_unlock(&team->mutex);
}

/* Advances a batch, or a launch of it to its next stage: of a copy in `stage`, since the launch itself may run again.
   Returns false if there is none left. */
static bool advance_batch(struct tw_backend_batch *batch, tw_status status, struct tw_internal_launch *stage)
{
    if (status != TW_SUCCESS || !batch->launch->stages)
        return batch->next(batch, status);
    if (batch->launch != stage)
        *stage = *batch->launch;
    batch->launch = stage;
    batch->kernel = tw_host_next_stage(batch->kernel, stage);
    return true;
}

/* Prepares the kernel of a batch, or the next one that can be prepared. Returns false if there is none. */
static bool find_ready(struct tw_backend_batch *batch, bool more, struct tw_host_scratch *scratch,
                       struct tw_internal_launch *stage)
{
    while (more && !tw_host_prepare(batch->kernel, batch->launch, scratch))
        more = advance_batch(batch, tw_host_outcome(batch->kernel, batch->launch), stage);
    return more;
}

/* Runs a kernel as the first thread of the team. */
static void run_together(struct team *team, unsigned turn, unsigned threads)
{
    team->kernel = team->batch->kernel;
    team->launch = team->batch->launch;
    note_processor(team, 0);
    advance(team, &team->turn);
    team->kernel->host(team->launch, 0, threads);
    for (unsigned thread = 1; thread < threads; ++thread)
        await(team, &team->progress[thread].done, turn, 0, threads);
}

/* Runs all kernels as the first thread of the team. */
static void lead(struct team *team, unsigned threads, struct tw_host_scratch *scratch)
{
    struct tw_backend_batch *batch = team->batch;
    bool more;
    unsigned turn = 0;
    do {
        if (tw_host_needs_one_thread(batch->kernel, batch->launch))
            batch->kernel->host(batch->launch, 0, 1);
        else
            run_together(team, ++turn, threads);
        tw_host_end(batch->kernel, batch->launch);
        more = advance_batch(batch, tw_host_outcome(batch->kernel, batch->launch), team->stage);
    } while (find_ready(batch, more, scratch, team->stage));
    team->kernel = NULL;
    advance(team, &team->turn);
}

static void follow(struct team *team, unsigned thread, unsigned threads)
{
    for (unsigned turn = 1;; ++turn) {
        await(team, &team->turn, turn, thread, threads);
        if (!team->kernel)
            return;
        note_processor(team, thread);
        team->kernel->host(team->launch, thread, threads);
        advance(team, &team->progress[thread].done);
    }
}

/* Runs a batch, whose kernel has been prepared, in a region. */
static void run_team(struct tw_backend_batch *batch, struct tw_host_scratch *scratch, struct tw_internal_launch *stage)
{
    struct team team = {.batch = batch,
                        .stage = stage,
                        .poll_limit_ns = tw_team_poll_limit_ms() * (uint64_t)1000000u,
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER};
    for (unsigned thread = 0; thread < MOST_THREADS; ++thread)
        atomic_init(&team.processors[thread], -1);
#pragma omp parallel
    {
        const unsigned thread = (unsigned)omp_get_thread_num(), threads = (unsigned)omp_get_num_threads();
        if (thread == 0)
            lead(&team, threads, scratch);
        else
            follow(&team, thread, threads);
    }
    pthread_mutex_destroy(&team.mutex);
    pthread_cond_destroy(&team.changed);
}

void tw_host_launch_batch(struct tw_backend_device *device, struct tw_backend_batch *batch)
{
    struct tw_host_scratch scratch = {NULL, 0};
    struct tw_internal_launch stage;
    (void)device;
    tw_team_bind();
    const bool has_team = (unsigned)omp_get_max_threads() <= MOST_THREADS;
    bool more = true;
    while (more) {
        if (has_team && !tw_host_needs_one_thread(batch->kernel, batch->launch)) {
            if (find_ready(batch, true, &scratch, &stage))
                run_team(batch, &scratch, &stage);
            break;
        }
        more = advance_batch(batch, tw_host_run(batch->kernel, batch->launch, NULL), &stage);
    }
    batch->launch = NULL; /* it may be `stage` */
    free(scratch.memory);
}

/* ---- a launch with stages ---------------------------------------------------------------------------------------- */

/* A batch of one launch. */
struct alone {
    struct tw_backend_batch batch; /* first: the backend's view */
    tw_status status;
};

static bool end_alone(struct tw_backend_batch *batch, tw_status status)
{
    ((struct alone *)batch)->status = status;
    return false;
}

tw_status tw_host_launch_stages(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                                struct tw_internal_launch *launch)
{
    struct alone alone = {{kernel, launch, end_alone}, TW_SUCCESS};
    tw_host_launch_batch(device, &alone.batch);
    return alone.status;
}
