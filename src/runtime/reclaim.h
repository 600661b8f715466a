/* SPDX-License-Identifier: Apache-2.0 */
/** Work for the next thread that holds no lock: it frees unused objects, and calls the program's callbacks. */
#ifndef TEAMWORK_RUNTIME_RECLAIM_H
#define TEAMWORK_RUNTIME_RECLAIM_H

#include <stdatomic.h>
#include <stdbool.h>

struct tw_unused {
    struct tw_unused *next;
    void (*free)(struct tw_unused *object); /* without the lock */
};

/* A call that may run code of the program, and free the object. */
struct tw_late_call {
    struct tw_late_call *next;
    void (*call)(struct tw_late_call *object); /* without any lock */
};

/* Calls the program's callbacks for what has happened meanwhile. */
struct tw_teller {
    bool (*has_news_locked)(void);
    void (*tell)(void);   /* without any lock */
    void (*settle)(void); /* waits for the threads in `tell` */
};

extern atomic_bool tw_anything_unused; /* read through tw_reclaim_is_due() */

static inline bool tw_reclaim_is_due(void)
{
    return atomic_load_explicit(&tw_anything_unused, memory_order_relaxed);
}

/* Leaves an object to tw_reclaim(), which frees it. */
void tw_reclaim_later_locked(struct tw_unused *object);
/* Leaves a call to tw_reclaim(), which makes it. Calls are made in their order, perhaps by several threads at once. */
void tw_reclaim_call_locked(struct tw_late_call *object);
/* Makes the next tw_reclaim() call `who`. The library has one teller, which is never removed. */
void tw_reclaim_tell_locked(const struct tw_teller *who);
/* Makes the late calls, calls the teller, then frees. On return everything is freed that had become unused before the call, also by other
   threads. Called without any lock. */
void tw_reclaim(void);
/* Waits for the threads in callbacks of the program, which may wait for anything. Only for shutdown. */
void tw_reclaim_settle(void);
/* Calls tw_reclaim() if it is due, for a thread that holds the lock. Releases the lock meanwhile. */
void tw_reclaim_meanwhile_locked(void);
/* Only frees. Returns true if there was anything to free. */
bool tw_reclaim_memory(void);

#endif
