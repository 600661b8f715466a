/* SPDX-License-Identifier: Apache-2.0 */
/* What tools are told, made of commands, tasks and buffers. Knows no tool, and nothing of what a tool does with it. */
#include "observe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "host_task.h"
#include "observe_device.h"
#include "step.h"
#include "task_queue.h"

#define FEW_DEPENDENCIES 32
#define FEW_ACCESSES 16
#define FEW_TRANSFERS 8
#define KNOWN_KERNELS 256u /* a power of two */
#define NEIGHBOURS 8u      /* rows where a kernel may be */

static uint64_t numbered; /* number of the last task; under the lock */

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* What is known of kernels on devices: a table, by both. The backend is asked once for each. A row is written under the
   mutex before its kernel is stored, and never changes. */
static struct known_kernel {
    _Atomic(const struct tw_internal_kernel *) kernel; /* NULL: none yet */
    int device;                                        /* its number */
    struct tw_kernel_facts facts;
} known_kernels[KNOWN_KERNELS];
static pthread_mutex_t knowing = PTHREAD_MUTEX_INITIALIZER; /* taken without other locks; none is taken after it */

/* Returns the row of a kernel on a device, or the one where it may be added; NULL if the table is full there. */
static struct known_kernel *row_of(const struct tw_internal_kernel *kernel, int device)
{
    const uint64_t mixed = (((uintptr_t)kernel >> 4) + (unsigned)device) * 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < NEIGHBOURS; ++i) {
        struct known_kernel *row = &known_kernels[(size_t)((mixed >> 32) + i) % KNOWN_KERNELS];
        const struct tw_internal_kernel *known = atomic_load_explicit(&row->kernel, memory_order_acquire);
        if (!known || (known == kernel && row->device == device))
            return row;
    }
    return NULL;
}

/* Asks for the facts of a kernel on its device, unless they are known. Called without the lock, by the thread that is
   about to run it. */
static void learn_facts(const struct tw_command *command)
{
    const int device = command->device->number;
    struct known_kernel *row = row_of(command->kernel, device);
    if (!row || atomic_load_explicit(&row->kernel, memory_order_relaxed))
        return;
    struct tw_backend_device *backend = command->device->backend;
    struct tw_kernel_facts facts = {.max_items = tw_device_facts(command->device)->max_work_group_size};
    const size_t *local = command->launch.local;
    const size_t items = local[0] * local[1] * local[2];
    backend->backend->limits(backend, command->kernel, items ? items : 1, command->launch.local_bytes, &facts);
    pthread_mutex_lock(&knowing);
    row = row_of(command->kernel, device);
    if (row && !atomic_load_explicit(&row->kernel, memory_order_relaxed)) {
        row->device = device;
        row->facts = facts;
        atomic_store_explicit(&row->kernel, command->kernel, memory_order_release);
    }
    pthread_mutex_unlock(&knowing);
}

/* Returns true if the device of a command runs what the kernel's file was compiled to for the host, or what is like it. */
static bool is_cpu(const struct tw_command *command)
{
    return command->device->backend->type & (TW_DEVICE_HOST | TW_DEVICE_CPU | TW_DEVICE_SIM);
}

static void describe_kernel(tw_tool_task *told, const struct tw_command *command)
{
    const struct tw_internal_launch *launch = &command->launch;
    const bool has_groups =
        command->kernel->form == TW_INTERNAL_WORK_GROUP || command->kernel->form == TW_INTERNAL_ND_RANGE;
    told->kind = TW_TOOL_KERNEL;
    told->name = command->kernel->name;
    told->args_bytes = command->kernel->args_bytes;
    told->local_bytes = launch->local_bytes;
    const struct known_kernel *row = row_of(command->kernel, command->device->number);
    if (row && atomic_load_explicit(&row->kernel, memory_order_relaxed)) {
        told->registers = row->facts.registers;
        told->local_bytes += row->facts.static_local_bytes;
    }
    if (is_cpu(command) && launch->dims >= 1 && launch->dims <= 3)
        told->slow = command->kernel->slow[launch->dims - 1];
    told->dims = launch->dims;
    for (unsigned d = 0; d < 3; ++d) {
        told->range[d] = launch->range[d] * (has_groups ? launch->local[d] : 1);
        told->local[d] = has_groups ? launch->local[d] : 0;
    }
}

/* ---- tasks ------------------------------------------------------------------------------------------------------- */

static uint64_t number_of_task(const struct tw_task *task)
{
    const struct tw_command *command = task->command;
    if (!command->number || task == &command->body)
        return command->number;
    return command->number + 1 + (size_t)((const struct tw_copy_task *)task - command->copies);
}

static int number_of_side(const struct tw_command *command, const struct tw_step *step, const struct tw_step_side *side)
{
    if (side->data)
        return tw_observed_space(tw_data_space(side->data, command->device->space));
    if (step->is_usm && side->device)
        for (size_t space = 1; space < tw_memory_space_count(); ++space)
            if (tw_memory_space_device(space)->backend == side->device)
                return tw_observed_space(space);
    return TW_TOOL_HOST_MEMORY;
}

static size_t bytes_of_side(const struct tw_step_side *side)
{
    return side->data ? tw_box_count(&side->box) * side->data->element_bytes : 0;
}

