/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Submitting groups of a queue over several devices. The launch is divided (graph/division.h), and each part is recorded as a
 * group of its device, by the functions that the program itself would call: accessors of the boxes that mappers give, and
 * the launch, with the device's addresses in place of the placeholders. All of these groups are submitted as one.
 */
#include "divided.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/command_graph.h>
#include <teamwork/task.h>

#include "base/detail.h"
#include "graph/division.h"
#include "objects/data/buffer.h"
#include "objects/queues/queue_devices.h"
#include "runtime/allocation.h"

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* A part of the launch, and the device that runs it. */
struct piece {
    struct tw_launch_part part;
    struct tw_queue *queue;
    struct tw_box *boxes; /* of each access */
};

/* Where the pieces leave what the kernel reduces into one target, until all is combined. */
struct partials {
    size_t access;
    struct tw_buffer *buffer; /* the elements of each piece, one piece after the other */
    size_t elements;          /* of a piece */
};

/* A submission of a group. */
struct submission {
    const struct tw_command_group *group;
    const struct tw_divided *divided;
    const struct tw_queue_devices *devices;
    struct tw_launch_request request; /* with the size of groups, if there are any */
    struct tw_launch_space space;
    tw_range_mapper *mappers; /* of each access */
    unsigned char *block;     /* of the piece that is recorded */
    struct partials *partials; /* of each reduction, if there are several pieces */
    size_t count;
    struct piece pieces[TW_MOST_QUEUE_DEVICES];
    struct tw_command_group *groups[TW_MOST_QUEUE_DEVICES + 1]; /* of each piece, and one that combines the partials */
    size_t group_count;
};

static const char *kernel_name(const struct submission *all)
{
    return all->divided->block ? all->request.kernel->name : "?";
}

/* Stores the box of an access's elements that a part accesses. */
static tw_status map_access(const struct submission *all, size_t index, const struct tw_launch_part *part,
                            struct tw_box *box)
{
    const struct tw_mapped_access *access = &all->divided->accesses[index];
    const unsigned dims = access->range.dims;
    tw_id offset;
    tw_range range;
    if (!tw_map_part(&all->mappers[index], &all->space, part, access->range, &offset, &range))
        return tw_fail(TW_ERROR_INVALID_RANGE,
                       "a mapper of kernel %s gives a box with other dimensions than the buffer, which has %u",
                       kernel_name(all), dims);
    *box = access->box;
    for (unsigned d = 0; d < dims; ++d) {
        const unsigned at = 3 - dims + d; /* the box's dimension */
        box->begin[at] += offset.at[d];
        box->end[at] = box->begin[at] + range.size[d];
    }
    return TW_SUCCESS;
}

/* Returns true if pieces write to the memory of an access. What they reduce goes elsewhere. */
static bool writes(const struct tw_mapped_access *access)
{
    return tw_access_mode_writes(access->mode) && access->kind == TW_ACCESS_KERNEL;
}

/* Fails if an element is written by two pieces. */
static tw_status check_overlap(const struct submission *all, const struct piece *one, const struct piece *other)
{
    const struct tw_mapped_access *accesses = all->divided->accesses;
    for (size_t i = 0; i < all->divided->count; ++i)
        for (size_t k = 0; writes(&accesses[i]) && k < all->divided->count; ++k)
            if (writes(&accesses[k]) && accesses[i].root == accesses[k].root
                && tw_box_overlaps(&one->boxes[i], &other->boxes[k]))
                return tw_fail(TW_ERROR_INVALID_RANGE,
                               "parts of kernel %s on %s and %s would write the same elements of a buffer: give what it "
                               "writes another mapper, as tw_one_to_one(), reduce, or take a queue on one device",
                               kernel_name(all), tw_device_name(one->queue->device),
                               tw_device_name(other->queue->device));
    return TW_SUCCESS;
}

/* Maps the accesses of all pieces. */
static tw_status map_pieces(const struct submission *all)
{
    tw_status status = TW_SUCCESS;
    for (size_t p = 0; p < all->count; ++p)
        for (size_t i = 0; i < all->divided->count && status == TW_SUCCESS; ++i)
            status = map_access(all, i, &all->pieces[p].part, &all->pieces[p].boxes[i]);
    for (size_t p = 0; p < all->count; ++p)
        for (size_t other = 0; other < p && status == TW_SUCCESS; ++other)
            status = check_overlap(all, &all->pieces[other], &all->pieces[p]);
    return status;
}

