/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels in command groups (spec 3.7.3): their checks, and the sizes of work-groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <teamwork/kernel_object.h>

#include "base/detail.h"
#include "base/range_check.h"
#include "command_group.h"
#include "group_size.h"
#include "kernel_info.h"
#include "kernel_pointers.h"
#include "launch_request.h"
#include "runtime/device.h"

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* A launch that a form of kernel has. */
struct launcher {
    const char *name; /* of the function */
    enum tw_internal_form form, other_form;
};

static tw_status check_form(const tw_kernel *kernel, struct launcher launcher)
{
    static const char *const definitions[] = {
        [TW_INTERNAL_SINGLE_TASK] = "TW_SINGLE_TASK",      [TW_INTERNAL_RANGE] = "TW_RANGE_KERNEL",
        [TW_INTERNAL_WORK_GROUP] = "TW_WORK_GROUP_KERNEL", [TW_INTERNAL_ND_RANGE] = "TW_ND_RANGE_KERNEL",
        [TW_INTERNAL_REDUCTION] = "TW_RANGE_REDUCTION",
    };
    if (kernel->form == launcher.form || kernel->form == launcher.other_form)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_KERNEL, "kernel %s is one of %s, and %s() launches those of %s", kernel->name,
                   definitions[kernel->form], launcher.name, definitions[launcher.form]);
}

/* Checks the buffers that a kernel reduces into. */
static tw_status check_targets(const struct tw_command_group *group, const tw_kernel *kernel, const void *block)
{
    if (!kernel->misfit)
        return group->reduced_count
                   ? tw_fail(TW_ERROR_INVALID_KERNEL,
                             "kernel %s has a member that TW_REDUCE() or the like is for, and is defined as one that "
                             "does not reduce: define it by TW_RANGE_REDUCTION(%s, dims, member...), "
                             "TW_ND_RANGE_REDUCTION() or TW_WORK_GROUP_REDUCTION()",
                             kernel->name, kernel->name)
                   : TW_SUCCESS;
    unsigned members = 0;
    const char *member = kernel->misfit(block, &members);
    if (member)
        return tw_fail(
            TW_ERROR_INVALID_KERNEL,
            "kernel %s reduces its member %s, which has no buffer, or one whose elements are of another size",
            kernel->name, member);
    return members == group->reduced_count
               ? TW_SUCCESS
               : tw_fail(
                     TW_ERROR_INVALID_KERNEL,
                     "kernel %s is launched with %u members that TW_REDUCE() or the like is for, and its definition, "
                     "as TW_RANGE_REDUCTION(%s, dims, member...), names %u",
                     kernel->name, group->reduced_count, kernel->name, members);
}

/* Fails if a kernel writes what it samples: textures would not see it. */
static tw_status check_samples(const struct tw_command_group *group, const tw_kernel *kernel)
{
    for (size_t i = 0; i < group->use_count; ++i)
        if (group->uses[i].samples && group->uses[i].writes)
            return tw_fail(
                TW_ERROR_INVALID_ARGUMENT,
                "kernel %s writes an image that it samples: give it the image by tw_read_write_image_2d() or "
                "the like, and a sampler",
                kernel->name);
    return TW_SUCCESS;
}

/* Fails if a kernel is a variant, and the block has other values than it is compiled for; checks targets and pointers. */
static tw_status check_values(const struct tw_command_group *group, const tw_kernel *kernel, const void *block)
{
    if (kernel->fits && !kernel->fits(block))
        return tw_fail(
            TW_ERROR_INVALID_KERNEL,
            "this variant of kernel %s is compiled for %s, and launched with another value; kernel %s itself "
            "chooses its variant",
            kernel->name, kernel->values + 2, kernel->name);
    tw_status status = check_targets(group, kernel, block);
    if (status == TW_SUCCESS && group->samples)
        status = check_samples(group, kernel);
    return status == TW_SUCCESS ? tw_kernel_check_pointers(group, kernel, block) : status;
}

#define NO_KERNEL "the kernel or its arguments are NULL"

