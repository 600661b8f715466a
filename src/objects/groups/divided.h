/* SPDX-License-Identifier: Apache-2.0 */
/** Groups of a queue over several devices: recorded once, and submitted as groups of the devices. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_H
#define TEAMWORK_OBJECTS_DIVIDED_H

#include <stddef.h>

#include <teamwork/range_mapper.h>

#include "command_group.h"
#include "kernel_launch.h"

/* Makes what a group needs that is begun on such a queue; NULL if there is no memory for it. */
struct tw_divided *tw_divided_new(void);
/* Frees it. Its uses of buffers have been released. NULL is allowed. */
void tw_divided_free(struct tw_divided *divided);
/* Releases its uses of buffers. */
void tw_divided_drop_locked(struct tw_divided *divided);

/* Notes an access to a box of a buffer, which has been checked. Returns what stands for the address of its first element
   until the group is divided; NULL if it is empty, or the group has failed. */
void *tw_divided_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                        tw_range range, tw_access_mode mode, const tw_range_mapper *mapper);
/* Notes the launch of the group's kernel. */
void tw_divided_launch(struct tw_command_group *group, const struct tw_launch_request *request, const void *block);
/* Fails for what is no mapper, or none for a buffer of a range. */
tw_status tw_divided_check_mapper(const tw_range_mapper *mapper, tw_range buffer);
/* Makes it a group of the queue's first device, for a step that is not divided. Fails, as does the group, if it has
   accessors. */
tw_status tw_divided_settle(struct tw_command_group *group, const char *step);
/* Makes the groups of the devices, and submits them as one. The group is left to its owner. */
tw_status tw_divided_submit(struct tw_command_group *group, tw_event **event, const char *file, int line);

#endif
