/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in the host lowering (host_lowering.h). Knows no backend. */
#include "host_lowering.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "fiber.h"
#include "kernel_word.h"
#include "team.h"
#include "topology.h"

void tw_host_describe(struct tw_backend_device *device, struct tw_device_facts *facts)
{
    (void)device;
    tw_topology_describe(facts);
    facts->max_work_group_size = 8192; /* work-items are loop iterations: as many as stay in a cache */
    facts->sub_group_size = 1;
    facts->atomic_orders = TW_ALL_ORDERS;
    facts->atomic_scopes = TW_ALL_SCOPES;
    facts->atomic_host_memory = true;
    facts->uses_host_memory = facts->has_shared_memory = facts->uses_system_memory = facts->unified_memory = true;
    facts->local_mem_type = TW_LOCAL_MEM_GLOBAL;
    facts->local_mem_bytes = TW_HOST_LOCAL_BYTES;
}

void tw_host_observe(struct tw_backend_device *device, struct tw_device_state *state)
{
    (void)device;
    state->free_bytes = tw_topology_free_bytes();
}

size_t tw_host_static_local_bytes(const struct tw_internal_kernel *kernel)
{
    const size_t known = __atomic_load_n(kernel->local_bytes, __ATOMIC_RELAXED) & TW_KERNEL_LOCAL_BYTES;
    if (known)
        return known - 1;
    size_t bytes = 0;
    for (const struct tw_internal_local_note *note = kernel->notes; note != kernel->past_notes; ++note)
        if (strcmp(note->function, kernel->function) == 0 && strcmp(note->unit, kernel->unit) == 0)
            bytes += note->bytes;
    (void)__atomic_or_fetch(kernel->local_bytes, bytes + 1, __ATOMIC_RELAXED);
    return bytes;
}

tw_status tw_host_check_has_groups(const struct tw_internal_kernel *kernel)
{
    const bool is_reduction = kernel->form == TW_INTERNAL_REDUCTION;
    if ((kernel->form != TW_INTERNAL_RANGE && !is_reduction) || !tw_host_static_local_bytes(kernel))
        return TW_SUCCESS;
    return tw_fail(
        TW_ERROR_INVALID_KERNEL,
        "kernel %s is one of %s and has no work-groups, and its function has TW_LOCAL variables: define it by "
        "%s or %s",
        kernel->name, is_reduction ? "TW_RANGE_REDUCTION" : "TW_RANGE_KERNEL",
        is_reduction ? "TW_ND_RANGE_REDUCTION()" : "TW_ND_RANGE_KERNEL()",
        is_reduction ? "TW_WORK_GROUP_REDUCTION()" : "TW_WORK_GROUP_KERNEL()");
}

tw_status tw_host_check_local(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *launch,
                              size_t most)
{
    const tw_status status = tw_host_check_has_groups(kernel);
    if (status != TW_SUCCESS)
        return status;
    const size_t bytes = tw_host_static_local_bytes(kernel);
    if (launch->local_bytes <= most && bytes <= most - launch->local_bytes)
        return TW_SUCCESS;
    return tw_fail(TW_ERROR_OUT_OF_LOCAL_MEMORY,
                   "a group of kernel %s needs %zu bytes of local memory in TW_LOCAL variables and %zu "
                   "in local accessors, which is more than the %zu it can have",
                   kernel->name, bytes, launch->local_bytes, most);
}

tw_status tw_host_load(struct tw_backend_device *device, const struct tw_internal_kernel *kernel)
{
    (void)device;
    return kernel->host ? TW_SUCCESS : tw_fail(TW_ERROR_UNSUPPORTED, "kernel %s has no host version", kernel->name);
}

