/* SPDX-License-Identifier: Apache-2.0 */
/** Submitting commands. */
#ifndef TEAMWORK_RUNTIME_SUBMIT_H
#define TEAMWORK_RUNTIME_SUBMIT_H

#include <stdbool.h>

#include "command.h"

/* Plans copies, inserts the tasks into the graph, and passes on those that are ready. On TW_ERROR_OUT_OF_MEMORY nothing
   has changed. May release the lock for a moment, before anything is planned. */
tw_status tw_command_submit_locked(struct tw_command *command);
/* Does the same. The body waits for those of `count` other commands, too, which the caller keeps; their failure cancels
   it. */
tw_status tw_command_submit_after_locked(struct tw_command *command, struct tw_command *const *before, size_t count);
/* Cancels a submitted command that `is_held`. */
void tw_command_cancel_locked(struct tw_command *command, struct tw_failure *failure);
/* Passes on the tasks of a submitted command that `is_held`. May release the lock meanwhile. */
void tw_command_issue_locked(struct tw_command *command);
/* Makes a planned copy a task of a command, to be inserted into the graph. */
void tw_copy_describe(struct tw_copy_task *copy, struct tw_command *command, const struct tw_copy_plan *plan);
/* Returns true if a command, submitted now, would wait for a node marked `mark`. */
bool tw_command_would_wait_locked(const struct tw_command *command, unsigned long mark);

#endif
