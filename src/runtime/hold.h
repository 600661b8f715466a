/* SPDX-License-Identifier: Apache-2.0 */
/** What threads hold open, host accesses and the tasks that they run, and what they wait for meanwhile: a thread must not
    wait for what depends on its own, nor for what depends on that of a thread which waits for it. */
#ifndef TEAMWORK_RUNTIME_HOLD_H
#define TEAMWORK_RUNTIME_HOLD_H

#include <pthread.h>

#include "command.h"

/* An open host accessor of a thread, or a host task that it runs. */
struct tw_hold {
    struct tw_command *command;
    pthread_t owner;
    struct tw_hold *next, **link;
};
/* Adds a command to those that this thread holds open. The caller keeps `hold` until tw_unhold_locked(). */
void tw_hold_locked(struct tw_hold *hold, struct tw_command *command);
/* Removes it. */
void tw_unhold_locked(struct tw_hold *hold);

/* A wait of a thread while anything is held open. */
struct tw_hold_wait {
    struct tw_command *(*unfinished)(
        const void *what); /* returns the next command that it waits for; NULL: it is over */
    const void *what;
    const struct tw_command *last; /* if it waits for several of a queue; or NULL */
    pthread_t owner;
    struct tw_hold_wait *next, **link;
};
/* Returns true if any thread holds anything open: then waits are noted. */
bool tw_anything_is_held_locked(void);
/* Notes that this thread begins to wait, as the first three members say. The caller keeps `wait` until it ends. */
void tw_hold_wait_locked(struct tw_hold_wait *wait);
void tw_hold_wait_end_locked(struct tw_hold_wait *wait);

/* Marks all nodes that depend on commands that this thread holds open, or that threads hold open which wait for marked
   ones. Returns the mark, or 0 if it holds none. */
unsigned long tw_mark_own_accesses_locked(void);

/* What is wrong with waiting for a marked node, and what to do. */
#define TW_WAITS_FOR_ITSELF                                                                                            \
    "for a host accessor that this thread holds, for the task that it runs, or for a thread that waits for one of "    \
    "them; "                                                                                                           \
    "release the accessor first, and let the task return"

#endif
