/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a command: planned, inserted into the graph, its tasks run or cancelled, complete.
 *
 * A command is a body (a kernel, a host access, or nothing) and the copies that bring its data. All tasks of a command
 * are inserted under one hold of the lock, so commands are atomic with respect to each other (spec 2.5.7).
 */
#define _GNU_SOURCE
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "allocation.h"
#include "base/clock.h"
#include "base/detail.h"
#include "base/lock.h"
#include "chain.h"
#include "scheduler.h"
#include "standby.h"

#define ARGS_ALIGNMENT 64u
#define SIZES_BYTES 72 /* for the text of three sizes */

/* What lies behind a command in its block, and is used unless it has more accesses or edges than expected. */
static struct tw_graph_access *own_accesses(struct tw_command *command)
{
    return (struct tw_graph_access *)(command + 1);
}

static struct tw_edge *own_edges(struct tw_command *command)
{
    return (struct tw_edge *)(own_accesses(command) + command->access_room);
}

struct tw_command *tw_command_create(const struct tw_command_object *object, struct tw_memory *memory, size_t use_count,
                                     size_t access_count, size_t args_bytes)
{
    /* one block: the struct, accesses, an edge for each and one more, uses, and the arguments, aligned for any type */
    const size_t edge_count = access_count + 1;
    const size_t edges_at = sizeof(struct tw_command) + access_count * sizeof(struct tw_graph_access);
    const size_t uses_at = edges_at + edge_count * sizeof(struct tw_edge);
    const size_t args_at = uses_at + use_count * sizeof(struct tw_use);
    if (!tw_memory_suffices(memory, args_at + args_bytes + ARGS_ALIGNMENT - 1))
        return NULL;
    unsigned char *block = memory->block;
    struct tw_command *command = memory->block;
    memset(command, 0, offsetof(struct tw_command, launch));
    atomic_init(&command->references, 1);
    command->object = object;
    command->bytes = memory->bytes;
    command->access_room = access_count;
    command->body.node.accesses = own_accesses(command);
    command->edges = own_edges(command);
    command->uses = (struct tw_use *)(block + uses_at);
    command->args = block + args_at;
    command->args += -(uintptr_t)command->args % ARGS_ALIGNMENT;
    command->body.command = command;
    for (unsigned phase = 0; phase < TW_PHASE_COUNT; ++phase)
        command->events[phase].phase = (unsigned char)phase;
    *memory = (struct tw_memory){.block = NULL};
    return command;
}

/* What only some commands have. */
static __attribute__((noinline)) void free_extras_locked(struct tw_command *command)
{
    free(command->copies);
    free(command->bounds);
    if (command->failure)
        tw_cause_release(&command->failure->cause);
    tw_standby_free_locked(command->standby);
}

void tw_command_release_locked(struct tw_command *command)
{
    /* the holder of the only reference is alone: nobody else could make another one */
    if (atomic_load_explicit(&command->references, memory_order_acquire) != 1
        && atomic_fetch_sub(&command->references, 1) != 1)
        return;
    if (command->body.node.accesses != own_accesses(command))
        free(command->body.node.accesses);
    if (command->edges != own_edges(command))
        free(command->edges);
    if (command->copies || command->bounds || command->failure || command->standby)
        free_extras_locked(command);
    if (command->home)
        command->object->released_locked(command->home, (struct tw_memory){.block = command, .bytes = command->bytes});
    else
        free(command);
}

void tw_command_release(struct tw_command *command)
{
    tw_lock();
    tw_command_release_locked(command);
    tw_unlock();
}

/* ---- completion ---------------------------------------------------------------------------------------------------
 */

