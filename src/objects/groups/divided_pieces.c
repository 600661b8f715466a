/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the launch of a group of a queue over several devices into pieces. */
#include "divided_pieces.h"

#include <teamwork/command_graph.h>

#include "base/block.h"
#include "base/detail.h"
#include "objects/data/buffer.h"

/* A kernel that runs for as long on a device has its edges run first. */
#define EDGES_PAY_NS 200000.0
#define EDGES_PAY_ITEMS ((size_t)1 << 20)

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static const char *kernel_name(const struct tw_submission *all)
{
    return all->divided->block ? all->request.kernel->name : "?";
}

/* Stores the box of an access's elements that a part accesses. */
static tw_status map_access(const struct tw_submission *all, size_t index, const struct tw_launch_part *part,
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
static tw_status check_overlap(const struct tw_submission *all, const struct tw_piece *one,
                               const struct tw_piece *other)
{
    const struct tw_mapped_access *accesses = all->divided->accesses;
    for (size_t i = 0; i < all->divided->count; ++i)
        for (size_t k = 0; writes(&accesses[i]) && k < all->divided->count; ++k)
            if (writes(&accesses[k]) && accesses[i].root == accesses[k].root
                && tw_box_overlaps(&one->boxes[i], &other->boxes[k]))
                return tw_fail(
                    TW_ERROR_INVALID_RANGE,
                    "parts of kernel %s on %s and %s would write the same elements of a buffer: give what it "
                    "writes another mapper, as tw_one_to_one(), reduce, or take a queue on one device",
                    kernel_name(all), tw_device_name(tw_piece_queue(all, one)->device),
                    tw_device_name(tw_piece_queue(all, other)->device));
    return TW_SUCCESS;
}

/* Maps the accesses of all pieces. */
static tw_status map_pieces(const struct tw_submission *all)
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

/* ---- what is divided --------------------------------------------------------------------------------------------- */

/* Sets the size of the launch's groups where the library chooses it: that of the first device, for all of them. */
static tw_status choose_size(struct tw_submission *all)
{
    const size_t device = tw_balance_first(all->devices, all->request.kernel);
    struct tw_command_group *probe = tw_queue_begin(all->devices->queues[device]);
    if (!probe)
        return TW_ERROR_OUT_OF_MEMORY;
    probe->accessed_nothing = true; /* nothing of its block leads anywhere */
    if (all->group->local_bytes)
        (void)tw_local(probe, all->group->local_bytes);
    probe->reduced_count = all->group->reduced_count;
    tw_launch_request_record(&all->request, probe, all->divided->block);
    const tw_status status = tw_command_group_tell(probe);
    for (unsigned d = 0; d < 3 && status == TW_SUCCESS; ++d)
        all->request.local.size[d] = probe->launch.local[d];
    if (status != TW_SUCCESS)
        all->refused_by = device;
    all->request.local.dims = all->request.range.dims;
    tw_command_group_discard(probe);
    return status;
}

/* Sets what the launch runs. What is wrong with it is found when it is recorded for a device. */
static tw_status describe_space(struct tw_submission *all)
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

#define MEMBER_BYTES 128

/* Returns the member of the kernel's block that has an access's placeholder. */
static const char *member_of(const struct tw_submission *all, const struct tw_mapped_access *access,
                             char name[MEMBER_BYTES])
{
    const void *const value = (const void *)access->placeholder; /* NOLINT(performance-no-int-to-ptr) */
    return tw_block_member(all->request.kernel, all->divided->block, value, name, MEMBER_BYTES) ? name : "?";
}

/* Makes the mappers explicit. */
static tw_status resolve_mappers(const struct tw_submission *all)
{
    char name[MEMBER_BYTES];
    for (size_t i = 0; i < all->divided->count; ++i) {
        const struct tw_mapped_access *access = &all->divided->accesses[i];
        all->mappers[i] = access->mapper;
        if (access->mode == TW_ATOMIC && access->mapper.tw_kind_ == TW_INTERNAL_MAP_DEFAULT)
            return tw_fail(
                TW_ERROR_INVALID_RANGE,
                "kernel %s has an atomic accessor: on a queue over several devices each has memory of its own, "
                "so atomic operations of two on one element are not possible. Reduce (TW_REDUCE_ARRAY()), or "
                "say by tw_atomic_mapped() which elements the work-items of a part use",
                kernel_name(all));
        if (!tw_mapper_resolve(&all->mappers[i], &all->space, access->range, writes(access)))
            return tw_fail(
                TW_ERROR_INVALID_RANGE,
                all->mappers[i].tw_kind_ == TW_INTERNAL_MAP_ROWS
                    ? "kernel %s writes an image through member %s whose size is not the launch's range (height, "
                      "then width): on a queue over several devices only such an image can be written"
                    : "kernel %s writes through member %s to a buffer whose range is not that of the launch: on a "
                      "queue over several devices say by a mapper which elements its work-items write, as in "
                      "tw_write_mapped(group, buffer, tw_one_to_one()) (range_mapper.h)",
                kernel_name(all), member_of(all, access, name));
    }
    return TW_SUCCESS;
}

/* Returns true if a launch is for one device, whatever it takes. */
static bool is_undivided(const struct tw_submission *all)
{
    const struct tw_launch_part whole = tw_launch_all(&all->space);
    return !all->divided->block || all->request.form == TW_INTERNAL_SINGLE_TASK || !all->space.dims
           || all->space.dims > 3 || tw_launch_part_is_empty(&whole)
           || (all->divided->reductions && (!all->request.kernel->merge || tw_queue_is_recording(all->group->queue)));
}

/* Makes it one piece with all that the accessors are for. */
static void leave_undivided(struct tw_submission *all, size_t device)
{
    struct tw_piece *piece = &all->pieces[0];
    piece->device = device;
    piece->part = tw_launch_all(&all->space);
    all->count = 1;
    for (size_t i = 0; i < all->divided->count; ++i)
        piece->boxes[i] = all->divided->accesses[i].box;
}

static void add_piece(struct tw_submission *all, const struct tw_launch_part *part, size_t device, bool is_edge)
{
    struct tw_piece *piece = &all->pieces[all->count];
    piece->part = *part;
    piece->device = device;
    piece->boxes = all->pieces[0].boxes + all->count * all->divided->count;
    piece->is_edge = is_edge;
    ++all->count;
}

/* Returns true if it pays to run the edges of a part first. In a command graph that costs little, so there a part that was not
   measured has to be large alone. */
static bool edges_pay(const struct tw_submission *all, double ns, const struct tw_launch_part *part)
{
    const size_t units = part->count[0] * part->count[1] * part->count[2];
    const size_t items = units * all->space.unit[0] * all->space.unit[1] * all->space.unit[2];
    return ns > 0 ? ns > EDGES_PAY_NS : items > EDGES_PAY_ITEMS && tw_queue_is_recording(all->group->queue);
}

/* Makes a piece for each device that has a part, and for its edges if they pay: those of all devices come first. */
static void add_pieces(struct tw_submission *all, const struct tw_division_plan *plan)
{
    struct tw_launch_part parts[TW_MOST_QUEUE_DEVICES], edges[2];
    size_t before[3], after[3], reach[3];
    for (unsigned i = 0; i < 3; ++i) {
        tw_mappers_reach(all->mappers, all->divided->count, &all->space, i, &before[i], &after[i]);
        reach[i] = before[i] > after[i] ? before[i] : after[i];
    }
    const unsigned d = tw_divide_in_blocks(&all->space, plan->weights, all->devices->count, reach, parts)
                           ? 0
                           : tw_divide(&all->space, plan->weights, all->devices->count, parts);
    for (size_t i = 0; i < all->devices->count && reach[d]; ++i)
        if (edges_pay(all, plan->ns[i], &parts[i])
            && tw_divide_edges(&all->space, d, before[d], after[d], &parts[i], edges))
            for (size_t k = 0; k < 2; ++k)
                if (!tw_launch_part_is_empty(&edges[k]))
                    add_piece(all, &edges[k], i, true);
    for (size_t i = 0; i < all->devices->count; ++i)
        if (!tw_launch_part_is_empty(&parts[i]))
            add_piece(all, &parts[i], i, false);
}

/* Checks what a launch writes as if it was divided in halves: what is refused does not depend on how fast the devices
   are. */
static tw_status check_undivided(struct tw_submission *all)
{
    static const struct tw_division_plan halves = {.weights = {1, 1}};
    add_pieces(all, &halves);
    const tw_status status = map_pieces(all);
    all->count = 0;
    return status;
}

tw_status tw_divided_make_pieces(struct tw_submission *all)
{
    tw_status status = all->divided->block ? describe_space(all) : TW_SUCCESS;
    if (status != TW_SUCCESS)
        return status;
    if (is_undivided(all)) {
        leave_undivided(all, tw_balance_first(all->devices, all->divided->block ? all->request.kernel : NULL));
        return TW_SUCCESS;
    }
    status = resolve_mappers(all);
    if (status != TW_SUCCESS)
        return status;
    const struct tw_launch_part whole = tw_launch_all(&all->space);
    tw_balance_plan(all->devices, all->request.kernel, whole.count[0] * whole.count[1] * whole.count[2],
                    all->space.unit[0] * all->space.unit[1] * all->space.unit[2], &all->plan);
    if (all->plan.only_device < all->devices->count) {
        status = check_undivided(all);
        if (status == TW_SUCCESS)
            leave_undivided(all, all->plan.only_device);
        return status;
    }
    add_pieces(all, &all->plan);
    return map_pieces(all);
}
