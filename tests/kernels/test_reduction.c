/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/* C++20: host (x86_64 gpu-simt gpu-teams), values, unsanitized, long */
/**
 * Reductions of range kernels: every type and operation, one to eight at once, 1 to 3 dimensions with offset, ranges
 * from one work-item to millions, values that are kept or replaced, arrays, reproducible bits, and errors.
 */
#include "tw_test.h"

#include <limits.h>

/* ---- one reduction of each type and operation -------------------------------------------------------------------- */

#define INTEGERS(X)                                                                                                    \
    X(int, int)                                                                                                        \
    X(unsigned long, ulong)
#define FLOATING(X)                                                                                                    \
    X(float, float)                                                                                                    \
    X(double, double)

enum { START = 3 }; /* what the element holds before */

#define DEFINE(type, suffix, op, operation)                                                                            \
    struct op##_##suffix {                                                                                             \
        const type *in;                                                                                                \
        TW_REDUCTION(type, operation) all;                                                                             \
    };                                                                                                                 \
    static inline void op##_##suffix(tw_item item, const struct op##_##suffix *k)                                      \
    {                                                                                                                  \
        tw_combine(k->all, k->in[tw_global_id(item, 0)]);                                                              \
    }                                                                                                                  \
    TW_RANGE_REDUCTION(op##_##suffix, 1, all);                                                                         \
    static void check_##op##_##suffix(tw_queue *queue, size_t n, bool keep)                                            \
    {                                                                                                                  \
        tw_buffer *in = NULL, *out = NULL;                                                                             \
        type got[2], start[2] = {START, START};                                                                        \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(n), &in));                                                  \
        TW_PASS(tw_buffer_create(sizeof(type), tw_range_1d(2), &out));                                                 \
        tw_test_store(out, start);                                                                                     \
        tw_host_accessor *accessor = NULL;                                                                             \
        TW_PASS(tw_host_access(in, TW_DISCARD_WRITE, &accessor));                                                      \
        type *values = (type *)tw_host_accessor_data(accessor), expected = START;                                      \
        for (size_t i = 0; i < n; ++i) {                                                                               \
            values[i] = (type)(operation == TW_PRODUCT ? 1 + (i == n / 2) + (i == n - 1) : 2 + i * 7 % 61);            \
            expected = i || keep ? (type)COMBINE(expected, values[i], operation) : values[i];                          \
        }                                                                                                              \
        tw_host_accessor_release(&accessor);                                                                           \
        tw_command_group *cg = tw_queue_begin(queue);                                                                  \
        if (keep)                                                                                                      \
            tw_parallel_for(cg, tw_range_1d(n), op##_##suffix, .in = (const type *)tw_read(cg, in),                    \
                            .all = TW_REDUCE_AT(cg, out, 1));                                                          \
        else                                                                                                           \
            tw_parallel_for(cg, tw_range_1d(n), op##_##suffix, .in = (const type *)tw_read(cg, in),                    \
                            .all = TW_REDUCE_INIT_AT(cg, out, 1));                                                     \
        TW_PASS(tw_queue_submit(queue, cg, NULL));                                                                     \
        TW_PASS(tw_queue_wait_and_throw(queue));                                                                       \
        tw_test_fetch(out, got);                                                                                       \
        TW_CHECK(got[0] == START);                                                                                     \
        TW_CHECK(got[1] == expected);                                                                                  \
        TW_PASS(tw_buffer_destroy(&in));                                                                               \
        TW_PASS(tw_buffer_destroy(&out));                                                                              \
    }
#define COMBINE(a, b, op)                                                                                              \
    ((op) == TW_SUM       ? (a) + (b)                                                                                  \
     : (op) == TW_PRODUCT ? (a) * (b)                                                                                  \
     : (op) == TW_MIN     ? ((a) < (b) ? (a) : (b))                                                                    \
     : (op) == TW_MAX     ? ((a) < (b) ? (b) : (a))                                                                    \
                          : (BITS((long)(a), (long)(b), op)))
#define BITS(a, b, op) ((op) == TW_AND ? (a) & (b) : (op) == TW_OR ? (a) | (b) : (a) ^ (b))

#define DEFINE_ARITHMETIC(type, suffix)                                                                                \
    DEFINE(type, suffix, sum, TW_SUM)                                                                                  \
    DEFINE(type, suffix, product, TW_PRODUCT)                                                                          \
    DEFINE(type, suffix, least, TW_MIN)                                                                                \
    DEFINE(type, suffix, most, TW_MAX)
#define DEFINE_BITS(type, suffix)                                                                                      \
    DEFINE(type, suffix, and, TW_AND)                                                                                  \
    DEFINE(type, suffix, or, TW_OR)                                                                                    \
    DEFINE(type, suffix, xor, TW_XOR)
INTEGERS(DEFINE_ARITHMETIC)
FLOATING(DEFINE_ARITHMETIC)
INTEGERS(DEFINE_BITS)

#define CHECK_ARITHMETIC(type, suffix)                                                                                 \
    check_sum_##suffix(queue, n, keep);                                                                                \
    check_product_##suffix(queue, n, keep);                                                                            \
    check_least_##suffix(queue, n, keep);                                                                              \
    check_most_##suffix(queue, n, keep);
