/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_REDUCE_ALL() (<teamwork/algorithms.h>). On a GPU each group reduces tiles, and one more group what they
 * left. On a CPU each processor has a share.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_REDUCE_H
#define TEAMWORK_LOWER_ALGORITHM_REDUCE_H

#include <teamwork/lower/algorithm/tile.h>

/* What `pass` says: bits. */
enum {
    TW_INTERNAL_REDUCES_PARTS = 1, /* it reads what groups left in the temporary memory */
    TW_INTERNAL_REDUCES_LAST = 2   /* it writes the result */
};

enum { TW_INTERNAL_REDUCE_GROUPS = 8 }; /* groups for each multiprocessor */

#if TW_ON_GPU

/* Combines the values of the first `alive` work-items of a sub-group for the first one. */
#define TW_INTERNAL_DEFINE_REDUCE_LANES(name, type, operation)                                                         \
    TW_INTERNAL_ALWAYS_INLINE type name##_reduce_lanes(tw_sub_group sub_group, type x, size_t alive)                   \
    {                                                                                                                  \
        for (unsigned delta = 1; delta < sub_group.tw_max_; delta *= 2) {                                              \
            type other;                                                                                                \
            tw_internal_shuffle_value(sub_group, &other, &x, sizeof x, TW_INTERNAL_AFTER, delta);                      \
            if (sub_group.tw_lane_ + delta < alive)                                                                    \
                x = operation(x, other);                                                                               \
        }                                                                                                              \
        return x;                                                                                                      \
    }

/* The elements of one work-item: tiles of 64 bytes, and of the last tile single elements. */
#define TW_INTERNAL_DEFINE_REDUCE_ITEM(name, type, operation)                                                          \
    TW_INTERNAL_ALWAYS_INLINE type name##_reduce_tile(const type *in)                                                  \
    {                                                                                                                  \
        enum { VECTOR = TW_INTERNAL_VECTOR(type), ROWS = TW_INTERNAL_ROWS(type) };                                     \
        type x, rows[ROWS][VECTOR];                                                                                    \
        _Pragma("unroll") for (unsigned r = 0; r < ROWS; ++r)                                                          \
            TW_INTERNAL_LOAD_ROW(rows[r], in + r * TW_INTERNAL_TILE_ITEMS * VECTOR, type);                             \
        x = rows[0][0];                                                                                                \
        _Pragma("unroll") for (unsigned i = 1; i < ROWS * VECTOR; ++i)                                                 \
        {                                                                                                              \
            const type y = rows[i / VECTOR][i % VECTOR];                                                               \
            x = operation(x, y);                                                                                       \
        }                                                                                                              \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE type name##_reduce_item(const type *in, size_t item, size_t first, size_t stride,        \
                                                      size_t count)                                                    \
    {                                                                                                                  \
        enum { VECTOR = TW_INTERNAL_VECTOR(type), TILE = TW_INTERNAL_TILE(type) };                                     \
        bool has = false;                                                                                              \
        type x, y;                                                                                                     \
        if (tw_internal_is_aligned(in))                                                                                \
            for (; first < count && count - first >= TILE; first += stride) {                                          \
                y = name##_reduce_tile(in + first + item * VECTOR);                                                    \
                TW_INTERNAL_APPEND(has, x, operation, y);                                                              \
                has = true;                                                                                            \
            }                                                                                                          \
        for (; first < count; first += stride)                                                                         \
            for (size_t i = first + item; i < count && i < first + TILE; i += TW_INTERNAL_TILE_ITEMS) {                \
                y = in[i];                                                                                             \
                TW_INTERNAL_APPEND(has, x, operation, y);                                                              \
                has = true;                                                                                            \
            }                                                                                                          \
        if (!has)                                                                                                      \
            x = in[0];                                                                                                 \
        return x;                                                                                                      \
    }

