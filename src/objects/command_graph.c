/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command graphs (teamwork/command_graph.h): recorded commands, and one command that runs them all.
 *
 * graph/graph.h finds the dependencies between the recorded commands, over resources of the command graph's own. A
 * backend may instantiate the kernels as one graph, which a stream launches at once. Otherwise the kernels run one
 * after the other, as one task.
 */
#include "command_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/cancellation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "base/process.h"
#include "buffer.h"
#include "recording.h"
#include "runtime/reclaim.h"
#include "runtime/step.h"
#include "runtime/submit.h"
#include "storage.h"

static tw_status check_queue(const tw_queue *queue)
{
    return queue ? tw_check_process() : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the queue is NULL");
}

tw_status tw_queue_begin_recording(tw_queue *queue)
{
    tw_status status = check_queue(queue);
    if (status != TW_SUCCESS)
        return status;
    struct tw_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to record command groups");
    tw_lock();
    const bool is_recording = queue->recording != NULL;
    if (!is_recording)
        queue->recording = recording;
    tw_unlock();
    if (!is_recording)
        return TW_SUCCESS;
    free(recording);
    return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording already");
}

bool tw_queue_is_recording(const tw_queue *queue)
{
    tw_lock();
    const bool is_recording = queue && queue->recording;
    tw_unlock();
    return is_recording;
}

/* ---- from commands to a graph ------------------------------------------------------------------------------------ */

/* A buffer that the recorded groups access. */
struct graph_buffer {
    struct tw_data *data;
    struct tw_resource resource; /* orders the groups */
    struct tw_box_node *uses;    /* tree of its uses */
    size_t last;                 /* its latest use in graph->uses, + 1; 0: none */
};

/* What is known of a graph while it is analysed. */
struct analysis {
    struct tw_command_graph *graph;
    struct graph_buffer *buffers; /* room for all */
    size_t buffer_count;
    size_t *slots; /* hash table of indices in `buffers`, + 1; 0: empty. Open addressing, with room for all */
    size_t mask;
    struct tw_box_node *nodes; /* those of graph->uses in the trees of their buffers */
    size_t capacity;           /* of graph->uses and `nodes`, and room in `found` */
    /* what a use has in common with those before it, and what not */
    size_t *found; /* numbers of those that it overlaps */
    struct tw_box *rest;
    size_t found_count, rest_count, rest_room;
    bool exhausted; /* there was no memory for `rest` */
};

/* Returns the entry of a buffer, which it makes if there is none. */
static struct graph_buffer *buffer_of(struct analysis *all, struct tw_data *data)
{
    size_t at = ((uintptr_t)data >> 6) * 0x9e3779b97f4a7c15u >> 20;
    while (all->slots[at & all->mask] && all->buffers[all->slots[at & all->mask] - 1].data != data)
        ++at;
    size_t *slot = &all->slots[at & all->mask];
    if (!*slot) {
        all->buffers[all->buffer_count] = (struct graph_buffer){.data = data, .resource = {.whole = &data->whole}};
        *slot = ++all->buffer_count;
    }
    return &all->buffers[*slot - 1];
}

/* Puts a use into the tree of its buffer. */
static void enter(struct analysis *all, struct graph_buffer *buffer, size_t at)
{
    all->nodes[at] = tw_box_node(&all->graph->uses[at].box, &buffer->data->whole);
    all->nodes[at].order = 1; /* for tw_box_visit_rest() */
    tw_box_tree_insert(&buffer->uses, &all->nodes[at]);
}

/* Changes the box of a use. */
static void change_box(struct analysis *all, struct graph_buffer *buffer, size_t at, const struct tw_box *box)
{
    struct tw_use *use = &all->graph->uses[at];
    tw_box_tree_remove(&buffer->uses, &all->nodes[at]);
    use->box = *box;
    use->is_part = !tw_box_covers(box, &buffer->data->whole);
    enter(all, buffer, at);
}

/* Makes room for twice as many uses. Returns false if memory is exhausted. */
static bool grow(struct analysis *all)
{
    struct tw_command_graph *graph = all->graph;
    const size_t capacity = 2 * all->capacity;
    struct tw_use *uses = realloc(graph->uses, capacity * sizeof *uses);
    graph->uses = uses ? uses : graph->uses;
    size_t *found = uses ? realloc(all->found, capacity * sizeof *found) : NULL;
    all->found = found ? found : all->found;
    struct tw_box_node *nodes = found ? malloc(capacity * sizeof *nodes) : NULL;
    if (!nodes)
        return false;
    free(all->nodes);
    all->nodes = nodes;
    all->capacity = capacity;
    for (size_t i = 0; i < all->buffer_count; ++i)
        all->buffers[i].uses = NULL;
    for (size_t at = 0; at < graph->use_count; ++at)
        enter(all, buffer_of(all, graph->uses[at].data), at);
    return true;
}