void tw_command_message_locked(const struct tw_command *command, char *message, size_t bytes)
{
    char story[TW_STORY_BYTES];
    const char *kernel = command->kernel ? command->kernel->name : NULL, *text = tw_failure_message(command->failure);
    if (command->status == TW_ERROR_CANCELLED)
        snprintf(message, bytes, "not run: it depends on %s", tw_failure_story(command->failure, story));
    else if (kernel && !tw_names_kernel(text, kernel))
        snprintf(message, bytes, "kernel %s: %s", kernel, text);
    else
        snprintf(message, bytes, "%s", text);
}

static void no_later_than(uint64_t *early, uint64_t late)
{
    if (late && *early > late)
        *early = late;
}

/* The device's clock is not quite the host's: where the two contradict each other, the host's times give way. */
static void complete_times_locked(tw_event_times *times)
{
    times->complete_ns = tw_held_ns() > times->end_ns ? tw_held_ns() : times->end_ns;
    no_later_than(&times->transfer_end_ns, times->start_ns);
    no_later_than(&times->transfer_start_ns, times->transfer_end_ns);
    no_later_than(&times->ready_ns, times->start_ns);
    no_later_than(&times->submit_ns, times->ready_ns);
    no_later_than(&times->submit_ns, times->transfer_start_ns);
}

static void complete_locked(struct tw_command *command)
{
    struct tw_lane *home = command->home;
    if (command->timed)
        complete_times_locked(&command->times);
    command->complete = true;
    *(command->previous ? &command->previous->next : &home->first_unfinished) = command->next;
    *(command->next ? &command->next->previous : &home->last_unfinished) = command->previous;
    command->next = command->previous = NULL;
    --home->unfinished;
    command->object->completed_locked(command);
    tw_object_died_locked();
    tw_command_release_locked(command);
}

/* Finishes a task and returns the tasks that this makes ready. failure: its own, or the cause that doomed it. */
static struct tw_node *finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled)
{
    struct tw_command *command = task->command;
    if (failure && command->standby && task == &command->body && tw_standby_take_locked(task, &failure, &cancelled))
        return NULL;
    if (failure && command->status == TW_SUCCESS) {
        command->status = cancelled ? TW_ERROR_CANCELLED : failure->status;
        command->failure = failure;
        tw_cause_retain(&failure->cause);
    }
    struct tw_node *ready = tw_graph_finish(&task->node, failure ? &failure->cause : NULL);
    if (task->failure) {
        tw_cause_release(&task->failure->cause);
        task->failure = NULL;
    }
    tw_announce_locked(command->lane);
    if (task->awaited)
        tw_chain_wake_locked(task);
    if (--command->tasks_left == 0)
        complete_locked(command);
    return ready;
}

void tw_command_note_times_locked(const struct tw_task *task, struct tw_backend_times ran)
{
    tw_event_times *times = &task->command->times;
    if (!ran.end_ns)
        return;
    if (task->kind != TW_TASK_COPY) {
        times->start_ns = ran.start_ns;
        times->end_ns = ran.end_ns;
        return;
    }
    if (!times->transfer_start_ns || ran.start_ns < times->transfer_start_ns)
        times->transfer_start_ns = ran.start_ns;
    if (ran.end_ns > times->transfer_end_ns)
        times->transfer_end_ns = ran.end_ns;
}

void tw_command_start_locked(struct tw_command *command)
{
    command->started = true;
    if (!command->lane->watchers && !command->standby) /* who watches a standby does so at the command's own lane */
        return;
    tw_announce_locked(command->lane);
    if (command->body.awaited)
        tw_chain_wake_locked(&command->body);
}

/* A doomed host access has written nothing, so the contents are still where they were; but what was submitted behind it
   expects them on the host. */
static void undo_access_locked(struct tw_command *command)
{
    const struct tw_use *use = &command->uses[0];
    if (!use->writes || command->body.node.out)
        return;
    tw_graph_wrote_nothing(&command->body.node);
    for (size_t place = 0; place < use->data->place_count; ++place)
        use->data->places[place].valid = use->data->places[place].was_valid;
}