/* Fails if the group cannot have the kernel beside what it has already. */
static tw_status check_beside(const struct tw_command_group *group, const tw_kernel *kernel)
{
    if (group->step)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                       "the command group already has a %s(); kernel %s needs a group of its own", group->step,
                       kernel->name);
    if (group->on_host)
        return tw_command_group_refuse_on_host("kernel ", kernel->name, "");
    if (group->kernel)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP,
                       "the command group already has kernel %s; %s needs one of its own", group->kernel->name,
                       kernel->name);
    return TW_SUCCESS;
}

/* Checks all of a kernel but its dimensions and the size of its groups. */
static tw_status check_kernel(const struct tw_command_group *group, const tw_kernel *kernel, struct launcher launcher,
                              const void *block, size_t block_bytes)
{
    if (!kernel || !block)
        return tw_fail(TW_ERROR_INVALID_ARGUMENT, NO_KERNEL);
    if (kernel->abi != TW_INTERNAL_KERNEL_ABI)
        return tw_fail(TW_ERROR_INVALID_KERNEL,
                       "kernel %s was compiled for another version of the library; compile %s again", kernel->name,
                       kernel->file);
    tw_status status = check_form(kernel, launcher);
    if (status == TW_SUCCESS)
        status = tw_kernel_check_kind(kernel, group->queue->device);
    if (status != TW_SUCCESS)
        return status;
    if (kernel->args_bytes != block_bytes)
        return tw_fail(TW_ERROR_INVALID_KERNEL,
                       "kernel %s has a block of %zu bytes where it is defined (%s) and of %zu where it is launched",
                       kernel->name, kernel->args_bytes, kernel->file, block_bytes);
    status = check_beside(group, kernel);
    if (status != TW_SUCCESS)
        return status;
    if (group->local_bytes > group->local_array_bytes && kernel->form != TW_INTERNAL_WORK_GROUP
        && kernel->form != TW_INTERNAL_ND_RANGE)
        return tw_fail(TW_ERROR_INVALID_COMMAND_GROUP, "kernel %s has no work-groups that could use local memory",
                       kernel->name);
    return check_values(group, kernel, block);
}

static tw_status check_dims(const tw_kernel *kernel, unsigned dims)
{
    if (!kernel->dims || kernel->dims == dims || kernel->next) /* a kernel of several sizes is checked by its sizes */
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_KERNEL, "kernel %s is for %u dimensions, not %u", kernel->name, kernel->dims, dims);
}

/* Returns the variant that is compiled for the values of a block (TW_SPECIALIZE()), or else the kernel itself. */
static const tw_kernel *variant_for(const tw_kernel *kernel, const void *block)
{
    for (const tw_kernel *const *variant = kernel->variants; variant && *variant; ++variant)
        if ((*variant)->fits(block))
            return *variant;
    return kernel;
}

static bool can_record(const struct tw_command_group *group)
{
    return group && group->status == TW_SUCCESS;
}

void tw_command_group_set_part(struct tw_command_group *group, const size_t first[3], const size_t count[3])
{
    if (!can_record(group))
        return;
    group->is_part = true;
    memcpy(group->part_first, first, sizeof group->part_first);
    memcpy(group->part_count, count, sizeof group->part_count);
}

/* Makes the launch the part that the group was told. */
static void take_part(struct tw_command_group *group, const tw_kernel *kernel)
{
    struct tw_internal_launch *launch = &group->launch;
    const bool has_groups = kernel->form == TW_INTERNAL_WORK_GROUP || kernel->form == TW_INTERNAL_ND_RANGE;
    for (unsigned d = 0; group->is_part && d < launch->dims; ++d) {
        launch->offset[d] += has_groups ? 0 : group->part_first[d];
        launch->first[d] = group->part_first[d];
        launch->range[d] = group->part_count[d];
    }
}

