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

/* Prepares an allocation without memory in each memory space. */
tw_status tw_data_init(struct tw_data *data, tw_range range, size_t element_bytes);
/* Allocates memory for all of a buffer, or for a box, in a memory space, unless there is some, or the buffer is empty. On a device the box should
   be pinned, and the buffer counted in use: otherwise another thread may give the memory up at once. Fails with
   TW_ERROR_OUT_OF_DEVICE_MEMORY if a device has no room. Called without the lock. */
tw_status tw_data_allocate(struct tw_data *data, size_t space);
tw_status tw_data_allocate_box(struct tw_data *data, const struct tw_box *box, size_t space);
/* Returns true if a box has memory in a memory space, or needs none. */
bool tw_data_is_there(const struct tw_data *data, const struct tw_box *box, size_t space);
/* Returns how much of a device's memory a box takes, with what is there already. */
size_t tw_data_bytes_for(const struct tw_data *data, const struct tw_box *box, size_t space);
/* Notes that a command uses the memory. */
void tw_data_used_locked(const struct tw_use *use, size_t space);
/* Takes a buffer off the list of those with memory on devices, if it is there: nobody takes its memory from it then. */
void tw_data_unlist_locked(struct tw_data *data);
/* Frees all memory but the program's own, of a buffer that is on no list. Called without the lock. */
void tw_data_free(struct tw_data *data);

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

/* A box whose address a group or a recorded command holds: its chunks keep their memory on all devices. */
struct tw_pin {
    struct tw_pin *next;
    struct tw_data *data;
    struct tw_box box;
};

/* Adds a pin of a box of a buffer with chunks. Returns false if memory is exhausted. */
bool tw_pin(struct tw_pin **pins, struct tw_data *data, const struct tw_box *box);
/* Removes and frees pins, while their buffers exist. */
void tw_unpin(struct tw_pin **pins);

/* For a buffer with chunks. */
size_t tw_chunk_count(const struct tw_data *data);
size_t tw_chunk_bytes(const struct tw_data *data, size_t chunk);
bool tw_chunk_is_pinned(const struct tw_data *data, size_t chunk);
/* Stores the boxes of all elements in these chunks, whole or in part, and returns their number. */
size_t tw_chunk_boxes(const struct tw_data *data, size_t first, size_t past, struct tw_box boxes[TW_BOX_RUNS]);
/* For a memory space with reserved addresses. */
bool tw_chunk_is_backed(const struct tw_data *data, size_t space, size_t chunk);
unsigned long tw_chunk_used_locked(const struct tw_data *data, size_t space, size_t chunk);

/* ---- giving memory up, for evict.c ------------------------------------------------------------------------------- */

/* Keep others from allocating and giving up meanwhile. Called without the lock. */
void tw_memory_begin(void);
void tw_memory_end(void);
/* Returns the first of the buffers with memory on devices, linked by `next`. */
struct tw_data *tw_data_with_memory_locked(void);
/* Takes the memory of an idle buffer on a device away from it, and forgets what was there. The caller frees the memory.
   Returns NULL, and changes nothing, if the buffer is in use. Called between tw_memory_begin() and tw_memory_end(). */
void *tw_data_detach_locked(struct tw_data *data, size_t space);
/* The same for backed chunks; returns false likewise. The buffer's reserve has room for the boxes. tw_chunks_unback()
   follows, without the lock, before tw_memory_end(). */
bool tw_chunks_detach_locked(struct tw_data *data, size_t space, size_t first, size_t past);
void tw_chunks_unback(const struct tw_data *data, size_t space, size_t first, size_t past);

/* ---- for backends ------------------------------------------------------------------------------------------------ */

/* The rows of a box in a buffer's memory. The memory is laid out alike in all memory spaces. */
struct tw_data_rows {
    unsigned char *first;
    size_t row_bytes, rows, planes; /* rows of each plane */
    size_t pitch, plane;            /* bytes from a row to the next, and from a plane to the next */
};
/* Returns where the rows of a box are in a memory space that has an address. */
struct tw_data_rows tw_data_rows(const struct tw_data *data, const struct tw_box *box, size_t space);
/* Returns the device of a memory space, as copies name it: NULL for the host's memory. */
struct tw_backend_device *tw_space_backend(size_t space);
/* Returns the request for a copy of rows. A device is NULL where its rows are in host memory. */
struct tw_backend_copy tw_rows_request(struct tw_backend_device *to_device, const struct tw_data_rows *to,
                                       struct tw_backend_device *from_device, const struct tw_data_rows *from);
/* Returns the request for a copy to a backend of one of the memory spaces. */
struct tw_backend_copy tw_copy_request(const struct tw_copy_plan *plan);
/* Tells a backend what a launch accesses (tw_backend_device.access). */
bool tw_data_access(const struct tw_backend_device *device, const struct tw_internal_launch *launch, size_t index,
                    struct tw_backend_access *access);

#endif