#define CHECK_BITS(type, suffix)                                                                                       \
    check_and_##suffix(queue, n, keep);                                                                                \
    check_or_##suffix(queue, n, keep);                                                                                 \
    check_xor_##suffix(queue, n, keep);

TW_TEST(every_type_and_operation)
{
    static const size_t sizes[] = {1, 2, 255, 256, 257, 5000, 100003};
    tw_queue *queue = tw_test_queue();
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        const size_t n = sizes[s];
        const bool keep = s % 2;
        INTEGERS(CHECK_ARITHMETIC)
        FLOATING(CHECK_ARITHMETIC)
        INTEGERS(CHECK_BITS)
    }
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- several at once, dimensions, offset ------------------------------------------------------------------------- */

struct survey {
    size_t rows, columns; /* of the offset range's ids: all smaller */
    int big[20];          /* makes the block larger than what travels as kernel arguments, with the next */
    double filler[30];
    TW_REDUCTION(long, TW_SUM) ids;
    TW_REDUCTION(int, TW_MIN) first;
    TW_REDUCTION(int, TW_MAX) last;
    TW_REDUCTION(unsigned, TW_XOR) mix;
};

static inline int place(size_t i, size_t j, size_t k)
{
    return (int)(i * 10000 + j * 100 + k);
}

static inline void survey(tw_item item, const struct survey *k)
{
    const int here = place(tw_global_id(item, 0), tw_global_id(item, 1), tw_global_id(item, 2));
    tw_combine(k->ids, here);
    if (here % 2) {
        tw_combine(k->first, here);
        tw_combine(k->last, here);
    }
    tw_combine(k->mix, (unsigned)here * 2654435761u);
    tw_combine(k->mix, (unsigned)k->big[here % 20]);
}
TW_RANGE_REDUCTION(survey, 3, ids, first, last, mix);

TW_TEST(four_at_once_in_three_dimensions)
{
    enum { N0 = 7, N1 = 33, N2 = 65, O0 = 3, O1 = 5, O2 = 11 };
    tw_queue *queue = tw_test_queue();
    tw_buffer *ids = NULL, *first = NULL, *last = NULL, *mix = NULL;
    TW_PASS(tw_buffer_create(sizeof(long), tw_range_1d(1), &ids));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &first));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &last));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(1), &mix));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_offset(cg, tw_range_3d(N0, N1, N2), tw_id_3d(O0, O1, O2), survey, .big = {1, 2, 4, 8, 16, 32},
                           .ids = TW_REDUCE_INIT(cg, ids), .first = TW_REDUCE_INIT(cg, first),
                           .last = TW_REDUCE_INIT(cg, last), .mix = TW_REDUCE_INIT(cg, mix));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    static const int big[20] = {1, 2, 4, 8, 16, 32};
    long sum = 0, got_sum;
    int least = 1 << 30, most = -1, got_least, got_most;
    unsigned mixed = 0, got_mixed;
    for (size_t i = O0; i < O0 + N0; ++i)
        for (size_t j = O1; j < O1 + N1; ++j)
            for (size_t k = O2; k < O2 + N2; ++k) {
                const int here = place(i, j, k);
                sum += here;
                if (here % 2 && here < least)
                    least = here;
                if (here % 2 && here > most)
                    most = here;
                mixed ^= (unsigned)here * 2654435761u ^ (unsigned)big[here % 20];
            }
    tw_test_fetch(ids, &got_sum);
    tw_test_fetch(first, &got_least);
    tw_test_fetch(last, &got_most);
    tw_test_fetch(mix, &got_mixed);
    TW_EQUAL(got_sum, sum);
    TW_EQUAL(got_least, least);
    TW_EQUAL(got_most, most);
    TW_EQUAL(got_mixed, mixed);
    TW_PASS(tw_buffer_destroy(&ids));
    TW_PASS(tw_buffer_destroy(&first));
    TW_PASS(tw_buffer_destroy(&last));
    TW_PASS(tw_buffer_destroy(&mix));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- reproducible ------------------------------------------------------------------------------------------------ */

struct plane {
    const float *in;
    size_t columns;
    TW_REDUCTION(float, TW_SUM) sum;
};
static inline void plane(tw_item item, const struct plane *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0) * k->columns + tw_global_id(item, 1)]);
}
TW_RANGE_REDUCTION(plane, 2, sum);

TW_TEST(the_same_bits_in_every_run)
{
    enum { ROWS = 700, COLUMNS = 1023, RUNS = 20 };
    static float values[ROWS * COLUMNS];
    double exact = 0;
    unsigned state = 1;
    for (size_t i = 0; i < ROWS * COLUMNS; ++i) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(state >> 8) / (1 << 20);
        exact += (double)values[i];
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *out = NULL;
    TW_PASS(tw_buffer_create_over_const(values, sizeof(float), tw_range_2d(ROWS, COLUMNS), &in));
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(RUNS), &out));
    for (size_t run = 0; run < RUNS; ++run) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_2d(ROWS, COLUMNS), plane, .in = tw_read(cg, in), .columns = COLUMNS,
                        .sum = TW_REDUCE_INIT_AT(cg, out, run));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    float got[RUNS];
    tw_test_fetch(out, got);
    for (size_t run = 1; run < RUNS; ++run)
        TW_CHECK(memcmp(&got[run], &got[0], sizeof got[0]) == 0);
    TW_CHECK((double)got[0] > exact * 0.99999 && (double)got[0] < exact * 1.00001);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- more teams than a device runs at a time: work-items have loops ------------------------------------------------ */

