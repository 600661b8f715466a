/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From recorded commands to a command graph: what all of them together access, who waits for whom, which copies between
 * devices lie between them, and the graph that a backend makes of that. Knows nothing of submissions.
 *
 * graph/graph.h finds the dependencies, over resources of the command graph's own. For groups on several devices these
 * are those of a draft of each buffer: its contents, and its memory in each memory space, to which copies are tasks of
 * their own.
 */
#include "command_graph_analysis.h"

#include <stdlib.h>

#include "base/detail.h"
#include "base/lock.h"
#include "base/memory.h"
#include "graph/ancestors.h"
#include "runtime/allocation.h"
#include "runtime/command.h"
#include "runtime/submit.h"

/* A buffer that the recorded groups access. */
struct graph_buffer {
    struct tw_data *data;
    struct tw_resource contents;   /* orders the groups, if they are of one device */
    struct tw_placement placement; /* of a graph of several devices; its draft orders the groups */
    struct tw_box_node *uses;      /* tree of its uses */
    size_t last;                   /* its latest use in graph->uses, + 1; 0: none */
};

/* What is known of a graph while it is analysed. */
struct analysis {
    struct tw_recorded_graph *graph;
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
    bool exhausted; /* there was no memory for `rest`, for a placement or for a place */
    bool spreads;   /* the groups are of several devices */
    size_t task_room, place_room;
};

