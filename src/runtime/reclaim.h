/* SPDX-License-Identifier: Apache-2.0 */
/** Objects that are to be freed, and what the program is to be told, by the next thread that holds no lock. */
#ifndef TEAMWORK_RUNTIME_RECLAIM_H
#define TEAMWORK_RUNTIME_RECLAIM_H

#include <stdatomic.h>
#include <stdbool.h>

struct tw_unused {
    struct tw_unused *next;
    void (*free)(struct tw_unused *object); /* without the lock */
};

/* Tells the program what there is to tell. */
struct tw_teller {
    bool (*has_news_locked)(void);
    void (*tell)(void);   /* without any lock */
    void (*settle)(void); /* waits for the threads that tell */
};

extern atomic_bool tw_anything_unused; /* read through tw_reclaim_is_due() */

static inline bool tw_reclaim_is_due(void)
{
    return atomic_load_explicit(&tw_anything_unused, memory_order_relaxed);
}

/* Leaves an object to tw_reclaim(). */
void tw_reclaim_later_locked(struct tw_unused *object);
/* Makes the next tw_reclaim() call the teller. There is one in the library, which stays. */
void tw_reclaim_tell_locked(const struct tw_teller *teller);
/* Tells, and frees. Whoever returns knows that all is freed that had become unused before, by whichever thread. Without
   any lock. */
void tw_reclaim(void);
/* Waits for the threads that tell the program something. Only at shutdown: it may wait for anything else. */
void tw_reclaim_settle(void);
/* Tells and frees for a thread that holds the lock, which is released meanwhile. */
void tw_reclaim_meanwhile_locked(void);
/* Only frees; returns whether there was anything. */
bool tw_reclaim_memory(void);

#endif
