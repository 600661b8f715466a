/* SPDX-License-Identifier: Apache-2.0 */
/** How tasks become ready, start and end. */
#ifndef TEAMWORK_RUNTIME_COMPLETE_H
#define TEAMWORK_RUNTIME_COMPLETE_H

#include <stdbool.h>

#include "command.h"

/* Passes on ready tasks, and those that this makes ready. The caller then calls tw_issue_locked(). */
void tw_make_ready_locked(struct tw_node *nodes);
/* Finishes a task whose predecessors are all finished, and passes on the tasks that become ready. `failure` is NULL,
   its own, or the cause that cancelled it. The caller then calls tw_issue_locked(). */
void tw_task_finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled);
/* Notes that the body of a command has started. */
void tw_command_start_locked(struct tw_command *command);

#endif
