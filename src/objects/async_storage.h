/* SPDX-License-Identifier: Apache-2.0 */
/** The library's own storage objects. */
#ifndef TEAMWORK_OBJECTS_ASYNC_STORAGE_H
#define TEAMWORK_OBJECTS_ASYNC_STORAGE_H

#include <teamwork/storage.h>

#include "buffer.h"

/* Notes which buffer a storage serves, if it is one of the library's own, and refuses a second one. would_deadlock:
   whether waiting for the contents of the buffer, which is destroyed, would wait for this thread itself. */
tw_status tw_async_storage_attach(const tw_storage *callbacks, struct tw_buffer *buffer,
                                  bool (*would_deadlock)(const struct tw_buffer *buffer));
/* The buffer was not made after all. */
void tw_async_storage_detach(const tw_storage *callbacks);

#endif