void tw_make_ready_locked(struct tw_node *nodes)
{
    struct tw_task_list todo = {NULL, NULL};
    tw_append(&todo, nodes);
    while (todo.first) {
        struct tw_task *task = tw_pop(&todo);
        struct tw_command *command = task->command;
        if (command->timed && task == &command->body && !task->node.doom)
            command->times.ready_ns = tw_held_ns();
        if (task->node.engine && (!task->node.doom || tw_graph_before(&task->node))) {
            tw_chain_add_locked(task);
        } else if (task->node.doom) {
            if (task->kind == TW_TASK_HOST_ACCESS)
                undo_access_locked(command);
            tw_append(&todo, finish_locked(task, tw_doom_of(task), true));
        } else if (task->kind == TW_TASK_NOTHING) {
            tw_command_start_locked(command);
            if (command->measured)
                tw_command_note_times_locked(task, (struct tw_backend_times){tw_held_ns(), tw_held_ns()});
            tw_append(&todo, finish_locked(task, NULL, false));
        } else if (task->kind == TW_TASK_HOST_ACCESS) {
            command->started = command->acquired = true;
            command->object->ready_locked(command);
            tw_announce_locked(command->lane);
        } else {
            tw_schedule_locked(task);
        }
    }
}

void tw_task_finish_locked(struct tw_task *task, struct tw_failure *failure, bool cancelled)
{
    struct tw_node *ready = finish_locked(task, failure, cancelled);
    if (ready)
        tw_make_ready_locked(ready);
}

void tw_command_finish_access_locked(struct tw_command *command, struct tw_failure *failure)
{
    tw_task_finish_locked(&command->body, failure, false);
    tw_issue_locked();
}

/* Writes sizes or indices, as in "4 x 10". Returns `text`. */
static const char *list_sizes(char text[SIZES_BYTES], const size_t sizes[3], unsigned dims, const char *between)
{
    size_t used = 0;
    for (unsigned d = 0; d < dims && used < SIZES_BYTES; ++d)
        used += (size_t)snprintf(text + used, SIZES_BYTES - used, "%s%zu", d ? between : "", sizes[d]);
    return text;
}

/* Says which index of a kernel was outside of a view. */
static __attribute__((noinline, cold)) tw_status refuse_index(const struct tw_command *command)
{
    const struct tw_internal_bounds *bounds = command->bounds;
    char index[SIZES_BYTES] = "", range[SIZES_BYTES] = "";
    list_sizes(index, bounds->index, bounds->dims, ", ");
    list_sizes(range, bounds->range, bounds->range_dims, " x ");
    if (bounds->dims != bounds->range_dims)
        return tw_fail(
            TW_ERROR_OUT_OF_BOUNDS,
            "kernel %s used %u %s, (%s), for a view of %u %s, %s elements: give as many as it has dimensions",
            command->kernel->name, bounds->dims, bounds->dims == 1 ? "index" : "indices", index, bounds->range_dims,
            bounds->range_dims == 1 ? "dimension" : "dimensions", range);
    return tw_fail(TW_ERROR_OUT_OF_BOUNDS, "kernel %s used index %s%s%s of a view of %s elements",
                   command->kernel->name, bounds->dims > 1 ? "(" : "", index, bounds->dims > 1 ? ")" : "", range);
}

tw_status tw_command_check_bounds(const struct tw_command *command)
{
    const struct tw_internal_bounds *bounds = command->bounds;
    return bounds && __atomic_load_n(&bounds->violated, __ATOMIC_RELAXED) ? refuse_index(command) : TW_SUCCESS;
}

struct tw_failure *tw_command_failure_locked(const struct tw_command *command, tw_status status)
{
    return tw_failure_make_locked(status, command->kernel ? command->kernel->name : NULL, command->file, command->line);
}

