/* SPDX-License-Identifier: Apache-2.0 */
/** The kernels of sort.h on a CPU. */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_CPU_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_CPU_H

#include <teamwork/lower/algorithm/sort_by.h>
#include <teamwork/lower/algorithm/sort_key.h>

#if !TW_ON_GPU

/* So few elements are sorted by merges of their keys with their places: more, the more passes the other way has. */
enum { TW_INTERNAL_FEW = 384 };
TW_INTERNAL_ALWAYS_INLINE bool tw_internal_are_few(size_t count, size_t passes)
{
    return count <= 6 * passes * passes; /* 384 at most */
}

struct tw_internal_keyed_place {
    unsigned long long key;
    size_t at;
};
#define TW_INTERNAL_KEY_IS_LESS(a, b) ((a).key < (b).key)
TW_INTERNAL_DEFINE_MERGE(tw_internal_keyed_place, struct tw_internal_keyed_place, TW_INTERNAL_KEY_IS_LESS)
TW_INTERNAL_DEFINE_MERGE_CHAINS(tw_internal_keyed_place, struct tw_internal_keyed_place, TW_INTERNAL_KEY_IS_LESS)
TW_INTERNAL_DEFINE_SORT_BY_SHARE(tw_internal_keyed_place, struct tw_internal_keyed_place, TW_INTERNAL_KEY_IS_LESS)

