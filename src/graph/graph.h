/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command graph: accesses in, edges out (spec 2.5.7).
 *
 * A pure data structure: it knows nothing of buffers, devices or threads, and the caller serializes all calls. Nodes
 * are inserted in program order. A node waits for the last writer of each resource that it reads or overwrites, and a
 * writer for the readers since. A resource refers to unfinished nodes only, so finishing a node forgets it.
 *
 * Failure: a node that fails, or is cancelled, marks what it should have written as lost. Nodes that need the earlier
 * contents of a lost resource are cancelled with the same cause; a node that overwrites it all makes it whole again.
 * Waiting for a node only because its memory is needed does not cancel.
 *
 * Ordering domains: nodes of the same domain (a kind of device that keeps its own order) need not wait for each other
 * to finish. Such a node is ready once those before it are finished, or of its domain and issued; the caller then
 * issues it, which may make others ready, and finishes it when all before it are finished. A node without an ordering
 * domain waits for all to finish.
 */
#ifndef TEAMWORK_GRAPH_H
#define TEAMWORK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

struct tw_node;
struct tw_graph_access;

/* Something that is read and written. Zero-initialized when unused; its user ends it with tw_resource_end(). */
struct tw_resource {
    struct tw_node *writer;          /* the last writer, if unfinished */
    struct tw_graph_access *readers; /* unfinished readers since the last writer was inserted */
    struct tw_cause *lost;           /* its contents are undefined; counted; NULL while whole */
};

/* Drops the cause of a loss. No unfinished node accesses the resource any more. */
void tw_resource_end(struct tw_resource *resource);

/* One access of one node; owned by the node, which the caller must keep until it is finished. */
struct tw_graph_access {
    struct tw_resource *resource;
    bool needs; /* the earlier contents */
    bool writes;
    bool logical; /* stands for the program's own access, which wait lists show, not for a data movement */
    /* the graph's own */
    struct tw_node *node;
    struct tw_graph_access *next, **link; /* in resource->readers, while there */
};

struct tw_edge {
    struct tw_node *from, *to; /* from is NULL once finished */
    struct tw_edge *next;      /* among the edges out of `from` */
    bool data;                 /* `to` needs what `from` writes */
    bool logical;
    bool passed; /* `to` need not wait for it: `from` is issued to the same domain */
};

struct tw_node {
    struct tw_graph_access *accesses;
    size_t access_count;
    struct tw_edge *in; /* edges into this node */
    size_t in_count;
    struct tw_edge *out;
    struct tw_edge *last_out;      /* newest edge out: merges the edges to one successor */
    size_t pending;                /* nodes it waits for */
    const void *domain;            /* set before it is inserted; NULL: none */
    struct tw_cause *cancel_cause; /* why it must not run; counted, until it is finished */
    unsigned long mark;            /* of the last traversal that came by */
    struct tw_node *next;          /* for lists that the caller keeps: ready nodes */
    bool issued, finished;
    bool lost_input; /* contents that it needs are lost, whatever becomes of the data movements */
};

/* The most edges that inserting a node with these accesses can need, now. */
size_t tw_graph_edges_needed(const struct tw_graph_access *accesses, size_t count);

/* Inserts a node whose accesses are set. Each resource may occur once in a node. `edges` has room for
   tw_graph_edges_needed(), asked for with nothing inserted since; it must live until the node is finished. The node is
   ready if pending is then 0. Cannot fail. */
void tw_graph_insert(struct tw_node *node, struct tw_edge *edges);

/* Notes that a ready node is handed to its domain. Returns the nodes that became ready, in the order in which they were
   inserted, linked by next. */
struct tw_node *tw_graph_issue(struct tw_node *node);

/* An unfinished node before this one, preferably one that it waits for; NULL: all are finished. */
struct tw_node *tw_graph_before(const struct tw_node *node);

/* Says before a node is finished that it has written nothing: its failure leaves everything as it was. */
void tw_graph_wrote_nothing(struct tw_node *node);

/* Finishes a node that was ready, after all before it. failure: NULL, or the cause, which cancels its dependants.
   Returns the nodes that became ready, in the order in which they were inserted, linked by next; cancelled ones among
   them. */
struct tw_node *tw_graph_finish(struct tw_node *node, struct tw_cause *failure);

/* Takes a node back that has failed and is not finished, all of whose predecessors are. It is cancelled no more, has no
   domain, and may wait for others: `edges` is as in tw_graph_insert(). Its accesses and its dependants stay. The node
   is ready if pending is then 0. */
void tw_graph_reinsert(struct tw_node *node, struct tw_edge *edges);
/* Lets it wait for an unfinished node, whose failure does not cancel it. That one must not wait for the node. */
void tw_graph_wait_for(struct tw_node *node, struct tw_node *before);
/* Lets it read a resource beside the readers that there are, so that writers to come wait for it. If the resource has
   an unfinished writer, one of the two waits for the other already. The node has room for one more access. */
void tw_graph_read(struct tw_node *node, struct tw_resource *resource);

/* Dooms an unfinished node, unless it is cancelled already. */
void tw_graph_cancel(struct tw_node *node, struct tw_cause *failure);
/* Notes why a resource's contents are undefined; NULL: they are whole. */
void tw_graph_lose(struct tw_resource *resource, struct tw_cause *failure);

/* A mark that no node has. */
unsigned long tw_graph_new_mark(void);
/* Marks all nodes that wait, directly or not, for `node`, and node itself, with `mark`. A mark is new, or marks what
   waits for several nodes. `node` is on no list and not issued; so those that wait for it are not ready, and their
   `next` is free for the search. */
void tw_graph_mark_dependants(struct tw_node *node, unsigned long mark);

/* Whether a node with this access would wait for a node marked `mark`. */
bool tw_graph_would_wait_for(const struct tw_graph_access *access, unsigned long mark);

#endif