tw_status tw_host_check(struct tw_backend_device *device, const struct tw_internal_kernel *kernel,
                        struct tw_internal_launch *launch)
{
    const tw_status status = tw_host_load(device, kernel);
    if (status != TW_SUCCESS)
        return status;
    if (!launch->local_bytes && (__atomic_load_n(kernel->local_bytes, __ATOMIC_RELAXED) & TW_KERNEL_LOCAL_BYTES) == 1)
        return TW_SUCCESS; /* it is known to need none, as most kernels */
    return tw_host_check_local(kernel, launch, TW_HOST_LOCAL_BYTES);
}

/* The resident groups are as many as the team's threads: each runs one group. */
void tw_host_limits(struct tw_backend_device *device, const struct tw_internal_kernel *kernel, size_t items,
                    size_t local_bytes, struct tw_kernel_facts *facts)
{
    (void)device, (void)items, (void)local_bytes;
    facts->static_local_bytes = tw_host_static_local_bytes(kernel);
    facts->resident_groups = omp_get_dynamic() ? 1 : (size_t)omp_get_max_threads();
    if (facts->resident_groups > (size_t)omp_get_thread_limit())
        facts->resident_groups = (size_t)omp_get_thread_limit();
}

static tw_status group_scope(const struct tw_internal_kernel *kernel, const struct tw_internal_divergence *note)
{
    char from[32] = "the beginning", to[32] = "the end";
    if (note->line)
        snprintf(from, sizeof from, "line %d", note->line);
    if (note->other_line)
        snprintf(to, sizeof to, "line %d", note->other_line);
    return tw_fail(
        TW_ERROR_GROUP_SCOPE,
        "in group (%zu, %zu, %zu) of kernel %s (%s) a TW_LOCAL variable was written at group scope, between %s "
        "and %s; that belongs in a loop over work-items or under TW_ONCE",
        note->group[0], note->group[1], note->group[2], kernel->name, kernel->file, from, to);
}

static tw_status divergence(const struct tw_internal_kernel *kernel, const struct tw_internal_divergence *note)
{
    if (!note->waiting)
        return group_scope(kernel, note);
    char where[48] = "a group function", elsewhere[64] = "not";
    if (note->line)
        snprintf(where, sizeof where, "the barrier in line %d", note->line);
    if (note->other_line)
        snprintf(elsewhere, sizeof elsewhere, "at the one in line %d", note->other_line);
    return tw_fail(TW_ERROR_DIVERGENT_BARRIER,
                   "in group (%zu, %zu, %zu) of kernel %s %s was reached by %zu work-items, and %zu were "
                   "%s; all of a group must reach a barrier, or none",
                   note->group[0], note->group[1], note->group[2], kernel->name, where, note->waiting, note->finished,
                   elsewhere);
}

/* Fails with the reason why a kernel did not run or was abandoned. */
static __attribute__((noinline, cold)) tw_status refuse(const struct tw_internal_kernel *kernel,
                                                        const struct tw_internal_launch *description, int fell_back)
{
    switch (fell_back) {
    case TW_INTERNAL_NO_IMAGE:
        tw_refuse_launch();
        return tw_fail(TW_ERROR_NO_DEVICE_IMAGE,
                       "kernel %s has no image for OpenMP device %d: compile and link %s for it, as with "
                       "teamwork_add_offload()",
                       kernel->name, description->device, kernel->file);
    case TW_INTERNAL_NO_THREADS:
        return tw_fail(TW_ERROR_UNSUPPORTED,
                       "kernel %s needs a thread for each of the %zu work-items of a group, which the "
                       "standard mapping (LOWERING teams) did not get; compile %s with LOWERING simt",
                       kernel->name, description->local[0] * description->local[1] * description->local[2],
                       kernel->file);
    case TW_INTERNAL_DIVERGENCE:
        return divergence(kernel, &description->divergence);
    default:
        return tw_fail(
            TW_ERROR_OUT_OF_MEMORY,
            "kernel %s: no memory for the stacks or the local memory of its work-groups, or for what it reduces",
            kernel->name);
    }
}