/* Copies that go through the host need its memory. It is allocated here, so that nothing waits for it while the groups are
   submitted. */
static tw_status prepare_stages(const struct submission *all)
{
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < all->divided->count; ++i) {
        struct tw_data *data = &all->divided->accesses[i].root->data;
        for (size_t k = 1; k < all->devices->count; ++k) {
            const size_t from = tw_data_space(data, all->devices->queues[k - 1]->device->space);
            const size_t to = tw_data_space(data, all->devices->queues[k]->device->space);
            if (status == TW_SUCCESS && !atomic_load(&data->allocations[0].address) && from != to
                && (tw_copy_must_stage(data, from, to) || tw_copy_must_stage(data, to, from)))
                status = tw_data_allocate(data, 0);
        }
    }
    return status;
}

/* Puts the address of an access's first element into the block. */
static void set_address(const struct submission *all, size_t access, unsigned char *address)
{
    for (size_t i = 0; i < all->divided->placeholder_count; ++i) {
        const struct tw_placeholder *placeholder = &all->divided->placeholders[i];
        unsigned char *const pointer = address ? address + placeholder->beyond : NULL;
        if (placeholder->access == access)
            memcpy(all->block + placeholder->at, &pointer, sizeof pointer);
    }
}

/* Puts what stands for the target of a reduction, whose first member is its address, into the block. */
static void set_target(const struct submission *all, size_t access, const void *target, size_t bytes)
{
    for (size_t i = 0; i < all->divided->placeholder_count; ++i)
        if (all->divided->placeholders[i].access == access)
            memcpy(all->block + all->divided->placeholders[i].at, target, bytes);
}

/* Lets a piece reduce into `count` elements of a buffer, from `first` on. */
static void reduce_into(const struct submission *all, struct tw_command_group *group, size_t access,
                        struct tw_buffer *buffer, size_t first, size_t count)
{
    const struct tw_mapped_access *to = &all->divided->accesses[access];
    const bool keep = !all->partials && tw_access_mode_needs(to->mode);
    if (to->kind == TW_ACCESS_VALUE) {
        const struct tw_internal_target target = tw_internal_reduction(group, buffer, first, keep);
        set_target(all, access, &target, sizeof target);
        return;
    }
    struct tw_buffer part = {.copy = buffer->copy, .root = buffer->root, .range = tw_range_1d(count)};
    part.box = all->partials ? tw_box_of_part(tw_id_1d(first), part.range) : to->box;
    const struct tw_internal_array target = tw_internal_reduction_array(group, &part, keep);
    set_target(all, access, &target, sizeof target);
}

/* The same for a reduction of the kernel. */
static void record_reduction(const struct submission *all, struct tw_command_group *group, size_t access)
{
    const struct tw_mapped_access *to = &all->divided->accesses[access];
    const struct partials *partials = all->partials;
    if (!partials) {
        reduce_into(all, group, access, to->root, tw_box_first(&to->box, &to->root->data.whole), to->range.size[0]);
        return;
    }
    while (partials->access != access)
        ++partials;
    reduce_into(all, group, access, partials->buffer, all->group_count * partials->elements, partials->elements);
}

/* The views of a kernel that checks them have a record, which is the group's own. */
static void set_bounds(const struct submission *all, struct tw_command_group *group)
{
    const struct tw_internal_bounds *old = all->group->bounds, *new = old ? tw_internal_bounds_of(group) : NULL;
    for (size_t at = 0; new && at + sizeof old <= all->request.block_bytes; ++at)
        if (memcmp(all->block + at, &old, sizeof old) == 0)
            memcpy(all->block + at, &new, sizeof new);
}

/* Records the group of a piece. Returns NULL if there is no memory for it; else the group, which may have failed. */
static struct tw_command_group *record_piece(const struct submission *all, const struct piece *piece)
{
    const struct tw_divided *divided = all->divided;
    struct tw_command_group *group = tw_queue_begin(piece->queue);
    if (!group)
        return NULL;
    group->accessed_nothing = all->group->accessed_nothing;
    group->local_bytes = all->group->local_bytes;
    if (divided->block)
        memcpy(all->block, divided->block, all->request.block_bytes);
    for (size_t i = 0; i < divided->count && group->status == TW_SUCCESS; ++i) {
        const struct tw_mapped_access *access = &divided->accesses[i];
        if (access->kind != TW_ACCESS_KERNEL)
            record_reduction(all, group, i);
        else
            set_address(all, i,
                        tw_command_group_access_within(group, access->root, &access->box, &piece->boxes[i], access->mode));
    }
    if (divided->block) {
        set_bounds(all, group);
        tw_launch_request_record(&all->request, group, all->block);
        if (group->status == TW_SUCCESS && all->count > 1)
            tw_command_group_set_part(group, piece->part.first, piece->part.count);
    }
    return group;
}

