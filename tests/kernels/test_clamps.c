/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host (gpu-simt), long */
/** Neighbours whose indices are clamped, in no order of the bounds too. */
#include "tw_test.h"

#include <limits.h>

static inline int clamped(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

/* ---- what clamps give, also for bounds that are in no order ------------------------------------------------------------ */

struct numbers {
    const int *in;
    unsigned *out;
    int low, high, count;
};

#define EACH_NUMBER(X)                                                                                                 \
    X(five, clamped(x - 2, 0, high), clamped(x - 1, 0, high), clamped(x, 0, high), clamped(x + 1, 0, high),            \
      clamped(x + 2, 0, high))                                                                                         \
    X(counted, clamped(x - 1, 0, count - 1), clamped(x + 1, 0, count - 1), clamped(x + 3, 0, count - 1), 0, 0)         \
    X(before, clamped(x - 7, 0, high), clamped(x - 5, 0, high), clamped(x - 3, 0, high), clamped(x - 1, 0, high), 0)   \
    X(behind, clamped(x + 3, 4, high), clamped(x + 5, 4, high), clamped(x + 9, 4, high), clamped(x + 11, 4, high), 0)  \
    X(two_ranges, clamped(x - 1, 0, high), clamped(x + 1, 0, high), clamped(x / 2 - 1, 0, count - 1),                  \
      clamped(x / 2 + 1, 0, count - 1), 0)                                                                             \
    X(any_low, clamped(x - 1, low, high), clamped(x + 1, low, high), clamped(x + 2, low, high),                        \
      clamped(x + 3, low, high), 0)

/* Of the five clamps: a sum that differs if one of them does. */
#define SUM(a, b, c, d, e)                                                                                             \
    ((unsigned)(a) + 3u * (unsigned)(b) + 11u * (unsigned)(c) + 101u * (unsigned)(d) + 1009u * (unsigned)(e))

#define NUMBERS(name, ...)                                                                                             \
    static inline unsigned name##_of(int x, int low, int high, int count)                                              \
    {                                                                                                                  \
        (void)low, (void)high, (void)count;                                                                            \
        return SUM(__VA_ARGS__);                                                                                       \
    }                                                                                                                  \
    static inline void name(tw_item item, const struct numbers *k)                                                     \
    {                                                                                                                  \
        const size_t i = tw_global_id(item, 0);                                                                        \
        const int x = k->in[i], low = k->low, high = k->high, count = k->count;                                        \
        (void)low, (void)high, (void)count;                                                                            \
        k->out[i] = SUM(__VA_ARGS__);                                                                                  \
    }                                                                                                                  \
    TW_RANGE_KERNEL(TW_BLOCK(numbers) name, 1);
EACH_NUMBER(NUMBERS)

enum { MOST = 20 }; /* no offset that is clamped is larger */

static int numbers_around(const int *centres, size_t count, int *x)
{
    int n = 0;
    for (size_t c = 0; c < count; ++c)
        for (int64_t d = -MOST; d <= MOST; ++d)
            if (centres[c] + d >= INT_MIN + MOST && centres[c] + d <= INT_MAX - MOST)
                x[n++] = (int)(centres[c] + d);
    return n;
}

TW_TEST(clamps_of_all_numbers)
{
    static const int highs[] = {INT_MIN + 1, -100, -3, -2, -1, 0,  1,   2,           3,
                                4,           5,    8,  15, 16, 17, 100, INT_MAX - 2, INT_MAX - 1};
    static int x[6 * (2 * MOST + 1)];
    static unsigned out[6 * (2 * MOST + 1)];
    tw_queue *queue = tw_test_queue();
    for (size_t h = 0; h < sizeof highs / sizeof *highs; ++h) {
        const int high = highs[h], centres[] = {0, high, INT_MIN + 2 * MOST, INT_MAX - 2 * MOST, INT_MIN / 2, 50};
        const int count = numbers_around(centres, 6, x);
#define CHECK(name, ...)                                                                                               \
    {                                                                                                                  \
        tw_buffer *from = NULL, *to = NULL;                                                                            \
        TW_PASS(tw_buffer_create_over_const(x, sizeof *x, tw_range_1d((size_t)count), &from));                         \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d((size_t)count), &to));                             \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            tw_parallel_for(cg, tw_range_1d((size_t)count), name, .in = tw_read(cg, from),                             \
                            .out = tw_discard_write(cg, to), .low = -2, .high = high, .count = high);                  \
        }                                                                                                              \
        TW_PASS(tw_queue_wait(queue));                                                                                 \
        TW_PASS(tw_buffer_destroy(&to));                                                                               \
        TW_PASS(tw_buffer_destroy(&from));                                                                             \
        for (int i = 0; i < count; ++i)                                                                                \
            TW_EQUAL(out[i], name##_of(x[i], -2, high, high));                                                         \
    }
        EACH_NUMBER(CHECK)
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- neighbours in pictures of all small sizes ------------------------------------------------------------------------ */

enum { SIDE = 40 };

struct picture {
    const float *in;
    float *out;
    int rows, columns;
};

#define PICTURE(name, radius, before)                                                                                  \
    static inline float name##_of(const float *in, int rows, int columns, int y, int x)                                \
    {                                                                                                                  \
        float sum = 0;                                                                                                 \
        for (int j = -radius; j <= radius; ++j)                                                                        \
            for (int i = -radius; i <= radius; ++i)                                                                    \
                sum += (float)((j + radius) * 2 + i + radius + 1)                                                      \
                       * in[clamped(y + j, 0, rows - 1) * columns + clamped(x + i, 0, columns - 1)];                   \
        return sum;                                                                                                    \
    }                                                                                                                  \
    static inline void name(tw_nd_item item, const struct picture *k)                                                  \
    {                                                                                                                  \
        const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);                                      \
        before;                                                                                                        \
        if (y < k->rows && x < k->columns)                                                                             \
            k->out[y * k->columns + x] = name##_of(k->in, k->rows, k->columns, y, x);                                  \
    }                                                                                                                  \
    TW_ND_RANGE_KERNEL(TW_BLOCK(picture) name);
