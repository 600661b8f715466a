/* SPDX-License-Identifier: Apache-2.0 */
/** Lowers TW_LOWER_BOUND() and TW_UPPER_BOUND() (<teamwork/algorithms.h>): each value has a binary search of its own. */
#ifndef TEAMWORK_LOWER_ALGORITHM_SEARCH_H
#define TEAMWORK_LOWER_ALGORITHM_SEARCH_H

#include <teamwork/lower/algorithm/map.h>

enum { TW_INTERNAL_SEARCH_BYTES = 128 }; /* what a search costs a CPU, as memory that it reads in a row */

/* Whether the place of a value is behind element x: what a definition chooses from. */
#define TW_INTERNAL_BEHIND_LESS(less, x, value) (less(x, value))
#define TW_INTERNAL_BEHIND_EQUAL(less, x, value) (!(less(value, x)))

#define TW_INTERNAL_SEARCH(name, type, less, IS_BEHIND)                                                                \
    struct name##_search {                                                                                             \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        const type *values;                                                                                            \
        size_t *out;                                                                                                   \
        size_t value_count;                                                                                            \
    };                                                                                                                 \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_range(const struct name##_search *k)                                       \
    {                                                                                                                  \
        return k->value_count;                                                                                         \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_at(const struct name##_search *k, size_t i)                                  \
    {                                                                                                                  \
        const type value = k->values[i];                                                                               \
        size_t low = 0, high = tw_internal_count(&k->common);                                                          \
        TW_INTERNAL_BISECT(low, high, middle, IS_BEHIND(less, k->in[middle], value));                                  \
        k->out[i] = low;                                                                                               \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_MAP(name, name##_search);                                                                       \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count,             \
                                                    const type *values, size_t value_count, size_t *out)               \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_search k;                                                                                        \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.values = values;                                                                                             \
        k.value_count = value_count;                                                                                   \
        k.out = out;                                                                                                   \
        tw_internal_begin_plan(&plan);                                                                                 \
        tw_internal_add_map(&plan, device, TW_INTERNAL_MAP_KERNEL(name, device), value_count,                          \
                            TW_INTERNAL_SEARCH_BYTES);                                                                 \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "values", values, value_count, sizeof(type));                                        \
        tw_internal_expect(group, "out", out, value_count, sizeof(size_t));                                            \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

#endif
