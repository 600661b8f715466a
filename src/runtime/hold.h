/* SPDX-License-Identifier: Apache-2.0 */
/** The host accesses that threads hold open: a thread must not wait for what depends on its own. */
#ifndef TEAMWORK_RUNTIME_HOLD_H
#define TEAMWORK_RUNTIME_HOLD_H

#include <pthread.h>

#include "command.h"

/* An open host accessor of a thread. */
struct tw_hold {
    struct tw_command *command;
    pthread_t owner;
    struct tw_hold *next, **link;
};
/* Adds a command to those that this thread holds open. The caller keeps `hold` until tw_unhold_locked(). */
void tw_hold_locked(struct tw_hold *hold, struct tw_command *command);
/* Removes it. */
void tw_unhold_locked(struct tw_hold *hold);
/* Marks all nodes that depend on commands that this thread holds open. Returns the mark, or 0 if it holds none. */
unsigned long tw_mark_own_accesses_locked(void);

#endif
