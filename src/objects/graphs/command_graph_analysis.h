/* SPDX-License-Identifier: Apache-2.0 */
/** Command graphs: recorded commands, and what is made of them. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_ANALYSIS_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_ANALYSIS_H

#include <stddef.h>

#include <teamwork/command_graph.h>

#include "graph_copy.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"

struct tw_command_graph {
    size_t references; /* the handle and each unfinished submission */
    struct tw_device *device;
    struct tw_command **commands; /* never submitted; each counts its uses of buffers */
    size_t count;
    struct tw_graph_copy *copies;
    struct tw_task **tasks; /* the copies, and the bodies of the commands, in an order in which they can run */
    size_t task_count;
    struct tw_use *uses; /* of all groups together, disjoint; counted by the commands */
    size_t use_count;
    struct tw_place *places; /* NULL unless the groups are of several devices */
    size_t place_count;
    struct tw_resource turn;           /* orders the submissions */
    struct tw_backend_graph *instance; /* NULL: the kernels run one after the other */
    struct tw_unused unused;
};

/* Makes a graph of its commands: what they access, their order, and if possible the backend's graph. On failure
   tw_command_graph_unmake() follows, too. */
tw_status tw_command_graph_make(struct tw_command_graph *graph);
/* Frees what that has made, but not the commands. Without the lock. */
void tw_command_graph_unmake(struct tw_command_graph *graph);

#endif