static tw_status execute(struct tw_task *task)
{
    struct tw_command *command = task->command;
    if (task->kind == TW_TASK_KERNEL) {
        const struct tw_backend *backend = command->device->backend->backend;
        const tw_status status = backend->launch(command->device->backend, command->kernel, &command->launch);
        return status == TW_SUCCESS ? tw_command_check_bounds(command) : status;
    }
    if (task->kind == TW_TASK_GRAPH)
        return command->object->run(command);
    if (task->kind == TW_TASK_STANDBY)
        return tw_standby_run(command);
    const struct tw_copy_plan *copy = &((const struct tw_copy_task *)task)->plan;
    struct tw_backend_device *to = copy->to ? tw_place_device(copy->to)->backend : NULL;
    struct tw_backend_device *from = copy->from ? tw_place_device(copy->from)->backend : NULL;
    if (copy->from == copy->to) /* a standby has left the contents there */
        return TW_SUCCESS;
    return (copy->to ? to : from)
        ->backend->memory->copy(to, atomic_load(&copy->data->places[copy->to].address), from,
                                atomic_load(&copy->data->places[copy->from].address), copy->data->bytes);
}

/* Before a task is executed. Releases the lock. */
static void begin_task_locked(struct tw_task *task)
{
    struct tw_command *command = task->command;
    if (task == &command->body) /* its copies may run long before all that it depends on is complete */
        tw_command_start_locked(command);
    if (task->exclusive)
        command->device->exclusive_running = true;
    if (command->measured) {
        task->began_ns = tw_now_ns();
        if (task == &command->body)
            command->times.start_ns = task->began_ns;
    }
    const struct tw_command *next = command->next;
    tw_unlock();
    tw_memory_fetch(next,
                    TW_FETCHED_BYTES); /* it was written long ago where many are queued. It need not exist any more */
    tw_detail_of_task(true);
}

/* After that; takes the lock. */
static void end_task(struct tw_task *task, tw_status status)
{
    struct tw_command *command = task->command;
    struct tw_device *device = command->device;
    const uint64_t now = command->measured ? tw_now_ns() : 0;
    tw_detail_of_task(false);
    tw_lock();
    if (now)
        tw_command_note_times_locked(task, (struct tw_backend_times){task->began_ns, now});
    if (task->exclusive)
        device->exclusive_running = false;
    device->copying -= task->copying;
    if ((task->exclusive || task->copying) && device->active) { /* others may have waited for the device */
        tw_wake_worker_locked(device, true);
        tw_announce_device_locked(device);
    }
    if (status != TW_SUCCESS)
        task->failure = tw_command_failure_locked(command, status);
    if (status != TW_SUCCESS && task->kind == TW_TASK_KERNEL && !tw_launch_was_refused())
        tw_standby_kernel_has_run(command);
    tw_running_lane = command->lane;
    tw_task_finish_locked(task, task->failure, false);
    tw_running_lane = NULL;
    tw_issue_locked();
}

/* ---- kernels in one go ------------------------------------------------------------------------------------------------ */

struct kernel_series {
    struct tw_backend_series series; /* first: the backend's view */
    struct tw_device *device;
    struct tw_task *task; /* that runs; at the end the one that was taken and is not begun, or NULL */
    struct tw_task_source *source;
};

static bool is_for_series(const struct tw_task *task)
{
    return task->kind == TW_TASK_KERNEL && task->exclusive;
}

static bool next_kernel(struct tw_backend_series *base, tw_status status)
{
    struct kernel_series *series = (struct kernel_series *)base;
    if (status == TW_SUCCESS)
        status = tw_command_check_bounds(series->task->command);
    end_task(series->task, status);
    struct tw_task *task = series->task = series->source->take_locked(series->source);
    if (!task || !is_for_series(task) || task->command->device != series->device) {
        tw_unlock();
        return false;
    }
    base->kernel = task->command->kernel;
    base->launch = &task->command->launch;
    begin_task_locked(task);
    return true;
}

