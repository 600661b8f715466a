/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_MERGE() (<teamwork/algorithms.h>), and what TW_SORT_BY() has in common with it. Where a group's part of the
 * result begins in both arrays a binary search finds (merge path; Green, McColl and Bader, 2012), and so for each
 * work-item of a GPU in what the group has brought to local memory.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_MERGE_H
#define TEAMWORK_LOWER_ALGORITHM_MERGE_H

#include <teamwork/lower/algorithm/tile.h>

enum { TW_INTERNAL_MERGE_MOST_STAGED = 128 }; /* bytes of elements that a GPU merges in local memory */

/* Elements of a work-item, so that those of a tile fit local memory. Odd numbers spread over its banks. */
#define TW_INTERNAL_MERGE_ITEMS(type)                                                                                  \
    (sizeof(type) <= 4    ? 17                                                                                         \
     : sizeof(type) <= 8  ? 11                                                                                         \
     : sizeof(type) <= 16 ? 7                                                                                          \
     : sizeof(type) <= 32 ? 4                                                                                          \
     : sizeof(type) <= 64 ? 2                                                                                          \
                          : 1)
#define TW_INTERNAL_MERGE_TILE(type) (TW_INTERNAL_TILE_ITEMS * TW_INTERNAL_MERGE_ITEMS(type))
#define TW_INTERNAL_MERGE_ROOM(type) (TW_INTERNAL_MERGE_TILE(type) + TW_INTERNAL_MERGE_ITEMS(type) + 1)

/* Where tiles begin in a is found by a launch of its own if there are more of them than are at work at once: a search
   waits for memory five times, during which its group would do nothing else. */
enum { TW_INTERNAL_MERGE_SEARCHED = 1024, TW_INTERNAL_PATHS_ITEMS = 64 };

/* NAME_path(): how many of the first `diagonal` elements of the result come from a; of equal ones those of a are
   first. NAME_merge_run(): elements `diagonal` to diagonal + n - 1 of the result, of which `from_a` elements of a are
   before. Neither reads outside of the arrays, even if they are not sorted. */
#define TW_INTERNAL_DEFINE_MERGE(name, type, less)                                                                     \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_path(const type *a, size_t a_count, const type *b, size_t b_count,         \
                                                 size_t diagonal)                                                      \
    {                                                                                                                  \
        size_t low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;      \
        TW_INTERNAL_BISECT(low, high, middle, !(less(b[diagonal - 1 - middle], a[middle])));                           \
        return low;                                                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_run(const type *a, size_t a_count, const type *b, size_t b_count,      \
                                                    size_t from_a, size_t diagonal, size_t n, type *out)               \
    {                                                                                                                  \
        size_t i = from_a, j = diagonal - from_a, to = 0;                                                              \
        while (to < n && i < a_count && j < b_count) {                                                                 \
            const bool is_b = less(b[j], a[i]);                                                                        \
            const type *const next = is_b ? b + j : a + i;                                                             \
            out[to++] = *next;                                                                                         \
            i += !is_b;                                                                                                \
            j += is_b;                                                                                                 \
        }                                                                                                              \
        while (to < n && i < a_count)                                                                                  \
            out[to++] = a[i++];                                                                                        \
        while (to < n && j < b_count)                                                                                  \
            out[to++] = b[j++];                                                                                        \
    }

#if TW_ON_GPU

/* NAME_path() by a sub-group: its work-items look at as many elements at once. */
#define TW_INTERNAL_DEFINE_GROUP_PATH(name, type, less)                                                                \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_group_path(tw_sub_group sub_group, const type *a, size_t a_count,          \
                                                       const type *b, size_t b_count, size_t diagonal)                 \
    {                                                                                                                  \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_;                                           \
        size_t low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;      \
        while (low < high) {                                                                                           \
            const size_t step = (high - low) / lanes + 1, at = low + (lane + 1) * step - 1;                            \
            const unsigned long long past =                                                                            \
                tw_group_ballot(sub_group, at < high && (less(b[diagonal - 1 - at], a[at])));                          \
            const unsigned before = past ? (unsigned)__builtin_ctzll(past) : (unsigned)((high - low) / step);          \
            low += before * step;                                                                                      \
            if (past)                                                                                                  \
                high = low + step - 1;                                                                                 \
        }                                                                                                              \
        return low;                                                                                                    \
    }

