/* SPDX-License-Identifier: Apache-2.0 */
/** How tasks become ready, start and end. */
#ifndef TEAMWORK_RUNTIME_COMPLETE_H
#define TEAMWORK_RUNTIME_COMPLETE_H

#include <stdbool.h>

#include "command.h"

/* Sees to tasks that became ready, and to those that become so by it. Afterwards tw_issue_locked(). */
void tw_make_ready_locked(struct tw_node *nodes);
/* Finishes a task, all of whose predecessors are finished, and sees to what becomes ready. failure: NULL, its own, or
   the cause that cancelled it. Afterwards tw_issue_locked(). */
void tw_task_finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled);
/* Notes that the body of a command runs. */
void tw_command_start_locked(struct tw_command *command);
/* Notes when a task ran, if that is known. */
void tw_command_note_times_locked(const struct tw_task *task, struct tw_backend_times ran);

#endif