/* Returns the entry of a buffer, which it makes if there is none. */
static struct graph_buffer *buffer_of(struct analysis *all, struct tw_data *data)
{
    size_t at = ((uintptr_t)data >> 6) * 0x9e3779b97f4a7c15u >> 20;
    while (all->slots[at & all->mask] && all->buffers[all->slots[at & all->mask] - 1].data != data)
        ++at;
    size_t *slot = &all->slots[at & all->mask];
    if (!*slot) {
        struct graph_buffer *buffer = &all->buffers[all->buffer_count];
        *buffer = (struct graph_buffer){.data = data, .contents = {.whole = &data->whole}};
        if (all->spreads && !tw_placement_begin(&buffer->placement, data))
            all->exhausted = true;
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
    struct tw_recorded_graph *graph = all->graph;
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
    struct tw_recorded_graph *graph = all->graph;
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
    struct tw_box *rest = tw_list_with_room(all->rest, all->rest_count, &all->rest_room, sizeof *rest);
    all->exhausted = all->exhausted || !rest;
    if (!rest)
        return;
    all->rest = rest;
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
    struct tw_recorded_graph *graph = all->graph;
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

static tw_status refuse_memory(const struct tw_recorded_graph *graph)
{
    return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to order %zu recorded groups", graph->count);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* Returns true if a group must access a buffer's memory besides its contents: a copy of the graph goes there. */
static bool is_copied_to(const struct tw_data *draft, size_t space)
{
    return draft->allocations[space].resource.writer || draft->allocations[space].resource.part_writers;
}

/* Adds an access of a command to one of the graph's own resources. */
static void add_access(struct tw_command *command, const struct tw_use *use, struct tw_resource *resource,
                       struct tw_box_node **part)
{
    struct tw_node *node = &command->body.node;
    struct tw_graph_access *access = &node->accesses[node->access_count++];
    *access = (struct tw_graph_access){.resource = resource, .needs = use->needs, .writes = use->writes};
    if (!use->is_part)
        return;
    **part = tw_box_node(&use->box, &use->data->whole);
    access->part = (*part)++;
}

/* Makes room for two accesses for each use of a command. */
static tw_status make_access_room(const struct tw_recorded_graph *graph, struct tw_command *command)
{
    const size_t room = 2 * command->use_count;
    if (room <= command->access_room)
        return TW_SUCCESS;
    struct tw_graph_access *accesses = malloc(room * sizeof *accesses);
    struct tw_box_node *parts = accesses ? malloc(room * sizeof *parts) : NULL;
    if (!parts) {
        free(accesses);
        return refuse_memory(graph);
    }
    command->body.node.accesses = accesses; /* freed with the command */
    command->parts = parts;
    return TW_SUCCESS;
}

/* Fills in a command's accesses to the graph's own resources. */
static tw_status describe(struct analysis *all, struct tw_command *command)
{
    const tw_status status = all->spreads ? make_access_room(all->graph, command) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        return status;
    struct tw_box_node *part = command->parts;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        struct graph_buffer *buffer = buffer_of(all, use->data);
        struct tw_data *draft = &buffer->placement.draft;
        const size_t space = tw_data_space(use->data, command->device->space);
        add_access(command, use, all->spreads ? &draft->contents : &buffer->contents, &part);
        if (all->spreads && is_copied_to(draft, space))
            add_access(command, use, &draft->allocations[space].resource, &part);
    }
    return TW_SUCCESS;
}

/* Appends a task to those of the graph, in whose order they can run. */
static tw_status append_task(struct analysis *all, struct tw_task *task)
{
    struct tw_recorded_graph *graph = all->graph;
    struct tw_task **tasks =
        tw_list_with_room(graph->tasks, graph->task_count, &all->task_room, sizeof(struct tw_task *));
    if (!tasks)
        return refuse_memory(graph);
    graph->tasks = tasks;
    task->sequence = graph->task_count;
    graph->tasks[graph->task_count++] = task;
    return TW_SUCCESS;
}

/* Notes where the body of a part is to go on when it has ended. */
static void place_part(struct tw_recorded_graph *graph, const struct tw_command *command)
{
    const struct tw_graph_part *part = tw_graph_part_of(command);
    if (!part)
        return;
    part->body->outer = graph;
    part->body->position = (size_t)command->body.sequence;
}

/* Makes a copy between two devices a task of the graph. The plan names the draft of the buffer. */
static tw_status insert_copy(struct analysis *all, struct tw_command *command, const struct tw_copy_plan *plan,
                             struct tw_data *data)
{
    struct tw_recorded_graph *graph = all->graph;
    struct tw_graph_copy *made = malloc(sizeof *made);
    if (!made)
        return refuse_memory(graph);
    struct tw_node *node = &made->copy.task.node;
    tw_copy_describe(&made->copy, command, plan);
    made->copy.task.kind = &tw_kind_graph_copy;
    made->copy.plan.data = data;
    made->request = tw_copy_request(&made->copy.plan);
    made->edges = malloc((tw_graph_edges_needed(node->accesses, node->access_count) + 1) * sizeof *made->edges);
    made->next = graph->copies;
    graph->copies = made;
    if (!made->edges)
        return refuse_memory(graph);
    tw_graph_insert(node, made->edges);
    return append_task(all, &made->copy.task);
}

/* Inserts the copies that a use needs, of what groups on other devices have written. */
static tw_status insert_copies(struct analysis *all, struct tw_command *command, const struct tw_use *use)
{
    struct tw_placement *placement = &buffer_of(all, use->data)->placement;
    const size_t space = tw_data_space(use->data, command->device->space);
    struct tw_copy_plans copies = {.room = 0};
    tw_placement_plan(placement, use, space, &copies);
    const size_t room = copies.count;
    struct tw_copy_plan *plans = malloc((room + 1) * sizeof *plans);
    if (!plans)
        return refuse_memory(all->graph);
    copies = (struct tw_copy_plans){.plans = plans, .room = room};
    tw_placement_plan(placement, use, space, &copies);
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < copies.count && status == TW_SUCCESS; ++i)
        status = insert_copy(all, command, &plans[i], use->data);
    if (status == TW_SUCCESS && !tw_placement_add(placement, use, space, &copies))
        status = refuse_memory(all->graph);
    free(plans);
    return status;
}

size_t tw_recorded_before(const struct tw_command *command, struct tw_command **commands)
{
    size_t count = 0;
    for (struct tw_command *before = command->previous; before; before = before->next, ++count)
        if (commands)
            commands[count] = before;
    for (size_t i = 0; command->after && i < command->after->count; ++i, ++count)
        if (commands)
            commands[count] = command->after->commands[i];
    return count;
}

/* Inserts a command into the dependency graph, behind the copies that it needs. */
static tw_status insert(struct analysis *all, struct tw_command *command)
{
    struct tw_node *node = &command->body.node;
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; all->spreads && i < command->use_count && status == TW_SUCCESS; ++i)
        status = insert_copies(all, command, &command->uses[i]);
    if (status == TW_SUCCESS)
        status = describe(all, command);
    if (status == TW_SUCCESS) {
        const size_t needed = tw_graph_edges_needed(node->accesses, node->access_count);
        status = tw_command_make_edges(command, needed + tw_recorded_before(command, NULL));
    }
    if (status != TW_SUCCESS)
        return status;
    tw_graph_insert(node, command->edges);
    for (struct tw_command *before = command->previous; before; before = before->next)
        tw_graph_depend(node, &before->body.node, false);
    for (size_t i = 0; command->after && i < command->after->count; ++i)
        tw_graph_depend(node, &command->after->commands[i]->body.node, false);
    status = append_task(all, &command->body);
    if (status == TW_SUCCESS)
        place_part(all->graph, command);
    return status;
}

