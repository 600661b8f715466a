/* SPDX-License-Identifier: Apache-2.0 */
/** The kernels of sort.h on a GPU. */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_GPU_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_GPU_H

#include <teamwork/lower/algorithm/sort_key.h>
#include <teamwork/lower/algorithm/sort_ranks.h>

#if TW_ON_GPU

#ifdef __NVPTX__
typedef unsigned tw_internal_lane_set;
#else
typedef unsigned long long tw_internal_lane_set;
#endif

#if defined(__NVPTX__)
/* The work-items of the sub-group whose digits have this bit as that of this work-item is. LLVM tests the bit twice, in 7
   instructions where 3 are enough. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_match_bit(unsigned digit, unsigned bit)
{
    unsigned with;
    __asm__ volatile("{\n\t.reg .pred has;\n\tand.b32 %0, %1, %2;\n\tsetp.ne.u32 has, %0, 0;\n\t"
                     "vote.sync.ballot.b32 %0, has, 0xffffffff;\n\t@!has not.b32 %0, %0;\n\t}"
                     : "=&r"(with)
                     : "r"(digit), "r"(1u << bit));
    return with;
}
#endif

/* The work-items of the sub-group that have the same digit. (PTX has match.any, with which a sort took twice as long on an
   H200.) */
TW_INTERNAL_ALWAYS_INLINE tw_internal_lane_set tw_internal_match(tw_sub_group sub_group, unsigned digit)
{
    tw_internal_lane_set same = ~(tw_internal_lane_set)0;
#ifdef __NVPTX__
    (void)sub_group;
    _Pragma("unroll") for (unsigned bit = 0; bit < 8; bit += 2)
    {
        const unsigned a = tw_internal_match_bit(digit, bit), b = tw_internal_match_bit(digit, bit + 1);
        __asm__("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(same) : "r"(a), "r"(b));
    }
#else
    _Pragma("unroll") for (unsigned bit = 0; bit < 8; ++bit)
    {
        const bool has = digit >> bit & 1;
        const tw_internal_lane_set with = (tw_internal_lane_set)tw_group_ballot(sub_group, has);
        same &= has ? with : ~with;
    }
#endif
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

/* The tile's elements of a sub-group are in a row, in rows of one for each work-item. From ranks[], the digits of
   `rows` elements of the work-item, a constant: ranks[i] = digit << 16 | elements of the sub-group with this digit
   before it. `counts` are the sub-group's. */
TW_INTERNAL_ALWAYS_INLINE void tw_internal_rank_rows(tw_sub_group sub_group, unsigned *counts, unsigned *ranks,
                                                     unsigned rows)
{
    for (unsigned digit = sub_group.tw_lane_; digit < TW_INTERNAL_DIGITS; digit += sub_group.tw_max_)
        counts[digit] = 0;
    tw_group_barrier(sub_group);
    unsigned last = 0;
    _Pragma("unroll") for (unsigned i = 0; i < rows; ++i)
    {
        /* + 0, which the compiler cannot know: one after the other, in few registers */
        const unsigned digit = ranks[i];
        last = tw_internal_rank(sub_group, (unsigned *)(void *)((char *)counts + (last >> 31)), digit);
#ifdef __NVPTX__
        __asm__ volatile("mad.lo.u32 %0, %1, 65536, %0;" : "+r"(last) : "r"(digit));
#else
        last |= digit << 16;
#endif
        ranks[i] = last;
    }
}

/* The elements of a tile with this digit. Each sub-group's count becomes that of the sub-groups before it. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_sum_digit(unsigned *counts, unsigned digit, unsigned sub_groups)
{
    unsigned sum = 0;
    _Pragma("unroll") for (unsigned w = 0; w < TW_INTERNAL_SORT_SUB_GROUPS; ++w) if (w < sub_groups)
    {
        const unsigned part = counts[w * TW_INTERNAL_DIGITS + digit];
        counts[w * TW_INTERNAL_DIGITS + digit] = sum;
        sum += part;
    }
    return sum;
}

/* Makes these counts places in the tile, where digits of this value begin at `first`. */
TW_INTERNAL_ALWAYS_INLINE void tw_internal_place_digit(unsigned *counts, unsigned digit, unsigned sub_groups,
                                                       unsigned first)
{
    _Pragma("unroll") for (unsigned w = 0; w < TW_INTERNAL_SORT_SUB_GROUPS; ++w) if (w < sub_groups)
        counts[w * TW_INTERNAL_DIGITS + digit] += first;
}

/* Adds to the ranks, behind their digits, where those of the sub-group begin: so they are places in the tile. */
TW_INTERNAL_ALWAYS_INLINE void tw_internal_place_rows(const unsigned *counts, unsigned *ranks, unsigned rows)
{
    _Pragma("unroll") for (unsigned i = 0; i < rows; ++i) ranks[i] += counts[ranks[i] >> 16];
}

/* What tiles tell in a pass has numbers of its own: 2 pass + 1 is the tile alone, 2 pass + 2 with all tiles before it. */
TW_INTERNAL_ALWAYS_INLINE void tw_internal_tell_digit(unsigned long long *tiles, size_t tile, unsigned digit,
                                                      unsigned long long count, size_t kind)
{
    tw_atomic_store(&tiles[tile * TW_INTERNAL_DIGITS + digit], (unsigned long long)kind << 56 | count, TW_ORDER_RELAXED,
                    TW_SCOPE_DEVICE);
}

/* Of one digit: how many elements tiles before `tile` have. */
TW_INTERNAL_ALWAYS_INLINE unsigned long long tw_internal_digits_before(const unsigned long long *tiles, size_t tile,
                                                                       unsigned digit, size_t pass)
{
    enum { ASKED = 2 }; /* at once: on an H200 4 took 1.1 times as long, 12 1.2 times */
    const unsigned long long alone = 2 * pass + 1, whole = alone + 1, most = (1ull << 56) - 1;
    unsigned long long before = 0;
    bool has_all = false;
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
    return before;
}

/* Counts the digits of all passes. */
#define TW_INTERNAL_DEFINE_SORT_COUNT(name)                                                                            \
    TW_INTERNAL_ALWAYS_INLINE void name##_count_digit(const struct name##_sort *k, unsigned *bins, name##_key_part x,  \
                                                      unsigned pass)                                                   \
    {                                                                                                                  \
        (void)tw_atomic_fetch_add(&bins[pass * TW_INTERNAL_DIGITS + name##_digit_of(k, x, pass)], 1u,                  \
                                  TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);                                              \
    }                                                                                                                  \
    static inline void name##_sort_count(tw_nd_item item, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        enum { AT_ONCE = sizeof(name##_key_part) <= 8 ? 8 : 1 }; /* elements */                                        \
        TW_LOCAL(unsigned, bins, [TW_INTERNAL_MOST_PASSES * TW_INTERNAL_DIGITS]);                                      \
        const name##_key_part *const keys = name##_keys_from(k, TW_INTERNAL_SORT_IN);                                  \
        const size_t me = tw_local_id(item, 0), count = tw_internal_count(&k->common);                                 \
        const size_t used = k->sort.passes * TW_INTERNAL_DIGITS, step = tw_global_range(item, 0);                      \
        for (size_t i = me; i < used; i += TW_INTERNAL_SORT_GROUP)                                                     \
            bins[i] = 0;                                                                                               \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        size_t i = tw_global_id(item, 0);                                                                              \
        for (; i < count && count - i > (AT_ONCE - 1) * step; i += AT_ONCE * step) {                                   \
            name##_key_part x[AT_ONCE];                                                                                \
            _Pragma("unroll") for (unsigned j = 0; j < AT_ONCE; ++j) x[j] = keys[i + j * step];                        \
            for (unsigned pass = 0; pass < k->sort.passes; ++pass)                                                     \
                _Pragma("unroll") for (unsigned j = 0; j < AT_ONCE; ++j) name##_count_digit(k, bins, x[j], pass);      \
        }                                                                                                              \
        for (; i < count; i += step)                                                                                   \
            for (unsigned pass = 0; pass < k->sort.passes; ++pass)                                                     \
                name##_count_digit(k, bins, keys[i], pass);                                                            \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        unsigned long long *all = (unsigned long long *)tw_internal_at(k->common.scratch, TW_INTERNAL_SORT_BINS);      \
        for (size_t b = me; b < used; b += TW_INTERNAL_SORT_GROUP)                                                     \
            if (bins[b])                                                                                               \
                (void)tw_atomic_fetch_add(&all[b], (unsigned long long)bins[b], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);    \
    }

/* Local memory of a tile: counts of digits for each sub-group first, elements in their order then. */
#define TW_INTERNAL_DEFINE_SORT_MEMORY(name)                                                                           \
    enum {                                                                                                             \
        name##_stages_keys = sizeof(name##_key_part) <= TW_INTERNAL_SORT_MOST_STAGED,                                  \
        name##_stages_values = name##_has_values && sizeof(name##_value_part) <= TW_INTERNAL_SORT_MOST_STAGED          \
    };                                                                                                                 \
    union name##_sort_memory {                                                                                         \
        unsigned counts[TW_INTERNAL_SORT_SUB_GROUPS * TW_INTERNAL_DIGITS];                                             \
        name##_key_part keys[name##_stages_keys ? name##_sort_tile_size : 1];                                          \
        name##_value_part values[name##_stages_values ? name##_sort_tile_size : 1];                                    \
    };

