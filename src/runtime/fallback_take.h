/* SPDX-License-Identifier: Apache-2.0 */
/** Commands that have failed and may fall back. */
#ifndef TEAMWORK_RUNTIME_FALLBACK_TAKE_H
#define TEAMWORK_RUNTIME_FALLBACK_TAKE_H

#include <stdbool.h>

#include "command.h"

/* Notes where the contents are that a command needs; before its own are applied. */
void tw_fallback_note_spaces_locked(struct tw_command *command);
/* Notes that the command's kernel may have run in part. */
void tw_fallback_kernel_has_run(struct tw_command *command);
/* The body of a command that has a fallback has failed, all before it is finished. Returns true if it will run there.
   Else the failure is that of the first device, also where the fallback has failed. */
bool tw_fallback_take_locked(struct tw_task *task, struct tw_failure **failure, bool *cancelled);

#endif
