/* SPDX-License-Identifier: Apache-2.0 */
/* Running a command on its fallback's device: copies its inputs, launches its kernel, and hands over its results. */
#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "base/detail.h"
#include "base/lock.h"
#include "command.h"
#include "copy_task.h"
#include "fallback.h"

static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER; /* taken before the lock, never after */

static void *address_of(const struct tw_data *data, size_t space)
{
    return atomic_load(&data->allocations[space].address);
}

/* Copies the contents of a buffer from one memory space to another, through the host if necessary. Without the lock. */
static tw_status copy(const struct tw_data *data, size_t from, size_t to)
{
    struct tw_backend_device *source = from ? tw_memory_space_device(from)->backend : NULL;
    struct tw_backend_device *target = to ? tw_memory_space_device(to)->backend : NULL;
    const struct tw_backend_copy whole =
        tw_backend_copy_of(target, address_of(data, to), source, address_of(data, from), data->bytes);
    if (!from || !to || source->backend == target->backend)
        return (to ? target : source)->backend->memory->copy(&whole);
    void *stage = tw_host_allocate(data->bytes);
    if (!stage)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no host memory to copy %zu bytes through", data->bytes);
    const struct tw_backend_copy out = tw_backend_copy_of(NULL, stage, source, whole.source, data->bytes);
    const struct tw_backend_copy in = tw_backend_copy_of(target, whole.target, NULL, stage, data->bytes);
    tw_status status = source->backend->memory->copy(&out);
    if (status == TW_SUCCESS)
        status = target->backend->memory->copy(&in);
    free(stage);
    return status;
}

/* Returns true if a copy of a buffer's contents to a memory space has failed. The command itself may be the next writer
   there, so it does not matter that one is unfinished. */
static bool has_failed_locked(const struct tw_data *data, size_t space)
{
    const struct tw_resource *resource = &data->allocations[space].resource;
    return resource->lost || resource->lost_parts;
}

/* Returns true if a memory space holds what a use of a command needs. */
static bool holds_locked(const struct tw_command *command, size_t use, size_t space)
{
    const struct tw_fallback *fallback = command->fallback;
    if (has_failed_locked(command->uses[use].data, space))
        return false;
    return fallback->held[use * fallback->space_count + space] || space == fallback->first_space;
}

static bool is_defined(const struct tw_fallback *fallback, size_t use)
{
    return memchr(fallback->held + use * fallback->space_count, true, fallback->space_count) != NULL;
}

/* Returns true if what a use needs must be copied to the fallback's device. */
static bool is_missing(const struct tw_command *command, size_t use)
{
    const struct tw_use *needed = &command->uses[use];
    const size_t space = command->device->space;
    if (!needed->needs || !is_defined(command->fallback, use))
        return false;
    tw_lock();
    const bool is_there = holds_locked(command, use, space)
                          || (command->fallback->expected[use] && !has_failed_locked(needed->data, space));
    tw_unlock();
    return !is_there;
}

/* Copies what a use needs to the fallback's device, from the first memory space where that works. */
static tw_status bring(const struct tw_command *command, size_t use)
{
    const struct tw_fallback *fallback = command->fallback;
    const struct tw_data *data = command->uses[use].data;
    const size_t to = command->device->space;
    tw_status status = tw_fail(TW_ERROR_TRANSFER_FAILED, "no device has the contents any more");
    for (size_t from = 0; from < fallback->space_count && status != TW_SUCCESS; ++from) {
        tw_lock();
        const bool holds = from != to && holds_locked(command, use, from);
        tw_unlock();
        if (holds)
            status = copy(data, from, to);
    }
    return status;
}

/* ---- where the results are --------------------------------------------------------------------------------------- */

/* Returns true if a later task expects the contents of a buffer in this memory space. */
static bool looks_there_locked(const struct tw_task *task, const struct tw_data *data, size_t space)
{
    const struct tw_copy_plan *plan = &((const struct tw_copy_task *)task)->plan;
    if (tw_is_copy(task))
        return plan->data == data && plan->from == space;
    if (task->command->device->space != space)
        return false;
    for (size_t i = 0; i < task->command->use_count; ++i) /* of parts, there may be several */
        if (task->command->uses[i].data == data && task->command->uses[i].needs)
            return true;
    return false;
}

/* Returns true if a node need not wait for an unfinished predecessor, since its ordering domain keeps the order. */
static bool relies_on_its_domain(const struct tw_node *node)
{
    for (size_t i = 0; i < node->in_count; ++i)
        if (node->in[i].from && node->in[i].passed)
            return true;
    return false;
}

/* Makes a copy read the contents from another memory space. Returns false if it cannot. */
static bool redirect_locked(struct tw_task *task, size_t from)
{
    struct tw_copy_task *copy_task = (struct tw_copy_task *)task;
    if (!tw_is_copy(task) || tw_copy_must_stage(copy_task->plan.data, from, copy_task->plan.to))
        return false;
    const struct tw_copy_plan plan = {copy_task->plan.data, from, copy_task->plan.to, copy_task->plan.box};
    const void *domain = plan.from == plan.to ? NULL : tw_copy_domain(&plan);
    if (domain != task->node.domain && relies_on_its_domain(&task->node))
        return false;
    copy_task->plan = plan;
    task->node.domain = domain;
    return true;
}

