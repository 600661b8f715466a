/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Algorithms as steps of command groups (teamwork/algorithms.h). An algorithm is a few launches of one block. Where the
 * backend runs stages, the first one is the group's launch, and those behind it are its stages. Elsewhere the last one
 * is the group's own; those before it are groups that are submitted with it, as one. All of them use what the group's
 * accessors say, and temporary memory, so that the graph orders them. Knows nothing of what the kernels compute.
 */
#include "algorithm.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/command_graph.h>
#include <teamwork/copy.h>
#include <teamwork/kernel_object.h>
#include <teamwork/lower/algorithm/plan.h>

#include "base/detail.h"
#include "command_group.h"
#include "command_group_command.h"
#include "kernel_pointers.h"
#include "objects/data/buffer.h"
#include "objects/data/usm_place.h"

/* ---- what algorithms ask, and are told ------------------------------------------------------------------------- */

struct tw_internal_algorithm_device tw_internal_algorithm_device(const tw_command_group *group)
{
    struct tw_internal_algorithm_device device = {false, false, 1};
    if (!group || group->status != TW_SUCCESS)
        return device;
    const struct tw_device *of = group->queue->device;
    device.is_gpu = of->backend->type == TW_DEVICE_GPU;
    device.runs_stages = of->backend->backend->runs_stages;
    device.units = tw_device_facts(of)->compute_units;
    device.units += device.units == 0;
    return device;
}

size_t tw_command_group_temporary_bytes(const tw_command_group *group)
{
    return group && group->algorithm ? group->algorithm->scratch_bytes : 0;
}

/* ---- what algorithms expect of their arguments --------------------------------------------------------------------- */

/* Elements of an algorithm: more than any memory has, and so few that no number of bytes of them overflows. */
#define MOST_ELEMENTS ((size_t)1 << 44)

/* Finds the contents of the group in which an address lies. Returns the number of bytes from there to the end of what the
   group accesses of them; SIZE_MAX if the address lies in none. */
static size_t bytes_behind(const struct tw_command_group *group, const void *address, const struct tw_data **found)
{
    size_t offset, most = 0;
    const struct tw_data *data = *found = tw_kernel_data_at(group, address, &offset);
    for (size_t i = 0; i < group->use_count; ++i) {
        const struct tw_box *box = &group->uses[i].box;
        if (!data || group->uses[i].data != data)
            continue;
        const struct tw_box last = {{box->end[0] - 1, box->end[1] - 1, box->end[2] - 1}, {0}};
        const size_t end = (tw_box_first(&last, &data->whole) + 1) * data->element_bytes;
        if (end > offset && end - offset > most)
            most = end - offset;
    }
    return data ? most : SIZE_MAX;
}

/* Returns true if arguments can be checked while they are recorded: the group has an address for each, and the numbers of
   elements are the host's. */
static bool are_known(const struct tw_command_group *group)
{
    return group && group->status == TW_SUCCESS && !group->recorder && !group->counted;
}

#define ARGUMENT "argument %s of the algorithm"

void tw_internal_expect(tw_command_group *group, const char *name, const void *memory, size_t count,
                        size_t element_bytes)
{
    const struct tw_data *data = NULL;
    struct tw_usm_place place;
    if (!are_known(group) || !count || count > MOST_ELEMENTS)
        return;
    const size_t bytes = count * element_bytes, left = memory ? bytes_behind(group, memory, &data) : SIZE_MAX;
    tw_status status = TW_SUCCESS;
    if (!memory && group->accessed_nothing)
        status =
            tw_fail(TW_ERROR_INVALID_RANGE, ARGUMENT " has no elements, of which the algorithm takes %zu", name, count);
    else if (data && bytes > left)
        status = tw_fail(TW_ERROR_INVALID_RANGE,
                         ARGUMENT " has %zu elements of %zu bytes behind its address in what the group accesses of the "
                                  "buffer, and the algorithm takes %zu",
                         name, left / element_bytes, element_bytes, count);
    else if (memory && !data && tw_usm_find_place(memory, bytes, name, &place) != TW_SUCCESS) {
        char what[64];
        snprintf(what, sizeof what, ARGUMENT, name);
        status = tw_usm_find_place(memory, bytes, what, &place);
    }
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
}

