/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command graphs as CUDA graphs (backend.h): a node for each kernel, launched on a chain's stream by one call, which takes
 * less than a microsecond a kernel where launches take three.
 *
 * Nodes may run at the same time, so each reduction has scratch memory of its own, and each large argument block its own
 * place in device memory, filled once.
 */
#include <stdlib.h>

#include "common/scratch.h"
#include "cuda.h"
#include "cuda_driver.h"

struct cuda_graph {
    struct tw_backend_graph base;
    struct tw_cuda_device *device;
    cu_executable executable;
    void **memory; /* device memory that the nodes use */
    size_t memory_count;
};

/* What is needed while a graph is made. */
struct assembling {
    struct tw_backend_device *owner;
    struct cuda_graph *made;
    cu_graph graph;
    cu_node *nodes;   /* of the steps so far */
    cu_node *befores; /* room for all nodes before one */
};

static tw_status complain(cu_result error, const char *what)
{
    char text[256];
    return tw_fail(error == CU_OUT_OF_MEMORY ? TW_ERROR_OUT_OF_DEVICE_MEMORY : TW_ERROR_LAUNCH_FAILED,
                   "the CUDA driver %s: %s", what, tw_cuda_describe_error(error, text, sizeof text));
}

/* The graph frees it in the end. */
static void keep(struct assembling *a, void *memory)
{
    a->made->memory[a->made->memory_count++] = memory;
}

/* Copies a large argument block to device memory. */
static tw_status place_args(struct assembling *a, size_t bytes, struct tw_internal_launch *launch)
{
    const struct tw_backend *backend = a->owner->backend;
    void *memory = backend->memory->allocate(a->owner, bytes);
    if (!memory)
        return tw_fail(TW_ERROR_OUT_OF_DEVICE_MEMORY, "no device memory for a command graph");
    keep(a, memory);
    launch->device_args = memory;
    return backend->memory->copy(a->owner, memory, NULL, launch->args, bytes);
}

/* Gives a launch the device memory that it needs. */
static tw_status equip(struct assembling *a, const struct tw_internal_kernel *kernel, struct tw_internal_launch *launch)
{
    tw_status status = TW_SUCCESS;
    if (kernel->form == TW_INTERNAL_REDUCTION) {
        status = tw_scratch_make(a->owner, launch);
        if (status == TW_SUCCESS)
            keep(a, launch->scratch);
    }
    return status == TW_SUCCESS && launch->words == 1 ? place_args(a, kernel->args_bytes, launch) : status;
}

static tw_status add_step(struct assembling *a, const struct tw_backend_step *step, cu_node *node)
{
    for (size_t i = 0; i < step->before_count; ++i)
        a->befores[i] = a->nodes[step->before[i]];
    if (!step->kernel) {
        const cu_result error = tw_cuda.graph_add_empty(node, a->graph, a->befores, step->before_count);
        return error ? complain(error, "added nothing to a graph") : TW_SUCCESS;
    }
    struct tw_internal_launch launch = *step->launch;
    tw_omp_prepare(a->owner, step->kernel, &launch);
    const tw_status status = equip(a, step->kernel, &launch);
    if (status != TW_SUCCESS)
        return status;
    const cu_result error = tw_cuda_add_node(&launch, a->graph, a->befores, step->before_count, node);
    return error ? complain(error, "added no kernel to a graph") : TW_SUCCESS;
}

/* In the device's context. */
static tw_status add_steps(struct assembling *a, const struct tw_backend_step *steps, size_t count)
{
    tw_status status = TW_SUCCESS;
    cu_result error = tw_cuda.graph_create(&a->graph, 0);
    if (error)
        return complain(error, "made no graph");
    for (size_t i = 0; i < count && status == TW_SUCCESS; ++i)
        status = add_step(a, &steps[i], &a->nodes[i]);
    if (status == TW_SUCCESS && (error = tw_cuda.graph_instantiate(&a->made->executable, a->graph, 0)) != 0) {
        a->made->executable = NULL;
        status = complain(error, "made no executable of a graph");
    }
    (void)tw_cuda.graph_destroy(a->graph);
    return status;
}

void tw_cuda_graph_dismantle(struct tw_backend_graph *base)
{
    struct cuda_graph *graph = (struct cuda_graph *)base;
    struct tw_backend_device *owner = base->device;
    const enum tw_cuda_entry entry = tw_cuda_enter(graph->device);
    if (entry && graph->executable)
        (void)tw_cuda.graph_executable_destroy(graph->executable);
    tw_cuda_leave(entry);
    for (size_t i = 0; i < graph->memory_count; ++i)
        owner->backend->memory->free(owner, graph->memory[i]);
    free(graph->memory);
    free(graph);
}

tw_status tw_cuda_graph_assemble(struct tw_backend_device *owner, int ordinal, const struct tw_backend_step *steps,
                                 size_t count, struct tw_backend_graph **result)
{
    struct assembling a = {.owner = owner, .made = calloc(1, sizeof *a.made)};
    size_t most = 0;
    for (size_t i = 0; i < count; ++i)
        most = steps[i].before_count > most ? steps[i].before_count : most;
    a.nodes = malloc((count + 1) * sizeof *a.nodes);
    a.befores = malloc((most + 1) * sizeof *a.befores);
    if (a.made)
        a.made->memory = malloc(2 * (count + 1) * sizeof *a.made->memory);
    tw_status status = a.made && a.made->memory && a.nodes && a.befores
                           ? TW_SUCCESS
                           : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    if (status == TW_SUCCESS) {
        a.made->base.device = owner;
        a.made->device = tw_cuda_device(ordinal);
        const enum tw_cuda_entry entry = tw_cuda_enter(a.made->device);
        status = entry ? add_steps(&a, steps, count)
                       : tw_fail(TW_ERROR_LAUNCH_FAILED, "the CUDA driver has no context for a graph");
        tw_cuda_leave(entry);
    }
    free(a.nodes);
    free(a.befores);
    if (status == TW_SUCCESS)
        *result = &a.made->base;
    else if (a.made && a.made->device)
        tw_cuda_graph_dismantle(&a.made->base);
    else if (a.made) {
        free(a.made->memory);
        free(a.made);
    }
    return status;
}

cu_result tw_cuda_graph_launch(const struct tw_backend_graph *graph, cu_stream stream)
{
    return tw_cuda.graph_launch(((const struct cuda_graph *)graph)->executable, stream);
}
