/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of a queue over several devices.
 *
 * While the program records such a group, nobody knows which device will run what. So accessors return placeholders:
 * addresses that no memory has. At submission the launch is divided (graph/division.h), and each part is recorded as a
 * group of its device, by the functions that the program itself would call: accessors of the boxes that mappers give, and
 * the launch, with the device's addresses in place of the placeholders. All of these groups are submitted as one.
 */
#include "divided.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/detail.h"
#include "base/memory.h"
#include "graph/division.h"
#include "objects/data/buffer.h"
#include "objects/queues/queue_devices.h"
#include "runtime/allocation.h"

/* The first placeholder. No processor has such an address, and the upper half of a double with these bits is that of a NaN
   which arithmetic does not make. */
#define PLACEHOLDERS ((uintptr_t)0x7ff3a55a << 32)
#define PLACEHOLDER_STEP 4096u /* between the memory that placeholders stand for: they are aligned for any type */

/* An access of the group's kernel. */
struct access {
    struct tw_buffer *root; /* counted */
    struct tw_box box;      /* of the root's elements: those that the accessor is for */
    tw_range range;         /* of the box */
    tw_access_mode mode;
    tw_range_mapper mapper;
    uintptr_t placeholder; /* stands for the first element of the box ... */
    size_t bytes;          /* ... with so many bytes up to its last one */
};

/* A word of the block that has a placeholder. */
struct patch {
    size_t at; /* in the block */
    size_t access;
    uintptr_t beyond; /* bytes from the access's first element */
};

struct tw_divided {
    struct access *accesses;
    size_t count, capacity;
    uintptr_t next; /* the next placeholder */
    struct patch *patches;
    size_t patch_count, patch_capacity;
    struct tw_launch_request request;
    unsigned char *block; /* of the launch; NULL: there is none */
};

struct tw_divided *tw_divided_new(void)
{
    struct tw_divided *divided = calloc(1, sizeof *divided);
    if (divided)
        divided->next = PLACEHOLDERS;
    return divided;
}

void tw_divided_free(struct tw_divided *divided)
{
    if (!divided)
        return;
    free(divided->accesses);
    free(divided->patches);
    free(divided->block);
    free(divided);
}

