/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submission: a command's copies are planned, and all of its tasks inserted into the graph.
 *
 * A command is a body (a kernel, a host access, or nothing) and the copies that bring its data. All tasks of a command
 * are inserted under one hold of the lock, so commands are atomic with respect to each other (spec 2.5.7).
 */
#include "submit.h"

#include <stdint.h>
#include <stdlib.h>

#include "allocation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "changes.h"
#include "complete.h"
#include "copy_task.h"
#include "fallback_take.h"
#include "observe.h"
#include "stream.h"
#include "task_queue.h"

#define FEW_PLANS 4

/* Describes an access to a box of a resource. If that is not all of it, `part` is for it; else `part` is NULL. The other
   members are set when the access is inserted. */
static inline void describe_access(struct tw_graph_access *access, struct tw_resource *resource,
                                   const struct tw_box *box, struct tw_box_node *part)
{
    access->resource = resource;
    access->part = part;
    if (part)
        *part = tw_box_node(box, resource->whole);
}

void tw_copy_describe(struct tw_copy_task *copy, struct tw_command *command, const struct tw_copy_plan *plan)
{
    struct tw_data *data = plan->data;
    const bool is_part = !tw_box_covers(&plan->box, &data->whole);
    struct tw_resource *resources[] = {&data->allocations[plan->from].resource, &data->allocations[plan->to].resource,
                                       &data->contents};
    copy->task = (struct tw_task){.kind = &tw_kind_copy, .command = command};
    copy->plan = *plan;
    copy->salvage = NULL;
    copy->holding = 0;
    copy->behind = copy->copied = false;
    for (size_t i = 0; i < 3; ++i) {
        describe_access(&copy->accesses[i], resources[i], &plan->box, is_part ? &copy->parts[i] : NULL);
        copy->accesses[i].writes = i == 1;
        copy->accesses[i].needs = i != 1;
        copy->accesses[i].logical = false;
    }
    copy->task.node.domain = tw_copy_domain(plan);
    copy->task.node.accesses = copy->accesses;
    copy->task.node.access_count = 3;
}

/* Returns true if a body must access the allocation besides the contents: a copy to it is unfinished or has failed. */
static bool is_in_motion(const struct tw_data *data, size_t space)
{
    const struct tw_resource *resource = &data->allocations[space].resource;
    return (uintptr_t)resource->writer | (uintptr_t)resource->part_writers | (uintptr_t)resource->lost
           | (uintptr_t)resource->lost_parts;
}

static bool would_wait(struct tw_resource *resource, const struct tw_box *box, bool writes, unsigned long mark)
{
    struct tw_box_node part;
    struct tw_graph_access access = {.writes = writes};
    describe_access(&access, resource, box, tw_box_covers(box, resource->whole) ? NULL : &part);
    return tw_graph_would_wait_for(&access, mark);
}

/* Returns true if a use would wait for its own resources, or for those of the copies that it needs. */
static bool use_would_wait(const struct tw_use *use, size_t space, const struct tw_copy_plans *copies,
                           unsigned long mark)
{
    struct tw_allocation *allocations = use->data->allocations;
    for (size_t i = 0; i < copies->count; ++i)
        if (would_wait(&allocations[copies->plans[i].from].resource, &copies->plans[i].box, false, mark)
            || would_wait(&allocations[copies->plans[i].to].resource, &copies->plans[i].box, true, mark))
            return true;
    return would_wait(&use->data->contents, &use->box, use->writes, mark)
           || (is_in_motion(use->data, space)
               && would_wait(&allocations[space].resource, &use->box, use->writes, mark));
}

/* The copies of a command, in the order of the uses that need them. */
struct plans {
    struct tw_copy_plan few_of[FEW_PLANS], *of;
    size_t few_uses[FEW_PLANS], *uses; /* for which use, or which place of a graph */
    size_t room;
};

/* What a command needs. */
struct needs {
    struct plans *plans;      /* where to store the copies; NULL: they are only counted */
    size_t accesses;          /* of the body */
    size_t copies;            /* if there is no room for all of them, as many as there will be, or more */
    struct tw_data *unstaged; /* a buffer whose staged copy needs host memory that is not allocated yet; or NULL */
    bool parts;               /* it accesses a part of a buffer */
    bool sets;                /* ... or a buffer of which parts are in several places */
};

