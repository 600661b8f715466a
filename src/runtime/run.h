/* SPDX-License-Identifier: Apache-2.0 */
/** Running tasks on the thread that took them. */
#ifndef TEAMWORK_RUNTIME_RUN_H
#define TEAMWORK_RUNTIME_RUN_H

#include <stdbool.h>

#include "command.h"

/* Where a thread that runs tasks gets the next one, which it has to run; NULL: there is none for it now. */
struct tw_task_source {
    struct tw_task *(*take_locked)(struct tw_task_source *source);
};
/* Runs a task, and then those of the source as long as that has any and the device runs them in one go. Takes the lock
   held, releases it meanwhile. */
void tw_task_run_locked(struct tw_task *task, struct tw_task_source *source);
/* Whether tasks run on other threads. */
bool tw_others_run_locked(void);
/* Completes a host access: whoever waits for it may run. */
void tw_command_finish_access_locked(struct tw_command *command, struct tw_failure *failure);

#endif