/* Fails if a launch whose groups wait for each other has more of them than the device runs at the same time. */
static tw_status check_together(const struct tw_command_group *group, const tw_kernel *kernel)
{
    const struct tw_internal_launch *launch = &group->launch;
    struct tw_backend_device *device = group->queue->device->backend;
    struct tw_kernel_facts facts = {0};
    device->backend->limits(device, kernel, launch->local[0] * launch->local[1] * launch->local[2], launch->local_bytes,
                            &facts);
    const size_t groups = launch->range[0] * launch->range[1] * launch->range[2];
    const size_t most = facts.resident_groups ? facts.resident_groups : 1;
    if (groups <= most)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_RANGE,
                   "%zu groups of kernel %s wait for each other, and %s runs %zu of them at the same time", groups,
                   kernel->name, tw_device_name(group->queue->device), most);
}

/* Checks a launch whose ranges group->launch has. The kernel becomes the variant that is launched. */
static tw_status try_launch(struct tw_command_group *group, const tw_kernel **kernel, const void *block)
{
    struct tw_internal_launch *launch = &group->launch;
    *kernel = variant_for(*kernel, block);
    take_part(group, *kernel);
    launch->local_bytes = group->local_bytes;
    launch->array_bytes = group->array_bytes;
    launch->args = block;
    launch->accesses = group->uses;
    launch->access_count = group->use_count;
    struct tw_backend_device *device = group->queue->device->backend;
    launch->together = group->runs_together;
    launch->samples = group->samples;
    const tw_status status = device->backend->check(device, *kernel, launch);
    return status == TW_SUCCESS && launch->together ? check_together(group, *kernel) : status;
}

/* Adds a kernel whose launch was checked with `status`, with a copy of its block, to the group. */
static void keep(struct tw_command_group *group, const tw_kernel *kernel, const void *block, size_t block_bytes,
                 tw_status status)
{
    if (status == TW_SUCCESS
        && !(group->args = block_bytes <= TW_FEW_ARGS_BYTES ? group->few_args : malloc(block_bytes)))
        status = tw_fail(TW_ERROR_OUT_OF_MEMORY, "no memory for the arguments of kernel %s", kernel->name);
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return;
    }
    memcpy(group->args, block, block_bytes);
    group->args_bytes = block_bytes;
    group->kernel = kernel;
    status = tw_kernel_set_nulls(kernel, group->args);
    if (status != TW_SUCCESS)
        tw_command_group_fail(group, status);
}

static void copy_range(size_t to[3], const size_t from[3], unsigned dims, size_t rest)
{
    for (unsigned d = 0; d < 3; ++d)
        to[d] = d < dims ? from[d] : rest;
}

/* Of a launch that is no part. */
static void set_range(struct tw_internal_launch *launch, tw_range range)
{
    copy_range(launch->range, range.size, range.dims, 1);
    copy_range(launch->whole, range.size, range.dims, 1);
}

/* ---- kernels without groups -------------------------------------------------------------------------------------- */

/* Returns true if the launch is one of a group that is divided later: then it is noted. */
static bool is_noted(struct tw_command_group *group, const struct tw_launch_request *request, const void *block)
{
    if (!group->recorder)
        return false;
    const tw_status status =
        request->kernel && block ? check_beside(group, request->kernel) : tw_fail(TW_ERROR_INVALID_ARGUMENT, NO_KERNEL);
    if (status == TW_SUCCESS)
        group->recorder->launch(group, request, block);
    else
        tw_command_group_fail(group, status);
    return true;
}

void tw_single_task_kernel(tw_command_group *group, const tw_kernel *kernel, const void *block, size_t block_bytes)
{
    static const struct launcher launcher = {"tw_single_task", TW_INTERNAL_SINGLE_TASK, TW_INTERNAL_SINGLE_TASK};
    if (!can_record(group)
        || is_noted(group,
                    &(struct tw_launch_request){TW_INTERNAL_SINGLE_TASK, .kernel = kernel, .block_bytes = block_bytes},
                    block))
        return;
    tw_status status = check_kernel(group, kernel, launcher, block, block_bytes);
    group->launch = (struct tw_internal_launch){.range = {1, 1, 1}, .whole = {1, 1, 1}, .local = {1, 1, 1}, .dims = 1};
    if (status == TW_SUCCESS)
        status = try_launch(group, &kernel, block);
    keep(group, kernel, block, block_bytes, status);
}

