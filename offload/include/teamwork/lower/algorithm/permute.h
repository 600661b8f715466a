/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Lowers TW_GATHER(), TW_SCATTER() and TW_SHUFFLE() (<teamwork/algorithms.h>): each element goes to a place that an
 * index, or a bijection, tells.
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_PERMUTE_H
#define TEAMWORK_LOWER_ALGORITHM_PERMUTE_H

#include <teamwork/lower/algorithm/map.h>
#include <teamwork/random.h>

/* `places` are elements of the array that indices lead into. Others are left out. */
#define TW_INTERNAL_DEFINE_PERMUTATION(name, type, index_type, FROM, TO)                                               \
    struct name##_permutation {                                                                                        \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        const index_type *indices;                                                                                     \
        type *out;                                                                                                     \
        size_t places;                                                                                                 \
    };                                                                                                                 \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_range(const struct name##_permutation *k)                                  \
    {                                                                                                                  \
        return tw_internal_count(&k->common);                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_at(const struct name##_permutation *k, size_t i)                             \
    {                                                                                                                  \
        const size_t place = (size_t)k->indices[i];                                                                    \
        if (place < k->places)                                                                                         \
            k->out[TO(i, place)] = k->in[FROM(i, place)];                                                              \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_MAP(name, name##_permutation);                                                                  \
    static inline __attribute__((unused)) void name##_record(                                                          \
        tw_command_group *group, const type *in, const index_type *indices, size_t count, type *out, size_t places)    \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_permutation k;                                                                                   \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.indices = indices;                                                                                           \
        k.out = out;                                                                                                   \
        k.places = places;                                                                                             \
        tw_internal_begin_plan(&plan);                                                                                 \
        tw_internal_add_map(&plan, device, TW_INTERNAL_MAP_KERNEL(name, device), count,                                \
                            sizeof(type) + sizeof(index_type));                                                        \
        tw_internal_expect(group, "indices", indices, count, sizeof(index_type));                                      \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }
#define TW_INTERNAL_BY_NUMBER(i, place) (i)
#define TW_INTERNAL_BY_INDEX(i, place) (place)

#define TW_INTERNAL_GATHER(name, type, index_type)                                                                     \
    TW_INTERNAL_DEFINE_PERMUTATION(name, type, index_type, TW_INTERNAL_BY_INDEX, TW_INTERNAL_BY_NUMBER)                \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t in_count,          \
                                                    const index_type *indices, size_t count, type *out)                \
    {                                                                                                                  \
        tw_internal_expect(group, "in", in, in_count, sizeof(type));                                                   \
        tw_internal_expect(group, "out", out, count, sizeof(type));                                                    \
        tw_internal_expect_apart(group, in, in_count, out, count, sizeof(type));                                       \
        name##_record(group, in, indices, count, out, in_count);                                                       \
    }

#define TW_INTERNAL_SCATTER(name, type, index_type)                                                                    \
    TW_INTERNAL_DEFINE_PERMUTATION(name, type, index_type, TW_INTERNAL_BY_NUMBER, TW_INTERNAL_BY_INDEX)                \
    static inline __attribute__((unused)) void name(                                                                   \
        tw_command_group *group, const type *in, const index_type *indices, size_t count, type *out, size_t out_count) \
    {                                                                                                                  \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, out_count, sizeof(type));                                                \
        tw_internal_expect_apart(group, in, count, out, out_count, sizeof(type));                                      \
        name##_record(group, in, indices, count, out, out_count);                                                      \
    }

/* ---- shuffles ---------------------------------------------------------------------------------------------------- */

/* A bijection of the numbers below a power of 2, in the manner of Philox for any number of bits (Mitchell, Stokes,
   Frank and Holmes, Bandwidth-optimal random shuffling for GPUs, 2022). */
enum { TW_INTERNAL_SHUFFLE_ROUNDS = 24, TW_INTERNAL_SHUFFLE_BITS = 6 /* at least */ };

struct tw_internal_shuffle_keys {
    uint32_t word[TW_INTERNAL_SHUFFLE_ROUNDS];
};

TW_INTERNAL_ALWAYS_INLINE struct tw_internal_shuffle_keys tw_internal_shuffle_keys(uint64_t seed)
{
    struct tw_internal_shuffle_keys keys;
    for (unsigned round = 0; round < TW_INTERNAL_SHUFFLE_ROUNDS; ++round)
        keys.word[round] = tw_philox(seed, round / 4, 0).word[round % 4];
    return keys;
}

/* The image of x, of `bits` bits. A round multiplies the left half by an odd number, of which the low bits are the new
   right half and the high bits, with the old right half and a key, the new left one. The right half may have a bit
   more, which changes sides. */
TW_INTERNAL_ALWAYS_INLINE uint64_t tw_internal_biject(const struct tw_internal_shuffle_keys *keys, uint64_t x,
                                                      unsigned bits)
{
    const unsigned left_bits = bits / 2, right_bits = bits - left_bits;
    const uint32_t left_mask = (uint32_t)(((uint64_t)1 << left_bits) - 1),
                   right_mask = (uint32_t)(((uint64_t)1 << right_bits) - 1);
    uint32_t left = (uint32_t)(x >> right_bits), right = (uint32_t)x & right_mask;
    for (unsigned round = 0; round < TW_INTERNAL_SHUFFLE_ROUNDS; ++round) {
        const uint64_t product = 0xd2b74407b1ce6e93u * (uint64_t)left;
        const uint32_t high = (uint32_t)(product >> 32), low = (uint32_t)product;
        left = (high ^ keys->word[round] ^ right) & left_mask;
        right = (low << (right_bits - left_bits) | (uint32_t)((uint64_t)right >> left_bits)) & right_mask;
    }
    return (uint64_t)left << right_bits | right;
}

/* How many bits the numbers below `count` have, at least those that a bijection has. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_shuffle_bits(size_t count)
{
    unsigned bits = TW_INTERNAL_SHUFFLE_BITS;
    while (bits < 64 && (uint64_t)(count - 1) >> bits)
        ++bits;
    return bits;
}

#if TW_ON_GPU

/* Of a number below `count`: what leads out of them is followed until it leads back. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_shuffled(const struct tw_internal_shuffle_keys *keys, size_t i,
                                                      size_t count)
{
    const unsigned bits = tw_internal_shuffle_bits(count);
    uint64_t x = i;
    do
        x = tw_internal_biject(keys, x, bits);
    while (x >= count);
    return (size_t)x;
}

#define TW_INTERNAL_DEFINE_SHUFFLE_KERNELS(name)                                                                       \
    TW_INTERNAL_ALWAYS_INLINE size_t name##_range(const struct name##_shuffle *k)                                      \
    {                                                                                                                  \
        return tw_internal_count(&k->common);                                                                          \
    }                                                                                                                  \
    TW_INTERNAL_ALWAYS_INLINE void name##_at(const struct name##_shuffle *k, size_t i)                                 \
    {                                                                                                                  \
        k->out[i] = k->in[tw_internal_shuffled(&k->keys, i, tw_internal_count(&k->common))];                           \
    }                                                                                                                  \
    TW_INTERNAL_DEFINE_MAP(name, name##_shuffle)

#else

/* A CPU finds the images of so many numbers at once, which LLVM makes vectors of. A number that has led out of those below
   `count` is among the next ones. */
enum { TW_INTERNAL_SHUFFLED_AT_ONCE = 64 };
TW_INTERNAL_ALWAYS_INLINE void tw_internal_biject_all(const struct tw_internal_shuffle_keys *keys, uint64_t *x,
                                                      unsigned bits)
{
    const struct tw_internal_shuffle_keys own = *keys;
    for (unsigned i = 0; i < TW_INTERNAL_SHUFFLED_AT_ONCE; ++i)
        x[i] = tw_internal_biject(&own, x[i], bits);
}

#define TW_INTERNAL_DEFINE_SHUFFLE_KERNELS(name)                                                                       \
    TW_INTERNAL_NO_GPU_KERNEL(name##_map, name##_shuffle)                                                              \
    static inline void name##_map_shares(tw_group group, const struct name##_shuffle *k)                               \
    {                                                                                                                  \
        TW_ONCE(group) {                                                                                               \
            uint64_t x[TW_INTERNAL_SHUFFLED_AT_ONCE] = {0};                                                            \
            size_t at[TW_INTERNAL_SHUFFLED_AT_ONCE], next = 0;                                                         \
            const size_t count = tw_internal_count(&k->common),                                                        \
                         past = tw_internal_map_share(count, tw_group_range(group, 0), tw_group_id(group, 0), &next);  \
            const unsigned bits = tw_internal_shuffle_bits(count);                                                     \
            for (unsigned kept = 0; kept || next < past;) {                                                            \
                unsigned n = kept;                                                                                     \
                for (; n < TW_INTERNAL_SHUFFLED_AT_ONCE && next < past; ++n)                                           \
                    x[n] = at[n] = next++;                                                                             \
                tw_internal_biject_all(&k->keys, x, bits);                                                             \
                kept = 0;                                                                                              \
                for (unsigned i = 0; i < n; ++i) {                                                                     \
                    if (x[i] < count)                                                                                  \
                        k->out[at[i]] = k->in[x[i]];                                                                   \
                    else {                                                                                             \
                        x[kept] = x[i];                                                                                \
                        at[kept++] = at[i];                                                                            \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(static TW_BLOCK(name##_shuffle) TW_FOR_GPUS name##_map, TW_INTERNAL_TILE_ITEMS);                \
    TW_WORK_GROUP_KERNEL(static TW_BLOCK(name##_shuffle) TW_FOR_CPUS name##_map_shares, 1)

#endif

#define TW_INTERNAL_SHUFFLE_ELEMENTS(name, type)                                                                       \
    struct name##_shuffle {                                                                                            \
        struct tw_internal_algorithm common;                                                                           \
        const type *in;                                                                                                \
        type *out;                                                                                                     \
        struct tw_internal_shuffle_keys keys;                                                                          \
    };                                                                                                                 \
    TW_INTERNAL_DEFINE_SHUFFLE_KERNELS(name);                                                                          \
    static inline __attribute__((unused)) void name(tw_command_group *group, const type *in, size_t count,             \
                                                    uint64_t seed, type *out)                                          \
    {                                                                                                                  \
        const struct tw_internal_algorithm_device device = tw_internal_algorithm_device(group);                        \
        struct tw_internal_plan plan;                                                                                  \
        struct name##_shuffle k;                                                                                       \
        __builtin_memset(&k, 0, sizeof k);                                                                             \
        k.common.count = count;                                                                                        \
        k.in = in;                                                                                                     \
        k.out = out;                                                                                                   \
        k.keys = tw_internal_shuffle_keys(seed);                                                                       \
        tw_internal_begin_plan(&plan);                                                                                 \
        tw_internal_add_map(&plan, device, TW_INTERNAL_MAP_KERNEL(name, device), count, 64 + sizeof(type));            \
        tw_internal_expect(group, "in", in, count, sizeof(type));                                                      \
        tw_internal_expect(group, "out", out, count, sizeof(type));                                                    \
        tw_internal_expect_apart(group, in, count, out, count, sizeof(type));                                          \
        tw_internal_algorithm_run(group, &plan, &k.common, sizeof k);                                                  \
    }

#endif
