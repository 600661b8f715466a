/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: their launches, and what tools are told of them. */
#include <pthread.h>
#include <stdatomic.h>

#include "command.h"

#define KNOWN_KERNELS 256u /* a power of two */
#define NEIGHBOURS 8u      /* rows where a kernel may be */

static const void *domain(struct tw_command *command)
{
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_async *async = device->backend->async;
    return async && !command->bounds && async->takes(device, command->kernel, &command->launch) ? async : NULL;
}

static tw_status execute(struct tw_task *task)
{
    struct tw_command *command = task->command;
    struct tw_backend_device *device = command->device->backend;
    const tw_status status = device->backend->launch(device, command->kernel, &command->launch);
    return status == TW_SUCCESS ? tw_command_check_bounds(command) : status;
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    return async->launch(stream, task->command->kernel, &task->command->launch, &task->sequence);
}

static bool add_to_graph(struct tw_task *task, struct tw_backend_graph_node *node)
{
    node->kernel = task->command->kernel;
    node->launch = &task->command->launch;
    return true;
}

/* ---- for tools --------------------------------------------------------------------------------------------------- */

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
static void learn(const struct tw_task *task)
{
    const struct tw_command *command = task->command;
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

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    const struct tw_command *command = task->command;
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
    const bool has_run = task->ran.end_ns; /* until then another thread may write `stacks` */
    if (has_run && is_cpu(command) && !told->slow && __atomic_load_n(&launch->stacks, __ATOMIC_RELAXED))
        told->slow = "each work-item keeps a stack: compile it with optimization and the plugin of the compiler";
    told->dims = launch->dims;
    for (unsigned d = 0; d < 3; ++d) {
        told->range[d] = launch->range[d] * (has_groups ? launch->local[d] : 1);
        told->local[d] = has_groups ? launch->local[d] : 0;
    }
}

const struct tw_task_kind tw_kind_kernel = {
    .launches = true,
    .occupies = true,
    .domain = domain,
    .execute = execute,
    .enqueue = enqueue,
    .add_to_graph = add_to_graph,
    .learn = learn,
    .describe = describe,
};
