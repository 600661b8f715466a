/* SPDX-License-Identifier: Apache-2.0 */
/** The contents that a fallback needs, and those that it leaves. */
#ifndef TEAMWORK_RUNTIME_FALLBACK_DATA_H
#define TEAMWORK_RUNTIME_FALLBACK_DATA_H

#include "command.h"
#include "fallback.h"

/* Copies a box between the memory of two buffers of the same shape, through the host if necessary. Called without the
   lock. */
tw_status tw_fallback_copy(const struct tw_data *from, size_t from_space, const struct tw_data *to, size_t to_space,
                           const struct tw_box *box);
/* Returns true if a copy of what a use accesses to a memory space has failed. The command itself may be the next writer
   there, so it does not matter that one is unfinished. */
bool tw_fallback_copy_failed_locked(const struct tw_use *use, size_t space);
/* Returns true if a memory space holds what a use of a command needs. */
bool tw_fallback_holds_locked(const struct tw_command *command, size_t use, size_t space);
/* Notes that what the command wrote by a use is in the memory of the fallback's device, and could not be copied to the first
   one: later commands find it there, or are cancelled. `status` says why. */
void tw_fallback_stays_locked(const struct tw_command *command, const struct tw_use *use, tw_status status);

#endif
