/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Changes of a buffer's memory that nobody has told the library (teamwork/interop.h), found where a simulated device is
 * the buffer's.
 *
 * Such a buffer is over memory of the program, on its device, on the host, or both. For each of these the library keeps a
 * copy of what it left or found there: each task that has written the memory makes the copy anew. If the memory differs from the
 * copy when the next command is submitted that needs these elements, something else has changed it, and no call of
 * tw_buffer_host_changed() or tw_buffer_device_changed() has said so.
 */
#ifndef TEAMWORK_RUNTIME_CHANGES_H
#define TEAMWORK_RUNTIME_CHANGES_H

#include "command.h"

/* Begins to look at a buffer's memory in a memory space, which has an address. If `is_known`, nobody but the library
   changes what is there from now on; else each element is looked at once a task has read or written it. No other thread
   knows the buffer. Returns false if memory is exhausted. */
bool tw_changes_watch(struct tw_data *data, size_t space, bool is_known);
/* Frees the copies of a buffer that nothing uses any more; NULL is allowed. */
void tw_changes_free(struct tw_changes *changes);

/* The number of buffers that are looked at. If it is 0, the functions below need not be called. */
extern atomic_size_t tw_changes_watched;
static inline bool tw_changes_are_watched(void)
{
    return __builtin_expect(atomic_load_explicit(&tw_changes_watched, memory_order_relaxed) != 0, 0);
}

/* Fails with TW_ERROR_CHANGED_MEMORY if a command that is about to be submitted needs elements which were changed, in
   whatever memory. Elements that an unfinished task writes there are not looked at. */
tw_status tw_changes_check_locked(const struct tw_command *command);
/* The same for a copy that is about to run on this thread, and the memory that it copies to: what was changed there would be
   lost, as by a region of a native task that has named another device. No other task writes there meanwhile. */
tw_status tw_changes_check_copy(const struct tw_copy_plan *plan);
/* Notes that the tasks of a submitted command will write. Called before one of them can end. */
void tw_changes_expect_locked(const struct tw_command *command);
/* Makes the copies of what a task has written, and of what it has read and nobody knew. If not all `is_done`, what is there now is not known. Called once for each
   task, before its end can be seen. */
void tw_changes_note_locked(const struct tw_task *task, bool is_done);

#endif
