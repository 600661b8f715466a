/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates and conditional parts of graphs on an imaginary CUDA driver: who has the executable, and when it is destroyed;
 * which nodes stand for a part. Needs the private header cuda_graph.h.
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

/* ---- conditional parts ------------------------------------------------------------------------------------------- */

enum { GRAPHS = 4, LINES = 32, LINE = 48 };

/* Every node that was added, in words: its graph, what it is, and the numbers of those before it. */
static struct {
    char graphs[GRAPHS]; /* by their addresses; the first is the whole one */
    size_t graph_count;
    char lines[LINES][LINE];
    size_t count;
    uint64_t conditions;
    bool lacks_nodes; /* the driver refuses conditional nodes */
} wire;

static cu_result write_node(cu_node *node, cu_graph graph, const char *what, const cu_node *before, size_t count)
{
    char *line = wire.lines[wire.count];
    int used = snprintf(line, LINE, "%d %s", (int)((char *)(void *)graph - wire.graphs), what);
    for (size_t i = 0; i < count; ++i)
        used += snprintf(line + used, LINE - (size_t)used, " %d", (int)((char(*)[LINE])(void *)before[i] - wire.lines));
    *node = (cu_node)(void *)line;
    ++wire.count;
    return 0;
}

static cu_result create_wired(cu_graph *graph, unsigned flags)
{
    (void)flags;
    ++driver.graphs;
    *graph = (cu_graph)(void *)&wire.graphs[wire.graph_count++];
    return 0;
}

static cu_result destroy_wired(cu_graph graph)
{
    TW_CHECK(graph == (cu_graph)(void *)wire.graphs);
    TW_EQUAL(driver.executables, 0); /* the conditions are the graph's */
    --driver.graphs;
    return 0;
}

static cu_result add_wired(cu_node *node, cu_graph graph, const cu_node *before, size_t count)
{
    return write_node(node, graph, "nothing", before, count);
}

static cu_result add_kernel(cu_node *node, cu_graph graph, const cu_node *before, size_t count,
                            const struct cu_kernel_node *kernel)
{
    char what[LINE];
    TW_CHECK(kernel->function == (cu_function)(void *)&driver);
    const int *value = *(int *const *)kernel->parameters[1];
    snprintf(what, sizeof what, "sets %d by %d", (int)*(const uint64_t *)kernel->parameters[0], *value);
    return write_node(node, graph, what, before, count);
}

static cu_result create_condition(uint64_t *handle, cu_graph graph, cu_context context, unsigned value, unsigned flags)
{
    (void)graph;
    TW_CHECK(context == device.context && !value && !flags);
    *handle = ++wire.conditions;
    return 0;
}

static cu_result add_conditional(cu_node *node, cu_graph graph, const cu_node *before, const struct cu_edge *edges,
                                 size_t count, struct cu_conditional_node *conditional)
{
    static cu_graph bodies[GRAPHS];
    char what[LINE];
    TW_CHECK(!edges && conditional->type == CU_NODE_CONDITIONAL && conditional->body_count == 1);
    if (wire.lacks_nodes)
        return 801;
    bodies[wire.graph_count] = (cu_graph)(void *)&wire.graphs[wire.graph_count];
    conditional->bodies = &bodies[wire.graph_count++];
    snprintf(what, sizeof what, "%s %d", conditional->condition == CU_CONDITION_WHILE ? "while" : "if",
             (int)conditional->handle);
    return write_node(node, graph, what, before, count);
}

static cu_result load_module(cu_module *module, const void *image)
{
    TW_CHECK(strstr((const char *)image, "cudaGraphSetConditional"));
    *module = (cu_module)(void *)&driver;
    return 0;
}

static cu_result find_function(cu_function *function, cu_module module, const char *name)
{
    (void)module, (void)name;
    *function = (cu_function)(void *)&driver;
    return 0;
}

static cu_result find_text(cu_result error, const char **text)
{
    (void)error;
    *text = "not supported";
    return 0;
}

static void begin_wired(void)
{
    begin();
    memset(&wire, 0, sizeof wire);
    tw_cuda.graph_create = create_wired;
    tw_cuda.graph_destroy = destroy_wired;
    tw_cuda.graph_add_empty = add_wired;
    tw_cuda.graph_add_kernel = add_kernel;
    tw_cuda.graph_condition_create = create_condition;
    tw_cuda.graph_add_conditional = add_conditional;
    tw_cuda.error_name = tw_cuda.error_text = find_text;
    tw_cuda.module_load = load_module;
    tw_cuda.module_function = find_function;
    pthread_mutex_init(&device.streams, NULL);
}

/* A node, a loop of three nodes of which two have none behind them, with a part in its last, and a node. */
static tw_status make_parts(struct tw_backend_graph *before, struct tw_backend_graph **graph)
{
    static const int values[] = {10, 20};
    static const size_t first[] = {0}, second[] = {1};
    struct tw_backend_device *of = &device.omp.base;
    const struct tw_backend_graph_node innermost[] = {{.device = of}};
    const struct tw_backend_graph_part inner = {.condition = &values[1], .nodes = innermost, .count = 1};
    const struct tw_backend_graph_node body[] = {{.device = of},
                                                 {.device = of, .before = first, .before_count = 1},
                                                 {.device = of, .part = &inner, .before = first, .before_count = 1}};
    const struct tw_backend_graph_part loop = {
        .condition = &values[0], .repeats = true, .nodes = body, .count = sizeof body / sizeof body[0]};
    const struct tw_backend_graph_node nodes[] = {{.device = of},
                                                  {.device = of, .part = &loop, .before = first, .before_count = 1},
                                                  {.device = of, .before = second, .before_count = 1}};
    return before ? tw_cuda_graphs.update(before, nodes, 3, graph) : tw_cuda_graphs.instantiate(of, nodes, 3, graph);
}

TW_TEST(parts_are_conditional_nodes)
{
    static const char *const expected[] = {"0 nothing",          "0 sets 1 by 10 0", "0 while 1 1", "1 nothing",
                                           "1 nothing 3",        "1 sets 2 by 20 3", "1 if 2 5",    "2 nothing",
                                           "1 sets 1 by 10 4 6", "0 nothing 2"};
    struct tw_backend_graph *graph = NULL, *updated = NULL;
    begin_wired();
    TW_PASS(make_parts(NULL, &graph));
    TW_CHECK(graph != NULL);
    TW_EQUAL(wire.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < wire.count; ++i)
        TW_CHECK(!strcmp(wire.lines[i], expected[i]));
    TW_EQUAL(driver.graphs, 1); /* as long as the executable */
    TW_PASS(make_parts(graph, &updated));
    TW_CHECK(!updated); /* it is made anew */
    tw_cuda_graphs.destroy(graph);
    end();
}

/* Then the runtime decides between the parts. */
TW_TEST(drivers_without_conditional_nodes)
{
    for (int is_old = 0; is_old < 2; ++is_old) {
        struct tw_backend_graph *graph = NULL;
        begin_wired();
        wire.lacks_nodes = true;
        if (is_old)
            tw_cuda.graph_condition_create = NULL;
        TW_PASS(make_parts(NULL, &graph));
        TW_CHECK(!graph);
        TW_EQUAL(wire.count != 0, !is_old);
        end();
    }
}

TW_TEST_LIST = {TW_CASE(an_update_moves_the_executable), TW_CASE(an_update_that_cannot_be),
                TW_CASE(parts_are_conditional_nodes), TW_CASE(drivers_without_conditional_nodes), TW_CASES_END};
