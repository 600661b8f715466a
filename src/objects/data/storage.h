/* SPDX-License-Identifier: Apache-2.0 */
/** Storage objects of buffers. */
#ifndef TEAMWORK_OBJECTS_STORAGE_H
#define TEAMWORK_OBJECTS_STORAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/storage.h>

#include "buffer.h"
#include "graph/coherence.h"

struct tw_command;

/* Announces a command with these uses before it is submitted. Waits until in_use() has returned for each buffer with a
   storage. Releases the lock meanwhile. */
void tw_storage_begin_locked(const struct tw_use *uses, size_t count);
/* Takes back the announcement of a command that was not submitted. */
void tw_storage_abandon_locked(const struct tw_use *uses, size_t count);
/* Calls the program's callbacks that are due. Without any lock. */
void tw_storage_tell(void);
/* Ends the program's use of a buffer with a storage when its last handle is destroyed. Waits until finished() has
   returned, or leaves that to tw_storage_tell() if commands still use the buffer. Returns false if it was refused and
   nothing has changed. */
bool tw_storage_destroy(struct tw_buffer *buffer, tw_status *status);

#endif
