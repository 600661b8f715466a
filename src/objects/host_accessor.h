/* SPDX-License-Identifier: Apache-2.0 */
/** Host accessors, for the destruction of buffers. */
#ifndef TEAMWORK_OBJECTS_HOST_ACCESSOR_H
#define TEAMWORK_OBJECTS_HOST_ACCESSOR_H

#include <teamwork/buffer.h>

/* Copies the contents to host memory, and waits for every command that uses the buffer. */
tw_status tw_buffer_bring_home(struct tw_buffer *buffer);

#endif