/* A pass over a tile. */
#define TW_INTERNAL_DEFINE_SORT_PASS_OF_TILES(name)                                                                    \
    static inline void name##_sort_tiles(tw_nd_item item, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        enum { TILE = name##_sort_tile_size, ITEMS = TILE / TW_INTERNAL_SORT_GROUP };                                  \
        TW_LOCAL(union name##_sort_memory, memory);                                                                    \
        TW_LOCAL(name##_key_part *, keys_to, [TW_INTERNAL_DIGITS]); /* of a digit, less its place in the tile */       \
        TW_LOCAL(name##_value_part *, values_to, [name##_has_values ? TW_INTERNAL_DIGITS : 1]);                        \
        TW_LOCAL(unsigned char, digits, [name##_stages_values ? TILE : 1]);                                            \
        TW_INTERNAL_TAKE_TILE(item, (unsigned *)k->common.scratch + k->common.pass);                                   \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned me = (unsigned)tw_local_id(item, 0), lanes = sub_group.tw_max_, warps = sub_group.tw_count_;    \
        const size_t count = tw_internal_count(&k->common), first = tile * TILE, pass = k->common.pass;                \
        if (first >= count)                                                                                            \
            return;                                                                                                    \
        const unsigned valid = count - first < TILE ? (unsigned)(count - first) : TILE;                                \
        const bool full = valid == TILE, has_digit = me < TW_INTERNAL_DIGITS;                                          \
        const unsigned start = sub_group.tw_id_ * lanes * ITEMS + sub_group.tw_lane_;                                  \
        const enum tw_internal_sort_place from = tw_internal_sort_from(&k->sort, pass);                                \
        const enum tw_internal_sort_place to = tw_internal_sort_to(&k->sort, pass);                                    \
        const name##_key_part *const keys = name##_keys_from(k, from) + first;                                         \
        unsigned *const mine = memory.counts + sub_group.tw_id_ * TW_INTERNAL_DIGITS;                                  \
        name##_key_part x[ITEMS];                                                                                      \
        unsigned ranks[ITEMS], sum = 0;                                                                                \
        if (full) {                                                                                                    \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) x[i] = keys[start + i * lanes];                     \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) ranks[i] = name##_digit_of(k, x[i], pass);          \
        } else {                                                                                                       \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i)                                                     \
            {                                                                                                          \
                const unsigned at = start + i * lanes;                                                                 \
                x[i] = keys[at < valid ? at : 0];                                                                      \
                ranks[i] = at < valid ? name##_digit_of(k, x[i], pass) : tw_internal_key_mask(&k->sort, pass);         \
            }                                                                                                          \
        }                                                                                                              \
        tw_internal_rank_rows(sub_group, mine, ranks, ITEMS);                                                          \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        unsigned long long *const tiles =                                                                              \
            (unsigned long long *)tw_internal_at(k->common.scratch, TW_INTERNAL_SORT_TILES);                           \
        if (has_digit) {                                                                                               \
            sum = tw_internal_sum_digit(memory.counts, me, warps);                                                     \
            if (tile)                                                                                                  \
                tw_internal_tell_digit(tiles, tile, me, sum, 2 * pass + 1);                                            \
        }                                                                                                              \
        const unsigned begin = tw_exclusive_scan_over_group(item, sum, TW_SUM);                                        \
        if (has_digit)                                                                                                 \
            tw_internal_place_digit(memory.counts, me, warps, begin);                                                  \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        tw_internal_place_rows(mine, ranks, ITEMS);                                                                    \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (name##_stages_keys)                                                                                        \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) memory.keys[ranks[i] & 0xffff] = x[i];              \
        unsigned long long before = 0;                                                                                 \
        if (tile == 0) {                                                                                               \
            const unsigned long long *const bins =                                                                     \
                (const unsigned long long *)tw_internal_at(k->common.scratch, TW_INTERNAL_SORT_BINS);                  \
            const unsigned long long bin = has_digit ? bins[pass * TW_INTERNAL_DIGITS + me] : 0;                       \
            before = tw_exclusive_scan_over_group(item, bin, TW_SUM);                                                  \
        } else if (has_digit) {                                                                                        \
            before = tw_internal_digits_before(tiles, tile, me, pass);                                                 \
        }                                                                                                              \
        name##_key_part *const keys_out = name##_keys_to(k, to);                                                       \
        name##_value_part *const values_out = name##_values_to(k, to);                                                 \
        if (has_digit) {                                                                                               \
            tw_internal_tell_digit(tiles, tile, me, before + sum, 2 * pass + 2);                                       \
            keys_to[me] = keys_out + (size_t)(before - begin);                                                         \
            if (name##_has_values)                                                                                     \
                values_to[name##_has_values ? me : 0] = values_out + (size_t)(before - begin);                         \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (!name##_stages_keys)                                                                                       \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) if (full || start + i * lanes < valid)              \
                keys_to[ranks[i] >> 16][ranks[i] & 0xffff] = x[i];                                                     \
        for (unsigned at = me; name##_stages_keys && at < valid; at += TW_INTERNAL_SORT_GROUP) {                       \
            const name##_key_part y = memory.keys[at];                                                                 \
            const unsigned digit = name##_digit_of(k, y, pass);                                                        \
            keys_to[digit][at] = y;                                                                                    \
            if (name##_stages_values)                                                                                  \
                digits[name##_stages_values ? at : 0] = (unsigned char)digit;                                          \
        }                                                                                                              \
        if (!name##_has_values)                                                                                        \
            return;                                                                                                    \
        const name##_value_part *const values = name##_values_from(k, from) + first;                                   \
        if (!name##_stages_values) {                                                                                   \
            _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) if (full || start + i * lanes < valid)              \
                values_to[ranks[i] >> 16][ranks[i] & 0xffff] = values[start + i * lanes];                              \
            return;                                                                                                    \
        }                                                                                                              \
        name##_value_part v[ITEMS];                                                                                    \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) v[i] =                                                  \
            values[full || start + i * lanes < valid ? start + i * lanes : 0];                                         \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i)                                                         \
            memory.values[name##_stages_values ? ranks[i] & 0xffff : 0] = v[i];                                        \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (unsigned at = me; at < valid; at += TW_INTERNAL_SORT_GROUP)                                               \
            values_to[digits[name##_stages_values ? at : 0]][at] = memory.values[name##_stages_values ? at : 0];       \
    }

/* Few elements, each to its rank. */
#define TW_INTERNAL_DEFINE_SORT_RANKS(name)                                                                            \
    TW_INTERNAL_ALWAYS_INLINE name##_key_word name##_compared(const struct name##_sort *k, unsigned i)                 \
    {                                                                                                                  \
        return (name##_key_word)name##_bits_of(k, name##_keys_from(k, TW_INTERNAL_SORT_IN)[i]);                        \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_RANK(name, name##_sort, name##_key_word, tw_internal_count_less)                                \
    static inline void name##_sort_ranks(tw_nd_item item, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        TW_LOCAL(name##_key_word, staged, [TW_INTERNAL_RANKED_ROWS * TW_INTERNAL_TILE_ITEMS]);                         \
        TW_LOCAL(float, counts, [TW_INTERNAL_TILE_ITEMS]);                                                             \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned count = (unsigned)tw_internal_count(&k->common),                                                \
                       first = (unsigned)tw_group_id(item, 0) * sub_group.tw_max_, at = first + sub_group.tw_lane_;    \
        if (first >= count)                                                                                            \
            return;                                                                                                    \
        const unsigned rank = name##_rank(item, k, staged, counts, first, count);                                      \
        if (sub_group.tw_id_ || at >= count)                                                                           \
            return;                                                                                                    \
        name##_keys_to(k, TW_INTERNAL_SORT_OUT)[rank] = name##_keys_from(k, TW_INTERNAL_SORT_IN)[at];                  \
        if (name##_has_values)                                                                                         \
            name##_values_to(k, TW_INTERNAL_SORT_OUT)[rank] = name##_values_from(k, TW_INTERNAL_SORT_IN)[at];          \
    }

#define TW_INTERNAL_DEFINE_SORT_TILES(name)                                                                            \
    TW_INTERNAL_DEFINE_SORT_COUNT(name)                                                                                \
    TW_INTERNAL_DEFINE_SORT_MEMORY(name)                                                                               \
    TW_INTERNAL_DEFINE_SORT_PASS_OF_TILES(name)                                                                        \
    TW_INTERNAL_DEFINE_SORT_RANKS(name)

#define TW_INTERNAL_DEFINE_SORT_SHARES(name)                                                                           \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sort_counts, name##_sort)                                                         \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sort_shares, name##_sort)

#endif
#endif