/* Adds a use to those of the whole graph, as a part of the latest one of the buffer if that is possible. Returns false
   if memory is exhausted. */
static bool append_use(struct analysis *all, struct graph_buffer *buffer, const struct tw_use *use)
{
    struct tw_command_graph *graph = all->graph;
    if (buffer->last) {
        const struct tw_use *last = &graph->uses[buffer->last - 1];
        struct tw_box merged = last->box;
        if (last->needs == use->needs && last->writes == use->writes && tw_box_merge(&merged, &use->box)) {
            change_box(all, buffer, buffer->last - 1, &merged);
            return true;
        }
    }
    if (graph->use_count == all->capacity && !grow(all))
        return false;
    __builtin_assume(graph->use_count < all->capacity); /* for clang-tidy */
    graph->uses[graph->use_count] = *use;
    graph->uses[graph->use_count].is_part = !tw_box_covers(&use->box, &use->data->whole);
    enter(all, buffer, graph->use_count);
    buffer->last = ++graph->use_count;
    return true;
}

static void note_rest(const struct tw_box *piece, void *user)
{
    struct analysis *all = user;
    if (all->rest_count == all->rest_room) {
        const size_t room = 2 * all->rest_room + 16;
        struct tw_box *rest = realloc(all->rest, room * sizeof *rest);
        all->exhausted = all->exhausted || !rest;
        if (!rest)
            return;
        all->rest = rest;
        all->rest_room = room;
    }
    all->rest[all->rest_count++] = *piece;
}

/* Finds what a box has in common with the uses of a buffer, and what not. Returns false if memory is exhausted. */
static bool compare(struct analysis *all, const struct graph_buffer *buffer, const struct tw_box *box)
{
    const struct tw_box_node wanted = tw_box_node(box, &buffer->data->whole);
    const struct tw_box_node *found = tw_box_tree_find(buffer->uses, &wanted);
    all->found_count = all->rest_count = 0;
    for (const struct tw_box_node *at = found; at; at = at->found)
        all->found[all->found_count++] = (size_t)(at - all->nodes);
    tw_box_visit_rest(box, &buffer->data->whole, found, 0, note_rest, all);
    return !all->exhausted;
}

/* Adds a command's use to those of the whole graph, which stay disjoint: what it has in common with one of them becomes a
   use of its own. The graph needs the earlier contents unless an earlier group has overwritten them. Returns false if
   memory is exhausted. */
static bool add_use(struct analysis *all, struct graph_buffer *buffer, const struct tw_use *use)
{
    struct tw_command_graph *graph = all->graph;
    struct tw_box pieces[TW_BOX_PIECES];
    bool enough = compare(all, buffer, &use->box);
    for (size_t i = 0; i < all->found_count && enough; ++i) {
        const size_t at = all->found[i];
        struct tw_use other = graph->uses[at];
        const struct tw_box common = tw_box_intersect(&other.box, &use->box);
        graph->uses[at].needs = other.needs || (use->needs && !other.writes);
        graph->uses[at].writes = other.writes || use->writes;
        const size_t count = tw_box_subtract(&other.box, &common, pieces);
        if (count)
            change_box(all, buffer, at, &common);
        for (size_t k = 0; k < count && enough; ++k) { /* the rest of the other one */
            other.box = pieces[k];
            enough = append_use(all, buffer, &other);
        }
    }
    struct tw_use rest = *use;
    for (size_t i = 0; i < all->rest_count && enough; ++i) {
        rest.box = all->rest[i];
        enough = append_use(all, buffer, &rest);
    }
    return enough;
}

/* Fills in a command's accesses to the graph's own resources. */
static void describe(struct analysis *all, struct tw_command *command)
{
    struct tw_node *node = &command->body.node;
    struct tw_box_node *part = command->parts;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        node->accesses[i] = (struct tw_graph_access){
            .resource = &buffer_of(all, use->data)->resource, .needs = use->needs, .writes = use->writes};
        if (!use->is_part)
            continue;
        *part = tw_box_node(&use->box, &use->data->whole);
        node->accesses[i].part = part++;
    }
    node->access_count = command->use_count;
}

