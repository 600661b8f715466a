/* SPDX-License-Identifier: Apache-2.0 */
/* What tools are told, made of commands, tasks and buffers. Knows no tool, and nothing of what a tool does with it. */
#include "observe.h"

#include <stdlib.h>

#include "fallback.h"
#include "task_queue.h"

#define FEW_DEPENDENCIES 32
#define FEW_ACCESSES 16
#define FEW_TRANSFERS 8

static uint64_t numbered; /* number of the last task; under the lock */

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static uint64_t number_of_task(const struct tw_task *task)
{
    const struct tw_command *command = task->command;
    if (!command->number || task == &command->body)
        return command->number;
    return command->number + 1 + (size_t)((const struct tw_copy_task *)task - command->copies);
}

/* Describes a task, but for its times and status. */
static void describe(tw_tool_task *told, const struct tw_task *task)
{
    struct tw_command *command = task->command;
    *told = (tw_tool_task){.size = sizeof *told,
                           .id = number_of_task(task),
                           .kind = task->kind->tool_kind,
                           .name = task->kind->name,
                           .group = command->number,
                           .queue = command->home ? command->home->number : 0,
                           .device = command->device->number,
                           .file = command->file,
                           .line = command->line,
                           .in_stream = task->node.domain != NULL,
                           .is_fallback = !tw_is_copy(task) && tw_fallback_is_taken(command->fallback),
                           .from = TW_TOOL_HOST_MEMORY,
                           .to = TW_TOOL_HOST_MEMORY};
    if (task->kind->describe)
        task->kind->describe(task, told);
}

void tw_tell_begin(const struct tw_task *task)
{
    if (task->kind->learn)
        task->kind->learn(task);
    if (!tw_tools.tells_began)
        return;
    tw_tool_task told;
    describe(&told, task);
    TW_TELL_TOOLS(began, &told);
}

void tw_tell_enqueued(const struct tw_task *task)
{
    tw_tool_task told;
    describe(&told, task);
    TW_TELL_TOOLS(enqueued, &told);
}

