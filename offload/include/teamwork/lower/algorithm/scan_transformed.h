/* SPDX-License-Identifier: Apache-2.0 */
/**
 * An inclusive scan of elements that are made of others, and whose results are used at once: what reductions by key,
 * segmented algorithms and the like have in common. A definition gives
 *
 *     type NAME_load(const struct BLOCK *k, size_t i, size_t count)              element i of `count`
 *     NAME_use NAME_look(const struct BLOCK *k, size_t i, size_t count)          what that needs of memory
 *     void NAME_store(const struct BLOCK *k, size_t i, size_t count, type y, NAME_use use)     uses the scan up to element i
 *     void NAME_store_none(const struct BLOCK *k)                                if there are no elements
 *
 * On a GPU one launch does all (scan.h). Elements are loaded and used in rows of the sub-group, and scanned by a work-item
 * one behind the other; between these they go through local memory.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SCAN_TRANSFORMED_H
#define TEAMWORK_LOWER_ALGORITHM_SCAN_TRANSFORMED_H

#include <teamwork/lower/algorithm/scan.h>

/* Elements of a work-item, of at most 128 bytes if there are several, and of a tile. */
#define TW_INTERNAL_SCANNED(type)                                                                                      \
    (sizeof(type) <= 8 ? 16 : sizeof(type) <= 16 ? 8 : sizeof(type) <= 32 ? 4 : sizeof(type) <= 64 ? 2 : 1)
#define TW_INTERNAL_SCANNED_TILE(type) (TW_INTERNAL_TILE_ITEMS * TW_INTERNAL_SCANNED(type))

#if TW_ON_GPU

/* What is before a sub-group in its tile, and before the tile: *before, if that is something. `mine` are the elements
   of the sub-group together. */
#define TW_INTERNAL_DEFINE_SCAN_BEFORE(name, block, type, operation)                                                   \
    TW_INTERNAL_ALWAYS_INLINE bool name##_scan_before(tw_nd_item item, const struct block *k, size_t tile,             \
                                                      type *parts, type mine, type *before)                            \
    {                                                                                                                  \
        enum { BEFORE = TW_INTERNAL_TILE_ITEMS / 32, TILE = TW_INTERNAL_SCANNED_TILE(type) };                          \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        bool has = tile > 0;                                                                                           \
        if (sub_group.tw_lane_ == sub_group.tw_max_ - 1)                                                               \
            parts[sub_group.tw_id_] = mine;                                                                            \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (sub_group.tw_id_ == 0) {                                                                                   \
            type all = parts[0];                                                                                       \
            for (unsigned i = 1; i < sub_group.tw_count_; ++i) {                                                       \
                const type part = parts[i];                                                                            \
                all = operation(all, part);                                                                            \
            }                                                                                                          \
            unsigned long long *tiles =                                                                                \
                (unsigned long long *)tw_internal_at(k->common.scratch, TW_INTERNAL_SCAN_HEAD);                        \
            const type told = name##_take_turn(sub_group, tiles, tw_internal_divide_up(k->common.count, TILE), tile,   \
                                               all, false, all);                                                       \
            if (sub_group.tw_lane_ == 0)                                                                               \
                parts[BEFORE] = told;                                                                                  \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        *before = parts[has ? BEFORE : 0];                                                                             \
        for (unsigned i = 0; i < sub_group.tw_id_; ++i) {                                                              \
            const type part = parts[i];                                                                                \
            TW_INTERNAL_APPEND(has, *before, operation, part);                                                         \
            has = true;                                                                                                \
        }                                                                                                              \
        return has;                                                                                                    \
    }

