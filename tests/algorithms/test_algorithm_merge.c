/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: sorts by comparison, merges and bounds against loops on the host: stability, elements that are too large
 * for local memory, arrays of which one is empty or behind the other, counts on the device, comparisons that are no
 * order.
 */
#include "algorithm_test.h"

#include <math.h>

struct record {
    short key, number;
    int rest;
};
static inline bool is_before(struct record a, struct record b)
{
    return a.key < b.key;
}

/* 132 bytes. */
struct large {
    int key, rest[32];
};
static inline bool is_larger(struct large a, struct large b)
{
    return a.key > b.key;
}
static inline bool is_no_order(double a, double b)
{
    return !(a >= b - 3); /* nor for what is near, and true with a NaN */
}

TW_SORT_BY(sort_ints, int, tw_less);
TW_SORT_BY(sort_records, struct record, is_before);
TW_SORT_BY(sort_large, struct large, is_larger);
TW_SORT_BY(sort_wildly, double, is_no_order);
TW_MERGE(merge_records, struct record, is_before);
TW_MERGE(merge_large, struct large, is_larger);
TW_LOWER_BOUND(first_places, int, tw_less);
TW_UPPER_BOUND(past_places, int, tw_less);

static int int_value(size_t i)
{
    return (int)number(i);
}
static struct record record_value(size_t i)
{
    struct record x = {(short)(number(i) % 97), (short)i, (int)i};
    return x;
}
static struct large large_value(size_t i)
{
    struct large x = {(int)(number(i) % 1000), {(int)i}};
    return x;
}

/* Elements of 132 bytes, at most: more take long, and show no more. */
enum { MOST_LARGE = 8193 };

/* A stable sort by repeated merges, of which each takes the first of equal ones from the left. */
#define DEFINE_REFERENCE(name, type, less)                                                                             \
    static void name(type *x, size_t count)                                                                            \
    {                                                                                                                  \
        type *y = (type *)room_for(sizeof(type), count);                                                               \
        for (size_t run = 1; run < count; run *= 2) {                                                                  \
            for (size_t first = 0; first < count; first += 2 * run) {                                                  \
                size_t i = first, middle = first + run < count ? first + run : count, j = middle, to = first;          \
                const size_t past = middle + run < count ? middle + run : count;                                       \
                while (i < middle || j < past) {                                                                       \
                    if (i < middle && (j == past || !less(x[j], x[i])))                                                \
                        y[to++] = x[i++];                                                                              \
                    else                                                                                               \
                        y[to++] = x[j++];                                                                              \
                }                                                                                                      \
            }                                                                                                          \
            memcpy(x, y, count * sizeof(type));                                                                        \
        }                                                                                                              \
        free(y);                                                                                                       \
    }
DEFINE_REFERENCE(order_ints, int, tw_less)
DEFINE_REFERENCE(order_records, struct record, is_before)
DEFINE_REFERENCE(order_large, struct large, is_larger)

