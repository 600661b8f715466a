/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the whole process: fork(), two copies of the library, callbacks that do not return. Knows no object. */
#define _GNU_SOURCE
#include "process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "detail.h"
#include "lock.h"

/* ---- fork -------------------------------------------------------------------------------------------------------- */

bool tw_is_forked;
static atomic_bool started;

void tw_note_start(void)
{
    if (!atomic_load_explicit(&started, memory_order_relaxed))
        atomic_store(&started, true);
}

bool tw_has_started(void)
{
    return atomic_load(&started);
}

tw_status tw_refuse_fork(void)
{
    return tw_fail(TW_ERROR_UNSUPPORTED,
                   "this process was made by fork() after its parent had used the library; let it "
                   "call exec(), or fork before the library is used");
}

/* The lock is held across a fork, so the child finds what it protects consistent. All other locks may stay locked in
   the child: nothing takes them if tw_is_forked is set. */
static void before_fork(void)
{
    tw_lock();
}

static void after_fork_in_child(void)
{
    tw_is_forked = tw_is_forked || tw_has_started();
    tw_unlock();
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, tw_unlock, after_fork_in_child);
}

/* ---- two copies of the library ----------------------------------------------------------------------------------- */

tw_status tw_refuse_copy(void)
{
    return tw_fail(TW_ERROR_INVALID_ARGUMENT,
                   "the queue or buffer has been destroyed, or is of another copy of the library in this process: "
                   "then link all that share objects with the shared library");
}

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

void tw_end_unless_returned(const bool *returned)
{
    if (*returned)
        return;
    fputs("Teamwork: a callback of a tw_storage, or a task, threw an exception or ended its thread; it has to return\n",
          stderr);
    abort();
}
