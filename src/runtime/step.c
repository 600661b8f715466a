/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills that the program asks for: from boxes to rows of bytes, and to the backend. */
#include "step.h"

#include "rows.h"

/* Where the rows of a side are. */
struct side_rows {
    unsigned char *first;
    size_t pitch, plane;
};

static struct side_rows rows_of(const struct tw_step_side *side, size_t space, const struct tw_backend_copy *shape)
{
    const struct tw_data *data = side->data;
    if (!data)
        return (struct side_rows){side->memory, shape->row_bytes, shape->row_bytes * shape->rows};
    const size_t pitch = data->whole.end[2] * data->element_bytes;
    unsigned char *address = atomic_load(&data->allocations[space].address);
    return (struct side_rows){address + tw_box_first(&side->box, &data->whole) * data->element_bytes, pitch,
                              data->whole.end[1] * pitch};
}

struct tw_step *tw_step_prepare(struct tw_command *command)
{
    struct tw_step *step = tw_step_of(command);
    const struct tw_step_side *known = step->to.data ? &step->to : &step->from;
    const struct tw_box *box = &known->box;
    __builtin_assume(known->data != NULL); /* for clang-tidy: one side is a buffer */
    const size_t space = command->device->space;
    struct tw_backend_device *device = space ? command->device->backend : NULL;
    struct tw_backend_copy copy = {.to = step->to.data ? device : NULL,
                                   .from = step->from.data ? device : NULL,
                                   .row_bytes = (box->end[2] - box->begin[2]) * known->data->element_bytes,
                                   .rows = box->end[1] - box->begin[1],
                                   .planes = box->end[0] - box->begin[0]};
    const struct side_rows to = rows_of(&step->to, space, &copy);
    if (step->pattern_bytes) {
        step->request.fill = (struct tw_backend_fill){.target = to.first,
                                                      .pattern = step->pattern,
                                                      .pattern_bytes = step->pattern_bytes,
                                                      .row_bytes = copy.row_bytes,
                                                      .rows = copy.rows,
                                                      .planes = copy.planes,
                                                      .pitch = to.pitch,
                                                      .plane = to.plane};
        return step;
    }
    const struct side_rows from = rows_of(&step->from, space, &copy);
    copy.target = to.first;
    copy.target_pitch = to.pitch;
    copy.target_plane = to.plane;
    copy.source = from.first;
    copy.source_pitch = from.pitch;
    copy.source_plane = from.plane;
    step->request.copy = copy;
    return step;
}

const void *tw_step_domain(struct tw_command *command)
{
    const struct tw_step *step = tw_step_of(command);
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_async *async = device->backend->async;
    const bool on_device = step->to.data && (step->pattern_bytes || step->from.data);
    return async && on_device && async->reaches(device, device) ? async : NULL;
}

tw_status tw_step_run(struct tw_command *command)
{
    const struct tw_step *step = tw_step_prepare(command);
    struct tw_backend_device *device = command->device->backend;
    const struct tw_backend_memory *memory = command->device->space ? device->backend->memory : NULL;
    if (memory)
        return step->pattern_bytes ? memory->fill(device, &step->request.fill) : memory->copy(&step->request.copy);
    if (step->pattern_bytes)
        tw_rows_fill(&step->request.fill);
    else
        tw_rows_copy(&step->request.copy);
    return TW_SUCCESS;
}

tw_status tw_step_enqueue(struct tw_command *command, struct tw_backend_stream *stream, uint64_t *sequence)
{
    const struct tw_step *step = tw_step_prepare(command);
    const struct tw_backend_async *async = command->device->backend->backend->async;
    return step->pattern_bytes ? async->fill(stream, &step->request.fill, sequence)
                               : async->copy(stream, &step->request.copy, sequence);
}
