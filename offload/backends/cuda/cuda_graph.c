/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command graphs as CUDA graphs (backend.h): a node for each kernel, copy and fill, and for a conditional part a kernel
 * that sets its condition and a conditional node, in whose body another such kernel is the last one of a loop. One call launches the graph on a CUDA
 * stream. That takes less than a microsecond for each kernel; launches take three. The nodes may be of several devices
 * that have access to each other's memory: the stream is one of the graph's device, and the driver orders the nodes.
 *
 * Nodes may run at the same time, so each reduction has scratch memory of its own, and each large argument block has
 * device memory of its own, filled once.
 */
#include "cuda_graph.h"

#include <stdlib.h>

#include "common/scratch.h"
#include "cuda_condition.h"
#include "cuda_copy.h"
#include "cuda_fill.h"
#include "cuda_launch.h"
#include "cuda_stream.h"

/* Device memory that nodes use. */
struct owned {
    struct tw_backend_device *device;
    void *memory;
};

struct cuda_graph {
    struct tw_backend_graph base;
    cu_executable executable;
    cu_graph source; /* of one with conditional parts, whose conditions are its own; else NULL */
    struct owned *owned;
    size_t owned_count;
};

/* What is known of all nodes. */
struct summary {
    size_t count; /* with those of parts */
    size_t most;  /* the most nodes that one waits for */
    bool spreads; /* they are of several devices */
    bool has_parts;
};

/* The state while a graph is instantiated. */
struct instantiation {
    struct cuda_graph *made;
    struct summary all;
    bool is_refused;  /* the driver makes no such graph */
    cu_node *befores; /* room for the nodes that one node waits for */
};

/* A graph, or the body of a conditional node, to which nodes are added. */
struct level {
    cu_graph graph;
    const struct tw_backend_graph_node *given;
    cu_node *nodes; /* the nodes so far */
    bool is_body;
};

static tw_status complain(cu_result error, const char *what)
{
    const tw_status status = error == CU_OUT_OF_MEMORY ? TW_ERROR_OUT_OF_DEVICE_MEMORY : TW_ERROR_LAUNCH_FAILED;
    return tw_gpu_fail(status, tw_cuda_error(error), "the CUDA driver %s", what);
}

/* Makes the graph the owner of device memory: destroy() frees it. */
static void keep(struct instantiation *a, struct tw_backend_device *device, void *memory)
{
    a->made->owned[a->made->owned_count++] = (struct owned){device, memory};
}

/* Reports that the driver has not made a node or a graph. Of several devices, or with conditional parts, that is no failure
   of the program: the runtime runs the tasks one after the other. */
static tw_status refuse(struct instantiation *a, cu_result error, const char *what)
{
    a->is_refused = (a->all.spreads || a->all.has_parts) && error != CU_OUT_OF_MEMORY;
    return complain(error, what);
}

/* Copies a large argument block to device memory. */
static tw_status place_args(struct instantiation *a, struct tw_backend_device *device, size_t bytes,
                            struct tw_internal_launch *launch)
{
    const struct tw_backend *backend = device->backend;
    void *memory = backend->memory->allocate(device, bytes);
    if (!memory)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for a command graph");
    keep(a, device, memory);
    launch->device_args = memory;
    const struct tw_backend_copy upload = tw_backend_copy_of(device, memory, NULL, launch->args, bytes);
    return backend->memory->copy(&upload);
}

/* Gives a launch the device memory that it needs. */
static tw_status equip(struct instantiation *a, const struct tw_backend_graph_node *node,
                       struct tw_internal_launch *launch)
{
    const struct tw_internal_kernel *kernel = node->kernel;
    tw_status status = TW_SUCCESS;
    if (kernel->misfit) {
        status = tw_scratch_make(node->device, kernel, launch);
        if (status == TW_SUCCESS)
            keep(a, node->device, launch->scratch);
    }
    return status == TW_SUCCESS && launch->words == 1 ? place_args(a, node->device, kernel->args_bytes, launch)
                                                      : status;
}

/* Whether a node waits for one kernel of its device alone, whose end it need not wait for. */
static bool follows_kernel(const struct level *level, const struct tw_backend_graph_node *node)
{
    const struct tw_backend_graph_node *before = node->before_count == 1 ? &level->given[node->before[0]] : NULL;
    return before && before->kernel && before->device == node->device && !level->is_body;
}

static tw_status enter_and_add(struct instantiation *a, const struct level *level,
                               const struct tw_backend_graph_node *node, cu_node *added);

/* Adds the nodes of a graph, or of a body. */
static tw_status add_all(struct instantiation *a, struct level *level, size_t count)
{
    tw_status status = TW_SUCCESS;
    level->nodes = malloc((count + 1) * sizeof *level->nodes);
    if (!level->nodes)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    for (size_t i = 0; i < count && status == TW_SUCCESS; ++i)
        status = enter_and_add(a, level, &level->given[i], &level->nodes[i]);
    return status;
}