PICTURE(mask_of_3, 1, (void)0)
PICTURE(mask_of_5, 2, (void)0)
PICTURE(mask_of_5_behind_a_barrier, 2, tw_barrier(item, TW_LOCAL_SPACE))
PICTURE(mask_of_7, 3, (void)0)

TW_TEST(neighbours_in_small_pictures)
{
    static const int sides[][2] = {{1, 1}, {1, 40}, {40, 1},  {2, 3},   {4, 4},
                                   {5, 5}, {6, 7},  {16, 16}, {33, 18}, {40, 40}};
    static float in[SIDE * SIDE], out[SIDE * SIDE];
    tw_queue *queue = tw_test_queue();
    for (int i = 0; i < SIDE * SIDE; ++i)
        in[i] = (float)(i * 7919 % 1009);
    for (size_t s = 0; s < sizeof sides / sizeof *sides; ++s) {
        const int rows = sides[s][0], columns = sides[s][1];
        const size_t count = (size_t)rows * (size_t)columns;
        const tw_nd_range range = tw_nd_range_make(tw_range_2d(40, 48), tw_range_2d(4, 8));
#define CHECK_PICTURE(name)                                                                                            \
    {                                                                                                                  \
        tw_buffer *from = NULL, *to = NULL;                                                                            \
        TW_PASS(tw_buffer_create_over_const(in, sizeof *in, tw_range_1d(count), &from));                               \
        TW_PASS(tw_buffer_create_over(out, sizeof *out, tw_range_1d(count), &to));                                     \
        TW_COMMAND_GROUP(queue, cg) {                                                                                  \
            tw_parallel_for_nd_range(cg, range, name, .in = tw_read(cg, from), .out = tw_discard_write(cg, to),        \
                                     .rows = rows, .columns = columns);                                                \
        }                                                                                                              \
        TW_PASS(tw_queue_wait(queue));                                                                                 \
        TW_PASS(tw_buffer_destroy(&to));                                                                               \
        TW_PASS(tw_buffer_destroy(&from));                                                                             \
        for (int y = 0; y < rows; ++y)                                                                                 \
            for (int x = 0; x < columns; ++x)                                                                          \
                TW_CHECK(out[y * columns + x] == name##_of(in, rows, columns, y, x));                                  \
    }
        CHECK_PICTURE(mask_of_3)
        CHECK_PICTURE(mask_of_5)
        CHECK_PICTURE(mask_of_5_behind_a_barrier)
        CHECK_PICTURE(mask_of_7)
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(clamps_of_all_numbers), TW_CASE(neighbours_in_small_pictures), TW_CASES_END};
