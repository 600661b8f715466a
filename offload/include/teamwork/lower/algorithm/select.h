/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_SELECT() and its like (<teamwork/algorithms.h>): what is kept goes to the front of another array. On a
 * GPU one launch reads each element once: a tile collects what it keeps in local memory, and learns from the tiles
 * before it where that goes. On a CPU a first launch counts.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SELECT_H
#define TEAMWORK_LOWER_ALGORITHM_SELECT_H

#include <teamwork/lower/algorithm/scan.h>

/* Whether element i, which is x, is kept: what a definition chooses from. */
#define TW_INTERNAL_KEEP_IF(k, i, x, predicate) (predicate(x))
#define TW_INTERNAL_KEEP_FLAGGED(k, i, x, none) ((void)(x), (k)->flags[i] != 0)
#define TW_INTERNAL_KEEP_FIRST(k, i, x, equal) ((i) == 0 || !(equal((k)->in[(i) - !!(i)], x)))

/* Rows of a work-item, and elements of a tile. The kept elements of a row, which are at most 64 vectors of a sub-group,
   are counted in 9 bits where a vector has up to 4: so there may be 7 rows; else in 16. */
#define TW_INTERNAL_SELECT_ROWS(type)                                                                                  \
    (TW_INTERNAL_ROWS(type) == 4 && TW_INTERNAL_VECTOR(type) <= 4 ? 7 : TW_INTERNAL_ROWS(type))
#define TW_INTERNAL_SELECT_TILE(type)                                                                                  \
    (TW_INTERNAL_TILE_ITEMS * TW_INTERNAL_VECTOR(type) * TW_INTERNAL_SELECT_ROWS(type))

#if TW_ON_GPU

#define TW_INTERNAL_ADD_COUNTS(a, b) ((a) + (b))
TW_INTERNAL_DEFINE_SCAN_LANES(tw_internal_counts, unsigned long long, TW_INTERNAL_ADD_COUNTS)
TW_INTERNAL_DEFINE_TELL(tw_internal_counts, unsigned long long)
TW_INTERNAL_DEFINE_LOOK_BACK(tw_internal_counts, unsigned long long, TW_INTERNAL_ADD_COUNTS)

