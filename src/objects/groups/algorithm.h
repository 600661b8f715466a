/* SPDX-License-Identifier: Apache-2.0 */
/** Algorithms (teamwork/algorithms.h): groups whose launch has others in front of it. */
#ifndef TEAMWORK_OBJECTS_ALGORITHM_H
#define TEAMWORK_OBJECTS_ALGORITHM_H

#include <teamwork/event.h>

struct tw_command_group;

/* Submits a group that has an algorithm, and frees it. On failure the group is left as it was. */
tw_status tw_algorithm_submit(struct tw_command_group *group, tw_event **event, const char *file, int line);

#endif