/* Adds what number `at` of the uses or places, in a memory space, needs beside its access to the contents. */
static __attribute__((noinline)) void add_needs_locked(struct needs *needs, const struct tw_command *command, size_t at,
                                                       const struct tw_use *use, size_t space)
{
    struct plans *plans = needs->plans;
    struct tw_copy_plans copies = {.room = 0};
    if (plans && needs->copies < plans->room)
        copies = (struct tw_copy_plans){.plans = plans->of + needs->copies, .room = plans->room - needs->copies};
    tw_plan_copies(use, space, &copies);
    for (size_t i = 0; i < copies.count && i < copies.room; ++i)
        plans->uses[needs->copies + i] = at;
    needs->copies += copies.count;
    needs->accesses += copies.count || is_in_motion(use->data, space);
    needs->accesses += command->fallback != NULL; /* the fallback may read one more allocation for each use */
    needs->parts = needs->parts || use->is_part;
    needs->sets = needs->sets || use->is_part || use->data->has_parts;
    if (copies.stages && !atomic_load(&use->data->allocations[0].address))
        needs->unstaged = use->data;
}

/* Returns true if a use needs an access to the contents, and nothing beside it. */
static inline bool is_simple(const struct tw_command *command, const struct tw_use *use)
{
    const size_t space = tw_data_space(use->data, command->device->space);
    return !use->data->has_parts && !is_in_motion(use->data, space)
           && (use->is_part ? tw_part_stays(use, space) : !use->needs || use->data->allocations[space].valid);
}

static struct needs needs_of_locked(const struct tw_command *command, struct plans *plans)
{
    struct needs needs = {.plans = plans, .accesses = command->use_count + (command->turn != NULL)};
    for (size_t i = 0; !command->places && i < command->use_count; ++i)
        if (command->fallback || command->uses[i].is_part || !is_simple(command, &command->uses[i]))
            add_needs_locked(&needs, command, i, &command->uses[i],
                             tw_data_space(command->uses[i].data, command->device->space));
    for (size_t i = 0; command->places && i < command->place_count; ++i) {
        const struct tw_use use = tw_place_use(&command->places[i]);
        add_needs_locked(&needs, command, i, &use, command->places[i].space);
        needs.sets = false; /* they are changed by a draft */
    }
    for (size_t i = 0; command->places && i < command->use_count; ++i)
        needs.parts = needs.parts || command->uses[i].is_part;
    return needs;
}

/* Checks the resources that describe_locked() would make accesses to. Without memory to plan copies, assumes that the
   command would not wait for their resources: submitting it fails for the same reason. */
bool tw_command_would_wait_locked(const struct tw_command *command, unsigned long mark)
{
    const size_t room = needs_of_locked(command, NULL).copies;
    struct tw_copy_plan *plans = room ? malloc(room * sizeof *plans) : NULL;
    bool waits = false;
    for (size_t i = 0; i < command->use_count && !waits; ++i) {
        const size_t space = tw_data_space(command->uses[i].data, command->device->space);
        struct tw_copy_plans copies = {.plans = plans, .room = room};
        if (plans)
            tw_plan_copies(&command->uses[i], space, &copies);
        waits = use_would_wait(&command->uses[i], space, &copies, mark);
    }
    free(plans);
    return waits;
}

static tw_status refuse_memory(const char *what, size_t count)
{
    return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the command's %zu %s", count, what);
}

static void free_plans(struct plans *plans)
{
    if (plans->of != plans->few_of)
        free(plans->of);
}

/* Makes sure that the sets of boxes can be changed. Returns false if memory is exhausted. */
static bool reserve_locked(const struct tw_command *command, size_t copies)
{
    size_t needed = copies;
    for (size_t i = 0; i < command->use_count; ++i)
        needed += tw_reserve_needed(command->uses, command->use_count, i,
                                    tw_data_space(command->uses[i].data, command->device->space));
    if (command->body.kind->can_be_undone)
        needed += tw_reserve_needed_to_note(&command->uses[0]);
    for (size_t i = 0; i < command->use_count; ++i)
        if (!tw_box_reserve(&command->uses[i].data->reserve, needed))
            return false;
    return true;
}

/* Allocates host memory that a copy goes through. Releases the lock meanwhile. */
static tw_status allocate_stage_locked(struct tw_data *data)
{
    tw_unlock();
    const tw_status status = tw_data_allocate(data, 0);
    tw_lock();
    return status;
}

/* Makes room for more plans than a few. */
static tw_status enlarge(struct plans *plans, size_t room)
{
    free_plans(plans);
    plans->of = malloc(room * (sizeof *plans->of + sizeof *plans->uses));
    if (!plans->of)
        return refuse_memory("copies", room);
    plans->uses = (size_t *)(void *)(plans->of + room);
    plans->room = room;
    return TW_SUCCESS;
}

/* Plans the copies. Makes room for them, the host memory that they go through, the body's accesses, and the changed sets
   of boxes. */