static tw_status refuse_memory(const struct tw_command_graph *graph)
{
    return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to order %zu recorded groups", graph->count);
}

/* Inserts all commands into the dependency graph, so that each has edges from those that it depends on. */
static tw_status order(struct analysis *all)
{
    const struct tw_command_graph *graph = all->graph;
    for (size_t i = 0; i < graph->count; ++i) {
        struct tw_command *command = graph->commands[i];
        describe(all, command);
        const size_t needed = tw_graph_edges_needed(command->body.node.accesses, command->body.node.access_count);
        command->sequence = i;
        const tw_status status = tw_command_make_edges(command, needed + graph->in_order);
        if (status != TW_SUCCESS)
            return status;
        tw_graph_insert(&command->body.node, command->edges);
        if (graph->in_order && i)
            tw_graph_depend(&command->body.node, &graph->commands[i - 1]->body.node, false);
    }
    return TW_SUCCESS;
}

/* Describes the body of a command to the backend. */
static void describe_body(struct tw_command *command, struct tw_backend_graph_node *node)
{
    if (command->body.kind == TW_TASK_KERNEL) {
        node->kernel = command->kernel;
        node->launch = &command->launch;
    } else if (command->body.kind == TW_TASK_STEP) {
        const struct tw_step *step = tw_step_prepare(command);
        if (step->kind == TW_STEP_FILL)
            node->fill = &step->request.fill;
        else
            node->copy = &step->request.copy;
    }
}

/* Lets the backend instantiate the graph. If it cannot, that is a success with `instance` left NULL. */
static tw_status instantiate(struct tw_command_graph *graph, const struct tw_backend_graphs *graphs)
{
    size_t edges = 0, used = 0;
    for (size_t i = 0; i < graph->count; ++i)
        edges += graph->commands[i]->body.node.in_count;
    struct tw_backend_graph_node *nodes = malloc((graph->count + 1) * sizeof *nodes);
    size_t *before = malloc((edges + 1) * sizeof *before);
    tw_status status = TW_SUCCESS;
    if (!nodes || !before)
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a graph of %zu groups", graph->count);
    for (size_t i = 0; i < graph->count && status == TW_SUCCESS; ++i) {
        struct tw_command *command = graph->commands[i];
        const struct tw_node *node = &command->body.node;
        nodes[i] = (struct tw_backend_graph_node){.before = &before[used], .before_count = node->in_count};
        describe_body(command, &nodes[i]);
        for (size_t k = 0; k < node->in_count; ++k)
            before[used++] = (size_t)((const struct tw_task *)node->in[k].from)->command->sequence;
    }
    if (status == TW_SUCCESS && graph->count)
        status = graphs->instantiate(graph->device->backend, nodes, graph->count, &graph->instance);
    free(nodes);
    free(before);
    return status;
}

/* Returns true if a backend may instantiate the graph: no kernel checks its views, no step needs the host, and none is
   a hint, for which graphs have no nodes. */
static bool stays_on_device(const struct tw_command_graph *graph)
{
    for (size_t i = 0; i < graph->count; ++i) {
        struct tw_command *command = graph->commands[i];
        if (command->bounds)
            return false;
        if (command->body.kind == TW_TASK_STEP
            && (!command->body.node.domain || tw_step_of(command)->kind == TW_STEP_HINT))
            return false;
    }
    return true;
}

/* Computes the uses of the whole graph, and the dependencies between its commands. */
static tw_status analyse(struct tw_command_graph *graph)
{
    size_t uses = 0;
    struct analysis all = {.graph = graph, .mask = 15};
    for (size_t i = 0; i < graph->count; ++i)
        uses += graph->commands[i]->use_count;
    while (all.mask < 2 * uses)
        all.mask = 2 * all.mask + 1;
    all.capacity = uses + 1;
    all.slots = calloc(all.mask + 1, sizeof *all.slots);
    all.buffers = malloc((uses + 1) * sizeof *all.buffers);
    all.nodes = malloc(all.capacity * sizeof *all.nodes);
    all.found = malloc(all.capacity * sizeof *all.found);
    graph->uses = malloc(all.capacity * sizeof *graph->uses);
    bool enough = all.slots && all.buffers && all.nodes && all.found && graph->uses;
    for (size_t i = 0; i < graph->count && enough; ++i)
        for (size_t k = 0; k < graph->commands[i]->use_count && enough; ++k) {
            const struct tw_use *use = &graph->commands[i]->uses[k];
            enough = add_use(&all, buffer_of(&all, use->data), use);
        }
    const tw_status status = enough ? order(&all) : refuse_memory(graph);
    free(all.slots);
    free(all.buffers);
    free(all.nodes);
    free(all.found);
    free(all.rest);
    return status;
}