void tw_divided_drop_locked(struct tw_divided *divided)
{
    for (size_t i = 0; i < divided->count; ++i)
        tw_buffer_unuse_locked(divided->accesses[i].root);
    divided->count = 0;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

static void refuse_memory(struct tw_command_group *group)
{
    tw_command_group_fail(group, tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a group of several devices"));
}

tw_status tw_divided_check_mapper(const tw_range_mapper *mapper, tw_range buffer)
{
    const char *fault = tw_mapper_fault(mapper, buffer);
    const bool is_argument = mapper->tw_kind_ < 0 || mapper->tw_kind_ >= TW_INTERNAL_MAP_FUNCTION;
    return fault ? tw_fail(is_argument ? TW_ERROR_INVALID_ARGUMENT : TW_ERROR_INVALID_RANGE, "%s", fault) : TW_SUCCESS;
}

void *tw_divided_access(struct tw_command_group *group, struct tw_buffer *buffer, const struct tw_box *box,
                        tw_range range, tw_access_mode mode, const tw_range_mapper *mapper)
{
    struct tw_divided *divided = group->divided;
    if (tw_box_is_empty(box)) {
        group->accessed_nothing = true;
        return NULL;
    }
    struct access *accesses =
        tw_list_with_room(divided->accesses, divided->count, &divided->capacity, sizeof *accesses);
    if (!accesses) {
        refuse_memory(group);
        return NULL;
    }
    divided->accesses = accesses;
    const struct tw_data *data = &buffer->root->data;
    const struct tw_box last = {{box->end[0] - 1, box->end[1] - 1, box->end[2] - 1}, {0, 0, 0}};
    const size_t elements = tw_box_first(&last, &data->whole) - tw_box_first(box, &data->whole) + 1;
    struct access *access = &accesses[divided->count++];
    *access = (struct access){.root = buffer->root,
                              .box = *box,
                              .range = range,
                              .mode = mode,
                              .mapper = *mapper,
                              .placeholder = divided->next,
                              .bytes = elements * data->element_bytes};
    atomic_fetch_add(&buffer->root->uses, 1); /* the caller's handle keeps it alive */
    divided->next += (access->bytes + 2 * PLACEHOLDER_STEP - 1) / PLACEHOLDER_STEP * PLACEHOLDER_STEP;
    return (void *)access->placeholder;
}

/* Finds the access whose memory a placeholder stands for. A pointer just behind it is one too. */
static bool find_access(const struct tw_divided *divided, uintptr_t word, struct patch *patch)
{
    for (size_t i = 0; i < divided->count; ++i) {
        patch->access = i;
        patch->beyond = word - divided->accesses[i].placeholder;
        if (patch->beyond <= divided->accesses[i].bytes)
            return true;
    }
    return false;
}

/* Lists the words of the block that have placeholders, wherever they are in it. Returns false if memory is exhausted. */
static bool find_patches(struct tw_divided *divided)
{
    for (size_t at = 0; at + sizeof(uintptr_t) <= divided->request.block_bytes;) {
        uintptr_t word;
        memcpy(&word, divided->block + at, sizeof word);
        struct patch patch = {.at = at};
        if (word < PLACEHOLDERS || word >= divided->next || !find_access(divided, word, &patch)) {
            ++at;
            continue;
        }
        struct patch *patches =
            tw_list_with_room(divided->patches, divided->patch_count, &divided->patch_capacity, sizeof *patches);
        if (!patches)
            return false;
        divided->patches = patches;
        patches[divided->patch_count++] = patch;
        at += sizeof word;
    }
    return true;
}

void tw_divided_launch(struct tw_command_group *group, const struct tw_launch_request *request, const void *block)
{
    struct tw_divided *divided = group->divided;
    if (divided->block || !request->kernel || !block) {
        tw_command_group_fail(
            group, divided->block ? tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                                            "the command group already has kernel %s; %s needs one of its own",
                                            divided->request.kernel->name, request->kernel ? request->kernel->name : "?")
                                  : tw_fail(TW_ERROR_INVALID_ARGUMENT, "the kernel or its arguments are NULL"));
        return;
    }
    divided->request = *request;
    divided->block = malloc(request->block_bytes + !request->block_bytes);
    if (divided->block)
        memcpy(divided->block, block, request->block_bytes);
    if (!divided->block || !find_patches(divided))
        refuse_memory(group);
}

tw_status tw_divided_settle(struct tw_command_group *group, const char *step)
{
    struct tw_divided *divided = group->divided;
    if (divided->block)
        tw_command_group_fail(group, tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                                             "the command group already has kernel %s; %s needs a group of its own",
                                             divided->request.kernel->name, step));
    else if (divided->count)
        tw_command_group_fail(group,
                              tw_fail(TW_ERROR_UNSUPPORTED,
                                      "%s runs on one device, and the group's accessors are of a queue over several: "
                                      "submit it to a queue of the device",
                                      step));
    if (group->status != TW_SUCCESS)
        return group->status; /* it keeps what it has until it is discarded */
    tw_divided_free(divided);
    group->divided = NULL;
    return TW_SUCCESS;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* A part of the launch, and the device that runs it. */
struct piece {
    struct tw_launch_part part;
    struct tw_queue *queue;
    struct tw_box *boxes; /* of each access */
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
    size_t count;
    struct piece pieces[TW_MOST_QUEUE_DEVICES];
    struct tw_command_group *groups[TW_MOST_QUEUE_DEVICES]; /* of each piece */
};

static const char *kernel_name(const struct submission *all)
{
    return all->divided->block ? all->request.kernel->name : "?";
}

/* Stores the box of an access's elements that a part accesses. */
static tw_status map_access(const struct submission *all, size_t index, const struct tw_launch_part *part,
                            struct tw_box *box)
{
    const struct access *access = &all->divided->accesses[index];
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

static bool writes(const struct access *access)
{
    return tw_access_mode_writes(access->mode);
}

/* Fails if an element is written by two pieces. */
static tw_status check_overlap(const struct submission *all, const struct piece *one, const struct piece *other)
{
    const struct access *accesses = all->divided->accesses;
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
static void patch(const struct submission *all, size_t access, unsigned char *address)
{
    for (size_t i = 0; i < all->divided->patch_count; ++i) {
        const struct patch *patch = &all->divided->patches[i];
        unsigned char *const pointer = address ? address + patch->beyond : NULL;
        if (patch->access == access)
            memcpy(all->block + patch->at, &pointer, sizeof pointer);
    }
}

/* The views of a kernel that checks them have a record, which is the group's own. */
static void patch_bounds(const struct submission *all, struct tw_command_group *group)
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
        const struct access *access = &divided->accesses[i];
        patch(all, i,
              tw_command_group_access_within(group, access->root, &access->box, &piece->boxes[i], access->mode));
    }
    if (divided->block) {
        patch_bounds(all, group);
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
        const struct access *access = &all->divided->accesses[i];
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
           || all->space.dims > 3 || tw_launch_part_is_empty(&whole) || all->group->reduced_count;
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

/* ---- submission -------------------------------------------------------------------------------------------------- */

/* Allocates what a submission needs. Returns false if memory is exhausted. */
static bool make_room(struct submission *all, const struct tw_divided *divided)
{
    all->mappers = malloc((divided->count + 1) * sizeof *all->mappers);
    all->pieces[0].boxes = malloc((divided->count * all->devices->count + 1) * sizeof *all->pieces[0].boxes);
    all->block = malloc(divided->request.block_bytes + 1);
    return all->mappers && all->pieces[0].boxes && all->block;
}

/* Records the groups of all pieces. */
static tw_status record(struct submission *all)
{
    tw_status status = prepare_stages(all);
    for (size_t i = 0; i < all->count && status == TW_SUCCESS; ++i) {
        struct tw_command_group *group = all->groups[i] = record_piece(all, &all->pieces[i]);
        if (!group || group->status != TW_SUCCESS)
            status = group ? tw_fail(group->status, "%s", group->detail ? group->detail : "no memory to say what is wrong")
                           : TW_ERROR_OUT_OF_MEMORY;
    }
    return status;
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
    struct tw_box *boxes = NULL;
    tw_status status = TW_SUCCESS;
    if (!make_room(all, group->divided))
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for a group of several devices");
    boxes = all->pieces[0].boxes;
    if (status == TW_SUCCESS && group->divided->block)
        status = describe_space(all);
    if (status == TW_SUCCESS && is_undivided(all))
        leave_undivided(all);
    else if (status == TW_SUCCESS)
        status = divide(all);
    if (status == TW_SUCCESS)
        status = record(all);
    if (status == TW_SUCCESS)
        status = tw_command_groups_submit(group->queue, all->groups, all->count, group->events, event, file, line);
    for (size_t i = 0; i < all->count; ++i)
        tw_command_group_discard(all->groups[i]); /* those that were not submitted; keeps the error's detail? */
    free(all->mappers);
    free(boxes);
    free(all->block);
    free(all);
    return status;
}
