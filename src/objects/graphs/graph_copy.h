/* SPDX-License-Identifier: Apache-2.0 */
/** Copies from one device to another between the commands of a graph. */
#ifndef TEAMWORK_OBJECTS_GRAPH_COPY_H
#define TEAMWORK_OBJECTS_GRAPH_COPY_H

#include "runtime/command.h"

struct tw_graph_copy {
    struct tw_copy_task copy; /* first: the task */
    struct tw_graph_copy *next;
    struct tw_backend_copy request;
    struct tw_edge *edges; /* owned */
};

/* Runs as one of the graph's tasks, never by itself. */
extern const struct tw_task_kind tw_kind_graph_copy;

#endif