/* Stores the nodes of a level that no other one waits for, and returns their number. */
static size_t find_last(const struct level *level, size_t count, bool *is_awaited, cu_node *last)
{
    size_t found = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < level->given[i].before_count; ++k)
            is_awaited[level->given[i].before[k]] = true;
    for (size_t i = 0; i < count; ++i)
        if (!is_awaited[i])
            last[found++] = level->nodes[i];
    return found;
}

/* Adds the kernel that reads the condition behind each turn of a loop. */
static tw_status add_test(struct instantiation *a, const struct level *body, const struct tw_backend_graph_node *node,
                          uint64_t handle)
{
    const struct tw_backend_graph_part *part = node->part;
    bool *is_awaited = calloc(part->count + 1, sizeof *is_awaited);
    cu_node *last = malloc((part->count + 1) * sizeof(cu_node));
    tw_status status = TW_SUCCESS;
    if (is_awaited && last) {
        cu_node test;
        const size_t count = find_last(body, part->count, is_awaited, last);
        const cu_result error = tw_cuda_add_set_condition(tw_cuda_of(node->device), handle, part->condition,
                                                          body->graph, last, count, &test);
        status = error ? refuse(a, error, "added no condition to a loop of a graph") : TW_SUCCESS;
    } else {
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    }
    free(is_awaited);
    free(last);
    return status;
}

/* Adds a conditional part behind nodes: `added` becomes its conditional node. */
static tw_status add_part(struct instantiation *a, const struct level *level, const struct tw_backend_graph_node *node,
                          cu_node *added)
{
    struct tw_cuda_device *device = tw_cuda_of(node->device);
    const struct tw_backend_graph_part *part = node->part;
    struct cu_conditional_node conditional = {.type = CU_NODE_CONDITIONAL,
                                              .condition = part->repeats ? CU_CONDITION_WHILE : CU_CONDITION_IF,
                                              .body_count = 1,
                                              .context = device->context};
    cu_node set;
    cu_result error = tw_cuda.graph_condition_create(&conditional.handle, level->graph, device->context, 0, 0);
    if (!error)
        error = tw_cuda_add_set_condition(device, conditional.handle, part->condition, level->graph, a->befores,
                                          node->before_count, &set);
    if (!error)
        error = tw_cuda.graph_add_conditional(added, level->graph, &set, NULL, 1, &conditional);
    if (error)
        return refuse(a, error, "added no conditional part to a graph");
    struct level body = {.graph = conditional.bodies[0], .given = part->nodes, .is_body = true};
    tw_status status = add_all(a, &body, part->count);
    if (status == TW_SUCCESS && part->repeats)
        status = add_test(a, &body, node, conditional.handle);
    free(body.nodes);
    return status;
}

/* Adds a node. Called in the context of its device. */
static tw_status add_node(struct instantiation *a, const struct level *level, const struct tw_backend_graph_node *node,
                          cu_node *added)
{
    struct tw_cuda_device *device = tw_cuda_of(node->device);
    for (size_t i = 0; i < node->before_count; ++i)
        a->befores[i] = level->nodes[node->before[i]];
    if (node->part)
        return add_part(a, level, node, added);
    if (node->copy || node->fill) {
        const cu_result error =
            node->copy ? tw_cuda_add_copy(node->copy, level->graph, a->befores, node->before_count, added)
                       : tw_cuda_add_fill(device, node->fill, level->graph, a->befores, node->before_count, added);
        return error ? refuse(a, error, node->copy ? "added no copy to a graph" : "added no fill to a graph")
                     : TW_SUCCESS;
    }
    if (!node->kernel) {
        const cu_result error = tw_cuda.graph_add_empty(added, level->graph, a->befores, node->before_count);
        return error ? refuse(a, error, "added nothing to a graph") : TW_SUCCESS;
    }
    struct tw_internal_launch launch = *node->launch;
    tw_omp_prepare(&device->omp, node->kernel, &launch);
    const tw_status status = equip(a, node, &launch);
    if (status != TW_SUCCESS)
        return status;
    const cu_result error =
        tw_cuda_add_node(&launch, level->graph, a->befores, node->before_count, follows_kernel(level, node), added);
    return error ? refuse(a, error, "added no kernel to a graph") : TW_SUCCESS;
}

/* Adds a node in the context of its device. */
static tw_status enter_and_add(struct instantiation *a, const struct level *level,
                               const struct tw_backend_graph_node *node, cu_node *added)
{
    const enum tw_cuda_entry entry = tw_cuda_enter(tw_cuda_of(node->device));
    const tw_status status = entry ? add_node(a, level, node, added)
                                   : tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver has no context for a node");
    tw_cuda_leave(entry);
    return status;
}

/* Makes an executable of the CUDA graph: of that of an earlier graph, if there is one, which the driver leaves as it
   was if it cannot; then there is none. */
static tw_status make_executable(struct instantiation *a, cu_graph graph, struct cuda_graph *before)
{
    if (before) {
        struct cu_update why;
        if (tw_cuda.graph_update(before->executable, graph, &why) == 0) {
            a->made->executable = before->executable;
            before->executable = NULL;
        }
        return TW_SUCCESS;
    }
    const cu_result error = tw_cuda.graph_instantiate(&a->made->executable, graph, 0);
    if (!error)
        return TW_SUCCESS;
    a->made->executable = NULL;
    return refuse(a, error, "made no executable of a graph");
}

