/* SPDX-License-Identifier: Apache-2.0 */
/** Submitting commands. */
#ifndef TEAMWORK_RUNTIME_SUBMIT_H
#define TEAMWORK_RUNTIME_SUBMIT_H

#include <stdbool.h>

#include "command.h"

/* Plans copies, inserts the tasks into the graph and hands on what is ready. On TW_ERROR_OUT_OF_MEMORY
   nothing has changed. May release the lock for a moment, before anything is planned. */
tw_status tw_command_submit_locked(struct tw_command *command);
/* Whether a command that is not submitted yet would wait, were it submitted now, for a marked one. */
bool tw_command_would_wait_locked(const struct tw_command *command, unsigned long mark);

#endif
