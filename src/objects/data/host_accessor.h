/* SPDX-License-Identifier: Apache-2.0 */
/** Host accessors, for the destruction of buffers. */
#ifndef TEAMWORK_OBJECTS_HOST_ACCESSOR_H
#define TEAMWORK_OBJECTS_HOST_ACCESSOR_H

#include <stdbool.h>

#include <teamwork/buffer.h>

struct tw_box;
struct tw_command;
struct tw_device;

/* Brings a box of a buffer's contents to its host memory, if they are needed, and copies it to `to`, unless that is NULL
   or their place there. Waits for the commands that write the box, and if `writes` for all that use it. */
tw_status tw_buffer_bring_home(struct tw_buffer *buffer, const struct tw_box *box, bool needs, bool writes, void *to);

/* Accesses a box in a device's memory, or the host's, as tw_brief_access_create() describes, and waits until that is
   done. Called without the lock. */
tw_status tw_buffer_access_briefly(struct tw_buffer *buffer, const struct tw_box *box, struct tw_device *device,
                                   bool needs, bool writes);

/* Submits a host access, a brief access or a host copy of a buffer (host_access.h). Waits until the access may begin, or the copy is
   done; then the caller has a reference to the command. On failure waits until the command is complete, and releases
   it. Called without the lock. */
tw_status tw_host_command_run(struct tw_buffer *buffer, struct tw_command *command);

#endif
