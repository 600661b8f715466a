/* SPDX-License-Identifier: Apache-2.0 */
/** Command groups, while they are recorded. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GROUP_H
#define TEAMWORK_OBJECTS_COMMAND_GROUP_H

#include <stdbool.h>

#include <teamwork/command_group.h>

#include "queue.h"

/* Records an error of a group that has none yet; its detail is the thread's. */
void tw_command_group_fail(struct tw_command_group *group, tw_status status);
/* Whether the group's kernel works on host memory itself. */
bool tw_command_group_is_on_host(const struct tw_command_group *group);

#endif