/* Makes the CUDA graph, and its executable. Called in the device's context. */
static tw_status add_nodes(struct instantiation *a, const struct tw_backend_graph_node *nodes, size_t count,
                           struct cuda_graph *before)
{
    struct level level = {.given = nodes};
    const cu_result error = tw_cuda.graph_create(&level.graph, 0);
    if (error)
        return complain(error, "made no graph");
    tw_status status = add_all(a, &level, count);
    if (status == TW_SUCCESS)
        status = make_executable(a, level.graph, before);
    if (a->all.has_parts)
        a->made->source = level.graph;
    else
        (void)tw_cuda.graph_destroy(level.graph);
    free(level.nodes);
    return status;
}

static void destroy(struct tw_backend_graph *base)
{
    struct cuda_graph *graph = (struct cuda_graph *)base;
    const enum tw_cuda_entry entry = tw_cuda_enter(tw_cuda_of(base->device));
    if (entry && graph->executable)
        (void)tw_cuda.graph_executable_destroy(graph->executable);
    if (entry && graph->source)
        (void)tw_cuda.graph_destroy(graph->source);
    tw_cuda_leave(entry);
    for (size_t i = 0; i < graph->owned_count; ++i)
        base->device->backend->memory->free(graph->owned[i].device, graph->owned[i].memory);
    free(graph->owned);
    free(graph);
}

static bool takes_all(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                      struct summary *all);

/* Returns true if the driver can run a node. */
static bool takes(const struct tw_backend_graph_node *node, struct summary *all)
{
    if (node->part)
        return tw_cuda_has_conditions() && takes_all(node->device, node->part->nodes, node->part->count, all);
    if (node->copy)
        return tw_cuda_copy_fits_node(node->copy);
    if (node->fill)
        return tw_cuda_fill_fits_node(node->fill);
    return !node->kernel || tw_gpu_takes(node->device, node->kernel, node->launch);
}

/* Returns true if the driver can run all nodes, for streams of a device. */
static bool takes_all(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                      struct summary *all)
{
    for (size_t i = 0; i < count; ++i) {
        if (!takes(&nodes[i], all))
            return false;
        all->most = nodes[i].before_count > all->most ? nodes[i].before_count : all->most;
        all->spreads = all->spreads || nodes[i].device != device;
        all->has_parts = all->has_parts || nodes[i].part;
    }
    all->count += count;
    return true;
}

/* Makes a graph, with an executable of its own, or that of an earlier graph. The driver does not update conditions. A part
   of a device has no graphs: cuda_part.c. */
static tw_status make(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                      struct cuda_graph *before, struct tw_backend_graph **result)
{
    struct instantiation a = {.made = NULL};
    if (tw_cuda_part_of(device) || !takes_all(device, nodes, count, &a.all)
        || (before && (a.all.has_parts || before->source)))
        return TW_SUCCESS;
    a.made = calloc(1, sizeof *a.made);
    a.befores = malloc((a.all.most + 1) * sizeof *a.befores);
    if (a.made) {
        a.made->base.device = device;
        a.made->owned = malloc(2 * (a.all.count + 1) * sizeof *a.made->owned);
    }
    tw_status status = a.made && a.made->owned && a.befores
                           ? TW_SUCCESS
                           : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    if (status == TW_SUCCESS) {
        const enum tw_cuda_entry entry = tw_cuda_enter(tw_cuda_of(device));
        status = entry ? add_nodes(&a, nodes, count, before)
                       : tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver has no context for a graph");
        tw_cuda_leave(entry);
    }
    free(a.befores);
    if (status == TW_SUCCESS && a.made->executable)
        *result = &a.made->base;
    else if (a.made)
        destroy(&a.made->base);
    return a.is_refused ? TW_SUCCESS : status;
}

static tw_status instantiate(struct tw_backend_device *device, const struct tw_backend_graph_node *nodes, size_t count,
                             struct tw_backend_graph **result)
{
    return make(device, nodes, count, NULL, result);
}

/* The executable goes to the new graph: launches of it that are on a stream already stay as they are. What they use in
   device memory is the earlier graph's. */
static tw_status update(struct tw_backend_graph *before, const struct tw_backend_graph_node *nodes, size_t count,
                        struct tw_backend_graph **result)
{
    return tw_cuda.graph_update ? make(before->device, nodes, count, (struct cuda_graph *)before, result) : TW_SUCCESS;
}

static tw_status launch(struct tw_backend_stream *stream, struct tw_backend_graph *graph, uint64_t *sequence)
{
    return tw_cuda_stream_launch_graph(stream, ((const struct cuda_graph *)graph)->executable, sequence);
}

const struct tw_backend_graphs tw_cuda_graphs = {
    .instantiate = instantiate,
    .update = update,
    .destroy = destroy,
    .launch = launch,
};
