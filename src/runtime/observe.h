/* SPDX-License-Identifier: Apache-2.0 */
/** Telling tools (teamwork/tool.h) of commands, tasks and waits. Called only while tools are on, or for
    commands that have a number, which they got while tools were on. */
#ifndef TEAMWORK_RUNTIME_OBSERVE_H
#define TEAMWORK_RUNTIME_OBSERVE_H

#include "base/tool.h"
#include "command.h"

/* Numbers the tasks of a command that is about to be inserted into the graph, and has the times of its tasks recorded. */
void tw_observe_command_locked(struct tw_command *command);
/* Tells of the submission of a command that was inserted, and none of whose tasks has begun. */
void tw_observe_submission_locked(const struct tw_command *command);
/* Tells that a task begins on this thread. With the lock or without. */
void tw_observe_begin(const struct tw_task *task);
/* Tells that it was enqueued on a stream. */
void tw_observe_enqueued(const struct tw_task *task);
/* Tells that a task has ended, which `began` if it was not cancelled. With the lock or without. */
void tw_observe_end(const struct tw_task *task, tw_status status, struct tw_backend_times times);
/* Tells that this thread begins to wait for `first`, and perhaps for `last`, which may be NULL. Stores what
   tw_observe_wait_end_locked() needs. */
void tw_observe_wait_locked(tw_tool_wait *wait, const struct tw_command *first, const struct tw_command *last);
void tw_observe_wait_end_locked(tw_tool_wait *wait);

#endif
