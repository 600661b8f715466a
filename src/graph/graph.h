/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The command graph: accesses in, edges out (spec 2.5.7).
 *
 * A pure data structure: it knows nothing of buffers, devices or threads, and the caller serializes all calls. Nodes
 * are inserted in program order. A node waits for the last writer of each resource that it reads or overwrites, and a
 * writer for the readers since. A resource refers only to unfinished nodes: a finished node removes itself.
 *
 * An access is to all of a resource, or to a part of it, a box of elements. Accesses whose boxes do not overlap do not
 * wait for each other. A resource keeps the accesses to parts in trees. A writer removes those from the resource that it
 * covers, and shortens readers' parts where it can: later nodes wait for the writer instead.
 *
 * Failure: a node that fails, or is cancelled, marks what it should have written as lost. Nodes that need the earlier
 * contents of what is lost are cancelled with the same cause. A node that overwrites it makes it whole again. A node
 * that waits for another only to use the memory after it is not cancelled.
 *
 * Ordering domains: nodes of the same domain (devices that keep an order among themselves) need not wait for each other
 * to finish. Such a node is ready when each predecessor is finished, or issued to the same domain. The caller then
 * issues the node, which may make others ready, and finishes it after all its predecessors. A node without an ordering
 * domain is ready when all its predecessors are finished.
 */
#ifndef TEAMWORK_GRAPH_H
#define TEAMWORK_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"
#include "box_tree.h"

struct tw_node;
struct tw_graph_access;

/* A part of a resource whose contents are lost. */
struct tw_lost_part {
    struct tw_lost_part *next;
    struct tw_cause *cause; /* counted */
    struct tw_box box;
};

/* Something that nodes read and write. Begins zero-initialized, but for `whole`; its owner ends it with
   tw_resource_end(). */
struct tw_resource {
    struct tw_node *writer;           /* the last writer of all of it, if unfinished */
    struct tw_graph_access *readers;  /* unfinished readers of all of it, since that writer was inserted */
    struct tw_cause *lost;            /* why the contents of all of it are lost; counted; or NULL */
    struct tw_box_node *part_writers; /* unfinished accesses to parts, since it, that no later writer covers */
    struct tw_box_node *part_readers;
    unsigned long parts_inserted; /* number of accesses to parts so far */
    struct tw_lost_part *lost_parts;
    const struct tw_box *whole;   /* all elements; NULL: there are no accesses to parts */
    struct tw_resource *contents; /* what the resource holds a copy of; or NULL */
};

/* Releases the cause of a loss. No unfinished node may access the resource any more. */
void tw_resource_end(struct tw_resource *resource);

/* One access of one node, part of the node. The caller keeps both, and `part`, until the node is finished. */
struct tw_graph_access {
    struct tw_resource *resource;
    struct tw_box_node *part; /* what it accesses, from tw_box_node(); NULL: all of the resource */
    bool needs;               /* it needs the earlier contents */
    bool writes;
    bool logical; /* the program's own access, which wait lists show, and not a data movement's */
    /* set by the graph */
    struct tw_node *node;
    struct tw_graph_access *next, **link; /* links of resource->readers, while it is there */
    struct tw_box_node **tree;            /* that of the resource where `part` is; or NULL */
};

struct tw_edge {
    struct tw_node *from, *to; /* from: NULL once it is finished */
    struct tw_edge *next;      /* among the edges out of `from` */
    bool data;                 /* `to` needs what `from` writes */
    bool logical;
    bool passed; /* `to` need not wait: `from` is issued to the same domain */
};

struct tw_node {
    struct tw_graph_access *accesses;
    size_t access_count;
    struct tw_edge *in; /* edges into this node */
    size_t in_count;
    struct tw_edge *out;
    struct tw_edge *last_out;      /* newest edge out; later edges to the same successor merge with it */
    size_t pending;                /* number of predecessors that it waits for */
    const void *domain;            /* ordering domain, set before it is inserted; NULL: none */
    struct tw_cause *cancel_cause; /* why it must not run, counted until it is finished; or NULL */
    unsigned long mark;            /* of the last search that reached it */
    struct tw_node *next;          /* link of lists that the caller keeps, as of ready nodes */
    bool issued, finished;
    bool lost_input; /* the contents that it needs are lost, not only a copy of them */
};

/* Returns the most edges that inserting a node with these accesses can need now. */
size_t tw_graph_edges_needed(const struct tw_graph_access *accesses, size_t count);

