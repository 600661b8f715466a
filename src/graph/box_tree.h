/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Trees of boxes of one buffer, and sets of disjoint boxes. What overlaps a box is found without a look at all others.
 * The tree is a treap, ordered by the boxes' first elements; it looks at those whose elements, from the first to the
 * last in memory, meet those of the box that is looked for. Pure, as graph.h is.
 */
#ifndef TEAMWORK_GRAPH_BOX_TREE_H
#define TEAMWORK_GRAPH_BOX_TREE_H

#include <stdint.h>

#include "box.h"

/* A box in a tree, or one that is looked for. */
struct tw_box_node {
    struct tw_box box;
    size_t first, last;  /* indices of its first and its last element in the buffer */
    unsigned long order; /* the caller's; from 1 */
    /* set by the tree */
    uint64_t priority; /* as good as random; it lies above nodes of lower priority */
    size_t greatest;   /* `last` of it and of all nodes below */
    struct tw_box_node *left, *right;
    struct tw_box_node *found; /* link of the list that tw_box_tree_find() returns */
    void *owner;               /* the caller's */
};

/* Makes a node for a box that is not empty. `whole` is the box of the buffer. */
struct tw_box_node tw_box_node(const struct tw_box *box, const struct tw_box *whole);

void tw_box_tree_insert(struct tw_box_node **root, struct tw_box_node *node);
/* Removes a node of the tree. */
void tw_box_tree_remove(struct tw_box_node **root, struct tw_box_node *node);
/* Replaces the box of a node of the tree by a part of it. */
void tw_box_tree_shrink(struct tw_box_node **root, struct tw_box_node *node, const struct tw_box *box,
                        const struct tw_box *whole);
/* Returns the nodes whose boxes overlap that of `wanted`, linked by `found`, in the order of their first elements. The
   list is valid until the next search in the same tree; its nodes may be removed meanwhile. */
struct tw_box_node *tw_box_tree_find(struct tw_box_node *root, const struct tw_box_node *wanted);

/* Calls `visit` for disjoint boxes that make up what no box of a list that tw_box_tree_find() returned covers. Nodes
   whose `order` is not above `after` do not count. `whole` is the box of the buffer. */
void tw_box_visit_rest(const struct tw_box *box, const struct tw_box *whole, const struct tw_box_node *found,
                       unsigned long after, void (*visit)(const struct tw_box *piece, void *user), void *user);

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* A set of elements, as disjoint boxes. Begins zero-initialized; its owner ends it with tw_box_set_clear(). */
struct tw_box_set {
    struct tw_box_node *root;
    size_t count; /* number of boxes */
};

/* Nodes in reserve, so that changing a set cannot fail. Begins zero-initialized. */
struct tw_box_reserve {
    struct tw_box_node *first; /* linked by `found` */
    size_t count;
};

/* Makes sure that there are `count` nodes in reserve. Returns false if memory is exhausted. */
bool tw_box_reserve(struct tw_box_reserve *reserve, size_t count);
/* Frees the nodes of which there are more than `keep`. */
void tw_box_reserve_trim(struct tw_box_reserve *reserve, size_t keep);

/* Returns the most nodes that a change by this box can take from the reserve. */
size_t tw_box_set_needed(const struct tw_box_set *set, const struct tw_box_node *box);
/* Adds a box. Neighbours that make up a box become one. Nothing changes if a box of the set covers it. */
void tw_box_set_add(struct tw_box_set *set, const struct tw_box *box, const struct tw_box *whole,
                    struct tw_box_reserve *reserve);
/* Takes a box out. */
void tw_box_set_subtract(struct tw_box_set *set, const struct tw_box *box, const struct tw_box *whole,
                         struct tw_box_reserve *reserve);
/* Makes the set empty. */
void tw_box_set_clear(struct tw_box_set *set, struct tw_box_reserve *reserve);

#endif
