/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deciding whether a failed command falls back (spec 2.5.7), and what it waits for then.
 *
 * A command whose copy or launch fails, and whose inputs are intact, runs on the fallback's device instead. It keeps
 * its node in the graph, so its dependants go on waiting for it. Its inputs are copied there, and its results back to
 * the first device, where later commands look for them. If the first device takes no copies any more, later commands
 * are redirected to the other memory space.
 *
 * The inputs do not change while the command is unfinished, since later writers wait for it. So the memory spaces that
 * held them at submission still hold them, except those that a copy failed to fill. No other command uses what the
 * command writes. Others may read its inputs on the fallback's device too. If a copy of theirs is under way, the
 * command waits for it. If there is none, or it waits for the command itself, the command makes the copy. From its
 * failure on, the command is a reader of that memory, so later copies to it wait. A mutex keeps two fallbacks apart.
 *
 * A part of a launch, on a queue over several devices, has memory of its own on the fallback's device (fallback_part.c): the
 * other parts may be using the same buffers there.
 */
#include "fallback_take.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "fallback.h"
#include "poller.h"
#include "ready.h"

/* Returns true if a copy of what a use needs to a memory space is unfinished. */
static bool is_being_filled(const struct tw_use *use, size_t space)
{
    const struct tw_box_node part = tw_box_node(&use->box, &use->data->whole);
    const struct tw_resource *resource = &use->data->allocations[space].resource;
    const struct tw_task *writer = (const struct tw_task *)tw_graph_writer(resource, use->is_part ? &part : NULL);
    return writer && tw_is_copy(writer);
}

/* Returns true if a memory space holds parts of the buffer, and not all of it. */
static bool is_scattered(const struct tw_data *data)
{
    for (size_t space = 0; data->has_parts && space < data->space_count; ++space)
        if (data->allocations[space].parts.root)
            return true;
    return false;
}

void tw_fallback_note_spaces_locked(struct tw_command *command)
{
    struct tw_fallback *fallback = command->fallback;
    bool *held = fallback->held;
    fallback->first_space = command->device->space;
    for (size_t i = 0; i < command->use_count; ++i, held += fallback->space_count) {
        fallback->scattered =
            fallback->scattered || is_scattered(command->uses[i].data) || command->uses[i].data->shared_space;
        for (size_t space = 0; space < fallback->space_count; ++space) {
            const struct tw_use *use = &command->uses[i];
            held[space] = tw_allocation_holds(use, space) && !is_being_filled(use, space);
        }
    }
}

void tw_fallback_kernel_has_run(struct tw_command *command)
{
    if (command->fallback && !command->fallback->taken)
        command->fallback->kernel_has_run = true;
}

/* Returns true if the command may succeed elsewhere: its error is no mistake of the program, which would recur. */
static bool is_worth_it(tw_status status)
{
    switch (status) {
    case TW_ERROR_TRANSFER_FAILED:
    case TW_ERROR_LAUNCH_FAILED:
    case TW_ERROR_OUT_OF_MEMORY:
    case TW_ERROR_OUT_OF_DEVICE_MEMORY:
    case TW_ERROR_NO_DEVICE_IMAGE:
    case TW_ERROR_CANCELLED: /* by a copy that failed */
        return true;
    default:
        return false;
    }
}

/* Returns true if the command, or a later one, accesses a part of its buffers, or if parts of them are in several
   places, or were when it was submitted: such a command does not fall back, unless it has memory of its own there. */
static bool concerns_parts_locked(const struct tw_command *command)
{
    if (command->fallback->is_part)
        return false;
    if (command->fallback->scattered)
        return true;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        const struct tw_data *data = use->data;
        if (use->is_part || data->contents.part_writers || data->contents.part_readers)
            return true;
        if (is_scattered(data))
            return true;
    }
    for (const struct tw_edge *edge = command->body.node.out; edge; edge = edge->next)
        for (size_t i = 0; i < edge->to->access_count; ++i)
            if (edge->to->accesses[i].part)
                return true;
    return false;
}

/* Returns true if all that the command needs is unchanged. */
static bool is_intact_locked(const struct tw_command *command)
{
    const struct tw_node *node = &command->body.node;
    if (node->lost_input || concerns_parts_locked(command))
        return false;
    if (!node->issued && !command->fallback->kernel_has_run)
        return true;
    for (size_t i = 0; i < command->use_count; ++i) /* the kernel may have changed these */
        if (command->uses[i].needs && command->uses[i].writes)
            return false;
    for (const struct tw_edge *edge = node->out; edge; edge = edge->next) /* others may have used the results */
        if (edge->passed)
            return false;
    return true;
}

/* Returns the next writer of a buffer that the command reads; NULL if there is none yet. The other readers of the
   contents are among the nodes that this writer waits for; without a writer, they are the readers of the resource.
   Later writers may wait for the command too, because of other buffers. The next writer is the oldest, which is last
   in the list of edges. */
static const struct tw_node *next_writer_locked(const struct tw_command *command, const struct tw_data *data)
{
    const struct tw_node *next = NULL;
    for (const struct tw_edge *edge = command->body.node.out; edge; edge = edge->next)
        for (size_t i = 0; i < edge->to->access_count; ++i)
            if (edge->to->accesses[i].resource == &data->contents && edge->to->accesses[i].writes)
                next = edge->to;
    return next;
}

static bool reads(const struct tw_node *node, const struct tw_data *data)
{
    for (size_t i = 0; i < node->access_count; ++i)
        if (node->accesses[i].resource == &data->contents)
            return node->accesses[i].needs;
    return false;
}