#define TW_INTERNAL_DEFINE_TRANSFORMED_TILES(name, block, type, operation)                                             \
    TW_INTERNAL_DEFINE_SCAN_LANES(name, type, operation)                                                               \
    TW_INTERNAL_DEFINE_TELL(name, type)                                                                                \
    TW_INTERNAL_DEFINE_LOOK_BACK(name, type, operation)                                                                \
    TW_INTERNAL_DEFINE_SCAN_BEFORE(name, block, type, operation)                                                       \
    static inline void name##_tiles(tw_nd_item item, const struct block *k)                                            \
    {                                                                                                                  \
        enum {                                                                                                         \
            MINE = TW_INTERNAL_SCANNED(type),                                                                          \
            TILE = TW_INTERNAL_SCANNED_TILE(type),                                                                     \
            STAGED = MINE > 1,                                                                                         \
            USED = MINE < 4 ? MINE : 4                                                                                 \
        };                                                                                                             \
        TW_LOCAL(type, parts, [TW_INTERNAL_TILE_ITEMS / 32 + 1]);                                                      \
        TW_LOCAL(type, staged, [STAGED ? TILE : 1]);                                                                   \
        TW_INTERNAL_TAKE_TILE(item, k->common.scratch);                                                                \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_;                                           \
        const size_t count = tw_internal_count(&k->common), first = tile * TILE;                                       \
        if (first >= count) {                                                                                          \
            if (tile == 0 && tw_local_id(item, 0) == 0)                                                                \
                name##_store_none(k);                                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        const size_t start = first + sub_group.tw_id_ * MINE * lanes;                                                  \
        type *const local = staged + (STAGED ? sub_group.tw_id_ * MINE * lanes : 0);                                   \
        type x[MINE], before;                                                                                          \
        const bool full =                                                                                              \
            count - first >= TILE; /* most tiles: nothing is compared, and addresses differ by constants */            \
        if (full) {                                                                                                    \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j) x[j] =                                               \
                name##_load(k, start + lane + j * lanes, count);                                                       \
        } else {                                                                                                       \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j)                                                      \
            {                                                                                                          \
                const size_t at = start + lane + j * lanes;                                                            \
                x[j] = name##_load(k, at < count ? at : first, count);                                                 \
            }                                                                                                          \
        }                                                                                                              \
        if (STAGED) {                                                                                                  \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j)                                                      \
                local[tw_internal_place_of_vector(STAGED ? j * lanes + lane : 0, MINE, sizeof(type))] = x[j];          \
            tw_group_barrier(sub_group);                                                                               \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j)                                                      \
            {                                                                                                          \
                x[j] = local[tw_internal_place_of_vector(STAGED ? lane * MINE + j : 0, MINE, sizeof(type))];           \
                if (j)                                                                                                 \
                    x[j] = operation(x[j ? j - 1 : 0], x[j]);                                                          \
            }                                                                                                          \
        }                                                                                                              \
        const type up_to = name##_scan_lanes(sub_group, x[MINE - 1]);                                                  \
        type left;                                                                                                     \
        tw_internal_shuffle_value(sub_group, &left, &up_to, sizeof left, TW_INTERNAL_BEFORE, 1);                       \
        bool has = name##_scan_before(item, k, tile, parts, up_to, &before);                                           \
        if (lane)                                                                                                      \
            TW_INTERNAL_APPEND(has, before, operation, left);                                                          \
        has = has || lane;                                                                                             \
        if (has)                                                                                                       \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j) x[j] = operation(before, x[j]);                      \
        /* places and addresses do not stay in registers until here */                                                 \
        const unsigned lane_again = (unsigned)tw_internal_opaque(lane);                                                \
        const size_t again = tw_internal_opaque(start) + lane_again;                                                   \
        if (STAGED) {                                                                                                  \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j)                                                      \
                local[tw_internal_place_of_vector(STAGED ? lane_again * MINE + j : 0, MINE, sizeof(type))] = x[j];     \
            tw_group_barrier(sub_group);                                                                               \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j) x[j] =                                               \
                local[tw_internal_place_of_vector(STAGED ? j * lanes + lane_again : 0, MINE, sizeof(type))];           \
        }                                                                                                              \
        if (full) {                                                                                                    \
            _Pragma("unroll") for (unsigned some = 0; some < MINE; some += USED)                                       \
            {                                                                                                          \
                name##_use                                                                                             \
                    use[USED]; /* before anything is stored, which they might be for all that the compiler knows */    \
                _Pragma("unroll") for (unsigned j = 0; j < USED; ++j) use[j] =                                         \
                    name##_look(k, again + (some + j) * lanes, count);                                                 \
                _Pragma("unroll") for (unsigned j = 0; j < USED; ++j)                                                  \
                    name##_store(k, again + (some + j) * lanes, count, x[some + j], use[j]);                           \
            }                                                                                                          \
        } else {                                                                                                       \
            _Pragma("unroll") for (unsigned j = 0; j < MINE; ++j) if (again + j * lanes < count)                       \
                name##_store(k, again + j * lanes, count, x[j], name##_look(k, again + j * lanes, count));             \
        }                                                                                                              \
    }
