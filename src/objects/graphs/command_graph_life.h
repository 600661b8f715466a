/* SPDX-License-Identifier: Apache-2.0 */
/** The life of a command graph, and what its submissions have in common. */
#ifndef TEAMWORK_OBJECTS_COMMAND_GRAPH_LIFE_H
#define TEAMWORK_OBJECTS_COMMAND_GRAPH_LIFE_H

#include "command_graph_analysis.h"
#include "objects/queues/queue.h"

/* Returns the graph that a command is of. */
static inline struct tw_command_graph *tw_command_graph_of(const struct tw_command *command)
{
    return (struct tw_command_graph *)((char *)command->turn - offsetof(struct tw_command_graph, turn));
}
/* Returns what a command runs of it. */
static inline struct tw_recorded_graph *tw_recorded_graph_of(const struct tw_command *command)
{
    return command->context;
}
/* Gives a graph the commands of a list, which it owns from then on. */
void tw_recorded_graph_take(struct tw_recorded_graph *recorded, struct tw_recorded_list *list);
/* Drop a reference; what has none left is freed by the next tw_reclaim(). */
void tw_command_graph_release_locked(struct tw_command_graph *graph);
void tw_recorded_graph_release_locked(struct tw_recorded_graph *recorded);

/* A submission. */
struct tw_graph_submission {
    struct tw_queue *queue;
    struct tw_command_graph *graph;
    struct tw_recorded_graph *recorded; /* counted by the caller */
    const char *file;
    int line;
};

/* Fails if the queue cannot take a graph with these uses, or not any more. */
tw_status tw_graph_check_locked(const struct tw_graph_submission *of, const struct tw_use *uses, size_t count);

#endif