#define TW_INTERNAL_DEFINE_REDUCE_TILES(name, type, operation)                                                         \
    TW_INTERNAL_DEFINE_REDUCE_LANES(name, type, operation)                                                             \
    TW_INTERNAL_DEFINE_REDUCE_ITEM(name, type, operation)                                                              \
    static inline void name##_reduce_tiles(tw_nd_item item, const struct name##_reduce *k)                             \
    {                                                                                                                  \
        enum { TILE = TW_INTERNAL_TILE(type) };                                                                        \
        TW_LOCAL(type, parts, [TW_INTERNAL_TILE_ITEMS / 32]);                                                          \
        const tw_sub_group sub_group = tw_get_sub_group(item);                                                         \
        const size_t me = tw_local_id(item, 0), group = tw_group_id(item, 0), all = tw_internal_count(&k->common);     \
        const bool of_parts = k->common.pass & TW_INTERNAL_REDUCES_PARTS,                                              \
                   is_last = k->common.pass & TW_INTERNAL_REDUCES_LAST;                                                \
        const size_t tiles = tw_internal_divide_up(all, TILE);                                                         \
        const size_t count = of_parts ? (tiles < k->groups ? tiles : k->groups) : all;                                 \
        const size_t first = group * TILE, mine = first < count ? count - first : 0;                                   \
        const size_t warp = sub_group.tw_id_, alive = mine < TW_INTERNAL_TILE_ITEMS ? mine : TW_INTERNAL_TILE_ITEMS;   \
        const size_t past = alive > warp * sub_group.tw_max_ ? alive - warp * sub_group.tw_max_ : 0;                   \
        if (mine) {                                                                                                    \
            const type *in = of_parts ? (const type *)k->common.scratch : k->in;                                       \
            const size_t stride = of_parts || is_last ? TILE : k->groups * TILE;                                       \
            const type x = name##_reduce_lanes(sub_group, name##_reduce_item(in, me, first, stride, count), past);     \
            if (sub_group.tw_lane_ == 0)                                                                               \
                parts[warp] = x;                                                                                       \
        }                                                                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (me == 0 && (mine || is_last)) {                                                                            \
            type x = is_last ? k->init : parts[0];                                                                     \
            for (size_t i = !is_last; i * sub_group.tw_max_ < alive; ++i)                                              \
                x = operation(x, parts[i]);                                                                            \
            if (is_last)                                                                                               \
                *k->out = x;                                                                                           \
            else                                                                                                       \
                ((type *)k->common.scratch)[group] = x;                                                                \
        }                                                                                                              \
    }