struct turns {
    unsigned turns;
    TW_REDUCTION(unsigned long, TW_SUM) sum;
    TW_REDUCTION(unsigned, TW_XOR) mix;
};
static inline unsigned after_turns(unsigned x, unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i)
        x = x * 1664525u + 1013904223u;
    return x;
}
static inline void turns(tw_item item, const struct turns *k)
{
    const unsigned x = after_turns((unsigned)tw_global_id(item, 0), k->turns);
    tw_combine(k->sum, x);
    tw_combine(k->mix, x);
}
TW_RANGE_REDUCTION(turns, 1, sum, mix);

TW_TEST(values_of_many_teams_are_combined)
{
    static const size_t sizes[] = {1, 300000, 2000000};
    enum { TURNS = 5 };
    tw_queue *queue = tw_test_queue();
    tw_buffer *sum = NULL, *mix = NULL;
    TW_PASS(tw_buffer_create(sizeof(unsigned long), tw_range_1d(1), &sum));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(1), &mix));
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        unsigned long expected_sum = 0, got_sum;
        unsigned expected_mix = 0, got_mix;
        for (size_t i = 0; i < sizes[s]; ++i) {
            const unsigned x = after_turns((unsigned)i, TURNS);
            expected_sum += x;
            expected_mix ^= x;
        }
        for (size_t run = 0; run < 2; ++run) {
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for(cg, tw_range_1d(sizes[s]), turns, .turns = TURNS, .sum = TW_REDUCE_INIT(cg, sum),
                            .mix = TW_REDUCE_INIT(cg, mix));
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        }
        tw_test_fetch(sum, &got_sum);
        tw_test_fetch(mix, &got_mix);
        TW_EQUAL(got_sum, expected_sum);
        TW_EQUAL(got_mix, expected_mix);
    }
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&mix));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- eight at once ----------------------------------------------------------------------------------------------- */

struct eight {
    TW_REDUCTION(int, TW_SUM) a;
    TW_REDUCTION(long, TW_SUM) b;
    TW_REDUCTION(int, TW_MIN) c;
    TW_REDUCTION(int, TW_MAX) d;
    TW_REDUCTION(unsigned, TW_OR) e;
    TW_REDUCTION(unsigned, TW_AND) f;
    TW_REDUCTION(double, TW_SUM) g;
    TW_REDUCTION(unsigned, TW_XOR) h;
};

static inline void eight(tw_item item, const struct eight *k)
{
    const int i = (int)tw_global_id(item, 0);
    tw_combine(k->a, i);
    tw_combine(k->b, 3L * i);
    tw_combine(k->c, i ^ 5);
    tw_combine(k->d, i ^ 5);
    tw_combine(k->e, (unsigned)i << 8);
    tw_combine(k->f, ~(unsigned)(i & 1));
    tw_combine(k->g, 0.5 * i);
    tw_combine(k->h, (unsigned)i);
}
TW_RANGE_REDUCTION(eight, 1, a, b, c, d, e, f, g, h);

