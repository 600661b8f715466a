/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What the kernels of algorithms have in common: elements of a work-group, a tile, and how its sub-groups exchange
 * values of any type.
 *
 * On a GPU each work-item loads vectors of 16 bytes, a few rows of them. A row of a sub-group is one piece of memory:
 *
 *     sub-group 0: row 0 of work-items 0 to 31, row 1 of work-items 0 to 31, ...; sub-group 1: ...
 */
#ifndef TEAMWORK_LOWER_ALGORITHM_TILE_H
#define TEAMWORK_LOWER_ALGORITHM_TILE_H

#include <teamwork/atomic.h>
#include <teamwork/group_functions.h>
#include <teamwork/kernel.h>
#include <teamwork/kernel_object.h>
#include <teamwork/lower/algorithm/plan.h>
#include <teamwork/nd_range.h>

#define TW_INTERNAL_ALWAYS_INLINE static inline __attribute__((always_inline, unused))

enum { TW_INTERNAL_TILE_ITEMS = 256 }; /* work-items of a group on a GPU */

/* Elements of a work-item's vector, and its rows: 64 bytes if elements are not larger. */
#define TW_INTERNAL_VECTOR(type) (sizeof(type) < 16 && 16 % sizeof(type) == 0 ? 16 / sizeof(type) : 1)
#define TW_INTERNAL_ROW_BYTES(type) (TW_INTERNAL_VECTOR(type) * sizeof(type))
#define TW_INTERNAL_ROWS(type)                                                                                         \
    (TW_INTERNAL_ROW_BYTES(type) > 64 ? 1 : TW_INTERNAL_ROW_BYTES(type) <= 16 ? 4 : 64 / TW_INTERNAL_ROW_BYTES(type))
#define TW_INTERNAL_LONG_ROWS(type) /* of a scan: up to 128 bytes, if elements are not larger than 64 */               \
    (TW_INTERNAL_ROW_BYTES(type) > 64 ? 1 : 2 * TW_INTERNAL_ROWS(type))
#define TW_INTERNAL_LONG_TILE(type) (TW_INTERNAL_TILE_ITEMS * TW_INTERNAL_VECTOR(type) * TW_INTERNAL_LONG_ROWS(type))
#define TW_INTERNAL_TILE(type) (TW_INTERNAL_TILE_ITEMS * TW_INTERNAL_VECTOR(type) * TW_INTERNAL_ROWS(type))

typedef unsigned tw_internal_vector __attribute__((vector_size(16)));

/* The number of elements. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_count(const struct tw_internal_algorithm *k)
{
    const size_t *counted = (const size_t *)k->counted;
    return counted && *counted < k->count ? *counted : k->count;
}

/* The elements of group `group` on a CPU: from *first up to what it returns. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_share_of(const struct tw_internal_algorithm *k, size_t group,
                                                      size_t *first)
{
    const size_t count = tw_internal_count(k), begin = group * k->share;
    *first = begin < count ? begin : count;
    return count - *first < k->share ? count : *first + k->share;
}

TW_INTERNAL_ALWAYS_INLINE void *tw_internal_at(void *memory, size_t bytes)
{
    return (char *)memory + bytes;
}

TW_INTERNAL_ALWAYS_INLINE bool tw_internal_is_aligned(const void *pointer)
{
    return (uintptr_t)pointer % 16 == 0;
}

/* The same number, of which the compiler knows nothing. */
TW_INTERNAL_ALWAYS_INLINE size_t tw_internal_opaque(size_t number)
{
#ifdef __NVPTX__
    __asm__ volatile("" : "+l"(number));
#endif
    return number;
}

/* Adds y to what x has, if that is something; else x becomes y, which has no side effects. It is no conditional
   expression: one of structs was miscompiled in the simt lowering. */
#define TW_INTERNAL_APPEND(has, x, operation, y)                                                                       \
    do {                                                                                                               \
        if (has)                                                                                                       \
            (x) = operation(x, y);                                                                                     \
        else                                                                                                           \
            (x) = y;                                                                                                   \
    } while (0)