#define TW_INTERNAL_DEFINE_REDUCE_SHARES(name, type, operation)                                                        \
    TW_INTERNAL_NO_CPU_KERNEL(name##_reduce_shares, name##_reduce)

#else

#define TW_INTERNAL_DEFINE_REDUCE_TILES(name, type, operation)                                                         \
    TW_INTERNAL_NO_GPU_KERNEL(name##_reduce_tiles, name##_reduce)

/* Combines elements in several chains, which a processor computes at the same time: the operation commutes. Where it is
   one of LLVM's reductions, as the sum of integers, LLVM would vectorize the outer loop, with loads that are CHAINS apart:
   20 times as slow. */
#define TW_INTERNAL_DEFINE_REDUCE_CHAINS(name, type, operation)                                                        \
    TW_INTERNAL_ALWAYS_INLINE type name##_reduce_chains(const type *in, size_t count)                                  \
    {                                                                                                                  \
        enum {                                                                                                         \
            CHAINS = sizeof(type) <= 2   ? 64                                                                          \
                     : sizeof(type) <= 8 ? 32                                                                          \
                                         : 4,                                                                          \
            STORED = sizeof(type) <= 8 ? CHAINS : 1                                                                    \
        };                                                                                                             \
        type x[CHAINS], stored[STORED];                                                                                \
        size_t i = CHAINS;                                                                                             \
        if (count < 2 * CHAINS) {                                                                                      \
            x[0] = in[0];                                                                                              \
            for (i = 1; i < count; ++i)                                                                                \
                x[0] = operation(x[0], in[i]);                                                                         \
            return x[0];                                                                                               \
        }                                                                                                              \
        for (unsigned c = 0; c < CHAINS; ++c)                                                                          \
            x[c] = in[c];                                                                                              \
        _Pragma("clang loop vectorize(disable)") for (; count - i >= CHAINS; i += CHAINS) /* over chains */            \
            for (unsigned c = 0; c < CHAINS; ++c) x[c] = operation(x[c], in[i + c]);                                   \
        for (unsigned c = 0; c < STORED; ++c)                                                                          \
            stored[c] = x[c];                                                                                          \
        __asm__("" : "+m"(stored)); /* so chains are neighbours, which LLVM makes vectors of */                        \
        type *const y = STORED == CHAINS ? stored : x;                                                                 \
        for (; i < count; ++i)                                                                                         \
            y[0] = operation(y[0], in[i]);                                                                             \
        for (unsigned c = 1; c < CHAINS; ++c)                                                                          \
            y[0] = operation(y[0], y[c]);                                                                              \
        return y[0];                                                                                                   \
    }

#define TW_INTERNAL_DEFINE_REDUCE_SHARES(name, type, operation)                                                        \
    TW_INTERNAL_DEFINE_REDUCE_CHAINS(name, type, operation)                                                            \
    static inline void name##_reduce_shares(tw_group group, const struct name##_reduce *k)                             \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t me = tw_group_id(group, 0);                                                                   \
            const bool of_parts = k->common.pass & TW_INTERNAL_REDUCES_PARTS,                                          \
                       is_last = k->common.pass & TW_INTERNAL_REDUCES_LAST;                                            \
            type *const parts = (type *)k->common.scratch;                                                             \
            size_t first = 0, past = tw_internal_count(&k->common);                                                    \
            if (of_parts)                                                                                              \
                past = tw_internal_divide_up(past, k->common.share);                                                   \
            else if (!is_last)                                                                                         \
                past = tw_internal_share_of(&k->common, me, &first);                                                   \
            if (first < past) {                                                                                        \
                const type x = name##_reduce_chains((of_parts ? parts : k->in) + first, past - first);                 \
                if (is_last)                                                                                           \
                    *k->out = operation(k->init, x);                                                                   \
                else                                                                                                   \
                    parts[me] = x;                                                                                     \
            } else if (is_last) {                                                                                      \
                *k->out = k->init;                                                                                     \
            }                                                                                                          \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_REDUCE_ALL(name, type, operation)                                                                  \
    struct name##_reduce {                                                                                             \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
        type init;                                                                                                     \
        size_t groups; /* that leave parts */                                                                          \
    };                                                                                                                 \
    TW_INTERNAL_DEFINE_REDUCE_TILES(name, type, operation)                                                             \
    TW_INTERNAL_DEFINE_REDUCE_SHARES(name, type, operation)                                                            \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_reduce) TW_FOR_GPUS name##_reduce_tiles, TW_INTERNAL_TILE_ITEMS);        \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_reduce) TW_FOR_CPUS name##_reduce_shares, 1);                          \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count, type init,  \
                                                    type *out)                                                         \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_reduce k;                                                                                        \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.out = out;                                                                                                   \
        k.init = init;                                                                                                 \
        tw_internal_plan_reduce(&plan, device, &k.common, &k.groups, sizeof(type), TW_INTERNAL_TILE(type),             \
                                device.is_gpu ? TW_KERNEL(name##_reduce_tiles) : TW_KERNEL(name##_reduce_shares));     \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, 1, sizeof(type));                                                        \
        if (!count)                                                                                                    \
            k.in = out; /* there is nothing to read */                                                                 \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

static inline void tw_internal_plan_reduce(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                           struct tw_internal_algorithm *block, size_t *groups, size_t element_bytes,
                                           size_t tile, const tw_kernel *kernel)
{
    const size_t items = device.is_gpu ? TW_INTERNAL_TILE_ITEMS : 1, most = TW_INTERNAL_REDUCE_GROUPS * device.units;
    tw_internal_begin_plan(plan);
    *groups = tw_internal_divide_up(block->count, tile);
    if (!device.is_gpu)
        *groups = tw_internal_shares(block, device.units, 1, element_bytes);
    else if (*groups > most)
        *groups = most;
    if (*groups <= (device.is_gpu ? 2 : 1)) {
        tw_internal_add_stage(plan, kernel, 1, items, TW_INTERNAL_REDUCES_LAST);
        return;
    }
    plan->scratch_bytes = *groups * element_bytes;
    tw_internal_add_stage(plan, kernel, *groups, items, 0);
    tw_internal_add_stage(plan, kernel, 1, items, TW_INTERNAL_REDUCES_PARTS | TW_INTERNAL_REDUCES_LAST);
}

#endif
