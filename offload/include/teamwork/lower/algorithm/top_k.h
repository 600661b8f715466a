/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_TOP_K() and TW_NTH_ELEMENT() (<teamwork/algorithms.h>): a radix selection. From the highest 8 bits of keys
 * to the lowest, a launch counts the next digit of those keys that begin as the wanted one does, and a launch of one
 * group finds its digit. In the end a scan of counts takes the elements before the wanted key, and as many of those
 * with it as are missing, in their order.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_TOP_K_H
#define TEAMWORK_LOWER_ALGORITHM_TOP_K_H

#include <teamwork/lower/algorithm/scan_transformed.h>
#include <teamwork/lower/algorithm/sort_key.h>

/* The digits of a key that are known, and which one of the keys with them is wanted: from 1 on; 0 if none is. */
struct tw_internal_wanted {
    unsigned long long prefix, rank;
};

/* Elements before the wanted key, and with it. */
struct tw_internal_below {
    size_t less, equal;
};
TW_INTERNAL_ALWAYS_INLINE struct tw_internal_below tw_internal_add_below(struct tw_internal_below a,
                                                                         struct tw_internal_below b)
{
    b.less += a.less;
    b.equal += a.equal;
    return b;
}

/* Behind `common` in the block. */
struct tw_internal_selection {
    unsigned long long flip; /* all bits of a key, where the largest are wanted */
    size_t rank;             /* of the last element that is wanted, from 1 on */
    size_t passes;
    size_t bins;  /* where the counts are in the temporary memory: of each pass 256; behind them what is wanted */
    bool at_once; /* one thread of a CPU makes all passes */
};
enum {
    TW_INTERNAL_SELECTION_BYTES = 8 * TW_INTERNAL_DIGITS * TW_INTERNAL_MOST_PASSES + (TW_INTERNAL_MOST_PASSES + 1) * 16
};

TW_INTERNAL_ALWAYS_INLINE unsigned long long *
tw_internal_bins(const struct tw_internal_algorithm *common, const struct tw_internal_selection *selection, size_t pass)
{
    return (unsigned long long *)tw_internal_at(common->scratch, selection->bins) + pass * TW_INTERNAL_DIGITS;
}

/* What is wanted before a pass. */
TW_INTERNAL_ALWAYS_INLINE struct tw_internal_wanted *
tw_internal_wanted_at(const struct tw_internal_algorithm *common, const struct tw_internal_selection *selection,
                      size_t pass)
{
    return (struct tw_internal_wanted *)(void *)tw_internal_bins(common, selection, TW_INTERNAL_MOST_PASSES) + pass;
}
TW_INTERNAL_ALWAYS_INLINE struct tw_internal_wanted
tw_internal_wanted_before(const struct tw_internal_algorithm *common, const struct tw_internal_selection *selection,
                          size_t pass, bool one)
{
    struct tw_internal_wanted wanted = {0, 0};
    const size_t count = tw_internal_count(common);
    if (pass)
        wanted = *tw_internal_wanted_at(common, selection, pass);
    else if (selection->rank <= count)
        wanted.rank = selection->rank;
    else if (!one)
        wanted.rank = count;
    return wanted;
}