static tw_status make_room_locked(struct tw_command *command, struct plans *plans, size_t *copies)
{
    struct needs needs;
    /* while the lock is released, all may change */
    while ((needs = needs_of_locked(command, plans)).unstaged || needs.copies > plans->room) {
        const tw_status status = needs.unstaged ? allocate_stage_locked(needs.unstaged) : enlarge(plans, needs.copies);
        if (status != TW_SUCCESS)
            return status;
    }
    if (needs.accesses > command->access_room) {
        struct tw_graph_access *more = malloc(needs.accesses * sizeof *more);
        if (!more)
            return refuse_memory("accesses", needs.accesses);
        command->body.node.accesses = more;
    }
    if (needs.parts && (needs.accesses > command->access_room || !command->parts)
        && !(command->parts = malloc(needs.accesses * sizeof *command->parts)))
        return refuse_memory("accesses", needs.accesses);
    *copies = needs.copies;
    if (*copies && !(command->copies = malloc(*copies * sizeof *command->copies)))
        return refuse_memory("copies", *copies);
    return !needs.sets || reserve_locked(command, *copies) ? TW_SUCCESS : refuse_memory("accesses", needs.accesses);
}

/* Describes a use's access to the contents, or to the memory of an allocation. `part` as for describe_access(). */
static inline void describe_use(struct tw_graph_access *access, const struct tw_use *use, struct tw_resource *resource,
                                struct tw_box_node *part)
{
    describe_access(access, resource, &use->box, part);
    access->logical = resource == &use->data->contents;
    access->needs = use->needs;
    access->writes = use->writes;
}

/* Ends the body's accesses, which `past` is behind, with the one to the resource that it takes turns for. */
static void end_accesses(struct tw_command *command, struct tw_graph_access *past)
{
    if (command->turn)
        *past++ = (struct tw_graph_access){.resource = command->turn, .writes = !command->shares_turn};
    command->body.node.access_count = (size_t)(past - command->body.node.accesses);
}

/* Returns true if a graph of several devices needs no copy, and changes nothing about where contents are. */
static bool places_stay_locked(const struct tw_command *command)
{
    for (size_t i = 0; i < command->place_count; ++i)
        if (is_in_motion(command->places[i].data, command->places[i].space))
            return false;
    return tw_places_stay(command->uses, command->use_count, command->places, command->place_count);
}

/* Fills in the accesses of a command that has no copies, and no other task but its body. Returns false if it is not so
   simple: then describe_locked() does it. */
static bool describe_simple_locked(struct tw_command *command)
{
    struct tw_graph_access *access = command->body.node.accesses;
    struct tw_box_node *part = command->parts;
    if (command->fallback || command->use_count + (command->turn != NULL) > command->access_room
        || (command->places && !places_stay_locked(command)))
        return false;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        if ((!command->places && !is_simple(command, use)) || (use->is_part && !part))
            return false;
        describe_use(access++, use, &use->data->contents, use->is_part ? part++ : NULL);
    }
    end_accesses(command, access);
    return true;
}

/* Returns how many copies bring contents to the host on their way. The copies of a graph of several devices may bring the
   same contents there, one after the other. */
static size_t count_staged(const struct tw_command *command)
{
    size_t count = 0;
    for (size_t i = 0; i < command->copy_count; ++i)
        count += command->copies[i].plan.to == 0;
    return count;
}

/* How far a description has come. */
struct description {
    struct tw_graph_access *access; /* the next ones */
    struct tw_box_node *part;
    const struct plans *plans;
    size_t copies; /* all that are planned */
    size_t edges;  /* the most that they need */
};

/* Adds the planned copies of number `at` of the uses or places, in a memory space, and its access to the memory there. */
static void describe_memory_locked(struct tw_command *command, size_t at, const struct tw_use *use, size_t space,
                                   struct description *so_far)
{
    const size_t before = command->copy_count;
    while (command->copy_count < so_far->copies && so_far->plans->uses[command->copy_count] == at) {
        struct tw_copy_task *copy = &command->copies[command->copy_count];
        tw_copy_describe(copy, command, &so_far->plans->of[command->copy_count++]);
        const struct tw_use source = {.data = copy->plan.data, .box = copy->plan.box};
        copy->holding = tw_allocations_that_hold(&source);
        so_far->edges += tw_graph_edges_needed(copy->accesses, copy->task.node.access_count);
    }
    if (command->copy_count != before || is_in_motion(use->data, space))
        describe_use(so_far->access++, use, &use->data->allocations[space].resource,
                     use->is_part ? so_far->part++ : NULL);
}