/* Sorts with NAME, of which the device has `count` of more elements. */
#define CHECK_SORT_BY(test, type, value, name, reference)                                                              \
    static void check_##test(size_t count)                                                                             \
    {                                                                                                                  \
        if (sizeof(type) > 128 && count > MOST_LARGE)                                                                  \
            return;                                                                                                    \
        const size_t most = count + count % 3 * 1000;                                                                  \
        type *x = (type *)room_for(sizeof(type), most), *y = (type *)room_for(sizeof(type), most);                     \
        for (size_t i = 0; i < most; ++i)                                                                              \
            x[i] = value(i);                                                                                           \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = buffer_of(x, sizeof(type), most), *out = buffer_of(x, sizeof(type), most), *number = NULL;     \
        TW_PASS(tw_buffer_create_copy(&count, sizeof count, tw_range_1d(1), &number));                                 \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        const type *from = (const type *)tw_read(cg, in);                                                              \
        type *to = (type *)tw_write(cg, out);                                                                          \
        if (most != count)                                                                                             \
            tw_count_on_device(cg, tw_read(cg, number));                                                               \
        name(cg, from, most, to);                                                                                      \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(out, y);                                                                                         \
        reference(x, count);                                                                                           \
        for (size_t i = 0; i < most; ++i)                                                                              \
            TW_CHECK(memcmp(&y[i], &x[i], sizeof(type)) == 0);                                                         \
        tw_test_destroy_buffers((tw_buffer *[]){in, out, number}, 3);                                                  \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
    }                                                                                                                  \
    TW_TEST(test)                                                                                                      \
    {                                                                                                                  \
        for_sizes(check_##test);                                                                                       \
    }
CHECK_SORT_BY(ints, int, int_value, sort_ints, order_ints)
CHECK_SORT_BY(records, struct record, record_value, sort_records, order_records)
CHECK_SORT_BY(large_structs, struct large, large_value, sort_large, order_large)

/* What is no order gives some of the elements, and nothing hangs. */
static void check_no_order(size_t count)
{
    double *x = (double *)room_for(sizeof *x, count), *none = (double *)room_for(sizeof *none, count);
    for (size_t i = 0; i < count; ++i) {
        x[i] = i % 13 ? number(i) % 1000 : NAN;
        none[i] = -1;
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(x, sizeof *x, count), *out = buffer_of(none, sizeof *none, count);
    tw_command_group *cg = tw_queue_begin(queue);
    sort_wildly(cg, (const double *)tw_read(cg, in), count, (double *)tw_write(cg, out));
    tw_test_run(queue, cg);
    tw_test_fetch(out, x);
    for (size_t i = 0; i < count; ++i)
        TW_CHECK(isnan(x[i]) || (x[i] >= 0 && x[i] < 1000 && x[i] == (int)x[i]));
    tw_test_destroy_buffers((tw_buffer *[]){in, out}, 2);
    TW_PASS(tw_queue_destroy(&queue));
    free(x);
    free(none);
}
TW_TEST(no_order)
{
    for_sizes(check_no_order);
}

/* Merges sorted arrays of a_count and b_count elements with NAME. A stable sort of both in a row is the same. */
#define CHECK_MERGE(test, type, value, name, reference)                                                                \
    static void merge_##test(size_t a_count, size_t b_count)                                                           \
    {                                                                                                                  \
        const size_t all = a_count + b_count;                                                                          \
        type *x = (type *)room_for(sizeof(type), all), *y = (type *)room_for(sizeof(type), all);                       \
        for (size_t i = 0; i < all; ++i)                                                                               \
            x[i] = value(i);                                                                                           \
        reference(x, a_count);                                                                                         \
        reference(x + a_count, b_count);                                                                               \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *a = buffer_of(x, sizeof(type), a_count), *b = buffer_of(x + a_count, sizeof(type), b_count - 1),    \
                  *out = buffer_of(x, sizeof(type), all - 1), *number = NULL;                                          \
        TW_PASS(tw_buffer_create_copy(&a_count, sizeof a_count, tw_range_1d(1), &number));                             \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        if (a_count % 2)                                                                                               \
            tw_count_on_device(cg, tw_read(cg, number));                                                               \
        name(cg, (const type *)tw_read(cg, a), a_count + a_count % 2 * 900, (const type *)tw_read(cg, b), b_count,     \
             (type *)tw_write(cg, out));                                                                               \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(out, y);                                                                                         \
        reference(x, all);                                                                                             \
        for (size_t i = 0; i < all; ++i)                                                                               \
            TW_CHECK(memcmp(&y[i], &x[i], sizeof(type)) == 0);                                                         \
        tw_test_destroy_buffers((tw_buffer *[]){a, b, out, number}, 4);                                                \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(y);                                                                                                       \
    }                                                                                                                  \
    static void check_##test(size_t count)                                                                             \
    {                                                                                                                  \
        if (!count || (sizeof(type) > 128 && count > MOST_LARGE))                                                      \
            return;                                                                                                    \
        merge_##test(0, count);                                                                                        \
        merge_##test(count - 1, 1);                                                                                    \
        merge_##test(count, count / 3 + 1);                                                                            \
        if (count == 33)                                                                                               \
            merge_##test(count, count);                                                                                \
    }                                                                                                                  \
    TW_TEST(test)                                                                                                      \
    {                                                                                                                  \
        for_sizes(check_##test);                                                                                       \
    }
CHECK_MERGE(merged_records, struct record, record_value, merge_records, order_records)
CHECK_MERGE(merged_large_structs, struct large, large_value, merge_large, order_large)

/* Both bounds of values between, at, before and behind the elements, each of which is there three times. */
static void check_bounds(size_t count)
{
    enum { VALUES = 3001 };
    int *x = (int *)room_for(sizeof *x, count), values[VALUES];
    size_t got[2][VALUES];
    for (size_t i = 0; i < count; ++i)
        x[i] = (int)(i / 3 * 2);
    for (size_t v = 0; v < VALUES; ++v)
        values[v] = (int)(number(v) % (count / 3 * 2 + 5)) - 2;
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(x, sizeof *x, count), *sought = buffer_of(values, sizeof *values, VALUES - 1),
              *out[2] = {buffer_of(got[0], sizeof(size_t), VALUES - 1), buffer_of(got[1], sizeof(size_t), VALUES - 1)},
              *number = NULL;
    TW_PASS(tw_buffer_create_copy(&count, sizeof count, tw_range_1d(1), &number));
    for (int upper = 0; upper < 2; ++upper) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_count_on_device(cg, tw_read(cg, number));
        (upper ? past_places : first_places)(cg, (const int *)tw_read(cg, in), count + 1,
                                             (const int *)tw_read(cg, sought), VALUES,
                                             (size_t *)tw_discard_write(cg, out[upper]));
        tw_test_run(queue, cg);
        tw_test_fetch(out[upper], got[upper]);
    }
    for (size_t v = 0; v < VALUES; ++v) {
        const size_t first = values[v] <= 0 ? 0 : ((size_t)values[v] + 1) / 2 * 3,
                     past = values[v] < 0 ? 0 : ((size_t)values[v] / 2 + 1) * 3;
        TW_EQUAL(got[0][v], first < count ? first : count);
        TW_EQUAL(got[1][v], past < count ? past : count);
    }
    tw_test_destroy_buffers((tw_buffer *[]){in, sought, out[0], out[1], number}, 5);
    TW_PASS(tw_queue_destroy(&queue));
    free(x);
}
TW_TEST(bounds)
{
    for_sizes(check_bounds);
}

/* More tiles than a GPU searches for while it merges them: another launch does. */
TW_TEST(many_tiles)
{
    tw_queue *queue = tw_test_queue();
    const bool is_gpu = tw_device_is_gpu(tw_queue_device(queue));
    TW_PASS(tw_queue_destroy(&queue));
    if (!is_gpu)
        return;
    check_records(3000001);
    merge_merged_records(1500001, 2000000);
}

TW_TEST_LIST = {
    TW_CASE(ints),     TW_CASE(records),        TW_CASE(large_structs),
    TW_CASE(no_order), TW_CASE(merged_records), TW_CASE(merged_large_structs),
    TW_CASE(bounds),   TW_CASE(many_tiles),     TW_CASES_END,
};
