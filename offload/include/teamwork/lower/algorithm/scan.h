/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_SCAN() (<teamwork/algorithms.h>). On a GPU one launch reads and writes each element once: a tile waits
 * for what the tiles before it have together (tile.h). On a CPU a second launch reads the elements again.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SCAN_H
#define TEAMWORK_LOWER_ALGORITHM_SCAN_H

#include <teamwork/lower/algorithm/scan_vectors.h>

enum { TW_INTERNAL_SCAN_HEAD = 16 }; /* bytes of temporary memory before those of tiles: the counter of tiles */

/* Of a CPU: what a thread reads for the second time comes from its cache, where it has so many bytes. More blocks than so
   many have larger shares. */
enum { TW_INTERNAL_CACHED_BYTES = 256 << 10, TW_INTERNAL_MOST_BLOCKS = 64 };

#if TW_ON_GPU

/* x of all work-items of a sub-group up to this one. */
#define TW_INTERNAL_DEFINE_SCAN_LANES(name, type, operation)                                                           \
    TW_INTERNAL_ALWAYS_INLINE type name##_scan_lanes(tw_sub_group sub_group, type x)                                   \
    {                                                                                                                  \
        for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2) {                                              \
            type other;                                                                                                \
            tw_internal_shuffle_value(sub_group, &other, &x, sizeof x, TW_INTERNAL_BEFORE, delta);                     \
            if (sub_group.tw_lane_ >= delta)                                                                           \
                x = operation(other, x);                                                                               \
        }                                                                                                              \
        return x;                                                                                                      \
    }

