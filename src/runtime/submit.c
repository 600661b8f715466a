/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submission: a command's copies are planned, and all of its tasks inserted into the graph.
 *
 * A command is a body (a kernel, a host access, or nothing) and the copies that bring its data. All tasks of a command
 * are inserted under one hold of the lock, so commands are atomic with respect to each other (spec 2.5.7).
 */
#include "submit.h"

#include <stdlib.h>

#include "allocation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "complete.h"
#include "fallback_take.h"
#include "stream.h"
#include "task_queue.h"

static void describe_copy(struct tw_copy_task *copy, struct tw_command *command, struct tw_copy_plan plan)
{
    struct tw_data *data = plan.data;
    *copy = (struct tw_copy_task){.task = {.kind = TW_TASK_COPY, .command = command}, .plan = plan};
    copy->accesses[0] = (struct tw_graph_access){.resource = &data->allocations[plan.from].resource, .needs = true};
    copy->accesses[1] = (struct tw_graph_access){.resource = &data->allocations[plan.to].resource, .writes = true};
    copy->accesses[2] = (struct tw_graph_access){.resource = &data->contents, .needs = true};
    copy->task.node.domain = tw_copy_domain(&plan);
    copy->task.node.accesses = copy->accesses;
    copy->task.node.access_count = 3;
}

/* Returns true if a body must access the allocation besides the contents: a copy to it is unfinished or has failed. */
static bool is_in_motion(const struct tw_data *data, size_t space)
{
    return data->allocations[space].resource.writer || data->allocations[space].resource.lost;
}

static bool would_wait(struct tw_resource *resource, bool writes, unsigned long mark)
{
    const struct tw_graph_access access = {.resource = resource, .writes = writes};
    return tw_graph_would_wait_for(&access, mark);
}

/* Checks the resources that describe_locked() would make accesses to. */
bool tw_command_would_wait_locked(const struct tw_command *command, unsigned long mark)
{
    const size_t space = command->device->space;
    struct tw_copy_plan plan[2];
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        struct tw_allocation *allocations = use->data->allocations;
        const size_t count = tw_plan_copies(use, space, plan);
        for (size_t k = 0; k < count; ++k)
            if (would_wait(&allocations[plan[k].from].resource, false, mark)
                || would_wait(&allocations[plan[k].to].resource, true, mark))
                return true;
        if (would_wait(&use->data->contents, use->writes, mark)
            || (is_in_motion(use->data, space) && would_wait(&allocations[space].resource, use->writes, mark)))
            return true;
    }
    return false;
}

/* What a command needs. */
struct needs {
    size_t copies, accesses;  /* accesses of the body */
    struct tw_data *unstaged; /* a buffer whose staged copy needs host memory that is not allocated yet; or NULL */
};

static struct needs needs_of_locked(const struct tw_command *command)
{
    const size_t space = command->device->space;
    struct needs needs = {0, command->use_count + (command->turn != NULL), NULL};
    struct tw_copy_plan plan[2];
    for (size_t i = 0; i < command->use_count; ++i) {
        struct tw_data *data = command->uses[i].data;
        const size_t count = tw_plan_copies(&command->uses[i], space, plan);
        needs.copies += count;
        needs.accesses += count || is_in_motion(data, space);
        needs.accesses += command->fallback != NULL; /* the fallback may read one more allocation for each use */
        if (count == 2 && !atomic_load(&data->allocations[0].address))
            needs.unstaged = data;
    }
    return needs;
}

/* Makes room for the copies, the host memory that they go through, and the body's accesses. */
static tw_status make_room_locked(struct tw_command *command, size_t *copies)
{
    struct needs needs;
    while ((needs = needs_of_locked(command)).unstaged) { /* the lock is released, so all may have changed */
        tw_unlock();
        const tw_status status = tw_data_allocate(needs.unstaged, 0);
        tw_lock();
        if (status != TW_SUCCESS)
            return status;
    }
    if (needs.accesses > command->access_room) {
        struct tw_graph_access *more = malloc(needs.accesses * sizeof *more);
        if (!more)
            return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the command's %zu accesses", needs.accesses);
        command->body.node.accesses = more;
    }
    if (needs.copies && !(command->copies = malloc(needs.copies * sizeof *command->copies)))
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the command's %zu copies", needs.copies);
    *copies = needs.copies;
    return TW_SUCCESS;
}

