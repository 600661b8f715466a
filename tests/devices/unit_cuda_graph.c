/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates of graphs on an imaginary CUDA driver: who has the executable, and when it is destroyed. Needs the private
 * header cuda_graph.h.
 */
#include "tw_test.h"

#include "backends/cuda/cuda_driver.h"
#include "backends/cuda/cuda_graph.h"

enum { NODES = 3, MANY = 8 };

static struct {
    size_t nodes, graphs; /* added to the last graph; graphs that exist */
    size_t executables;   /* that exist */
    size_t nodes_of[MANY];
    size_t made, updates;
    cu_result update_fails; /* with this */
} driver;

static struct tw_cuda_device device;

static cu_result current_context(cu_context *context)
{
    *context = NULL; /* as that of the device */
    return 0;
}

static cu_result create_graph(cu_graph *graph, unsigned flags)
{
    (void)flags;
    driver.nodes = 0;
    ++driver.graphs;
    *graph = (cu_graph)(void *)&driver;
    return 0;
}

static cu_result destroy_graph(cu_graph graph)
{
    TW_CHECK(graph == (cu_graph)(void *)&driver);
    --driver.graphs;
    return 0;
}

static cu_result add_empty(cu_node *node, cu_graph graph, const cu_node *before, size_t count)
{
    (void)graph;
    TW_EQUAL(count, driver.nodes != 0);
    TW_CHECK(!count || before[0] == (cu_node)(void *)(driver.nodes_of + driver.nodes - 1));
    *node = (cu_node)(void *)(driver.nodes_of + driver.nodes);
    ++driver.nodes;
    return 0;
}

static cu_result instantiate(cu_executable *executable, cu_graph graph, unsigned long long flags)
{
    (void)graph, (void)flags;
    TW_CHECK(driver.made < MANY);
    ++driver.executables;
    driver.nodes_of[driver.made] = driver.nodes;
    *executable = (cu_executable)(void *)&driver.nodes_of[driver.made++];
    return 0;
}

static cu_result update(cu_executable executable, cu_graph graph, struct cu_update *why)
{
    (void)graph;
    ++driver.updates;
    *why = (struct cu_update){.result = 0};
    const size_t *const nodes = (const size_t *)(void *)executable;
    return driver.update_fails ? driver.update_fails : *nodes == driver.nodes ? 0 : 910;
}

static cu_result destroy_executable(cu_executable executable)
{
    TW_CHECK(executable != NULL);
    --driver.executables;
    return 0;
}

static void begin(void)
{
    memset(&driver, 0, sizeof driver);
    memset(&device, 0, sizeof device);
    tw_cuda.context_current = current_context;
    tw_cuda.graph_create = create_graph;
    tw_cuda.graph_destroy = destroy_graph;
    tw_cuda.graph_add_empty = add_empty;
    tw_cuda.graph_instantiate = instantiate;
    tw_cuda.graph_update = update;
    tw_cuda.graph_executable_destroy = destroy_executable;
}

static void end(void)
{
    TW_EQUAL(driver.executables, 0);
    TW_EQUAL(driver.graphs, 0);
    memset(&tw_cuda, 0, sizeof tw_cuda);
}

/* Makes a graph of `count` nodes in a row, of another one unless that is NULL. */
static struct tw_backend_graph *make(struct tw_backend_graph *before, size_t count)
{
    static const size_t numbers[NODES + 1] = {0, 1, 2, 3};
    struct tw_backend_graph_node nodes[NODES + 1];
    struct tw_backend_graph *graph = NULL;
    for (size_t i = 0; i < count; ++i)
        nodes[i] = (struct tw_backend_graph_node){
            .device = &device.omp.base, .before = i ? &numbers[i - 1] : NULL, .before_count = i != 0};
    if (before)
        TW_PASS(tw_cuda_graphs.update(before, nodes, count, &graph));
    else
        TW_PASS(tw_cuda_graphs.instantiate(&device.omp.base, nodes, count, &graph));
    return graph;
}

/* The executable is the new graph's, whichever of the two is destroyed first. */
TW_TEST(an_update_moves_the_executable)
{
    for (int new_first = 0; new_first < 2; ++new_first) {
        begin();
        struct tw_backend_graph *before = make(NULL, NODES), *after = make(before, NODES);
        TW_CHECK(before && after && before != after);
        TW_EQUAL(driver.made, 1);
        TW_EQUAL(driver.updates, 1);
        tw_cuda_graphs.destroy(new_first ? after : before);
        TW_EQUAL(driver.executables, !new_first);
        tw_cuda_graphs.destroy(new_first ? before : after);
        end();
    }
}

/* Where the driver refuses there is no new graph, and the old one keeps its executable. */
TW_TEST(an_update_that_cannot_be)
{
    begin();
    struct tw_backend_graph *before = make(NULL, NODES);
    TW_CHECK(make(before, NODES + 1) == NULL); /* other nodes */
    TW_EQUAL(driver.updates, 1);
    driver.update_fails = 1;
    TW_CHECK(make(before, NODES) == NULL);
    tw_cuda.graph_update = NULL; /* an older driver */
    TW_CHECK(make(before, NODES) == NULL);
    TW_EQUAL(driver.updates, 2);
    TW_EQUAL(driver.executables, 1);
    struct tw_backend_graph *other = make(NULL, NODES + 1);
    TW_EQUAL(driver.made, 2);
    tw_cuda_graphs.destroy(before);
    tw_cuda_graphs.destroy(other);
    end();
}

TW_TEST_LIST = {TW_CASE(an_update_moves_the_executable), TW_CASE(an_update_that_cannot_be), TW_CASES_END};
