/* SPDX-License-Identifier: Apache-2.0 */
/** What the tests of algorithms.h share: sizes around the edges of tiles and shares, buffers, and a struct. */
#ifndef ALGORITHM_TEST_H
#define ALGORITHM_TEST_H

#include "tw_test.h"

#include <teamwork/algorithms.h>

/* Tiles of a GPU have 16 or 32 KiB, or 1024 elements at least; the shares of a CPU begin at twice 64 KiB. Sanitizers,
   which see no GPU, are slow. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FEW_SIZES
#endif
#endif
#ifdef FEW_SIZES
static const size_t test_sizes[] = {1, 33, 1024, 8193, 32769};
#else
static const size_t test_sizes[] = {1,    2,    33,   255,  256,  257,   1023,  1024,  1025,  2047,  2048,
                                    2049, 4095, 4096, 4097, 8193, 32767, 32768, 32769, 40961, 100003};
#endif

/** Calls `use` with 0 and all sizes. */
static inline void for_sizes(void (*use)(size_t count))
{
    use(0);
    for (size_t i = 0; i < sizeof test_sizes / sizeof test_sizes[0]; ++i) {
        snprintf(tw_test_state.note, sizeof tw_test_state.note, "%zu elements", test_sizes[i]);
        use(test_sizes[i]);
    }
    *tw_test_state.note = '\0';
}

/** A buffer with a copy of an array; of one element more than `count`, so that it is never empty. */
static inline tw_buffer *buffer_of(const void *data, size_t bytes, size_t count)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create_copy(data, bytes, tw_range_1d(count + 1), &buffer));
    return buffer;
}

static inline void *room_for(size_t bytes, size_t count)
{
    void *room = calloc(count + 1, bytes);
    TW_CHECK(room != NULL);
    return room;
}

/** A number that looks random, the same for each i. */
static inline unsigned number(size_t i)
{
    unsigned x = (unsigned)i * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

/** x becomes a * x + b, which does not commute; 8 bytes. */
struct affine {
    unsigned a, b;
};
static inline struct affine affine_then(struct affine f, struct affine g)
{
    struct affine both = {f.a * g.a, f.b * g.a + g.b};
    return both;
}
static inline struct affine affine_value(size_t i)
{
    struct affine value = {(unsigned)i % 5 * 2 + 1, (unsigned)i % 7};
    return value;
}

#endif
