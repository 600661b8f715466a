/* SPDX-License-Identifier: Apache-2.0 */
/** The library's own storage objects, and the buffer that each serves. */
#ifndef TEAMWORK_OBJECTS_ASYNC_STORAGE_H
#define TEAMWORK_OBJECTS_ASYNC_STORAGE_H

#include <teamwork/storage.h>

#include "buffer.h"

/* Attaches a buffer to a storage, if that is one of the library's own. Fails with TW_ERROR_BUSY if it has a buffer.
   would_deadlock() returns true if waiting for the contents of the destroyed buffer would wait for this thread. */
tw_status tw_async_storage_attach(const tw_storage *callbacks, struct tw_buffer *buffer,
                                  bool (*would_deadlock)(const struct tw_buffer *buffer));
/* Undoes tw_async_storage_attach() for a buffer that could not be created. */
void tw_async_storage_detach(const tw_storage *callbacks);

#endif