/* Adds a place to those of the graph. */
static void note_place(const struct tw_place *place, void *user)
{
    struct analysis *all = user;
    struct tw_recorded_graph *graph = all->graph;
    struct tw_place *places = tw_list_with_room(graph->places, graph->place_count, &all->place_room, sizeof *places);
    all->exhausted = all->exhausted || !places;
    if (!places)
        return;
    graph->places = places;
    graph->places[graph->place_count++] = *place;
}

/* Inserts all commands into the dependency graph, so that each has edges from those that it depends on, and finds the
   copies between devices. */
static tw_status order(struct analysis *all)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < all->graph->count && status == TW_SUCCESS; ++i)
        status = insert(all, all->graph->commands[i]);
    if (all->spreads && status == TW_SUCCESS)
        all->graph->places = malloc((all->place_room = 16) * sizeof *all->graph->places);
    all->exhausted = all->spreads && status == TW_SUCCESS && !all->graph->places;
    for (size_t i = 0; all->spreads && i < all->buffer_count && status == TW_SUCCESS && !all->exhausted; ++i)
        tw_placement_visit(&all->buffers[i].placement, note_place, all);
    return all->exhausted ? refuse_memory(all->graph) : status;
}

/* ---- instantiation ------------------------------------------------------------------------------------------------ */

/* Lets the backend make its graph of the nodes, of another one if that is not NULL and it can. If it cannot, that is a
   success with `instance` left NULL. */
static tw_status make_instance(struct tw_recorded_graph *graph, const struct tw_backend_graph_node *nodes,
                               struct tw_backend_graph *before)
{
    const struct tw_backend_graphs *graphs = graph->device->backend->backend->graphs;
    tw_status status = TW_SUCCESS;
    if (before)
        status = graphs->update(before, nodes, graph->task_count, &graph->instance);
    if (status == TW_SUCCESS && !graph->instance)
        status = graphs->instantiate(graph->device->backend, nodes, graph->task_count, &graph->instance);
    return status;
}

/* Takes the instance of a graph that is updated, unless a submission is still to launch it. */
static struct tw_backend_graph *take_instance(struct tw_recorded_graph *before)
{
    if (!before || !before->device->backend->backend->graphs->update)
        return NULL;
    tw_lock();
    const bool is_free = before->instance && !before->is_superseded && atomic_load(&before->unissued) == 0;
    before->is_superseded = before->is_superseded || is_free;
    tw_unlock();
    return is_free ? before->instance : NULL;
}

/* Describes the tasks to the backend, of parts too: in `nodes` and `before`, until forget_nodes(). Returns false if a
   backend has no such node, or memory is exhausted; then `*status` says so. */