/* Fills in the tasks and their accesses. Stores the most edges that the copies need. */
static __attribute__((noinline)) tw_status describe_locked(struct tw_command *command, size_t *edges)
{
    struct plans plans; /* large, so what is planned alone is written */
    struct description all = {.plans = &plans};
    plans.of = plans.few_of;
    plans.uses = plans.few_uses;
    plans.room = FEW_PLANS;
    const tw_status status = make_room_locked(command, &plans, &all.copies);
    if (status != TW_SUCCESS) {
        free_plans(&plans);
        return status;
    }
    all.access = command->body.node.accesses;
    all.part = command->parts;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        describe_use(all.access++, use, &use->data->contents, use->is_part ? all.part++ : NULL);
        if (!command->places)
            describe_memory_locked(command, i, use, tw_data_space(use->data, command->device->space), &all);
    }
    for (size_t i = 0; command->places && i < command->place_count; ++i) {
        const struct tw_use use = tw_place_use(&command->places[i]);
        describe_memory_locked(command, i, &use, command->places[i].space, &all);
    }
    end_accesses(command, all.access);
    *edges = all.edges + 2 * command->copy_count; /* between the command's own tasks */
    if (command->places)
        *edges += 2 * command->copy_count * count_staged(command);
    free_plans(&plans);
    return TW_SUCCESS;
}

static void join_queue_locked(struct tw_command *command)
{
    struct tw_task_queue *home = command->home;
    command->sequence = ++home->submitted;
    ++home->unfinished;
    command->previous = home->last_unfinished;
    *(home->last_unfinished ? &home->last_unfinished->next : &home->first_unfinished) = command;
    home->last_unfinished = command;
}

/* A copy through the host leaves valid contents there too, unless the command writes them. */
static void apply_staged_copy(const struct tw_command *command, const struct tw_copy_plan *plan)
{
    if (command->places ? plan->to != 0 : plan->to == tw_data_space(plan->data, command->device->space))
        return;
    for (size_t i = 0; i < command->use_count; ++i)
        if (command->uses[i].data == plan->data && command->uses[i].writes
            && tw_box_overlaps(&command->uses[i].box, &plan->box))
            return;
    tw_apply_staged_copy(plan);
}

/* Returns true if bodies of the queue wait for an earlier command of it, or of the queue that it is a part of. */
static inline bool keeps_order(const struct tw_task_queue *home)
{
    const struct tw_task_queue *leader = home->leader;
    return home->in_order || home->barrier || (leader && (leader->in_order || leader->barrier));
}

/* Returns the unfinished command that a command waits for because of its queue: in an in-order queue the one before, of
   several devices the last one of the whole queue, in which each submission ends; else the latest barrier. NULL: there
   is none. */
static struct tw_command *find_before(const struct tw_command *command)
{
    const struct tw_task_queue *home = command->home, *leader = home->leader;
    if (home->in_order)
        return command->previous; /* if that one is complete, so are all before it */
    if (leader)
        return leader->in_order ? leader->last_unfinished : leader->barrier;
    return home->barrier;
}

/* Makes the body wait for other commands: those of events, and the one that its queue demands. */
static __attribute__((noinline)) void follow_locked(struct tw_command *command, struct tw_command *const *before,
                                                    size_t count)
{
    struct tw_node *node = &command->body.node;
    for (size_t i = 0; i < count; ++i) {
        if (!before[i]->body.node.finished) {
            tw_graph_depend(node, &before[i]->body.node, !command->only_orders);
        } else if (before[i]->status != TW_SUCCESS && !command->only_orders) {
            tw_graph_cancel(node, &before[i]->failure->cause);
            node->lost_input = true; /* it would be cancelled on a fallback's device as well */
        }
    }
    struct tw_command *last = find_before(command);
    if (last && !last->body.node.finished)
        tw_graph_depend(node, &last->body.node, false);
}

/* Inserts the tasks of a command, and records where the contents of its buffers are after it. */
static void insert_locked(struct tw_command *command, struct tw_command *const *before, size_t count)
{
    struct tw_edge *edges = command->edges;
    for (size_t i = 0; i < command->copy_count; ++i) {
        tw_graph_insert(&command->copies[i].task.node, edges);
        edges += command->copies[i].task.node.in_count;
    }
    tw_graph_insert(&command->body.node, edges);
    if (count || keeps_order(command->home))
        follow_locked(command, before, count);
    if (command->fallback)
        tw_fallback_note_spaces_locked(command);
    if (command->body.kind->can_be_undone)
        tw_note_before(&command->uses[0], (struct tw_before *)(void *)command->args);
    for (size_t i = 0; !command->places && i < command->use_count; ++i)
        tw_apply_use(&command->uses[i], tw_data_space(command->uses[i].data, command->device->space));
    for (size_t i = 0; !command->places && command->device->space && i < command->use_count; ++i)
        tw_data_used_locked(&command->uses[i], command->device->space);
    for (size_t i = 0; command->places && i < command->place_count; ++i)
        if (command->places[i].space) {
            const struct tw_use use = tw_place_use(&command->places[i]);
            tw_data_used_locked(&use, command->places[i].space);
        }
}

