/* SPDX-License-Identifier: Apache-2.0 */
/* Records copies, fills and updates as the steps of command groups (teamwork/copy.h). */
#include <stdint.h>
#include <string.h>

#include <teamwork/copy.h>

#include "base/detail.h"
#include "command_group.h"
#include "objects/data/buffer.h"
#include "objects/data/usm_place.h"

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* A part of a buffer, as the program gives it. */
struct part {
    tw_buffer *buffer;
    tw_id offset;
    tw_range range;
};

static struct part part_of(tw_buffer *buffer, tw_id offset, tw_range range)
{
    return (struct part){buffer, offset, range};
}

static struct part all_of(tw_buffer *buffer)
{
    return part_of(buffer, (tw_id){.dims = tw_buffer_range(buffer).dims}, tw_buffer_range(buffer));
}

/* Makes a side of a step. Returns false if the group fails. */
static bool describe_side(tw_command_group *group, const struct part *part, tw_access_mode mode,
                          struct tw_step_side *side)
{
    if (!tw_command_group_box(group, part->buffer, part->offset, part->range, mode, &side->box))
        return false;
    side->data = &part->buffer->root->data;
    side->memory = NULL;
    side->device = NULL;
    return true;
}

/* ---- copies and fills -------------------------------------------------------------------------------------------- */

static bool is_empty(const struct tw_step_side *side)
{
    return tw_box_is_empty(&side->box);
}

/* Adds a step that is about some elements, and its accesses. Returns NULL if the group fails. */
static struct tw_step *add_step(tw_command_group *group, const struct tw_step_side *from, const struct tw_step_side *to,
                                size_t pattern_bytes)
{
    struct tw_step *step = NULL;
    if ((!from->data || tw_command_group_access(group, tw_buffer_of(from->data), &from->box, TW_READ))
        && (!to->data || tw_command_group_access(group, tw_buffer_of(to->data), &to->box, TW_DISCARD_WRITE)))
        step = tw_command_group_make_step(group, pattern_bytes);
    if (!step)
        return NULL;
    step->kind = pattern_bytes ? TW_STEP_FILL : TW_STEP_COPY;
    step->from = *from;
    step->to = *to;
    step->pattern_bytes = pattern_bytes;
    return step;
}

static tw_status check_sides(const struct part *from_part, const struct part *to_part, const struct tw_step_side *from,
                             const struct tw_step_side *to)
{
    if (!tw_range_equal(from_part->range, to_part->range))
        return tw_fail(TW_ERROR_INVALID_RANGE, "the buffers have different ranges: tw_copy_part() copies parts");
    if (from->data->element_bytes != to->data->element_bytes)
        return tw_fail(TW_ERROR_INVALID_RANGE,
                       "the elements of the buffers have %zu and %zu bytes: make both buffers of the same type",
                       from->data->element_bytes, to->data->element_bytes);
    if (from->data == to->data && tw_box_overlaps(&from->box, &to->box))
        return tw_fail(TW_ERROR_INVALID_RANGE, "the parts of the buffer overlap: copy through another buffer");
    return TW_SUCCESS;
}

static void copy(tw_command_group *group, const char *name, struct part from_part, struct part to_part)
{
    struct tw_step_side from, to;
    if (!tw_command_group_begin_divisible_step(group, name) || !describe_side(group, &from_part, TW_READ, &from)
        || !describe_side(group, &to_part, TW_DISCARD_WRITE, &to))
        return;
    const tw_status status = check_sides(&from_part, &to_part, &from, &to);
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    else if (!is_empty(&to))
        (void)add_step(group, &from, &to, 0);
}

void tw_copy(tw_command_group *group, tw_buffer *from, tw_buffer *to)
{
    copy(group, "tw_copy", all_of(from), all_of(to));
}

void tw_copy_part(tw_command_group *group, tw_buffer *from, tw_id from_offset, tw_buffer *to, tw_id to_offset,
                  tw_range range)
{
    copy(group, "tw_copy_part", part_of(from, from_offset, range), part_of(to, to_offset, range));
}

