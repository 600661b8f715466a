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

/* A command with these uses is about to be submitted. Returns when the storage of its buffers, where they have any,
   knows that they are in use. Releases the lock meanwhile. */
void tw_storage_begin_locked(const struct tw_use *uses, size_t count);
/* It was not submitted. */
void tw_storage_abandon_locked(const struct tw_use *uses, size_t count);
/* Calls the program's callbacks; without any lock. */
void tw_storage_tell(void);
/* Ends the program's use of a buffer with storage, whose last handle is gone: waits for the contents or leaves them to
   tw_storage_tell(). False: it was refused, and nothing has changed. */
bool tw_storage_destroy(struct tw_buffer *buffer, tw_status *status);

#endif
