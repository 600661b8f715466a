/* SPDX-License-Identifier: Apache-2.0 */
/** Threads that wait, and run what they wait for. */
#ifndef TEAMWORK_RUNTIME_WAIT_H
#define TEAMWORK_RUNTIME_WAIT_H

#include "command.h"

/* Waits while unfinished(what) returns a command. Meanwhile runs ready tasks that it depends on, but not `watched`,
   which may be NULL. `last`: of several commands, one that is likely to be the last; or NULL. The caller keeps both. */
void tw_wait_locked(struct tw_command *(*unfinished)(const void *what), const void *what, const struct tw_task *watched,
                    struct tw_command *last);

#endif