TW_TEST(eight_at_once)
{
    enum { COUNT = 5003 };
    const unsigned zeros[2] = {0, 0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *out[8] = {NULL};
    for (size_t i = 0; i < 8; ++i)
        TW_PASS(tw_buffer_create_copy(zeros, i == 1 || i == 6 ? 8 : 4, tw_range_1d(1), &out[i]));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(COUNT), eight, .a = TW_REDUCE(cg, out[0]), .b = TW_REDUCE(cg, out[1]),
                    .c = TW_REDUCE_INIT(cg, out[2]), .d = TW_REDUCE(cg, out[3]), .e = TW_REDUCE(cg, out[4]),
                    .f = TW_REDUCE_INIT(cg, out[5]), .g = TW_REDUCE(cg, out[6]), .h = TW_REDUCE_INIT(cg, out[7]));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    int a, c, d, most = 0;
    long b;
    double g;
    unsigned e, f, h, bits = 0, mix = 0;
    for (int i = 0; i < COUNT; ++i) {
        most = (i ^ 5) > most ? i ^ 5 : most;
        bits |= (unsigned)i << 8;
        mix ^= (unsigned)i;
    }
    tw_test_fetch(out[0], &a);
    tw_test_fetch(out[1], &b);
    tw_test_fetch(out[2], &c);
    tw_test_fetch(out[3], &d);
    tw_test_fetch(out[4], &e);
    tw_test_fetch(out[5], &f);
    tw_test_fetch(out[6], &g);
    tw_test_fetch(out[7], &h);
    TW_EQUAL(a, COUNT * (COUNT - 1) / 2);
    TW_EQUAL(b, 3L * COUNT * (COUNT - 1) / 2);
    TW_EQUAL(c, 0);
    TW_EQUAL(d, most);
    TW_EQUAL(e, bits);
    TW_EQUAL(f, ~1u);
    TW_CHECK(g == 0.25 * COUNT * (COUNT - 1));
    TW_EQUAL(h, mix);
    for (size_t i = 0; i < 8; ++i)
        TW_PASS(tw_buffer_destroy(&out[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

struct histogram {
    const unsigned char *bytes;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};

static inline void histogram(tw_item item, const struct histogram *k)
{
    tw_combine_at(k->bins, k->bytes[tw_global_id(item, 0)], 1);
}
TW_RANGE_REDUCTION(histogram, 1, bins);

enum { MOST_BYTES = 300000 };

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * i / 3 + (i >> 9));
}

TW_TEST(bytes_are_counted)
{
    static const size_t sizes[] = {1, 255, 1024, 1025, 40000, MOST_BYTES};
    static unsigned char bytes[MOST_BYTES];
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *out = NULL;
    unsigned expected[256] = {0}, got[256];
    for (size_t i = 0; i < MOST_BYTES; ++i)
        bytes[i] = byte_at(i);
    TW_PASS(tw_buffer_create_over_const(bytes, 1, tw_range_1d(MOST_BYTES), &in));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(256), &out));
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        tw_command_group *cg = tw_queue_begin(queue);
        if (s % 2) {
            tw_parallel_for(cg, tw_range_1d(sizes[s]), histogram, .bytes = tw_read(cg, in),
                            .bins = TW_REDUCE_ARRAY(cg, out));
        } else {
            memset(expected, 0, sizeof expected);
            tw_parallel_for(cg, tw_range_1d(sizes[s]), histogram, .bytes = tw_read(cg, in),
                            .bins = TW_REDUCE_ARRAY_INIT(cg, out));
        }
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        for (size_t i = 0; i < sizes[s]; ++i)
            ++expected[bytes[i]];
        tw_test_fetch(out, got);
        TW_CHECK(memcmp(got, expected, sizeof got) == 0);
    }
    /* no work-items: the kernel does not run, and the elements stay as they are */
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(0), histogram, .bytes = tw_read(cg, in), .bins = TW_REDUCE_ARRAY(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(out, got);
    TW_CHECK(memcmp(got, expected, sizeof got) == 0);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* An element that a work-item adds to more than once: an optimizer would read it once, and write it once. Between, other work-items
   add to it. */
struct again {
    const unsigned *x;
    unsigned *y;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};
static inline void around_a_loop(tw_item item, const struct again *k)
{
    const unsigned v = k->x[tw_global_id(item, 0)];
    tw_combine_at(k->bins, 2, v & 3);
    for (unsigned i = 0; i < (v & 7); ++i)
        if ((v & 3) != i)
            tw_combine_at(k->bins, 2, v & 3);
    k->y[tw_global_id(item, 0)] = v;
}
TW_RANGE_REDUCTION(TW_BLOCK(again) around_a_loop, 1, bins);

static inline void around_its_neighbour(tw_item item, const struct again *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_combine_at(k->bins, i + 2, 1);
    tw_combine_at(k->bins, i + 3, k->x[i] & 3);
    tw_combine_at(k->bins, i + 2, 5);
    k->y[i] = 3 * k->x[i];
}
TW_RANGE_REDUCTION(TW_BLOCK(again) around_its_neighbour, 1, bins);

TW_TEST(elements_that_are_combined_again)
{
    enum { ITEMS = 1000, BINS = ITEMS + 4 };
    static unsigned x[ITEMS], y[ITEMS], looped[BINS], neighbours[BINS], got[BINS];
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *copy = NULL, *out = NULL;
    memset(looped, 0, sizeof looped);
    memset(neighbours, 0, sizeof neighbours);
    for (unsigned i = 0; i < ITEMS; ++i) {
        const unsigned v = x[i] = i * 2654435761u >> 20;
        looped[2] += v & 3;
        for (unsigned j = 0; j < (v & 7); ++j)
            looped[2] += (v & 3) != j ? v & 3 : 0;
        neighbours[i + 2] += 6;
        neighbours[i + 3] += x[i] & 3;
    }
    TW_PASS(tw_buffer_create_over_const(x, sizeof *x, tw_range_1d(ITEMS), &in));
    TW_PASS(tw_buffer_create(sizeof *y, tw_range_1d(ITEMS), &copy));
    TW_PASS(tw_buffer_create(sizeof *got, tw_range_1d(BINS), &out));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ITEMS), around_a_loop, .x = tw_read(cg, in), .y = tw_discard_write(cg, copy),
                    .bins = TW_REDUCE_ARRAY_INIT(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(out, got);
    TW_CHECK(memcmp(got, looped, sizeof got) == 0);
    tw_test_fetch(copy, y);
    TW_CHECK(memcmp(y, x, sizeof x) == 0);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ITEMS), around_its_neighbour, .x = tw_read(cg, in), .y = tw_discard_write(cg, copy),
                    .bins = TW_REDUCE_ARRAY_INIT(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(out, got);
    TW_CHECK(memcmp(got, neighbours, sizeof got) == 0);
    tw_test_fetch(copy, y);
    for (size_t i = 0; i < ITEMS; ++i)
        TW_EQUAL(y[i], 3 * x[i]);
    TW_PASS(tw_buffer_destroy(&copy));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* All that arrays can be, beside a scalar: other types and operations, and one that is too large for local memory. */
struct columns {
    TW_REDUCTION_ARRAY(long, TW_SUM) sums;
    TW_REDUCTION(long, TW_SUM) all;
    TW_REDUCTION_ARRAY(int, TW_MIN) least;
    TW_REDUCTION_ARRAY(double, TW_MAX) most;
    TW_REDUCTION_ARRAY(float, TW_SUM) halves;
    TW_REDUCTION_ARRAY(unsigned, TW_AND) bits;
    TW_REDUCTION_ARRAY(unsigned long, TW_PRODUCT) products;
    TW_REDUCTION_ARRAY(unsigned, TW_XOR) many;
};
enum { ROWS_OF = 90, COLUMNS_OF = 33, MANY = 20000 };

static int value_at(size_t i, size_t j)
{
    return (int)((i * 7919 + j * 104729) % 1009) - 500;
}

static inline void columns(tw_item item, const struct columns *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    const int value = (int)((i * 7919 + j * 104729) % 1009) - 500;
    tw_combine_at(k->sums, j, value);
    tw_combine(k->all, value);
    tw_combine_at(k->least, j, value);
    tw_combine_at(k->most, j, value);
    tw_combine_at(k->halves, j, 0.5f * (float)value);
    tw_combine_at(k->bits, j, (unsigned)value);
    tw_combine_at(k->products, j, (unsigned long)(2 * value + 1));
    tw_combine_at(k->many, (i * COLUMNS_OF + j) * 7 % MANY, (unsigned)value);
}
TW_RANGE_REDUCTION(columns, 2, sums, all, least, most, halves, bits, products, many);

struct columns_result {
    long sums[COLUMNS_OF], all;
    int least[COLUMNS_OF];
    double most[COLUMNS_OF];
    float halves[COLUMNS_OF];
    unsigned bits[COLUMNS_OF];
    unsigned long products[COLUMNS_OF];
    unsigned many[MANY];
};

static void expect_columns(struct columns_result *r)
{
    for (size_t j = 0; j < COLUMNS_OF; ++j) {
        r->least[j] = 400; /* what the buffer has counts */
        r->most[j] = -1e300;
        r->bits[j] = ~0u;
        r->products[j] = 1;
    }
    for (size_t i = 0; i < ROWS_OF; ++i)
        for (size_t j = 0; j < COLUMNS_OF; ++j) {
            const int value = value_at(i, j);
            r->sums[j] += value;
            r->all += value;
            r->least[j] = value < r->least[j] ? value : r->least[j];
            r->most[j] = value > r->most[j] ? value : r->most[j];
            r->halves[j] += 0.5f * (float)value;
            r->bits[j] &= (unsigned)value;
            r->products[j] *= (unsigned long)(2 * value + 1);
            r->many[(i * COLUMNS_OF + j) * 7 % MANY] ^= (unsigned)value;
        }
}

TW_TEST(arrays_of_other_types_and_operations)
{
    static struct columns_result expected, got;
    int start[COLUMNS_OF];
    tw_queue *queue = tw_test_queue();
    tw_buffer *b[8] = {NULL};
    static const size_t sizes[8] = {sizeof(long),  sizeof(long),     sizeof(int),           sizeof(double),
                                    sizeof(float), sizeof(unsigned), sizeof(unsigned long), sizeof(unsigned)};
    for (size_t i = 0; i < 8; ++i)
        TW_PASS(tw_buffer_create(sizes[i], tw_range_1d(i == 1 ? 1 : i == 7 ? MANY : COLUMNS_OF), &b[i]));
    for (size_t j = 0; j < COLUMNS_OF; ++j)
        start[j] = 400;
    tw_test_store(b[2], start);
    expect_columns(&expected);
    for (int run = 0; run < 2; ++run) { /* the second time the device's memory has been used */
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_2d(ROWS_OF, COLUMNS_OF), columns, .sums = TW_REDUCE_ARRAY_INIT(cg, b[0]),
                        .all = TW_REDUCE_INIT(cg, b[1]), .least = TW_REDUCE_ARRAY(cg, b[2]),
                        .most = TW_REDUCE_ARRAY_INIT(cg, b[3]), .halves = TW_REDUCE_ARRAY_INIT(cg, b[4]),
                        .bits = TW_REDUCE_ARRAY_INIT(cg, b[5]), .products = TW_REDUCE_ARRAY_INIT(cg, b[6]),
                        .many = TW_REDUCE_ARRAY_INIT(cg, b[7]));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    tw_test_fetch(b[0], got.sums);
    tw_test_fetch(b[1], &got.all);
    tw_test_fetch(b[2], got.least);
    tw_test_fetch(b[3], got.most);
    tw_test_fetch(b[4], got.halves);
    tw_test_fetch(b[5], got.bits);
    tw_test_fetch(b[6], got.products);
    tw_test_fetch(b[7], got.many);
    TW_EQUAL(got.all, expected.all);
    for (size_t j = 0; j < COLUMNS_OF; ++j) {
        TW_EQUAL(got.sums[j], expected.sums[j]);
        TW_EQUAL(got.least[j], expected.least[j]);
        TW_CHECK(got.most[j] == expected.most[j]);
        TW_CHECK(got.halves[j] == expected.halves[j]);
        TW_EQUAL(got.bits[j], expected.bits[j]);
        TW_EQUAL(got.products[j], expected.products[j]);
    }
    TW_CHECK(memcmp(got.many, expected.many, sizeof got.many) == 0);
    for (size_t i = 0; i < 8; ++i)
        TW_PASS(tw_buffer_destroy(&b[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Kernels whose definitions forget members that reduce: all of them, and one of two. */
struct forgets_all {
    const int *in;
    TW_REDUCTION(int, TW_SUM) sum;
    TW_REDUCTION_ARRAY(int, TW_SUM) bins;
};
static inline void forgets_all(tw_item item, const struct forgets_all *k)
{
    (void)item, (void)k;
}
TW_RANGE_KERNEL(forgets_all, 1);
struct forgets_one {
    const int *in;
    TW_REDUCTION(int, TW_SUM) sum;
    TW_REDUCTION(int, TW_MAX) most;
    TW_REDUCTION_ARRAY(int, TW_SUM) bins;
};
static inline void forgets_most(tw_item item, const struct forgets_one *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
    tw_combine_at(k->bins, 0, 1);
}
TW_RANGE_REDUCTION(TW_BLOCK(forgets_one) forgets_most, 1, sum, bins);
static inline void forgets_bins(tw_item item, const struct forgets_one *k)
{
    tw_combine(k->sum, k->in[tw_global_id(item, 0)]);
    tw_combine(k->most, k->in[tw_global_id(item, 0)]);
}
TW_RANGE_REDUCTION(TW_BLOCK(forgets_one) forgets_bins, 1, sum, most);

TW_TEST(members_that_a_definition_forgets_are_errors_of_the_group)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = tw_test_ints(64, 1), *sum = tw_test_ints(1, 0), *most = tw_test_ints(1, 0);
    tw_buffer *bins = tw_test_ints(8, 0);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), forgets_all, .in = tw_read(cg, in), .sum = TW_REDUCE(cg, sum));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(strstr(tw_error_detail(), "define it by TW_RANGE_REDUCTION(forgets_all, "));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), forgets_all, .in = tw_read(cg, in), .bins = TW_REDUCE_ARRAY(cg, bins));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), forgets_most, .in = tw_read(cg, in), .sum = TW_REDUCE(cg, sum),
                    .most = TW_REDUCE(cg, most), .bins = TW_REDUCE_ARRAY(cg, bins));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(strstr(tw_error_detail(), "with 3 members") && strstr(tw_error_detail(), "names 2"));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), forgets_bins, .in = tw_read(cg, in), .sum = TW_REDUCE(cg, sum),
                    .most = TW_REDUCE(cg, most), .bins = TW_REDUCE_ARRAY(cg, bins));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    /* what is not named, and has no target, is not reduced */
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(64), forgets_bins, .in = tw_read(cg, in), .sum = TW_REDUCE_INIT(cg, sum),
                    .most = TW_REDUCE_INIT(cg, most));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_expect_ints(sum, 64);
    tw_test_expect_ints(most, 1);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&most));
    TW_PASS(tw_buffer_destroy(&bins));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(wrong_arrays_are_errors_of_the_group)
{
    const unsigned char byte = 1;
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *out = NULL, *narrow = NULL, *part = NULL, *flat = NULL;
    TW_PASS(tw_buffer_create_copy(&byte, 1, tw_range_1d(1), &in));
    TW_PASS(tw_buffer_create(4, tw_range_2d(16, 32), &out));
    TW_PASS(tw_buffer_create(2, tw_range_1d(256), &narrow));
    TW_PASS(tw_buffer_create(4, tw_range_1d(256), &flat));
    TW_PASS(tw_buffer_create_sub(out, tw_id_2d(0, 0), tw_range_2d(16, 16), &part));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), histogram, .bytes = tw_read(cg, in), .bins = TW_REDUCE_ARRAY(cg, narrow));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(strstr(tw_error_detail(), "bins"));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), histogram, .bytes = tw_read(cg, in), .bins = TW_REDUCE_ARRAY(cg, part));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), histogram, .bytes = tw_read(cg, in), .bins = TW_REDUCE_ARRAY(cg, NULL));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), sum_int, .in = tw_read(cg, flat), .all = TW_REDUCE(cg, narrow));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(strstr(tw_error_detail(), "all"));
    TW_PASS(tw_buffer_destroy(&part));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&flat));
    TW_PASS(tw_buffer_destroy(&narrow));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- dependencies, nothing to reduce, errors --------------------------------------------------------------------- */

