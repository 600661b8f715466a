/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command has failed: whether it may fall back (spec 2.5.7), and what it waits for then.
 *
 * A command whose copy or launch fails, and whose inputs are intact, runs on the standby's device instead. It keeps its node in
 * the graph, so that what depends on it waits on. The standby copies its inputs there, and what it wrote back to the first
 * device, where the graph's later commands look for it. Only if that device takes no copies any more are they told another place.
 *
 * The contents do not change while the command is unfinished: later writers wait for it. So the places that hold them when it
 * is submitted hold them still, but for those that a copy failed to fill. Nobody else uses what the command writes. What it only
 * reads, others may read on the standby's device too. The command waits for a copy of theirs that is under way. If there is none,
 * or it waits for the command itself, the standby copies. From the moment of the failure the command is a reader of the place, so
 * that later copies to there wait for it. A mutex keeps two standbys apart.
 */
#include "fallback_take.h"

#include <stdlib.h>
#include <string.h>

#include "fallback.h"
#include "poller.h"
#include "ready.h"

/* Whether a copy to the place is unfinished. */
static bool is_being_filled(const struct tw_place *place)
{
    const struct tw_task *writer = (const struct tw_task *)place->resource.writer;
    return writer && writer->kind == TW_TASK_COPY;
}

void tw_standby_note_places_locked(struct tw_command *command)
{
    struct tw_standby *standby = command->standby;
    bool *held = standby->held;
    standby->first_place = command->device->place;
    for (size_t i = 0; i < command->use_count; ++i, held += standby->place_count)
        for (size_t place = 0; place < standby->place_count; ++place) {
            const struct tw_place *p = &command->uses[i].data->places[place];
            held[place] = tw_place_holds(p) && !is_being_filled(p);
        }
}

void tw_standby_kernel_has_run(struct tw_command *command)
{
    if (command->standby && !command->standby->taken)
        command->standby->kernel_has_run = true;
}

/* Whether it may help to run the command elsewhere: the program made no mistake that shows there, too. */
static bool is_worth_it(tw_status status)
{
    switch (status) {
    case TW_ERROR_TRANSFER_FAILED:
    case TW_ERROR_LAUNCH_FAILED:
    case TW_ERROR_OUT_OF_MEMORY:
    case TW_ERROR_OUT_OF_DEVICE_MEMORY:
    case TW_ERROR_NO_DEVICE_IMAGE:
    case TW_ERROR_CANCELLED: /* for the sake of a copy that failed */
        return true;
    default:
        return false;
    }
}

/* Whether all that the command needs is as it was. */
static bool is_intact_locked(const struct tw_command *command)
{
    const struct tw_node *node = &command->body.node;
    if (node->bereft)
        return false;
    if (!node->issued && !command->standby->kernel_has_run)
        return true;
    for (size_t i = 0; i < command->use_count; ++i) /* it may have changed what it modifies */
        if (command->uses[i].needs && command->uses[i].writes)
            return false;
    for (const struct tw_edge *edge = node->out; edge; edge = edge->next) /* and others may have used the results */
        if (edge->passed)
            return false;
    return true;
}

/* The next writer of a buffer that the command reads; NULL: there is none yet. Beside the command, the contents are read by the
   nodes that the writer waits for, or else by the readers of the resource. Later writers may wait for the command as well, for
   the sake of other buffers: the next one is the oldest, which the list of edges has last. */
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

/* What others do with the contents of one buffer at one place. */
struct others {
    bool have; /* they read the contents there, or bring them and do not wait for the command */
    struct tw_node
        *copy; /* ... by this one; or NULL. There is one at most: a place that will hold the contents gets no other */
    bool are_behind; /* a copy to there waits for the command */
};

