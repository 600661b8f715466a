/* SPDX-License-Identifier: Apache-2.0 */
/** Memory of buffers, on the host and on devices. */
#ifndef TEAMWORK_RUNTIME_ALLOCATION_H
#define TEAMWORK_RUNTIME_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include <teamwork/lower/kernel/launch.h>
#include <teamwork/status.h>

#include "backend.h"
#include "graph/coherence.h"

/* Returns host memory, aligned for any type, to be freed by free(); NULL if memory is exhausted. */
void *tw_host_allocate(size_t bytes);
/* Prepares an allocation without memory in each memory space. */
tw_status tw_data_init(struct tw_data *data, tw_range range, size_t element_bytes);
/* Allocates memory in a memory space, unless there is some, or the buffer is empty. Called without the lock. */
tw_status tw_data_allocate(struct tw_data *data, size_t space);
/* Frees all memory but the program's own. Called without the lock. */
void tw_data_free(struct tw_data *data);
/* Returns the request for a copy to a backend of one of the memory spaces. */
struct tw_backend_copy tw_copy_request(const struct tw_copy_plan *plan);
/* Tells a backend what a launch accesses (tw_backend_device.access). */
bool tw_data_access(const struct tw_backend_device *device, const struct tw_internal_launch *launch, size_t index,
                    struct tw_backend_access *access);

#endif