TW_TEST(a_reduction_is_ordered_by_its_accessors)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *out = NULL;
    int got = 0;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1000), &in));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &out));
    static int ones[1000];
    for (size_t i = 0; i < 1000; ++i)
        ones[i] = 1;
    tw_test_store(in, ones);
    tw_test_store(out, &got);
    for (int i = 0; i < 50; ++i) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(1000), sum_int, .in = tw_read(cg, in), .all = TW_REDUCE(cg, out));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
    }
    tw_test_fetch(out, &got);
    TW_EQUAL(got, 50000);
    /* no work-items: the kernel does not run, and the value stays as it is */
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(0), sum_int, .in = tw_read(cg, in), .all = TW_REDUCE(cg, out));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(out, &got);
    TW_EQUAL(got, 50000);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ... and an element whose value is to be replaced is the identity, since nothing is combined. Each time the contents
   are where the device does not have them: the access discards them. */
TW_TEST(a_combination_of_nothing_is_the_identity)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *out = NULL, *bins = NULL;
    int values[3] = {7, 8, 9};
    float kept[2] = {-0.0f, 5.0f};
    unsigned counts[256];
    for (unsigned i = 0; i < 256; ++i)
        counts[i] = i + 1;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(16), &in));
    TW_PASS(tw_buffer_create_over(values, sizeof(int), tw_range_1d(3), &out));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(0), sum_int, .in = tw_read(cg, in), .all = TW_REDUCE_INIT(cg, out));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(0), least_int, .in = tw_read(cg, in), .all = TW_REDUCE_INIT_AT(cg, out, 1));
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(0), product_int, .in = tw_read(cg, in), .all = TW_REDUCE_AT(cg, out, 2));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_buffer_destroy(&out));
    TW_EQUAL(values[0], 0);
    TW_EQUAL(values[1], INT_MAX);
    TW_EQUAL(values[2], 9);
    TW_PASS(tw_buffer_create_over(counts, sizeof *counts, tw_range_1d(256), &bins));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(0), histogram, .bytes = tw_read(cg, in),
                        .bins = TW_REDUCE_ARRAY_INIT(cg, bins));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_buffer_destroy(&bins));
    for (unsigned i = 0; i < 256; ++i)
        TW_EQUAL(counts[i], 0);
    /* a kept sum has the same bits */
    TW_PASS(tw_buffer_create_over(kept, sizeof *kept, tw_range_1d(2), &out));
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(0), sum_float, .in = tw_read(cg, in), .all = TW_REDUCE(cg, out));
    }
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_buffer_destroy(&out));
    TW_CHECK(__builtin_signbit(kept[0]) && kept[1] == 5.0f);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(wrong_targets_are_errors_of_the_group)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *out = NULL, *constant = NULL;
    static const int one = 1;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(2), &out));
    TW_PASS(tw_buffer_create_over_const(&one, sizeof(int), tw_range_1d(1), &constant));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), sum_int, .in = tw_read(cg, constant), .all = TW_REDUCE_AT(cg, out, 2));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), sum_int, .in = tw_read(cg, constant), .all = TW_REDUCE(cg, constant));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_READ_ONLY_BUFFER);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(1), sum_int, .in = tw_read(cg, constant), .all = TW_REDUCE_INIT(cg, NULL));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(1, 1), sum_int, .in = tw_read(cg, constant), .all = TW_REDUCE(cg, out));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&constant));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A reduction accesses its element alone: it does not wait for a thread that has others. */
