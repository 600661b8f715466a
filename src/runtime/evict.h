/* SPDX-License-Identifier: Apache-2.0 */
/** Memory for accesses on devices, for which others give theirs up. */
#ifndef TEAMWORK_RUNTIME_EVICT_H
#define TEAMWORK_RUNTIME_EVICT_H

#include "allocation.h"

/* Allocates memory for a box of a buffer in a memory space, unless there is some. The buffer is counted in use, and the
   box pinned if the buffer has chunks. If a device has no room, other buffers, or other chunks, that no command and no
   group uses give up theirs, those first that were used longest ago; what only they hold is copied to the host before.
   May wait for that, and for commands that use memory. Fails with TW_ERROR_OUT_OF_DEVICE_MEMORY if that does not
   suffice, or would wait for a host accessor that this thread holds, or for a user event. Called without the lock. */
tw_status tw_make_room(struct tw_data *data, const struct tw_box *box, size_t space);

#endif