/* Elements that a CPU combines in several chains, each of neighbours, since a processor computes them at the same time:
   the operation is associative. Of larger types a chain is one of several operations already. `count` is at least 1. */
enum { TW_INTERNAL_FOLD_CHAINS = 8, TW_INTERNAL_CHAINED_BYTES = 8 };
#define TW_INTERNAL_DEFINE_FOLD(name, type, operation)                                                                 \
    TW_INTERNAL_ALWAYS_INLINE type name##_fold(const type *in, size_t count)                                           \
    {                                                                                                                  \
        enum { CHAINS = sizeof(type) <= TW_INTERNAL_CHAINED_BYTES ? TW_INTERNAL_FOLD_CHAINS : 1 };                     \
        const size_t each = count / CHAINS;                                                                            \
        type x[CHAINS];                                                                                                \
        size_t i = 1;                                                                                                  \
        x[0] = in[0];                                                                                                  \
        if (each > 1) {                                                                                                \
            for (unsigned c = 1; c < CHAINS; ++c)                                                                      \
                x[c] = in[c * each];                                                                                   \
            for (; i < each; ++i)                                                                                      \
                for (unsigned c = 0; c < CHAINS; ++c)                                                                  \
                    x[c] = operation(x[c], in[c * each + i]);                                                          \
            for (unsigned c = 1; c < CHAINS; ++c)                                                                      \
                x[0] = operation(x[0], x[c]);                                                                          \
            i = CHAINS * each;                                                                                         \
        }                                                                                                              \
        for (; i < count; ++i)                                                                                         \
            x[0] = operation(x[0], in[i]);                                                                             \
        return x[0];                                                                                                   \
    }

/* A binary search: `low` becomes the first place, from `low` up to `high`, that is not behind. `is_behind` says it of
   `middle`, and is false for all places after one for which it is. */
#define TW_INTERNAL_BISECT(low, high, middle, is_behind)                                                               \
    while ((low) < (high)) {                                                                                           \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2;                                                   \
        if (is_behind)                                                                                                 \
            (low) = middle + 1;                                                                                        \
        else                                                                                                           \
            (high) = middle;                                                                                           \
    }                                                                                                                  \
    (void)0

#if TW_ON_GPU

/* Loads, or stores, a work-item's vector: 16 bytes at once, which are aligned so, or one element. Or copies it from one
   such place to another. */
#define TW_INTERNAL_LOAD_ROW(to, from, type) TW_INTERNAL_MOVE_ROW(tw_internal_load_vector, to, from, type)
#define TW_INTERNAL_STORE_ROW(to, from, type) TW_INTERNAL_MOVE_ROW(tw_internal_store_vector, to, from, type)
#define TW_INTERNAL_COPY_ROW(to, from, type) TW_INTERNAL_MOVE_ROW(tw_internal_copy_vector, to, from, type)
#define TW_INTERNAL_MOVE_ROW(move_vector, to, from, type)                                                              \
    TW_INTERNAL_MOVE_VECTOR(TW_INTERNAL_VECTOR(type), move_vector, to, from)
#define TW_INTERNAL_MOVE_VECTOR(elements, move_vector, to, from)                                                       \
    do {                                                                                                               \
        if ((elements) > 1)                                                                                            \
            move_vector(to, from);                                                                                     \
        else                                                                                                           \
            *(to) = *(from);                                                                                           \
    } while (0)
TW_INTERNAL_ALWAYS_INLINE void tw_internal_copy_vector(void *to, const void *from)
{
    *(tw_internal_vector *)to = *(const tw_internal_vector *)from;
}
TW_INTERNAL_ALWAYS_INLINE void tw_internal_load_vector(void *to, const void *from)
{
    const tw_internal_vector vector = *(const tw_internal_vector *)from;
    __builtin_memcpy(to, &vector, 16);
}
TW_INTERNAL_ALWAYS_INLINE void tw_internal_store_vector(void *to, const void *from)
{
    tw_internal_vector vector;
    __builtin_memcpy(&vector, from, 16);
    *(tw_internal_vector *)to = vector;
}

/* ---- tiles that wait for those before them ----------------------------------------------------------------------- */