/* Moves the commands to the graph, which owns them even on failure; analyses and instantiates it. */
static tw_status fill(struct tw_command_graph *graph, struct tw_recording *recording)
{
    const struct tw_backend_graphs *graphs = graph->device->backend->backend->graphs;
    graph->commands = recording->commands;
    graph->count = recording->count;
    recording->commands = NULL;
    recording->count = 0;
    const tw_status status = analyse(graph);
    return status == TW_SUCCESS && graphs && stays_on_device(graph) ? instantiate(graph, graphs) : status;
}

tw_status tw_queue_end_recording(tw_queue *queue, tw_command_graph **result)
{
    tw_status status = check_queue(queue);
    if (status != TW_SUCCESS)
        return status;
    TW_DEFER_CANCELLATION;
    struct tw_command_graph *graph = result ? calloc(1, sizeof *graph) : NULL;
    tw_lock();
    struct tw_recording *recording = queue->recording;
    queue->recording = NULL;
    if (graph) {
        graph->references = 1;
        graph->device = queue->device;
        graph->in_order = queue->tasks.in_order;
        tw_object_born_locked(TW_OBJECT_COMMAND_GRAPH);
    }
    tw_unlock();
    if (!recording)
        status = tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is not recording");
    else if (result && !graph)
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command graph");
    else if (result && recording->status != TW_SUCCESS)
        status = tw_fail(recording->status, "%s", recording->detail);
    else if (result)
        status = fill(graph, recording);
    tw_lock();
    tw_recording_drop_locked(recording);
    tw_unlock();
    if (status == TW_SUCCESS && result)
        *result = graph;
    else
        tw_command_graph_destroy(&graph);
    tw_reclaim();
    return status;
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

size_t tw_command_graph_count(const tw_command_graph *graph)
{
    return graph ? graph->count : 0;
}

static void free_graph(struct tw_unused *unused)
{
    struct tw_command_graph *graph =
        (struct tw_command_graph *)((char *)unused - offsetof(struct tw_command_graph, unused));
    if (graph->instance)
        graph->device->backend->backend->graphs->destroy(graph->instance);
    tw_lock();
    for (size_t i = 0; i < graph->count; ++i)
        tw_recording_drop_command_locked(graph->commands[i]);
    tw_resource_end(&graph->turn);
    tw_object_died_locked(TW_OBJECT_COMMAND_GRAPH);
    tw_unlock();
    free(graph->commands);
    free(graph->uses);
    free(graph);
}

static void release_locked(struct tw_command_graph *graph)
{
    if (--graph->references)
        return;
    graph->unused.free = free_graph;
    tw_reclaim_later_locked(&graph->unused);
}

void tw_command_graph_destroy(tw_command_graph **graph)
{
    if (!graph || !*graph)
        return;
    tw_lock();
    release_locked(*graph);
    tw_unlock();
    *graph = NULL;
    tw_reclaim();
}

/* State of running a graph's kernels and steps one after the other. */
struct run {
    struct tw_backend_batch batch; /* first: the backend's view */
    const struct tw_command_graph *graph;
    size_t at; /* number of commands done, the running one included */
    struct tw_internal_launch launch;
    tw_status status;
};

/* Runs the steps before the next kernel, and prepares its launch. Returns false if there is no further kernel, or a step
   fails. */
static bool find_kernel(struct run *run)
{
    while (run->at < run->graph->count) {
        struct tw_command *command = run->graph->commands[run->at++];
        if (command->body.kind == TW_TASK_STEP && (run->status = tw_step_run(command)) != TW_SUCCESS)
            return false;
        if (command->body.kind != TW_TASK_KERNEL)
            continue;
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
    run->status = status == TW_SUCCESS ? tw_command_check_bounds(run->graph->commands[run->at - 1]) : status;
    return run->status == TW_SUCCESS && find_kernel(run);
}

/* Returns the graph that a command runs. */
static struct tw_command_graph *graph_of(const struct tw_command *command)
{
    return (struct tw_command_graph *)((char *)command->turn - offsetof(struct tw_command_graph, turn));
}

static tw_status run(const struct tw_command *command)
{
    const struct tw_command_graph *graph = graph_of(command);
    struct tw_backend_device *device = graph->device->backend;
    struct run all = {.batch = {.next = next_of_run}, .graph = graph, .status = TW_SUCCESS};
    if (!find_kernel(&all))
        return all.status;
    if (device->backend->launch_batch)
        device->backend->launch_batch(device, &all.batch);
    else
        while (next_of_run(&all.batch, device->backend->launch(device, all.batch.kernel, &all.launch)))
            ;
    return all.status;
}

static void completed_locked(struct tw_command *command)
{
    tw_queue_complete_locked(command);
    tw_buffers_complete_locked(command);
    release_locked(graph_of(command));
}

static const struct tw_command_object object = {
    .run = run, .completed_locked = completed_locked, .released_locked = tw_queue_take_memory_locked};

static tw_status check(const struct tw_queue *queue, const struct tw_command_graph *graph)
{
    if (!queue || !graph)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the %s is NULL", queue ? "graph" : "queue");
    if (queue->device != graph->device)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, "the graph was recorded for %s, and the queue is on %s",
                       tw_device_name(graph->device), tw_device_name(queue->device));
    return tw_check_process();
}

static tw_status check_locked(const struct tw_queue *queue, const struct tw_command_graph *graph)
{
    if (queue->recording)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "the queue is recording, and graphs do not nest");
    for (size_t i = 0; i < graph->use_count; ++i)
        if (!tw_buffer_of(graph->uses[i].data)->handles)
            return tw_fail(TW_ERROR_INVALID_ARGUMENT, "a buffer that the graph accesses has been destroyed");
    return TW_SUCCESS;
}