/* Returns the task that is left, to be run otherwise. */
static struct tw_task *run_series_locked(struct tw_task *task, struct tw_task_source *source)
{
    struct tw_command *command = task->command;
    struct tw_backend_device *device = command->device->backend;
    struct kernel_series series = {{command->kernel, &command->launch, next_kernel}, command->device, task, source};
    begin_task_locked(task);
    device->backend->launch_series(device, &series.series);
    tw_lock();
    return series.task;
}

void tw_task_run_locked(struct tw_task *task, struct tw_task_source *source)
{
    while (task) {
        const struct tw_command *command = task->command;
        /* a series costs a kernel that stays alone a little */
        if (is_for_series(task) && command->next && command->device->backend->backend->launch_series) {
            task = run_series_locked(task, source);
        } else {
            begin_task_locked(task);
            end_task(task, execute(task));
            task = NULL;
        }
    }
}

/* ---- submission ---------------------------------------------------------------------------------------------------
 */

static void describe_copy(struct tw_copy_task *copy, struct tw_command *command, struct tw_copy_plan plan)
{
    struct tw_data *data = plan.data;
    *copy = (struct tw_copy_task){.task = {.kind = TW_TASK_COPY, .command = command}, .plan = plan};
    copy->accesses[0] = (struct tw_graph_access){.resource = &data->places[plan.from].resource, .needs = true};
    copy->accesses[1] = (struct tw_graph_access){.resource = &data->places[plan.to].resource, .writes = true};
    copy->accesses[2] = (struct tw_graph_access){.resource = &data->contents, .needs = true};
    copy->task.node.engine = tw_chain_copy_engine_locked(&plan);
    copy->task.node.accesses = copy->accesses;
    copy->task.node.access_count = 3;
}

/* Whether a body has to access the place beside the contents: a copy to there is not finished, or has failed. */
static bool is_in_motion(const struct tw_data *data, size_t place)
{
    return data->places[place].resource.writer || data->places[place].resource.lost;
}

static bool would_wait(struct tw_resource *resource, bool writes, unsigned long mark)
{
    const struct tw_graph_access access = {.resource = resource, .writes = writes};
    return tw_graph_would_wait_for(&access, mark);
}

/* Looks at what describe_locked() would make accesses to. */
bool tw_command_would_wait_locked(const struct tw_command *command, unsigned long mark)
{
    const size_t place = command->device->place;
    struct tw_copy_plan plan[2];
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        struct tw_place *places = use->data->places;
        const size_t count = tw_plan_copies(use, place, plan);
        for (size_t k = 0; k < count; ++k)
            if (would_wait(&places[plan[k].from].resource, false, mark)
                || would_wait(&places[plan[k].to].resource, true, mark))
                return true;
        if (would_wait(&use->data->contents, use->writes, mark)
            || (is_in_motion(use->data, place) && would_wait(&places[place].resource, use->writes, mark)))
            return true;
    }
    return false;
}

/* What a command takes. */
struct needs {
    size_t copies, accesses;  /* accesses of the body */
    struct tw_data *unstaged; /* one that has no host memory yet for a copy that has to go through it; or NULL */
};

static struct needs needs_of_locked(const struct tw_command *command)
{
    const size_t place = command->device->place;
    struct needs needs = {0, command->use_count + (command->turn != NULL), NULL};
    struct tw_copy_plan plan[2];
    for (size_t i = 0; i < command->use_count; ++i) {
        struct tw_data *data = command->uses[i].data;
        const size_t count = tw_plan_copies(&command->uses[i], place, plan);
        needs.copies += count;
        needs.accesses += count || is_in_motion(data, place);
        needs.accesses += command->standby != NULL; /* it may read one more place for each when it runs */
        if (count == 2 && !atomic_load(&data->places[0].address))
            needs.unstaged = data;
    }
    return needs;
}