/* How a tile tells a value in words, and is asked for it. */
#define TW_INTERNAL_DEFINE_TELL(name, type)                                                                            \
    TW_INTERNAL_ALWAYS_INLINE void name##_tell(unsigned long long *tiles, size_t stride, size_t tile, const type *x,   \
                                               unsigned kind)                                                          \
    {                                                                                                                  \
        tw_internal_tell(tiles, stride, tile, x, sizeof *x, kind);                                                     \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_ask(const unsigned long long *tiles, size_t stride, size_t tile,         \
                                                  type *x)                                                             \
    {                                                                                                                  \
        return tw_internal_ask(tiles, stride, tile, x, sizeof *x);                                                     \
    }

/* What all tiles before `tile` have together: the work-items of a sub-group ask a tile each, until one has it. */
#define TW_INTERNAL_DEFINE_LOOK_BACK(name, type, operation)                                                            \
    TW_INTERNAL_ALWAYS_INLINE type name##_look_back(tw_sub_group sub_group, const unsigned long long *tiles,           \
                                                    size_t stride, size_t tile)                                        \
    {                                                                                                                  \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_;                                           \
        bool has = false;                                                                                              \
        if (tile >= TW_INTERNAL_FIRST_TILES)                                                                           \
            tw_internal_pause(TW_INTERNAL_FIRST_PAUSE);                                                                \
        type before;                                                                                                   \
        for (size_t past = tile;; past -= lanes) {                                                                     \
            type x;                                                                                                    \
            unsigned kind;                                                                                             \
            unsigned long long missing, whole; /* tiles that have not told, or all that is before them, too */         \
            for (;; tw_internal_pause(TW_INTERNAL_PAUSE)) {                                                            \
                kind = name##_ask(tiles, stride, past > lane ? past - 1 - lane : 0, &x);                               \
                missing = tw_group_ballot(sub_group, !kind);                                                           \
                whole = tw_group_ballot(sub_group, kind == TW_INTERNAL_TILE_WHOLE);                                    \
                if (!(missing & ((whole & (0 - whole)) - 1)))                                                          \
                    break;                                                                                             \
            }                                                                                                          \
            const unsigned last = whole ? (unsigned)__builtin_ctzll(whole) : lanes - 1;                                \
            for (unsigned delta = 1; delta < lanes; delta *= 2) {                                                      \
                type other;                                                                                            \
                tw_internal_shuffle_value(sub_group, &other, &x, sizeof x, TW_INTERNAL_AFTER, delta);                  \
                if (lane + delta <= last)                                                                              \
                    x = operation(other, x);                                                                           \
            }                                                                                                          \
            tw_internal_shuffle_value(sub_group, &x, &x, sizeof x, TW_INTERNAL_FROM, 0);                               \
            if (has)                                                                                                   \
                before = operation(x, before);                                                                         \
            else                                                                                                       \
                before = x;                                                                                            \
            has = true;                                                                                                \
            if (whole)                                                                                                 \
                return before;                                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    /* The same for a tile that has `all` itself, and tells those behind it. Before tile 0 is `init`, or nothing. */   \
    TW_INTERNAL_ALWAYS_INLINE type name##_take_turn(tw_sub_group sub_group, unsigned long long *tiles, size_t stride,  \
                                                    size_t tile, type all, bool has_init, type init)                   \
    {                                                                                                                  \
        const bool tells = sub_group.tw_lane_ == 0 && tile + 1 < stride;                                               \
        type before = init;                                                                                            \
        if (tile) {                                                                                                    \
            if (tells)                                                                                                 \
                name##_tell(tiles, stride, tile, &all, TW_INTERNAL_TILE_ALONE);                                        \
            before = name##_look_back(sub_group, tiles, stride, tile);                                                 \
        }                                                                                                              \
        if (tile || has_init)                                                                                          \
            all = operation(before, all);                                                                              \
        if (tells)                                                                                                     \
            name##_tell(tiles, stride, tile, &all, TW_INTERNAL_TILE_WHOLE);                                            \
        return before;                                                                                                 \
    }

/* Where vector `vector` of the elements of a sub-group is in local memory: those of a work-item, `rows` one after the
   other, begin elsewhere for each work-item, or for each few that fill the 128 bytes of all banks, so that work-items do
   not meet in a bank. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_place_of_vector(unsigned vector, unsigned rows, unsigned vector_bytes)
{
    const unsigned owner = vector / rows, owners = 128 / (rows * vector_bytes);
    return owner * rows + (vector + (owners > 1 ? owner / owners : owner)) % rows;
}

/* Elements of a tile go through local memory: memory is read and written in rows of the sub-group, and each work-item
   scans elements that are one behind the other. */
#define TW_INTERNAL_DEFINE_SCAN_TILES(name, type, operation)                                                           \
    TW_INTERNAL_DEFINE_SCAN_LANES(name, type, operation)                                                               \
    TW_INTERNAL_DEFINE_TELL(name, type)                                                                                \
    TW_INTERNAL_DEFINE_LOOK_BACK(name, type, operation)                                                                \
    static inline void name##_scan_tiles(tw_nd_item item, const struct name##_scan *k)                                 \
    {                                                                                                                  \
        enum {                                                                                                         \
            VECTOR = TW_INTERNAL_VECTOR(type),                                                                         \
            ROWS = TW_INTERNAL_LONG_ROWS(type),                                                                        \
            TILE = TW_INTERNAL_LONG_TILE(type),                                                                        \
            MINE = VECTOR * ROWS,                                                                                      \
            STAGED = MINE > 1,                                                                                         \
            BEFORE = TW_INTERNAL_TILE_ITEMS / 32                                                                       \
        };                                                                                                             \
        union vectors {                                                                                                \
            tw_internal_vector align[1];                                                                               \
            type x[STAGED ? TILE : 1];                                                                                 \
        };                                                                                                             \
        TW_LOCAL(type, parts, [BEFORE + 1]);                                                                           \
        TW_LOCAL(union vectors, staged);                                                                               \
        TW_INTERNAL_TAKE_TILE(item, k->common.scratch);                                                                \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const unsigned lane = sub_group.tw_lane_, lanes = sub_group.tw_max_, warp = sub_group.tw_id_;                  \
        const size_t count = tw_internal_count(&k->common), first = tile * TILE;                                       \
        if (first >= count)                                                                                            \
            return;                                                                                                    \
        const bool fast = count - first >= TILE && tw_internal_is_aligned(k->in) && tw_internal_is_aligned(k->out);    \
        const size_t start = first + warp * MINE * lanes;                                                              \
        type *const local = staged.x + (STAGED ? warp * MINE * lanes : 0);                                             \
        type x[ROWS][VECTOR], before;                                                                                  \
        if (!STAGED)                                                                                                   \
            x[0][0] = k->in[start + lane < count ? start + lane : first];                                              \
        else if (fast)                                                                                                 \
            _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r) TW_INTERNAL_COPY_ROW(                                \
                local + tw_internal_place_of_vector(r * lanes + lane, ROWS, TW_INTERNAL_ROW_BYTES(type)) * VECTOR,     \
                k->in + start + (r * lanes + lane) * VECTOR, type);                                                    \
        else                                                                                                           \
            for (unsigned i = lane; i < MINE * lanes; i += lanes)                                                      \
                local[tw_internal_place_of_vector(i / VECTOR, ROWS, TW_INTERNAL_ROW_BYTES(type)) * VECTOR              \
                      + i % VECTOR] = k->in[start + i < count ? start + i : first];                                    \
        tw_group_barrier(sub_group);                                                                                   \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r)                                                          \
        {                                                                                                              \
            if (STAGED)                                                                                                \
                TW_INTERNAL_LOAD_ROW(                                                                                  \
                    x[r],                                                                                              \
                    local + tw_internal_place_of_vector(lane * ROWS + r, ROWS, TW_INTERNAL_ROW_BYTES(type)) * VECTOR,  \
                    type);                                                                                             \
            if (r)                                                                                                     \
                x[r][0] = operation(x[r ? r - 1 : 0][VECTOR - 1], x[r][0]);                                            \
            _Pragma("unroll") for (unsigned j = 1; j < VECTOR; ++j) x[r][j] = operation(x[r][j - 1], x[r][j]);         \
        }                                                                                                              \
        const type up_to = name##_scan_lanes(sub_group, x[ROWS - 1][VECTOR - 1]);                                      \
        if (lane == lanes - 1)                                                                                         \
            parts[warp] = up_to;                                                                                       \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        const bool exclusive = k->exclusive;                                                                           \
        if (warp == 0) {                                                                                               \
            type all = parts[0];                                                                                       \
            for (unsigned i = 1; i < sub_group.tw_count_; ++i)                                                         \
                all = operation(all, parts[i]);                                                                        \
            unsigned long long *tiles =                                                                                \
                (unsigned long long *)(void *)((char *)k->common.scratch + TW_INTERNAL_SCAN_HEAD);                     \
            before = name##_take_turn(sub_group, tiles, tw_internal_divide_up(k->common.count, TILE), tile, all,       \
                                      exclusive, k->init);                                                             \
            if (lane == 0)                                                                                             \
                parts[BEFORE] = before;                                                                                \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        bool has = tile || exclusive;                                                                                  \
        before = parts[has ? BEFORE : 0];                                                                              \
        for (unsigned i = 0; i < warp; ++i) {                                                                          \
            const type part = parts[i];                                                                                \
            TW_INTERNAL_APPEND(has, before, operation, part);                                                          \
            has = true;                                                                                                \
        }                                                                                                              \
        type left;                                                                                                     \
        tw_internal_shuffle_value(sub_group, &left, &up_to, sizeof left, TW_INTERNAL_BEFORE, 1);                       \
        if (lane)                                                                                                      \
            TW_INTERNAL_APPEND(has, before, operation, left);                                                          \
        has = has || lane;                                                                                             \
        const unsigned again = (unsigned)tw_internal_opaque(lane); /* places do not stay in registers until here */    \
        if (exclusive) {                                                                                               \
            _Pragma("unroll") for (unsigned i = MINE - 1; i > 0; --i) x[i / VECTOR][i % VECTOR] =                      \
                operation(before, x[(i - 1) / VECTOR][(i - 1) % VECTOR]);                                              \
            x[0][0] = before;                                                                                          \
        } else if (has) {                                                                                              \
            _Pragma("unroll") for (unsigned i = 0; i < MINE; ++i) x[i / VECTOR][i % VECTOR] =                          \
                operation(before, x[i / VECTOR][i % VECTOR]);                                                          \
        }                                                                                                              \
        if (!STAGED) {                                                                                                 \
            if (start + again < count)                                                                                 \
                k->out[start + again] = x[0][0];                                                                       \
            return;                                                                                                    \
        }                                                                                                              \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r) TW_INTERNAL_STORE_ROW(                                   \
            local + tw_internal_place_of_vector(again * ROWS + r, ROWS, TW_INTERNAL_ROW_BYTES(type)) * VECTOR, x[r],   \
            type);                                                                                                     \
        tw_group_barrier(sub_group);                                                                                   \
        if (fast)                                                                                                      \
            _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r) TW_INTERNAL_COPY_ROW(                                \
                k->out + start + (r * lanes + again) * VECTOR,                                                         \
                local + tw_internal_place_of_vector(r * lanes + again, ROWS, TW_INTERNAL_ROW_BYTES(type)) * VECTOR,    \
                type);                                                                                                 \
        else                                                                                                           \
            for (unsigned i = again; i < MINE * lanes && start + i < count; i += lanes)                                \
                k->out[start + i] =                                                                                    \
                    local[tw_internal_place_of_vector(i / VECTOR, ROWS, TW_INTERNAL_ROW_BYTES(type)) * VECTOR          \
                          + i % VECTOR];                                                                               \
    }
