/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/**
 * algorithms.h: histograms with even bins and by edges against loops on the host: more bins than local memory holds,
 * limits that take all bits, elements in no bin, counts on the device, refusals.
 */
#include "algorithm_test.h"

#include <limits.h>
#include <math.h>

TW_HISTOGRAM_EVEN(count_ints, int, unsigned);
TW_HISTOGRAM_EVEN(count_longs, long long, unsigned long long);
TW_HISTOGRAM_EVEN(count_bytes, unsigned char, unsigned);
TW_HISTOGRAM_EVEN(count_floats, float, unsigned);
TW_HISTOGRAM_RANGE(count_doubles, double, unsigned);

/* Bins of the reference: the last one that does not begin behind x. */
static size_t int_bin(long long x, size_t bins, long long lower, long long upper)
{
    if (x < lower || x >= upper)
        return bins;
    return (size_t)((long double)(x - lower) * (long double)bins / (long double)(upper - lower));
}
static size_t edge_bin(double x, size_t bins, const double *edges)
{
    for (size_t b = 0; b < bins; ++b)
        if (edges[b] <= x && x < edges[b + 1])
            return b;
    return bins;
}

static int int_value(size_t i)
{
    return (int)(number(i) % 5000) - 100;
}
static int alike_value(size_t i)
{
    return i % 1000 == 999 ? 1 : 7;
}
/* The first number of one of a thousand bins over all numbers, or the one before. */
static int edge_value(size_t i)
{
    const unsigned first = (unsigned)((number(i) % 1000 * 0xffffffffull + 999) / 1000);
    return (int)(first - i % 2 + (1u << 31));
}
static unsigned char byte_value(size_t i)
{
    return (unsigned char)number(i);
}
static double double_value(size_t i)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0};
    return i % 5 ? (double)(number(i) % 4000) / 1000 - 1 : special[number(i) % 6];
}

static float float_value(size_t i)
{
    return (float)double_value(i);
}

enum { MOST_BINS = 5001 };
static const double edges[] = {-0.5, 0.0, 0.25, 0.25, 1.0, 2.875};