static void describe_step(tw_tool_task *told, struct tw_command *command)
{
    const struct tw_step *step = tw_step_of(command);
    const struct tw_data *data = step->to.data ? step->to.data : step->from.data;
    told->kind = step->kind == TW_STEP_COPY ? TW_TOOL_COPY : step->kind == TW_STEP_FILL ? TW_TOOL_FILL : TW_TOOL_HINT;
    told->name = step->kind == TW_STEP_COPY ? "copy" : step->kind == TW_STEP_FILL ? "fill" : "prefetch or advice";
    told->buffer = data && !step->is_usm ? data->number : 0;
    told->to = number_of_side(command, step, &step->to);
    told->from = step->kind == TW_STEP_COPY ? number_of_side(command, step, &step->from) : told->to;
    if (step->is_usm)
        told->bytes = step->kind == TW_STEP_COPY   ? tw_backend_copy_bytes(&step->request.copy)
                      : step->kind == TW_STEP_FILL ? tw_backend_fill_bytes(&step->request.fill)
                                                   : step->request.hint.bytes;
    else
        told->bytes = bytes_of_side(step->to.data ? &step->to : &step->from);
}

static void describe_transfer(tw_tool_task *told, const struct tw_copy_plan *plan)
{
    told->kind = TW_TOOL_TRANSFER;
    told->name = "transfer";
    told->buffer = plan->data->number;
    told->bytes = tw_box_count(&plan->box) * plan->data->element_bytes;
    told->from = tw_observed_space(plan->from);
    told->to = tw_observed_space(plan->to);
}

static void describe_other(tw_tool_task *told, const struct tw_task *task)
{
    static const struct {
        tw_tool_task_kind kind;
        const char *name;
    } others[] = {[TW_TASK_HOST] = {TW_TOOL_HOST_TASK, NULL},
                  [TW_TASK_NATIVE] = {TW_TOOL_NATIVE_TASK, NULL},
                  [TW_TASK_GRAPH] = {TW_TOOL_GRAPH, "command graph"},
                  [TW_TASK_NOTHING] = {TW_TOOL_NOTHING, "group without a body"},
                  [TW_TASK_HOST_ACCESS] = {TW_TOOL_HOST_ACCESS, "host access"},
                  [TW_TASK_USER] = {TW_TOOL_USER_EVENT, "user event"},
                  [TW_TASK_CUDA] = {TW_TOOL_CUDA_EVENT, "CUDA event"}};
    told->kind = others[task->kind].kind;
    told->name = others[task->kind].name;
    if (!told->name)
        told->name = ((const struct tw_host_task *)(const void *)task->command->args)->name;
}

/* Describes a task, but for its times and status. */
static void describe(tw_tool_task *told, const struct tw_task *task)
{
    struct tw_command *command = task->command;
    *told = (tw_tool_task){.size = sizeof *told,
                           .id = number_of_task(task),
                           .group = command->number,
                           .queue = command->home ? command->home->number : 0,
                           .device = command->device->number,
                           .file = command->file,
                           .line = command->line,
                           .in_stream = task->node.domain != NULL,
                           .is_fallback = task->kind == TW_TASK_FALLBACK,
                           .from = TW_TOOL_HOST_MEMORY,
                           .to = TW_TOOL_HOST_MEMORY};
    if (task->kind == TW_TASK_COPY)
        describe_transfer(told, &((const struct tw_copy_task *)task)->plan);
    else if (command->kernel)
        describe_kernel(told, command);
    else if (task->kind == TW_TASK_STEP || task->kind == TW_TASK_FALLBACK)
        describe_step(told, command);
    else
        describe_other(told, task);
}

void tw_observe_begin(const struct tw_task *task)
{
    const struct tw_command *command = task->command;
    if (!command->number)
        return;
    if (task->kind == TW_TASK_KERNEL)
        learn_facts(command);
    if (!tw_tools.tells_began)
        return;
    tw_tool_task told;
    describe(&told, task);
    TW_TELL_TOOLS(began, &told);
}

void tw_observe_enqueued(const struct tw_task *task)
{
    if (!task->command->number)
        return;
    tw_tool_task told;
    describe(&told, task);
    TW_TELL_TOOLS(enqueued, &told);
}

void tw_observe_end(const struct tw_task *task, tw_status status, struct tw_backend_times times)
{
    const struct tw_command *command = task->command;
    if (!command->number || !tw_tools_are_on())
        return;
    tw_tool_task told;
    describe(&told, task);
    told.status = status;
    told.start_ns = times.start_ns;
    told.end_ns = times.end_ns;
    if (told.kind == TW_TOOL_KERNEL && !told.slow && status == TW_SUCCESS && is_cpu(command)
        && __atomic_load_n(&command->launch.stacks, __ATOMIC_RELAXED))
        told.slow = "each work-item keeps a stack: compile it with optimization and the plugin of the compiler";
    TW_TELL_TOOLS(ended, &told);
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

void tw_observe_command_locked(struct tw_command *command)
{
    command->number = numbered + 1;
    numbered += 1 + command->copy_count;
    command->measured = true;
    command->times.submit_ns = tw_held_ns();
}

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

/* Not inlined: its arrays are large. */
void tw_observe_submission_locked(const struct tw_command *command)
{
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
