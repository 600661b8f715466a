/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a recorded graph, one after the other on this thread (command_graph_run.h). Where a device takes batches
 * of kernels, all kernels up to the end are one, also over the turns of a loop.
 */
#include "command_graph_run.h"

#include <string.h>

/* State of running a graph's tasks one after the other. */
struct run {
    struct tw_backend_batch batch;         /* first: the backend's view */
    const struct tw_recorded_graph *whole; /* what runs */
    const struct tw_recorded_graph *graph; /* that itself, or the body of one of its parts */
    size_t at;                             /* number of tasks of `graph` done, the running one included */
    struct tw_internal_launch launch;
    tw_status status;
};

/* Reads the condition of a part. */
static tw_status read_condition(const struct tw_graph_part *part, bool *holds)
{
    struct tw_backend_device *device = tw_memory_owner(part->body->device)->backend;
    const struct tw_backend_memory *memory = device->backend->memory;
    int value = 0;
    if (memory) {
        const struct tw_backend_copy copy =
            tw_backend_copy_of(NULL, &value, device, part->what.condition, sizeof value);
        const tw_status status = memory->copy(&copy);
        if (status != TW_SUCCESS)
            return status;
    } else {
        memcpy(&value, part->what.condition, sizeof value);
    }
    *holds = value != 0;
    return TW_SUCCESS;
}

/* Goes into the body of a part, if its condition holds. Returns false if that cannot be read. */
static bool enter(struct run *run, const struct tw_graph_part *part)
{
    bool holds = false;
    run->status = read_condition(part, &holds);
    if (holds) {
        run->graph = part->body;
        run->at = 0;
    }
    return run->status == TW_SUCCESS;
}

/* Goes from the end of a body to its beginning, or to what follows it. Returns false if all have run, or it fails. */
static bool leave(struct run *run)
{
    const struct tw_recorded_graph *body = run->graph;
    bool holds = false;
    if (body->part && body->part->what.repeats)
        run->status = read_condition(body->part, &holds);
    if (holds) {
        run->at = 0;
    } else if (run->status == TW_SUCCESS && body != run->whole) {
        run->graph = body->outer;
        run->at = body->position + 1;
    } else {
        return false;
    }
    return true;
}

/* Runs the tasks before the next kernel, and prepares its launch. Returns false if there is no further kernel, or a
   task fails. */
static bool find_kernel(struct run *run)
{
    while (run->at < run->graph->task_count || leave(run)) {
        if (run->at == run->graph->task_count) /* a body without tasks, or the end of the outer one */
            continue;
        struct tw_task *task = run->graph->tasks[run->at++];
        struct tw_command *command = task->command;
        const struct tw_graph_part *part = tw_is_copy(task) ? NULL : tw_graph_part_of(command);
        if (part) {
            if (!enter(run, part))
                return false;
            continue;
        }
        if (!task->kind->launches) {
            run->status = task->kind->execute ? task->kind->execute(task) : TW_SUCCESS;
            if (run->status != TW_SUCCESS)
                return false;
            continue;
        }
        run->launch = command->launch;
        run->batch.kernel = command->kernel;
        run->batch.launch = &run->launch;
        if (command->bounds)
            memset(command->bounds, 0, sizeof *command->bounds);
        return true;
    }
    return false;
}

static bool next_of_run(struct tw_backend_batch *batch, tw_status status)
{
    struct run *run = (struct run *)batch;
    run->status = status == TW_SUCCESS ? tw_command_check_bounds(run->graph->tasks[run->at - 1]->command) : status;
    return run->status == TW_SUCCESS && find_kernel(run);
}

tw_status tw_recorded_graph_run(const struct tw_recorded_graph *graph)
{
    const struct tw_backend_device *device = graph->device->backend;
    struct run all = {.batch = {.next = next_of_run}, .whole = graph, .graph = graph, .status = TW_SUCCESS};
    if (!find_kernel(&all))
        return all.status;
    if (device->backend->launch_batch && !graph->places) {
        device->backend->launch_batch(graph->device->backend, &all.batch);
        return all.status;
    }
    tw_status status;
    do {
        struct tw_backend_device *on = all.graph->tasks[all.at - 1]->command->device->backend;
        status = on->backend->launch(on, all.batch.kernel, &all.launch);
    } while (next_of_run(&all.batch, status));
    return all.status;
}

tw_status tw_graph_part_run(const struct tw_graph_part *part)
{
    bool holds = false;
    const tw_status status = read_condition(part, &holds);
    return holds ? tw_recorded_graph_run(part->body) : status;
}
