/* SPDX-License-Identifier: Apache-2.0 */
/* Records copies and fills of unified shared memory, and hints about it, as the steps of command groups
   (teamwork/usm.h). What does them, and how, is found here once: the memory does not move to other addresses. */
#include <teamwork/usm.h>

#include <stdint.h>
#include <string.h>

#include "base/detail.h"
#include "command_group.h"
#include "objects/data/usm_place.h"

/* ---- what the steps have in common ------------------------------------------------------------------------------- */

/* tw_usm_find_place() for memory that has to be unified shared memory. */
static tw_status find_usm(const void *memory, size_t bytes, const char *what, struct tw_usm_place *place)
{
    const tw_status status = tw_usm_find_place(memory, bytes, what, place);
    return status != TW_SUCCESS || place->type != TW_POINTER_UNKNOWN
               ? status
               : tw_fail(TW_ERROR_INVALID_ARGUMENT,
                         "%s is not unified shared memory: give an address in memory of tw_malloc_device(), "
                         "tw_malloc_shared() or tw_malloc_host() that is not freed",
                         what);
}

/* Keeps an error in the group. Returns true if there is none. */
static bool accept(tw_command_group *group, tw_status status)
{
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
    return status == TW_SUCCESS;
}

/* Adds the step of a group. Returns NULL if the group fails. */
static struct tw_step *add_step(tw_command_group *group, enum tw_step_kind kind, struct tw_backend_device *device,
                                size_t pattern_bytes)
{
    struct tw_step *step = tw_command_group_make_step(group, pattern_bytes);
    if (!step)
        return NULL;
    step->kind = kind;
    step->is_usm = true;
    step->device = device;
    step->pattern_bytes = pattern_bytes;
    return step;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* A side of a copy, as the program gives it. */
struct side {
    const void *memory;
    size_t pitch;
};

/* Returns the bytes from the first to the last of some rows. Both numbers are at least 1. False if they are too many. */
static bool span_of(size_t pitch, size_t row_bytes, size_t rows, size_t *span)
{
    return !__builtin_mul_overflow(pitch, rows - 1, span) && !__builtin_add_overflow(*span, row_bytes, span);
}

/* Returns true if rows of both sides have bytes in common. Rows of equal pitch may lie between each other. */
static bool overlap(struct side to, struct side from, size_t row_bytes, size_t rows)
{
    const uintptr_t a = (uintptr_t)to.memory, b = (uintptr_t)from.memory;
    const uintptr_t distance = a < b ? b - a : a - b;
    size_t span = 0;
    (void)span_of(a < b ? to.pitch : from.pitch, row_bytes, rows, &span); /* of the side that begins first */
    if (distance >= span)
        return false;
    if (to.pitch != from.pitch)
        return true;
    const size_t rest = distance % to.pitch; /* from the beginning of the row before */
    return rest < row_bytes || (to.pitch - rest < row_bytes && distance / to.pitch + 1 < rows);
}

/* Decides where a copy between two places is done. Shared memory of another device is used as the host's where the
   devices do not know each other; where they do, it is one's own: all of them reach it. */
static tw_status choose_device(struct tw_usm_place *to, struct tw_usm_place *from)
{
    struct tw_usm_place *shared = from->type == TW_POINTER_SHARED ? from : to, *other = shared == from ? to : from;
    if (!to->device || !from->device || to->device == from->device)
        return TW_SUCCESS;
    const bool know_each_other = to->device->backend == from->device->backend;
    if (shared->type == TW_POINTER_SHARED)
        shared->device = know_each_other ? other->device : NULL;
    else if (!know_each_other)
        return tw_fail(TW_ERROR_UNSUPPORTED,
                       "memory of %s cannot be copied to %s directly: copy through memory of tw_malloc_host()",
                       tw_device_name(from->owner), tw_device_name(to->owner));
    return TW_SUCCESS;
}

/* Returns true if a stream of the device that copies between two places can do so: of the target's, or else of the
   source's. */
static bool is_for_stream(const struct tw_usm_place *to, const struct tw_usm_place *from)
{
    if (!to->device)
        return to->type == TW_POINTER_HOST && from->device;
    if (!from->device)
        return from->type == TW_POINTER_HOST;
    const struct tw_backend_async *async = to->device->backend->async;
    return to->device == from->device || (async && async->reaches(to->device, from->device));
}

static tw_status check_sides(struct side to, struct side from, size_t row_bytes, size_t rows,
                             struct tw_usm_place *to_place, struct tw_usm_place *from_place)
{
    size_t to_bytes, from_bytes;
    if (to.pitch < row_bytes || from.pitch < row_bytes)
        return tw_fail(TW_ERROR_INVALID_RANGE, "a pitch of %zu bytes is less than a row of %zu",
                       to.pitch < row_bytes ? to.pitch : from.pitch, row_bytes);
    if (!span_of(to.pitch, row_bytes, rows, &to_bytes) || !span_of(from.pitch, row_bytes, rows, &from_bytes))
        return tw_fail(TW_ERROR_INVALID_RANGE, "%zu rows of %zu bytes are more than there can be", rows, row_bytes);
    tw_status status = tw_usm_find_place(to.memory, to_bytes, "what is copied to", to_place);
    if (status == TW_SUCCESS)
        status = tw_usm_find_place(from.memory, from_bytes, "what is copied from", from_place);
    if (status == TW_SUCCESS && overlap(to, from, row_bytes, rows))
        status = tw_fail(TW_ERROR_INVALID_RANGE, "what is copied overlaps: copy through other memory");
    return status;
}

static void copy(tw_command_group *group, const char *name, struct side to, struct side from, size_t row_bytes,
                 size_t rows)
{
    struct tw_usm_place to_place, from_place;
    if (!tw_command_group_begin_step(group, name) || !row_bytes || !rows
        || !accept(group, check_sides(to, from, row_bytes, rows, &to_place, &from_place))
        || !accept(group, choose_device(&to_place, &from_place)))
        return;
    struct tw_backend_device *device = to_place.device ? to_place.device : from_place.device;
    struct tw_step *step = add_step(group, TW_STEP_COPY, device, 0);
    if (!step)
        return;
    step->is_for_stream = is_for_stream(&to_place, &from_place);
    step->request.copy = (struct tw_backend_copy){.to = to_place.device,
                                                  .from = from_place.device,
                                                  .target = (void *)(uintptr_t)to.memory,
                                                  .source = from.memory,
                                                  .row_bytes = row_bytes,
                                                  .rows = rows,
                                                  .planes = 1,
                                                  .target_pitch = to.pitch,
                                                  .source_pitch = from.pitch};
}

void tw_memcpy(tw_command_group *group, void *to, const void *from, size_t bytes)
{
    copy(group, "tw_memcpy", (struct side){to, bytes}, (struct side){from, bytes}, bytes, 1);
}

void tw_memcpy_2d(tw_command_group *group, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                  size_t row_bytes, size_t rows)
{
    copy(group, "tw_memcpy_2d", (struct side){to, to_pitch}, (struct side){from, from_pitch}, row_bytes, rows);
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static void fill(tw_command_group *group, const char *name, void *memory, const void *value, size_t value_bytes,
                 size_t count)
{
    struct tw_usm_place place;
    size_t bytes;
    tw_status status = TW_SUCCESS;
    if (!tw_command_group_begin_step(group, name) || !count || !value_bytes)
        return;
    if (!value)
        status = tw_fail(TW_ERROR_INVALID_ARGUMENT, "the value to fill with is NULL");
    else if (__builtin_mul_overflow(value_bytes, count, &bytes))
        status =
            tw_fail(TW_ERROR_INVALID_RANGE, "%zu elements of %zu bytes are more than there can be", count, value_bytes);
    else
        status = find_usm(memory, bytes, "what is filled", &place);
    struct tw_step *step = accept(group, status) ? add_step(group, TW_STEP_FILL, place.device, value_bytes) : NULL;
    if (!step)
        return;
    step->is_for_stream = true;
    memcpy(step->pattern, value, value_bytes);
    step->request.fill = (struct tw_backend_fill){
        .target = memory, .pattern_bytes = value_bytes, .row_bytes = bytes, .rows = 1, .planes = 1};
}

void tw_memset(tw_command_group *group, void *memory, int value, size_t bytes)
{
    const unsigned char byte = (unsigned char)value;
    fill(group, "tw_memset", memory, &byte, 1, bytes);
}

void tw_mem_fill(tw_command_group *group, void *memory, const void *value, size_t value_bytes, size_t count)
{
    fill(group, "tw_mem_fill", memory, value, value_bytes, count);
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */

static void hint(tw_command_group *group, const char *name, struct tw_backend_hint hint)
{
    struct tw_usm_place place;
    if (!group || !tw_command_group_begin_step(group, name) || !hint.bytes
        || !accept(group, find_usm(hint.memory, hint.bytes, "the memory", &place)))
        return;
    const struct tw_device *device = tw_memory_owner(group->device);
    if (place.type != TW_POINTER_SHARED || !place.device || !place.device->backend->memory->hint)
        return; /* there is nothing to do */
    if (!tw_usm_is_of_host(device) && place.owner != device) {
        (void)accept(group,
                     tw_fail(TW_ERROR_INVALID_ARGUMENT, "the memory is shared with %s, and the queue's device is %s",
                             tw_device_name(place.owner), tw_device_name(device)));
        return;
    }
    struct tw_step *step = add_step(group, TW_STEP_HINT, place.device, 0);
    if (!step)
        return;
    hint.to_host = hint.to_host || tw_usm_is_of_host(device);
    step->is_for_stream = true;
    step->request.hint = hint;
}

void tw_mem_prefetch(tw_command_group *group, const void *memory, size_t bytes)
{
    hint(group, "tw_mem_prefetch", (struct tw_backend_hint){.memory = memory, .bytes = bytes, .prefetches = true});
}

void tw_mem_prefetch_host(tw_command_group *group, const void *memory, size_t bytes)
{
    hint(group, "tw_mem_prefetch_host",
         (struct tw_backend_hint){.memory = memory, .bytes = bytes, .prefetches = true, .to_host = true});
}

void tw_mem_advise(tw_command_group *group, const void *memory, size_t bytes, tw_mem_advice advice)
{
    if (group && ((int)advice < TW_ADVICE_RESET || advice > TW_ADVICE_HOST_DOES_NOT))
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_ARGUMENT, "%d is no advice", (int)advice));
    hint(group, "tw_mem_advise", (struct tw_backend_hint){.memory = memory, .bytes = bytes, .advice = advice});
}

/* ---- groups of one step ------------------------------------------------------------------------------------------ */

tw_status tw_internal_queue_memcpy(tw_queue *queue, void *to, const void *from, size_t bytes, tw_event **event,
                                   const char *file, int line)
{
    tw_command_group *group = tw_queue_begin(queue);
    tw_memcpy(group, to, from, bytes);
    return tw_internal_submit(queue, group, event, file, line);
}

tw_status tw_internal_queue_memset(tw_queue *queue, void *memory, int value, size_t bytes, tw_event **event,
                                   const char *file, int line)
{
    tw_command_group *group = tw_queue_begin(queue);
    tw_memset(group, memory, value, bytes);
    return tw_internal_submit(queue, group, event, file, line);
}

tw_status tw_internal_queue_mem_fill(tw_queue *queue, void *memory, const void *value, size_t value_bytes, size_t count,
                                     tw_event **event, const char *file, int line)
{
    tw_command_group *group = tw_queue_begin(queue);
    tw_mem_fill(group, memory, value, value_bytes, count);
    return tw_internal_submit(queue, group, event, file, line);
}

tw_status tw_internal_queue_mem_prefetch(tw_queue *queue, const void *memory, size_t bytes, tw_event **event,
                                         const char *file, int line)
{
    tw_command_group *group = tw_queue_begin(queue);
    tw_mem_prefetch(group, memory, bytes);
    return tw_internal_submit(queue, group, event, file, line);
}