static void tell_end(const struct tw_task *task, tw_status status)
{
    tw_tool_task told;
    describe(&told, task);
    told.status = status;
    told.start_ns = task->ran.start_ns;
    told.end_ns = task->ran.end_ns;
    TW_TELL_TOOLS(ended, &told);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

void tw_note_stream_times_locked(const struct tw_backend_async *async, struct tw_backend_stream *stream,
                                 struct tw_task *task)
{
    struct tw_backend_times ran = {0, 0};
    tw_unlock();
    async->times(stream, task->sequence, &ran);
    tw_lock();
    task->ran = ran;
}

/* Adds when a task ran to its command's times. */
static void add_times(tw_event_times *times, const struct tw_task *task)
{
    const struct tw_backend_times *ran = &task->ran;
    if (!tw_is_copy(task)) {
        times->start_ns = ran->start_ns;
        times->end_ns = ran->end_ns;
        return;
    }
    if (!times->transfer_start_ns || ran->start_ns < times->transfer_start_ns)
        times->transfer_start_ns = ran->start_ns;
    if (ran->end_ns > times->transfer_end_ns)
        times->transfer_end_ns = ran->end_ns;
}

void tw_note_end_locked(struct tw_task *task, tw_status status)
{
    if (task->ran.start_ns && !task->ran.end_ns) /* no thread has run it, as a host access */
        task->ran.end_ns = tw_held_ns();
    if (task->ran.end_ns)
        add_times(&task->command->times, task);
    if (task->command->number && tw_tools_are_on())
        tell_end(task, status);
    task->ran = (struct tw_backend_times){0, 0}; /* it may run again */
}

static void no_later_than(uint64_t *early, uint64_t late)
{
    if (late && *early > late)
        *early = late;
}

/* Times of different streams differ a little: a copy between devices may seem to end after its kernel's start. */
void tw_note_completion_locked(struct tw_command *command)
{
    tw_event_times *times = &command->times;
    times->complete_ns = tw_held_ns() > times->end_ns ? tw_held_ns() : times->end_ns;
    no_later_than(&times->transfer_end_ns, times->start_ns);
    no_later_than(&times->transfer_start_ns, times->transfer_end_ns);
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

/* Returns the buffer that an access is to; NULL if it is to something else. */
static const struct tw_data *data_of(const struct tw_graph_access *access)
{
    const struct tw_resource *resource = access->resource;
    if (!resource->whole)
        return NULL;
    resource = resource->contents ? resource->contents : resource;
    return (const struct tw_data *)((const char *)resource - offsetof(struct tw_data, contents));
}

static bool overlap(const struct tw_graph_access *one, const struct tw_graph_access *other)
{
    return !one->part || !other->part || tw_box_overlaps(&one->part->box, &other->part->box);
}

/* Finds the accesses for which one node waits for another. There are none if it waits for an event, or because its queue
   is in order. */
static void explain(tw_tool_dependency *told, const struct tw_node *node, const struct tw_node *before)
{
    for (size_t i = 0; i < node->access_count; ++i)
        for (size_t k = 0; k < before->access_count; ++k) {
            const struct tw_graph_access *later = &node->accesses[i], *earlier = &before->accesses[k];
            const struct tw_data *data = data_of(later);
            if (later->resource != earlier->resource || (!later->writes && !earlier->writes) || !data
                || !overlap(later, earlier))
                continue;
            told->buffer = data->number;
            told->name = data->name;
            told->reads = later->needs;
            told->writes = later->writes;
            told->before_writes = earlier->writes;
            return;
        }
}

/* Describes what a task waits for, in `list`, or nothing if that is NULL. Returns the number of dependencies. */
static size_t describe_dependencies(const struct tw_task *task, tw_tool_dependency *list)
{
    size_t count = 0;
    for (size_t i = 0; i < task->node.in_count; ++i) {
        const struct tw_node *before = task->node.in[i].from;
        const uint64_t number = before ? number_of_task((const struct tw_task *)before) : 0;
        if (!number)
            continue;
        if (list) {
            list[count] = (tw_tool_dependency){.size = sizeof *list, .task = number_of_task(task), .before = number};
            explain(&list[count], &task->node, before);
        }
        ++count;
    }
    return count;
}

static void describe_access(tw_tool_access *told, const struct tw_use *use)
{
    const struct tw_data *data = use->data;
    *told = (tw_tool_access){.size = sizeof *told,
                             .buffer = data->number,
                             .name = data->name,
                             .dims = data->range.dims,
                             .element_bytes = data->element_bytes,
                             .bytes = tw_box_count(&use->box) * data->element_bytes,
                             .reads = use->needs,
                             .writes = use->writes};
    for (unsigned d = 0; d < 3; ++d)
        told->range[d] = d < data->range.dims ? data->range.size[d] : 1;
}

/* What a submission is described with: arrays on the stack, or where they are too small, from malloc(). Without memory
   less is told. */
struct submission {
    tw_tool_task body, few_transfers[FEW_TRANSFERS], *transfers;
    tw_tool_access few_accesses[FEW_ACCESSES], *accesses;
    tw_tool_dependency few_dependencies[FEW_DEPENDENCIES], *dependencies;
};

static void *room_for(void *few, size_t most, size_t count, size_t bytes)
{
    return count <= most ? few : malloc(count * bytes);
}

void tw_note_submission_locked(struct tw_command *command)
{
    command->number = numbered + 1;
    numbered += 1 + command->copy_count;
    command->measured = true;
    command->times.submit_ns = tw_held_ns();
    struct submission all;
    size_t dependencies = describe_dependencies(&command->body, NULL);
    for (size_t i = 0; i < command->copy_count; ++i)
        dependencies += describe_dependencies(&command->copies[i].task, NULL);
    all.transfers = room_for(all.few_transfers, FEW_TRANSFERS, command->copy_count, sizeof *all.transfers);
    all.accesses = room_for(all.few_accesses, FEW_ACCESSES, command->use_count, sizeof *all.accesses);
    all.dependencies = room_for(all.few_dependencies, FEW_DEPENDENCIES, dependencies, sizeof *all.dependencies);
    tw_tool_submission told = {.size = sizeof told,
                               .body = &all.body,
                               .transfers = all.transfers,
                               .accesses = all.accesses,
                               .dependencies = all.dependencies,
                               .begin_ns = command->recorded_ns,
                               .submit_ns = command->times.submit_ns};
    describe(&all.body, &command->body);
    for (; all.transfers && told.transfer_count < command->copy_count; ++told.transfer_count)
        describe(&all.transfers[told.transfer_count], &command->copies[told.transfer_count].task);
    for (; all.accesses && told.access_count < command->use_count; ++told.access_count)
        describe_access(&all.accesses[told.access_count], &command->uses[told.access_count]);
    if (all.dependencies) {
        told.dependency_count = describe_dependencies(&command->body, all.dependencies);
        for (size_t i = 0; i < command->copy_count; ++i)
            told.dependency_count +=
                describe_dependencies(&command->copies[i].task, &all.dependencies[told.dependency_count]);
    }
    TW_TELL_TOOLS(submitted, &told);
    if (all.transfers != all.few_transfers)
        free(all.transfers);
    if (all.accesses != all.few_accesses)
        free(all.accesses);
    if (all.dependencies != all.few_dependencies)
        free(all.dependencies);
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

void tw_observe_wait_locked(tw_tool_wait *wait, const struct tw_command *first, const struct tw_command *last)
{
    const struct tw_command *command = last && !last->complete ? last : first;
    *wait = (tw_tool_wait){.size = sizeof *wait, .group = command->number, .begin_ns = tw_held_ns()};
    if (command->kernel) {
        wait->kind = TW_TOOL_KERNEL;
        wait->name = command->kernel->name;
    } else {
        tw_tool_task body;
        describe(&body, &command->body);
        wait->kind = body.kind;
        wait->name = body.name;
    }
    TW_TELL_TOOLS(wait_began, wait);
}

void tw_observe_wait_end_locked(tw_tool_wait *wait)
{
    wait->end_ns = tw_held_ns();
    TW_TELL_TOOLS(wait_ended, wait);
}