/* NAME_path() by one work-item that looks at three elements at once: so it waits half as often for memory. */
#define TW_INTERNAL_DEFINE_QUARTER_PATH(name, type, less)                                                              \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_quarter_path(const type *a, size_t a_count, const type *b, size_t b_count, \
                                                         size_t diagonal)                                              \
    {                                                                                                                  \
        size_t low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;      \
        while (low < high) {                                                                                           \
            const size_t some = (high - low) / 4, one = low + some, two = low + (high - low) / 2, three = two + some;  \
            const bool past_one = less(b[diagonal - 1 - one], a[one]), past_two = less(b[diagonal - 1 - two], a[two]), \
                       past_three = less(b[diagonal - 1 - three], a[three]);                                           \
            if (past_two) {                                                                                            \
                low = past_one ? low : one + 1;                                                                        \
                high = past_one ? one : two;                                                                           \
            } else {                                                                                                   \
                low = past_three ? two + 1 : three + 1;                                                                \
                high = past_three ? three : high;                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return low;                                                                                                    \
    }

/* For a work-item: elements `diagonal` and following ones of the result of two runs of a tile in local memory, into
   variables of its own. Behind the tile are as many elements as a work-item has, so that what is compared is always an
   element: a work-item goes on when both runs are at their end, and reads one for each element, of whichever run. */
#define TW_INTERNAL_DEFINE_MERGE_ITEM(name, type, less)                                                                \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_item(const type *staged, unsigned a, unsigned a_count, unsigned b,     \
                                                     unsigned b_count, unsigned diagonal, type *x)                     \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type) };                                                                \
        diagonal = diagonal < a_count + b_count ? diagonal : a_count + b_count;                                        \
        unsigned low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;    \
        TW_INTERNAL_BISECT(low, high, middle, !(less(staged[b + diagonal - 1 - middle], staged[a + middle])));         \
        const unsigned a_past = a + a_count, b_past = b + b_count;                                                     \
        unsigned i = a + low, j = b + diagonal - low;                                                                  \
        type next_a = staged[i], next_b = staged[j];                                                                   \
        _Pragma("unroll") for (unsigned to = 0; to < ITEMS; ++to)                                                      \
        {                                                                                                              \
            const bool b_less = less(next_b, next_a), is_b = (i >= a_past) | ((j < b_past) & b_less);                  \
            i += !is_b;                                                                                                \
            j += is_b;                                                                                                 \
            const type next = staged[is_b ? j : i];                                                                    \
            if (is_b) {                                                                                                \
                x[to] = next_b;                                                                                        \
                next_b = next;                                                                                         \
            } else {                                                                                                   \
                x[to] = next_a;                                                                                        \
                next_a = next;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    /* The elements of a work-item, from and to local memory; `me` is its number. */                                   \
    TW_INTERNAL_ALWAYS_INLINE void name##_stage(type *staged, unsigned me, const type *x)                              \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type) };                                                                \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) staged[me * ITEMS + i] = x[i];                          \
    }

/* Elements `diagonal` and following ones of the result of a and b, as many as a tile has, to where `out` begins with
   the first of them. `paths` has how many elements of a are before this tile and the next one; without it the group
   finds out. What is too large for local memory each work-item takes from where it is. */
#define TW_INTERNAL_DEFINE_MERGE_TILE(name, type, less)                                                                \
    TW_INTERNAL_DEFINE_MERGE(name, type, less)                                                                         \
    TW_INTERNAL_DEFINE_GROUP_PATH(name, type, less)                                                                    \
    TW_INTERNAL_DEFINE_QUARTER_PATH(name, type, less)                                                                  \
    TW_INTERNAL_DEFINE_MERGE_ITEM(name, type, less)                                                                    \
    TW_INTERNAL_ALWAYS_INLINE void name##_fill_room(type *staged, unsigned me, type x)                                 \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type), TILE = TW_INTERNAL_MERGE_TILE(type) };                           \
        if (TW_INTERNAL_TILE_ITEMS - 1 - me <= ITEMS) /* of the sub-group that reads it first */                       \
            staged[TILE + TW_INTERNAL_TILE_ITEMS - 1 - me] = x;                                                        \
    }                                                                                                                  \
    /* Local memory, of which the first `n` elements are the result, to `out`. */                                      \
    TW_INTERNAL_ALWAYS_INLINE void name##_store_tile(const type *staged, unsigned me, unsigned n, type *out)           \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type), TILE = TW_INTERNAL_MERGE_TILE(type) };                           \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) if (n == TILE || i * TW_INTERNAL_TILE_ITEMS + me < n)   \
            out[i * TW_INTERNAL_TILE_ITEMS + me] = staged[i * TW_INTERNAL_TILE_ITEMS + me];                            \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_tile(tw_nd_item item, type *staged, size_t *ends, const size_t *paths, \
                                                     const type *a, size_t a_count, const type *b, size_t b_count,     \
                                                     size_t diagonal, type *out)                                       \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type), TILE = TW_INTERNAL_MERGE_TILE(type) };                           \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const size_t left = a_count + b_count - diagonal;                                                              \
        const unsigned me = (unsigned)tw_local_id(item, 0), n = left < TILE ? (unsigned)left : TILE;                   \
        size_t first, past = a_count;                                                                                  \
        if (paths) {                                                                                                   \
            first = paths[0];                                                                                          \
            if (left > TILE)                                                                                           \
                past = paths[1];                                                                                       \
        } else {                                                                                                       \
            if (sub_group.tw_id_ < 2) {                                                                                \
                const size_t end =                                                                                     \
                    name##_group_path(sub_group, a, a_count, b, b_count, diagonal + sub_group.tw_id_ * n);             \
                if (sub_group.tw_lane_ == 0)                                                                           \
                    ends[sub_group.tw_id_] = end;                                                                      \
            }                                                                                                          \
            tw_barrier(item, TW_LOCAL_SPACE);                                                                          \
            first = ends[0];                                                                                           \
            past = ends[1];                                                                                            \
        }                                                                                                              \
        const unsigned of_a = past < first ? 0 : past - first < n ? (unsigned)(past - first) : n;                      \
        const type *const from_a = a + first, *const from_b = b                                                        \
                                                              + ((ptrdiff_t)(diagonal - first)                         \
                                                                 - (ptrdiff_t)of_a); /* of place 0 in the tile */      \
        type x[ITEMS];                                                                                                 \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) /* all before the first is there */                     \
        {                                                                                                              \
            const unsigned at = i * TW_INTERNAL_TILE_ITEMS + me, from = at < n - 1 ? at : n - 1;                       \
            x[i] = (from < of_a ? from_a : from_b)[from];                                                              \
        }                                                                                                              \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) staged[i * TW_INTERNAL_TILE_ITEMS + me] = x[i];         \
        name##_fill_room(staged, me, x[0]);                                                                            \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        name##_merge_item(staged, 0, of_a, of_a, n - of_a, me * ITEMS, x);                                             \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        name##_stage(staged, me, x);                                                                                   \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        name##_store_tile(staged, me, n, out);                                                                         \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_large(const type *a, size_t a_count, const type *b, size_t b_count,    \
                                                      size_t diagonal, type *out)                                      \
    {                                                                                                                  \
        if (diagonal < a_count + b_count)                                                                              \
            name##_merge_run(a, a_count, b, b_count, name##_path(a, a_count, b, b_count, diagonal), diagonal, 1, out); \
    }