TW_TEST(a_reduction_accesses_one_element)
{
    const int values[] = {1, 2, 3, 4}, zeros[9] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = NULL, *out = NULL;
    tw_host_accessor *others = NULL, *element = NULL;
    TW_PASS(tw_buffer_create_copy(values, sizeof *values, tw_range_1d(4), &in));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof *zeros, tw_range_2d(3, 3), &out));
    TW_PASS(tw_host_access_part(out, tw_id_2d(0, 0), tw_range_2d(1, 3), TW_READ_WRITE, &others));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(4), sum_int, .in = tw_read(cg, in), .all = TW_REDUCE_AT(cg, out, 5));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_host_access_part(out, tw_id_2d(1, 2), tw_range_2d(1, 1), TW_READ, &element));
    TW_EQUAL(*(const int *)tw_host_accessor_const_data(element), 10);
    tw_host_accessor_release(&element);
    tw_host_accessor_release(&others);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- scalars that stay on the device ------------------------------------------------------------------------------ */

/* Conjugate gradients for a tridiagonal matrix: no scalar comes to the host before the end. */
struct scalars {
    double rr, pap, next_rr;
    int steps;
};

struct cg_start {
    const double *b;
    double *r, *p;
    TW_REDUCTION(double, TW_SUM) rr;
};
static inline void cg_start(tw_item item, const struct cg_start *k)
{
    const size_t i = tw_global_id(item, 0);
    k->r[i] = k->p[i] = k->b[i];
    tw_combine(k->rr, k->b[i] * k->b[i]);
}
TW_RANGE_REDUCTION(cg_start, 1, rr);

