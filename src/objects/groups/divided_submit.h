/* SPDX-License-Identifier: Apache-2.0 */
/** Submitting groups of a queue over several devices. */
#ifndef TEAMWORK_OBJECTS_DIVIDED_SUBMIT_H
#define TEAMWORK_OBJECTS_DIVIDED_SUBMIT_H

#include <teamwork/event.h>

struct tw_command_group;

/* Makes the groups of the devices, and submits them as one. The group is left to its owner. */
tw_status tw_divided_submit(struct tw_command_group *group, tw_event **event, const char *file, int line);

#endif
