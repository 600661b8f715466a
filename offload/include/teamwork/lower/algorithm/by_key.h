/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_REDUCE_BY_KEY() and TW_RUN_LENGTH_ENCODE() (<teamwork/algorithms.h>): a scan of pairs, of how many runs of
 * equal keys have begun and of what the last one has so far. by_key_gpu.h has the kernel of a GPU.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_BY_KEY_H
#define TEAMWORK_LOWER_ALGORITHM_BY_KEY_H

#include <teamwork/lower/algorithm/by_key_gpu.h>
#include <teamwork/lower/algorithm/scan_transformed.h>

/* The value of element i: what a definition chooses from, as from what by_key_gpu.h has for a work-item of a GPU. */
#define TW_INTERNAL_VALUE_OF(k, i) ((k)->values[i])
#define TW_INTERNAL_VALUE_ONE(k, i) 1

#define TW_INTERNAL_DEFINE_RUN(name, key_type, value_type, operation)                                                  \
    struct name##_by_key {                                                                                             \
        struct tw_internal_algorithm common;                                                                           \
        const key_type *in;                                                                                            \
        const value_type *values;                                                                                      \
        key_type *out;                                                                                                 \
        value_type *values_out;                                                                                        \
        size_t *runs;                                                                                                  \
    };                                                                                                                 \
    typedef struct {                                                                                                   \
        size_t begun;                                                                                                  \
        value_type value;                                                                                              \
    } name##_run;                                                                                                      \
    TW_INTERNAL_ALWAYS_INLINE name##_run name##_join(name##_run a, name##_run b)                                       \
    {                                                                                                                  \
        if (!b.begun)                                                                                                  \
            b.value = operation(a.value, b.value);                                                                     \
        b.begun += a.begun;                                                                                            \
        return b;                                                                                                      \
    }

#if TW_ON_GPU

