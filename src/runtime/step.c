/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills and hints that the program asks for: from boxes to rows of bytes, and to the backend. */
#include "step.h"

#include "allocation.h"
#include "observe_device.h"
#include "rows.h"

/* Returns where the rows of a side are. Those of the program's memory have the shape of the other side. */
static struct tw_data_rows rows_of(const struct tw_step_side *side, const struct tw_step_side *buffer, size_t space)
{
    struct tw_data_rows rows = tw_data_rows(buffer->data, &buffer->box, space);
    if (side->data)
        return rows;
    rows.first = side->memory;
    rows.pitch = rows.row_bytes;
    rows.plane = rows.row_bytes * rows.rows;
    return rows;
}

/* Returns the device whose memory a side is while buffers are on the command's device; NULL: it is the host's. */
static struct tw_backend_device *device_of(const struct tw_step_side *side, const struct tw_command *command)
{
    return !side->data ? side->device : command->device->space ? tw_memory_owner(command->device)->backend : NULL;
}

/* Makes the request of a step that is about buffers. */
static void find_rows(struct tw_step *step, const struct tw_command *command)
{
    const size_t space = command->device->space;
    step->device = device_of(&step->to, command);
    const struct tw_data_rows to = rows_of(&step->to, step->to.data ? &step->to : &step->from, space);
    if (step->kind == TW_STEP_FILL) {
        step->request.fill = (struct tw_backend_fill){.target = to.first,
                                                      .pattern_bytes = step->pattern_bytes,
                                                      .row_bytes = to.row_bytes,
                                                      .rows = to.rows,
                                                      .planes = to.planes,
                                                      .pitch = to.pitch,
                                                      .plane = to.plane};
        return;
    }
    const struct tw_data_rows from = rows_of(&step->from, step->from.data ? &step->from : &step->to, space);
    struct tw_backend_device *to_device = step->device, *from_device = device_of(&step->from, command);
    if (!to_device)
        step->device = from_device;
    step->request.copy = tw_rows_request(to_device, &to, from_device, &from);
}

/* Finds the addresses of buffers on the command's device. Returns the step with its request. */
static struct tw_step *prepare(struct tw_command *command)
{
    struct tw_step *step = tw_step_of(command);
    if (!step->is_usm)
        find_rows(step, command);
    if (step->kind == TW_STEP_FILL)
        step->request.fill.pattern = step->pattern;
    return step;
}

static const void *domain(struct tw_command *command)
{
    const struct tw_step *step = tw_step_of(command);
    struct tw_backend_device *device = tw_memory_owner(command->device)->backend;
    const struct tw_backend_async *async = device->backend->async;
    const bool on_device = step->is_usm
                               ? step->is_for_stream && step->device == device
                               : device_of(&step->to, command) == device
                                     && (step->kind == TW_STEP_FILL || device_of(&step->from, command) == device);
    return async && on_device && async->reaches(device, device) ? async : NULL;
}

static tw_status execute(struct tw_task *task)
{
    const struct tw_step *step = prepare(task->command);
    const struct tw_backend_memory *memory = step->device ? step->device->backend->memory : NULL;
    if (memory)
        return step->kind == TW_STEP_FILL   ? memory->fill(step->device, &step->request.fill)
               : step->kind == TW_STEP_COPY ? memory->copy(&step->request.copy)
                                            : memory->hint(step->device, &step->request.hint);
    if (step->kind == TW_STEP_FILL)
        tw_rows_fill(&step->request.fill);
    else
        tw_rows_copy(&step->request.copy);
    return TW_SUCCESS;
}

static tw_status enqueue(const struct tw_backend_async *async, struct tw_backend_stream *stream, struct tw_task *task)
{
    const struct tw_step *step = prepare(task->command);
    uint64_t *sequence = &task->sequence;
    return step->kind == TW_STEP_FILL   ? async->fill(stream, &step->request.fill, sequence)
           : step->kind == TW_STEP_COPY ? async->copy(stream, &step->request.copy, sequence)
                                        : async->hint(stream, &step->request.hint, sequence);
}

static bool add_to_graph(struct tw_task *task, struct tw_backend_graph_node *node)
{
    const struct tw_step *step = prepare(task->command);
    if (step->kind == TW_STEP_FILL)
        node->fill = &step->request.fill;
    else
        node->copy = &step->request.copy;
    return step->kind != TW_STEP_HINT;
}

/* ---- for tools --------------------------------------------------------------------------------------------------- */

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

static void describe(const struct tw_task *task, tw_tool_task *told)
{
    struct tw_command *command = task->command;
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

const struct tw_task_kind tw_kind_step = {
    .what = "a copy or fill",
    .moves_data = true,
    .domain = domain,
    .execute = execute,
    .enqueue = enqueue,
    .add_to_graph = add_to_graph,
    .describe = describe,
};
