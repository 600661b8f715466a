/* SPDX-License-Identifier: Apache-2.0 */
/** References to user events: commands that the program finishes. */
#ifndef TEAMWORK_OBJECTS_USER_EVENT_H
#define TEAMWORK_OBJECTS_USER_EVENT_H

#include "runtime/command.h"

/* Notes one more reference of the program, besides that to the command. */
void tw_user_event_retain(struct tw_command *command);
/* Notes one less. After the last one the program cannot complete the event any more: it fails. Without the lock. */
void tw_user_event_release(struct tw_command *command);

#endif