#define TW_INTERNAL_DEFINE_SCAN_SHARES(name, type, operation)                                                          \
    TW_INTERNAL_NO_CPU_KERNEL(name##_scan_sums, name##_scan)                                                           \
    TW_INTERNAL_NO_CPU_KERNEL(name##_scan_shares, name##_scan)

#else

#define TW_INTERNAL_DEFINE_SCAN_TILES(name, type, operation) TW_INTERNAL_NO_GPU_KERNEL(name##_scan_tiles, name##_scan)

enum { TW_INTERNAL_SCANNED_AT_ONCE = 4, TW_INTERNAL_SCANNED_BYTES = 32 }; /* elements; of one of them, at most */

/* On a CPU shares are of a block of elements, so that they are still in the cache when they are read again: one launch scans
   a block, and sums up the shares of the next one. */

/* Scans elements from `in` on, as long as there are several at a time and more behind them: by themselves first, so that
   what is before them is combined once for each of them, and not in a chain. Returns how many. */
#define TW_INTERNAL_DEFINE_SCAN_SOME(name, type, operation)                                                            \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_scan_some(const type *in, size_t count, bool exclusive, type *before,      \
                                                      type *out)                                                       \
    {                                                                                                                  \
        type x = *before;                                                                                              \
        size_t i = TW_INTERNAL_SCAN_OF(operation)(in, count, exclusive, &x, out);                                      \
        for (; count - i > TW_INTERNAL_SCANNED_AT_ONCE; i += TW_INTERNAL_SCANNED_AT_ONCE) {                            \
            const type a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];                                         \
            const type ab = operation(a, b), cd = operation(c, d), abc = operation(ab, c), all = operation(ab, cd);    \
            const type xa = operation(x, a), xab = operation(x, ab), xabc = operation(x, abc);                         \
            if (exclusive)                                                                                             \
                out[i] = x;                                                                                            \
            out[i + exclusive] = xa;                                                                                   \
            out[i + 1 + exclusive] = xab;                                                                              \
            out[i + 2 + exclusive] = xabc;                                                                             \
            x = operation(x, all);                                                                                     \
            if (!exclusive)                                                                                            \
                out[i + 3] = x;                                                                                        \
        }                                                                                                              \
        *before = x;                                                                                                   \
        return i;                                                                                                      \
    }