#define TW_INTERNAL_DEFINE_MERGE_KERNELS(name, type, less)                                                             \
    TW_INTERNAL_DEFINE_MERGE_TILE(name, type, less)                                                                    \
    static inline void name##_merge_paths(tw_nd_item item, const struct name##_merge *k)                               \
    {                                                                                                                  \
        const size_t tile = tw_global_id(item, 0), a_count = tw_internal_count(&k->common);                            \
        const size_t first = tile * TW_INTERNAL_MERGE_TILE(type);                                                      \
        if (first < a_count + k->b_count)                                                                              \
            ((size_t *)k->common.scratch)[tile] = name##_quarter_path(k->a, a_count, k->b, k->b_count, first);         \
    }                                                                                                                  \
    static inline void name##_merge_tiles(tw_nd_item item, const struct name##_merge *k)                               \
    {                                                                                                                  \
        enum { TILE = TW_INTERNAL_MERGE_TILE(type), STAGED = sizeof(type) <= TW_INTERNAL_MERGE_MOST_STAGED };          \
        TW_LOCAL(type, staged, [STAGED ? TW_INTERNAL_MERGE_ROOM(type) : 1]);                                           \
        TW_LOCAL(size_t, ends, [2]);                                                                                   \
        const size_t first = tw_group_id(item, 0) * TILE, me = tw_local_id(item, 0);                                   \
        const size_t a_count = tw_internal_count(&k->common);                                                          \
        if (first >= a_count + k->b_count)                                                                             \
            return;                                                                                                    \
        const size_t *const paths = (const size_t *)k->common.scratch;                                                 \
        if (STAGED)                                                                                                    \
            name##_merge_tile(item, staged, ends, paths ? paths + tw_group_id(item, 0) : NULL, k->a, a_count, k->b,    \
                              k->b_count, first, k->out + first);                                                      \
        else                                                                                                           \
            name##_merge_large(k->a, a_count, k->b, k->b_count, first + me, k->out + first + me);                      \
    }                                                                                                                  \
    TW_INTERNAL_NO_CPU_KERNEL(name##_merge_shares, name##_merge)

#else

/* Chains of a merge, which a processor computes at the same time: what the next element is depends on the one before, and
   takes longer than to copy it. More than three have more places than there are registers. A result of so many elements is
   worth the searches for them. */
enum { TW_INTERNAL_MERGE_CHAINS = 3, TW_INTERNAL_MERGED_AT_ONCE = 64 };

/* Two runs of the same length are merged in two chains without a search: one begins with the first elements, and one
   with the last. Up to so many elements that is faster, if they fit registers. */
enum { TW_INTERNAL_MERGED_FROM_BOTH_ENDS = 128, TW_INTERNAL_MERGED_FROM_BOTH_ENDS_BYTES = 32 };

#define TW_INTERNAL_DEFINE_MERGE_CHAINS(name, type, less)                                                                 \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_next(const type **a, const type **b, type *out)                           \
    {                                                                                                                     \
        const type x = **a, y = **b;                                                                                      \
        const bool is_b = less(y, x);                                                                                     \
        *out = is_b ? y : x;                                                                                              \
        *a += !is_b;                                                                                                      \
        *b += is_b;                                                                                                       \
    }                                                                                                                     \
    /* Merges `half` elements of each run. */                                                                             \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_halves(const type *a, const type *b, size_t half, type *out)              \
    {                                                                                                                     \
        const type *last_a = a + half - 1, *last_b = b + half - 1;                                                        \
        for (size_t to = 0; to < half; ++to) {                                                                            \
            name##_merge_next(&a, &b, out + to);                                                                          \
            const type x = *last_a, y = *last_b;                                                                          \
            const bool is_a = less(y, x);                                                                                 \
            out[2 * half - 1 - to] = is_a ? x : y;                                                                        \
            last_a -= is_a;                                                                                               \
            last_b -= !is_a;                                                                                              \
        }                                                                                                                 \
    }                                                                                                                     \
    /* Takes as many elements in each chain as one has at least, until one of them has no more of a or of b. Chain c has\
       elements a[c] to a[c + 1] - 1 of `of_a`, and such of `of_b`, and has taken those before `i` and `j`. */ \
    TW_INTERNAL_ALWAYS_INLINE void name##_merge_chains(const type *of_a, const type *of_b, const size_t *a,               \
                                                       const size_t *b, size_t *i, size_t *j, type *out)                  \
    {                                                                                                                     \
        for (;;) {                                                                                                        \
            const type *x[TW_INTERNAL_MERGE_CHAINS], *y[TW_INTERNAL_MERGE_CHAINS];                                        \
            type *to[TW_INTERNAL_MERGE_CHAINS];                                                                           \
            size_t all = (size_t)-1;                                                                                      \
            _Pragma("unroll") for (unsigned c = 0; c < TW_INTERNAL_MERGE_CHAINS; ++c)                                     \
            {                                                                                                             \
                const size_t left_a = a[c + 1] - i[c], left_b = b[c + 1] - j[c],                                          \
                             left = left_a < left_b ? left_a : left_b;                                                    \
                all = left < all ? left : all;                                                                            \
                x[c] = of_a + i[c];                                                                                       \
                y[c] = of_b + j[c];                                                                                       \
                to[c] = out + (i[c] + j[c] - a[0] - b[0]);                                                                \
            }                                                                                                             \
            if (all == 0)                                                                                                 \
                return;                                                                                                   \
            for (size_t n = 0; n < all; ++n)                                                                              \
                _Pragma("unroll") for (unsigned c = 0; c < TW_INTERNAL_MERGE_CHAINS; ++c)                                 \
                    name##_merge_next(&x[c], &y[c], to[c] + n);                                                           \
            _Pragma("unroll") for (unsigned c = 0; c < TW_INTERNAL_MERGE_CHAINS; ++c)                                     \
            {                                                                                                             \
                i[c] = (size_t)(x[c] - of_a);                                                                             \
                j[c] = (size_t)(y[c] - of_b);                                                                             \
            }                                                                                                             \
        }                                                                                                                 \
    }                                                                                                                     \
    /* NAME_merge_run() in chains. */                                                                                     \
    static inline void name##_merge_part(const type *a, size_t a_count, const type *b, size_t b_count, size_t from_a,     \
                                         size_t diagonal, size_t n, type *out)                                            \
    {                                                                                                                     \
        enum { CHAINS = TW_INTERNAL_MERGE_CHAINS };                                                                       \
        size_t first_a[CHAINS + 1], first_b[CHAINS + 1], i[CHAINS], j[CHAINS];                                            \
        bool is_one = n < TW_INTERNAL_MERGED_AT_ONCE;                                                                     \
        if (sizeof(type) <= TW_INTERNAL_MERGED_FROM_BOTH_ENDS_BYTES && n <= TW_INTERNAL_MERGED_FROM_BOTH_ENDS             \
            && n == 2 * a_count && a_count == b_count) {                                                                  \
            name##_merge_halves(a, b, a_count, out);                                                                      \
            return;                                                                                                       \
        }                                                                                                                 \
        first_a[0] = from_a;                                                                                              \
        first_b[0] = diagonal - from_a;                                                                                   \
        for (unsigned c = 0; c < CHAINS && !is_one; ++c) {                                                                \
            const size_t past = diagonal + (c + 1 < CHAINS ? n / CHAINS * (c + 1) : n);                                   \
            i[c] = first_a[c];                                                                                            \
            j[c] = first_b[c];                                                                                            \
            first_a[c + 1] = name##_path(a, a_count, b, b_count, past);                                                   \
            first_b[c + 1] = past - first_a[c + 1];                                                                       \
            is_one = first_a[c + 1] < i[c] || first_b[c + 1] < j[c]; /* `less` is no strict weak order */                 \
        }                                                                                                                 \
        if (is_one) {                                                                                                     \
            name##_merge_run(a, a_count, b, b_count, from_a, diagonal, n, out);                                           \
            return;                                                                                                       \
        }                                                                                                                 \
        name##_merge_chains(a, b, first_a, first_b, i, j, out);                                                           \
        for (unsigned c = 0; c < CHAINS; ++c)                                                                             \
            name##_merge_run(a, first_a[c + 1], b, first_b[c + 1], i[c], i[c] + j[c],                                     \
                             first_a[c + 1] + first_b[c + 1] - i[c] - j[c], out + (i[c] + j[c] - diagonal));              \
    }

