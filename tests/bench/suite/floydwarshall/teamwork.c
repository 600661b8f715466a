/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floyd and Warshall's algorithm in Teamwork. No launch changes the row and the column of its own node, since a way
 * through a node to itself is not shorter: so work-items may read them while others write the rest.
 */
#include "../arrays_teamwork.h"
#include "floydwarshall.h"

/* ---- flat: a work-item for each pair ----------------------------------------------------------------------------- */

struct floydwarshall_flat {
    int32_t *distance, *through;
    unsigned nodes, node;
};

static inline void floydwarshall_flat(tw_item item, const struct floydwarshall_flat *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0) * k->nodes;
    const size_t j = tw_global_id(item, 1);
    const int32_t way = k->distance[row + k->node] + (k->distance + k->node * k->nodes)[j];
    if (way < (k->distance + row)[j]) {
        (k->distance + row)[j] = way;
        (k->through + row)[j] = (int32_t)k->node;
    }
}
TW_RANGE_KERNEL(floydwarshall_flat, 2);

/* The same in groups whose size the compiler knows. */
enum { GROUP_ROWS = 4, GROUP_COLUMNS = 64 };

struct floydwarshall_items {
    int32_t *distance, *through;
    unsigned nodes, node;
};

static inline void floydwarshall_items(tw_nd_item item, const struct floydwarshall_items *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0) * k->nodes, j = (unsigned)tw_global_id(item, 1);
    const int32_t way = k->distance[row + k->node] + k->distance[k->node * k->nodes + j];
    if (way < k->distance[row + j]) {
        k->distance[row + j] = way;
        k->through[row + j] = (int32_t)k->node;
    }
}
TW_ND_RANGE_KERNEL(floydwarshall_items, GROUP_ROWS, GROUP_COLUMNS);

/* ---- rows: a group for each row ---------------------------------------------------------------------------------- */

/* The pairs of a row have the distance to the node in common: read once, it does not stand in the way of vectors on a
   CPU. Nor do stores that always happen: those that depend on a condition cost a CPU more. */
struct floydwarshall_rows {
    int32_t *distance, *through;
    unsigned nodes, node;
};

static inline void floydwarshall_rows(tw_group group, const struct floydwarshall_rows *k)
{
    const unsigned row = (unsigned)tw_group_id(group, 0) * k->nodes;
    const int32_t to_node = k->distance[row + k->node], node = (int32_t)k->node;
    const int32_t *from_node = k->distance + k->node * k->nodes;
    int32_t *distance = k->distance + row, *through = k->through + row;

    tw_parallel_for_work_item_range(group, item, tw_range_1d(k->nodes)) {
        const size_t j = tw_local_id(item, 0);
        const int32_t way = to_node + from_node[j];
        const int32_t known = distance[j], last = through[j]; /* read in any case, so that it is no branch */
        distance[j] = way < known ? way : known;
        through[j] = way < known ? node : last;
    }
}
TW_WORK_GROUP_KERNEL(floydwarshall_rows, FLOYDWARSHALL_GROUP);

/* ---- versions: a group is submitted for each node, and the accessor orders them ---------------------------------- */

static bool run_flat(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t nodes = ((const struct floydwarshall *)s->problem)->nodes;
    for (size_t node = 0; node < nodes; ++node) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        int32_t *paths = tw_read_write(cg, s->at[FLOYDWARSHALL_PATHS]);
        if (paths)
            tw_parallel_for(cg, tw_range_2d(nodes, nodes), floydwarshall_flat, .distance = paths,
                            .through = paths + nodes * nodes, .nodes = (unsigned)nodes, .node = (unsigned)node);
        if (!suite_submit(cg))
            return false;
    }
    return suite_wait();
}

static bool run_items(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t nodes = ((const struct floydwarshall *)s->problem)->nodes;
    const tw_nd_range range = tw_nd_range_make(tw_range_2d(nodes, nodes), tw_range_2d(GROUP_ROWS, GROUP_COLUMNS));
    for (size_t node = 0; node < nodes; ++node) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        int32_t *paths = tw_read_write(cg, s->at[FLOYDWARSHALL_PATHS]);
        if (paths)
            tw_parallel_for_nd_range(cg, range, floydwarshall_items, .distance = paths,
                                     .through = paths + nodes * nodes, .nodes = (unsigned)nodes,
                                     .node = (unsigned)node);
        if (!suite_submit(cg))
            return false;
    }
    return suite_wait();
}

static bool run_rows(void *state)
{
    const struct suite_teamwork *s = state;
    const size_t nodes = ((const struct floydwarshall *)s->problem)->nodes;
    for (size_t node = 0; node < nodes; ++node) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        int32_t *paths = tw_read_write(cg, s->at[FLOYDWARSHALL_PATHS]);
        if (paths)
            tw_parallel_for_work_group(cg, tw_range_1d(nodes), tw_range_1d(FLOYDWARSHALL_GROUP), floydwarshall_rows,
                                       .distance = paths, .through = paths + nodes * nodes, .nodes = (unsigned)nodes,
                                       .node = (unsigned)node);
        if (!suite_submit(cg))
            return false;
    }
    return suite_wait();
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION_RESET("flat", "range", run_flat),
    SUITE_TEAMWORK_VERSION_RESET("flat", "nd_range", run_items),
    SUITE_TEAMWORK_VERSION_RESET("rows", "hierarchical", run_rows),
};
const struct suite_versions suite_floydwarshall_teamwork = SUITE_VERSIONS(versions);
