/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submitting groups of a queue over several devices. The launch is divided (graph/division.h), and each part is recorded as a
 * group of its device, by the functions that the program itself would call: accessors of the boxes that mappers give, and
 * the launch, with the device's addresses in place of the placeholders. All of these groups are submitted as one.
 */
#include "divided_submit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/command_graph.h>

#include "base/log.h"
#include "divided_fallback.h"
#include "divided_pieces.h"
#include "divided_reduce.h"
#include "divided_step.h"
#include "objects/data/buffer.h"
#include "runtime/allocation.h"
#include "texture.h"

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Puts the address of an access's first element into the block. */
static void set_address(const struct tw_submission *all, size_t access, unsigned char *address)
{
    for (size_t i = 0; i < all->divided->placeholder_count; ++i) {
        const struct tw_placeholder *placeholder = &all->divided->placeholders[i];
        unsigned char *const pointer = address ? address + placeholder->beyond : NULL;
        if (placeholder->access == access)
            memcpy(all->block + placeholder->at, &pointer, sizeof pointer);
    }
}

/* Stores, with the address of a sampled image, what reads it on the group's device. The placeholder is that of the image
   alone, so the rest of it lies behind its address. */
static void set_texture(const struct tw_submission *all, size_t access, const struct tw_command_group *group,
                        const void *pixels)
{
    struct tw_backend_texture texture = all->divided->accesses[access].texture;
    struct tw_internal_sampling sampling;
    texture.pixels = pixels;
    tw_texture_find(group, all->divided->accesses[access].root, &texture, &sampling);
    for (size_t i = 0; i < all->divided->placeholder_count; ++i) {
        const struct tw_placeholder *placeholder = &all->divided->placeholders[i];
        if (placeholder->access == access && !placeholder->beyond
            && placeholder->at + sizeof(tw_sampled_image_2d) <= all->request.block_bytes)
            memcpy(all->block + placeholder->at + offsetof(tw_sampled_image_2d, tw_sampling_), &sampling,
                   sizeof sampling);
    }
}

/* Records an access of a piece. */
static void record_access(const struct tw_submission *all, const struct tw_piece *piece, size_t index,
                          struct tw_command_group *group)
{
    const struct tw_mapped_access *access = &all->divided->accesses[index];
    if (access->is_sampled)
        tw_command_group_begin_sampling(group);
    void *address =
        tw_command_group_access_within(group, access->root, &access->box, &piece->boxes[index], access->mode);
    tw_command_group_end_sampling(group);
    set_address(all, index, address);
    if (access->is_sampled && access->texture.width && address)
        set_texture(all, index, group, address);
}

/* The views of a kernel that checks them have a record, which is the group's own. */
static void set_bounds(const struct tw_submission *all, struct tw_command_group *group)
{
    const struct tw_internal_bounds *old = all->group->bounds, *new = old ? tw_internal_bounds_of(group) : NULL;
    for (size_t at = 0; new && at + sizeof(uintptr_t) <= all->request.block_bytes; ++at)
        if (memcmp(all->block + at, &old, sizeof(uintptr_t)) == 0)
            memcpy(all->block + at, &new, sizeof(uintptr_t));
}

