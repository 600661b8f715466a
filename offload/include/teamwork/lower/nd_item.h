/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The language of nd_range kernels (spec 2.5.2, 3.7.1.5, 3.7.3.2), lowered for the current pass; local accessors, for
 * hierarchical kernels too.
 *
 *     tw_barrier(item, space)          all work-items of the group come here before any goes on
 *     tw_mem_fence(item, space)        orders this work-item's accesses, without waiting for others
 *     TW_LOCAL(type, name, [n]...)     team-local memory of constant size (work_item.h)
 *     tw_local_data(item, k->memory)   team-local memory whose size the launch gives: tw_local() in command_group.h
 *     tw_get_sub_group(item)           the work-items that run in lockstep with this one
 *
 * and group functions: group_functions.h.
 *
 * Either all work-items of a group come to a barrier, or none: a barrier in a branch that only some of them take is an error.
 * On the host, on simulated devices and on CPUs it is found: the launch fails with TW_ERROR_DIVERGENT_BARRIER, which names the
 * kernel. A GPU does not notice.
 *
 * Where it is one thread that runs a whole group, on CPUs, a kernel with barriers keeps a stack for each work-item and switches
 * between them at each barrier: TW_WORK_ITEM_STACK_KB in the environment gives their size in KiB (default 128; a larger need is a
 * fault, or memory of another stack where a program has very many), and a hierarchical
 * kernel does the same work faster. Kernels without barriers and group functions are plain loops; split.h makes loops of others.
 */
#ifndef TEAMWORK_LOWER_ND_ITEM_H
#define TEAMWORK_LOWER_ND_ITEM_H

#include <teamwork/local.h>
#include <teamwork/lower/split.h>
#include <teamwork/lower/work_item.h>

/** Which memory a barrier or fence makes consistent within the group. */
typedef enum tw_fence_space { TW_LOCAL_SPACE = 1, TW_GLOBAL_SPACE = 2, TW_GLOBAL_AND_LOCAL = 3 } tw_fence_space;

/**
 * Waits until all work-items of the group are here; what they wrote to `space` before is then visible to all of them. On all
 * devices of today every barrier orders both spaces.
 */
#define tw_barrier(item, space) tw_internal_barrier_at((item), (space), __LINE__)

#if defined(TW_INTERNAL_PASS_SIMT)

TW_DEVICE_INLINE void tw_internal_barrier_at(tw_nd_item item, tw_fence_space space, int line)
{
    (void)item, (void)space, (void)line;
    tw_internal_barrier();
}

#elif defined(TW_INTERNAL_PASS_TEAMS)

/* The barrier of a team's parallel region. On a GPU, LLVM 19's device runtime never leaves that of a region of one thread: it
   asks the hardware for a barrier of less than a warp. */
TW_DEVICE_INLINE void tw_internal_team_barrier(void)
{
    if (omp_get_num_threads() > 1) {
        TW_INTERNAL_PRAGMA(omp barrier)
    }
}

TW_DEVICE_INLINE void tw_internal_barrier_at(tw_nd_item item, tw_fence_space space, int line)
{
    (void)item, (void)space, (void)line;
    tw_internal_team_barrier();
}

#else

TW_DEVICE_INLINE void tw_internal_barrier_at(tw_nd_item item, tw_fence_space space, int line)
{
    (void)space;
    if (tw_internal_marker_barrier(line))
        return; /* the plugin has made loops of what is between barriers */
    ((struct tw_internal_group *)(uintptr_t)item.tw_group_)->tw_switched_ = true; /* the items function's own */
    item.tw_group_->tw_cpu_->barrier(item.tw_group_->tw_run_, tw_local_linear_id(item), line);
}

#endif

/** Orders the accesses of this work-item to `space`, before and after, for the other work-items of its group. */
TW_DEVICE_INLINE void tw_mem_fence(tw_nd_item item, tw_fence_space space)
{
    (void)item, (void)space;
#if defined(__NVPTX__)
    __nvvm_membar_cta();
#elif defined(__AMDGCN__)
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
#elif defined(TW_INTERNAL_PASS_TEAMS)
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
#else
    __atomic_signal_fence(__ATOMIC_ACQ_REL); /* the group is one thread */
#endif
}

/* ---- local accessors --------------------------------------------------------------------------------------------- */

#if defined(TW_INTERNAL_PASS_SIMT)
/* What a launch adds to the kernel's static local memory begins here. */
#pragma omp begin declare target device_type(nohost)
extern unsigned char tw_internal_dynamic_memory[] __attribute__((aligned(16)));
#pragma omp allocate(tw_internal_dynamic_memory) allocator(omp_pteam_mem_alloc)
#pragma omp end declare target
#endif

/** The memory of this group behind a local accessor, aligned to 16 bytes; what is in it is undefined. */
TW_OVERLOADED void *tw_local_data(tw_group group, tw_local_memory memory)
{
#if defined(TW_INTERNAL_PASS_SIMT)
    (void)group;
    return tw_internal_dynamic_memory + memory.tw_offset_;
#else
    return (unsigned char *)group->tw_memory_ + memory.tw_offset_;
#endif
}

TW_OVERLOADED void *tw_local_data(tw_nd_item item, tw_local_memory memory)
{
    return tw_local_data(item.tw_group_, memory);
}

TW_OVERLOADED void *tw_local_data(tw_h_item item, tw_local_memory memory)
{
    return tw_local_data(item.tw_group_, memory);
}

/* ---- sub-groups -------------------------------------------------------------------------------------------------- */

/* That of work-item `linear` of a group of `total`. */
TW_DEVICE_INLINE tw_sub_group tw_internal_sub_group(unsigned linear, unsigned total)
{
#if defined(__NVPTX__)
    const unsigned width = 32;
#elif defined(__AMDGCN__)
    const unsigned width = __builtin_amdgcn_wavefrontsize();
#else
    const unsigned width = 1;
#endif
    const unsigned first = linear / width * width;
    const unsigned size = total % width && total - first < width ? total - first : width; /* mostly a constant */
    tw_sub_group result = {linear - first,    size, width, linear / width, (total + width - 1) / width,
                           total % width == 0};
    return result;
}

/** The sub-group of a work-item. */
TW_DEVICE_INLINE tw_sub_group tw_get_sub_group(tw_nd_item item)
{
    return tw_internal_sub_group((unsigned)tw_local_linear_id(item), (unsigned)tw_local_linear_range(item));
}

#endif
