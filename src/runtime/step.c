/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, fills and hints that the program asks for: from boxes to rows of bytes, and to the backend. */
#include "step.h"

#include "allocation.h"
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
    return !side->data ? side->device : command->device->space ? command->device->backend : NULL;
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

struct tw_step *tw_step_prepare(struct tw_command *command)
{
    struct tw_step *step = tw_step_of(command);
    if (!step->is_usm)
        find_rows(step, command);
    if (step->kind == TW_STEP_FILL)
        step->request.fill.pattern = step->pattern;
    return step;
}

const void *tw_step_domain(struct tw_command *command)
{
    const struct tw_step *step = tw_step_of(command);
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_async *async = device->backend->async;
    const bool on_device = step->is_usm
                               ? step->is_for_stream && step->device == device
                               : device_of(&step->to, command) == device
                                     && (step->kind == TW_STEP_FILL || device_of(&step->from, command) == device);
    return async && on_device && async->reaches(device, device) ? async : NULL;
}

tw_status tw_step_run(struct tw_command *command)
{
    const struct tw_step *step = tw_step_prepare(command);
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

tw_status tw_step_enqueue(struct tw_command *command, struct tw_backend_stream *stream, uint64_t *sequence)
{
    const struct tw_step *step = tw_step_prepare(command);
    const struct tw_backend_async *async = command->device->backend->backend->async;
    return step->kind == TW_STEP_FILL   ? async->fill(stream, &step->request.fill, sequence)
           : step->kind == TW_STEP_COPY ? async->copy(stream, &step->request.copy, sequence)
                                        : async->hint(stream, &step->request.hint, sequence);
}
