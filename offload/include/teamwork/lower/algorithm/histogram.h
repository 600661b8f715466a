/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_HISTOGRAM_EVEN() and TW_HISTOGRAM_RANGE() (<teamwork/algorithms.h>). On a GPU each group counts in local
 * memory, if the bins fit there, in several copies if they fit more than once; else in the histogram itself. On a CPU
 * each processor has a share and counts of its own, which a second launch adds up.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_HISTOGRAM_H
#define TEAMWORK_LOWER_ALGORITHM_HISTOGRAM_H

#include <teamwork/lower/algorithm/histogram_bin.h>
#include <teamwork/lower/algorithm/map.h>

enum {
    TW_INTERNAL_HISTOGRAM_BINS = 4096, /* in local memory: 16 KiB */
    TW_INTERNAL_HISTOGRAM_COPIES = 8,  /* one for each sub-group */
    TW_INTERNAL_HISTOGRAM_GROUPS = 8,  /* for each multiprocessor */
    TW_INTERNAL_FEW_BINS = 1024,       /* on a CPU: two copies stay in its nearest cache */
    TW_INTERNAL_BINS_AT_ONCE = 256     /* that are found before they are counted */
};

#if TW_ON_GPU

/* Equal bins in a row are added at once: all of a constant array would wait for the same counter. `counts` is NULL if
   the bins do not fit local memory. */
