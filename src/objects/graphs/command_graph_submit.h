/* SPDX-License-Identifier: Apache-2.0 */
/** Command graphs that are submitted as one command. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_SUBMIT_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_SUBMIT_H

#include "command_graph_life.h"

tw_status tw_graph_submit_as_one(const struct tw_graph_submission *of, tw_event **event);

#endif