static bool describe_nodes(struct tw_recorded_graph *graph, tw_status *status)
{
    size_t edges = 0, used = 0;
    for (size_t i = 0; i < graph->task_count; ++i)
        edges += graph->tasks[i]->node.in_count;
    struct tw_backend_graph_node *nodes = graph->nodes = malloc((graph->task_count + 1) * sizeof *nodes);
    size_t *before = graph->before = malloc((edges + 1) * sizeof *before);
    if (!nodes || !before) {
        *status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a graph of %zu groups", graph->count);
        return false;
    }
    struct tw_ancestors *ancestors = tw_ancestors_new(graph->task_count);
    bool is_possible = true;
    for (size_t i = 0; i < graph->task_count && is_possible; ++i) {
        const struct tw_node *node = &graph->tasks[i]->node;
        struct tw_task *task = graph->tasks[i];
        const struct tw_graph_part *part = tw_graph_part_of(task->command);
        nodes[i] = (struct tw_backend_graph_node){.device = task->command->device->backend, .before = &before[used]};
        is_possible = (!part || tw_is_copy(task) || describe_nodes(part->body, status))
                      && (!task->kind->add_to_graph || task->kind->add_to_graph(task, &nodes[i]));
        for (size_t k = 0; k < node->in_count; ++k)
            before[used + k] = (size_t)((const struct tw_task *)node->in[k].from)->sequence;
        nodes[i].before_count = tw_ancestors_reduce(ancestors, i, &before[used], node->in_count);
        used += nodes[i].before_count;
    }
    tw_ancestors_free(ancestors);
    return is_possible;
}

static void forget_nodes(struct tw_recorded_graph *graph)
{
    for (size_t i = 0; i < graph->count; ++i)
        if (tw_graph_part_of(graph->commands[i]))
            forget_nodes(tw_graph_part_of(graph->commands[i])->body);
    free(graph->nodes);
    free(graph->before);
    graph->nodes = NULL;
    graph->before = NULL;
}

/* Lets the backend make its graph of the tasks. */
static tw_status instantiate(struct tw_recorded_graph *graph, struct tw_recorded_graph *updated)
{
    tw_status status = TW_SUCCESS;
    if (graph->task_count && describe_nodes(graph, &status))
        status = make_instance(graph, graph->nodes, take_instance(updated));
    forget_nodes(graph);
    return status;
}

/* Returns true if a backend may instantiate the graph: no kernel checks its views, and no step or copy needs the host. */
static bool stays_on_devices(const struct tw_recorded_graph *graph)
{
    for (size_t i = 0; i < graph->task_count; ++i) {
        const struct tw_task *task = graph->tasks[i];
        const struct tw_graph_part *part = tw_graph_part_of(task->command);
        if (task->command->bounds)
            return false;
        if (task->kind->moves_data && !task->node.domain)
            return false;
        if (part && !stays_on_devices(part->body))
            return false;
    }
    return true;
}

/* ---- a graph of commands ------------------------------------------------------------------------------------------ */

static void end(struct analysis *all)
{
    for (size_t i = 0; all->spreads && i < all->buffer_count; ++i)
        tw_placement_end(&all->buffers[i].placement);
    free(all->slots);
    free(all->buffers);
    free(all->nodes);
    free(all->found);
    free(all->rest);
}

tw_status tw_recorded_graph_analyse(struct tw_recorded_graph *graph)
{
    size_t uses = 0;
    struct analysis all = {.graph = graph, .mask = 15};
    for (size_t i = 0; i < graph->count; ++i) {
        uses += graph->commands[i]->use_count;
        all.spreads = all.spreads || graph->commands[i]->device != graph->device;
    }
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
            struct graph_buffer *buffer = buffer_of(&all, use->data);
            enough = !all.exhausted && add_use(&all, buffer, use);
        }
    const tw_status status = enough ? order(&all) : refuse_memory(graph);
    end(&all);
    return status;
}

tw_status tw_recorded_graph_make(struct tw_recorded_graph *graph, struct tw_recorded_graph *before)
{
    const struct tw_backend_graphs *graphs = graph->device->backend->backend->graphs;
    if (graph->by_groups)
        return TW_SUCCESS;
    tw_status status = tw_recorded_graph_analyse(graph);
    if (status == TW_SUCCESS && graphs && stays_on_devices(graph))
        status = instantiate(graph, before);
    if (!graph->instance && graph->device->backend->whole)
        graph->by_groups = true; /* a backend may have no graphs for a part of a device, but has streams */
    return status;
}

void tw_recorded_graph_unmake(struct tw_recorded_graph *graph)
{
    if (graph->instance)
        graph->device->backend->backend->graphs->destroy(graph->instance);
    for (struct tw_graph_copy *copy = graph->copies, *next; copy; copy = next) {
        next = copy->next;
        free(copy->edges);
        free(copy);
    }
    free(graph->tasks);
    free(graph->uses);
    free(graph->places);
}
