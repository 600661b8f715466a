/* SPDX-License-Identifier: Apache-2.0 */
/* Launches past libomptarget: the grid and the parameters of a launch (gpu_kernel.h). */
#include <string.h>

#include <teamwork/lower/kernel/simt.h>

#include "gpu_kernel.h"

/* The limits of a grid's and a block's dimensions: NVIDIA's, which are within AMD's. */
static const unsigned most_blocks[3] = {INT32_MAX, 65535, 65535}, most_threads[3] = {1024, 1024, 64};

/* Gives the grid the dimensions of the range, if they fit the hardware's limits. */
static void shape(const struct tw_internal_launch *launch, const struct tw_internal_simt_grid *grid, bool is_range,
                  struct tw_internal_simt_captures *captures, struct tw_gpu_call *call)
{
    const unsigned dims = launch->dims;
    bool fits = dims > 1, has_offset = false;
    for (unsigned d = 0; d < dims && fits; ++d) {
        const unsigned axis = dims - 1 - d;
        fits = grid->teams[d] <= most_blocks[axis] && (!is_range || grid->threads[d] <= most_threads[axis]);
        has_offset = has_offset || (is_range && launch->offset[d]);
    }
    if (!fits)
        return;
    captures->shape |= has_offset ? TW_INTERNAL_SIMT_SHAPED_AT_OFFSET : TW_INTERNAL_SIMT_SHAPED;
    for (unsigned d = 0; d < dims; ++d) {
        call->grid[dims - 1 - d] = (unsigned)grid->teams[d];
        if (is_range)
            call->block[dims - 1 - d] = (unsigned)grid->threads[d];
    }
}

/* Fills the grid of all forms but single tasks, and returns the captured words. */
static struct tw_internal_simt_captures
describe_range(const struct tw_gpu_kernel *kernel, const struct tw_internal_launch *launch, struct tw_gpu_call *call)
{
    const unsigned form = kernel->key->form;
    const bool is_range = form == TW_INTERNAL_RANGE, is_reduction = form == TW_INTERNAL_REDUCTION;
    struct tw_internal_simt_grid grid;
    __builtin_assume(launch->dims >= 1 && launch->dims <= 3); /* for clang-tidy */
    const bool reduces_groups = kernel->key->misfit && !is_reduction;
    struct tw_internal_simt_captures captures = is_range       ? tw_internal_simt_range_captures(launch, &grid)
                                                : is_reduction ? tw_internal_simt_reduction_captures(launch, &grid)
                                                : reduces_groups
                                                    ? tw_internal_simt_group_reduction_captures(launch, &grid)
                                                    : tw_internal_simt_group_captures(launch, &grid);
    call->grid[0] = tw_internal_simt_count(grid.teams);
    call->block[0] = tw_internal_simt_count(grid.threads);
    if (!is_reduction && !reduces_groups)
        shape(launch, &grid, is_range, &captures, call);
    return captures;
}

void tw_gpu_call(const struct tw_gpu_kernel *kernel, const struct tw_internal_launch *launch, struct tw_gpu_call *call)
{
    static const unsigned one[3] = {1, 1, 1};
    const struct tw_internal_kernel *key = kernel->key;
    uint64_t *args = &call->parameters[1 + TW_INTERNAL_SIMT_WORDS];
    memcpy(call->grid, one, sizeof one);
    memcpy(call->block, one, sizeof one);
    call->dynamic_bytes = (unsigned)launch->local_bytes;
    call->bytes = kernel->parameters * sizeof call->parameters[0];
    memset(call->parameters, 0, call->bytes);
    struct tw_internal_simt_captures captures = {.launch_word = (uint64_t)(uintptr_t)launch};
    if (key->form != TW_INTERNAL_SINGLE_TASK)
        captures = describe_range(kernel, launch, call);
    memcpy(&call->parameters[1], &captures, sizeof captures);
    if (launch->words == 1)
        *args = (uint64_t)(uintptr_t)launch->device_args;
    else
        memcpy(args, launch->args, key->args_bytes);
}
