/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The one lock of the runtime.
 *
 * tw_lock() protects the command graph, the allocations of buffers, ready queues, and all counters and lists of the
 * runtime's structs unless a member says otherwise. It is held for short, bounded work only, never while a backend, a
 * user's handler or a kernel runs. Functions whose names end in _locked expect it held.
 */
#ifndef TEAMWORK_BASE_LOCK_H
#define TEAMWORK_BASE_LOCK_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

void tw_lock(void);
/* Takes the lock right after the clock was read. `now` is the time of the hold, unless another thread has had the lock
   since then. */
void tw_lock_at(uint64_t now);
void tw_unlock(void);
/* Waits for a condition, at most until a time unless that is NULL. Releases the lock meanwhile. */
void tw_sleep_locked(pthread_cond_t *condition, const struct timespec *until);
/* Returns the time in nanoseconds. The clock is read once for each hold of the lock: a hold is short, and reading the
   clock takes longer than many things that are done under the lock. */
uint64_t tw_held_ns(void);
/* Does the same, but never returns a time of tw_lock_at(): other work was done in the hold since then. */
uint64_t tw_held_read_ns(void);

/* What keeps the runtime alive. */
enum tw_object {
    TW_OBJECT_QUEUE, /* events, and groups that are not submitted, keep it */
    TW_OBJECT_CONTEXT,
    TW_OBJECT_BUFFER,
    TW_OBJECT_COMMAND_GRAPH,
    TW_OBJECT_MEMORY,  /* an allocation of unified shared memory */
    TW_OBJECT_COMMAND, /* until it is complete; host accessors and user events are some */
    TW_OBJECT_KINDS
};

/* Count the objects that keep the runtime alive. */
void tw_object_born_locked(enum tw_object kind);
void tw_object_died_locked(enum tw_object kind);
size_t tw_object_count_locked(enum tw_object kind);

#endif