void tw_internal_expect_apart(tw_command_group *group, const void *in, size_t count, const void *out, size_t out_count,
                              size_t element_bytes)
{
    if (!are_known(group) || !in || !out || !count || !out_count || count > MOST_ELEMENTS || out_count > MOST_ELEMENTS)
        return;
    const uintptr_t from = (uintptr_t)in, to = (uintptr_t)out;
    if (from < to + out_count * element_bytes && to < from + count * element_bytes)
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                      "the algorithm would write elements where it reads others: its output needs "
                                      "memory of its own"));
}

void tw_count_on_device(tw_command_group *group, const void *count)
{
    const struct tw_data *data = NULL;
    if (!group || group->status != TW_SUCCESS)
        return;
    if (count)
        (void)bytes_behind(group, count, &data);
    if (!count && !group->accessed_nothing)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "tw_count_on_device(): the count is NULL"));
    else if (data && data->element_bytes > 1 && data->element_bytes < sizeof(size_t))
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                      "tw_count_on_device(): the count is a size_t, of %zu bytes, and the buffer "
                                      "whose accessor gave it has elements of %zu bytes",
                                      sizeof(size_t), data->element_bytes));
    else
        tw_internal_expect(group, "count", count, 1, sizeof(size_t));
    if (group->status == TW_SUCCESS)
        group->counted = count;
}

/* ---- temporary memory -------------------------------------------------------------------------------------------- */

/* The queue keeps some buffers of temporary memory, so that algorithms in a row allocate nothing: up to this size.
   What is larger costs little beside the algorithm. */
#define MOST_KEPT_BYTES ((size_t)8 << 20)
#define LEAST_BYTES 4096u

/* Returns true if a buffer serves an algorithm of a queue: the graph would let it wait for what uses the buffer,
   which costs an in-order queue nothing. */
static bool serves(const struct tw_queue *queue, struct tw_buffer *buffer, size_t bytes)
{
    return buffer->data.bytes >= bytes && (queue->tasks.in_order || atomic_load(&buffer->uses) == 1);
}

/* Gives the queue a buffer to keep, which takes another one's place if there are enough. */
static void keep(struct tw_queue *queue, struct tw_buffer *buffer)
{
    for (size_t i = 0; i < TW_SPARE_SCRATCH; ++i) {
        struct tw_buffer *none = NULL;
        if (atomic_compare_exchange_strong(&queue->scratch[i], &none, buffer))
            return;
    }
    buffer = atomic_exchange(&queue->scratch[0], buffer);
    if (buffer)
        tw_buffer_drop(buffer);
}

/* Returns a buffer that the queue has kept; NULL if it has none that serves. */
static struct tw_buffer *take(struct tw_queue *queue, size_t bytes)
{
    for (size_t i = 0; i < TW_SPARE_SCRATCH; ++i) {
        struct tw_buffer *buffer = atomic_load(&queue->scratch[i]) ? atomic_exchange(&queue->scratch[i], NULL) : NULL;
        if (buffer && serves(queue, buffer, bytes))
            return buffer;
        if (buffer)
            keep(queue, buffer);
    }
    return NULL;
}

/* Makes the temporary memory of an algorithm. A recorded one has its own. */
static tw_status make_scratch(struct tw_queue *queue, size_t bytes, struct tw_buffer **scratch)
{
    size_t room = LEAST_BYTES;
    if (!tw_queue_is_recording(queue) && (*scratch = take(queue, bytes)) != NULL)
        return TW_SUCCESS;
    while (room < bytes && room < MOST_KEPT_BYTES)
        room *= 2;
    return tw_buffer_create(1, tw_range_1d(room < bytes ? bytes : room), scratch);
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* Fails for a group that cannot have an algorithm. */
static bool begin(struct tw_command_group *group)
{
    if (group && group->status == TW_SUCCESS && group->recorder)
        tw_command_group_fail(group, tw_fail(TW_ERROR_UNSUPPORTED,
                                             "the queue is over several devices, and an algorithm runs on one: take a "
                                             "queue of one of them"));
    if (group && group->status == TW_SUCCESS && (group->kernel || group->step))
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                                      "the command group already has %s%s%s; an algorithm needs a group of its own",
                                      group->kernel ? "kernel " : "a ",
                                      group->kernel ? group->kernel->name : group->step, group->kernel ? "" : "()"));
    return tw_command_group_begin_step(group, "algorithm");
}

