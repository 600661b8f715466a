/* SPDX-License-Identifier: Apache-2.0 */
/* Floyd and Warshall's algorithm in OpenMP. */
#include "../arrays_openmp.h"
#include "floydwarshall.h"

#ifdef SUITE_TARGET

static bool SUITE_NAME(floydwarshall)(void *state)
{
    const struct suite_openmp *s = state;
    const unsigned nodes = (unsigned)((const struct floydwarshall *)s->problem)->nodes;
    int32_t *distance = s->at[FLOYDWARSHALL_PATHS], *through = distance + nodes * nodes;
    for (unsigned node = 0; node < nodes; ++node) {
#pragma omp target teams distribute parallel for collapse(2) device(suite_openmp_device)                               \
    is_device_ptr(distance, through)
        for (unsigned i = 0; i < nodes; ++i)
            for (unsigned j = 0; j < nodes; ++j) {
                const int32_t way = distance[i * nodes + node] + distance[node * nodes + j];
                if (way < distance[i * nodes + j]) {
                    distance[i * nodes + j] = way;
                    through[i * nodes + j] = (int32_t)node;
                }
            }
    }
    return true;
}

#else

/* As the twin of what has a work-item for each pair. The threads stay in one parallel region, and meet after each
   node. */
static bool SUITE_NAME(floydwarshall)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t nodes = ((const struct floydwarshall *)s->problem)->nodes;
    int32_t *distance = s->at[FLOYDWARSHALL_PATHS], *through = distance + nodes * nodes;
#pragma omp parallel firstprivate(distance, through, nodes)
    for (size_t node = 0; node < nodes; ++node) {
#pragma omp for schedule(static)
        for (size_t i = 0; i < nodes; ++i)
            for (size_t j = 0; j < nodes; ++j) {
                const int32_t way = distance[i * nodes + node] + distance[node * nodes + j];
                if (way < distance[i * nodes + j]) {
                    distance[i * nodes + j] = way;
                    through[i * nodes + j] = (int32_t)node;
                }
            }
    }
    return true;
}

/* Row by row, in vectors. Stores that always happen: those that depend on a condition are slow in vectors. */
static inline void one_row(int32_t *distance, int32_t *through, const int32_t *from_node, int32_t to_node, int32_t node,
                           size_t nodes)
{
#pragma omp simd
    for (size_t j = 0; j < nodes; ++j) {
        const int32_t way = to_node + from_node[j];
        const int32_t known = distance[j], last = through[j]; /* read in any case, so that it is no branch */
        distance[j] = way < known ? way : known;
        through[j] = way < known ? node : last;
    }
}

static bool SUITE_NAME(floydwarshall_rows)(void *state)
{
    const struct suite_openmp *s = state;
    const size_t nodes = ((const struct floydwarshall *)s->problem)->nodes;
    int32_t *distance = s->at[FLOYDWARSHALL_PATHS], *through = distance + nodes * nodes;
#pragma omp parallel firstprivate(distance, through, nodes)
    for (size_t node = 0; node < nodes; ++node) {
#pragma omp for schedule(static)
        for (size_t i = 0; i < nodes; ++i)
            one_row(distance + i * nodes, through + i * nodes, distance + node * nodes, distance[i * nodes + node],
                    (int32_t)node, nodes);
    }
    return true;
}

#endif

static const struct suite_version versions[] = {
    SUITE_OPENMP_VERSION_RESET("flat", SUITE_NAME(floydwarshall)),
#ifndef SUITE_TARGET
    SUITE_OPENMP_VERSION_RESET("rows", SUITE_NAME(floydwarshall_rows)),
#endif
};
const struct suite_versions SUITE_OPENMP_VERSIONS(floydwarshall) = SUITE_VERSIONS(versions);
