/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs in which every pair of nodes has an edge of a random length. */
#include "floydwarshall.h"

#include <stdio.h>
#include <string.h>

static void reference(int32_t *distance, int32_t *through, size_t nodes)
{
    for (size_t k = 0; k < nodes; ++k)
        for (size_t i = 0; i < nodes; ++i) {
            const int32_t to_k = distance[i * nodes + k];
            for (size_t j = 0; j < nodes; ++j) {
                const int32_t way = to_k + distance[k * nodes + j], known = distance[i * nodes + j];
                const int32_t last = through[i * nodes + j];
                distance[i * nodes + j] = way < known ? way : known;
                through[i * nodes + j] = way < known ? (int32_t)k : last;
            }
        }
}

static bool make(enum suite_size size, struct suite_problem *problem)
{
    struct floydwarshall *graph = suite_allocate_data(sizeof *graph);
    problem->data = graph;
    if (!graph)
        return false;
    const size_t nodes = size == SUITE_QUICK ? 256 : size == SUITE_CPU ? 512 : 1024, pairs = nodes * nodes;
    const size_t bytes = 2 * pairs * sizeof(int32_t);
    int32_t *paths = suite_allocate(bytes), *shortest = suite_allocate(bytes);
    graph->nodes = nodes;
    graph->arrays = (struct suite_arrays){.at = {{bytes, paths, true}}, FLOYDWARSHALL_PATHS, shortest};
    if (!paths || !shortest)
        return false;
    uint64_t random = SUITE_SEED;
    for (size_t i = 0; i < nodes; ++i)
        for (size_t j = 0; j < nodes; ++j) {
            paths[i * nodes + j] = i == j ? 0 : 1 + (int32_t)(suite_random(&random) % 1000);
            paths[pairs + i * nodes + j] = (int32_t)i;
        }
    memcpy(shortest, paths, bytes);
    reference(shortest, shortest + pairs, nodes);
    problem->result_bytes = bytes;
    problem->work = (struct suite_work){.bytes = (double)nodes * (double)pairs * sizeof(int32_t),
                                        .launches = (double)nodes}; /* of distances alone */
    snprintf(problem->title, sizeof problem->title, "Floyd-Warshall, %zu nodes", nodes);
    return true;
}

const struct suite_program suite_floydwarshall = {"floydwarshall", "HeCBench floydwarshall", make, suite_arrays_free,
                                                  suite_arrays_equal};
