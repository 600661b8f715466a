/* SPDX-License-Identifier: Apache-2.0 */
/** Commands of the program itself that access a buffer: the host accesses it, or memory changes its part. */
#ifndef TEAMWORK_OBJECTS_HOST_ACCESS_H
#define TEAMWORK_OBJECTS_HOST_ACCESS_H

#include "runtime/command.h"
#include "runtime/hold.h"

/* Makes a command that gives the host access to a box of a buffer. Called without the lock. Returns NULL if memory is
   exhausted. */
struct tw_command *tw_host_access_create(struct tw_data *data, const struct tw_box *box, bool needs, bool writes);

/* Makes a command that accesses a box in a device's memory, or the host's, and does nothing there: it brings what it
   needs, and what it writes is current there afterwards. Otherwise as tw_host_access_create(). */
struct tw_command *tw_brief_access_create(struct tw_data *data, const struct tw_box *box, struct tw_device *device,
                                          bool needs, bool writes);

/* Makes a command that copies between the program's memory and a box of a buffer that has elements. It has no device
   yet. Otherwise as tw_host_access_create(). */
struct tw_command *tw_host_copy_create(struct tw_data *data, const struct tw_box *box, void *memory, bool writes);
/* Chooses the device for such a command: one that has the elements, or else the host. Makes sure that the buffer has
   memory there; may release the lock for that. */
tw_status tw_host_copy_place_locked(struct tw_command *command);

#endif
