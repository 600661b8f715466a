/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command falls back on when it fails (spec 2.5.7): the same group, recorded for another queue.
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
#include "standby.h"

#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "chain.h"
#include "scheduler.h"

struct tw_standby {
    struct tw_lane *lane; /* counted */
    const struct tw_internal_kernel *kernel;
    struct tw_internal_launch launch;
    struct tw_internal_bounds *bounds; /* owned, or NULL */
    bool taken;                        /* the command runs, or has run, here */
    bool kernel_has_run;               /* on the first device, perhaps in part */
    size_t first_place;                /* of the first device */
    /* the first error, once taken: what is reported if this fails, too */
    tw_status status;
    struct tw_failure *failure; /* counted */
    bool cancelled;
    struct tw_edge *edges; /* owned; from the copies of others that the command waits for, once taken */
    size_t place_count;
    /* behind the arguments */
    bool *held; /* for each use and place: it holds the contents that the command needs */
    bool
        *expected; /* for each use, once taken: others have the contents on the standby's device, unless a copy fails */
    _Alignas(64) unsigned char args[];
};

static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock, never after */

struct tw_standby *tw_standby_create(struct tw_lane *lane, const struct tw_standby_record *record)
{
    const size_t place_count = tw_place_count();
    const size_t bytes = sizeof(struct tw_standby) + record->args_bytes + record->use_count * (place_count + 1);
    struct tw_standby *standby = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!standby)
        return NULL;
    *standby = (struct tw_standby){
        .lane = lane, .kernel = record->kernel, .launch = *record->launch, .bounds = record->bounds};
    standby->place_count = place_count;
    standby->expected = (bool *)(standby->args + record->args_bytes);
    standby->held = standby->expected + record->use_count;
    memset(standby->expected, false, record->use_count);
    memcpy(standby->args, record->args, record->args_bytes);
    standby->launch.args = standby->args;
    standby->launch.words = tw_internal_words_for(record->args_bytes);
    standby->launch.accesses = NULL; /* the group goes */
    standby->launch.access_count = 0;
    tw_lane_retain(lane);
    return standby;
}

void tw_standby_free_locked(struct tw_standby *standby)
{
    if (!standby)
        return;
    free(standby->bounds);
    free(standby->edges);
    if (standby->failure)
        tw_cause_release(&standby->failure->cause);
    tw_lane_release_locked(standby->lane);
    free(standby);
}

/* ---- submission --------------------------------------------------------------------------------------------------------- */

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

/* ---- when the command has failed ---------------------------------------------------------------------------------------- */

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

/* ---- what others have on the standby's device ----------------------------------------------------------------------------- */

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

/* ---- running it ----------------------------------------------------------------------------------------------------------- */

static void *address_of(const struct tw_data *data, size_t place)
{
    return atomic_load(&data->places[place].address);
}

/* Copies the contents of a buffer from place to place, through the host if need be. Without the lock. */
static tw_status copy(const struct tw_data *data, size_t from, size_t to)
{
    struct tw_backend_device *source = from ? tw_place_device(from)->backend : NULL;
    struct tw_backend_device *target = to ? tw_place_device(to)->backend : NULL;
    if (!from || !to || source->backend == target->backend)
        return (to ? target : source)
            ->backend->memory->copy(target, address_of(data, to), source, address_of(data, from), data->bytes);
    void *stage = tw_host_allocate(data->bytes);
    if (!stage)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory to copy %zu bytes through", data->bytes);
    tw_status status = source->backend->memory->copy(NULL, stage, source, address_of(data, from), data->bytes);
    if (status == TW_SUCCESS)
        status = target->backend->memory->copy(target, address_of(data, to), NULL, stage, data->bytes);
    free(stage);
    return status;
}

/* Whether a place holds what a command needs. */
static bool holds_locked(const struct tw_command *command, size_t use, size_t place)
{
    const struct tw_standby *standby = command->standby;
    if (command->uses[use].data->places[place].resource.lost)
        return false;
    return standby->held[use * standby->place_count + place] || place == standby->first_place;
}

static bool is_defined(const struct tw_standby *standby, size_t use)
{
    return memchr(standby->held + use * standby->place_count, true, standby->place_count) != NULL;
}

/* Whether what a use needs has to be brought to the standby's device. */
static bool is_missing(const struct tw_command *command, size_t use)
{
    const struct tw_use *needed = &command->uses[use];
    const size_t place = command->device->place;
    if (!needed->needs || !is_defined(command->standby, use))
        return false;
    tw_lock();
    const bool is_there = holds_locked(command, use, place)
                          || (command->standby->expected[use] && !needed->data->places[place].resource.lost);
    tw_unlock();
    return !is_there;
}

