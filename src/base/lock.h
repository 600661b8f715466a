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
void tw_unlock(void);
/* Waits for a condition, at most until a time unless that is NULL. Releases the lock meanwhile. */
void tw_sleep_locked(pthread_cond_t *condition, const struct timespec *until);
/* Returns the time in nanoseconds. The clock is read once for each hold of the lock: a hold is short, and reading the
   clock takes longer than many things that are done under the lock. */
uint64_t tw_held_ns(void);

/* Count the objects that keep the runtime alive: queues, contexts, buffers, host accessors, commands. */
void tw_object_born_locked(void);
void tw_object_died_locked(void);
size_t tw_object_count_locked(void);

#endif
