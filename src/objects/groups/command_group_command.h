/* SPDX-License-Identifier: Apache-2.0 */
/** The way of a recorded group to a command, for those that submit groups. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GROUP_COMMAND_H
#define TEAMWORK_OBJECTS_COMMAND_GROUP_COMMAND_H

#include "command_group.h"

/* command_group_life.c */

/* Frees a group, whose queue and buffers have been released. Called without the lock, if it has events. */
void tw_command_group_free(struct tw_command_group *group);
/* Discards the steps of an algorithm, which were not submitted, and its temporary memory. NULL is allowed. The lock is not
   held. */
void tw_command_group_drop_algorithm(struct tw_algorithm *algorithm);
/* Releases events. NULL is allowed. Called without the lock, if there are any. */
void tw_command_group_drop_events(struct tw_event_list *list);
/* Gives a submitted group to its queue as a spare one. Returns the group if the caller is to free it, else NULL. */
struct tw_command_group *tw_command_group_leave_spare_locked(struct tw_queue *queue, struct tw_command_group *group);
/* Returns true if a group is a spare one: the program uses it once more. This is found as long as no other group took its
   place, and may be missed. */
static inline bool tw_command_group_was_submitted(const struct tw_command_group *group)
{
    return !group->queue;
}

/* command_group_command.c */

/* Fails if a group must not be submitted to the queue. */
tw_status tw_command_group_check(const struct tw_queue *queue, const struct tw_command_group *group);
/* Returns the kind of the command's body. A launch of no work-items still replaces what it reduces into. */
const struct tw_task_kind *tw_command_group_body(const struct tw_command_group *group);
/* Makes a command of a recorded group, which keeps all that it owns until the command is submitted. Returns NULL if
   memory is exhausted. */
struct tw_command *tw_command_group_make_command(struct tw_command_group *group, const char *file, int line);
/* Submits a command, or records it if the queue is recording; then it has no home. On success the command takes over
   the group's uses of buffers, and with a home its reference to the queue. May release the lock meanwhile. */
tw_status tw_command_group_enter_locked(const struct tw_command_group *group, struct tw_command *command);
/* Takes what a submitted command owns out of its group. */
void tw_command_group_hand_over(struct tw_command_group *group);
/* Frees a command that was not submitted. What it would own stays in its group. */
void tw_command_group_abandon_locked(struct tw_command *command);
/* Gives the reference from its creation to the program if it asked for an event; else releases it. A recorded command
   belongs to its recording, so the program gets another reference, and does not count the queue. */
void tw_command_group_release_locked(struct tw_queue *queue, struct tw_command *command, tw_event **event);

/* joint_submit.c */

/* Makes a join: a command without a body that is complete when others are. It reports no errors, which they do
   themselves; what waits for it is told the failure of the first of them that failed. Of `object`, completed_locked()
   calls tw_join_complete_locked(). Returns NULL if memory is exhausted. */
struct tw_command *tw_join_create(const struct tw_command_object *object, struct tw_queue *queue, size_t count,
                                  const char *file, int line);
/* Takes the times and the failure of the commands, and releases them. */
void tw_join_complete_locked(struct tw_command *command);
/* Submits a join behind commands, to which it takes references. On failure it has no home. */
tw_status tw_join_submit_locked(struct tw_command *join, struct tw_queue *queue, struct tw_command *const *commands,
                                size_t count);
/* Cancels submitted commands that are held, since another one could not be submitted: what they would have written is
   lost. */
void tw_commands_cancel_locked(struct tw_command *const *commands, size_t count, tw_status status);
/* Returns a buffer without host memory which copies to a memory space may have to go through; NULL if there is none. */
struct tw_data *tw_find_unstaged(const struct tw_use *uses, size_t count, size_t space);

#endif
