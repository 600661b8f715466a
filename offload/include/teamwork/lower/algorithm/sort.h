/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_SORT() and TW_SORT_PAIRS() (<teamwork/algorithms.h>): a radix sort from the lowest 8 bits of the keys to
 * the highest. On a GPU one launch counts the digits of all passes, and each pass reads and writes each element once
 * (Adinets and Merrill, Onesweep, 2022): a tile learns from those before it where its elements of each digit go. Few
 * elements are ranked by one launch (sort_ranks.h). On a CPU each pass has a launch that counts, and one that moves.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_SORT_H
#define TEAMWORK_LOWER_ALGORITHM_SORT_H

#include <teamwork/lower/algorithm/sort_cpu.h>
#include <teamwork/lower/algorithm/sort_gpu.h>

/* The block, and the parts of an element: keys, and the values of pairs. The program's arrays, and temporary memory, are
   places (sort_key.h). On a CPU both parts are one struct. */
#define TW_INTERNAL_DEFINE_SORT_ELEMENTS(name, type, key)                                                              \
    typedef type name##_element;                                                                                       \
    typedef type name##_key_part;                                                                                      \
    typedef char name##_value_part;                                                                                    \
    typedef __typeof__(tw_internal_key_bits(key((*(type *)0)))) name##_key_word;                                       \
    enum { name##_has_values = false };                                                                                \
    TW_INTERNAL_DEFINE_SORT_BLOCK(name, TW_INTERNAL_SORT_NO_VALUES)                                                    \
    TW_INTERNAL_ALWAYS_INLINE char *name##_values_to(const struct name##_sort *k, enum tw_internal_sort_place place)   \
    {                                                                                                                  \
        (void)k, (void)place;                                                                                          \
        return NULL;                                                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE const char *name##_values_from(const struct name##_sort *k,                              \
                                                             enum tw_internal_sort_place place)                        \
    {                                                                                                                  \
        return name##_values_to(k, place);                                                                             \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE type name##_get(const struct name##_sort *k, enum tw_internal_sort_place place,          \
                                              size_t i)                                                                \
    {                                                                                                                  \
        return name##_keys_from(k, place)[i];                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_put(const struct name##_sort *k, enum tw_internal_sort_place place,          \
                                              size_t i, type x)                                                        \
    {                                                                                                                  \
        name##_keys_to(k, place)[i] = x;                                                                               \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_digit_of(const struct name##_sort *k, type x, size_t pass)               \
    {                                                                                                                  \
        return tw_internal_key_digit(&k->sort, tw_internal_key_bits(key(x)), sizeof(key(x)), pass);                    \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_digit(const struct name##_sort *k, type x, size_t pass)                  \
    {                                                                                                                  \
        return name##_digit_of(k, x, pass);                                                                            \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned long long name##_bits_of(const struct name##_sort *k, type x)                   \
    {                                                                                                                  \
        return tw_internal_compared_bits(&k->sort, tw_internal_key_bits(key(x)));                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned long long name##_whole_key(const struct name##_sort *k, type x)                 \
    {                                                                                                                  \
        return name##_bits_of(k, x);                                                                                   \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_key_bits(const type *x)                                                  \
    {                                                                                                                  \
        return 8 * (unsigned)sizeof(key((*x)));                                                                        \
    }

#define TW_INTERNAL_DEFINE_SORT_PAIRS(name, key_type, value_type)                                                      \
    typedef struct {                                                                                                   \
        key_type key;                                                                                                  \
        value_type value;                                                                                              \
    } name##_element;                                                                                                  \
    typedef key_type name##_key_part;                                                                                  \
    typedef value_type name##_value_part;                                                                              \
    typedef __typeof__(tw_internal_key_bits(*(key_type *)0)) name##_key_word;                                          \
    enum { name##_has_values = true };                                                                                 \
    TW_INTERNAL_DEFINE_SORT_BLOCK(name, TW_INTERNAL_SORT_VALUES)                                                       \
    TW_INTERNAL_ALWAYS_INLINE value_type *name##_values_to(const struct name##_sort *k,                                \
                                                           enum tw_internal_sort_place place)                          \
    {                                                                                                                  \
        return place == TW_INTERNAL_SORT_OUT ? k->values_out                                                           \
                                             : (value_type *)tw_internal_at(k->common.scratch, k->sort.spare_values);  \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE const value_type *name##_values_from(const struct name##_sort *k,                        \
                                                                   enum tw_internal_sort_place place)                  \
    {                                                                                                                  \
        return place == TW_INTERNAL_SORT_IN ? k->values : name##_values_to(k, place);                                  \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE name##_element name##_get(const struct name##_sort *k,                                   \
                                                        enum tw_internal_sort_place place, size_t i)                   \
    {                                                                                                                  \
        name##_element x;                                                                                              \
        x.key = name##_keys_from(k, place)[i];                                                                         \
        x.value = name##_values_from(k, place)[i];                                                                     \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_put(const struct name##_sort *k, enum tw_internal_sort_place place,          \
                                              size_t i, name##_element x)                                              \
    {                                                                                                                  \
        name##_keys_to(k, place)[i] = x.key;                                                                           \
        name##_values_to(k, place)[i] = x.value;                                                                       \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_digit_of(const struct name##_sort *k, key_type key, size_t pass)         \
    {                                                                                                                  \
        return tw_internal_key_digit(&k->sort, tw_internal_key_bits(key), sizeof key, pass);                           \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned name##_digit(const struct name##_sort *k, name##_element x, size_t pass)        \
    {                                                                                                                  \
        return name##_digit_of(k, x.key, pass);                                                                        \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned long long name##_bits_of(const struct name##_sort *k, key_type key)             \
    {                                                                                                                  \
        return tw_internal_compared_bits(&k->sort, tw_internal_key_bits(key));                                         \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE unsigned long long name##_whole_key(const struct name##_sort *k, name##_element x)       \
    {                                                                                                                  \
        return name##_bits_of(k, x.key);                                                                               \
    }

/* The block; MEMBERS are those for values. */
#define TW_INTERNAL_SORT_NO_VALUES(type)
#define TW_INTERNAL_SORT_VALUES(type)                                                                                  \
    const type *values;                                                                                                \
    type *values_out;
#define TW_INTERNAL_DEFINE_SORT_BLOCK(name, MEMBERS)                                                                   \
    enum {                                                                                                             \
        name##_sort_tile_size =                                                                                        \
            TW_INTERNAL_SORT_GROUP                                                                                     \
            * TW_INTERNAL_SORT_ITEMS(                                                                                  \
                TW_INTERNAL_SORT_STAGED_BYTES(sizeof(name##_key_part), sizeof(name##_value_part)), name##_has_values)  \
    };                                                                                                                 \
    struct name##_sort {                                                                                               \
        struct tw_internal_algorithm common;                                                                           \
        struct tw_internal_radix_sort sort;                                                                            \
        const name##_key_part *in;                                                                                     \
        name##_key_part *out;                                                                                          \
        MEMBERS(name##_value_part)                                                                                     \
    };                                                                                                                 \
    TW_INTERNAL_ALWAYS_INLINE name##_key_part *name##_keys_to(const struct name##_sort *k,                             \
                                                              enum tw_internal_sort_place place)                       \
    {                                                                                                                  \
        return place == TW_INTERNAL_SORT_OUT ? k->out                                                                  \
                                             : (name##_key_part *)tw_internal_at(k->common.scratch, k->sort.spare);    \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE const name##_key_part *name##_keys_from(const struct name##_sort *k,                     \
                                                                      enum tw_internal_sort_place place)               \
    {                                                                                                                  \
        return place == TW_INTERNAL_SORT_IN ? k->in : name##_keys_to(k, place);                                        \
    }

#define TW_INTERNAL_DEFINE_SORT(name, key_bytes, value_bytes)                                                          \
    TW_INTERNAL_DEFINE_SORT_TILES(name)                                                                                \
    TW_INTERNAL_DEFINE_SORT_SHARES(name)                                                                               \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_sort) TW_FOR_GPUS name##_sort_count, TW_INTERNAL_SORT_GROUP);            \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_sort) TW_FOR_GPUS name##_sort_tiles, TW_INTERNAL_SORT_GROUP);            \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_sort) TW_FOR_GPUS name##_sort_ranks, TW_INTERNAL_TILE_ITEMS);            \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_sort) TW_FOR_CPUS name##_sort_counts, 1);                              \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_sort) TW_FOR_CPUS name##_sort_shares, 1);                              \
    static inline                                                                                                      \
        __attribute__((unused)) void name##_record(tw_command_group *group, struct name##_sort *k, size_t count,       \
                                                   unsigned first_bit, unsigned past_bit, bool descending)             \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        k->common.count = count;                                                                                       \
        k->sort.first_bit = first_bit;                                                                                 \
        k->sort.past_bit = past_bit > 8 * key_bytes ? 8 * key_bytes : past_bit;                                        \
        if (k->sort.past_bit <= first_bit)                                                                             \
            k->sort.first_bit = k->sort.past_bit = 0;                                                                  \
        k->sort.flip = descending ? ~0ull : 0;                                                                         \
        tw_internal_plan_sort(&plan, device, &k->common, &k->sort, key_bytes, value_bytes, name##_sort_tile_size,      \
                              device.is_gpu ? TW_KERNEL(name##_sort_count) : TW_KERNEL(name##_sort_counts),            \
                              device.is_gpu ? TW_KERNEL(name##_sort_tiles) : TW_KERNEL(name##_sort_shares),            \
                              TW_KERNEL(name##_sort_ranks),                                                            \
                              (sizeof(name##_key_word) <= 4 ? 1 : 2) + sizeof(name##_key_part) / 32);                  \
        tw_internal_expect(group, "in", k->in, count, key_bytes);                                                      \
        tw_internal_expect(group, "out", k->out, count, key_bytes);                                                    \
        tw_internal_expect_apart(group, k->in, count, k->out, count, key_bytes);                                       \
        tw_internal_algorithm_run(group, &plan, &k->common, sizeof *k);                                                \
    }

#define TW_INTERNAL_SORT(name, type, key)                                                                              \
    TW_INTERNAL_DEFINE_SORT_ELEMENTS(name, type, key)                                                                  \
    TW_INTERNAL_DEFINE_SORT(name, sizeof(type), 0)                                                                     \
    static inline                                                                                                      \
        __attribute__((unused)) void name##_bits(tw_command_group *group, const type *in, size_t count,                \
                                                 unsigned first_bit, unsigned past_bit, bool descending, type *out)    \
    {                                                                                                                  \
        const unsigned bits = name##_key_bits(in);                                                                     \
        struct name##_sort k;                                                                                          \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.in = in;                                                                                                     \
        k.out = out;                                                                                                   \
        name##_record(group, &k, count, first_bit, past_bit < bits ? past_bit : bits, descending);                     \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count, type *out)  \
    {                                                                                                                  \
        name##_bits(group, in, count, 0, 64, false, out);                                                              \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_descending(tw_command_group *group, const type *in,              \
                                                                 size_t count, type *out)                              \
    {                                                                                                                  \
        name##_bits(group, in, count, 0, 64, true, out);                                                               \
    }

#define TW_INTERNAL_SORT_PAIRS(name, key_type, value_type)                                                             \
    TW_INTERNAL_DEFINE_SORT_PAIRS(name, key_type, value_type)                                                          \
    TW_INTERNAL_DEFINE_SORT(name, sizeof(key_type), sizeof(value_type))                                                \
    static inline __attribute__((unused)) void name##_bits(                                                            \
        tw_command_group *group, const key_type *keys, const value_type *values, size_t count, unsigned first_bit,     \
        unsigned past_bit, bool descending, key_type *keys_out, value_type *values_out)                                \
    {                                                                                                                  \
        struct name##_sort k;                                                                                          \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.in = keys;                                                                                                   \
        k.out = keys_out;                                                                                              \
        k.values = values;                                                                                             \
        k.values_out = values_out;                                                                                     \
        tw_internal_expect(group, "values", values, count, sizeof(value_type));                                        \
        tw_internal_expect(group, "values_out", values_out, count, sizeof(value_type));                                \
        tw_internal_expect_apart(group, values, count, values_out, count, sizeof(value_type));                         \
        name##_record(group, &k, count, first_bit, past_bit, descending);                                              \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name(tw_command_group *group, const key_type *keys,                     \
                                                    const value_type *values, size_t count, key_type *keys_out,        \
                                                    value_type *values_out)                                            \
    {                                                                                                                  \
        name##_bits(group, keys, values, count, 0, 64, false, keys_out, values_out);                                   \
    }                                                                                                                  \
    static inline __attribute__((unused)) void name##_descending(tw_command_group *group, const key_type *keys,        \
                                                                 const value_type *values, size_t count,               \
                                                                 key_type *keys_out, value_type *values_out)           \
    {                                                                                                                  \
        name##_bits(group, keys, values, count, 0, 64, true, keys_out, values_out);                                    \
    }

/* The shares of a sort on a CPU. Few elements are sorted share by share, and merged: `merges` becomes the number of passes
   that do so. Of many, all shares exchange their elements in each pass by a digit, for which each thread reads what all of
   them have counted. */
static inline size_t tw_internal_sort_shares(struct tw_internal_algorithm *block, size_t units, size_t passes,
                                             size_t bytes, unsigned *merges)
{
    const size_t cost = TW_INTERNAL_COST_OF_COUNT + TW_INTERNAL_COST_OF_MOVE + bytes,
                 launches = 1 + tw_internal_levels(units),
                 apart = tw_internal_shares(block, units, launches, passes * cost), share = block->share,
                 levels = tw_internal_levels(apart), together = tw_internal_shares(block, units, 2, cost);
    const size_t of_merges = levels * ((TW_INTERNAL_COST_OF_MERGE + bytes) * share + TW_INTERNAL_COST_OF_LAUNCH),
                 of_passes =
                     passes
                     * (2 * TW_INTERNAL_COST_OF_LAUNCH + TW_INTERNAL_COST_OF_PLACE * TW_INTERNAL_DIGITS * together);
    *merges = 0;
    if (passes * cost * share + of_merges >= passes * cost * block->share + (together > 1 ? of_passes : 0))
        return together;
    *merges = (unsigned)levels;
    return tw_internal_shares(block, units, launches, passes * cost);
}

static inline void tw_internal_plan_sort(struct tw_internal_plan *plan, struct tw_internal_algorithm_device device,
                                         struct tw_internal_algorithm *block, struct tw_internal_radix_sort *sort,
                                         size_t key_bytes, size_t value_bytes, size_t tile, const tw_kernel *count,
                                         const tw_kernel *kernel, const tw_kernel *ranks, size_t cost)
{
    const size_t items = device.is_gpu ? TW_INTERNAL_SORT_GROUP : 1, bits = sort->past_bit - sort->first_bit;
    const unsigned passes = bits > 8 ? (unsigned)(bits + 7) / 8 : 1;
    sort->merges = 0;
    const size_t groups =
        device.is_gpu ? tw_internal_divide_up(block->count, tile)
                      : tw_internal_sort_shares(block, device.units, passes, key_bytes + value_bytes, &sort->merges);
    size_t head = 0, counting = groups;
    tw_internal_begin_plan(plan);
    sort->passes = passes + sort->merges;
    sort->at_once = !device.is_gpu && groups <= 1;
    sort->groups = groups;
    if (!block->count)
        return;
    if (tw_internal_are_ranked(device, block->count, cost)) {
        tw_internal_add_stage(plan, ranks, tw_internal_divide_up(block->count, TW_INTERNAL_RANKED),
                              TW_INTERNAL_TILE_ITEMS, 0);
        return;
    }
    if (device.is_gpu) {
        head = plan->cleared_bytes = TW_INTERNAL_SORT_TILES + 8 * TW_INTERNAL_DIGITS * groups;
        counting = groups < device.units * TW_INTERNAL_SORT_GROUPS ? groups : device.units * TW_INTERNAL_SORT_GROUPS;
        tw_internal_add_stage(plan, count, counting, items, 0);
    } else if (groups > 1 && !sort->merges) {
        head = sizeof(size_t) * TW_INTERNAL_DIGITS * groups;
    }
    sort->spare = tw_internal_round_up(head);
    sort->spare_values = sort->spare + tw_internal_round_up(block->count * key_bytes);
    plan->scratch_bytes = head;
    if (sort->passes > 1)
        plan->scratch_bytes = sort->spare_values + block->count * value_bytes;
    if (sort->merges)
        tw_internal_add_stage(plan, kernel, groups, items, 0);
    for (unsigned pass = sort->merges ? passes : 0; pass < (sort->at_once ? 1 : sort->passes); ++pass) {
        if (!device.is_gpu && groups > 1 && !sort->merges)
            tw_internal_add_stage(plan, count, groups, items, pass);
        tw_internal_add_stage(plan, kernel, groups, items, pass);
    }
}

#endif