/* Inserts a node whose accesses are set. Accesses of one node do not overlap. `edges` has room for as many as
   tw_graph_edges_needed() returns at this moment, and must live until the node is finished. The node is ready if
   pending is then 0. Cannot fail. */
void tw_graph_insert(struct tw_node *node, struct tw_edge *edges);

/* Notes that a ready node is issued to its domain. Returns the nodes that became ready, linked by next in the order of
   their insertion. */
struct tw_node *tw_graph_issue(struct tw_node *node);

/* Returns an unfinished predecessor, preferably one that the node waits for; NULL if all are finished. */
struct tw_node *tw_graph_before(const struct tw_node *node);

/* Notes, before a node is finished, that it has written nothing: its failure changes no resource. */
void tw_graph_wrote_nothing(struct tw_node *node);

/* Finishes a node that was ready, after all its predecessors. `failure` is NULL, or the cause, which cancels its
   dependants. Returns the nodes that became ready, cancelled ones too, linked by next in the order of insertion. */
struct tw_node *tw_graph_finish(struct tw_node *node, struct tw_cause *failure);

/* Takes back an unfinished node that has failed, after all its predecessors are finished. The node is no longer
   cancelled, has no domain, and may wait for other nodes through `edges`. Its accesses and its dependants stay. The
   node is ready if pending is 0 after all calls of tw_graph_wait_for(). */
void tw_graph_reinsert(struct tw_node *node, struct tw_edge *edges);
/* Takes back a node that has failed or is cancelled, after all its predecessors are finished, to run again for its
   dependants. It is no longer cancelled, and has no domain. Its accesses and its dependants stay. */
void tw_graph_retry(struct tw_node *node);
/* Makes it wait for an unfinished node, whose failure does not cancel it. `before` must not wait for `node`. There is
   room for one edge more. */
void tw_graph_wait_for(struct tw_node *node, struct tw_node *before);
/* Does the same, as the program asked for it: wait lists show it. If `cancels`, the failure of `before` cancels the
   node. */
void tw_graph_depend(struct tw_node *node, struct tw_node *before, bool cancels);
/* Makes it a reader of a resource, besides the present readers, so that later writers wait for it. If the resource has
   an unfinished writer, one of the two waits for the other already. The node has room for one more access. */
void tw_graph_read(struct tw_node *node, struct tw_resource *resource, struct tw_box_node *part);

/* Cancels the dependants of a node that need elements of a box of a resource, which the node was to write there. */
void tw_graph_cancel_part(struct tw_node *node, const struct tw_resource *resource, const struct tw_box *box,
                          struct tw_cause *failure);
/* Cancels an unfinished node, unless it is cancelled already. */
void tw_graph_cancel(struct tw_node *node, struct tw_cause *failure);
/* Records why the contents of a resource, or of a part of it, are lost. NULL: they are whole. */
void tw_graph_lose(struct tw_resource *resource, const struct tw_box *part, struct tw_cause *failure);
/* Returns why contents of a resource, or of a part of it, are lost, although no unfinished node writes them; NULL: they
   are not. */
struct tw_cause *tw_graph_lost(const struct tw_resource *resource, struct tw_box_node *part);
/* Calls `visit` for each part of a box of a resource that is lost, unless it returns false: for an unfinished reader,
   after all its predecessors are finished. Later writers do not count. Returns false if a call did. */
bool tw_graph_visit_lost(const struct tw_resource *resource, const struct tw_box *box,
                         bool (*visit)(const struct tw_box *lost, struct tw_cause *cause, void *user), void *user);
/* Returns an unfinished node that writes a resource, or a part of it; NULL if there is none. */
struct tw_node *tw_graph_writer(const struct tw_resource *resource, const struct tw_box_node *part);
/* Calls `visit` for each unfinished reader of a resource, or of a part of it. */
void tw_graph_visit_readers(const struct tw_resource *resource, const struct tw_box_node *part,
                            void (*visit)(struct tw_node *reader, void *user), void *user);

/* Returns a mark that no node has. */
unsigned long tw_graph_new_mark(void);
/* Marks `node` and all nodes that wait for it, directly or not. `mark` is new, or was used for other nodes of the same
   search. `node` is in no list and not issued. So the nodes that wait for it are not ready, and the search may use
   their `next`. */
void tw_graph_mark_dependants(struct tw_node *node, unsigned long mark);

/* Returns true if a node with this access would wait for a node marked `mark`. */
bool tw_graph_would_wait_for(const struct tw_graph_access *access, unsigned long mark);

#endif