/* What other nodes do with the contents of one buffer in one memory space. */
struct others {
    bool have;            /* they read the contents there, or copy them there without waiting for the command */
    struct tw_node *copy; /* that copy; or NULL. At most one: memory that will hold the contents gets no other */
    bool are_behind;      /* a copy to there waits for the command */
};

/* Adds what a node does that may read the contents. Nodes that wait for the command have the mark. */
static void add_other(struct others *others, struct tw_node *node, const struct tw_data *data, size_t space,
                      unsigned long mark)
{
    const struct tw_task *task = (const struct tw_task *)node;
    if (!reads(node, data)) /* the next writer waits for it because of another buffer */
        return;
    if (!tw_is_copy(task))
        others->have =
            others->have || (!tw_fallback_is_taken(task->command->fallback) && task->command->device->space == space);
    else if (((const struct tw_copy_task *)task)->plan.to == space && node->mark == mark)
        others->are_behind = true;
    else if (((const struct tw_copy_task *)task)->plan.to == space)
        others->copy = node;
}

static struct others others_locked(const struct tw_command *command, const struct tw_data *data, unsigned long mark)
{
    const size_t space = command->device->space;
    const struct tw_node *self = &command->body.node, *writer = next_writer_locked(command, data);
    const struct tw_use all = tw_use_all((struct tw_data *)(uintptr_t)data, true, false);
    struct others others = {.have = !writer && tw_allocation_holds(&all, space)};
    for (size_t i = 0; writer && i < writer->in_count; ++i)
        if (writer->in[i].from && writer->in[i].from != self)
            add_other(&others, writer->in[i].from, data, space, mark);
    for (const struct tw_graph_access *r = writer ? NULL : data->contents.readers; r; r = r->next)
        if (r->node != self)
            add_other(&others, r->node, data, space, mark);
    others.have = (others.have && !others.are_behind) || others.copy;
    return others;
}

/* Makes the command a reader of its inputs on the fallback's device: after the copies to there that do not wait for the
   command, and before later ones. */
static void join_others_locked(struct tw_command *command)
{
    struct tw_node *node = &command->body.node;
    struct tw_fallback *fallback = command->fallback;
    const unsigned long mark = tw_graph_new_mark();
    tw_graph_mark_dependants(node, mark);
    for (size_t i = 0; i < command->use_count; ++i) {
        struct tw_data *data = command->uses[i].data;
        if (!command->uses[i].needs || command->uses[i].writes)
            continue;
        const struct others others = others_locked(command, data, mark);
        fallback->expected[i] = others.have;
        if (others.copy)
            tw_graph_wait_for(node, others.copy);
        tw_graph_read(node, &data->allocations[command->device->space].resource, NULL);
    }
}

static void log_decision(const struct tw_command *command, bool is_taken, const struct tw_failure *failure)
{
    const struct tw_fallback *fallback = command->fallback;
    tw_log_line(TW_LOG_INFO, "fallback: %s%s failed on %s, and %s on %s: %s",
                fallback->kernel ? "kernel " : "a command", fallback->kernel ? fallback->kernel->name : "",
                tw_device_facts(command->device)->name, is_taken ? "runs" : "cannot run",
                tw_device_facts(fallback->queue->device)->name,
                failure ? tw_failure_message(failure) : "a command that it needs has failed");
}

bool tw_fallback_take_locked(struct tw_task *task, struct tw_failure **failure, bool *cancelled)
{
    struct tw_command *command = task->command;
    struct tw_fallback *fallback = command->fallback;
    if (fallback->taken) { /* the fallback failed too */
        *failure = command->failure = fallback->failure;
        *cancelled = fallback->cancelled;
        command->status = fallback->status;
        tw_cause_retain(&fallback->failure->cause);
        return false;
    }
    const bool is_first = command->status == TW_SUCCESS; /* else one of its copies failed before */
    const tw_status status = !is_first ? command->status : *cancelled ? TW_ERROR_CANCELLED : (*failure)->status;
    const bool is_possible = is_worth_it(status) && is_intact_locked(command);
    if (tw_logs(TW_LOG_INFO))
        log_decision(command, is_possible, is_first ? *failure : command->failure);
    if (!is_possible || !(fallback->edges = malloc((command->use_count + 1) * sizeof *fallback->edges)))
        return false;
    fallback->taken = true;
    for (size_t i = 0; i < command->use_count; ++i)
        command->uses[i].data->fell_back = true;
    fallback->status = status;
    fallback->cancelled = *cancelled;
    fallback->failure = is_first ? *failure : command->failure;
    if (is_first)
        tw_cause_retain(&fallback->failure->cause);
    command->status = TW_SUCCESS;
    command->failure = NULL;
    if (task->failure)
        tw_cause_release(&task->failure->cause);
    task->failure = NULL;
    if (!fallback->is_part || fallback->bounds) { /* a part of a divided launch keeps those of its command */
        struct tw_internal_bounds *bounds = command->bounds;
        command->bounds = fallback->bounds;
        fallback->bounds = bounds;
    }
    command->kernel = fallback->kernel;
    tw_announce_locked(command->queue); /* threads that wait there move to the other task queue */
    if (task->awaited)
        tw_poller_wake_locked(task);
    task->awaited = false;
    command->device = fallback->queue->device;
    command->queue = fallback->queue;
    task->kind = fallback->is_part ? &tw_kind_fallback_part : &tw_kind_fallback;
    task->exclusive =
        command->device->backend->exclusive && command->kernel && command->kernel->form != TW_INTERNAL_SINGLE_TASK;
    tw_graph_reinsert(&task->node, fallback->edges);
    if (!fallback->is_part)
        join_others_locked(command);
    if (task->node.pending == 0)
        tw_schedule_locked(task);
    return true;
}