#define TW_INTERNAL_DEFINE_SCAN_SHARES(name, type, operation)                                                          \
    TW_INTERNAL_DEFINE_FOLD(name, type, operation)                                                                     \
    TW_INTERNAL_DEFINE_SCAN_SOME(name, type, operation)                                                                \
    TW_INTERNAL_ALWAYS_INLINE void name##_sum_share(const struct name##_scan *k, size_t share)                         \
    {                                                                                                                  \
        size_t first = 0;                                                                                              \
        const size_t past = tw_internal_share_of(&k->common, share, &first);                                           \
        if (first < past)                                                                                              \
            ((type *)k->common.scratch)[share] = name##_fold(k->in + first, past - first);                             \
    }                                                                                                                  \
    static inline void name##_scan_sums(tw_group group, const struct name##_scan *k)                                   \
    {                                                                                                                  \
        TW_ONCE(group)                                                                                                 \
            name##_sum_share(k, tw_group_id(group, 0));                                                                \
    }                                                                                                                  \
    static inline void name##_scan_shares(tw_group group, const struct name##_scan *k)                                 \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct name##_scan own = *k; /* in registers, whatever is stored */                                  \
            type *const sums = (type *)own.common.scratch;                                                             \
            const size_t groups = tw_group_range(group, 0), block = own.common.pass * groups,                          \
                         me = block + tw_group_id(group, 0);                                                           \
            const bool exclusive = own.exclusive,                                                                      \
                       carries = me + 1 == block + groups && own.common.pass + 1 < own.blocks;                         \
            bool has = exclusive;                                                                                      \
            type before = own.init;                                                                                    \
            size_t i = 0;                                                                                              \
            const size_t past = tw_internal_share_of(&own.common, me, &i);                                             \
            if (block && i < past) {                                                                                   \
                before = sums[block - 1];                                                                              \
                has = true;                                                                                            \
            }                                                                                                          \
            for (size_t s = block; s < me && i < past; ++s) {                                                          \
                TW_INTERNAL_APPEND(has, before, operation, sums[s]);                                                   \
                has = true;                                                                                            \
            }                                                                                                          \
            if (!has && i < past) {                                                                                    \
                before = own.in[i];                                                                                    \
                own.out[i++] = before;                                                                                 \
            }                                                                                                          \
            if (sizeof(type) <= TW_INTERNAL_SCANNED_BYTES && exclusive)                                                \
                i += name##_scan_some(own.in + i, past - i, true, &before, own.out + i);                               \
            else if (sizeof(type) <= TW_INTERNAL_SCANNED_BYTES)                                                        \
                i += name##_scan_some(own.in + i, past - i, false, &before, own.out + i);                              \
            for (; exclusive && i < past; ++i) {                                                                       \
                const type x = own.in[i];                                                                              \
                own.out[i] = before;                                                                                   \
                if (carries || i + 1 < past)                                                                           \
                    before = operation(before, x);                                                                     \
            }                                                                                                          \
            for (; i < past; ++i) {                                                                                    \
                before = operation(before, own.in[i]);                                                                 \
                own.out[i] = before;                                                                                   \
            }                                                                                                          \
            if (carries)                                                                                               \
                sums[me] = before; /* what is before the next block */                                                 \
            if (own.common.pass + 1 < own.blocks)                                                                      \
                name##_sum_share(&own, me + groups);                                                                   \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_SCAN(name, type, operation)                                                                        \
    struct name##_scan {                                                                                               \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
        type init;                                                                                                     \
        size_t blocks; /* of a CPU */                                                                                  \
        bool exclusive;                                                                                                \
    };                                                                                                                 \
    TW_INTERNAL_DEFINE_SCAN_TILES(name, type, operation)                                                               \
    TW_INTERNAL_DEFINE_SCAN_SHARES(name, type, operation)                                                              \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_scan) TW_FOR_GPUS name##_scan_tiles, TW_INTERNAL_TILE_ITEMS);            \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_scan) TW_FOR_CPUS name##_scan_sums, 1);                                \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_scan) TW_FOR_CPUS name##_scan_shares, 1);                              \
    static inline __attribute__((unused)) struct name##_scan name##_block(const type *in, size_t count, type *out)     \
    {                                                                                                                  \
        struct name##_scan k;                                                                                          \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.out = out;                                                                                                   \
        return k;                                                                                                      \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_record(tw_command_group *group, struct name##_scan *k)           \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        tw_internal_plan_scan(&plan, device, &k->common, &k->blocks, sizeof(type), TW_INTERNAL_LONG_TILE(type),        \
                              TW_KERNEL(name##_scan_sums),                                                             \
                              device.is_gpu ? TW_KERNEL(name##_scan_tiles) : TW_KERNEL(name##_scan_shares));           \
        tw_internal_expect(group, "in", k->in, k->common.count, sizeof(type));                                         \
        tw_internal_expect(group, "out", k->out, k->common.count, sizeof(type));                                       \
        tw_internal_algorithm_run(group, &plan, &k->common, sizeof *k);                                                \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_inclusive(tw_command_group *group, const type *in, size_t count, \
                                                                type *out)                                             \
    {                                                                                                                  \
        struct name##_scan k = name##_block(in, count, out);                                                           \
        name##_record(group, &k);                                                                                      \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_exclusive(tw_command_group *group, const type *in, size_t count, \
                                                                type init, type *out)                                  \
    {                                                                                                                  \
        struct name##_scan k = name##_block(in, count, out);                                                           \
        k.init = init;                                                                                                 \
        k.exclusive = true;                                                                                            \
        name##_record(group, &k);                                                                                      \
    }

static inline void tw_internal_plan_scan(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                         struct tw_internal_algorithm *block, size_t *blocks, size_t element_bytes,
                                         size_t tile, const tw_kernel *sums, const tw_kernel *kernel)
{
    tw_internal_begin_plan(plan);
    if (!block->count)
        return;
    if (device.is_gpu) {
        const size_t tiles = tw_internal_divide_up(block->count, tile);
        if (tiles > 1)
            plan->cleared_bytes = plan->scratch_bytes = TW_INTERNAL_SCAN_HEAD + (element_bytes + 3) / 4 * 8 * tiles;
        tw_internal_add_stage(plan, kernel, tiles, TW_INTERNAL_TILE_ITEMS, 0);
        return;
    }
    const size_t groups = tw_internal_shares(block, device.units, 2, TW_INTERNAL_COST_OF_SCAN + element_bytes);
    *blocks = tw_internal_divide_up(block->share, tw_internal_divide_up(TW_INTERNAL_CACHED_BYTES, element_bytes));
    if (groups == 1 || !device.runs_stages)
        *blocks = 1;
    else if (*blocks > TW_INTERNAL_MOST_BLOCKS)
        *blocks = TW_INTERNAL_MOST_BLOCKS;
    block->share = tw_internal_divide_up(block->share, *blocks);
    if (groups > 1) {
        plan->scratch_bytes = *blocks * groups * element_bytes;
        tw_internal_add_stage(plan, sums, *blocks > 1 ? groups : groups - 1, 1, 0);
    }
    for (size_t pass = 0; pass < *blocks; ++pass)
        tw_internal_add_stage(plan, kernel, groups, 1, pass);
}

#endif