/* Fails if an offset has other dimensions than its range. An offset of no dimensions is none. */
static tw_status check_offset(tw_range range, tw_id offset)
{
    if (!offset.dims || offset.dims == range.dims)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_INVALID_RANGE, "the offset has %u dimensions and the range %u", offset.dims, range.dims);
}

/* Fails if a global id would overflow. */
static tw_status check_end(tw_range range, tw_id offset)
{
    for (unsigned d = 0; d < offset.dims; ++d) {
        size_t end;
        if (__builtin_add_overflow(offset.at[d], range.size[d], &end))
            return tw_fail(TW_ERROR_INVALID_RANGE, "offset and range overflow in dimension %u", d);
    }
    return TW_SUCCESS;
}

void tw_parallel_for_offset_kernel(tw_command_group *group, tw_range range, tw_id offset, const tw_kernel *kernel,
                                   const void *block, size_t block_bytes)
{
    static const struct launcher launcher = {"tw_parallel_for", TW_INTERNAL_RANGE, TW_INTERNAL_REDUCTION};
    const struct tw_launch_request request = {TW_INTERNAL_RANGE, .range = range, .offset = offset, .kernel = kernel,
                                              .block_bytes = block_bytes};
    if (!can_record(group) || is_noted(group, &request, block))
        return;
    tw_status status =
        tw_range_is_valid(range) ? check_offset(range, offset) : tw_refuse_range("the kernel's range", range);
    if (status == TW_SUCCESS)
        status = check_end(range, offset);
    if (status == TW_SUCCESS)
        status = check_kernel(group, kernel, launcher, block, block_bytes);
    if (status == TW_SUCCESS) {
        group->launch = (struct tw_internal_launch){.local = {1, 1, 1}, .dims = range.dims};
        set_range(&group->launch, range);
        copy_range(group->launch.offset, offset.at, offset.dims, 0);
        status = check_dims(kernel, range.dims);
    }
    if (status == TW_SUCCESS)
        status = try_launch(group, &kernel, block);
    keep(group, kernel, block, block_bytes, status);
}

void tw_parallel_for_kernel(tw_command_group *group, tw_range range, const tw_kernel *kernel, const void *block,
                            size_t block_bytes)
{
    static const tw_id none = {{0, 0, 0}, 0};
    tw_parallel_for_offset_kernel(group, range, none, kernel, block, block_bytes);
}

/* ---- kernels with groups ----------------------------------------------------------------------------------------- */

/* What a launch of groups says: their number or, of an nd_range, the work-items of all of them. */
struct space {
    tw_range groups, global; /* the other one has no dimensions */
    tw_id offset;
};

/* Stores the number of groups of a size. Fails if the size does not fit the space. */
static tw_status count_groups(const struct space *space, tw_range local, tw_range *groups)
{
    if (!tw_range_is_valid(local))
        return tw_refuse_range(space->global.dims ? "the nd_range's local range" : "the range of a group", local);
    if (local.dims != space->global.dims + space->groups.dims)
        return space->global.dims
                   ? tw_fail(TW_ERROR_INVALID_RANGE, "the nd_range's global and local ranges have %u and %u dimensions",
                             space->global.dims, local.dims)
                   : tw_fail(TW_ERROR_INVALID_RANGE, "the range of groups has %u dimensions and the group %u",
                             space->groups.dims, local.dims);
    *groups = space->groups;
    if (!space->global.dims)
        return TW_SUCCESS;
    *groups = space->global;
    for (unsigned d = 0; d < local.dims; ++d) {
        if (!local.size[d])
            return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE, "the work-group is empty in dimension %u", d);
        if (space->global.size[d] % local.size[d])
            return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE,
                           "%zu work-items in dimension %u cannot be divided into groups of %zu: make the range a "
                           "multiple, and let the kernel skip what is too much",
                           space->global.size[d], d, local.size[d]);
        groups->size[d] = space->global.size[d] / local.size[d];
    }
    return TW_SUCCESS;
}

