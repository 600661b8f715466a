/* SPDX-License-Identifier: Apache-2.0 */
/** Command graphs whose groups are submitted each by itself. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_GROUPS_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_GROUPS_H

#include "command_graph_life.h"

/* The event is that of a join of all. */
tw_status tw_graph_submit_groups(const struct tw_graph_submission *of, tw_event **event);

#endif