/* Says, once for each kernel, that its barriers are slow. */
static __attribute__((noinline, cold)) void tell_of_stacks(const struct tw_internal_kernel *kernel)
{
    if (kernel->form != TW_INTERNAL_ND_RANGE
        || (__atomic_fetch_or(kernel->local_bytes, TW_KERNEL_TOLD_OF_STACKS, __ATOMIC_RELAXED)
            & TW_KERNEL_TOLD_OF_STACKS))
        return;
    tw_warn("nd_range kernel %s (%s:%d) keeps a stack for each work-item, and each barrier switches all of them: as "
            "loops it is many times faster, for which it is compiled with optimization, the plugin of the compiler and "
            "no sanitizer; -Rpass-missed=teamwork-split tells why it is not (docs/work_groups.md, "
            "\"nd_range kernels as loops\")",
            kernel->name, kernel->file, kernel->line);
}

tw_status tw_host_outcome(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description)
{
    if (__builtin_expect(__atomic_load_n(&description->stacks, __ATOMIC_RELAXED), 0))
        tell_of_stacks(kernel);
    const int fell_back = __atomic_load_n(&description->fell_back, __ATOMIC_RELAXED);
    return fell_back ? refuse(kernel, description, fell_back) : TW_SUCCESS;
}

/* Lends a launch the memory of a reduction, which grows. */
static void lend(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                 struct tw_host_scratch *scratch)
{
    const size_t bytes = (tw_internal_scratch_bytes(description, tw_internal_reduces_groups(kernel)) + 63) / 64 * 64;
    if (bytes > scratch->bytes) {
        free(scratch->memory);
        scratch->memory = aligned_alloc(64, bytes);
        scratch->bytes = scratch->memory ? bytes : 0;
    }
    description->scratch = scratch->memory;
    if (!scratch->memory)
        description->fell_back = TW_INTERNAL_NO_MEMORY;
}

bool tw_host_prepare(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                     struct tw_host_scratch *scratch)
{
    description->cpu = &tw_fiber_cpu;
    description->fell_back = description->stacks = 0;
    if (kernel->misfit)
        lend(kernel, description, scratch);
    return !description->fell_back;
}

void tw_host_end(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description)
{
    if (kernel->host_end)
        kernel->host_end(description);
}

const struct tw_internal_kernel *tw_host_next_stage(const struct tw_internal_kernel *kernel,
                                                    struct tw_internal_launch *description)
{
    const unsigned char *block = description->args;
    const struct tw_internal_next_launch *stage =
        (const void *)(block + tw_internal_next_launch_offset(kernel->args_bytes));
    description->args = stage + 1;
    description->range[0] = description->whole[0] = stage->range;
    --description->stages;
    return stage->kernel;
}

bool tw_host_needs_one_thread(const struct tw_internal_kernel *kernel, const struct tw_internal_launch *description)
{
    const size_t *range = description->range;
    return kernel->form == TW_INTERNAL_SINGLE_TASK
           || ((kernel->form == TW_INTERNAL_WORK_GROUP || kernel->form == TW_INTERNAL_ND_RANGE) && !kernel->misfit
               && range[0] == 1 && range[1] == 1 && range[2] == 1);
}

tw_status tw_host_run(const struct tw_internal_kernel *kernel, struct tw_internal_launch *description,
                      const struct tw_host_prelude *prelude)
{
    struct tw_host_scratch scratch = {NULL, 0};
    if (tw_host_needs_one_thread(kernel, description)) {
        (void)tw_host_prepare(kernel, description, &scratch);
        if (prelude)
            prelude->run(prelude, 0, 1);
        kernel->host(description, 0, 1);
    } else if (tw_host_prepare(kernel, description, &scratch)) {
        tw_team_bind();
#pragma omp parallel
        {
            const size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
            if (prelude) {
                prelude->run(prelude, thread, threads);
#pragma omp barrier
            }
            kernel->host(description, thread, threads);
        }
        tw_host_end(kernel, description);
    }
    free(scratch.memory);
    return tw_host_outcome(kernel, description);
}
