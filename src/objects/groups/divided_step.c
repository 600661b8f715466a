/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies, fills and prefetches on several devices. Each device takes a slab of the elements: those whose work-items it
 * would run, if a launch had the elements' range. So contents are where kernels expect them.
 */
#include "divided_step.h"

#include <string.h>

#include <teamwork/variable.h>

#include "objects/data/buffer.h"
#include "runtime/step.h"

/* Returns the slowest dimension in which a box has more than one element. */
static unsigned slowest(const struct tw_box *box)
{
    unsigned d = 0;
    while (d < 2 && box->end[d] - box->begin[d] == 1)
        ++d;
    return d;
}

/* Returns the elements of a box that a device takes. */
static struct tw_box slab_of(const struct tw_submission *all, const struct tw_box *box, size_t device)
{
    struct tw_launch_part parts[TW_MOST_QUEUE_DEVICES];
    const unsigned d = slowest(box);
    struct tw_launch_space space = {.dims = d == 2 ? 1 : 2, .units = {1, 1, 1}, .unit = {1, 1, 1}};
    struct tw_box slab = *box;
    space.units[0] = box->end[d] - box->begin[d];
    (void)tw_divide(&space, all->plan.weights, all->devices->count, parts);
    slab.begin[d] = box->begin[d] + parts[device].first[0];
    slab.end[d] = slab.begin[d] + parts[device].count[0];
    return slab;
}

/* Records what a device does of a copy or a fill. */
static void record_slab(const struct tw_submission *all, struct tw_command_group *group, size_t device)
{
    const struct tw_step *step = (const struct tw_step *)(const void *)all->group->args;
    struct tw_step_side from = step->from, to = step->to;
    if (from.data)
        from.box = slab_of(all, &from.box, device);
    if (to.data)
        to.box = slab_of(all, &to.box, device);
    const struct tw_step_side *lead = to.data ? &step->to : &step->from;
    const struct tw_box slab = to.data ? to.box : from.box; /* of the lead's */
    struct tw_step_side *program = from.data ? to.data ? NULL : &to : &from;
    if (program && program->memory && lead->data) {
        const unsigned d = slowest(&lead->box);
        const size_t before = slab.begin[d] - lead->box.begin[d];
        program->memory = (unsigned char *)program->memory
                          + before * (tw_box_count(&slab) / (slab.end[d] - slab.begin[d])) * lead->data->element_bytes;
    }
    struct tw_step *part = NULL;
    if ((!from.data || tw_command_group_access(group, tw_buffer_of(from.data), &from.box, TW_READ))
        && (!to.data || tw_command_group_access(group, tw_buffer_of(to.data), &to.box, TW_DISCARD_WRITE)))
        part = tw_command_group_make_step(group, step->pattern_bytes);
    if (!part)
        return;
    memcpy(part, step, sizeof *step + step->pattern_bytes);
    part->from = from;
    part->to = to;
}

/* Records the group of a device, unless it has nothing to do. */
static tw_status record_device(struct tw_submission *all, size_t device)
{
    const struct tw_divided *divided = all->divided;
    bool has_work = false;
    for (size_t i = 0; i < divided->count; ++i) {
        const struct tw_box slab = slab_of(all, &divided->accesses[i].box, device);
        has_work = has_work || !tw_box_is_empty(&slab);
    }
    if (!has_work)
        return TW_SUCCESS;
    struct tw_command_group *group = tw_queue_begin(all->devices->queues[device]);
    if (all->group->only_moves) {
        (void)tw_command_group_begin_move(group, all->group->step, false);
        for (size_t i = 0; group && i < divided->count; ++i) {
            const struct tw_box slab = slab_of(all, &divided->accesses[i].box, device);
            (void)tw_command_group_access(group, divided->accesses[i].root, &slab, TW_READ);
        }
    } else if (tw_command_group_begin_step(group, all->group->step)) {
        record_slab(all, group, device);
    }
    return tw_submission_add(all, group);
}

/* Decides which device does how much: one does all of it if there is little to do, or memory of a device is involved. */
static void plan(struct tw_submission *all)
{
    const struct tw_divided *divided = all->divided;
    const struct tw_step *step = (const struct tw_step *)(const void *)all->group->args;
    size_t most = 0;
    for (size_t i = 0; i < divided->count; ++i) {
        const size_t count = tw_box_count(&divided->accesses[i].box);
        most = count > most ? count : most;
    }
    tw_balance_plan(all->devices, NULL, most, 1, &all->plan);
    if (step && (step->to.device || step->from.device))
        all->plan.only_device = tw_balance_first(all->devices, NULL);
    for (size_t i = 0; all->plan.only_device < all->devices->count && i < all->devices->count; ++i)
        all->plan.weights[i] = i == all->plan.only_device;
}

static tw_status set_variables(struct tw_submission *all)
{
    const struct tw_variable_step *step = (const struct tw_variable_step *)(const void *)all->group->args;
    tw_status status = TW_SUCCESS;
    for (size_t i = 0; i < all->devices->count && status == TW_SUCCESS; ++i) {
        struct tw_command_group *group = tw_queue_begin(all->devices->queues[i]);
        tw_copy_to_variable(group, step->variable, step->value, step->bytes);
        status = tw_submission_add(all, group);
    }
    return status;
}

tw_status tw_divided_record_step(struct tw_submission *all)
{
    tw_status status = TW_SUCCESS;
    if (all->divided->sets_variable)
        return set_variables(all);
    plan(all);
    for (size_t i = 0; i < all->devices->count && status == TW_SUCCESS; ++i)
        status = record_device(all, i);
    return status;
}
