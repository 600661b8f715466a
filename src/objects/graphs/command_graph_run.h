/* SPDX-License-Identifier: Apache-2.0 */
/** Recorded graphs and parts whose tasks this thread runs one after the other. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_RUN_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_RUN_H

#include "command_graph_analysis.h"

/* Runs all tasks, with those of parts as often as their conditions say. Returns the status of the first that fails: none
   runs after it. Called without the lock. */
tw_status tw_recorded_graph_run(const struct tw_recorded_graph *graph);
/* The same for a conditional part that is no task of a running graph. */
tw_status tw_graph_part_run(const struct tw_graph_part *part);

#endif