#define TW_INTERNAL_DEFINE_SORT_TILES(name)                                                                            \
    TW_INTERNAL_NO_GPU_KERNEL(name##_sort_count, name##_sort)                                                          \
    TW_INTERNAL_NO_GPU_KERNEL(name##_sort_tiles, name##_sort)                                                          \
    TW_INTERNAL_NO_GPU_KERNEL(name##_sort_ranks, name##_sort)

/* Elements first to past in a pass: counts their digits, and moves them to where `places` of their digits say. */
#define TW_INTERNAL_DEFINE_SORT_PASS(name)                                                                             \
    TW_INTERNAL_ALWAYS_INLINE void name##_count_digits(const struct name##_sort *k, size_t pass, size_t first,         \
                                                       size_t past, size_t *counts)                                    \
    {                                                                                                                  \
        const enum tw_internal_sort_place from = tw_internal_sort_from(&k->sort, pass);                                \
        for (unsigned digit = 0; digit < TW_INTERNAL_DIGITS; ++digit)                                                  \
            counts[digit] = 0;                                                                                         \
        for (size_t i = first; i < past; ++i)                                                                          \
            ++counts[name##_digit(k, name##_get(k, from, i), pass)];                                                   \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_move(const struct name##_sort *k, size_t pass, size_t first, size_t past,    \
                                               size_t *places)                                                         \
    {                                                                                                                  \
        const enum tw_internal_sort_place from = tw_internal_sort_from(&k->sort, pass),                                \
                                          to = tw_internal_sort_to(&k->sort, pass);                                    \
        for (size_t i = first; i < past; ++i) {                                                                        \
            const name##_element x = name##_get(k, from, i);                                                           \
            name##_put(k, to, places[name##_digit(k, x, pass)]++, x);                                                  \
        }                                                                                                              \
    }

/* One thread sorts elements first to past by all digits, to where the last pass by digits writes. */
#define TW_INTERNAL_DEFINE_SORT_AT_ONCE(name)                                                                          \
    static inline void name##_sort_few(const struct name##_sort *k, size_t first, size_t count,                        \
                                       enum tw_internal_sort_place to)                                                 \
    {                                                                                                                  \
        struct tw_internal_keyed_place places[2][TW_INTERNAL_FEW];                                                     \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            places[0][i].key = name##_whole_key(k, name##_get(k, TW_INTERNAL_SORT_IN, first + i));                     \
            places[0][i].at = first + i;                                                                               \
        }                                                                                                              \
        tw_internal_keyed_place_sort_share(places[0], count, places[1], places[0]);                                    \
        for (size_t i = 0; i < count; ++i)                                                                             \
            name##_put(k, to, first + i, name##_get(k, TW_INTERNAL_SORT_IN, places[1][i].at));                         \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_sort_at_once(const struct name##_sort *k, size_t first, size_t past)         \
    {                                                                                                                  \
        size_t places[TW_INTERNAL_DIGITS];                                                                             \
        const size_t passes = k->sort.passes - k->sort.merges;                                                         \
        if (tw_internal_are_few(past - first, passes)) {                                                               \
            name##_sort_few(k, first, past - first, tw_internal_sort_to(&k->sort, passes - 1));                        \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t pass = 0; pass < passes; ++pass) {                                                                 \
            name##_count_digits(k, pass, first, past, places);                                                         \
            size_t before = first;                                                                                     \
            for (unsigned digit = 0; digit < TW_INTERNAL_DIGITS; ++digit) {                                            \
                const size_t mine = places[digit];                                                                     \
                places[digit] = before;                                                                                \
                before += mine;                                                                                        \
            }                                                                                                          \
            name##_move(k, pass, first, past, places);                                                                 \
        }                                                                                                              \
    }

/* Elements first to past of a pass that merges pairs of runs: of shares at first. */
#define TW_INTERNAL_DEFINE_SORT_MERGE(name)                                                                            \
    TW_INTERNAL_ALWAYS_INLINE unsigned long long name##_key_at(const struct name##_sort *k,                            \
                                                               enum tw_internal_sort_place place, size_t i)            \
    {                                                                                                                  \
        return name##_whole_key(k, name##_get(k, place, i));                                                           \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_runs(const struct name##_sort *k, size_t first, size_t past,           \
                                                     size_t count)                                                     \
    {                                                                                                                  \
        const size_t pass = k->common.pass;                                                                            \
        const enum tw_internal_sort_place from = tw_internal_sort_from(&k->sort, pass),                                \
                                          to = tw_internal_sort_to(&k->sort, pass);                                    \
        const struct tw_internal_merge_sort shares = {0, 0, k->common.share, 0};                                       \
        const struct tw_internal_run_pair p =                                                                          \
            tw_internal_run_pair(&shares, pass + 1 - (k->sort.passes - k->sort.merges), first, count);                 \
        const size_t diagonal = first - p.a;                                                                           \
        size_t i = diagonal > p.b_count ? diagonal - p.b_count : 0,                                                    \
               high = diagonal < p.a_count ? diagonal : p.a_count;                                                     \
        TW_INTERNAL_BISECT(                                                                                            \
            i, high, middle,                                                                                           \
            !(name##_key_at(k, from, p.b + diagonal - 1 - middle) < name##_key_at(k, from, p.a + middle)));            \
        size_t j = p.b + diagonal - i;                                                                                 \
        i += p.a;                                                                                                      \
        while (first < past && i < p.a + p.a_count && j < p.b + p.b_count) {                                           \
            const bool is_b = name##_key_at(k, from, j) < name##_key_at(k, from, i);                                   \
            name##_put(k, to, first++, name##_get(k, from, is_b ? j : i));                                             \
            i += !is_b;                                                                                                \
            j += is_b;                                                                                                 \
        }                                                                                                              \
        while (first < past && i < p.a + p.a_count)                                                                    \
            name##_put(k, to, first++, name##_get(k, from, i++));                                                      \
        while (first < past)                                                                                           \
            name##_put(k, to, first++, name##_get(k, from, j++));                                                      \
    }

/* A copy of the block is in registers: what is stored might be a part of the block itself, for all that the compiler
   knows, so that each element would load it anew. */
#define TW_INTERNAL_DEFINE_SORT_SHARES(name)                                                                           \
    TW_INTERNAL_DEFINE_SORT_PASS(name)                                                                                 \
    TW_INTERNAL_DEFINE_SORT_AT_ONCE(name)                                                                              \
    TW_INTERNAL_DEFINE_SORT_MERGE(name)                                                                                \
    static inline void name##_sort_counts(tw_group group, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct name##_sort own = *k;                                                                         \
            size_t first = 0;                                                                                          \
            const size_t me = tw_group_id(group, 0), past = tw_internal_share_of(&own.common, me, &first);             \
            name##_count_digits(&own, own.common.pass, first, past,                                                    \
                                (size_t *)own.common.scratch + me * TW_INTERNAL_DIGITS);                               \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_sort_shares(tw_group group, const struct name##_sort *k)                                 \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct name##_sort own = *k;                                                                         \
            size_t places[TW_INTERNAL_DIGITS], first = 0;                                                              \
            const size_t me = tw_group_id(group, 0), past = tw_internal_share_of(&own.common, me, &first);             \
            if (own.sort.at_once || (own.sort.merges && own.common.pass == 0)) {                                       \
                name##_sort_at_once(&own, first, past);                                                                \
            } else if (own.sort.merges) {                                                                              \
                if (first < past)                                                                                      \
                    name##_merge_runs(&own, first, past, tw_internal_count(&own.common));                              \
            } else {                                                                                                   \
                tw_internal_find_places((const size_t *)own.common.scratch, own.sort.groups, me, places);              \
                name##_move(&own, own.common.pass, first, past, places);                                               \
            }                                                                                                          \
        }                                                                                                              \
    }

/* Where the elements of a share go, for each digit: behind those of smaller digits, and of the shares before it. */
TW_INTERNAL_ALWAYS_INLINE void tw_internal_find_places(const size_t *counts, size_t groups, size_t me, size_t *places)
{
    size_t before = 0;
    for (unsigned digit = 0; digit < TW_INTERNAL_DIGITS; ++digit)
        for (size_t group = 0; group < groups; ++group) {
            if (group == me)
                places[digit] = before;
            before += counts[group * TW_INTERNAL_DIGITS + digit];
        }
}

#endif
#endif
