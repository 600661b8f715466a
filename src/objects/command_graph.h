/* SPDX-License-Identifier: Apache-2.0 */
/** Command graphs: recorded commands that are submitted as one. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_H

#include <stddef.h>

#include <teamwork/command_graph.h>

#include "queue.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"

struct tw_command_graph {
    size_t references; /* the handle and each unfinished submission */
    struct tw_device *device;
    struct tw_command **commands; /* never submitted; each counts its uses of buffers */
    size_t count;
    bool in_order;       /* the groups run in the order of their recording */
    struct tw_use *uses; /* of all groups together, disjoint; counted by the commands */
    size_t use_count;
    struct tw_resource turn;           /* orders the submissions */
    struct tw_backend_graph *instance; /* NULL: the kernels run one after the other */
    struct tw_unused unused;
};

#endif
