/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers what <teamwork/nd_range.h> declares. */
#ifndef TEAMWORK_LOWER_ND_ITEM_H
#define TEAMWORK_LOWER_ND_ITEM_H

#include <teamwork/local.h>
#include <teamwork/lower/group/work_item.h>
#include <teamwork/lower/kernel/split.h>
#include <teamwork/memory.h>

#if defined(TW_INTERNAL_PASS_SIMT)

TW_LANGUAGE_INLINE void tw_internal_barrier_at(tw_nd_item item, tw_fence_space space, int line)
{
    (void)item, (void)space, (void)line;
    tw_internal_barrier();
}

#elif defined(TW_INTERNAL_PASS_TEAMS)

/* The barrier of a team's parallel region. On a GPU, LLVM 19's device runtime never leaves that of a region of one
   thread: it asks the hardware for a barrier of less than a warp. */
TW_LANGUAGE_INLINE void tw_internal_team_barrier(void)
{
    if (omp_get_num_threads() > 1) {
        TW_INTERNAL_PRAGMA(omp barrier)
    }
}

TW_LANGUAGE_INLINE void tw_internal_barrier_at(tw_nd_item item, tw_fence_space space, int line)
{
    (void)item, (void)space, (void)line;
    tw_internal_team_barrier();
}

#else

TW_LANGUAGE_INLINE void tw_internal_barrier_at(tw_nd_item item, tw_fence_space space, int line)
{
    (void)space;
    if (tw_internal_marker_barrier(line))
        return; /* the plugin has made loops of what is between barriers */
    ((struct tw_internal_group *)(uintptr_t)item.tw_group_)->tw_switched_ = true; /* the items function's own */
    item.tw_group_->tw_cpu_->barrier(item.tw_group_->tw_run_, tw_local_linear_id(item), line);
#ifdef TW_CHECK_GROUP_SCOPE
    tw_internal_checked_memory()->known = false; /* group functions write what they are given, at group scope */
#endif
}

#endif

TW_LANGUAGE_INLINE void tw_mem_fence(tw_nd_item item, tw_fence_space space)
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

TW_OVERLOADED TW_INTERNAL_ADDRESS tw_local_data(tw_group group, tw_local_memory memory)
{
#if defined(TW_INTERNAL_PASS_SIMT)
    (void)group;
    return (void *)(tw_internal_dynamic_memory + memory.tw_offset_);
#else
    return TW_INTERNAL_OF_THREAD((void *)((unsigned char *)group->tw_memory_ + memory.tw_offset_));
#endif
}

TW_OVERLOADED TW_INTERNAL_ADDRESS tw_local_data(tw_nd_item item, tw_local_memory memory)
{
    return tw_local_data(item.tw_group_, memory);
}

TW_OVERLOADED TW_INTERNAL_ADDRESS tw_local_data(tw_h_item item, tw_local_memory memory)
{
    return tw_local_data(item.tw_group_, memory);
}

/* ---- sub-groups -------------------------------------------------------------------------------------------------- */

/* That of work-item `linear` of a group of `total`. */
TW_LANGUAGE_INLINE tw_sub_group tw_internal_sub_group(unsigned linear, unsigned total)
{
#if defined(__NVPTX__)
    const unsigned width = 32;
#elif defined(__AMDGCN_WAVEFRONT_SIZE__) && __clang_major__ < 20
    const unsigned width = __AMDGCN_WAVEFRONT_SIZE__; /* where the built-in is no constant for the optimizer */
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

TW_LANGUAGE_INLINE tw_sub_group tw_get_sub_group(tw_nd_item item)
{
    return tw_internal_sub_group((unsigned)tw_local_linear_id(item), (unsigned)tw_local_linear_range(item));
}

#endif