/* Adds an algorithm with room for `steps` launches to the group, and its temporary memory. */
static tw_status make(struct tw_command_group *group, size_t steps, size_t scratch_bytes, void **scratch)
{
    struct tw_algorithm *algorithm = calloc(1, sizeof *algorithm + steps * sizeof algorithm->steps[0]);
    if (!algorithm)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for an algorithm");
    group->algorithm = algorithm;
    if (!scratch_bytes)
        return TW_SUCCESS;
    algorithm->scratch_bytes = scratch_bytes;
    const tw_status status = make_scratch(group->queue, scratch_bytes, &algorithm->scratch);
    if (status == TW_SUCCESS)
        *scratch = tw_access(group, algorithm->scratch, TW_DISCARD_READ_WRITE, TW_GLOBAL);
    return status == TW_SUCCESS ? group->status : status;
}

/* Begins a step in front of the group's launch. Returns NULL if memory is exhausted. */
static struct tw_command_group *add_step(struct tw_command_group *group)
{
    struct tw_command_group *step = tw_queue_begin(group->queue);
    if (step)
        group->algorithm->steps[group->algorithm->count++] = step;
    return step;
}

/* What the launches before have written, those behind them need. */
static void need_what_is_written(struct tw_command_group *group)
{
    for (size_t i = 0; i < group->use_count; ++i)
        group->uses[i].needs = group->uses[i].needs || group->uses[i].writes;
}

/* Makes a step access what the group does. */
static tw_status copy_uses(const struct tw_command_group *group, struct tw_command_group *step)
{
    static const tw_access_mode modes[2][2] = {{TW_READ, TW_DISCARD_WRITE}, {TW_READ, TW_READ_WRITE}};
    step->accessed_nothing = group->accessed_nothing;
    for (size_t i = 0; i < group->use_count && step->status == TW_SUCCESS; ++i) {
        const struct tw_use *use = &group->uses[i];
        (void)tw_command_group_access(step, tw_buffer_of(use->data), &use->box, modes[use->needs][use->writes]);
    }
    return step->status;
}

static void launch(struct tw_command_group *group, const struct tw_internal_plan_stage *stage, const void *block,
                   size_t block_bytes)
{
    const tw_range items = tw_range_1d(stage->group_items);
    if (stage->kernel->form == TW_INTERNAL_ND_RANGE)
        tw_parallel_for_nd_range_kernel(group, tw_nd_range_make(tw_range_1d(stage->groups * stage->group_items), items),
                                        stage->kernel, block, block_bytes);
    else
        tw_parallel_for_work_group_kernel(group, tw_range_1d(stage->groups), items, stage->kernel, block, block_bytes);
}

/* Returns the status of a step that has been recorded, or why there is none. */
static tw_status status_of(const struct tw_command_group *step)
{
    return step ? tw_command_group_tell(step) : tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a step of an algorithm");
}

/* Records the step that sets the first bytes of the temporary memory to 0. It discards the others: they may be lost, if an
   algorithm before failed. */
static tw_status record_clearing(struct tw_command_group *group, size_t bytes)
{
    static const unsigned char zero = 0;
    struct tw_command_group *step = add_step(group);
    (void)tw_access(step, group->algorithm->scratch, TW_DISCARD_WRITE, TW_GLOBAL);
    tw_fill_part(step, group->algorithm->scratch, tw_id_1d(0), tw_range_1d(bytes), &zero);
    need_what_is_written(group);
    return status_of(step);
}

static tw_status record_step(struct tw_command_group *group, const struct tw_internal_plan_stage *stage,
                             const void *block, size_t block_bytes)
{
    struct tw_command_group *step = add_step(group);
    if (step && copy_uses(group, step) == TW_SUCCESS)
        launch(step, stage, block, block_bytes);
    need_what_is_written(group);
    return status_of(step);
}

/* Makes room for `bytes` of arguments, of which the group has the first already. */
static tw_status make_room(struct tw_command_group *group, size_t bytes)
{
    if (bytes > TW_FEW_ARGS_BYTES) {
        unsigned char *args = realloc(group->args == group->few_args ? NULL : group->args, bytes);
        if (!args)
            return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the launches of an algorithm");
        if (group->args == group->few_args)
            memcpy(args, group->few_args, group->args_bytes);
        group->args = args;
    }
    group->args_bytes = bytes;
    return TW_SUCCESS;
}