/* Checks a size, and sets the ranges of group->launch. */
static tw_status set_groups(struct tw_command_group *group, const struct space *space, tw_range local)
{
    const tw_device *device = group->queue->device;
    tw_range groups = {{1, 1, 1}, 0};
    tw_status status = count_groups(space, local, &groups);
    if (status != TW_SUCCESS)
        return status;
    const size_t items = tw_range_count(local), most = tw_device_facts(device)->max_work_group_size;
    if (!items)
        return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE, "the work-group is empty");
    if (items > most)
        return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE,
                       "%zu work-items are more than the %zu that a group can have on %s", items, most,
                       tw_device_name(device));
    tw_range global = tw_range_mul(groups, local);
    for (unsigned d = 0; d < groups.dims; ++d)
        if (groups.size[d] && global.size[d] / groups.size[d] != local.size[d])
            global.dims = 0;
    if (!tw_range_is_valid(global))
        return tw_fail(TW_ERROR_INVALID_RANGE, "the launch has more work-items than can be counted");
    status = check_end(global, space->offset);
    group->launch = (struct tw_internal_launch){.dims = groups.dims};
    set_range(&group->launch, groups);
    copy_range(group->launch.local, local.size, groups.dims, 1);
    copy_range(group->launch.offset, space->offset.at, space->offset.dims, 0);
    return status;
}

/* Fails because a kernel was not compiled for groups of a size. */
static tw_status refuse_size(const tw_kernel *kernel, tw_range local)
{
    char sizes[256], size[80];
    tw_kernel_write_sizes(kernel, sizes, sizeof sizes);
    tw_write_size(local.size, local.dims, size, sizeof size);
    return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE, "kernel %s requires groups of %s and is launched with %s",
                   kernel->name, sizes, size);
}

/* Whether a launch with groups of a smaller size, or with other code, may succeed where one failed with `status`. */
static bool may_fit_otherwise(tw_status status)
{
    return status == TW_ERROR_INVALID_WORK_GROUP_SIZE || status == TW_ERROR_UNSUPPORTED
           || status == TW_ERROR_OUT_OF_LOCAL_MEMORY;
}

/* Chooses among the kernel's code and the sizes of groups, and sets the launch for the first that the device takes. */
static tw_status choose_size(struct tw_command_group *group, const tw_kernel **kernel, const struct space *space,
                             const void *block)
{
    struct tw_size_search search = {.kernel = *kernel,
                                    .extent = space->global.dims ? space->global : space->groups,
                                    .must_divide = space->global.dims != 0,
                                    .on_gpu = group->queue->device->backend->type == TW_DEVICE_GPU,
                                    .warp = tw_device_facts(group->queue->device)->sub_group_size,
                                    .most = tw_device_facts(group->queue->device)->max_work_group_size};
    tw_status status = TW_SUCCESS;
    const tw_kernel *chosen = *kernel;
    bool found = false;
    for (tw_range local; tw_next_size(&search, &local);) {
        found = true;
        chosen = search.kernel;
        status = set_groups(group, space, local);
        if (status == TW_SUCCESS)
            status = try_launch(group, &chosen, block);
        if (!may_fit_otherwise(status))
            break;
    }
    *kernel = chosen;
    if (found)
        return status;
    char sizes[256];
    tw_kernel_write_sizes(*kernel, sizes, sizeof sizes);
    return tw_fail(TW_ERROR_INVALID_WORK_GROUP_SIZE, "kernel %s requires groups of %s, and none of them %s",
                   (*kernel)->name, sizes,
                   search.must_divide ? "divides the launch's range" : "has the launch's dimensions");
}

