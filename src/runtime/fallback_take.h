/* SPDX-License-Identifier: Apache-2.0 */
/** Deciding whether a failed command falls back. */
#ifndef TEAMWORK_RUNTIME_FALLBACK_TAKE_H
#define TEAMWORK_RUNTIME_FALLBACK_TAKE_H

#include <stdbool.h>

#include "command.h"

/* Notes where the contents are that a command needs. Called before its own uses are applied. */
void tw_fallback_note_spaces_locked(struct tw_command *command);
/* Notes that the command's kernel may have run on the first device, at least in part. */
void tw_fallback_kernel_has_run(struct tw_command *command);
/* Called when the body of a command with a fallback has failed, and all its predecessors are finished. Returns true if
   it will run on the fallback's device. Otherwise sets `*failure` to that of the first device, even if the fallback has
   failed. */
bool tw_fallback_take_locked(struct tw_task *task, struct tw_failure **failure, bool *cancelled);

#endif
