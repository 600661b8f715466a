/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Hierarchical kernels in standard OpenMP, inside `target teams distribute`: the team's initial thread runs group
 * scope, a loop over work-items is `parallel for`, whose end is the barrier, and local memory is the team's.
 */
#ifndef TEAMWORK_LOWER_WORK_ITEM_TEAMS_H
#define TEAMWORK_LOWER_WORK_ITEM_TEAMS_H

#undef TW_INTERNAL_OWN_WORK_ITEM
#define TW_INTERNAL_OWN_WORK_ITEM(group, ignored, options, item, ...)                                                  \
    for (struct tw_internal_points tw_points = tw_internal_own_points(group), *tw_once = &tw_points; tw_once;          \
         tw_once = NULL)                                                                                               \
        TW_INTERNAL_PRAGMA(omp parallel for)                                                                           \
    for (size_t tw_j = 0; tw_j < tw_range_count(tw_points.range); ++tw_j)                                              \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_linear_item(group, &tw_points, tw_j))

/* The points of one work-item follow each other: they have its private values. */
#define TW_INTERNAL_WORK_ITEMS(group, which, ignored, options, item, ...)                                              \
    for (struct tw_internal_points tw_points = which, *tw_once = &tw_points; tw_once; tw_once = NULL)                  \
        TW_INTERNAL_PRAGMA(omp parallel for)                                                                           \
    for (size_t tw_first = 0; tw_first < tw_internal_teams_working(group, &tw_points); ++tw_first)                     \
        for (size_t tw_j = tw_first; tw_j < tw_range_count(tw_points.range); tw_j += tw_local_linear_range(group))     \
    TW_INTERNAL_WITH_ITEM(item, tw_internal_linear_item(group, &tw_points, tw_j))

/* The work-items that have points. */
TW_DEVICE_INLINE size_t tw_internal_teams_working(tw_group group, const struct tw_internal_points *points)
{
    const size_t all = tw_local_linear_range(group), count = tw_range_count(points->range);
    return count < all ? count : all;
}

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
#define TW_INTERNAL_PRIVATE(group, type, name, dims, ...) type name[TW_INTERNAL_SIMT_MAX_GROUP] dims
#else
#define TW_INTERNAL_PRIVATE(group, type, name, dims, ...)                                                              \
    TW_INTERNAL_VARIABLE_SIZE(type name[tw_local_linear_range(group)] dims)
#endif
#define TW_INTERNAL_PRIVATE_AT(name, item, value, place, indices)                                                      \
    ((name)[tw_internal_private_at(item, 0, !TW_INTERNAL_IS_ARRAY(value))] indices)

#endif
