/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Copies and fills of buffers, in command groups and by the program itself.
 *
 *     tw_command_group *cg = tw_queue_begin(queue);
 *     tw_copy(cg, from, to);
 *     status = tw_queue_submit(queue, cg, &event);
 *
 * A copy or a fill takes the place of the group's kernel, and makes its own accesses: it reads what it copies from, and
 * discards what it overwrites. So it is ordered, waits for its data, fails and is timed as a kernel is. It runs on the
 * queue's device: within that device's memory without the host; the program's memory is copied by threads of the
 * library, beside kernels. A step here means one of these calls. A group has one step or one kernel, as in SYCL; only
 * tw_prefetch() and tw_update_host() may each be called several times in a group, for several buffers and parts.
 *
 * For a sub-buffer, only its part is copied or filled. The functions with `_part` are for `range` elements from
 * `offset` on, which have as many dimensions as the buffer. Ranges without elements are allowed: nothing is done then.
 *
 * Memory of the program is dense: `range` elements, row-major, each row directly behind the one before. It has to stay
 * valid until the command is complete, must not be changed or, if it is written, used meanwhile, and does not overlap
 * memory of the buffer. NULL is allowed for no elements. Unified shared memory (usm.h) is allowed in its place in
 * command groups, of any kind and device; tw_buffer_read() and tw_buffer_write() take that of the host alone.
 *
 * Recorded in a command graph, a step is one of the graph's groups: it copies and fills again, from and to the same
 * memory of the program, each time the graph is submitted.
 *
 * Errors of recording, kept in the group as for kernels:
 *     TW_ERROR_INVALID_ARGUMENT       a NULL buffer, value or memory
 *     TW_ERROR_INVALID_RANGE          a part that has other dimensions than its buffer, or does not lie in it; buffers
 *                                     of different range or element size; parts of one buffer that overlap; unified
 *                                     shared memory that ends too early
 *     TW_ERROR_UNSUPPORTED            memory of a device that the queue's does not know, as of a simulated one and a GPU
 *     TW_ERROR_READ_ONLY_BUFFER       what is to be written is over const memory
 *     TW_ERROR_INVALID_COMMAND_GROUP  the group has a kernel or a step already: begin a group for each
 *     TW_ERROR_OUT_OF_DEVICE_MEMORY, TW_ERROR_OUT_OF_MEMORY
 *
 * A command that fails reports TW_ERROR_TRANSFER_FAILED, and what it should have written is lost, as for a kernel.
 *
 * tw_memcpy() and its family copy and fill memory that is known by its address alone, without a buffer: usm.h has a
 * table of both, side by side.
 *
 * An extension, after the explicit memory operations of SYCL 1.2.1. All functions are thread safe, but a group is
 * recorded by one thread.
 */
#ifndef TEAMWORK_COPY_H
#define TEAMWORK_COPY_H

#include <teamwork/command_group.h>

TW_BEGIN_DECLS

/* ---- in command groups ------------------------------------------------------------------------------------------- */

/** Copies a buffer to another one of the same range and element size. */
TW_API void tw_copy(tw_command_group *group, tw_buffer *from, tw_buffer *to);

/**
 * Copies a part of a buffer to a part of another one, or of the same one if the parts do not overlap. The buffers have
 * the same number of dimensions and the same element size; their ranges may differ.
 */
TW_API void tw_copy_part(tw_command_group *group, tw_buffer *from, tw_id from_offset, tw_buffer *to, tw_id to_offset,
                         tw_range range);

/** Sets all elements of a buffer to a value, which is read before the call returns: as many bytes as an element has. */
TW_API void tw_fill(tw_command_group *group, tw_buffer *buffer, const void *value);
TW_API void tw_fill_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range, const void *value);

/** Copies memory of the program to a buffer. The memory is read when the command runs. */
TW_API void tw_copy_from(tw_command_group *group, tw_buffer *buffer, const void *memory);
TW_API void tw_copy_from_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range,
                              const void *memory);

