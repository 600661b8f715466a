/* SPDX-License-Identifier: Apache-2.0 */
/** Functions of command groups for the other objects that a group accesses. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GROUP_H
#define TEAMWORK_OBJECTS_COMMAND_GROUP_H

#include <stdbool.h>

#include <teamwork/command_group.h>

#include "queue.h"
#include "runtime/step.h"

/* Sets the group's error to `status`, with the thread's tw_error_detail(), unless it has an error already. */
void tw_command_group_fail(struct tw_command_group *group, tw_status status);
/* Returns true if the group's kernel runs on host memory directly. */
bool tw_command_group_is_on_host(const struct tw_command_group *group);

/* For steps (teamwork/copy.h). `name` is that of the public function, a constant. */

/* Begins the group's step. Returns false if there is no group, it has failed, or it has a kernel or a step already. */
bool tw_command_group_begin_step(struct tw_command_group *group, const char *name);
/* Makes the group access host memory from now on. Returns false, and the group fails, if it has accessors already. */
bool tw_command_group_move_to_host(struct tw_command_group *group);
/* Stores the box of `range` elements from `offset` on. Returns false, and the group fails, if the buffer cannot be
   accessed so. */
bool tw_command_group_box(struct tw_command_group *group, struct tw_buffer *buffer, tw_id offset, tw_range range,
                          tw_access_mode mode, struct tw_box *box);
/* Adds an access to a box, which may be empty. Returns false if the group fails. */
bool tw_command_group_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                             tw_access_mode mode);
/* Begins the group's host task. Returns false as tw_command_group_begin_step(), or if the group has accessors that are
   not on the host. */
bool tw_command_group_begin_host_task(struct tw_command_group *group, const char *name);
/* Begins the group's native task. Returns the device on which it works, or NULL as tw_command_group_begin_step(). */
struct tw_device *tw_command_group_begin_native_task(struct tw_command_group *group, const char *name);
/* Adds the arguments of a task, zeroed. Returns NULL, and the group fails, if memory is exhausted. */
void *tw_command_group_make_args(struct tw_command_group *group, size_t bytes, size_t more_bytes);
/* Adds the step to run, zeroed, with room for a pattern. Returns NULL, and the group fails, if memory is exhausted. */
struct tw_step *tw_command_group_make_step(struct tw_command_group *group, size_t pattern_bytes);

#endif
