/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Floyd and Warshall's shortest paths between all pairs of nodes: a launch for each node that paths may pass through,
 * and each launch needs the one before. Distances and the last such node of each path, as HeCBench's floydwarshall.
 */
#ifndef TEAMWORK_SUITE_FLOYDWARSHALL_H
#define TEAMWORK_SUITE_FLOYDWARSHALL_H

#include "../arrays.h"

/** Work-items of a group, which has a row; numbers of nodes are multiples of it. */
enum { FLOYDWARSHALL_GROUP = 256 };

enum { FLOYDWARSHALL_PATHS }; /* the array: distances from node to node, row by row, then as many nodes */

struct floydwarshall {
    struct suite_arrays arrays;
    size_t nodes;
};

#endif