/** Copies a buffer to memory of the program, which has the contents once the command is complete. */
TW_API void tw_copy_to(tw_command_group *group, tw_buffer *buffer, void *memory);
TW_API void tw_copy_to_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range, void *memory);

/**
 * Brings the contents to the host, in advance: once the command is complete, a host accessor that reads moves nothing,
 * until a command changes the contents. The group has no other accessors, but may have several updates: all their
 * copies are one command, which is complete when the last one is over. In a command graph it is done at each
 * submission, which is then made group by group (command_graph.h); behind the graph it costs less.
 *
 * Further error, kept in the group:
 *     TW_ERROR_INVALID_COMMAND_GROUP  the group has accessors
 */
TW_API void tw_update_host(tw_command_group *group, tw_buffer *buffer);
TW_API void tw_update_host_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range);

/**
 * Brings the contents to the queue's device, in advance: a kernel there that reads them need not wait for them.
 *
 * A group may have several prefetches, of several buffers or parts, which may overlap: what a step needs is prepared by
 * one command.
 *
 *     tw_command_group *cg = tw_queue_begin(queue);
 *     tw_prefetch_part(cg, cells, above, one_row);
 *     tw_prefetch_part(cg, cells, below, one_row);
 *     tw_prefetch(cg, weights);
 *     status = tw_queue_submit(queue, cg, NULL);
 *
 * Parts that lie side by side are brought by one copy. Other copies do not wait for each other, but the command is
 * complete when the last one is over; if one fails, the command fails, and contents are where they were. A group with a
 * kernel needs no prefetch: its accessors do the same.
 */
TW_API void tw_prefetch(tw_command_group *group, tw_buffer *buffer);
TW_API void tw_prefetch_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range);

/* ---- by the program itself --------------------------------------------------------------------------------------- */

/**
 * Copies a buffer to memory of the program, and returns when that is done. It waits as a host accessor does, for
 * earlier commands that write these elements. It copies directly from the place where the contents are, a device or the
 * host, and moves nothing else; only if they are in several places are they brought to the host first.
 *
 * @param memory  room for all elements, or those of the part; dense, as above
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; memory of a device
 *         TW_ERROR_INVALID_RANGE     the part has other dimensions than the buffer, or does not lie in it
 *         TW_ERROR_DATA_LOST         the command that should have written the contents failed; the detail names it
 *         TW_ERROR_TRANSFER_FAILED   the copy failed: the memory holds undefined contents; the call can be repeated
 *         TW_ERROR_OUT_OF_BOUNDS     likewise, since some kernel has written beside the buffer on a simulated device
 *         TW_ERROR_WOULD_DEADLOCK    this thread has a host accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_read(tw_buffer *buffer, void *memory);
/** @copydoc tw_buffer_read() */
TW_API tw_status tw_buffer_read_part(tw_buffer *buffer, tw_id offset, tw_range range, void *memory);

/**
 * Copies memory of the program to a buffer, and returns when that is done: to the place where the elements were so far.
 * It waits as a host accessor that writes does, for earlier commands that use these elements.
 *
 * @param memory  all elements, or those of the part; dense, as above
 * @return TW_ERROR_INVALID_ARGUMENT  a NULL; memory of a device
 *         TW_ERROR_INVALID_RANGE     the part has other dimensions than the buffer, or does not lie in it
 *         TW_ERROR_READ_ONLY_BUFFER  the buffer is over const memory
 *         TW_ERROR_TRANSFER_FAILED   the copy failed: these elements are lost
 *         TW_ERROR_WOULD_DEADLOCK    this thread has a host accessor that the call would have to wait for
 *         TW_ERROR_OUT_OF_MEMORY
 */
TW_API tw_status tw_buffer_write(tw_buffer *buffer, const void *memory);
/** @copydoc tw_buffer_write() */
TW_API tw_status tw_buffer_write_part(tw_buffer *buffer, tw_id offset, tw_range range, const void *memory);

TW_END_DECLS

#endif