#define TW_INTERNAL_DEFINE_TRANSFORMED_SHARES(name, block, type, operation)                                            \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sums, block)                                                                      \
    TW_INTERNAL_NO_CPU_KERNEL(name##_shares, block)

#else

#define TW_INTERNAL_DEFINE_TRANSFORMED_TILES(name, block, type, operation)                                             \
    TW_INTERNAL_NO_GPU_KERNEL(name##_tiles, block)

#define TW_INTERNAL_DEFINE_TRANSFORMED_SHARES(name, block, type, operation)                                            \
    static inline void name##_sums(tw_group group, const struct block *k)                                              \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct block own = *k; /* in registers, whatever is stored */                                        \
            const size_t me = tw_group_id(group, 0), count = tw_internal_count(&own.common);                           \
            size_t i = 0;                                                                                              \
            const size_t past = tw_internal_share_of(&own.common, me, &i);                                             \
            if (i < past) {                                                                                            \
                type sum = name##_load(&own, i, count);                                                                \
                while (++i < past) {                                                                                   \
                    const type x = name##_load(&own, i, count);                                                        \
                    sum = operation(sum, x);                                                                           \
                }                                                                                                      \
                ((type *)own.common.scratch)[me] = sum;                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_shares(tw_group group, const struct block *k)                                            \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct block own = *k; /* in registers, whatever is stored */                                        \
            const type *const sums = (const type *)own.common.scratch;                                                 \
            const size_t me = tw_group_id(group, 0), count = tw_internal_count(&own.common);                           \
            size_t i = 0;                                                                                              \
            const size_t past = tw_internal_share_of(&own.common, me, &i);                                             \
            if (i < past) {                                                                                            \
                type y = name##_load(&own, i, count);                                                                  \
                for (size_t s = me; s-- > 0;)                                                                          \
                    y = operation(sums[s], y);                                                                         \
                for (;;) {                                                                                             \
                    name##_store(&own, i, count, y, name##_look(&own, i, count));                                      \
                    if (++i == past)                                                                                   \
                        break;                                                                                         \
                    const type x = name##_load(&own, i, count);                                                        \
                    y = operation(y, x);                                                                               \
                }                                                                                                      \
            } else if (me == 0) {                                                                                      \
                name##_store_none(&own);                                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_DEFINE_TRANSFORMED_SCAN(name, block, type, operation)                                              \
    TW_INTERNAL_DEFINE_TRANSFORMED_TILES(name, block, type, operation)                                                 \
    TW_INTERNAL_DEFINE_TRANSFORMED_SHARES(name, block, type, operation)                                                \
    TW_INTERNAL_DEFINE_TRANSFORMED_KERNELS(name, block)
#define TW_INTERNAL_DEFINE_TRANSFORMED_KERNELS(name, block)                                                            \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(block) TW_FOR_GPUS name##_tiles, TW_INTERNAL_TILE_ITEMS);                       \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(block) TW_FOR_CPUS name##_sums, 1);                                           \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(block) TW_FOR_CPUS name##_shares, 1)

/* Temporary memory of the tiles of a scan: their states, and the counter of tiles. They are 0 at first. */
static inline size_t tw_internal_tile_bytes(size_t count, size_t tile, size_t value_bytes)
{
    const size_t tiles = tw_internal_divide_up(count, tile);
    return tiles > 1 ? TW_INTERNAL_SCAN_HEAD + (value_bytes + 3) / 4 * 8 * tiles : 0;
}

/* Adds the launches. `memory_bytes` of an element are what a CPU reads for it; the temporary memory of the scan is
   at the front, and may be larger than that. */
static inline void tw_internal_add_transformed_scan(struct tw_internal_plan *plan,
                                                    struct tw_internal_algorithm_device device,
                                                    struct tw_internal_algorithm *block, size_t value_bytes,
                                                    size_t memory_bytes, size_t tile, const tw_kernel *sums,
                                                    const tw_kernel *kernel)
{
    size_t scratch_bytes = 0;
    if (device.is_gpu) {
        const size_t tiles = block->count ? tw_internal_divide_up(block->count, tile) : 1;
        scratch_bytes = tw_internal_tile_bytes(block->count, tile, value_bytes);
        tw_internal_add_stage(plan, kernel, tiles, TW_INTERNAL_TILE_ITEMS, 0);
        if (plan->cleared_bytes < scratch_bytes)
            plan->cleared_bytes = scratch_bytes;
    } else {
        const size_t groups = tw_internal_shares(block, device.units, 2, TW_INTERNAL_COST_OF_RUN + memory_bytes);
        if (groups > 1) {
            scratch_bytes = groups * value_bytes;
            tw_internal_add_stage(plan, sums, groups - 1, 1, 0);
        }
        tw_internal_add_stage(plan, kernel, groups, 1, 0);
    }
    if (plan->scratch_bytes < scratch_bytes)
        plan->scratch_bytes = scratch_bytes;
}

#endif