/* ---- division ---------------------------------------------------------------------------------------------------- */

/* Sets the size of the launch's groups where the library chooses it: that of the first device, for all of them. */
static tw_status choose_size(struct submission *all)
{
    struct tw_command_group *probe = tw_queue_begin(all->devices->queues[0]);
    if (!probe)
        return TW_ERROR_OUT_OF_MEMORY;
    probe->accessed_nothing = true; /* nothing of its block leads anywhere */
    probe->local_bytes = all->group->local_bytes;
    probe->reduced_count = all->group->reduced_count;
    tw_launch_request_record(&all->request, probe, all->divided->block);
    tw_status status = tw_command_group_status(probe);
    if (status == TW_SUCCESS)
        for (unsigned d = 0; d < 3; ++d)
            all->request.local.size[d] = probe->launch.local[d];
    else
        status = tw_fail(status, "%s", probe->detail ? probe->detail : "no memory to say what is wrong");
    all->request.local.dims = all->request.range.dims;
    tw_command_group_discard(probe);
    return status;
}

/* Sets what the launch runs. What is wrong with it is found when it is recorded for a device. */
static tw_status describe_space(struct submission *all)
{
    struct tw_launch_request *request = &all->request;
    const bool in_groups = request->form == TW_INTERNAL_WORK_GROUP || request->form == TW_INTERNAL_ND_RANGE;
    const tw_status status = in_groups && tw_range_is_any(request->local) ? choose_size(all) : TW_SUCCESS;
    all->space = (struct tw_launch_space){request->range.dims, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    for (unsigned d = 0; d < request->range.dims && d < 3; ++d) {
        all->space.unit[d] = in_groups && request->local.size[d] ? request->local.size[d] : 1;
        all->space.units[d] = request->form == TW_INTERNAL_ND_RANGE ? request->range.size[d] / all->space.unit[d]
                                                                     : request->range.size[d];
        all->space.offset[d] = d < request->offset.dims ? request->offset.at[d] : 0;
    }
    return status;
}

/* Makes the mappers explicit. */
static tw_status resolve_mappers(const struct submission *all)
{
    for (size_t i = 0; i < all->divided->count; ++i) {
        const struct tw_mapped_access *access = &all->divided->accesses[i];
        all->mappers[i] = access->mapper;
        if (!tw_mapper_resolve(&all->mappers[i], &all->space, access->range, writes(access)))
            return tw_fail(TW_ERROR_INVALID_RANGE,
                           "kernel %s writes a buffer whose range is not that of the launch: on a queue over several "
                           "devices say by a mapper which elements its work-items write, as in "
                           "tw_write_mapped(group, buffer, tw_one_to_one()) (range_mapper.h)",
                           kernel_name(all));
    }
    return TW_SUCCESS;
}

/* Returns true if a launch is for one device. */
static bool is_undivided(const struct submission *all)
{
    const struct tw_launch_part whole = tw_launch_all(&all->space);
    return !all->divided->block || all->request.form == TW_INTERNAL_SINGLE_TASK || !all->space.dims
           || all->space.dims > 3 || tw_launch_part_is_empty(&whole)
           || (all->divided->reductions && (!all->request.kernel->merge || tw_queue_is_recording(all->group->queue)));
}

/* Makes it one piece with all that the accessors are for. */
static void leave_undivided(struct submission *all)
{
    struct piece *piece = &all->pieces[0];
    piece->queue = all->devices->queues[0];
    all->count = 1;
    for (size_t i = 0; i < all->divided->count; ++i)
        piece->boxes[i] = all->divided->accesses[i].box;
}

/* Divides the launch into pieces. */
static tw_status divide(struct submission *all)
{
    struct tw_launch_part parts[TW_MOST_QUEUE_DEVICES];
    double weights[TW_MOST_QUEUE_DEVICES];
    tw_queue_get_weights(all->group->queue, all->request.kernel, weights);
    tw_divide(&all->space, weights, all->devices->count, parts);
    struct tw_box *const boxes = all->pieces[0].boxes;
    for (size_t i = 0; i < all->devices->count; ++i)
        if (!tw_launch_part_is_empty(&parts[i])) {
            all->pieces[all->count] = (struct piece){.part = parts[i],
                                                     .queue = all->devices->queues[i],
                                                     .boxes = boxes + all->count * all->divided->count};
            ++all->count;
        }
    const tw_status status = resolve_mappers(all);
    return status == TW_SUCCESS ? map_pieces(all) : status;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Makes room for what the pieces reduce. */
static tw_status make_partials(struct submission *all)
{
    size_t count = 0;
    all->partials = calloc(all->divided->reductions, sizeof *all->partials);
    if (!all->partials)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory to reduce on several devices");
    for (size_t i = 0; i < all->divided->count; ++i) {
        const struct tw_mapped_access *access = &all->divided->accesses[i];
        if (access->kind == TW_ACCESS_KERNEL)
            continue;
        struct partials *partials = &all->partials[count++];
        partials->access = i;
        partials->elements = access->range.size[0];
        const tw_status status =
            tw_buffer_create(access->root->data.element_bytes, tw_range_1d(all->count * partials->elements),
                             &partials->buffer);
        if (status != TW_SUCCESS)
            return status;
    }
    return TW_SUCCESS;
}

/* Gives the handles back; the buffers stay until the commands are complete. */
static void drop_partials(const struct submission *all)
{
    for (size_t i = 0; all->partials && i < all->divided->reductions; ++i)
        if (all->partials[i].buffer)
            tw_buffer_drop(all->partials[i].buffer);
    free(all->partials);
}

/* A reduction, for combine(). */
struct reduction {
    size_t at;               /* of its target in the kernel's block */
    unsigned char *partials; /* on the host */
    unsigned char *target;   /* likewise */
    size_t bytes;            /* of a piece's partials */
    bool keep;               /* the target's value counts */
};

/* What combine() is told. The kernel's block follows the reductions, and room for another one. */
struct combination {
    void (*merge)(const void *to, const void *from);
    size_t pieces, count, block_bytes;
    _Alignas(max_align_t) struct reduction reductions[];
};

static void set_pointer(unsigned char *block, const struct reduction *reduction, unsigned char *pointer)
{
    memcpy(block + reduction->at, &pointer, sizeof pointer);
}

/* A host task: combines the partials in the order of the pieces, and then with the targets. */
static tw_status combine(const void *args)
{
    const struct combination *all = args;
    const struct reduction *reductions = all->reductions, *past = reductions + all->count;
    unsigned char *to = (unsigned char *)(uintptr_t)past, *from = to + all->block_bytes; /* the task's own copy */
    for (size_t piece = 1; piece < all->pieces; ++piece) {
        for (const struct reduction *r = reductions; r < past; ++r) {
            set_pointer(to, r, r->partials);
            set_pointer(from, r, r->partials + piece * r->bytes);
        }
        all->merge(to, from);
    }
    /* What is replaced is combined with the second piece's, which nobody needs any more. */
    for (const struct reduction *r = reductions; r < past; ++r) {
        set_pointer(from, r, r->partials);
        set_pointer(to, r, r->keep ? r->target : r->partials + r->bytes);
        if (!r->keep)
            memcpy(r->target, r->partials, r->bytes);
    }
    all->merge(to, from);
    return TW_SUCCESS;
}

static size_t target_at(const struct tw_divided *divided, size_t access)
{
    size_t i = 0;
    while (i + 1 < divided->placeholder_count && divided->placeholders[i].access != access)
        ++i;
    return divided->placeholders[i].at;
}

/* Records the group that combines what the pieces have reduced. Returns NULL if there is no memory for it. */
static struct tw_command_group *record_combination(const struct submission *all)
{
    const size_t block_bytes = (all->request.block_bytes + 15) / 16 * 16;
    const size_t bytes = sizeof(struct combination) + all->divided->reductions * sizeof(struct reduction) + 2 * block_bytes;
    struct combination *combination = aligned_alloc(_Alignof(max_align_t), (bytes + 15) / 16 * 16);
    struct tw_command_group *group = combination ? tw_queue_begin(all->group->queue) : NULL;
    if (!group) {
        free(combination);
        return NULL;
    }
    memset(combination, 0, bytes);
    combination->merge = all->request.kernel->merge;
    combination->pieces = all->count;
    combination->count = all->divided->reductions;
    combination->block_bytes = block_bytes;
    unsigned char *block = (unsigned char *)&combination->reductions[combination->count];
    memcpy(block, all->divided->block, all->request.block_bytes);
    memcpy(block + block_bytes, all->divided->block, all->request.block_bytes);
    for (size_t i = 0; i < combination->count; ++i) {
        const struct partials *partials = &all->partials[i];
        const struct tw_mapped_access *access = &all->divided->accesses[partials->access];
        struct reduction *reduction = &combination->reductions[i];
        reduction->at = target_at(all->divided, partials->access);
        reduction->bytes = partials->elements * access->root->data.element_bytes;
        reduction->keep = tw_access_mode_needs(access->mode);
        reduction->partials = tw_access(group, partials->buffer, TW_READ_WRITE, TW_HOST);
        reduction->target = group->status == TW_SUCCESS
                                ? tw_command_group_access_within(group, access->root, &access->box, &access->box,
                                                                 access->mode)
                                : NULL;
    }
    tw_internal_host_task(group, combine, all->request.kernel->name, combination, bytes);
    free(combination);
    return group;
}

/* ---- submission -------------------------------------------------------------------------------------------------- */

/* Allocates what a submission needs. Returns false if memory is exhausted. */
static bool make_room(struct submission *all)
{
    const struct tw_divided *divided = all->divided;
    all->mappers = malloc((divided->count + 1) * sizeof *all->mappers);
    all->pieces[0].boxes = malloc((divided->count * all->devices->count + 1) * sizeof *all->pieces[0].boxes);
    all->block = malloc(divided->request.block_bytes + 1);
    return all->mappers && all->pieces[0].boxes && all->block;
}

/* Adds a recorded group. Fails if it has failed. */
static tw_status add_group(struct submission *all, struct tw_command_group *group)
{
    if (!group)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a command group");
    all->groups[all->group_count++] = group;
    return group->status == TW_SUCCESS
               ? TW_SUCCESS
               : tw_fail(group->status, "%s", group->detail ? group->detail : "no memory to say what is wrong");
}

/* Records the groups of all pieces. */
static tw_status record(struct submission *all)
{
    const bool reduces = all->divided->reductions && all->count > 1;
    tw_status status = prepare_stages(all);
    if (status == TW_SUCCESS && reduces)
        status = make_partials(all);
    for (size_t i = 0; i < all->count && status == TW_SUCCESS; ++i)
        status = add_group(all, record_piece(all, &all->pieces[i]));
    if (status == TW_SUCCESS && reduces)
        status = add_group(all, record_combination(all));
    return status;
}

/* Divides the launch and records its groups. */
static tw_status prepare(struct submission *all)
{
    if (!make_room(all))
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a group of several devices");
    tw_status status = all->divided->block ? describe_space(all) : TW_SUCCESS;
    if (status == TW_SUCCESS && is_undivided(all))
        leave_undivided(all);
    else if (status == TW_SUCCESS)
        status = divide(all);
    return status == TW_SUCCESS ? record(all) : status;
}

/* Frees what is left of a submission, and keeps the sentence about its failure. */
static void end(struct submission *all, tw_status status)
{
    char detail[1024];
    snprintf(detail, sizeof detail, "%s", tw_error_detail());
    for (size_t i = 0; i < all->group_count; ++i)
        tw_command_group_discard(all->groups[i]);
    drop_partials(all);
    free(all->mappers);
    free(all->pieces[0].boxes);
    free(all->block);
    free(all);
    if (status != TW_SUCCESS)
        (void)tw_fail(status, "%s", detail);
}

tw_status tw_divided_submit(struct tw_command_group *group, tw_event **event, const char *file, int line)
{
    struct submission *all = calloc(1, sizeof *all);
    if (!all)
        return tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a group of several devices");
    all->group = group;
    all->divided = group->divided;
    all->devices = group->queue->devices;
    all->request = group->divided->request;
    tw_status status = prepare(all);
    if (status == TW_SUCCESS)
        status =
            tw_command_groups_submit(group->queue, all->groups, all->group_count, group->events, event, file, line);
    end(all, status);
    return status;
}
