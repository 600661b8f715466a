/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams gpu-simt (gpu-teams) */
/**
 * Reductions of range kernels: every type and operation, one to four at once, 1 to 3 dimensions with offset, ranges
 * from one work-item to millions, values that are kept or replaced, reproducible bits, and errors.
 */
#include "tw_test.h"

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

TW_TEST_LIST = {TW_CASE(every_type_and_operation),
                TW_CASE(four_at_once_in_three_dimensions),
                TW_CASE(the_same_bits_in_every_run),
                TW_CASE(a_reduction_is_ordered_by_its_accessors),
                TW_CASE(wrong_targets_are_errors_of_the_group),
                TW_CASE(a_reduction_accesses_one_element),
                TW_CASES_END};