static void fill(tw_command_group *group, const char *name, struct part part, const void *value)
{
    const struct tw_step_side none = {.data = NULL};
    struct tw_step_side side;
    if (!tw_command_group_begin_divisible_step(group, name) || !describe_side(group, &part, TW_DISCARD_WRITE, &side)
        || is_empty(&side))
        return;
    if (!value) {
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "the value to fill with is NULL"));
        return;
    }
    struct tw_step *step = add_step(group, &none, &side, side.data->element_bytes);
    if (step)
        memcpy(step->pattern, value, step->pattern_bytes);
}

void tw_fill(tw_command_group *group, tw_buffer *buffer, const void *value)
{
    fill(group, "tw_fill", all_of(buffer), value);
}

void tw_fill_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range, const void *value)
{
    fill(group, "tw_fill_part", part_of(buffer, offset, range), value);
}

/* Makes the side of a copy that is not the buffer's: memory of the program, or unified shared memory. */
static tw_status find_program(const tw_command_group *group, const struct tw_step_side *buffer, void *memory,
                              struct tw_step_side *side)
{
    struct tw_usm_place place;
    const struct tw_device *device = group->device;
    const size_t bytes = tw_box_count(&buffer->box) * buffer->data->element_bytes;
    const tw_status status = tw_usm_find_place(memory, bytes, "the program's memory", &place);
    if (status != TW_SUCCESS)
        return status;
    *side = (struct tw_step_side){.memory = memory, .device = place.type == TW_POINTER_DEVICE ? place.device : NULL};
    if (side->device && device->space && device->backend->backend != side->device->backend)
        return tw_fail(TW_ERROR_UNSUPPORTED,
                       "memory of %s cannot be copied from or to %s directly: copy through memory of tw_malloc_host()",
                       tw_device_name(place.owner), tw_device_name(device));
    return TW_SUCCESS;
}

/* Copies between a part of a buffer and the program's memory. */
static void transfer(tw_command_group *group, const char *name, struct part part, void *memory, bool writes)
{
    struct tw_step_side side, program;
    if (!tw_command_group_begin_divisible_step(group, name)
        || !describe_side(group, &part, writes ? TW_DISCARD_WRITE : TW_READ, &side) || is_empty(&side))
        return;
    const tw_status status = find_program(group, &side, memory, &program);
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    else
        (void)add_step(group, writes ? &program : &side, writes ? &side : &program, 0);
}

void tw_copy_from(tw_command_group *group, tw_buffer *buffer, const void *memory)
{
    transfer(group, "tw_copy_from", all_of(buffer), (void *)(uintptr_t)memory, true);
}

void tw_copy_from_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range, const void *memory)
{
    transfer(group, "tw_copy_from_part", part_of(buffer, offset, range), (void *)(uintptr_t)memory, true);
}

void tw_copy_to(tw_command_group *group, tw_buffer *buffer, void *memory)
{
    transfer(group, "tw_copy_to", all_of(buffer), memory, false);
}

void tw_copy_to_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range, void *memory)
{
    transfer(group, "tw_copy_to_part", part_of(buffer, offset, range), memory, false);
}

/* ---- updates ----------------------------------------------------------------------------------------------------- */

/* Reads a part where the group's accessors are, and does nothing with it. */
static void bring(tw_command_group *group, const struct part *part)
{
    struct tw_box box;
    if (tw_command_group_box(group, part->buffer, part->offset, part->range, TW_READ, &box))
        (void)tw_command_group_access(group, part->buffer, &box, TW_READ);
}

static void update_host(tw_command_group *group, const char *name, struct part part)
{
    if (tw_command_group_begin_move(group, name, true))
        bring(group, &part);
}

void tw_update_host(tw_command_group *group, tw_buffer *buffer)
{
    update_host(group, "tw_update_host", all_of(buffer));
}

void tw_update_host_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range)
{
    update_host(group, "tw_update_host_part", part_of(buffer, offset, range));
}

static void prefetch(tw_command_group *group, const char *name, struct part part)
{
    if (tw_command_group_begin_move(group, name, false))
        bring(group, &part);
}

void tw_prefetch(tw_command_group *group, tw_buffer *buffer)
{
    prefetch(group, "tw_prefetch", all_of(buffer));
}

void tw_prefetch_part(tw_command_group *group, tw_buffer *buffer, tw_id offset, tw_range range)
{
    prefetch(group, "tw_prefetch_part", part_of(buffer, offset, range));
}