struct cg_multiply {
    const double *p;
    double *ap;
    size_t n;
    TW_REDUCTION(double, TW_SUM) pap;
};
static inline void cg_multiply(tw_item item, const struct cg_multiply *k)
{
    const size_t i = tw_global_id(item, 0);
    const double left = i ? k->p[i - 1] : 0, right = i + 1 < k->n ? k->p[i + 1] : 0;
    k->ap[i] = 4 * k->p[i] - left - right;
    tw_combine(k->pap, k->p[i] * k->ap[i]);
}
TW_RANGE_REDUCTION(cg_multiply, 1, pap);

struct cg_advance {
    const struct scalars *s;
    const double *p, *ap;
    double *x, *r;
    TW_REDUCTION(double, TW_SUM) rr;
};
static inline void cg_advance(tw_item item, const struct cg_advance *k)
{
    const size_t i = tw_global_id(item, 0);
    const double alpha = k->s->rr / k->s->pap;
    k->x[i] += alpha * k->p[i];
    k->r[i] -= alpha * k->ap[i];
    tw_combine(k->rr, k->r[i] * k->r[i]);
}
TW_RANGE_REDUCTION(cg_advance, 1, rr);

struct cg_turn {
    const struct scalars *s;
    const double *r;
    double *p;
};
static inline void cg_turn(tw_item item, const struct cg_turn *k)
{
    const size_t i = tw_global_id(item, 0);
    k->p[i] = k->r[i] + k->s->next_rr / k->s->rr * k->p[i];
}
TW_RANGE_KERNEL(cg_turn, 1);

