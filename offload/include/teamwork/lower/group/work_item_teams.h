/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Hierarchical kernels in standard OpenMP, inside `target teams distribute`: the team's initial thread runs group
 * scope, a loop over work-items is `parallel for`, whose end is the barrier, and local memory is the team's.
 */
#ifndef TEAMWORK_LOWER_WORK_ITEM_TEAMS_H
#define TEAMWORK_LOWER_WORK_ITEM_TEAMS_H

TW_DEVICE_INLINE tw_h_item tw_internal_teams_item(tw_group group, tw_range range, size_t linear)
{
    tw_h_item item = {{0, 0, 0}, {range.size[0], range.size[1], range.size[2]}, group, true};
    tw_internal_delinearize(linear, item.tw_range_, group->tw_dims_, item.tw_id_);
    return item;
}

#define TW_INTERNAL_WORK_ITEMS(group, range, ignored, options, item, ...)                                              \
    for (tw_range tw_range_ = (range), *tw_range_once = &tw_range_; tw_range_once; tw_range_once = NULL)               \
        TW_INTERNAL_PRAGMA(omp parallel for)                                                                           \
    for (size_t tw_j = 0; tw_j < tw_range_count(tw_range_); ++tw_j)                                                    \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_teams_item(group, tw_range_, tw_j))

/* Hides who reads and writes a variable in the team's memory from LLVM's openmp-opt pass (19): it knows that a barrier
   changes nothing, and takes the one value that a thread stores for the value that all of them load. */
#ifdef TW_INTERNAL_GPU_PASS
TW_DEVICE_INLINE void tw_internal_share(const void *address)
{
#ifdef __NVPTX__
    __asm__ volatile("" ::"l"(address) : "memory");
#else
    __asm__ volatile("" ::"v"(address) : "memory");
#endif
}
#endif

#define TW_INTERNAL_ONCE(group) for (bool tw_once = ((void)(group), true); tw_once; tw_once = false)

/* (The address is taken so that clang does not warn where one work-item sets what others read.)
   On a CPU device an automatic variable of the initial thread is shared by the team's threads, and libomp has no
   allocator for teams; on a GPU the directive places the variable in the team's memory. */
#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_LOCAL(type, ...)                                                                                   \
    type TW_INTERNAL_DECLARATOR(__VA_ARGS__) TW_INTERNAL_ALIGNED(type, 16);                                            \
    TW_INTERNAL_PRAGMA(omp allocate(TW_INTERNAL_DECLARED(__VA_ARGS__)) allocator(omp_pteam_mem_alloc))                 \
    (void)&TW_INTERNAL_DECLARED(__VA_ARGS__), tw_internal_share((const void *)&TW_INTERNAL_DECLARED(__VA_ARGS__))
#else
#define TW_INTERNAL_LOCAL(type, ...)                                                                                   \
    type TW_INTERNAL_DECLARATOR(__VA_ARGS__) TW_INTERNAL_ALIGNED(type, 64);                                            \
    (void)&TW_INTERNAL_DECLARED(__VA_ARGS__)
#endif

/* On a GPU the array has the largest group's size: variables of run-time size do not survive globalization there. */
#ifdef TW_INTERNAL_GPU_PASS
#define TW_INTERNAL_PRIVATE(group, type, name) type name[TW_INTERNAL_SIMT_MAX_GROUP]
#else
#define TW_INTERNAL_PRIVATE(group, type, name) TW_INTERNAL_VARIABLE_SIZE(type name[tw_local_linear_range(group)])
#endif
#define TW_INTERNAL_PRIVATE_INDEX(item) tw_local_linear_id(item)

#endif