/* Counts x[i] = `value` into `bins` bins; `find_bin` is that of x[i]. `...` are the arguments behind `bins`. */
#define CHECK_HISTOGRAM(test, name, type, counter, value, bins, find_bin, ...)                                         \
    static void check_##test(size_t count)                                                                             \
    {                                                                                                                  \
        type *x = (type *)room_for(sizeof(type), count);                                                               \
        counter *expected = (counter *)room_for(sizeof(counter), bins),                                                \
                *got = (counter *)room_for(sizeof(counter), bins);                                                     \
        for (size_t i = 0; i < count; ++i) {                                                                           \
            x[i] = value(i);                                                                                           \
            const size_t bin = find_bin;                                                                               \
            if (bin < bins)                                                                                            \
                ++expected[bin];                                                                                       \
        }                                                                                                              \
        memset(got, 0xa5, bins * sizeof(counter));                                                                     \
        tw_queue *queue = tw_test_queue();                                                                             \
        tw_buffer *in = buffer_of(x, sizeof(type), count), *out = buffer_of(got, sizeof(counter), bins),               \
                  *limits = buffer_of(edges, sizeof(double), 5);                                                       \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        name(cg, (const type *)tw_read(cg, in), count, bins, __VA_ARGS__, (counter *)tw_write(cg, out));               \
        tw_test_run(queue, cg);                                                                                        \
        tw_test_fetch(out, got);                                                                                       \
        for (size_t b = 0; b < bins; ++b)                                                                              \
            TW_EQUAL(got[b], expected[b]);                                                                             \
        tw_test_destroy_buffers((tw_buffer *[]){in, out, limits}, 3);                                                  \
        TW_PASS(tw_queue_destroy(&queue));                                                                             \
        free(x);                                                                                                       \
        free(expected);                                                                                                \
        free(got);                                                                                                     \
    }                                                                                                                  \
    TW_TEST(test)                                                                                                      \
    {                                                                                                                  \
        for_sizes(check_##test);                                                                                       \
    }

CHECK_HISTOGRAM(ints, count_ints, int, unsigned, int_value, 100, int_bin(x[i], 100, 3, 4800), 3, 4800)
CHECK_HISTOGRAM(many_bins, count_ints, int, unsigned, int_value, MOST_BINS, int_bin(x[i], MOST_BINS, -90, 4911), -90,
                4911)
CHECK_HISTOGRAM(one_bin, count_ints, int, unsigned, int_value, 1, int_bin(x[i], 1, 0, 1000), 0, 1000)
CHECK_HISTOGRAM(edges_of_ints, count_ints, int, unsigned, edge_value, 1000, int_bin(x[i], 1000, INT_MIN, INT_MAX),
                INT_MIN, INT_MAX)
CHECK_HISTOGRAM(narrow_bins, count_ints, int, unsigned, int_value, 100, int_bin(x[i], 100, 0, 37), 0, 37)
CHECK_HISTOGRAM(alike, count_ints, int, unsigned, alike_value, 10, int_bin(x[i], 10, 0, 10), 0, 10)
CHECK_HISTOGRAM(bytes, count_bytes, unsigned char, unsigned, byte_value, 256, x[i], 0, 256)
CHECK_HISTOGRAM(wide_bins, count_ints, int, unsigned, int_value, 64, int_bin(x[i], 64, 0, 1024), 0, 1024)
CHECK_HISTOGRAM(all_ints, count_ints, int, unsigned, edge_value, 256, (size_t)((unsigned)x[i] + (1u << 31)) >> 24,
                INT_MIN, INT_MAX + 1LL)
CHECK_HISTOGRAM(floats, count_floats, float, unsigned, float_value, 8, x[i] >= 0 && x[i] < 2 ? (size_t)(x[i] * 4) : 8,
                0, 2)
CHECK_HISTOGRAM(doubles, count_doubles, double, unsigned, double_value, 5, edge_bin(x[i], 5, edges),
                (const double *)tw_read(cg, limits))

/* Limits a whole range of 64 bits apart: each bin holds what lies between its edges, which 128 bits tell. */
TW_TEST(all_bits)
{
    enum { BINS = 1000, COUNT = 4 * BINS + 3 };
    const unsigned __int128 range = ~0ull;
    long long *x = (long long *)room_for(sizeof *x, COUNT);
    unsigned long long got[BINS + 1], none[BINS + 1] = {0};
    for (unsigned long long b = 0; b < BINS; ++b) { /* the first number of a bin, the last one, and some between */
        const unsigned long long first = (unsigned long long)((b * range + BINS - 1) / BINS),
                                 past = (unsigned long long)(((b + 1) * range + BINS - 1) / BINS);
        for (unsigned k = 0; k < 4; ++k)
            x[4 * b + k] = (long long)((k == 3 ? past - 1 : first + k * 5000000000000ull) + (1ull << 63));
    }
    x[4 * BINS] = LLONG_MAX; /* is in no bin */
    x[4 * BINS + 1] = x[4 * BINS + 2] = LLONG_MIN;
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = buffer_of(x, sizeof *x, COUNT), *out = buffer_of(none, sizeof none[0], BINS);
    TW_COMMAND_GROUP(queue, cg) {
        count_longs(cg, (const long long *)tw_read(cg, in), COUNT, BINS, LLONG_MIN, LLONG_MAX,
                    (unsigned long long *)tw_write(cg, out));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(out, got);
    for (size_t b = 0; b < BINS; ++b)
        TW_EQUAL(got[b], b ? 4u : 6u);
    tw_test_destroy_buffers((tw_buffer *[]){in, out}, 2);
    TW_PASS(tw_queue_destroy(&queue));
    free(x);
}

TW_TEST(a_count_on_the_device_and_refusals)
{
    enum { COUNT = 50000 };
    const size_t counted = COUNT - 7;
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(COUNT, 3), *count = NULL, *out = tw_test_ints(4, -1);
    TW_PASS(tw_buffer_create_copy(&counted, sizeof counted, tw_range_1d(1), &count));
    unsigned got[4];
    TW_COMMAND_GROUP(queue, cg) {
        tw_count_on_device(cg, tw_read(cg, count));
        count_ints(cg, (const int *)tw_read(cg, x), COUNT, 4, 0, 4, (unsigned *)tw_discard_write(cg, out));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    tw_test_fetch(out, got);
    TW_CHECK(got[0] == 0 && got[1] == 0 && got[2] == 0);
    TW_EQUAL(got[3], COUNT - 7);
    const struct {
        size_t bins;
        int lower, upper;
        const char *part;
    } wrong[] = {{0, 0, 4, "bins"}, {(size_t)1 << 32, 0, 4, "bins"}, {4, 4, 4, "limit"}, {4, 5, 4, "limit"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        count_ints(cg, (const int *)tw_read(cg, x), COUNT, wrong[i].bins, wrong[i].lower, wrong[i].upper,
                   (unsigned *)tw_write(cg, out));
        tw_test_refuse(queue, cg, TW_ERROR_INVALID_ARGUMENT, wrong[i].part);
    }
    tw_test_destroy_buffers((tw_buffer *[]){x, count, out}, 3);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(ints),
    TW_CASE(many_bins),
    TW_CASE(one_bin),
    TW_CASE(edges_of_ints),
    TW_CASE(narrow_bins),
    TW_CASE(alike),
    TW_CASE(wide_bins),
    TW_CASE(all_ints),
    TW_CASE(floats),
    TW_CASE(bytes),
    TW_CASE(doubles),
    TW_CASE(all_bits),
    TW_CASE(a_count_on_the_device_and_refusals),
    TW_CASES_END,
};