/* Brings it, from the first place that gives it. */
static tw_status bring(const struct tw_command *command, size_t use)
{
    const struct tw_standby *standby = command->standby;
    const struct tw_data *data = command->uses[use].data;
    const size_t to = command->device->place;
    tw_status status = tw_fail(TW_ERROR_TRANSFER_FAILED, "no device has the contents any more");
    for (size_t from = 0; from < standby->place_count && status != TW_SUCCESS; ++from) {
        tw_lock();
        const bool holds = from != to && holds_locked(command, use, from);
        tw_unlock();
        if (holds)
            status = copy(data, from, to);
    }
    return status;
}

/* ---- where the results are ------------------------------------------------------------------------------------------------ */

/* Whether a task that comes after the command looks for the contents of a buffer at the first device's place. */
static bool looks_there_locked(const struct tw_task *task, const struct tw_data *data, size_t place)
{
    const struct tw_copy_plan *plan = &((const struct tw_copy_task *)task)->plan;
    if (task->kind == TW_TASK_COPY)
        return plan->data == data && plan->from == place;
    for (size_t i = 0; i < task->command->use_count; ++i)
        if (task->command->uses[i].data == data)
            return task->command->uses[i].needs && task->command->device->place == place;
    return false;
}

/* Whether a task may be ready before all that it waits for is over, since its engine keeps the order. */
static bool relies_on_its_engine(const struct tw_node *node)
{
    for (size_t i = 0; i < node->in_count; ++i)
        if (node->in[i].from && node->in[i].passed)
            return true;
    return false;
}

/* Lets a copy take the contents from another place. False: that is not possible. */
static bool redirect_locked(struct tw_task *task, size_t from)
{
    struct tw_copy_task *copy_task = (struct tw_copy_task *)task;
    if (task->kind != TW_TASK_COPY || tw_copy_must_stage(copy_task->plan.data, from, copy_task->plan.to))
        return false;
    const struct tw_copy_plan plan = {copy_task->plan.data, from, copy_task->plan.to};
    const void *engine = plan.from == plan.to ? NULL : tw_chain_copy_engine_locked(&plan);
    if (engine != task->node.engine && relies_on_its_engine(&task->node))
        return false;
    copy_task->plan = plan;
    task->node.engine = engine;
    return true;
}

/* Tells those that come after the command where the contents are that it wrote. Those that cannot go there are doomed. */
static void tell_locked(const struct tw_command *command, const struct tw_data *data, struct tw_failure *failure)
{
    for (struct tw_edge *edge = command->body.node.out; edge; edge = edge->next) {
        struct tw_task *task = (struct tw_task *)edge->to;
        if (looks_there_locked(task, data, command->standby->first_place)
            && !redirect_locked(task, command->device->place))
            tw_graph_doom(&task->node, &failure->cause);
    }
}

/* The same for the standbys of those that come after. */
static void tell_standbys_locked(const struct tw_command *command, const struct tw_data *data)
{
    for (const struct tw_edge *edge = command->body.node.out; edge; edge = edge->next) {
        const struct tw_command *later = ((const struct tw_task *)edge->to)->command;
        struct tw_standby *standby = later->standby;
        for (size_t i = 0; standby && i < later->use_count; ++i)
            if (later->uses[i].data == data) {
                bool *held = standby->held + i * standby->place_count;
                held[command->standby->first_place] = false;
                held[command->device->place] = true;
            }
    }
}

/* Brings what the command wrote to where later commands look for it; else tells them, and leaves it where it is. */
static void hand_over(const struct tw_command *command, struct tw_data *data)
{
    const size_t first = command->standby->first_place, here = command->device->place;
    if (first == here)
        return;
    const tw_status status = copy(data, here, first);
    tw_lock();
    if (status == TW_SUCCESS) {
        tw_graph_lose(&data->places[first].resource, NULL);
    } else {
        struct tw_failure *failure = tw_command_failure_locked(command, status);
        tell_locked(command, data, failure);
        tell_standbys_locked(command, data);
        tw_graph_lose(&data->places[first].resource, &failure->cause);
        if (data->contents.writer == &command->body.node) { /* else later commands have decided where they will be */
            data->places[first].valid = false;
            data->places[here].valid = true;
            tw_graph_lose(&data->places[here].resource, NULL);
        }
        tw_cause_release(&failure->cause);
    }
    tw_unlock();
}

tw_status tw_standby_run(struct tw_command *command)
{
    struct tw_standby *standby = command->standby;
    struct tw_backend_device *device = command->device->backend;
    tw_status status = TW_SUCCESS;
    standby->launch.accesses = command->uses; /* they are alike; those of the group that was recorded are gone */
    standby->launch.access_count = command->use_count;
    pthread_mutex_lock(&running);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (is_missing(command, i))
            status = bring(command, i);
    if (status == TW_SUCCESS)
        status = device->backend->launch(device, standby->kernel, &standby->launch);
    if (status == TW_SUCCESS)
        status = tw_command_check_bounds(command);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (command->uses[i].writes)
            hand_over(command, command->uses[i].data);
    pthread_mutex_unlock(&running);
    return status;
}
