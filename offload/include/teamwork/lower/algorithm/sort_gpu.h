/* SPDX-License-Identifier: Apache-2.0 */
/** The kernels of sort.h on a GPU. */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_GPU_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_GPU_H

#include <teamwork/lower/algorithm/sort_key.h>

#if TW_ON_GPU

#ifdef __NVPTX__
typedef unsigned tw_internal_lane_set;
#else
typedef unsigned long long tw_internal_lane_set;
#endif

/* The work-items of the sub-group that have the same digit. */
TW_INTERNAL_ALWAYS_INLINE tw_internal_lane_set tw_internal_match(tw_sub_group sub_group, unsigned digit)
{
    tw_internal_lane_set same = ~(tw_internal_lane_set)0;
    _Pragma("unroll") for (unsigned bit = 0; bit < 8; ++bit)
    {
        const bool has = digit >> bit & 1;
        const tw_internal_lane_set with = (tw_internal_lane_set)tw_group_ballot(sub_group, has);
        same &= has ? with : ~with;
    }
    return same;
}

TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_lane_count(tw_internal_lane_set lanes)
{
    return (unsigned)__builtin_popcountll(lanes);
}

/* How many work-items of the sub-group, and earlier calls of it, had the digit before this one did. `counts` are the
   sub-group's. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_rank(tw_sub_group sub_group, unsigned *counts, unsigned digit)
{
    const tw_internal_lane_set same = tw_internal_match(sub_group, digit);
    const unsigned below = tw_internal_lane_count(same & (((tw_internal_lane_set)1 << sub_group.tw_lane_) - 1));
    const unsigned before = counts[digit];
    tw_group_barrier(sub_group);
    if (below == 0)
        counts[digit] = before + tw_internal_lane_count(same);
    tw_group_barrier(sub_group);
    return before + below;
}

/* Of one digit: how many elements tiles before `tile` have, which has `mine`. What a tile tells in a pass has numbers
   of its own: 2 pass + 1 is alone, 2 pass + 2 with all tiles before it. */