#define TW_INTERNAL_DEFINE_SELECT_TILES(name, type, KEEP, function, splits)                                            \
    static inline void name##_select_tiles(tw_nd_item item, const struct name##_select *k)                             \
    {                                                                                                                  \
        enum {                                                                                                         \
            VECTOR = TW_INTERNAL_VECTOR(type),                                                                         \
            ROWS = TW_INTERNAL_SELECT_ROWS(type),                                                                      \
            TILE = TW_INTERNAL_SELECT_TILE(type),                                                                      \
            BITS = ROWS > 4 ? 9 : 16,                                                                                  \
            STAGED = sizeof(type) <= 96                                                                                \
        };                                                                                                             \
        TW_LOCAL(type, kept, [STAGED ? TILE : 1]);                                                                     \
        TW_LOCAL(unsigned, counts, [TW_INTERNAL_TILE_ITEMS / 32]);                                                     \
        TW_LOCAL(unsigned long long, told, [1]);                                                                       \
        TW_INTERNAL_TAKE_TILE(item, k->common.scratch);                                                                \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_, me = (unsigned)tw_local_id(item, 0);      \
        const size_t count = tw_internal_count(&k->common), first = tile * TILE;                                       \
        if (first >= count) {                                                                                          \
            if (tile == 0 && me == 0)                                                                                  \
                *k->selected = 0;                                                                                      \
            return;                                                                                                    \
        }                                                                                                              \
        const unsigned valid = count - first < TILE ? (unsigned)(count - first) : TILE;                                \
        const bool fast = valid == TILE && tw_internal_is_aligned(k->in);                                              \
        const unsigned start = (sub_group.tw_id_ * ROWS * lanes + lane) * VECTOR, stride = lanes * VECTOR;             \
        type x[ROWS][VECTOR];                                                                                          \
        unsigned flags[ROWS];                                                                                          \
        unsigned long long packed = 0;                                                                                 \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r)                                                          \
        {                                                                                                              \
            if (fast)                                                                                                  \
                TW_INTERNAL_LOAD_ROW(x[r], k->in + first + start + r * stride, type);                                  \
            else                                                                                                       \
                _Pragma("unroll") for (unsigned j = 0; j < VECTOR; ++j) x[r][j] =                                      \
                    k->in[first + (start + r * stride + j < valid ? start + r * stride + j : 0)];                      \
        }                                                                                                              \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r)                                                          \
        {                                                                                                              \
            flags[r] = 0;                                                                                              \
            _Pragma("unroll") for (unsigned j = 0; j < VECTOR; ++j)                                                    \
            {                                                                                                          \
                const unsigned at = start + r * stride + j;                                                            \
                const type value = x[r][j];                                                                            \
                if (at < valid && KEEP(k, first + at, value, function))                                                \
                    flags[r] |= 1u << j;                                                                               \
            }                                                                                                          \
            packed |= (unsigned long long)(unsigned)__builtin_popcount(flags[r]) << BITS * r;                          \
        }                                                                                                              \
        const unsigned long long up_to = tw_internal_counts_scan_lanes(sub_group, packed);                             \
        unsigned long long all;                                                                                        \
        tw_internal_shuffle_value(sub_group, &all, &up_to, sizeof all, TW_INTERNAL_FROM, lanes - 1);                   \
        const unsigned most = (1u << BITS) - 1;                                                                        \
        unsigned mine = 0;                                                                                             \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r) mine += (unsigned)(all >> BITS * r) & most;              \
        if (lane == 0)                                                                                                 \
            counts[sub_group.tw_id_] = mine;                                                                           \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        unsigned before = 0, kept_here = 0; /* elements of the tile: in sub-groups before this one, and all */         \
        for (unsigned i = 0; i < sub_group.tw_count_; ++i) {                                                           \
            before += i < sub_group.tw_id_ ? counts[i] : 0;                                                            \
            kept_here += counts[i];                                                                                    \
        }                                                                                                              \
        if (sub_group.tw_id_ == 0) { /* asks while the others stage */                                                 \
            unsigned long long *states =                                                                               \
                (unsigned long long *)(void *)((char *)k->common.scratch + TW_INTERNAL_SCAN_HEAD);                     \
            const unsigned long long found = tw_internal_counts_take_turn(                                             \
                sub_group, states, tw_internal_divide_up(k->common.count, TILE), tile, kept_here, false, 0);           \
            if (me == 0)                                                                                               \
                told[0] = found;                                                                                       \
        }                                                                                                              \
        unsigned to[ROWS];                                                                                             \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r)                                                          \
        {                                                                                                              \
            to[r] = before + ((unsigned)((up_to - packed) >> BITS * r) & most);                                        \
            before += (unsigned)(all >> BITS * r) & most;                                                              \
            if (STAGED) {                                                                                              \
                unsigned place = to[r];                                                                                \
                _Pragma("unroll") for (unsigned j = 0; j < VECTOR; ++j)                                                \
                {                                                                                                      \
                    const unsigned at = start + r * stride + j;                                                        \
                    const bool keeps = flags[r] >> j & 1;                                                              \
                    if (keeps)                                                                                         \
                        kept[place] = x[r][j];                                                                         \
                    else if (splits && at < valid)                                                                     \
                        kept[kept_here + at - place] = x[r][j];                                                        \
                    place += keeps;                                                                                    \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        const unsigned long long place = told[0]; /* kept elements of all tiles before */                              \
        type *const out = k->out + place, *const rest = k->out + (count - 1 - (first - place));                        \
        if (STAGED) {                                                                                                  \
            for (unsigned i = me; i < kept_here; i += TW_INTERNAL_TILE_ITEMS)                                          \
                out[i] = kept[i];                                                                                      \
            for (unsigned i = me; splits && i < valid - kept_here; i += TW_INTERNAL_TILE_ITEMS)                        \
                *(rest - i) = kept[kept_here + i];                                                                     \
        } else {                                                                                                       \
            _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r)                                                      \
                _Pragma("unroll") for (unsigned j = 0; j < VECTOR; ++j)                                                \
            {                                                                                                          \
                const unsigned at = start + r * stride + j;                                                            \
                const bool keeps = flags[r] >> j & 1;                                                                  \
                if (keeps)                                                                                             \
                    out[to[r]] = x[r][j];                                                                              \
                else if (splits && at < valid)                                                                         \
                    *(rest - (at - to[r])) = x[r][j];                                                                  \
                to[r] += keeps;                                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        if (me == 0 && count - first <= TILE)                                                                          \
            *k->selected = place + kept_here;                                                                          \
    }
#define TW_INTERNAL_DEFINE_SELECT_SHARES(name, type, KEEP, function, splits)                                           \
    TW_INTERNAL_NO_CPU_KERNEL(name##_select_counts, name##_select)                                                     \
    TW_INTERNAL_NO_CPU_KERNEL(name##_select_shares, name##_select)

#else

#define TW_INTERNAL_DEFINE_SELECT_TILES(name, type, KEEP, function, splits)                                            \
    TW_INTERNAL_NO_GPU_KERNEL(name##_select_tiles, name##_select)

/* A processor guesses wrong whether it keeps an element, if that is by chance. So small elements are all copied, those that
   are not kept by the next one again, and some at a time go to the result. */
enum { TW_INTERNAL_SELECT_BY_COPY = 32, TW_INTERNAL_SELECTED_AT_ONCE = 128 };

#define TW_INTERNAL_DEFINE_SELECT_SHARES(name, type, KEEP, function, splits)                                           \
    static inline void name##_select_counts(tw_group group, const struct name##_select *k)                             \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t me = tw_group_id(group, 0);                                                                   \
            size_t i = 0, kept = 0;                                                                                    \
            const size_t past = tw_internal_share_of(&k->common, me, &i);                                              \
            for (; i < past; ++i) {                                                                                    \
                const type x = k->in[i];                                                                               \
                kept += KEEP(k, i, x, function) ? 1 : 0;                                                               \
            }                                                                                                          \
            ((size_t *)k->common.scratch)[me] = kept;                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_select_shares(tw_group group, const struct name##_select *k)                             \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t me = tw_group_id(group, 0), count = tw_internal_count(&k->common);                            \
            size_t i = 0, to = 0;                                                                                      \
            const size_t past = tw_internal_share_of(&k->common, me, &i);                                              \
            for (size_t s = 0; s < me; ++s)                                                                            \
                to += ((const size_t *)k->common.scratch)[s];                                                          \
            for (; sizeof(type) > TW_INTERNAL_SELECT_BY_COPY && i < past; ++i) {                                       \
                const type x = k->in[i];                                                                               \
                if (KEEP(k, i, x, function))                                                                           \
                    k->out[to++] = x;                                                                                  \
                else if (splits)                                                                                       \
                    k->out[count - 1 - (i - to)] = x;                                                                  \
            }                                                                                                          \
            while (sizeof(type) <= TW_INTERNAL_SELECT_BY_COPY && i < past) {                                           \
                enum { ROOM = sizeof(type) <= TW_INTERNAL_SELECT_BY_COPY ? TW_INTERNAL_SELECTED_AT_ONCE : 1 };         \
                type kept[ROOM], left[(splits) ? ROOM : 1];                                                            \
                const size_t rest = past - i,                                                                          \
                             n = rest < TW_INTERNAL_SELECTED_AT_ONCE ? rest : TW_INTERNAL_SELECTED_AT_ONCE;            \
                size_t keeps = 0;                                                                                      \
                for (size_t j = 0; j < n; ++j) {                                                                       \
                    const type x = k->in[i + j];                                                                       \
                    kept[keeps] = x;                                                                                   \
                    if (splits)                                                                                        \
                        left[j - keeps] = x;                                                                           \
                    keeps += KEEP(k, i + j, x, function) ? 1 : 0;                                                      \
                }                                                                                                      \
                for (size_t j = 0; (splits) && j < n - keeps; ++j)                                                     \
                    k->out[count - 1 - (i - to) - j] = left[j];                                                        \
                for (size_t j = 0; j < keeps; ++j)                                                                     \
                    k->out[to + j] = kept[j];                                                                          \
                i += n;                                                                                                \
                to += keeps;                                                                                           \
            }                                                                                                          \
            if (past == count && (me == 0 || me * k->common.share < count))                                            \
                *k->selected = to; /* it has the last element, or there is none */                                     \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_DEFINE_SELECT(name, type, KEEP, function, splits)                                                  \
    struct name##_select {                                                                                             \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        const unsigned char *flags;                                                                                    \
        type *out;                                                                                                     \
        size_t *selected;                                                                                              \
    };                                                                                                                 \
    TW_INTERNAL_DEFINE_SELECT_TILES(name, type, KEEP, function, splits)                                                \
    TW_INTERNAL_DEFINE_SELECT_SHARES(name, type, KEEP, function, splits)                                               \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_select) TW_FOR_GPUS name##_select_tiles, TW_INTERNAL_TILE_ITEMS);        \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_select) TW_FOR_CPUS name##_select_counts, 1);                          \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_select) TW_FOR_CPUS name##_select_shares, 1);                          \
    static inline __attribute__((unused)) void name##_record(tw_command_group *group, const type *in,                  \
                                                             const unsigned char *flags, size_t count, type *out,      \
                                                             size_t *selected)                                         \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_select k;                                                                                        \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.flags = flags;                                                                                               \
        k.out = out;                                                                                                   \
        k.selected = selected;                                                                                         \
        tw_internal_plan_select(&plan, device, &k.common, sizeof(type), TW_INTERNAL_SELECT_TILE(type),                 \
                                TW_KERNEL(name##_select_counts),                                                       \
                                device.is_gpu ? TW_KERNEL(name##_select_tiles) : TW_KERNEL(name##_select_shares));     \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, splits ? count : 0, sizeof(type));                                       \
        tw_internal_expect(group, "selected", selected, 1, sizeof(size_t));                                            \
        tw_internal_expect_apart(group, in, count, out, count ? splits ? count : 1 : 0, sizeof(type));                 \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

/* Without flags. */
#define TW_INTERNAL_SELECTION(name, type, KEEP, function, splits)                                                      \
    TW_INTERNAL_DEFINE_SELECT(name, type, KEEP, function, splits)                                                      \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count, type *out,  \
                                                    size_t *selected)                                                  \
    {                                                                                                                  \
        name##_record(group, in, (const unsigned char *)TW_INTERNAL_NULL, count, out, selected);                       \
    }

#define TW_INTERNAL_SELECTION_FLAGGED(name, type)                                                                      \
    TW_INTERNAL_DEFINE_SELECT(name, type, TW_INTERNAL_KEEP_FLAGGED, none, 0)                                           \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in,                           \
                                                    const unsigned char *flags, size_t count, type *out,               \
                                                    size_t *selected)                                                  \
    {                                                                                                                  \
        tw_internal_expect(group, "flags", flags, count, 1);                                                           \
        name##_record(group, in, flags, count, out, selected);                                                         \
    }

static inline void tw_internal_plan_select(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                           struct tw_internal_algorithm *block, size_t element_bytes, size_t tile,
                                           const tw_kernel *counts, const tw_kernel *kernel)
{
    tw_internal_begin_plan(plan);
    if (device.is_gpu) {
        const size_t tiles = block->count ? tw_internal_divide_up(block->count, tile) : 1;
        if (tiles > 1)
            plan->cleared_bytes = plan->scratch_bytes = TW_INTERNAL_SCAN_HEAD + 16 * tiles;
        tw_internal_add_stage(plan, kernel, tiles, TW_INTERNAL_TILE_ITEMS, 0);
        return;
    }
    const size_t groups = tw_internal_shares(block, device.units, 2, TW_INTERNAL_COST_OF_SELECTION + element_bytes);
    if (groups > 1) {
        plan->scratch_bytes = groups * sizeof(size_t);
        tw_internal_add_stage(plan, counts, groups, 1, 0);
    }
    tw_internal_add_stage(plan, kernel, groups, 1, 0);
}

#endif
