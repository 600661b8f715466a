/* SPDX-License-Identifier: Apache-2.0 */
/** Host accessors, for the destruction of buffers. */
#ifndef TEAMWORK_OBJECTS_HOST_ACCESSOR_H
#define TEAMWORK_OBJECTS_HOST_ACCESSOR_H

#include <stdbool.h>

#include <teamwork/buffer.h>

struct tw_box;

/* Brings a box of a buffer's contents to its host memory, if they are needed, and copies it to `to`, unless that is NULL
   or their place there. Waits for the commands that write the box, and if `writes` for all that use it. */
tw_status tw_buffer_bring_home(struct tw_buffer *buffer, const struct tw_box *box, bool needs, bool writes, void *to);

#endif