#define TW_INTERNAL_DEFINE_HISTOGRAM_TILES(name, type, counter)                                                        \
    TW_INTERNAL_ALWAYS_INLINE void name##_add(const struct name##_histogram *k, unsigned *counts, size_t bin,          \
                                              unsigned n)                                                              \
    {                                                                                                                  \
        if (n == 0 || bin >= k->bins)                                                                                  \
            return;                                                                                                    \
        if (counts)                                                                                                    \
            (void)tw_atomic_fetch_add(&counts[bin], n, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);                         \
        else                                                                                                           \
            (void)tw_atomic_fetch_add(&k->histogram[bin], (counter)n, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);              \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_count_tile(const struct name##_histogram *k, unsigned *counts, size_t me,    \
                                                     size_t first, size_t count)                                       \
    {                                                                                                                  \
        enum { VECTOR = TW_INTERNAL_VECTOR(type), ROWS = TW_INTERNAL_ROWS(type), TILE = TW_INTERNAL_TILE(type) };      \
        const bool fast = count - first >= TILE && tw_internal_is_aligned(k->in);                                      \
        size_t bin = 0;                                                                                                \
        unsigned n = 0;                                                                                                \
        for (unsigned r = 0; r < ROWS; ++r) {                                                                          \
            const size_t start = first + (r * TW_INTERNAL_TILE_ITEMS + me) * VECTOR;                                   \
            type x[VECTOR];                                                                                            \
            if (fast)                                                                                                  \
                TW_INTERNAL_LOAD_ROW(x, k->in + start, type);                                                          \
            else                                                                                                       \
                _Pragma("unroll") for (unsigned j = 0; j < VECTOR; ++j) x[j] =                                         \
                    k->in[start + j < count ? start + j : first];                                                      \
            _Pragma("unroll") for (unsigned j = 0; j < VECTOR; ++j)                                                    \
            {                                                                                                          \
                const type value = x[j];                                                                               \
                const size_t to = start + j < count ? name##_bin(k, value) : k->bins;                                  \
                if (to == bin) {                                                                                       \
                    ++n;                                                                                               \
                } else {                                                                                               \
                    name##_add(k, counts, bin, n);                                                                     \
                    bin = to;                                                                                          \
                    n = 1;                                                                                             \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        name##_add(k, counts, bin, n);                                                                                 \
    }                                                                                                                  \
    static inline void name##_histogram_tiles(tw_nd_item item, const struct name##_histogram *k)                       \
    {                                                                                                                  \
        enum { TILE = TW_INTERNAL_TILE(type) };                                                                        \
        TW_LOCAL(unsigned, counts, [TW_INTERNAL_HISTOGRAM_BINS]);                                                      \
        const size_t me = tw_local_id(item, 0), bins = k->bins, copies = k->copies;                                    \
        const size_t count = tw_internal_count(&k->common), stride = tw_group_range(item, 0) * TILE;                   \
        unsigned *const mine = copies ? counts + tw_get_sub_group(item).tw_id_ % copies * bins : (unsigned *)NULL;     \
        for (size_t i = me; i < copies * bins; i += TW_INTERNAL_TILE_ITEMS)                                            \
            counts[i] = 0;                                                                                             \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (size_t first = tw_group_id(item, 0) * TILE; first < count; first += stride)                               \
            name##_count_tile(k, mine, me, first, count);                                                              \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (size_t i = me; copies && i < bins; i += TW_INTERNAL_TILE_ITEMS) {                                         \
            unsigned n = 0;                                                                                            \
            for (size_t c = 0; c < copies; ++c)                                                                        \
                n += counts[c * bins + i];                                                                             \
            if (n)                                                                                                     \
                (void)tw_atomic_fetch_add(&k->histogram[i], (counter)n, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);            \
        }                                                                                                              \
    }
#define TW_INTERNAL_DEFINE_HISTOGRAM_SHARES(name, type, counter)                                                       \
    TW_INTERNAL_NO_CPU_KERNEL(name##_histogram_shares, name##_histogram)
#define TW_INTERNAL_DEFINE_HISTOGRAM_SUMS(name, counter)                                                               \
    TW_INTERNAL_NO_CPU_KERNEL(name##_histogram_sums, name##_histogram)

#else

/* Adds up what the shares have counted: some bins of all of them. */
#define TW_INTERNAL_DEFINE_HISTOGRAM_SUMS(name, counter)                                                               \
    static inline void name##_histogram_sums(tw_group group, const struct name##_histogram *k)                         \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const counter *const counts = (const counter *)k->common.scratch;                                          \
            counter *const to = k->histogram;                                                                          \
            const size_t bins = k->bins, copies = k->copies;                                                           \
            size_t first = 0;                                                                                          \
            const size_t past = tw_internal_map_share(bins, tw_group_range(group, 0), tw_group_id(group, 0), &first);  \
            for (size_t i = first; i < past; ++i)                                                                      \
                to[i] = counts[i];                                                                                     \
            for (size_t share = 1; share < copies; ++share)                                                            \
                for (size_t i = first; i < past; ++i)                                                                  \
                    to[i] += counts[share * bins + i];                                                                 \
        }                                                                                                              \
    }

#define TW_INTERNAL_DEFINE_HISTOGRAM_TILES(name, type, counter)                                                        \
    TW_INTERNAL_NO_GPU_KERNEL(name##_histogram_tiles, name##_histogram)
/* Few bins are counted in two copies, in turn: equal elements in a row would wait for one counter. First the bins of some
   elements are found, which LLVM makes vectors of; what is in no bin has one of its own behind them. */
#define TW_INTERNAL_DEFINE_COUNT_FEW(name, type, counter)                                                              \
    static inline void name##_count_few(const struct name##_histogram *k, const type *in, size_t count, counter *to)   \
    {                                                                                                                  \
        enum { AT_ONCE = TW_INTERNAL_BINS_AT_ONCE };                                                                   \
        counter counts[2][TW_INTERNAL_FEW_BINS + 1];                                                                   \
        unsigned found[AT_ONCE];                                                                                       \
        const size_t bins = k->bins;                                                                                   \
        for (size_t b = 0; b <= bins; ++b)                                                                             \
            counts[0][b] = counts[1][b] = 0;                                                                           \
        for (size_t first = 0; first < count; first += AT_ONCE) {                                                      \
            const unsigned n = count - first < AT_ONCE ? (unsigned)(count - first) : AT_ONCE;                          \
            name##_find_bins(k, in + first, n, found);                                                                 \
            for (unsigned i = n; i % 16; ++i)                                                                          \
                found[i] = (unsigned)bins;                                                                             \
            for (unsigned i = 0; i < n; i += 16) {                                                                     \
                __builtin_prefetch(in + first + AT_ONCE + i);                                                          \
                _Pragma("unroll") for (unsigned j = 0; j < 16; j += 2)                                                 \
                {                                                                                                      \
                    unsigned long long two;                                                                            \
                    __builtin_memcpy(&two, found + i + j, sizeof two);                                                 \
                    ++counts[0][(unsigned)two];                                                                        \
                    ++counts[1][two >> 32];                                                                            \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t b = 0; b < bins; ++b)                                                                              \
            to[b] = (counter)(counts[0][b] + counts[1][b]);                                                            \
    }

#define TW_INTERNAL_DEFINE_HISTOGRAM_SHARES(name, type, counter)                                                       \
    TW_INTERNAL_DEFINE_COUNT_FEW(name, type, counter)                                                                  \
    static inline void name##_histogram_shares(tw_group group, const struct name##_histogram *k)                       \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct name##_histogram own = *k; /* in registers */                                                 \
            const size_t me = tw_group_id(group, 0), bins = own.bins;                                                  \
            counter *const to = own.copies > 1 ? (counter *)own.common.scratch + me * bins : own.histogram;            \
            size_t i = 0;                                                                                              \
            const size_t past = tw_internal_share_of(&own.common, me, &i);                                             \
            const bool few = bins <= TW_INTERNAL_FEW_BINS && bins <= past - i;                                         \
            if (few)                                                                                                   \
                name##_count_few(&own, own.in + i, past - i, to);                                                      \
            for (size_t b = 0; !few && b < bins; ++b)                                                                  \
                to[b] = 0;                                                                                             \
            for (; !few && i < past; ++i) {                                                                            \
                const type x = own.in[i];                                                                              \
                const size_t bin = name##_bin(&own, x);                                                                \
                if (bin < bins)                                                                                        \
                    ++to[bin];                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

#endif

/* What `edges` and `even` are for, name##_bin() says: a member of the block that says where bins begin. On a GPU
   `copies` are those of the bins in local memory, on a CPU the shares. */
#define TW_INTERNAL_DEFINE_HISTOGRAM_BLOCK(name, type, counter, MEMBER)                                                \
    struct name##_histogram {                                                                                          \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        counter *histogram;                                                                                            \
        MEMBER;                                                                                                        \
        size_t bins, copies;                                                                                           \
        bool is_near; /* tw_internal_even_is_near() */                                                                 \
    };

#define TW_INTERNAL_DEFINE_HISTOGRAM(name, type, counter)                                                              \
    TW_INTERNAL_DEFINE_HISTOGRAM_TILES(name, type, counter)                                                            \
    TW_INTERNAL_DEFINE_HISTOGRAM_SHARES(name, type, counter)                                                           \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_clear_range(const struct name##_histogram *k)                              \
    {                                                                                                                  \
        return k->bins;                                                                                                \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_clear_at(const struct name##_histogram *k, size_t i)                         \
    {                                                                                                                  \
        k->histogram[i] = 0;                                                                                           \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_HISTOGRAM_SUMS(name, counter)                                                                   \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_histogram) TW_FOR_GPUS name##_histogram_tiles, TW_INTERNAL_TILE_ITEMS);  \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_histogram) TW_FOR_CPUS name##_histogram_shares, 1);                    \
    TW_INTERNAL_DEFINE_GPU_MAP(name##_clear, name##_histogram);                                                        \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_histogram) TW_FOR_CPUS name##_histogram_sums, 1);                      \
    static inline __attribute__((unused)) void name##_record(tw_command_group *group, struct name##_histogram *k,      \
                                                             const char *refusal)                                      \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        tw_internal_plan_histogram(                                                                                    \
            &plan, device, &k->common, k->bins, &k->copies, sizeof(type), sizeof(counter), TW_INTERNAL_TILE(type),     \
            device.is_gpu ? TW_KERNEL(name##_histogram_tiles) : TW_KERNEL(name##_histogram_shares),                    \
            device.is_gpu ? TW_KERNEL(name##_clear_map) : TW_KERNEL(name##_histogram_sums));                           \
        if (refusal)                                                                                                   \
            tw_internal_algorithm_refuse(group, refusal);                                                              \
        tw_internal_expect(group, "in", k->in, k->common.count, sizeof(type));                                         \
        tw_internal_expect(group, "histogram", k->histogram, k->bins, sizeof(counter));                                \
        tw_internal_algorithm_run(group, &plan, &k->common, sizeof *k);                                                \
    }

#define TW_INTERNAL_HISTOGRAM_EVEN(name, type, counter)                                                                \
    TW_INTERNAL_DEFINE_HISTOGRAM_BLOCK(name, type, counter, struct tw_internal_even even)                              \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_bin(const struct name##_histogram *k, type x)                              \
    {                                                                                                                  \
        return tw_internal_even_bin(&k->even, x);                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_find_bins(const struct name##_histogram *k, const type *x, unsigned n,       \
                                                    unsigned *found)                                                   \
    {                                                                                                                  \
        tw_internal_even_bins(&k->even, k->is_near, x, n, found);                                                      \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_HISTOGRAM(name, type, counter)                                                                  \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count,             \
                                                    size_t bins, TW_INTERNAL_LIMIT(type) lower,                        \
                                                    TW_INTERNAL_LIMIT(type) upper, counter *histogram)                 \
    {                                                                                                                  \
        struct name##_histogram k;                                                                                     \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.histogram = histogram;                                                                                       \
        k.even.bins = k.bins = bins;                                                                                   \
        const char *const refusal = TW_INTERNAL_EVEN_REFUSAL(&k.even, lower, upper);                                   \
        k.is_near = tw_internal_even_is_near(&k.even, sizeof(type), (type) - 1 < (type)1);                             \
        name##_record(group, &k, refusal);                                                                             \
    }

#define TW_INTERNAL_HISTOGRAM_RANGE(name, type, counter)                                                               \
    TW_INTERNAL_DEFINE_HISTOGRAM_BLOCK(name, type, counter, const type *edges)                                         \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_bin(const struct name##_histogram *k, type x)                              \
    {                                                                                                                  \
        size_t bin;                                                                                                    \
        TW_INTERNAL_FIND_BIN(k->edges, k->bins, x, bin);                                                               \
        return bin;                                                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_find_bins(const struct name##_histogram *k, const type *x, unsigned n,       \
                                                    unsigned *found)                                                   \
    {                                                                                                                  \
        for (unsigned i = 0; i < n; ++i) {                                                                             \
            const type value = x[i];                                                                                   \
            found[i] = (unsigned)name##_bin(k, value);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_HISTOGRAM(name, type, counter)                                                                  \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count,             \
                                                    size_t bins, const type *edges, counter *histogram)                \
    {                                                                                                                  \
        struct name##_histogram k;                                                                                     \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.histogram = histogram;                                                                                       \
        k.edges = edges;                                                                                               \
        tw_internal_expect(group, "edges", edges, bins + 1, sizeof(type));                                             \
        k.bins = bins;                                                                                                 \
        name##_record(group, &k, tw_internal_refuse_bins(bins));                                                       \
    }

/* A GPU clears the histogram first, and a CPU adds up in the end. There are no more shares than the counts of all have
   room for in what the elements need. */
static inline void tw_internal_plan_histogram(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                              struct tw_internal_algorithm *block, size_t bins, size_t *copies,
                                              size_t element_bytes, size_t counter_bytes, size_t tile,
                                              const tw_kernel *kernel, const tw_kernel *finish)
{
    const size_t most = device.is_gpu ? TW_INTERNAL_HISTOGRAM_GROUPS * device.units : block->count / (bins + !bins) + 1;
    tw_internal_begin_plan(plan);
    if (device.is_gpu) {
        const size_t tiles = tw_internal_divide_up(block->count, tile),
                     fit = TW_INTERNAL_HISTOGRAM_BINS / (bins + !bins);
        *copies = fit < TW_INTERNAL_HISTOGRAM_COPIES ? fit : TW_INTERNAL_HISTOGRAM_COPIES;
        tw_internal_add_map(plan, device, finish, bins, counter_bytes);
        if (tiles)
            tw_internal_add_stage(plan, kernel, tiles < most ? tiles : most, TW_INTERNAL_TILE_ITEMS, 0);
        return;
    }
    *copies = tw_internal_shares(block, device.units < most ? device.units : most, 2,
                                 TW_INTERNAL_COST_OF_COUNT + element_bytes);
    tw_internal_add_stage(plan, kernel, *copies, 1, 0);
    if (*copies > 1) {
        plan->scratch_bytes = *copies * bins * counter_bytes;
        tw_internal_add_map(plan, device, finish, bins, *copies * counter_bytes);
    }
}

#endif
