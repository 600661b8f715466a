/* SPDX-License-Identifier: Apache-2.0 */
/** Which nodes of a graph wait for which, directly or not: so that edges which others imply can be left out. Pure. */
#ifndef TEAMWORK_GRAPH_ANCESTORS_H
#define TEAMWORK_GRAPH_ANCESTORS_H

#include <stddef.h>

struct tw_ancestors;

/* Makes one for `count` nodes, numbered in an order in which they can run. Returns NULL if there is no memory for it, or so
   many nodes that it would take too much. */
struct tw_ancestors *tw_ancestors_new(size_t count);
/* NULL is allowed. */
void tw_ancestors_free(struct tw_ancestors *ancestors);
/* Notes what a node waits for; called for one node after the other. Takes those out of the list that another one in it waits
   for, and returns the number of the others, which stay in their order. With NULL, leaves the list as it is. */
size_t tw_ancestors_reduce(struct tw_ancestors *ancestors, size_t node, size_t *before, size_t count);

#endif