static void launch_groups(struct tw_command_group *group, const struct space *space, tw_range local,
                          const tw_kernel *kernel, struct launcher launcher, const void *block, size_t block_bytes)
{
    const unsigned dims = space->global.dims + space->groups.dims;
    tw_status status = check_kernel(group, kernel, launcher, block, block_bytes);
    if (status == TW_SUCCESS && (tw_range_is_any(local) || local.dims == dims))
        status = check_dims(kernel, dims);
    if (status == TW_SUCCESS && tw_range_is_any(local)) {
        status = choose_size(group, &kernel, space, block);
    } else if (status == TW_SUCCESS) {
        status = set_groups(group, space, local);
        if (status == TW_SUCCESS) {
            const tw_kernel *of_size = tw_kernel_of_size(kernel, local);
            status = of_size ? try_launch(group, &of_size, block) : refuse_size(kernel, local);
            kernel = of_size ? of_size : kernel;
        }
    }
    keep(group, kernel, block, block_bytes, status);
}

void tw_parallel_for_work_group_offset_kernel(tw_command_group *group, tw_range groups, tw_range local, tw_id offset,
                                              const tw_kernel *kernel, const void *block, size_t block_bytes)
{
    static const struct launcher launcher = {"tw_parallel_for_work_group", TW_INTERNAL_WORK_GROUP,
                                             TW_INTERNAL_WORK_GROUP};
    const struct tw_launch_request request = {TW_INTERNAL_WORK_GROUP, groups, local, offset, kernel, block_bytes};
    if (!can_record(group) || is_noted(group, &request, block))
        return;
    const tw_status status =
        tw_range_is_valid(groups) ? check_offset(groups, offset) : tw_refuse_range("the range of groups", groups);
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return;
    }
    const struct space space = {.groups = groups, .offset = offset};
    launch_groups(group, &space, local, kernel, launcher, block, block_bytes);
}

void tw_parallel_for_work_group_kernel(tw_command_group *group, tw_range groups, tw_range local,
                                       const tw_kernel *kernel, const void *block, size_t block_bytes)
{
    static const tw_id none = {{0, 0, 0}, 0};
    tw_parallel_for_work_group_offset_kernel(group, groups, local, none, kernel, block, block_bytes);
}

void tw_parallel_for_nd_range_kernel(tw_command_group *group, tw_nd_range range, const tw_kernel *kernel,
                                     const void *block, size_t block_bytes)
{
    static const struct launcher launcher = {"tw_parallel_for_nd_range", TW_INTERNAL_ND_RANGE, TW_INTERNAL_ND_RANGE};
    const struct tw_launch_request request = {TW_INTERNAL_ND_RANGE, range.global, range.local,
                                              range.offset,         kernel,       block_bytes};
    tw_status status = TW_SUCCESS;
    if (!can_record(group) || is_noted(group, &request, block))
        return;
    if (!tw_range_is_valid(range.global))
        status = tw_refuse_range("the nd_range's global range", range.global);
    else if (range.offset.dims != range.global.dims)
        status = tw_fail(TW_ERROR_INVALID_RANGE, "the nd_range's offset has %u dimensions and its ranges %u",
                         range.offset.dims, range.global.dims);
    if (status != TW_SUCCESS) {
        tw_command_group_fail(group, status);
        return;
    }
    const struct space space = {.global = range.global, .offset = range.offset};
    launch_groups(group, &space, range.local, kernel, launcher, block, block_bytes);
}

/* ---- launches for other devices ---------------------------------------------------------------------------------- */

void tw_launch_request_record(const struct tw_launch_request *request, struct tw_command_group *group,
                              const void *block)
{
    const size_t bytes = request->block_bytes;
    const tw_nd_range nd_range = {request->range, request->local, request->offset};
    if (request->form == TW_INTERNAL_SINGLE_TASK)
        tw_single_task_kernel(group, request->kernel, block, bytes);
    else if (request->form == TW_INTERNAL_RANGE)
        tw_parallel_for_offset_kernel(group, request->range, request->offset, request->kernel, block, bytes);
    else if (request->form == TW_INTERNAL_WORK_GROUP)
        tw_parallel_for_work_group_offset_kernel(group, request->range, request->local, request->offset,
                                                 request->kernel, block, bytes);
    else
        tw_parallel_for_nd_range_kernel(group, nd_range, request->kernel, block, bytes);
}
