/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenMP team of the thread that launches a kernel on the host (team.h).
 *
 * A parallel region of unbound threads can take 30 us instead of 1, if the scheduler puts two of them on one processor.
 * So the threads that a team adds to the launching one are each bound to a processor, unless the environment controls
 * binding. The launching thread is the program's own and stays unbound.
 */
#define _GNU_SOURCE
#include "team.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "topology.h"

/* The milliseconds for which OpenMP's threads poll before they sleep. Read early: while more threads use OpenMP than
   there are processors, libomp lets them sleep at once and returns 0. */
static atomic_int usual_block_ms = -1;

void tw_team_open(void)
{
    int unknown = -1;
    (void)atomic_compare_exchange_strong(&usual_block_ms, &unknown, kmp_get_blocktime());
}

#define ASIDE_NS 1000000u /* the least time between two moves of a thread */

static struct {
    unsigned count; /* 0: do not bind */
    int processors[CPU_SETSIZE];
} binding;
static pthread_once_t binding_chosen = PTHREAD_ONCE_INIT;

/* The processors of a part of the machine, for its workers; count is 0 on other threads. */
static _Thread_local struct {
    unsigned count;
    const int *processors;
} part;

/* Returns true if the environment controls the binding of threads. */
static bool is_bound_by_user(void)
{
    static const char *const variables[] = {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i)
        if (getenv(variables[i]))
            return true;
    return false;
}

static void choose_binding(void)
{
    if (is_bound_by_user())
        return;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, tw_topology_allowed()))
            binding.processors[binding.count++] = processor;
}

/* The operating system moves such a thread late: one that sleeps now and then returns to its last processor. */
void tw_team_step_aside(void)
{
    static _Thread_local uint64_t last_ns;
    cpu_set_t mine, free_one;
    const int here = sched_getcpu();
    if (part.count || !binding.count || here < 0 || here == binding.processors[0])
        return;
    const uint64_t now = tw_now_ns();
    if (now - last_ns < ASIDE_NS)
        return;
    last_ns = now;
    CPU_ZERO(&free_one);
    CPU_SET(binding.processors[0], &free_one);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || !CPU_ISSET(binding.processors[0], &mine))
        return;
    if (sched_setaffinity(0, sizeof free_one, &free_one) == 0)
        (void)sched_setaffinity(0, sizeof mine, &mine);
}

static _Thread_local bool is_worker;

/* Not called before the thread has a team: libomp counts every thread that calls it (usual_block_ms). */
void tw_team_shorten_polling(void)
{
    static _Thread_local bool done;
    if (is_worker && !done && !getenv("KMP_BLOCKTIME") && !getenv("OMP_WAIT_POLICY"))
        kmp_set_blocktime(1);
    done = true;
}

unsigned tw_team_poll_limit_ms(void)
{
    const int usual = atomic_load_explicit(&usual_block_ms, memory_order_relaxed);
    return usual < 0 ? 0 : is_worker && usual > 1 ? 1 : (unsigned)usual;
}

static void bind_thread(int processor)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

/* Binds each thread of a part's team, once. */
static void bind_part(void)
{
    static _Thread_local bool done;
    const int *processors = part.processors;
    if (done)
        return;
    done = true;
    if (omp_get_max_threads() > 1 && !is_bound_by_user()) {
#pragma omp parallel
        bind_thread(processors[omp_get_thread_num()]);
    }
}

/* Binds once for each launching thread and team size, since libomp keeps the team together. Binds only a team with one
   thread for each processor: otherwise it is not clear which processors to choose. */
void tw_team_bind(void)
{
    static _Thread_local int bound;
    tw_team_shorten_polling();
    if (part.count) {
        bind_part();
        return;
    }
    const int threads = omp_get_max_threads();
    if (threads == 1)
        return;
    pthread_once(&binding_chosen, choose_binding);
    if ((unsigned)threads != binding.count) {
        bound = threads;
        return;
    }
    if (bound != threads) {
        bound = threads;
#pragma omp parallel num_threads(threads)
        {
            const int thread = omp_get_thread_num();
            if (thread)
                bind_thread(binding.processors[thread]);
        }
    }
    tw_team_step_aside();
}

/* A worker must not inherit the binding of an OpenMP thread that happened to submit. */
void tw_team_begin_worker(void)
{
    if (CPU_COUNT(tw_topology_allowed()) > 0)
        (void)sched_setaffinity(0, sizeof(cpu_set_t), tw_topology_allowed());
    is_worker = true;
}

void tw_team_begin_part_worker(const int *processors, unsigned count)
{
    tw_team_begin_worker();
    part.processors = processors;
    part.count = count;
    tw_team_shorten_polling();
    /* before the thread is bound: libomp takes the processors of the first thread that asks for those of the process */
    if (count < (unsigned)omp_get_max_threads())
        omp_set_num_threads((int)count);
    omp_set_dynamic(0); /* a thread that joins the team later would not be bound */
    if (!is_bound_by_user())
        bind_thread(processors[0]);
}