/* Records the group of a piece. Returns NULL if there is no memory for it; else the group, which may have failed. */
static struct tw_command_group *record_piece(const struct tw_submission *all, const struct tw_piece *piece)
{
    const struct tw_divided *divided = all->divided;
    struct tw_command_group *group = tw_queue_begin(tw_piece_queue(all, piece));
    if (!group)
        return NULL;
    group->accessed_nothing = all->group->accessed_nothing;
    if (all->group->local_bytes)
        (void)tw_local(group, all->group->local_bytes);
    if (divided->block)
        memcpy(all->block, divided->block, all->request.block_bytes);
    for (size_t i = 0; i < divided->count && group->status == TW_SUCCESS; ++i) {
        if (divided->accesses[i].kind != TW_ACCESS_KERNEL)
            tw_divided_record_reduction(all, group, i);
        else
            record_access(all, piece, i, group);
    }
    if (divided->block) {
        set_bounds(all, group);
        if (all->count > 1)
            tw_command_group_set_part(group, piece->part.first, piece->part.count);
        tw_launch_request_record(&all->request, group, all->block);
        tw_divided_record_fallback(all, piece, group);
    }
    return group;
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

/* Makes room for a submission in what the group has for it. Returns NULL if memory is exhausted. It is large, so what is used
   alone is written. */
static struct tw_submission *make_room(struct tw_divided *divided, const struct tw_queue_devices *devices)
{
    const size_t mappers = (divided->count + 1) * sizeof(tw_range_mapper);
    const size_t boxes = (3 * devices->count * divided->count + 1) * sizeof(struct tw_box);
    const size_t bytes = sizeof(struct tw_submission) + mappers + boxes + divided->request.block_bytes;
    if (divided->room_bytes < bytes) {
        free(divided->room);
        divided->room = malloc(bytes);
        divided->room_bytes = divided->room ? bytes : 0;
    }
    struct tw_submission *all = divided->room;
    if (!all)
        return NULL;
    all->pieces[0].boxes = (struct tw_box *)(all + 1);
    all->mappers = (tw_range_mapper *)(void *)((unsigned char *)all->pieces[0].boxes + boxes);
    all->block = (unsigned char *)all->mappers + mappers;
    return all;
}

/* Records the groups of all pieces. */
static tw_status record(struct tw_submission *all)
{
    const bool reduces = all->divided->reductions && all->count > 1;
    tw_status status = reduces ? tw_divided_make_partials(all) : TW_SUCCESS;
    for (size_t i = 0; i < all->count && status == TW_SUCCESS; ++i) {
        status = tw_submission_add(all, record_piece(all, &all->pieces[i]));
        if (status != TW_SUCCESS)
            all->refused_by = all->pieces[i].device;
    }
    if (status == TW_SUCCESS && reduces)
        status = tw_submission_add(all, tw_divided_record_combination(all));
    return status;
}

/* Frees what was recorded of a submission that failed, and keeps the sentence about that. */
static void drop(struct tw_submission *all, tw_status status)
{
    char detail[1024];
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    for (size_t i = 0; i < all->group_count; ++i)
        tw_command_group_discard(all->groups[i]);
    tw_divided_drop_partials(all);
    all->count = all->group_count = 0;
    (void)tw_fail(status, "%s", detail);
}

/* Returns true if other devices are to run a launch that one cannot run because of its limits. */
static bool moves_to_others(struct tw_submission *all, tw_status status)
{
    const bool is_limit = status == TW_ERROR_UNSUPPORTED || status == TW_ERROR_INVALID_WORK_GROUP_SIZE
                          || status == TW_ERROR_OUT_OF_LOCAL_MEMORY || status == TW_ERROR_NO_DEVICE_IMAGE;
    if (!is_limit || all->refused_by >= all->devices->count
        || !tw_balance_refused(all->devices, all->request.kernel, all->refused_by))
        return false;
    snprintf(all->refusal, sizeof all->refusal, "%s", tw_error_detail());
    return true;
}

/* Divides the launch, and records its groups: for those devices that can run it. */
static tw_status divide(struct tw_submission *all)
{
    for (;;) {
        all->request = all->divided->request;
        all->refused_by = all->devices->count;
        tw_status status = tw_divided_make_pieces(all);
        if (status == TW_SUCCESS)
            status = record(all);
        if (status == TW_SUCCESS && all->refusal[0])
            tw_warn("kernel %s runs only on some devices of its queue: %s", all->request.kernel->name, all->refusal);
        if (status == TW_SUCCESS || !moves_to_others(all, status))
            return status;
        drop(all, status);
    }
}

/* Submits the groups, and has them measured: of each device the largest piece. */
static tw_status submit_measured(struct tw_submission *all, tw_event **event, const char *file, int line)
{
    const struct tw_command_group *group = all->group;
    tw_event *events[TW_MOST_PIECES + 1] = {NULL}, *of_devices[TW_MOST_QUEUE_DEVICES] = {NULL};
    size_t units[TW_MOST_QUEUE_DEVICES] = {0};
    const tw_status status =
        tw_command_groups_submit(group->queue, all->groups, all->group_count, group->events, event, events, file, line);
    for (size_t i = 0; status == TW_SUCCESS && i < all->group_count; ++i) {
        const struct tw_piece *piece = &all->pieces[i];
        if (i >= all->count || piece->is_edge) {
            tw_event_release(&events[i]);
            continue;
        }
        of_devices[piece->device] = events[i];
        units[piece->device] = piece->part.count[0] * piece->part.count[1] * piece->part.count[2];
    }
    if (status == TW_SUCCESS)
        tw_balance_measured(all->devices, all->request.kernel, of_devices, units);
    return status;
}

static tw_status submit_groups(struct tw_submission *all, tw_event **event, const char *file, int line)
{
    const struct tw_command_group *group = all->group;
    if (all->plan.measures && !tw_queue_is_recording(group->queue))
        return submit_measured(all, event, file, line);
    return tw_command_groups_submit(group->queue, all->groups, all->group_count, group->events, event, NULL, file,
                                    line);
}

tw_status tw_divided_submit(struct tw_command_group *group, tw_event **event, const char *file, int line)
{
    struct tw_submission *all = make_room(group->divided, group->queue->devices);
    if (!all)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a group of several devices");
    all->group = group;
    all->divided = group->divided;
    all->devices = group->queue->devices;
    all->partials = NULL;
    all->plan.measures = false;
    all->count = all->group_count = 0;
    all->refusal[0] = '\0';
    const bool is_step = group->step && (all->divided->count || all->divided->sets_variable);
    tw_status status = is_step ? tw_divided_record_step(all) : divide(all);
    if (status == TW_SUCCESS)
        status = submit_groups(all, event, file, line);
    if (status == TW_SUCCESS)
        tw_divided_drop_partials(all); /* the commands keep what they use */
    else
        drop(all, status);
    return status;
}
