/* SPDX-License-Identifier: Apache-2.0 */
/** Functions of command groups for the other objects that a group accesses. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GROUP_H
#define TEAMWORK_OBJECTS_COMMAND_GROUP_H

#include <stdbool.h>

#include <teamwork/command_group.h>

#include "queue.h"

/* Sets the group's error to `status`, with the thread's tw_error_detail(), unless it has an error already. */
void tw_command_group_fail(struct tw_command_group *group, tw_status status);
/* Returns true if the group's kernel runs on host memory directly. */
bool tw_command_group_is_on_host(const struct tw_command_group *group);

#endif