/* Decoupled look-back (Merrill and Garland, 2016). Each tile says first what it has alone, then what it has with all
   tiles before it. A value is told as words of 32 bits, each beside what it is: so a value is whole where all its
   words are of one kind, and no fence orders anything. Word w of tile t is at [w * tiles + t]. */
enum { TW_INTERNAL_TILE_ALONE = 1, TW_INTERNAL_TILE_WHOLE = 2 };

TW_INTERNAL_ALWAYS_INLINE void tw_internal_tell(unsigned long long *tiles, size_t stride, size_t tile,
                                                const void *value, size_t bytes, unsigned kind)
{
    for (size_t i = 0; i < bytes; i += 4) {
        unsigned word = 0;
        __builtin_memcpy(&word, (const char *)value + i, bytes - i < 4 ? bytes - i : 4);
        tw_atomic_store(&tiles[i / 4 * stride + tile], (unsigned long long)kind << 32 | word, TW_ORDER_RELAXED,
                        TW_SCOPE_DEVICE);
    }
}

/* What a tile has told, and of which kind it is; 0: not yet. One tile for each work-item: to ask for two or four at
   once was no faster on an H200. */
TW_INTERNAL_ALWAYS_INLINE unsigned tw_internal_ask(const unsigned long long *tiles, size_t stride, size_t tile,
                                                   void *value, size_t bytes)
{
    unsigned kind = 0, missing = 0;
    for (size_t i = 0; i < bytes; i += 4) {
        const unsigned long long told =
            tw_atomic_load(&tiles[i / 4 * stride + tile], TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
        const unsigned word = (unsigned)told;
        kind = i ? kind : (unsigned)(told >> 32);
        missing |= kind ^ (unsigned)(told >> 32);
        __builtin_memcpy((char *)value + i, &word, bytes - i < 4 ? bytes - i : 4);
    }
    return missing ? 0 : kind;
}

/* How long a tile waits before it asks those before it, and before it asks again. What asks too often holds up those who
   tell: without it a scan of 2^26 doubles takes 1.29 of CUB's time on an H200, with it 1.07. The first tiles begin
   together, and do not wait. */
enum { TW_INTERNAL_FIRST_TILES = 512, TW_INTERNAL_FIRST_PAUSE = 2000, TW_INTERNAL_PAUSE = 1000 /* nanoseconds */ };
TW_INTERNAL_ALWAYS_INLINE void tw_internal_pause(unsigned nanoseconds)
{
#if defined(__NVPTX__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
#else
    (void)nanoseconds;
#endif
}

#endif

/* The tile of a group. In the standard mapping a team runs groups in an order of its own, so it takes the next tile
   that nobody has, by a counter that is 0 at first: tiles before one have begun. Without a counter there is one tile. */
#if defined(TW_INTERNAL_PASS_SIMT)
#define TW_INTERNAL_TAKE_TILE(item, counter)                                                                           \
    const size_t tile = tw_group_id(item, 0);                                                                          \
    (void)(counter)
#elif TW_ON_GPU
#define TW_INTERNAL_TAKE_TILE(item, counter)                                                                           \
    TW_LOCAL(unsigned, taken);                                                                                         \
    tw_barrier(item, TW_LOCAL_SPACE);                                                                                  \
    if (tw_local_id(item, 0) == 0)                                                                                     \
        taken = (counter) ? tw_atomic_fetch_add((unsigned *)(counter), 1u, TW_ORDER_RELAXED, TW_SCOPE_DEVICE) : 0;     \
    tw_barrier(item, TW_LOCAL_SPACE);                                                                                  \
    const size_t tile = taken
#endif

/* A kernel that is not for the devices of this pass. */
#define TW_INTERNAL_NO_GPU_KERNEL(name, block)                                                                         \
    static inline void name(tw_nd_item item, const struct block *k)                                                    \
    {                                                                                                                  \
        (void)item, (void)k;                                                                                           \
    }
#define TW_INTERNAL_NO_CPU_KERNEL(name, block)                                                                         \
    static inline void name(tw_group group, const struct block *k)                                                     \
    {                                                                                                                  \
        (void)group, (void)k;                                                                                          \
    }

#endif