#define TW_INTERNAL_DEFINE_MERGE_KERNELS(name, type, less)                                                             \
    TW_INTERNAL_DEFINE_MERGE(name, type, less)                                                                         \
    TW_INTERNAL_DEFINE_MERGE_CHAINS(name, type, less)                                                                  \
    TW_INTERNAL_NO_GPU_KERNEL(name##_merge_tiles, name##_merge)                                                        \
    TW_INTERNAL_NO_GPU_KERNEL(name##_merge_paths, name##_merge)                                                        \
    static inline void name##_merge_shares(tw_group group, const struct name##_merge *k)                               \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t a_count = tw_internal_count(&k->common), all = a_count + k->b_count;                          \
            size_t first = tw_group_id(group, 0) * k->share;                                                           \
            first = first < all ? first : all;                                                                         \
            name##_merge_part(k->a, a_count, k->b, k->b_count, name##_path(k->a, a_count, k->b, k->b_count, first),    \
                              first, all - first < k->share ? all - first : k->share, k->out + first);                 \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_MERGE_SORTED(name, type, less)                                                                     \
    struct name##_merge {                                                                                              \
        struct tw_internal_algorithm common; /* the count is that of a */                                              \
        const type *a, *b;                                                                                             \
        type *out;                                                                                                     \
        size_t b_count, share;                                                                                         \
    };                                                                                                                 \
    TW_INTERNAL_DEFINE_MERGE_KERNELS(name, type, less)                                                                 \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_merge) TW_FOR_GPUS name##_merge_tiles, TW_INTERNAL_TILE_ITEMS);          \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_merge) TW_FOR_GPUS name##_merge_paths, TW_INTERNAL_PATHS_ITEMS);         \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_merge) TW_FOR_CPUS name##_merge_shares, 1);                            \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *a, size_t a_count,            \
                                                    const type *b, size_t b_count, type *out)                          \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_merge k;                                                                                         \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = a_count;                                                                                      \
        k.a = a;                                                                                                       \
        k.b = b;                                                                                                       \
        k.b_count = b_count;                                                                                           \
        k.out = out;                                                                                                   \
        tw_internal_plan_merge(&plan, device, a_count + b_count, &k.share, sizeof(type), TW_INTERNAL_MERGE_TILE(type), \
                               sizeof(type) <= TW_INTERNAL_MERGE_MOST_STAGED ? TW_KERNEL(name##_merge_paths) : NULL,   \
                               device.is_gpu ? TW_KERNEL(name##_merge_tiles) : TW_KERNEL(name##_merge_shares));        \
        tw_internal_expect(group, "a", a, a_count, sizeof(type));                                                      \
        tw_internal_expect(group, "b", b, b_count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, a_count + b_count, sizeof(type));                                        \
        tw_internal_expect_apart(group, a, a_count, out, a_count + b_count, sizeof(type));                             \
        tw_internal_expect_apart(group, b, b_count, out, a_count + b_count, sizeof(type));                             \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

/* Adds the launch that finds where tiles begin, if there are many. Returns whether it is there. */
static inline bool tw_internal_add_paths(struct tw_internal_plan *plan, const tw_kernel *paths, size_t tiles,
                                         size_t pass)
{
    if (paths && tiles > TW_INTERNAL_MERGE_SEARCHED)
        tw_internal_add_stage(plan, paths, tw_internal_divide_up(tiles, TW_INTERNAL_PATHS_ITEMS),
                              TW_INTERNAL_PATHS_ITEMS, pass);
    return paths && tiles > TW_INTERNAL_MERGE_SEARCHED;
}

/* `paths` is NULL for elements that do not go through local memory. */
static inline void tw_internal_plan_merge(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                          size_t count, size_t *share, size_t element_bytes, size_t tile,
                                          const tw_kernel *paths, const tw_kernel *kernel)
{
    struct tw_internal_algorithm all = {count, NULL, NULL, 0, 0};
    tw_internal_begin_plan(plan);
    if (!count)
        return;
    const size_t cost = TW_INTERNAL_COST_OF_MERGE + element_bytes;
    const size_t groups =
        device.is_gpu ? tw_internal_divide_up(count, tile) : tw_internal_shares(&all, device.units, 1, cost);
    *share = all.share;
    if (device.is_gpu && tw_internal_add_paths(plan, paths, groups, 0))
        plan->scratch_bytes = groups * sizeof(size_t);
    tw_internal_add_stage(plan, kernel, groups, device.is_gpu ? TW_INTERNAL_TILE_ITEMS : 1, 0);
}

#endif
