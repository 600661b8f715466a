/* SPDX-License-Identifier: Apache-2.0 */
/** Commands that give the host access to a buffer, and those that a thread holds open. */
#ifndef TEAMWORK_OBJECTS_HOST_ACCESS_H
#define TEAMWORK_OBJECTS_HOST_ACCESS_H

#include <pthread.h>

#include "runtime/command.h"

extern const struct tw_command_object tw_host_access_object;

/* An open host accessor of a thread. */
struct tw_hold {
    struct tw_command *command;
    pthread_t owner;
    struct tw_hold *next, **link;
};
/* This thread holds a command open, or does not any more. */
void tw_hold_locked(struct tw_hold *hold, struct tw_command *command);
void tw_unhold_locked(struct tw_hold *hold);
/* Marks what waits for commands that this thread holds. Returns the mark, 0 if it holds none. */
unsigned long tw_mark_own_accesses_locked(void);

#endif
