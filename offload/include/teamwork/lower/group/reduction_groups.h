/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers the nd_range and hierarchical kernels of <teamwork/reduction.h>. */
#ifndef TEAMWORK_LOWER_REDUCTION_GROUPS_H
#define TEAMWORK_LOWER_REDUCTION_GROUPS_H

#include <teamwork/lower/group/reduction.h>

// clang-format off
#define TW_INTERNAL_GROUP_REDUCTION_KERNEL(kernel, size, ...)                                                          \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_GROUP_REDUCTION_OF, work_group_kernel,                            \
                       (TW_INTERNAL_GROUP_SIZES size),                                                                 \
                       (__VA_ARGS__), 0, TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_GROUP_REDUCTION_OF(sizes, members, n2, shown, next, name, linkage, kinds, options, function,       \
                                         block, values)                                                                \
    TW_INTERNAL_CHECK_KERNEL(name, function, block, "(tw_group group, const struct " #block " *k)", tw_group,          \
                             const name##_tw_block *)                                                                  \
    TW_INTERNAL_REQUIRE_GROUP_OF(name, TW_INTERNAL_BARE sizes)                                                         \
    TW_INTERNAL_REDUCED_MEMBERS_OF(name, TW_INTERNAL_BARE members)                                                     \
    TW_INTERNAL_REDUCED_CALL(name, kinds, function, tw_group, values)                                                  \
    TW_INTERNAL_HOST_GROUP(name, values)                                                                               \
    TW_INTERNAL_HOST_GROUPS_PART(name)                                                                                 \
    TW_INTERNAL_HOST_REDUCTION(name, true)                                                                             \
    TW_INTERNAL_SIMT_GROUPS_REDUCTION(name, group, values)                                                             \
    TW_INTERNAL_SIMT(name, group_reduction)                                                                            \
    TW_INTERNAL_TEAMS_GROUPS_REDUCTION(name, values)                                                                   \
    TW_INTERNAL_TEAMS(name, group_reduction, groups)                                                                   \
    TW_INTERNAL_TEAMS_REDUCTION_END(name, true)                                                                        \
    TW_INTERNAL_KERNEL_OBJECT(work_group, TW_INTERNAL_WORK_GROUP, name, linkage, kinds, function, shown, next,         \
                              TW_INTERNAL_REDUCES, values, name##_tw_dims, name##_tw_local_0,                          \
                              name##_tw_local_1, name##_tw_local_2)

#define TW_INTERNAL_ND_REDUCTION_KERNEL(kernel, size, ...)                                                             \
    TW_INTERNAL_EXPAND(TW_INTERNAL_FORM, TW_INTERNAL_ND_REDUCTION_OF, nd_range_kernel, (TW_INTERNAL_GROUP_SIZES size), \
                       (__VA_ARGS__), 0, TW_INTERNAL_PREFIXES(kernel))
#define TW_INTERNAL_ND_REDUCTION_OF(sizes, members, n2, shown, next, name, linkage, kinds, options, function,          \
                                         block, values)                                                                \
    TW_INTERNAL_CHECK_KERNEL(name, function, block, "(tw_nd_item item, const struct " #block " *k)", tw_nd_item,       \
                             const name##_tw_block *)                                                                  \
    TW_INTERNAL_REQUIRE_GROUP_OF(name, TW_INTERNAL_BARE sizes)                                                         \
    TW_INTERNAL_REDUCED_MEMBERS_OF(name, TW_INTERNAL_BARE members)                                                     \
    TW_INTERNAL_REDUCED_CALL(name, kinds, function, tw_nd_item, values)                                                \
    TW_INTERNAL_HOST_ND_RANGE(name, options, values)                                                                   \
    TW_INTERNAL_HOST_GROUPS_PART(name)                                                                                 \
    TW_INTERNAL_HOST_REDUCTION(name, true)                                                                             \
    TW_INTERNAL_SIMT_GROUPS_REDUCTION(name, item, values)                                                              \
    TW_INTERNAL_SIMT(name, group_reduction)                                                                            \
    TW_INTERNAL_TEAMS_ND_REDUCTION(name, values)                                                                       \
    TW_INTERNAL_TEAMS(name, nd_reduction, groups)                                                                      \
    TW_INTERNAL_TEAMS_REDUCTION_END(name, true)                                                                        \
    TW_INTERNAL_KERNEL_OBJECT(nd_range, TW_INTERNAL_ND_RANGE, name, linkage, kinds, function, shown, next,             \
                              TW_INTERNAL_REDUCES, values, name##_tw_dims, name##_tw_local_0,                          \
                              name##_tw_local_1, name##_tw_local_2)

/* TW_INTERNAL_GROUP_SIZES(16, 8)  Expands to: 16, 8, TW_INTERNAL_ANY; what is not there has no characters */
#define TW_INTERNAL_GROUP_SIZES(...) TW_INTERNAL_THREE_GROUP_SIZES(__VA_ARGS__, , , )
#define TW_INTERNAL_THREE_GROUP_SIZES(n0, n1, n2, ...)                                                                 \
    TW_INTERNAL_GROUP_SIZE(n0), TW_INTERNAL_GROUP_SIZE(n1), TW_INTERNAL_GROUP_SIZE(n2)
#define TW_INTERNAL_GROUP_SIZE(n) (sizeof(#n) > 1 ? (n + 0) : TW_INTERNAL_ANY)

/* A work-item, or the group of a hierarchical kernel, has values of its own, and adds them to those of its part.
   Expands to:

       void dot_tw_each(item, block) { dot(item, block); }
       void dot_tw_call(item, block) { copy the block; reset its values; dot_tw_each(...); add the values } */
#define TW_INTERNAL_REDUCED_CALL(name, kinds, function, point, values)                                                 \
    TW_DEVICE_INLINE void name##_tw_each(point tw_here, const name##_tw_block *tw_args)                                \
    {                                                                                                                  \
        if (TW_INTERNAL_IS_FOR(kinds))                                                                                 \
            TW_INTERNAL_INLINE_CALL(function(tw_here, tw_args))                                                        \
    }                                                                                                                  \
    TW_DEVICE_INLINE void name##_tw_call(point tw_here, const name##_tw_block *tw_args)                                \
    {                                                                                                                  \
        name##_tw_block tw_mine = *tw_args;                                                                            \
        values##_MINE(name)                                                                                            \
        name##_tw_members(TW_INTERNAL_BEGIN, &tw_mine, NULL);                                                          \
        name##_tw_each(tw_here, &tw_mine);                                                                             \
        name##_tw_members(TW_INTERNAL_ADD, &tw_mine, NULL);                                                            \
    }

/* The launch as the groups of a part see it, with the part's block. What they report is their own. */
TW_DEVICE_INLINE struct tw_internal_launch tw_internal_part_launch(const struct tw_internal_launch *launch,
                                                                   const void *args)
{
    struct tw_internal_launch own;
    __builtin_memset(&own, 0, sizeof own);
    own.args = args;
    own.dims = launch->dims;
    own.device = launch->device;
    own.local_bytes = launch->local_bytes;
    own.cpu = launch->cpu;
    for (unsigned d = 0; d < 3; ++d) {
        own.range[d] = launch->range[d];
        own.offset[d] = launch->offset[d];
        own.whole[d] = launch->whole[d];
        own.first[d] = launch->first[d];
        own.local[d] = launch->local[d];
    }
    return own;
}

/* What the groups of a part have reported, for the launch; the first report stays. */
TW_DEVICE_INLINE void tw_internal_join_part(struct tw_internal_launch *launch, const struct tw_internal_launch *own)
{
    const int why = own->fell_back;
    int none = 0;
    if (own->stacks)
        __atomic_store_n(&launch->stacks, 1, __ATOMIC_RELAXED);
    if (why && __atomic_compare_exchange_n(&launch->fell_back, &none, why, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        launch->divergence = own->divergence;
}

#ifdef TW_INTERNAL_DEVICE_PASS
#define TW_INTERNAL_HOST_GROUPS_PART(name)
#else
/* A part: some groups in a row. Expands to: void dot_tw_part(launch, block, part, parts) { dot_tw_host(...); } */
#define TW_INTERNAL_HOST_GROUPS_PART(name)                                                                             \
    TW_INTERNAL_ROLE("part=" #name)                                                                                    \
    static void name##_tw_part(struct tw_internal_launch *tw_launch, const name##_tw_block *tw_args, size_t tw_part,   \
                               size_t tw_parts)                                                                        \
    {                                                                                                                  \
        const struct tw_internal_reducing tw_here = tw_internal_reducing_of(tw_launch, tw_part);                       \
        name##_tw_block tw_mine = *tw_args;                                                                            \
        struct tw_internal_launch tw_own = tw_internal_part_launch(tw_launch, &tw_mine);                               \
        name##_tw_members(TW_INTERNAL_OPEN, &tw_mine, &tw_here);                                                       \
        name##_tw_host(&tw_own, tw_part, tw_parts);                                                                    \
        tw_internal_join_part(tw_launch, &tw_own);                                                                     \
    }
#endif

/* A turn of the region is a part. */
TW_DEVICE_INLINE struct tw_internal_entry
tw_internal_teams_parts_entry(const struct tw_internal_launch *launch, struct tw_internal_entry entry, size_t bytes)
{
    struct tw_internal_teams_captures captures = tw_internal_teams_captures(launch, true);
    captures.memory = (uint64_t)(uintptr_t)launch->scratch;
    entry.turns = tw_internal_teams_parts(launch, true);
    if (entry.turns < (size_t)entry.teams)
        entry.teams = (int)entry.turns;
    tw_internal_add_block(&entry, TW_INTERNAL_TEAMS_WORDS, launch, &captures, bytes);
    return entry;
}

TW_DEVICE_INLINE struct tw_internal_entry
tw_internal_teams_group_reduction_entry(const struct tw_internal_launch *launch, size_t bytes)
{
    return tw_internal_teams_parts_entry(launch, tw_internal_teams_group_entry(launch, 0), bytes);
}

TW_DEVICE_INLINE struct tw_internal_entry
tw_internal_teams_nd_reduction_entry(const struct tw_internal_launch *launch, size_t bytes)
{
    return tw_internal_teams_parts_entry(launch, tw_internal_teams_nd_range_entry(launch, 0), bytes);
}

#if defined(TW_INTERNAL_PASS_TEAMS) && defined(TW_INTERNAL_TEAMS_BUILT)
/* In a region: this part, and how many there are. */
TW_DEVICE_INLINE struct tw_internal_reducing tw_internal_teams_reducing(const uint64_t *words, size_t part,
                                                                        size_t *parts)
{
    const struct tw_internal_teams_captures *const head = tw_internal_teams_head(words);
#ifdef TW_INTERNAL_GPU_PASS
    *parts = tw_internal_group_parts(head->r0 * head->r1 * head->r2);
    return tw_internal_reducing(head->memory, part, 0, 1);
#else
    *parts = tw_internal_launch_parts(tw_internal_teams_launch(words), true);
    return tw_internal_reducing(head->memory, part, tw_internal_teams_launch(words)->array_bytes, 1);
#endif
}

/* The threads of a group add to the values of the part. Expands to:

       void dot_tw_teams_body(words, part) { for (...) dot_tw_each(group, block); } */
#define TW_INTERNAL_TEAMS_GROUPS_REDUCTION(name, values)                                                               \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        const struct tw_internal_teams_captures *const tw_head = tw_internal_teams_head(tw_words);                     \
        const size_t tw_total = tw_head->r0 * tw_head->r1 * tw_head->r2;                                               \
        size_t tw_parts;                                                                                               \
        const struct tw_internal_reducing tw_reducing = tw_internal_teams_reducing(tw_words, tw_part, &tw_parts);      \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_part + 1, tw_parts);                               \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_block tw_mine = *(const name##_tw_block *)tw_internal_block(                                         \
            tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy);                                             \
        name##_tw_members(TW_INTERNAL_OPEN, &tw_mine, &tw_reducing);                                                   \
        for (size_t tw_g = tw_internal_piece_first(tw_total, tw_part, tw_parts); tw_g < tw_past; ++tw_g) {             \
            struct tw_internal_group tw_here;                                                                          \
            tw_internal_teams_group(&tw_here, tw_head, tw_g, name##_tw_local_0, name##_tw_local_1, name##_tw_local_2,  \
                                    name##_tw_dims);                                                                   \
            if (tw_internal_teams_memory(tw_words, &tw_here))                                                          \
                name##_tw_each(&tw_here, values##_IN(name, &tw_mine, true)); /* anew: loops know its address */        \
        }                                                                                                              \
    }

#ifdef TW_INTERNAL_GPU_PASS
/* A work-item is a thread, for all groups of the part. Expands to:

       void dot_tw_teams_body(words, part)
       {
           #pragma omp parallel
           { for (...) dot_tw_each(item, block); add the values }
       } */
#define TW_INTERNAL_TEAMS_ND_REDUCTION(name, values)                                                                   \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        const struct tw_internal_teams_captures tw_head = *tw_internal_teams_head(tw_words);                           \
        const size_t tw_total = tw_head.r0 * tw_head.r1 * tw_head.r2;                                                  \
        size_t tw_parts;                                                                                               \
        const struct tw_internal_reducing tw_reducing = tw_internal_teams_reducing(tw_words, tw_part, &tw_parts);      \
        const size_t tw_from = tw_internal_piece_first(tw_total, tw_part, tw_parts);                                   \
        const size_t tw_past = tw_internal_piece_first(tw_total, tw_part + 1, tw_parts);                               \
        const size_t tw_items = tw_internal_teams_items(tw_head.shape, name##_tw_local_0, name##_tw_local_1,           \
                                                        name##_tw_local_2);                                            \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_block tw_part_block = *(const name##_tw_block *)tw_internal_block(                                   \
            tw_words + TW_INTERNAL_TEAMS_WORDS, &tw_copy, sizeof tw_copy);                                             \
        name##_tw_members(TW_INTERNAL_OPEN, &tw_part_block, &tw_reducing);                                             \
        TW_INTERNAL_PRAGMA(omp parallel num_threads((int)tw_items))                                                    \
        {                                                                                                              \
            name##_tw_block tw_mine = tw_part_block;                                                                   \
            values##_MINE(name)                                                                                        \
            name##_tw_members(TW_INTERNAL_BEGIN, &tw_mine, NULL);                                                      \
            const bool tw_granted = (size_t)omp_get_num_threads() == tw_items;                                         \
            for (size_t tw_g = tw_from; tw_g < tw_past && tw_granted; ++tw_g) {                                        \
                struct tw_internal_group tw_here;                                                                      \
                tw_internal_teams_group(&tw_here, &tw_head, tw_g, name##_tw_local_0, name##_tw_local_1,                \
                                        name##_tw_local_2, name##_tw_dims);                                            \
                (void)tw_internal_teams_memory(NULL, &tw_here);                                                        \
                name##_tw_each(tw_internal_teams_nd_item(&tw_here), &tw_mine);                                         \
                TW_INTERNAL_PRAGMA(omp barrier)                                                                        \
            }                                                                                                          \
            if (tw_granted)                                                                                            \
                name##_tw_members(TW_INTERNAL_ADD, &tw_mine, NULL);                                                    \
            else                                                                                                       \
                *(int *)(void *)(tw_reducing.arrays - TW_INTERNAL_COUNTER_BYTES) = 1;                                  \
        }                                                                                                              \
    }
#else
#define TW_INTERNAL_TEAMS_ND_REDUCTION(name, values)                                                                   \
    TW_DEVICE_INLINE void name##_tw_teams_body(const uint64_t *tw_words, size_t tw_part)                               \
    {                                                                                                                  \
        (void)tw_part;                                                                                                 \
        tw_internal_no_threads(tw_internal_teams_launch(tw_words));                                                    \
    }
#endif
#elif defined(TW_INTERNAL_PASS_HOST) && defined(TW_INTERNAL_TEAMS_BUILT)
#define TW_INTERNAL_TEAMS_GROUPS_REDUCTION(name, values) TW_INTERNAL_TEAMS_PART(name, true)
#define TW_INTERNAL_TEAMS_ND_REDUCTION(name, values) TW_INTERNAL_TEAMS_PART(name, true)
#else
#define TW_INTERNAL_TEAMS_GROUPS_REDUCTION(name, values)
#define TW_INTERNAL_TEAMS_ND_REDUCTION(name, values)
#endif

#ifdef TW_INTERNAL_PASS_SIMT
/* How the groups of a launch are numbered (tw_internal_simt_group_reduction_captures). */
TW_DEVICE_INLINE struct tw_internal_split tw_internal_simt_group_split(const struct tw_internal_simt_captures *head,
                                                                       unsigned dims)
{
    const struct tw_internal_split split = {(uint32_t)(dims == 3 ? head->r2 : dims == 2 ? head->r1 : head->r0),
                                            dims == 3 ? (uint32_t)head->r1 : 1u, head->by_inner, head->by_middle};
    return split;
}

/* Teams stride over the groups. Behind each group is a barrier: the next one uses the same local memory. Expands to:

       void dot_tw_simt_groups(words, block, dims) { for (...) { dot_tw_each(item, block); barrier } }
       void dot_tw_simt_body(words, count) { dot_tw_simt_groups(...); leave the values; the last team: finish } */
#define TW_INTERNAL_SIMT_GROUPS_REDUCTION(name, point, values)                                                         \
    TW_DEVICE_INLINE void name##_tw_simt_groups(const uint64_t *tw_words, name##_tw_block *tw_mine, unsigned tw_dims)  \
    {                                                                                                                  \
        const struct tw_internal_simt_captures *const tw_head = tw_internal_simt_head(tw_words);                       \
        const struct tw_internal_split tw_split = tw_internal_simt_group_split(tw_head, tw_dims);                      \
        const uint32_t tw_total = (uint32_t)(tw_head->r0 * tw_head->r1 * tw_head->r2);                                 \
        const uint32_t tw_stride = tw_internal_teams(tw_internal_simt_group_items(tw_words, name##_tw_local_0,         \
                                                     name##_tw_local_1, name##_tw_local_2));                           \
        for (uint32_t tw_g = tw_internal_team(); tw_g < tw_total; tw_g += tw_stride) {                                 \
            struct tw_internal_group tw_here;                                                                          \
            uint32_t tw_team[3];                                                                                       \
            tw_internal_split_id(tw_g, tw_split, tw_dims, tw_team);                                                    \
            tw_internal_simt_group_at(&tw_here, tw_words, tw_team, name##_tw_local_0, name##_tw_local_1,               \
                                      name##_tw_local_2, tw_dims);                                                     \
            name##_tw_each(TW_INTERNAL_SIMT_POINT_##point(tw_here), tw_mine);                                          \
            tw_internal_barrier();                                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_LAUNCH_BOUNDS(name)                                                                                    \
    TW_INTERNAL_ROLE("simt=" #name)                                                                                    \
    TW_DEVICE_INLINE void name##_tw_simt_body(const uint64_t *tw_words, unsigned tw_count)                             \
    {                                                                                                                  \
        name##_tw_block tw_copy;                                                                                       \
        name##_tw_block tw_mine = *(const name##_tw_block *)tw_internal_simt_block(                                    \
            tw_words, tw_count, &tw_copy, sizeof tw_copy);                                                             \
        values##_MINE(name)                                                                                            \
        struct tw_internal_reducing tw_here =                                                                          \
            tw_internal_reducing(tw_internal_simt_head(tw_words)->inner, tw_internal_team(), 0,                        \
                                 tw_internal_simt_group_items(tw_words, name##_tw_local_0, name##_tw_local_1,          \
                                                              name##_tw_local_2));                                     \
        name##_tw_members(TW_INTERNAL_RESET, &tw_mine, &tw_here);                                                      \
        TW_INTERNAL_BY_DIMS(name##_tw_dims, tw_internal_simt_group_dims(tw_words), name##_tw_simt_groups, tw_words,    \
                            &tw_mine)                                                                                  \
        TW_INTERNAL_SIMT_FINISH(name, tw_mine, tw_here)                                                                \
    }

/* The work-items of a group; l0, l1, l2: the size that the kernel requires, or 0. */
TW_DEVICE_INLINE uint32_t tw_internal_simt_group_items(const uint64_t *words, uint32_t l0, uint32_t l1, uint32_t l2)
{
    const uint64_t shape = tw_internal_simt_head(words)->shape;
    return l0 ? l0 * l1 * l2
              : TW_INTERNAL_SIMT_LOCAL(shape, 0) * TW_INTERNAL_SIMT_LOCAL(shape, 1) * TW_INTERNAL_SIMT_LOCAL(shape, 2);
}
#else
#define TW_INTERNAL_SIMT_GROUPS_REDUCTION(name, point, values)
#endif
// clang-format on

#endif