/* Fills in the tasks and their accesses. Stores the most edges that they need. */
static tw_status describe_locked(struct tw_command *command, size_t *edges)
{
    const size_t space = command->device->space;
    struct tw_copy_plan plan[2];
    size_t copies = 0;
    const tw_status status = make_room_locked(command, &copies);
    if (status != TW_SUCCESS)
        return status;
    *edges = 2 * copies; /* between the command's own tasks */
    struct tw_graph_access *access = command->body.node.accesses;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        const size_t count = copies ? tw_plan_copies(use, space, plan) : 0;
        for (size_t k = 0; k < count; ++k) {
            struct tw_copy_task *copy = &command->copies[command->copy_count++];
            describe_copy(copy, command, plan[k]);
            *edges += tw_graph_edges_needed(copy->accesses, copy->task.node.access_count);
        }
        *access++ = (struct tw_graph_access){
            .resource = &use->data->contents, .needs = use->needs, .writes = use->writes, .logical = true};
        if (count || is_in_motion(use->data, space))
            *access++ = (struct tw_graph_access){
                .resource = &use->data->allocations[space].resource, .needs = use->needs, .writes = use->writes};
    }
    if (command->turn)
        *access++ = (struct tw_graph_access){.resource = command->turn, .writes = true};
    command->body.node.access_count = (size_t)(access - command->body.node.accesses);
    *edges += tw_graph_edges_needed(command->body.node.accesses, command->body.node.access_count);
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

static void note_allocations_locked(struct tw_data *data)
{
    for (size_t space = 0; space < data->space_count; ++space)
        data->allocations[space].was_valid = data->allocations[space].valid;
}

/* Inserts the tasks of a command, and records where the contents of its buffers are after it. */
static void insert_locked(struct tw_command *command)
{
    struct tw_edge *edges = command->edges;
    for (size_t i = 0; i < command->copy_count; ++i) {
        tw_graph_insert(&command->copies[i].task.node, edges);
        edges += command->copies[i].task.node.in_count;
    }
    tw_graph_insert(&command->body.node, edges);
    if (command->fallback)
        tw_fallback_note_spaces_locked(command);
    if (command->body.kind == TW_TASK_HOST_ACCESS)
        note_allocations_locked(command->uses[0].data);
    for (size_t i = 0; i < command->use_count; ++i)
        tw_apply_use(&command->uses[i], command->device->space);
    /* staged copies leave valid contents on the host too, unless the command writes the buffer */
    for (size_t i = 0; i < command->copy_count; ++i) {
        const struct tw_copy_plan *copy = &command->copies[i].plan;
        for (size_t k = 0; k < command->use_count; ++k)
            if (command->uses[k].data == copy->data && !command->uses[k].writes)
                copy->data->allocations[copy->to].valid = true;
    }
}

/* Returns the tasks of a command that wait for nothing, linked by next. */
static struct tw_node *ready_tasks(struct tw_command *command)
{
    struct tw_node *ready = NULL, **last = &ready;
    for (size_t i = 0; i <= command->copy_count; ++i) {
        struct tw_task *task = i < command->copy_count ? &command->copies[i].task : &command->body;
        if (task->node.pending == 0) {
            task->node.next = NULL;
            *last = &task->node;
            last = &task->node.next;
        }
    }
    return ready;
}

tw_status tw_command_submit_locked(struct tw_command *command)
{
    size_t edges_needed = 0;
    tw_status status = describe_locked(command, &edges_needed);
    if (status == TW_SUCCESS)
        status = tw_command_make_edges(command, edges_needed);
    if (status != TW_SUCCESS) {
        free(command->copies);
        command->copies = NULL;
        command->copy_count = 0;
        return status; /* the rest is freed with the command */
    }
    /* the runtime's reference; no other thread can change the count yet */
    atomic_store_explicit(&command->references, atomic_load_explicit(&command->references, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    tw_object_born_locked();
    join_queue_locked(command);
    if (command->timed)
        command->times.submit_ns = tw_held_ns();
    command->tasks_left = command->copy_count + 1;
    insert_locked(command);
    tw_make_ready_locked(ready_tasks(command)); /* all are inserted: only now may any of them finish */
    tw_issue_locked();
    if (command->body.node.domain && !command->complete)
        tw_stream_tidy_locked(command->queue);
    return TW_SUCCESS;
}
