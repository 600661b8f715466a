/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_SORT_BY() (<teamwork/algorithms.h>): a merge sort. The first pass sorts tiles on a GPU and shares on a CPU,
 * and each pass after it merges pairs of sorted runs, with the work shared out evenly (merge.h). What is too large for
 * a GPU's local memory has no first pass: each element is a run.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_BY_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_BY_H

#include <teamwork/lower/algorithm/merge.h>
#include <teamwork/lower/algorithm/sort_ranks.h>

enum { TW_INTERNAL_EXCHANGED = 8 }; /* elements that a CPU sorts without branches, before it merges */

struct tw_internal_merge_sort {
    size_t passes; /* that merge: 1 to this number */
    size_t first;  /* the first pass that there is: 0 or 1 */
    size_t run;    /* elements of a run before pass 1 */
    size_t paths;  /* where temporary memory has, for each tile of a pass, where it begins in its first run; or 0 */
};

/* Elements of a run before a pass; more than there are, where they would overflow. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_run_before(const struct tw_internal_merge_sort *sort, size_t pass)
{
    return sort->run << (pass - 1);
}

/* The pair of runs that element `first` of a pass is written from. */
struct tw_internal_run_pair {
    size_t a, a_count, b, b_count;
};
TW_INTERNAL_ALWAYS_INLINE struct tw_internal_run_pair tw_internal_run_pair(const struct tw_internal_merge_sort *sort,
                                                                           size_t pass, size_t first, size_t count)
{
    const size_t run = tw_internal_run_before(sort, pass);
    struct tw_internal_run_pair pair;
    pair.a = first / run / 2 * 2 * run;
    pair.a_count = count - pair.a < run ? count - pair.a : run;
    pair.b = pair.a + pair.a_count;
    pair.b_count = count - pair.b < run ? count - pair.b : run;
    return pair;
}