#define TW_INTERNAL_DEFINE_RUN_SHARES(name, key_type, value_type, equal, operation, VALUE)                             \
    TW_INTERNAL_NO_CPU_KERNEL(name##_sums, name##_by_key)                                                              \
    TW_INTERNAL_NO_CPU_KERNEL(name##_shares, name##_by_key)

#else

/* On a CPU a loop goes from run to run. The first launch counts the runs of a share, and reduces what it has of the
   last one. */
#define TW_INTERNAL_DEFINE_RUN_SUMS(name, value_type, operation, VALUE)                                                \
    static inline void name##_sums(tw_group group, const struct name##_by_key *k)                                      \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct name##_by_key own = *k; /* in registers, whatever is stored */                                \
            size_t first = 0;                                                                                          \
            const size_t past = tw_internal_share_of(&own.common, tw_group_id(group, 0), &first);                      \
            if (first < past) {                                                                                        \
                name##_run *const run = (name##_run *)own.common.scratch + tw_group_id(group, 0);                      \
                size_t i = past - 1, begun = 0;                                                                        \
                while (i > first && !name##_begins(&own, i))                                                           \
                    --i;                                                                                               \
                value_type value = VALUE(&own, i);                                                                     \
                for (size_t j = i + 1; j < past; ++j)                                                                  \
                    value = operation(value, VALUE(&own, j));                                                          \
                for (i = first; i < past; ++i)                                                                         \
                    begun += name##_begins(&own, i);                                                                   \
                run->begun = begun;                                                                                    \
                run->value = value;                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

#define TW_INTERNAL_DEFINE_RUN_SHARES(name, key_type, value_type, equal, operation, VALUE)                             \
    TW_INTERNAL_DEFINE_RUN_SUMS(name, value_type, operation, VALUE)                                                    \
    static inline void name##_shares(tw_group group, const struct name##_by_key *k)                                    \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            const struct name##_by_key own = *k;                                                                       \
            const name##_run *const before = (const name##_run *)own.common.scratch;                                   \
            const size_t me = tw_group_id(group, 0), count = tw_internal_count(&own.common);                           \
            size_t i = 0;                                                                                              \
            const size_t past = tw_internal_share_of(&own.common, me, &i);                                             \
            if (i < past) {                                                                                            \
                name##_run run = name##_load(&own, i);                                                                 \
                bool begins = run.begun;                                                                               \
                for (size_t share = me; share-- > 0;)                                                                  \
                    run = name##_join(before[share], run);                                                             \
                while (i < past) {                                                                                     \
                    if (begins)                                                                                        \
                        own.out[run.begun - 1] = own.in[i];                                                            \
                    for (++i; i < past && !(begins = !(equal(own.in[i - 1], own.in[i]))); ++i)                         \
                        run.value = operation(run.value, VALUE(&own, i));                                              \
                    if (i < past || i == count || name##_begins(&own, i))                                              \
                        own.values_out[run.begun - 1] = run.value;                                                     \
                    if (i < past) {                                                                                    \
                        run.value = VALUE(&own, i);                                                                    \
                        ++run.begun;                                                                                   \
                    }                                                                                                  \
                }                                                                                                      \
                if (past == count)                                                                                     \
                    *own.runs = run.begun;                                                                             \
            } else if (me == 0) {                                                                                      \
                *own.runs = 0;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }

#endif

#define TW_INTERNAL_DEFINE_BY_KEY(name, key_type, value_type, part_type, equal, operation, VALUE, FETCH, TURN)         \
    TW_INTERNAL_DEFINE_RUN(name, key_type, value_type, operation)                                                      \
    TW_INTERNAL_ALWAYS_INLINE bool name##_begins(const struct name##_by_key *k, size_t i)                              \
    {                                                                                                                  \
        return i == 0 || !(equal(k->in[i - 1], k->in[i]));                                                             \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE name##_run name##_load(const struct name##_by_key *k, size_t i)                          \
    {                                                                                                                  \
        name##_run x;                                                                                                  \
        x.begun = name##_begins(k, i);                                                                                 \
        x.value = VALUE(k, i);                                                                                         \
        return x;                                                                                                      \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_RUN_TILES(name, key_type, value_type, part_type, equal, operation, FETCH, TURN)                 \
    TW_INTERNAL_DEFINE_RUN_SHARES(name, key_type, value_type, equal, operation, VALUE)                                 \
    TW_INTERNAL_DEFINE_TRANSFORMED_KERNELS(name, name##_by_key);                                                       \
    static inline __attribute__((unused)) void name##_record(tw_command_group *group, const key_type *in,              \
                                                             const value_type *values, size_t count, key_type *out,    \
                                                             value_type *values_out, size_t *runs)                     \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_by_key k;                                                                                        \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.values = values;                                                                                             \
        k.out = out;                                                                                                   \
        k.values_out = values_out;                                                                                     \
        k.runs = runs;                                                                                                 \
        tw_internal_begin_plan(&plan);                                                                                 \
        /* a tile of a GPU tells a word and a value */                                                                 \
        tw_internal_add_transformed_scan(                                                                              \
            &plan, device, &k.common, device.is_gpu ? 4 + sizeof(value_type) : sizeof(name##_run),                     \
            sizeof(key_type) + sizeof(value_type), TW_INTERNAL_KEYED_TILE(key_type, part_type),                        \
            TW_KERNEL(name##_sums), device.is_gpu ? TW_KERNEL(name##_tiles) : TW_KERNEL(name##_shares));               \
        tw_internal_expect(group, "keys", in, count, sizeof(key_type));                                                \
        tw_internal_expect(group, "values", values, count, sizeof(value_type));                                        \
        tw_internal_expect(group, "runs", runs, 1, sizeof(size_t));                                                    \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

#define TW_INTERNAL_REDUCE_BY_KEY(name, key_type, value_type, equal, operation)                                        \
    TW_INTERNAL_DEFINE_BY_KEY(name, key_type, value_type, value_type, equal, operation, TW_INTERNAL_VALUE_OF,          \
                              TW_INTERNAL_FETCH_VALUES, TW_INTERNAL_TURN_VALUES)                                       \
    static inline __attribute__((unused)) void name(tw_command_group *group, const key_type *keys,                     \
                                                    const value_type *values, size_t count, key_type *keys_out,        \
                                                    value_type *values_out, size_t *runs)                              \
    {                                                                                                                  \
        name##_record(group, keys, values, count, keys_out, values_out, runs);                                         \
    }

#define TW_INTERNAL_ADD_LENGTHS(a, b) ((a) + (b))
#define TW_INTERNAL_RUN_LENGTH_ENCODE(name, type, equal)                                                               \
    TW_INTERNAL_DEFINE_BY_KEY(name, type, size_t, unsigned, equal, TW_INTERNAL_ADD_LENGTHS, TW_INTERNAL_VALUE_ONE,     \
                              TW_INTERNAL_FETCH_NOTHING, TW_INTERNAL_TURN_ONES)                                        \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count, type *out,  \
                                                    size_t *lengths, size_t *runs)                                     \
    {                                                                                                                  \
        name##_record(group, in, (const size_t *)TW_INTERNAL_NULL, count, out, lengths, runs);                         \
    }

#endif
