/* SPDX-License-Identifier: Apache-2.0 */
/** Running tasks on the thread that took them. */
#ifndef TEAMWORK_RUNTIME_RUN_H
#define TEAMWORK_RUNTIME_RUN_H

#include <stdbool.h>

#include "command.h"

/* Gives a thread that runs tasks the next one, which the thread must run; NULL if there is none for it now. */
struct tw_task_source {
    struct tw_task *(*take_locked)(struct tw_task_source *source);
};
/* Runs a task, and then tasks of the source as long as it has any and the device runs them in one batch. Releases the
   lock meanwhile. */
void tw_task_run_locked(struct tw_task *task, struct tw_task_source *source);
/* Returns true if tasks run on other threads. */
bool tw_others_run_locked(void);
/* Finishes a host access or a user event, so that what waits for it may run. */
void tw_command_finish_access_locked(struct tw_command *command, struct tw_failure *failure);

#endif