/* Acquires the references that a submitted command releases on completion: queue, graph and buffers. */
static void acquire_references_locked(struct tw_command *command, struct tw_queue *queue,
                                      struct tw_command_graph *graph)
{
    command->home = &queue->tasks;
    command->turn = &graph->turn;
    command->instance = graph->instance;
    command->use_count = graph->use_count;
    ++queue->tasks.references;
    ++graph->references;
    for (size_t i = 0; i < graph->use_count; ++i)
        ++tw_buffer_of(graph->uses[i].data)->uses;
}

/* Releases the references of a command that could not be submitted. */
static void release_references_locked(struct tw_command *command)
{
    for (size_t i = 0; i < command->use_count; ++i)
        --tw_buffer_of(command->uses[i].data)->uses;
    --graph_of(command)->references;
    --command->home->references;
    command->home = NULL;
    command->turn = NULL;
    command->use_count = 0;
}

/* Makes the command that runs the graph. Returns NULL if memory is exhausted. */
static struct tw_command *make_command(struct tw_queue *queue, struct tw_command_graph *graph)
{
    struct tw_command *command =
        tw_command_create(&object, &(struct tw_memory){.block = NULL}, graph->use_count, graph->use_count + 1, true, 0);
    if (!command)
        return NULL;
    struct tw_backend_device *device = queue->device->backend;
    command->device = queue->device;
    command->queue = &queue->tasks;
    command->body.kind = TW_TASK_GRAPH;
    command->body.exclusive = device->exclusive;
    command->body.node.domain = graph->instance ? device->backend->async : NULL;
    memcpy(command->uses, graph->uses, graph->use_count * sizeof *graph->uses);
    return command;
}

tw_status tw_internal_submit_graph(tw_queue *queue, tw_command_graph *graph, tw_event **event, const char *file,
                                   int line)
{
    tw_status status = check(queue, graph);
    if (status != TW_SUCCESS)
        return status;
    struct tw_command *command = make_command(queue, graph);
    if (!command)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to submit a command graph");
    command->file = file;
    command->line = line;
    command->timed = event != NULL;
    command->measured = command->timed && tw_queue_measures(queue);
    tw_lock();
    if (queue->tasks.unfinished >= queue->limit)
        tw_queue_make_room_locked(queue);
    status = check_locked(queue, graph);
    if (status == TW_SUCCESS) {
        acquire_references_locked(command, queue, graph);
        tw_storage_begin_locked(graph->uses, graph->use_count);
        status = check_locked(queue, graph); /* again: the lock was released */
        if (status == TW_SUCCESS)
            status = tw_command_submit_locked(command);
        if (status != TW_SUCCESS) {
            tw_storage_abandon_locked(graph->uses, graph->use_count);
            release_references_locked(command);
        } else if (event) {
            *event = &command->events[TW_PHASE_COMPLETE];
        }
    }
    if (status != TW_SUCCESS || !event)
        tw_command_release_locked(command);
    tw_unlock();
    tw_reclaim();
    return status;
}
