/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Kernels that do the same for each number below a limit, on their own: steps of other algorithms, and some
 * algorithms. `NAME_range(k)` says how many there are, and `NAME_at(k, i)` does what belongs to number i.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_MAP_H
#define TEAMWORK_LOWER_ALGORITHM_MAP_H

#include <teamwork/lower/algorithm/tile.h>

enum { TW_INTERNAL_MAP_GROUPS = 32 }; /* for each multiprocessor, at most */

/* The numbers of group `group` of `groups`, below `range`: from *first up to what it returns. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_map_share(size_t range, size_t groups, size_t group, size_t *first)
{
    const size_t share = tw_internal_divide_up(range, groups), begin = group * share;
    *first = begin < range ? begin : range;
    return range - *first < share ? range : *first + share;
}

#if TW_ON_GPU
#define TW_INTERNAL_DEFINE_MAP_TILES(name, block)                                                                      \
    static inline void name##_map(tw_nd_item item, const struct block *k)                                              \
    {                                                                                                                  \
        const size_t range = name##_range(k), stride = tw_global_range(item, 0);                                       \
        for (size_t i = tw_global_id(item, 0); i < range; i += stride)                                                 \
            name##_at(k, i);                                                                                           \
    }
#define TW_INTERNAL_DEFINE_MAP_SHARES(name, block) TW_INTERNAL_NO_CPU_KERNEL(name##_map_shares, block)
#else
#define TW_INTERNAL_DEFINE_MAP_TILES(name, block) TW_INTERNAL_NO_GPU_KERNEL(name##_map, block)
#define TW_INTERNAL_DEFINE_MAP_SHARES(name, block)                                                                     \
    static inline void name##_map_shares(tw_group group, const struct block *k)                                        \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            size_t i = 0;                                                                                              \
            const size_t past =                                                                                        \
                tw_internal_map_share(name##_range(k), tw_group_range(group, 0), tw_group_id(group, 0), &i);           \
            for (; i < past; ++i)                                                                                      \
                name##_at(k, i);                                                                                       \
        }                                                                                                              \
    }
#endif

/* Expands to: two kernels; or that of a GPU alone. */
#define TW_INTERNAL_DEFINE_MAP(name, block)                                                                            \
    TW_INTERNAL_DEFINE_GPU_MAP(name, block);                                                                           \
    TW_INTERNAL_DEFINE_MAP_SHARES(name, block)                                                                         \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(block) TW_FOR_CPUS name##_map_shares, 1)
#define TW_INTERNAL_DEFINE_GPU_MAP(name, block)                                                                        \
    TW_INTERNAL_DEFINE_MAP_TILES(name, block)                                                                          \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(block) TW_FOR_GPUS name##_map, TW_INTERNAL_TILE_ITEMS)
#define TW_INTERNAL_MAP_KERNEL(name, device) ((device).is_gpu ? TW_KERNEL(name##_map) : TW_KERNEL(name##_map_shares))

/* Adds the launch for at most `range` numbers, each of which costs a CPU as much as `bytes` of memory. */
static inline void tw_internal_add_map(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                       const tw_kernel *kernel, size_t range, size_t bytes)
{
    struct tw_internal_algorithm numbers = {range, NULL, NULL, 0, 0};
    const size_t most = TW_INTERNAL_MAP_GROUPS * device.units;
    size_t groups = range ? tw_internal_divide_up(range, TW_INTERNAL_TILE_ITEMS) : 1;
    if (!device.is_gpu)
        groups = tw_internal_shares(&numbers, device.units, 1, bytes);
    else if (groups > most)
        groups = most;
    tw_internal_add_stage(plan, kernel, groups, device.is_gpu ? TW_INTERNAL_TILE_ITEMS : 1, 0);
}

#endif