/* The block, and where a pass reads and writes. The last one writes the result. */
#define TW_INTERNAL_DEFINE_SORT_BY_BLOCK(name, type)                                                                   \
    struct name##_sort_by {                                                                                            \
        struct tw_internal_algorithm common;                                                                           \
        struct tw_internal_merge_sort sort;                                                                            \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
    };                                                                                                                 \
    TW_INTERNAL_ALWAYS_INLINE type *name##_to(const struct name##_sort_by *k, size_t pass)                             \
    {                                                                                                                  \
        return (k->sort.passes - pass) % 2 ? (type *)k->common.scratch : k->out;                                       \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE const type *name##_from(const struct name##_sort_by *k, size_t pass)                     \
    {                                                                                                                  \
        return pass == k->sort.first ? k->in : name##_to(k, pass - 1);                                                 \
    }

#if TW_ON_GPU

/* Sorts the elements of a work-item, of which `n` are there, and then those of the tile in local memory. As long as runs
   are those of a sub-group, its work-items wait for each other alone. */
#define TW_INTERNAL_DEFINE_SORT_BY_TILE(name, type, less)                                                              \
    TW_INTERNAL_ALWAYS_INLINE void name##_sort_item(type *x, unsigned n)                                               \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type) };                                                                \
        _Pragma("unroll") for (unsigned round = 0; round < ITEMS; ++round)                                             \
            _Pragma("unroll") for (unsigned i = round % 2; i + 1 < ITEMS; i += 2)                                      \
        {                                                                                                              \
            const type y = x[i];                                                                                       \
            if (i + 1 < n && (less(x[i + 1], y))) {                                                                    \
                x[i] = x[i + 1];                                                                                       \
                x[i + 1] = y;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_sort_tile(tw_nd_item item, type *staged, const type *in, type *out,          \
                                                    unsigned valid)                                                    \
    {                                                                                                                  \
        enum { ITEMS = TW_INTERNAL_MERGE_ITEMS(type), TILE = TW_INTERNAL_MERGE_TILE(type) };                           \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned me = (unsigned)tw_local_id(item, 0), start = me * ITEMS, lanes = sub_group.tw_max_,             \
                       mine = start < valid ? valid - start : 0,                                                       \
                       row = sub_group.tw_id_ * lanes * ITEMS + sub_group.tw_lane_;                                    \
        type x[ITEMS];                                                                                                 \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) x[i] =                                                  \
            in[row + i * lanes < valid - 1 ? row + i * lanes : valid - 1];                                             \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) staged[row + i * lanes] = x[i];                         \
        name##_fill_room(staged, me, x[0]);                                                                            \
        tw_group_barrier(sub_group);                                                                                   \
        _Pragma("unroll") for (unsigned i = 0; i < ITEMS; ++i) x[i] = staged[start + i];                               \
        if (mine >= ITEMS)                                                                                             \
            name##_sort_item(x, ITEMS);                                                                                \
        else                                                                                                           \
            name##_sort_item(x, mine);                                                                                 \
        for (unsigned run = 1;; run *= 2) { /* work-items whose elements are in order */                               \
            const bool alone = 2 * run <= lanes;                                                                       \
            if (alone)                                                                                                 \
                tw_group_barrier(sub_group);                                                                           \
            else                                                                                                       \
                tw_barrier(item, TW_LOCAL_SPACE);                                                                      \
            name##_stage(staged, me, x);                                                                               \
            if (alone)                                                                                                 \
                tw_group_barrier(sub_group);                                                                           \
            else                                                                                                       \
                tw_barrier(item, TW_LOCAL_SPACE);                                                                      \
            if (run >= TW_INTERNAL_TILE_ITEMS || run * ITEMS >= valid)                                                 \
                break;                                                                                                 \
            const unsigned a = (me & ~(2 * run - 1)) * ITEMS, b = a + run * ITEMS;                                     \
            if (mine && b < valid)                                                                                     \
                name##_merge_item(staged, a, run *ITEMS, b, valid - b < run * ITEMS ? valid - b : run * ITEMS,         \
                                  start - a, x);                                                                       \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        name##_store_tile(staged, me, valid, out);                                                                     \
    }

/* Few elements, each to its rank. If `less` is no strict weak order, several have one rank, and others none: what is there
   then is what the first launch copied. */
#define TW_INTERNAL_DEFINE_SORT_BY_RANKS(name, type, less)                                                             \
    TW_INTERNAL_ALWAYS_INLINE type name##_compared(const struct name##_sort_by *k, unsigned i)                         \
    {                                                                                                                  \
        return k->in[i];                                                                                               \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_count_less(float *sum, type a, type b)                                       \
    {                                                                                                                  \
        *sum += (less(a, b)) ? 1.0f : 0.0f;                                                                            \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_RANK(name, name##_sort_by, type, name##_count_less)                                             \
    static inline void name##_sort_by_ranks(tw_nd_item item, const struct name##_sort_by *k)                           \
    {                                                                                                                  \
        enum { IS_RANKED = sizeof(type) <= TW_INTERNAL_RANKED_BYTES };                                                 \
        TW_LOCAL(type, staged, [IS_RANKED ? TW_INTERNAL_RANKED_ROWS * TW_INTERNAL_TILE_ITEMS : 1]);                    \
        TW_LOCAL(float, counts, [TW_INTERNAL_TILE_ITEMS]);                                                             \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned count = (unsigned)tw_internal_count(&k->common), i = (unsigned)tw_global_id(item, 0),           \
                       first = (unsigned)tw_group_id(item, 0) * sub_group.tw_max_, at = first + sub_group.tw_lane_;    \
        if (k->common.pass == 0 && i < count)                                                                          \
            k->out[i] = k->in[i];                                                                                      \
        if (!IS_RANKED || k->common.pass == 0 || first >= count)                                                       \
            return;                                                                                                    \
        const unsigned rank = name##_rank(item, k, staged, counts, first, count);                                      \
        if (sub_group.tw_id_ == 0 && at < count)                                                                       \
            k->out[rank] = k->in[at];                                                                                  \
    }

#define TW_INTERNAL_DEFINE_SORT_BY_TILES(name, type, less)                                                             \
    TW_INTERNAL_DEFINE_MERGE_TILE(name, type, less)                                                                    \
    TW_INTERNAL_DEFINE_SORT_BY_TILE(name, type, less)                                                                  \
    TW_INTERNAL_DEFINE_SORT_BY_RANKS(name, type, less)                                                                 \
    static inline void name##_sort_by_paths(tw_nd_item item, const struct name##_sort_by *k)                           \
    {                                                                                                                  \
        const size_t pass = k->common.pass, count = tw_internal_count(&k->common), tile = tw_global_id(item, 0);       \
        const size_t first = tile * TW_INTERNAL_MERGE_TILE(type);                                                      \
        if (first >= count)                                                                                            \
            return;                                                                                                    \
        const struct tw_internal_run_pair p = tw_internal_run_pair(&k->sort, pass, first, count);                      \
        const type *const from = name##_from(k, pass);                                                                 \
        ((size_t *)tw_internal_at(k->common.scratch, k->sort.paths))[tile] =                                           \
            name##_quarter_path(from + p.a, p.a_count, from + p.b, p.b_count, first - p.a);                            \
    }                                                                                                                  \
    static inline void name##_sort_by_tiles(tw_nd_item item, const struct name##_sort_by *k)                           \
    {                                                                                                                  \
        enum { TILE = TW_INTERNAL_MERGE_TILE(type), STAGED = sizeof(type) <= TW_INTERNAL_MERGE_MOST_STAGED };          \
        TW_LOCAL(type, staged, [STAGED ? TW_INTERNAL_MERGE_ROOM(type) : 1]);                                           \
        TW_LOCAL(size_t, ends, [2]);                                                                                   \
        const size_t pass = k->common.pass, count = tw_internal_count(&k->common);                                     \
        const size_t first = tw_group_id(item, 0) * TILE, mine = first + tw_local_id(item, 0);                         \
        const type *const from = name##_from(k, pass);                                                                 \
        type *const to = name##_to(k, pass);                                                                           \
        if (first >= count)                                                                                            \
            return;                                                                                                    \
        if (STAGED && pass == 0) {                                                                                     \
            name##_sort_tile(item, staged, from + first, to + first,                                                   \
                             count - first < TILE ? (unsigned)(count - first) : TILE);                                 \
        } else if (STAGED) {                                                                                           \
            const struct tw_internal_run_pair p = tw_internal_run_pair(&k->sort, pass, first, count);                  \
            const size_t *const paths = (const size_t *)tw_internal_at(k->common.scratch, k->sort.paths);              \
            name##_merge_tile(item, staged, ends, k->sort.paths ? paths + tw_group_id(item, 0) : NULL, from + p.a,     \
                              p.a_count, from + p.b, p.b_count, first - p.a, to + first);                              \
        } else if (mine < count) {                                                                                     \
            const struct tw_internal_run_pair p = tw_internal_run_pair(&k->sort, pass, mine, count);                   \
            name##_merge_large(from + p.a, p.a_count, from + p.b, p.b_count, mine - p.a, to + mine);                   \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sort_by_shares, name##_sort_by)

#else

/* One thread sorts elements. `spare` has room for as many as `to`. */
#define TW_INTERNAL_DEFINE_SORT_BY_SHARE(name, type, less)                                                             \
    TW_INTERNAL_ALWAYS_INLINE void name##_insert(const type *in, size_t count, type *to)                               \
    {                                                                                                                  \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            const type x = in[i];                                                                                      \
            size_t at = i;                                                                                             \
            for (; at && (less(x, to[at - 1])); --at)                                                                  \
                to[at] = to[at - 1];                                                                                   \
            to[at] = x;                                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_exchange(const type *in, type *to)                                           \
    {                                                                                                                  \
        type x[TW_INTERNAL_EXCHANGED];                                                                                 \
        for (size_t i = 0; i < TW_INTERNAL_EXCHANGED; ++i)                                                             \
            x[i] = in[i];                                                                                              \
        _Pragma("unroll") for (unsigned round = 0; round < TW_INTERNAL_EXCHANGED; ++round)                             \
            _Pragma("unroll") for (unsigned i = round % 2; i + 1 < TW_INTERNAL_EXCHANGED; i += 2)                      \
        {                                                                                                              \
            const type a = x[i], b = x[i + 1];                                                                         \
            const bool swaps = less(b, a);                                                                             \
            x[i] = swaps ? b : a;                                                                                      \
            x[i + 1] = swaps ? a : b;                                                                                  \
        }                                                                                                              \
        for (size_t i = 0; i < TW_INTERNAL_EXCHANGED; ++i)                                                             \
            to[i] = x[i];                                                                                              \
    }                                                                                                                  \
    static inline void name##_sort_share(const type *in, size_t count, type *to, type *spare)                          \
    {                                                                                                                  \
        size_t run = TW_INTERNAL_EXCHANGED;                                                                            \
        bool is_spare = false;                                                                                         \
        for (; run < count; run *= 2)                                                                                  \
            is_spare = !is_spare;                                                                                      \
        type *from = is_spare ? spare : to, *next = is_spare ? to : spare;                                             \
        size_t first = 0;                                                                                              \
        for (; count - first >= TW_INTERNAL_EXCHANGED; first += TW_INTERNAL_EXCHANGED)                                 \
            name##_exchange(in + first, from + first);                                                                 \
        name##_insert(in + first, count - first, from + first);                                                        \
        for (run = TW_INTERNAL_EXCHANGED; run < count; run *= 2) {                                                     \
            const struct tw_internal_merge_sort runs = {0, 0, run, 0};                                                 \
            for (size_t i = 0; i < count; i += 2 * run) {                                                              \
                const struct tw_internal_run_pair p = tw_internal_run_pair(&runs, 1, i, count);                        \
                name##_merge_part(from + p.a, p.a_count, from + p.b, p.b_count, 0, 0, p.a_count + p.b_count,           \
                                  next + i);                                                                           \
            }                                                                                                          \
            type *const swap = from;                                                                                   \
            from = next;                                                                                               \
            next = swap;                                                                                               \
        }                                                                                                              \
    }

#define TW_INTERNAL_DEFINE_SORT_BY_TILES(name, type, less)                                                             \
    TW_INTERNAL_DEFINE_MERGE(name, type, less)                                                                         \
    TW_INTERNAL_DEFINE_MERGE_CHAINS(name, type, less)                                                                  \
    TW_INTERNAL_DEFINE_SORT_BY_SHARE(name, type, less)                                                                 \
    TW_INTERNAL_NO_GPU_KERNEL(name##_sort_by_tiles, name##_sort_by)                                                    \
    TW_INTERNAL_NO_GPU_KERNEL(name##_sort_by_paths, name##_sort_by)                                                    \
    TW_INTERNAL_NO_GPU_KERNEL(name##_sort_by_ranks, name##_sort_by)                                                    \
    static inline void name##_sort_by_shares(tw_group group, const struct name##_sort_by *k)                           \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t pass = k->common.pass, count = tw_internal_count(&k->common);                                 \
            size_t first = 0;                                                                                          \
            const size_t past = tw_internal_share_of(&k->common, tw_group_id(group, 0), &first);                       \
            const type *const from = name##_from(k, pass);                                                             \
            type *const to = name##_to(k, pass), *const spare = name##_to(k, pass + 1);                                \
            if (pass == 0) {                                                                                           \
                name##_sort_share(from + first, past - first, to + first, spare + first);                              \
            } else if (first < past) {                                                                                 \
                const struct tw_internal_run_pair p = tw_internal_run_pair(&k->sort, pass, first, count);              \
                const type *const a = from + p.a, *const b = from + p.b;                                               \
                name##_merge_part(a, p.a_count, b, p.b_count, name##_path(a, p.a_count, b, p.b_count, first - p.a),    \
                                  first - p.a, past - first, to + first);                                              \
            }                                                                                                          \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_SORT_BY(name, type, less)                                                                          \
    TW_INTERNAL_DEFINE_SORT_BY_BLOCK(name, type)                                                                       \
    TW_INTERNAL_DEFINE_SORT_BY_TILES(name, type, less)                                                                 \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_sort_by) TW_FOR_GPUS name##_sort_by_tiles, TW_INTERNAL_TILE_ITEMS);      \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_sort_by) TW_FOR_GPUS name##_sort_by_paths, TW_INTERNAL_PATHS_ITEMS);     \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_sort_by) TW_FOR_GPUS name##_sort_by_ranks, TW_INTERNAL_TILE_ITEMS);      \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_sort_by) TW_FOR_CPUS name##_sort_by_shares, 1);                        \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count, type *out)  \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_sort_by k;                                                                                       \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.out = out;                                                                                                   \
        tw_internal_plan_sort_by(&plan, device, &k.common, &k.sort, sizeof(type),                                      \
                                 sizeof(type) <= TW_INTERNAL_MERGE_MOST_STAGED ? TW_INTERNAL_MERGE_TILE(type) : 0,     \
                                 TW_KERNEL(name##_sort_by_ranks), TW_KERNEL(name##_sort_by_paths),                     \
                                 device.is_gpu ? TW_KERNEL(name##_sort_by_tiles) : TW_KERNEL(name##_sort_by_shares));  \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, count, sizeof(type));                                                    \
        tw_internal_expect_apart(group, in, count, out, count, sizeof(type));                                          \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

/* `tile` is that of a GPU's first pass; 0 if it has none. */
static inline void tw_internal_plan_sort_by(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                            struct tw_internal_algorithm *block, struct tw_internal_merge_sort *sort,
                                            size_t element_bytes, size_t tile, const tw_kernel *ranks,
                                            const tw_kernel *paths, const tw_kernel *kernel)
{
    const size_t items = device.is_gpu ? TW_INTERNAL_TILE_ITEMS : 1;
    size_t groups;
    tw_internal_begin_plan(plan);
    if (!block->count)
        return;
    if (element_bytes <= TW_INTERNAL_RANKED_BYTES
        && tw_internal_are_ranked(device, block->count, 2 * tw_internal_divide_up(element_bytes, 4))) {
        tw_internal_add_stage(plan, ranks, tw_internal_divide_up(block->count, items), items, 0);
        tw_internal_add_stage(plan, ranks, tw_internal_divide_up(block->count, TW_INTERNAL_RANKED), items, 1);
        return;
    }
    if (device.is_gpu) {
        groups = tw_internal_divide_up(block->count, tile ? tile : TW_INTERNAL_TILE_ITEMS);
        sort->run = tile ? tile : 1;
    } else {
        groups = tw_internal_shares(block, device.units, 1 + tw_internal_levels(device.units),
                                    TW_INTERNAL_COST_OF_SORT + element_bytes);
        sort->run = block->share;
    }
    sort->passes = tw_internal_levels(tw_internal_divide_up(block->count, sort->run));
    if (device.is_gpu && !tile)
        sort->first = sort->passes ? 1 : ++sort->passes;
    if (sort->passes || !device.is_gpu)
        plan->scratch_bytes = block->count * element_bytes;
    sort->paths = 0;
    for (size_t pass = sort->first; pass <= sort->passes; ++pass) {
        if (pass && device.is_gpu && tile && tw_internal_add_paths(plan, paths, groups, pass) && !sort->paths) {
            sort->paths = tw_internal_round_up(plan->scratch_bytes);
            plan->scratch_bytes = sort->paths + groups * sizeof(size_t);
        }
        tw_internal_add_stage(plan, kernel, groups, items, pass);
    }
}

#endif