struct cg_next {
    struct scalars *s;
};
static inline void cg_next(const struct cg_next *k)
{
    k->s->rr = k->s->next_rr;
    ++k->s->steps;
}
TW_SINGLE_TASK(cg_next);

TW_TEST(scalars_stay_on_the_device)
{
    enum { N = 1000, STEPS = 30 };
    const struct scalars start = {0, 0, 0, 5};
    static double b[N], x[N];
    for (size_t i = 0; i < N; ++i) {
        b[i] = (double)(i % 7) - 3;
        x[i] = 0;
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *bs = NULL, *xs = NULL, *rs = NULL, *ps = NULL, *aps = NULL, *s = NULL;
    TW_PASS(tw_buffer_create_copy(b, sizeof *b, tw_range_1d(N), &bs));
    TW_PASS(tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &xs));
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(N), &rs));
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(N), &ps));
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(N), &aps));
    TW_PASS(tw_buffer_create_copy(&start, sizeof start, tw_range_1d(1), &s));
    TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_start, .b = (const double *)tw_read(cg, bs),
                                  .r = (double *)tw_discard_write(cg, rs), .p = (double *)tw_discard_write(cg, ps),
                                  .rr = TW_REDUCE_INIT_MEMBER(cg, s, struct scalars, rr)));
    for (int step = 0; step < STEPS; ++step) {
        TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_multiply,
                                      .p = (const double *)tw_read(cg, ps), .ap = (double *)tw_discard_write(cg, aps),
                                      .n = N, .pap = TW_REDUCE_INIT_MEMBER(cg, s, struct scalars, pap)));
        TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_advance,
                                      .s = (const struct scalars *)tw_read(cg, s), .p = (const double *)tw_read(cg, ps),
                                      .ap = (const double *)tw_read(cg, aps), .x = (double *)tw_read_write(cg, xs),
                                      .r = (double *)tw_read_write(cg, rs),
                                      .rr = TW_REDUCE_INIT_MEMBER(cg, s, struct scalars, next_rr)));
        TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_turn,
                                      .s = (const struct scalars *)tw_read(cg, s), .r = (const double *)tw_read(cg, rs),
                                      .p = (double *)tw_read_write(cg, ps)));
        TW_PASS(tw_queue_single_task(queue, cg, NULL, cg_next, .s = (struct scalars *)tw_read_write(cg, s)));
    }
    struct scalars end;
    tw_test_fetch(s, &end);
    TW_EQUAL(end.steps, 5 + STEPS);
    TW_CHECK(end.rr == end.next_rr && end.rr >= 0 && end.rr < 1e-20 && end.pap > 0);
    TW_PASS(tw_buffer_destroy(&xs));
    for (size_t i = 0; i < N; ++i) {
        const double ax = 4 * x[i] - (i ? x[i - 1] : 0) - (i + 1 < N ? x[i + 1] : 0);
        TW_CHECK(ax - b[i] < 1e-9 && b[i] - ax < 1e-9);
    }
    /* adds to what the member has; of another struct, or of an element of another size, it is an error */
    TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_start, .b = (const double *)tw_read(cg, bs),
                                  .r = (double *)tw_discard_write(cg, rs), .p = (double *)tw_discard_write(cg, ps),
                                  .rr = TW_REDUCE_MEMBER(cg, s, struct scalars, pap)));
    double sum = end.pap;
    for (size_t i = 0; i < N; ++i)
        sum += b[i] * b[i];
    tw_test_fetch(s, &end);
    TW_CHECK(end.pap - sum < 1e-9 && sum - end.pap < 1e-9 && end.steps == 5 + STEPS);
    TW_FAIL(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_start, .b = (const double *)tw_read(cg, bs),
                                  .r = (double *)tw_write(cg, rs), .p = (double *)tw_write(cg, ps),
                                  .rr = TW_REDUCE_MEMBER(cg, rs, struct scalars, rr)),
            TW_ERROR_INVALID_ARGUMENT);
    TW_FAIL(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), cg_start, .b = (const double *)tw_read(cg, bs),
                                  .r = (double *)tw_write(cg, rs), .p = (double *)tw_write(cg, ps),
                                  .rr = TW_REDUCE_MEMBER(cg, s, struct scalars, steps)),
            TW_ERROR_INVALID_KERNEL);
    tw_buffer *all[] = {bs, rs, ps, aps, s};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        TW_PASS(tw_buffer_destroy(&all[i]));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(every_type_and_operation),
                TW_CASE(four_at_once_in_three_dimensions),
                TW_CASE(the_same_bits_in_every_run),
                TW_CASE(values_of_many_teams_are_combined),
                TW_CASE(eight_at_once),
                TW_CASE(bytes_are_counted),
                TW_CASE(elements_that_are_combined_again),
                TW_CASE(arrays_of_other_types_and_operations),
                TW_CASE(members_that_a_definition_forgets_are_errors_of_the_group),
                TW_CASE(wrong_arrays_are_errors_of_the_group),
                TW_CASE(a_reduction_is_ordered_by_its_accessors),
                TW_CASE(a_combination_of_nothing_is_the_identity),
                TW_CASE(wrong_targets_are_errors_of_the_group),
                TW_CASE(a_reduction_accesses_one_element),
                TW_CASE(scalars_stay_on_the_device),
                TW_CASES_END};
