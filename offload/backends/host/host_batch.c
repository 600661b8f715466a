/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several kernels in one parallel region.
 *
 * For a small kernel, opening and closing a region takes longer than its work. So the team stays in one region as long
 * as there is another kernel. Its first thread begins each kernel and waits until the other threads have finished it.
 * Between two kernels the first thread is in the runtime, for less than a microsecond.
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
#define MOST_THREADS 64u /* threads of a batch: all share two counters, which takes longer with more threads */

struct team {
    struct tw_backend_batch *batch; /* with the kernel of the present turn */
    bool over;
    uint64_t poll_limit_ns; /* the time for which a waiting thread polls before it sleeps: OpenMP's */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_uint sleepers;
    atomic_int processors[MOST_THREADS]; /* the processors that the threads last ran on */
    _Alignas(64) atomic_uint turn;       /* kernels begun */
    _Alignas(64) atomic_uint done;       /* pieces of all kernels that the other threads have run */
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

/* If `more`, advances the batch to the first kernel that can be prepared, and prepares it. Returns false if there is
   none. */
static bool find_ready(struct tw_backend_batch *batch, bool more, struct tw_host_scratch *scratch)
{
    while (more && !tw_host_needs_one_thread(batch->kernel, batch->launch)
           && !tw_host_prepare(batch->kernel, batch->launch, scratch))
        more = batch->next(batch, tw_host_outcome(batch->kernel, batch->launch));
    return more;
}

/* Runs kernels as the first thread of the team, up to a kernel that needs no team. Returns true if there is one. */
static bool lead(struct team *team, unsigned threads, struct tw_host_scratch *scratch)
{
    struct tw_backend_batch *batch = team->batch;
    bool more;
    unsigned turn = 0;
    do {
        const struct tw_internal_kernel *kernel = batch->kernel;
        struct tw_internal_launch *description = batch->launch;
        ++turn;
        note_processor(team, 0);
        advance(team, &team->turn);
        kernel->host(description, 0, threads);
        await(team, &team->done, turn * (threads - 1), 0, threads);
        tw_host_end(kernel, description);
        more = find_ready(batch, batch->next(batch, tw_host_outcome(kernel, description)), scratch);
    } while (more && !tw_host_needs_one_thread(batch->kernel, batch->launch));
    team->over = true;
    advance(team, &team->turn);
    return more;
}

static void follow(struct team *team, unsigned thread, unsigned threads)
{
    for (unsigned turn = 1;; ++turn) {
        await(team, &team->turn, turn, thread, threads);
        if (team->over)
            return;
        note_processor(team, thread);
        team->batch->kernel->host(team->batch->launch, thread, threads);
        advance(team, &team->done);
    }
}

static bool run_team(struct tw_backend_batch *batch, struct tw_host_scratch *scratch)
{
    struct team team = {.batch = batch,
                        .poll_limit_ns = tw_team_poll_limit_ms() * (uint64_t)1000000u,
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER};
    for (unsigned thread = 0; thread < MOST_THREADS; ++thread)
        atomic_init(&team.processors[thread], -1);
    bool more = false;
#pragma omp parallel
    {
        const unsigned thread = (unsigned)omp_get_thread_num(), threads = (unsigned)omp_get_num_threads();
        if (thread == 0)
            more = lead(&team, threads, scratch);
        else
            follow(&team, thread, threads);
    }
    pthread_mutex_destroy(&team.mutex);
    pthread_cond_destroy(&team.changed);
    return more;
}

void tw_host_launch_batch(struct tw_backend_device *device, struct tw_backend_batch *batch)
{
    struct tw_host_scratch scratch = {NULL, 0};
    (void)device;
    tw_team_bind();
    const bool has_team = (unsigned)omp_get_max_threads() <= MOST_THREADS;
    bool more = find_ready(batch, true, &scratch);
    while (more) {
        if (has_team && !tw_host_needs_one_thread(batch->kernel, batch->launch))
            more = run_team(batch, &scratch);
        else
            more = find_ready(batch, batch->next(batch, tw_host_run(batch->kernel, batch->launch, NULL)), &scratch);
    }
    free(scratch.memory);
}