/* Records where copies have left contents on their way, and gives back what was reserved in excess. */
static __attribute__((noinline)) void end_description_locked(struct tw_command *command)
{
    for (size_t i = 0; i < command->copy_count; ++i)
        apply_staged_copy(command, &command->copies[i].plan);
    for (size_t i = 0; i < command->use_count; ++i)
        tw_trim_reserve(command->uses[i].data);
}

/* Returns the tasks of a command that wait for nothing, linked by next. */
static struct tw_node *ready_tasks(struct tw_command *command)
{
    struct tw_node *ready = NULL;
    if (command->body.node.pending == 0) {
        command->body.node.next = NULL;
        ready = &command->body.node;
    }
    for (size_t i = command->copy_count; i-- > 0;) {
        struct tw_node *node = &command->copies[i].task.node;
        if (node->pending == 0) {
            node->next = ready;
            ready = node;
        }
    }
    return ready;
}

/* What the command's tasks wait for on the host, and is on a device already, is to be seen soon when it is over. */
static inline void announce_locked(const struct tw_command *command)
{
    if (command->body.node.in_count)
        tw_stream_announce_before_locked(&command->body.node);
    for (size_t i = 0; i < command->copy_count; ++i)
        tw_stream_announce_before_locked(&command->copies[i].task.node);
}

/* Lets the tasks of a command wait for one more than they do, or no more. */
static void hold(struct tw_command *command, bool more)
{
    const size_t change = more ? 1 : (size_t)-1;
    command->body.node.pending += change;
    for (size_t i = 0; i < command->copy_count; ++i)
        command->copies[i].task.node.pending += change;
}

/* Passes on the tasks that are ready. All are inserted: only now may any of them finish. */
static inline void pass_on_locked(struct tw_command *command)
{
    tw_make_ready_locked(ready_tasks(command));
    tw_issue_locked();
    if (command->body.node.domain && !command->complete)
        tw_stream_tidy_locked(command->queue);
}

tw_status tw_command_submit_after_locked(struct tw_command *command, struct tw_command *const *before, size_t count)
{
    const bool is_watched = tw_changes_are_watched();
    tw_status status = is_watched ? tw_changes_check_locked(command) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        return status;
    const bool is_simple = describe_simple_locked(command);
    struct tw_draft *draft = NULL;
    size_t edges = 0;
    status = is_simple ? TW_SUCCESS : describe_locked(command, &edges);
    if (status == TW_SUCCESS) {
        edges += tw_graph_edges_needed(command->body.node.accesses, command->body.node.access_count);
        status = tw_command_make_edges(command, edges + count + keeps_order(command->home));
    }
    if (status == TW_SUCCESS && command->places && !is_simple
        && !tw_places_draft(command->uses, command->use_count, command->places, command->place_count, &draft))
        status = refuse_memory("accesses", command->use_count);
    if (status != TW_SUCCESS) {
        free(command->copies);
        command->copies = NULL;
        command->copy_count = 0;
        return status; /* the rest is freed with the command */
    }
    /* the runtime's reference; no other thread can change the count yet */
    atomic_store_explicit(&command->references, atomic_load_explicit(&command->references, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    tw_object_born_locked(TW_OBJECT_COMMAND);
    join_queue_locked(command);
    command->tasks_left = command->copy_count + 1;
    insert_locked(command, before, count);
    if (is_watched)
        tw_changes_expect_locked(command);
    tw_draft_commit(draft);
    if (!is_simple)
        end_description_locked(command);
    tw_observe_submission_locked(command);
    announce_locked(command);
    if (command->is_held)
        hold(command, true);
    else
        pass_on_locked(command);
    return TW_SUCCESS;
}

void tw_command_issue_locked(struct tw_command *command)
{
    hold(command, false);
    pass_on_locked(command);
}

void tw_command_cancel_locked(struct tw_command *command, struct tw_failure *failure)
{
    tw_graph_cancel(&command->body.node, &failure->cause);
}

tw_status tw_command_submit_locked(struct tw_command *command)
{
    return tw_command_submit_after_locked(command, NULL, 0);
}