TW_INTERNAL_ALWAYS_INLINE unsigned long long tw_internal_digits_before(unsigned long long *tiles, size_t tile,
                                                                       unsigned digit, unsigned mine, size_t pass)
{
    enum { ASKED = 2 }; /* at once: on an H200 4 took 1.1 times as long, 12 1.2 times */
    const unsigned long long alone = 2 * pass + 1, whole = alone + 1, most = (1ull << 56) - 1;
    unsigned long long before = 0;
    bool has_all = tile == 0;
    if (!has_all)
        tw_atomic_store(&tiles[tile * TW_INTERNAL_DIGITS + digit], alone << 56 | mine, TW_ORDER_RELAXED,
                        TW_SCOPE_DEVICE);
    for (size_t past = tile; !has_all;) {
        unsigned long long told[ASKED];
        bool waits = false;
        size_t taken = 0;
        _Pragma("unroll") for (unsigned t = 0; t < ASKED; ++t) told[t] = tw_atomic_load(
            &tiles[(past > t + 1 ? past - t - 1 : 0) * TW_INTERNAL_DIGITS + digit], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
        _Pragma("unroll") for (unsigned t = 0; t < ASKED; ++t)
        {
            const unsigned long long kind = told[t] >> 56;
            waits = waits || (kind != alone && kind != whole);
            if (!waits && !has_all) {
                before += told[t] & most;
                has_all = kind == whole;
                ++taken;
            }
        }
        past -= taken;
    }
    tw_atomic_store(&tiles[tile * TW_INTERNAL_DIGITS + digit], whole << 56 | (before + mine), TW_ORDER_RELAXED,
                    TW_SCOPE_DEVICE);
    return before;
}

/* Counts the digits of all passes. */
#define TW_INTERNAL_DEFINE_SORT_COUNT(name)                                                                            \
    static inline void name##_sort_count(tw_nd_item item, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        TW_LOCAL(unsigned, bins, [TW_INTERNAL_MOST_PASSES * TW_INTERNAL_DIGITS]);                                      \
        const size_t me = tw_local_id(item, 0), count = tw_internal_count(&k->common);                                 \
        const unsigned passes = k->sort.passes;                                                                        \
        for (size_t i = me; i < passes * TW_INTERNAL_DIGITS; i += TW_INTERNAL_TILE_ITEMS)                              \
            bins[i] = 0;                                                                                               \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (size_t i = tw_global_id(item, 0); i < count; i += tw_global_range(item, 0)) {                             \
            const name##_element x = name##_get(k, TW_INTERNAL_SORT_IN, i);                                            \
            for (unsigned pass = 0; pass < passes; ++pass)                                                             \
                (void)tw_atomic_fetch_add(&bins[pass * TW_INTERNAL_DIGITS + name##_digit(k, x, pass)], 1u,             \
                                          TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);                                      \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        unsigned long long *all = (unsigned long long *)(void *)((char *)k->common.scratch + TW_INTERNAL_SORT_BINS);   \
        for (size_t i = me; i < passes * TW_INTERNAL_DIGITS; i += TW_INTERNAL_TILE_ITEMS)                              \
            if (bins[i])                                                                                               \
                (void)tw_atomic_fetch_add(&all[i], (unsigned long long)bins[i], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);    \
    }

/* A pass over a tile; all passes, if there is one. Elements of a sub-group are in a row, those of a work-item a
   sub-group apart. */
#define TW_INTERNAL_DEFINE_SORT_TILES(name)                                                                            \
    TW_INTERNAL_DEFINE_SORT_COUNT(name)                                                                                \
    static inline void name##_sort_tiles(tw_nd_item item, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_SORT_ITEMS(sizeof(name##_element)), TILE = ITEMS * TW_INTERNAL_TILE_ITEMS };        \
        enum { STAGED = sizeof(name##_element) <= TW_INTERNAL_SORT_MOST_STAGED };                                      \
        TW_LOCAL(unsigned, counts, [TW_INTERNAL_TILE_ITEMS / 32 * TW_INTERNAL_DIGITS]);                                \
        TW_LOCAL(unsigned, starts, [TW_INTERNAL_DIGITS]);                                                              \
        TW_LOCAL(unsigned long long, places, [TW_INTERNAL_DIGITS]);                                                    \
        TW_LOCAL(name##_element, staged, [STAGED ? TILE : 1]);                                                         \
        TW_INTERNAL_TAKE_TILE(item, k->sort.at_once ? NULL : (unsigned *)k->common.scratch + k->common.pass);          \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned me = (unsigned)tw_local_id(item, 0), lanes = sub_group.tw_max_, warps = sub_group.tw_count_;    \
        const size_t count = tw_internal_count(&k->common), first = tile * TILE;                                       \
        if (first >= count)                                                                                            \
            return;                                                                                                    \
        const unsigned valid = count - first < TILE ? (unsigned)(count - first) : TILE;                                \
        const unsigned start = sub_group.tw_id_ * lanes * ITEMS + sub_group.tw_lane_;                                  \
        unsigned *const mine = counts + sub_group.tw_id_ * TW_INTERNAL_DIGITS;                                         \
        const bool at_once = k->sort.at_once;                                                                          \
        size_t pass = k->common.pass;                                                                                  \
        name##_element x[ITEMS];                                                                                       \
        unsigned rank[ITEMS];                                                                                          \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) x[i] = name##_get(                                      \
            k, tw_internal_sort_from(&k->sort, pass), first + (start + i * lanes < valid ? start + i * lanes : 0));    \
        for (;; ++pass) {                                                                                              \
            for (unsigned i = me; i < warps * TW_INTERNAL_DIGITS; i += TW_INTERNAL_TILE_ITEMS)                         \
                counts[i] = 0;                                                                                         \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i)                                                     \
            {                                                                                                          \
                const unsigned digit =                                                                                 \
                    start + i * lanes < valid ? name##_digit(k, x[i], pass) : tw_internal_key_mask(&k->sort, pass);    \
                rank[i] = digit << 16 | tw_internal_rank(sub_group, mine, digit);                                      \
            }                                                                                                          \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            unsigned sum = 0;                                                                                          \
            for (unsigned w = 0; w < warps; ++w) {                                                                     \
                const unsigned part = counts[w * TW_INTERNAL_DIGITS + me];                                             \
                counts[w * TW_INTERNAL_DIGITS + me] = sum;                                                             \
                sum += part;                                                                                           \
            }                                                                                                          \
            const unsigned from = tw_exclusive_scan_over_group(item, sum, TW_SUM);                                     \
            unsigned long long place = from;                                                                           \
            if (!at_once) {                                                                                            \
                unsigned long long *const bins =                                                                       \
                    (unsigned long long *)(void *)((char *)k->common.scratch + TW_INTERNAL_SORT_BINS);                 \
                unsigned long long *const tiles =                                                                      \
                    (unsigned long long *)(void *)((char *)k->common.scratch + TW_INTERNAL_SORT_TILES);                \
                place = tw_exclusive_scan_over_group(item, bins[pass * TW_INTERNAL_DIGITS + me], TW_SUM);              \
                place += tw_internal_digits_before(tiles, tile, me, sum, pass);                                        \
            }                                                                                                          \
            starts[me] = from;                                                                                         \
            places[me] = place - from;                                                                                 \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i)                                                     \
            {                                                                                                          \
                const unsigned digit = rank[i] >> 16;                                                                  \
                rank[i] = starts[digit] + mine[digit] + (rank[i] & 0xffff);                                            \
                if (STAGED)                                                                                            \
                    staged[rank[i]] = x[i];                                                                            \
                else if (start + i * lanes < valid)                                                                    \
                    name##_put(k, tw_internal_sort_to(&k->sort, pass), (size_t)(places[digit] + rank[i]), x[i]);       \
            }                                                                                                          \
            tw_barrier(item, TW_GLOBAL_AND_LOCAL);                                                                     \
            if (!at_once || pass + 1 == k->sort.passes)                                                                \
                break;                                                                                                 \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i)                                                     \
            {                                                                                                          \
                if (STAGED)                                                                                            \
                    x[i] = staged[start + i * lanes];                                                                  \
                else if (start + i * lanes < valid)                                                                    \
                    x[i] = name##_get(k, tw_internal_sort_to(&k->sort, pass), start + i * lanes);                      \
            }                                                                                                          \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
        }                                                                                                              \
        for (unsigned i = me; STAGED && i < valid; i += TW_INTERNAL_TILE_ITEMS) {                                      \
            const name##_element y = staged[i];                                                                        \
            name##_put(k, tw_internal_sort_to(&k->sort, pass), (size_t)(places[name##_digit(k, y, pass)] + i), y);     \
        }                                                                                                              \
    }

#define TW_INTERNAL_DEFINE_SORT_SHARES(name)                                                                           \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sort_counts, name##_sort)                                                         \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sort_shares, name##_sort)

#endif
#endif