/* Finds room for the copies, the memory that they go through, and the body's accesses. */
static tw_status make_room_locked(struct tw_command *command, size_t *copies)
{
    struct needs needs;
    while ((needs = needs_of_locked(command)).unstaged) { /* the lock is released: all may have changed */
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

/* Fills in the tasks and their accesses; returns the most edges that they need. */
static tw_status describe_locked(struct tw_command *command, size_t *edges)
{
    const size_t place = command->device->place;
    struct tw_copy_plan plan[2];
    size_t copies = 0;
    const tw_status status = make_room_locked(command, &copies);
    if (status != TW_SUCCESS)
        return status;
    *edges = 2 * copies; /* between the command's own tasks */
    struct tw_graph_access *access = command->body.node.accesses;
    for (size_t i = 0; i < command->use_count; ++i) {
        const struct tw_use *use = &command->uses[i];
        const size_t count = copies ? tw_plan_copies(use, place, plan) : 0;
        for (size_t k = 0; k < count; ++k) {
            struct tw_copy_task *copy = &command->copies[command->copy_count++];
            describe_copy(copy, command, plan[k]);
            *edges += tw_graph_edges_needed(copy->accesses, copy->task.node.access_count);
        }
        *access++ = (struct tw_graph_access){
            .resource = &use->data->contents, .needs = use->needs, .writes = use->writes, .logical = true};
        if (count || is_in_motion(use->data, place))
            *access++ = (struct tw_graph_access){
                .resource = &use->data->places[place].resource, .needs = use->needs, .writes = use->writes};
    }
    if (command->turn)
        *access++ = (struct tw_graph_access){.resource = command->turn, .writes = true};
    command->body.node.access_count = (size_t)(access - command->body.node.accesses);
    *edges += tw_graph_edges_needed(command->body.node.accesses, command->body.node.access_count);
    return TW_SUCCESS;
}

static void join_lane_locked(struct tw_command *command)
{
    struct tw_lane *home = command->home;
    command->sequence = ++home->submitted;
    ++home->unfinished;
    command->previous = home->last_unfinished;
    *(home->last_unfinished ? &home->last_unfinished->next : &home->first_unfinished) = command;
    home->last_unfinished = command;
}

tw_status tw_command_make_edges(struct tw_command *command, size_t needed)
{
    if (needed <= command->access_room + 1)
        return TW_SUCCESS;
    struct tw_edge *edges = malloc(needed * sizeof *edges);
    if (!edges)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for %zu dependencies", needed);
    command->edges = edges;
    return TW_SUCCESS;
}

static void note_places_locked(struct tw_data *data)
{
    for (size_t place = 0; place < data->place_count; ++place)
        data->places[place].was_valid = data->places[place].valid;
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
    if (command->standby)
        tw_standby_note_places_locked(command);
    if (command->body.kind == TW_TASK_HOST_ACCESS)
        note_places_locked(command->uses[0].data);
    for (size_t i = 0; i < command->use_count; ++i)
        tw_apply_use(&command->uses[i], command->device->place);
    /* staged copies leave valid contents on the host too, but the command's own write may have undone that */
    for (size_t i = 0; i < command->copy_count; ++i) {
        const struct tw_copy_plan *copy = &command->copies[i].plan;
        for (size_t k = 0; k < command->use_count; ++k)
            if (command->uses[k].data == copy->data && !command->uses[k].writes)
                copy->data->places[copy->to].valid = true;
    }
}

/* The tasks of a command that wait for nothing, linked by next. */
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
    /* the scheduler's: nobody but the submitter can change the count yet */
    atomic_store_explicit(&command->references, atomic_load_explicit(&command->references, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    tw_object_born_locked();
    join_lane_locked(command);
    if (command->timed)
        command->times.submit_ns = tw_held_ns();
    command->tasks_left = command->copy_count + 1;
    insert_locked(command);
    tw_make_ready_locked(ready_tasks(command)); /* all are inserted: only now may any of them finish */
    tw_issue_locked();
    if (command->body.node.engine && !command->complete)
        tw_chain_tidy_locked(command->lane);
    return TW_SUCCESS;
}