/* Redirects later tasks to where the contents are that the command wrote. Tasks that cannot use that place are
   cancelled. */
static void tell_locked(const struct tw_command *command, const struct tw_data *data, struct tw_failure *failure)
{
    for (struct tw_edge *edge = command->body.node.out; edge; edge = edge->next) {
        struct tw_task *task = (struct tw_task *)edge->to;
        if (looks_there_locked(task, data, command->fallback->first_space)
            && !redirect_locked(task, command->device->space))
            tw_graph_cancel(&task->node, &failure->cause);
    }
}

/* Tells the fallbacks of later commands where the contents are. */
static void tell_standbys_locked(const struct tw_command *command, const struct tw_data *data)
{
    for (const struct tw_edge *edge = command->body.node.out; edge; edge = edge->next) {
        const struct tw_command *later = ((const struct tw_task *)edge->to)->command;
        struct tw_fallback *fallback = later->fallback;
        for (size_t i = 0; fallback && i < later->use_count; ++i)
            if (later->uses[i].data == data) {
                bool *held = fallback->held + i * fallback->space_count;
                held[command->fallback->first_space] = false;
                held[command->device->space] = true;
            }
    }
}

/* Contents that are in another memory space than was expected. */
struct move {
    struct tw_data *data;
    size_t from, to;
    struct tw_failure *failure; /* why they are not where they were expected */
    size_t pieces;              /* an upper bound of the boxes that change */
};

static void count_piece(const struct tw_box *piece, void *user)
{
    (void)piece;
    ++((struct move *)user)->pieces;
}

static void move_piece(const struct tw_box *piece, void *user)
{
    const struct move *move = user;
    struct tw_allocation *allocations = move->data->allocations;
    const struct tw_box *part = tw_box_covers(piece, &move->data->whole) ? NULL : piece;
    tw_forget_box(move->data, piece, move->from);
    tw_apply_copy(move->data, piece, move->to);
    tw_graph_lose(&allocations[move->from].resource, part, &move->failure->cause);
    tw_graph_lose(&allocations[move->to].resource, part, NULL);
}

/* Marks what the command wrote as being where it ran, but for what later commands write. Returns false if memory is
   exhausted. */
static bool move_locked(const struct tw_command *command, struct tw_data *data, struct tw_failure *failure)
{
    const size_t first = command->fallback->first_space, here = command->device->space;
    const struct tw_box_node whole = tw_box_node(&data->whole, &data->whole);
    struct move move = {.data = data, .from = first, .to = here, .failure = failure};
    const struct tw_box_node *later = tw_box_tree_find(data->contents.part_writers, &whole);
    tw_box_visit_rest(&data->whole, &data->whole, later, 0, count_piece, &move);
    for (size_t space = 0; space < data->space_count; ++space)
        move.pieces += data->allocations[space].parts.count;
    if (later && !tw_box_reserve(&data->reserve, 2 * TW_BOX_PIECES * move.pieces))
        return false;
    tw_box_visit_rest(&data->whole, &data->whole, later, 0, move_piece, &move);
    return true;
}

/* Copies what the command wrote to where later commands expect it. If that fails, it stays, and they are redirected. */
static void hand_over(const struct tw_command *command, struct tw_data *data)
{
    const size_t first = command->fallback->first_space, here = command->device->space;
    if (first == here)
        return;
    const tw_status status = copy(data, here, first);
    tw_lock();
    if (status == TW_SUCCESS) {
        tw_graph_lose(&data->allocations[first].resource, NULL, NULL);
    } else {
        struct tw_failure *failure = tw_command_failure_locked(command, status);
        tell_locked(command, data, failure);
        tell_standbys_locked(command, data);
        /* if a later command writes all of it, that decides where the contents will be */
        if (data->contents.writer == &command->body.node && !move_locked(command, data, failure))
            tw_graph_lose(&data->contents, NULL, &failure->cause);
        tw_cause_release(&failure->cause);
    }
    tw_unlock();
}

static tw_status execute(struct tw_task *task)
{
    struct tw_command *command = task->command;
    struct tw_fallback *fallback = command->fallback;
    struct tw_backend_device *device = command->device->backend;
    tw_status status = TW_SUCCESS;
    fallback->launch.accesses = command->uses; /* equal to those of the recorded group, which are gone */
    fallback->launch.access_count = command->use_count;
    pthread_mutex_lock(&running);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (is_missing(command, i))
            status = bring(command, i);
    if (status == TW_SUCCESS)
        status = fallback->kernel ? device->backend->launch(device, fallback->kernel, &fallback->launch)
                                  : tw_kind_step.execute(&command->body);
    if (status == TW_SUCCESS)
        status = tw_command_check_bounds(command);
    for (size_t i = 0; i < command->use_count && status == TW_SUCCESS; ++i)
        if (command->uses[i].writes)
            hand_over(command, command->uses[i].data);
    pthread_mutex_unlock(&running);
    return status;
}

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    (task->command->kernel ? &tw_kind_kernel : &tw_kind_step)->describe(task, told);
}

const struct tw_task_kind tw_kind_fallback = {
    .what = "a data movement",
    .execute = execute,
    .describe = describe,
};
