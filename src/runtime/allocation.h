/* SPDX-License-Identifier: Apache-2.0 */
/** Memory of buffers, on the host and on devices. */
#ifndef TEAMWORK_RUNTIME_ALLOCATION_H
#define TEAMWORK_RUNTIME_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/lower/launch.h>
#include <teamwork/status.h>

#include "backend.h"
#include "graph/coherence.h"

/* Host memory, aligned for any type, to be freed by free(). NULL: there is none. */
void *tw_host_allocate(size_t bytes);
/* Makes room for the places of a buffer's contents; none has memory. */
tw_status tw_data_init(struct tw_data *data, tw_range range, size_t element_bytes);
/* Makes sure that a place has memory. Without the lock. */
tw_status tw_data_allocate(struct tw_data *data, size_t place);
/* Frees what the places have, but for memory of the program's that was set. Without the lock. */
void tw_data_free(struct tw_data *data);
/* What a launch accesses, for backends (tw_backend_device.access). */
bool tw_data_access(const struct tw_backend_device *device, const struct tw_internal_launch *launch, size_t index,
                    struct tw_backend_access *access);

#endif