/* Adds what another node does, which may read the contents. What waits for the command has the mark. */
static void add_other(struct others *others, struct tw_node *node, const struct tw_data *data, size_t place,
                      unsigned long mark)
{
    const struct tw_task *task = (const struct tw_task *)node;
    if (!reads(node, data)) /* the next writer waits for it for the sake of another buffer */
        return;
    if (task->kind != TW_TASK_COPY)
        others->have = others->have || (task->kind != TW_TASK_STANDBY && task->command->device->place == place);
    else if (((const struct tw_copy_task *)task)->plan.to == place && node->mark == mark)
        others->are_behind = true;
    else if (((const struct tw_copy_task *)task)->plan.to == place)
        others->copy = node;
}

static struct others others_locked(const struct tw_command *command, const struct tw_data *data, unsigned long mark)
{
    const size_t place = command->device->place;
    const struct tw_node *self = &command->body.node, *writer = next_writer_locked(command, data);
    struct others others = {.have = !writer && tw_place_holds(&data->places[place])};
    for (size_t i = 0; writer && i < writer->in_count; ++i)
        if (writer->in[i].from && writer->in[i].from != self)
            add_other(&others, writer->in[i].from, data, place, mark);
    for (const struct tw_graph_access *r = writer ? NULL : data->contents.readers; r; r = r->next)
        if (r->node != self)
            add_other(&others, r->node, data, place, mark);
    others.have = (others.have && !others.are_behind) || others.copy;
    return others;
}

/* Puts the command among those that read at the standby's device: behind the copies to there that do not wait for the command,
   and before those to come. */
static void join_others_locked(struct tw_command *command)
{
    struct tw_node *node = &command->body.node;
    struct tw_standby *standby = command->standby;
    const unsigned long mark = tw_graph_new_mark();
    tw_graph_reinsert(node, standby->edges);
    tw_graph_mark_dependants(node, mark);
    for (size_t i = 0; i < command->use_count; ++i) {
        struct tw_data *data = command->uses[i].data;
        if (!command->uses[i].needs || command->uses[i].writes)
            continue;
        const struct others others = others_locked(command, data, mark);
        standby->expected[i] = others.have;
        if (others.copy)
            tw_graph_wait_for(node, others.copy);
        tw_graph_read(node, &data->places[command->device->place].resource);
    }
}

bool tw_standby_take_locked(struct tw_task *task, struct tw_failure **failure, bool *cancelled)
{
    struct tw_command *command = task->command;
    struct tw_standby *standby = command->standby;
    if (standby->taken) { /* it did not help */
        *failure = command->failure = standby->failure;
        *cancelled = standby->cancelled;
        command->status = standby->status;
        tw_cause_retain(&standby->failure->cause);
        return false;
    }
    const bool is_first = command->status == TW_SUCCESS; /* else a copy of its own failed before */
    const tw_status status = !is_first ? command->status : *cancelled ? TW_ERROR_CANCELLED : (*failure)->status;
    if (!is_worth_it(status) || !is_intact_locked(command)
        || !(standby->edges = malloc((command->use_count + 1) * sizeof *standby->edges)))
        return false;
    standby->taken = true;
    standby->status = status;
    standby->cancelled = *cancelled;
    standby->failure = is_first ? *failure : command->failure;
    if (is_first)
        tw_cause_retain(&standby->failure->cause);
    command->status = TW_SUCCESS;
    command->failure = NULL;
    if (task->failure)
        tw_cause_release(&task->failure->cause);
    task->failure = NULL;
    struct tw_internal_bounds *bounds = command->bounds;
    command->bounds = standby->bounds;
    standby->bounds = bounds;
    command->kernel = standby->kernel;
    standby->launch.accesses = command->uses; /* the same as those of the group that was recorded */
    standby->launch.access_count = command->use_count;
    tw_announce_locked(command->lane); /* who waits there goes to the other lane */
    if (task->awaited)
        tw_chain_wake_locked(task);
    task->awaited = false;
    command->device = standby->lane->device;
    command->lane = standby->lane;
    task->kind = TW_TASK_STANDBY;
    task->exclusive = command->device->backend->exclusive && command->kernel->form != TW_INTERNAL_SINGLE_TASK;
    join_others_locked(command);
    if (task->node.pending == 0)
        tw_schedule_locked(task);
    return true;
}