/* Adds the launches of a plan behind the first one as stages to the group, which has that one. */
static tw_status add_stages(struct tw_command_group *group, const struct tw_internal_plan *plan)
{
    struct tw_backend_device *device = group->queue->device->backend;
    const size_t bytes = group->args_bytes, offset = tw_internal_next_launch_offset(bytes);
    tw_status status = make_room(group, (plan->count - 1) * (offset + sizeof(struct tw_internal_next_launch)) + bytes);
    unsigned char *block = group->args;
    for (size_t i = 1; i < plan->count && status == TW_SUCCESS; ++i) {
        const struct tw_internal_plan_stage *of = &plan->stages[i];
        struct tw_internal_next_launch *stage = (void *)(block + offset);
        *stage = (struct tw_internal_next_launch){of->kernel, of->groups};
        block = memcpy(stage + 1, group->args, bytes);
        ((struct tw_internal_algorithm *)(void *)block)->pass = of->pass;
        struct tw_internal_launch launch = group->launch;
        launch.range[0] = launch.whole[0] = of->groups;
        launch.args = block;
        status = device->backend->check(device, of->kernel, &launch);
    }
    group->launch.stages = plan->count - 1;
    return status;
}

/* Records all launches of a plan as one. */
static void record_as_one(struct tw_command_group *group, const struct tw_internal_plan *plan,
                          struct tw_internal_algorithm *block, size_t block_bytes)
{
    group->step = NULL;
    block->pass = plan->stages[0].pass;
    launch(group, &plan->stages[0], block, block_bytes);
    const tw_status status = group->status == TW_SUCCESS ? add_stages(group, plan) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
}

void tw_internal_algorithm_run(tw_command_group *group, const struct tw_internal_plan *plan,
                               struct tw_internal_algorithm *block, size_t block_bytes)
{
    if (!begin(group))
        return;
    if (block->count > MOST_ELEMENTS) {
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_INVALID_ARGUMENT,
                                      "an algorithm has at most 2^44 elements, not %zu: with tw_count_on_device(), "
                                      "give as many as there is room for",
                                      block->count));
        return;
    }
    block->counted = group->counted ? group->counted : TW_INTERNAL_NULL;
    group->counted = NULL; /* tw_command_group_submit() refuses a count that no algorithm has taken */
    block->scratch = TW_INTERNAL_NULL;
    tw_status status = TW_SUCCESS;
    if (plan->scratch_bytes || plan->count > 1)
        status = make(group, plan->count + 1, plan->scratch_bytes, &block->scratch);
    if (status == TW_SUCCESS && plan->cleared_bytes)
        status = record_clearing(group, plan->cleared_bytes);
    if (status == TW_SUCCESS && plan->count > 1 && group->queue->device->backend->backend->runs_stages) {
        record_as_one(group, plan, block, block_bytes);
        return;
    }
    for (size_t i = 0; i + 1 < plan->count && status == TW_SUCCESS; ++i) {
        block->pass = plan->stages[i].pass;
        status = record_step(group, &plan->stages[i], block, block_bytes);
    }
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return;
    }
    if (!plan->count)
        return; /* there is nothing to do */
    group->step = NULL;
    block->pass = plan->stages[plan->count - 1].pass;
    launch(group, &plan->stages[plan->count - 1], block, block_bytes);
}

void tw_internal_algorithm_refuse(tw_command_group *group, const char *message)
{
    if (begin(group))
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "%s", message));
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

tw_status tw_algorithm_submit(struct tw_command_group *group, tw_event **event, const char *file, int line)
{
    struct tw_algorithm *algorithm = group->algorithm;
    struct tw_event_list *const events = group->events;
    struct tw_queue *const queue = group->queue; /* the caller's handle keeps it */
    const size_t count = algorithm->count;
    group->algorithm = NULL;
    group->events = NULL;
    algorithm->steps[count] = group; /* there is room for one more */
    const tw_status status =
        tw_command_groups_submit(queue, algorithm->steps, count + 1, events, event, NULL, file, line);
    if (status == TW_SUCCESS) {
        algorithm->count = 0;
        if (algorithm->scratch && algorithm->scratch->data.bytes <= MOST_KEPT_BYTES && !tw_queue_is_recording(queue)) {
            keep(queue, algorithm->scratch);
            algorithm->scratch = NULL;
        }
        tw_command_group_drop_events(events);
        tw_command_group_drop_algorithm(algorithm);
    } else {
        group->algorithm = algorithm;
        group->events = events;
    }
    return status;
}