/* The digit of a key in a pass; 256 if the key does not begin as the wanted one does. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_wanted_digit(const struct tw_internal_selection *selection, size_t pass,
                                                            unsigned long long wanted, unsigned long long key)
{
    const unsigned shift = 8 * (unsigned)(selection->passes - 1 - pass);
    const bool begins = pass == 0 || key >> shift >> 8 == wanted;
    return begins ? (unsigned)(key >> shift) & 255 : TW_INTERNAL_DIGITS;
}

/* The block, the key of an element in the wanted order, and the elements of the last scan. */
#define TW_INTERNAL_DEFINE_TOP_K_ELEMENTS(name, type, key, ONE)                                                        \
    struct name##_top_k {                                                                                              \
        struct tw_internal_algorithm common;                                                                           \
        struct tw_internal_selection selection;                                                                        \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
    };                                                                                                                 \
    TW_INTERNAL_ALWAYS_INLINE unsigned long long name##_key(const struct name##_top_k *k, size_t i)                    \
    {                                                                                                                  \
        const type x = k->in[i];                                                                                       \
        return tw_internal_key_bits(key(x)) ^ k->selection.flip;                                                       \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_key_bytes(const type *x)                                                   \
    {                                                                                                                  \
        return sizeof(key((*x)));                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE struct tw_internal_below name##_load(const struct name##_top_k *k, size_t i,             \
                                                                   size_t count)                                       \
    {                                                                                                                  \
        const struct tw_internal_wanted wanted =                                                                       \
            *tw_internal_wanted_at(&k->common, &k->selection, k->selection.passes);                                    \
        const unsigned long long x = name##_key(k, i);                                                                 \
        struct tw_internal_below below;                                                                                \
        (void)count;                                                                                                   \
        below.less = x < wanted.prefix;                                                                                \
        below.equal = x == wanted.prefix;                                                                              \
        return below;                                                                                                  \
    }                                                                                                                  \
    typedef struct {                                                                                                   \
        bool less, equal; /* than the wanted key */                                                                    \
        unsigned long long rank;                                                                                       \
        type x;                                                                                                        \
    } name##_use;                                                                                                      \
    TW_INTERNAL_ALWAYS_INLINE name##_use name##_look(const struct name##_top_k *k, size_t i, size_t count)             \
    {                                                                                                                  \
        const struct tw_internal_below below = name##_load(k, i, count);                                               \
        name##_use use;                                                                                                \
        use.less = below.less;                                                                                         \
        use.equal = below.equal;                                                                                       \
        use.rank = tw_internal_wanted_at(&k->common, &k->selection, k->selection.passes)->rank;                        \
        use.x = k->in[i];                                                                                              \
        return use;                                                                                                    \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_store(const struct name##_top_k *k, size_t i, size_t count,                  \
                                                struct tw_internal_below y, name##_use use)                            \
    {                                                                                                                  \
        (void)i, (void)count;                                                                                          \
        if (ONE && use.equal && y.equal == use.rank)                                                                   \
            k->out[0] = use.x;                                                                                         \
        if (!ONE && use.less)                                                                                          \
            k->out[y.less - 1 + (y.equal < use.rank ? y.equal : (size_t)use.rank)] = use.x;                            \
        if (!ONE && use.equal && y.equal <= use.rank)                                                                  \
            k->out[y.less + y.equal - 1] = use.x;                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_store_none(const struct name##_top_k *k)                                     \
    {                                                                                                                  \
        (void)k;                                                                                                       \
    }

#if TW_ON_GPU

#define TW_INTERNAL_DEFINE_TOP_K_KERNELS(name, ONE)                                                                    \
    static inline void name##_digits(tw_nd_item item, const struct name##_top_k *k)                                    \
    {                                                                                                                  \
        TW_LOCAL(unsigned, counts, [TW_INTERNAL_DIGITS + 1]);                                                          \
        const size_t me = tw_local_id(item, 0), count = tw_internal_count(&k->common), pass = k->common.pass;          \
        const struct tw_internal_wanted wanted = tw_internal_wanted_before(&k->common, &k->selection, pass, ONE);      \
        unsigned digit = TW_INTERNAL_DIGITS, n = 0;                                                                    \
        counts[me] = 0;                                                                                                \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        for (size_t i = tw_global_id(item, 0); i < count; i += tw_global_range(item, 0)) {                             \
            const unsigned next = tw_internal_wanted_digit(&k->selection, pass, wanted.prefix, name##_key(k, i));      \
            if (next == digit) {                                                                                       \
                ++n;                                                                                                   \
                continue;                                                                                              \
            }                                                                                                          \
            if (digit < TW_INTERNAL_DIGITS)                                                                            \
                (void)tw_atomic_fetch_add(&counts[digit], n, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);                   \
            digit = next;                                                                                              \
            n = 1;                                                                                                     \
        }                                                                                                              \
        if (digit < TW_INTERNAL_DIGITS)                                                                                \
            (void)tw_atomic_fetch_add(&counts[digit], n, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);                       \
        tw_barrier(item, TW_LOCAL_SPACE);                                                                              \
        if (counts[me])                                                                                                \
            (void)tw_atomic_fetch_add(&tw_internal_bins(&k->common, &k->selection, pass)[me],                          \
                                      (unsigned long long)counts[me], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);              \
    }                                                                                                                  \
    static inline void name##_choose(tw_nd_item item, const struct name##_top_k *k)                                    \
    {                                                                                                                  \
        const size_t me = tw_local_id(item, 0), pass = k->common.pass;                                                 \
        const struct tw_internal_wanted wanted = tw_internal_wanted_before(&k->common, &k->selection, pass, ONE);      \
        struct tw_internal_wanted *const next = tw_internal_wanted_at(&k->common, &k->selection, pass + 1);            \
        const unsigned long long mine = tw_internal_bins(&k->common, &k->selection, pass)[me];                         \
        const unsigned long long before = tw_exclusive_scan_over_group(item, mine, TW_SUM);                            \
        if ((wanted.rank > before && wanted.rank <= before + mine) || (wanted.rank == 0 && me == 0)) {                 \
            next->prefix = wanted.prefix << 8 | me;                                                                    \
            next->rank = wanted.rank - before;                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    TW_INTERNAL_NO_CPU_KERNEL(name##_digit_shares, name##_top_k)                                                       \
    TW_INTERNAL_NO_CPU_KERNEL(name##_choose_share, name##_top_k)

#else

/* The same on one thread, from the counts of a pass. */
TW_INTERNAL_ALWAYS_INLINE struct tw_internal_wanted tw_internal_choose(struct tw_internal_wanted wanted,
                                                                       const unsigned long long *counts)
{
    unsigned digit = 0;
    for (; digit + 1 < TW_INTERNAL_DIGITS && wanted.rank > counts[digit]; ++digit)
        wanted.rank -= counts[digit];
    wanted.prefix = wanted.prefix << 8 | digit;
    return wanted;
}

#define TW_INTERNAL_DEFINE_TOP_K_KERNELS(name, ONE)                                                                    \
    TW_INTERNAL_NO_GPU_KERNEL(name##_digits, name##_top_k)                                                             \
    TW_INTERNAL_NO_GPU_KERNEL(name##_choose, name##_top_k)                                                             \
    TW_INTERNAL_ALWAYS_INLINE void name##_count_digits(const struct name##_top_k *k, size_t pass,                      \
                                                       unsigned long long wanted, size_t first, size_t past,           \
                                                       unsigned long long *counts)                                     \
    {                                                                                                                  \
        for (unsigned digit = 0; digit <= TW_INTERNAL_DIGITS; ++digit)                                                 \
            counts[digit] = 0;                                                                                         \
        for (size_t i = first; i < past; ++i)                                                                          \
            ++counts[tw_internal_wanted_digit(&k->selection, pass, wanted, name##_key(k, i))];                         \
    }                                                                                                                  \
    static inline void name##_digit_shares(tw_group group, const struct name##_top_k *k)                               \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            unsigned long long counts[TW_INTERNAL_DIGITS + 1];                                                         \
            const size_t me = tw_group_id(group, 0);                                                                   \
            size_t first = 0, pass = k->common.pass;                                                                   \
            const size_t past = tw_internal_share_of(&k->common, me, &first);                                          \
            struct tw_internal_wanted wanted = tw_internal_wanted_before(&k->common, &k->selection, pass, ONE);        \
            for (; k->selection.at_once && pass < k->selection.passes; ++pass) {                                       \
                name##_count_digits(k, pass, wanted.prefix, first, past, counts);                                      \
                wanted = tw_internal_choose(wanted, counts);                                                           \
            }                                                                                                          \
            if (k->selection.at_once) {                                                                                \
                *tw_internal_wanted_at(&k->common, &k->selection, pass) = wanted;                                      \
            } else {                                                                                                   \
                name##_count_digits(k, pass, wanted.prefix, first, past, counts);                                      \
                for (unsigned digit = 0; digit < TW_INTERNAL_DIGITS; ++digit)                                          \
                    if (counts[digit])                                                                                 \
                        (void)tw_atomic_fetch_add(&tw_internal_bins(&k->common, &k->selection, pass)[digit],           \
                                                  counts[digit], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);                   \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void name##_choose_share(tw_group group, const struct name##_top_k *k)                               \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const size_t pass = k->common.pass;                                                                        \
            *tw_internal_wanted_at(&k->common, &k->selection, pass + 1) =                                              \
                tw_internal_choose(tw_internal_wanted_before(&k->common, &k->selection, pass, ONE),                    \
                                   tw_internal_bins(&k->common, &k->selection, pass));                                 \
        }                                                                                                              \
    }

#endif

/* `ONE`: the last of the wanted elements alone. */
#define TW_INTERNAL_DEFINE_TOP_K(name, type, key, ONE)                                                                 \
    TW_INTERNAL_DEFINE_TOP_K_ELEMENTS(name, type, key, ONE)                                                            \
    TW_INTERNAL_DEFINE_TOP_K_KERNELS(name, ONE)                                                                        \
    TW_INTERNAL_DEFINE_TRANSFORMED_SCAN(name, name##_top_k, struct tw_internal_below, tw_internal_add_below);          \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_top_k) TW_FOR_GPUS name##_digits, TW_INTERNAL_TILE_ITEMS);               \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_top_k) TW_FOR_GPUS name##_choose, TW_INTERNAL_TILE_ITEMS);               \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_top_k) TW_FOR_CPUS name##_digit_shares, 1);                            \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_top_k) TW_FOR_CPUS name##_choose_share, 1);                            \
    static inline __attribute__((unused)) void name##_record(tw_command_group *group, const type *in, size_t count,    \
                                                             size_t rank, bool largest, type *out)                     \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_top_k k;                                                                                         \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.out = out;                                                                                                   \
        k.selection.rank = rank;                                                                                       \
        k.selection.passes = name##_key_bytes(in);                                                                     \
        k.selection.flip = largest ? ~0ull >> (64 - 8 * k.selection.passes) : 0;                                       \
        tw_internal_begin_plan(&plan);                                                                                 \
        tw_internal_plan_selection(&plan, device, &k.common, &k.selection, sizeof(type),                               \
                                   TW_INTERNAL_SCANNED_TILE(struct tw_internal_below),                                 \
                                   device.is_gpu ? TW_KERNEL(name##_digits) : TW_KERNEL(name##_digit_shares),          \
                                   device.is_gpu ? TW_KERNEL(name##_choose) : TW_KERNEL(name##_choose_share));         \
        tw_internal_add_transformed_scan(&plan, device, &k.common, sizeof(struct tw_internal_below), sizeof(type),     \
                                         TW_INTERNAL_SCANNED_TILE(struct tw_internal_below), TW_KERNEL(name##_sums),   \
                                         device.is_gpu ? TW_KERNEL(name##_tiles) : TW_KERNEL(name##_shares));          \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, ONE ? count != 0 : rank < count ? rank : count, sizeof(type));           \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

#define TW_INTERNAL_TOP_K(name, type, key)                                                                             \
    TW_INTERNAL_DEFINE_TOP_K(name, type, key, 0)                                                                       \
    static inline __attribute__((unused)) void name##_smallest(tw_command_group *group, const type *in, size_t count,  \
                                                               size_t k, type *out)                                    \
    {                                                                                                                  \
        name##_record(group, in, count, k, false, out);                                                                \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_largest(tw_command_group *group, const type *in, size_t count,   \
                                                              size_t k, type *out)                                     \
    {                                                                                                                  \
        name##_record(group, in, count, k, true, out);                                                                 \
    }

#define TW_INTERNAL_NTH_ELEMENT(name, type, key)                                                                       \
    TW_INTERNAL_DEFINE_TOP_K(name, type, key, 1)                                                                       \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count, size_t n,   \
                                                    type *out)                                                         \
    {                                                                                                                  \
        name##_record(group, in, count, n + 1 ? n + 1 : n, false, out);                                                \
    }

/* The launches that find the wanted key. The counts stand behind the temporary memory of the scan, and are 0 at first. */
static inline void tw_internal_plan_selection(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                              struct tw_internal_algorithm *block,
                                              struct tw_internal_selection *selection, size_t element_bytes,
                                              size_t tile, const tw_kernel *digits, const tw_kernel *choose)
{
    const size_t items = device.is_gpu ? TW_INTERNAL_TILE_ITEMS : 1, most = TW_INTERNAL_SORT_GROUPS * 2 * device.units;
    const size_t value_bytes = sizeof(struct tw_internal_below);
    size_t groups = block->count ? tw_internal_divide_up(block->count, tile) : 1, front;
    if (device.is_gpu) {
        front = TW_INTERNAL_SCAN_HEAD + tw_internal_tile_bytes(block->count, tile, value_bytes);
        groups = groups < most ? groups : most;
    } else {
        groups = tw_internal_shares(block, device.units, 2, TW_INTERNAL_COST_OF_COUNT + element_bytes);
        selection->at_once = groups == 1;
        front = groups * value_bytes;
    }
    selection->bins = tw_internal_round_up(front);
    plan->scratch_bytes = selection->bins + TW_INTERNAL_SELECTION_BYTES;
    plan->cleared_bytes = selection->at_once ? 0 : plan->scratch_bytes;
    for (size_t pass = 0; pass < (selection->at_once ? 1 : selection->passes); ++pass) {
        tw_internal_add_stage(plan, digits, groups, items, pass);
        if (!selection->at_once)
            tw_internal_add_stage(plan, choose, 1, items, pass);
    }
}

#endif
