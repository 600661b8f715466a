/* SPDX-License-Identifier: Apache-2.0 */
/** Command graphs and their conditional parts: recorded commands, and what is made of them. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_ANALYSIS_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_ANALYSIS_H

#include <stdatomic.h>
#include <stddef.h>

#include <teamwork/command_graph.h>

#include "graph_copy.h"
#include "runtime/command.h"
#include "runtime/reclaim.h"

/* What was recorded, and what is made of it. It does not change; an update of the graph makes another one. */
struct tw_recorded_graph {
    size_t references; /* the graph's or part's, each unfinished submission's, and that of the one that it succeeds */
    struct tw_device *device;
    struct tw_command **commands; /* never submitted; each counts its uses of buffers */
    size_t count;
    size_t group_count; /* with those in parts, which are not counted themselves */
    bool by_groups;     /* each command is submitted by itself (command_graph_groups.c): the rest is not made */
    struct tw_graph_copy *copies;
    struct tw_task **tasks; /* the copies, and the bodies of the commands, in an order in which they can run */
    size_t task_count;
    struct tw_use *uses; /* of all groups together, disjoint; counted by the commands */
    size_t use_count;
    struct tw_place *places; /* NULL unless the groups are of several devices */
    size_t place_count;
    struct tw_backend_graph *instance;   /* NULL: the kernels run one after the other */
    atomic_size_t unissued;              /* submissions that are still to launch the instance */
    bool is_superseded;                  /* the instance has become that of a successor: it is not launched any more */
    struct tw_recorded_graph *successor; /* counted: launches in flight use what it owns; or NULL */
    struct tw_unused unused;
    /* of the body of a part */
    const struct tw_graph_part *part; /* else NULL */
    struct tw_recorded_graph *outer;  /* the graph whose task it is; NULL while it has none */
    size_t position;                  /* of that task, among the outer graph's */
    /* while a backend makes its graph */
    struct tw_backend_graph_node *nodes;
    size_t *before;
};

/* A conditional part: the arguments of its command, whose `context` leads to it while it is recorded. */
struct tw_graph_part {
    struct tw_recorded_graph *body; /* counted */
    struct tw_backend_graph_part what;
};

/* Returns what a recorded command stands for, if that is a part; else NULL. */
static inline const struct tw_graph_part *tw_graph_part_of(const struct tw_command *recorded)
{
    return recorded->context;
}

/* Returns the number of commands that a recorded one comes after because of its queue or the program, and stores them unless
   `commands` is NULL. Some may be there twice. */
size_t tw_recorded_before(const struct tw_command *command, struct tw_command **commands);

/* The program's handle. */
struct tw_command_graph {
    size_t references; /* the handle and each unfinished submission */
    struct tw_device *device;
    struct tw_recorded_graph *recorded; /* counted; changes with the lock held */
    struct tw_resource turn;            /* orders the submissions */
    struct tw_unused unused;
};

/* Makes a graph of its commands: what they access, their order, and if possible the backend's graph: of that of
   `before`, if that is not NULL, which is not launched any more then. On failure tw_recorded_graph_unmake() follows. */
tw_status tw_recorded_graph_make(struct tw_recorded_graph *graph, struct tw_recorded_graph *before);
/* Finds what the commands access, and their order: all of it that the body of a part needs. */
tw_status tw_recorded_graph_analyse(struct tw_recorded_graph *graph);
/* Frees what that has made, but not the commands. Without the lock. */
void tw_recorded_graph_unmake(struct tw_recorded_graph *graph);

#endif
