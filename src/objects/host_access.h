/* SPDX-License-Identifier: Apache-2.0 */
/** Commands that give the host access to a buffer, and the list of those that threads hold open. */
#ifndef TEAMWORK_OBJECTS_HOST_ACCESS_H
#define TEAMWORK_OBJECTS_HOST_ACCESS_H

#include <pthread.h>

#include "runtime/command.h"

/* Makes a command that gives the host access to a box of a buffer. Called without the lock. Returns NULL if memory is
   exhausted. */
struct tw_command *tw_host_access_create(struct tw_data *data, const struct tw_box *box, bool needs, bool writes);

/* Makes a command that copies between the program's memory and a box of a buffer that has elements. It has no device
   yet. Otherwise as tw_host_access_create(). */
struct tw_command *tw_host_copy_create(struct tw_data *data, const struct tw_box *box, void *memory, bool writes);
/* Chooses the device for such a command: one that has the elements, or else the host. Makes sure that the buffer has
   memory there; may release the lock for that. */
tw_status tw_host_copy_place_locked(struct tw_command *command);

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
