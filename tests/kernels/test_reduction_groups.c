/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 x86_64-teams gpu-simt (gpu-teams) */
/**
 * Reductions of nd_range and hierarchical kernels: scalars and arrays, with and without a required size, with barriers
 * and local memory, from one group to thousands, values that are kept or replaced, and errors.
 */
#include "nd_range_test.h"

#include <limits.h>

/* ---- hierarchical kernels ---------------------------------------------------------------------------------------- */

struct tiles {
    const int *in;
    TW_REDUCTION(long, TW_SUM) sum;
    TW_REDUCTION(int, TW_MAX) most;
    TW_REDUCTION(unsigned, TW_SUM) groups;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};

/* Each group adds its values in two loops over work-items, and itself once. */
static inline void tiles(tw_group group, const struct tiles *k)
{
    TW_LOCAL(int, part, [64]);
    tw_parallel_for_work_item(group, item) {
        part[tw_local_linear_id(item)] = k->in[tw_global_linear_id(item)];
        tw_combine(k->most, k->in[tw_global_linear_id(item)]);
    }
    tw_parallel_for_work_item(group, item) {
        const int value = part[63 - tw_local_linear_id(item)];
        tw_combine(k->sum, value);
        tw_combine_at(k->bins, (unsigned)value % 16, 1);
    }
    TW_ONCE(group) {
        tw_combine(k->groups, 1);
    }
}
TW_WORK_GROUP_REDUCTION(tiles, (64), sum, most, groups, bins);

struct any_tiles {
    const int *in;
    TW_REDUCTION(double, TW_SUM) sum;
};
static inline void any_tiles(tw_group group, const struct any_tiles *k)
{
    tw_parallel_for_work_item(group, item) {
        tw_combine(k->sum, k->in[tw_global_linear_id(item)]);
    }
}
TW_WORK_GROUP_REDUCTION(any_tiles, (), sum);

enum { MOST = 64 * 15000 };
static int values[MOST];

static tw_buffer *make_values(void)
{
    tw_buffer *in = NULL;
    for (size_t i = 0; i < MOST; ++i)
        values[i] = (int)(i * 7919 % 10007);
    TW_PASS(tw_buffer_create_over_const(values, sizeof(int), tw_range_1d(MOST), &in));
    return in;
}

TW_TEST(hierarchical_kernels_reduce)
{
    static const size_t groups[] = {1, 2, 63, 511, 513, 1500, 15000};
    const unsigned zeros[16] = {0};
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = make_values(), *sum = NULL, *most = NULL, *count = NULL, *bins = NULL;
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(long), tw_range_1d(1), &sum));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(int), tw_range_1d(1), &most));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(unsigned), tw_range_1d(1), &count));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(unsigned), tw_range_1d(16), &bins));
    long expected = 0;
    unsigned of_bins[16] = {0}, all_groups = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
        int largest = 0;
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_work_group(cg, tw_range_1d(groups[g]), tw_range_1d(64), tiles, .in = tw_read(cg, in),
                                   .sum = TW_REDUCE(cg, sum), .most = TW_REDUCE_INIT(cg, most),
                                   .groups = TW_REDUCE(cg, count), .bins = TW_REDUCE_ARRAY(cg, bins));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        for (size_t i = 0; i < groups[g] * 64; ++i) {
            expected += values[i];
            ++of_bins[values[i] % 16];
            largest = values[i] > largest ? values[i] : largest;
        }
        all_groups += (unsigned)groups[g];
        long got_sum;
        int got_most;
        unsigned got_bins[16], got_groups;
        tw_test_fetch(sum, &got_sum);
        tw_test_fetch(most, &got_most);
        tw_test_fetch(count, &got_groups);
        tw_test_fetch(bins, got_bins);
        TW_EQUAL(got_sum, expected);
        TW_EQUAL(got_most, largest);
        TW_EQUAL(got_groups, all_groups);
        TW_CHECK(memcmp(got_bins, of_bins, sizeof of_bins) == 0);
    }
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&most));
    TW_PASS(tw_buffer_destroy(&count));
    TW_PASS(tw_buffer_destroy(&bins));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(groups_of_any_size_and_dimensions)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = make_values(), *sum = NULL;
    double got, expected = 0;
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(1), &sum));
    for (size_t i = 0; i < (size_t)9 * 6 * 5 * 4 * 3 * 2; ++i)
        expected += values[i];
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_3d(9, 5, 3), tw_range_3d(6, 4, 2), any_tiles, .in = tw_read(cg, in),
                               .sum = TW_REDUCE_INIT(cg, sum));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(sum, &got);
    TW_CHECK(got == expected);
    cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_2d(54, 20), tw_range_2d(3, 2), any_tiles, .in = tw_read(cg, in),
                               .sum = TW_REDUCE(cg, sum));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(sum, &got);
    TW_CHECK(got == 2 * expected);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- nd_range kernels -------------------------------------------------------------------------------------------- */

struct neighbours {
    const int *in;
    tw_local_memory part;
    TW_REDUCTION(long, TW_SUM) sum;
    TW_REDUCTION(int, TW_MIN) least;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};

/* Each work-item adds the value of the next one of its group, before the barrier its own. */
static inline void neighbours(tw_nd_item item, const struct neighbours *k)
{
    int *part = tw_local_data(item, k->part);
    const size_t l = tw_local_linear_id(item);
    part[l] = k->in[tw_global_linear_id(item)];
    tw_combine(k->least, part[l]);
    tw_barrier(item, TW_LOCAL_SPACE);
    const int next = part[(l + 1) % tw_local_range(item, 0)];
    tw_combine(k->sum, next);
    tw_combine_at(k->bins, (unsigned)next % 64, 1);
}
TW_ND_RANGE_REDUCTION(neighbours, (32), sum, least, bins);

struct plain {
    const int *in;
    TW_REDUCTION(float, TW_SUM) sum;
    TW_REDUCTION(unsigned, TW_OR) bits;
    int filler[80]; /* a block that is too large for kernel arguments */
};
static inline void plain(tw_nd_item item, const struct plain *k)
{
    const int value = k->in[tw_global_linear_id(item)];
    if (value % 2)
        return;
    tw_combine(k->sum, 0.5f * (float)(value % 4));
    tw_combine(k->bits, (unsigned)k->filler[value % 3]);
}
TW_ND_RANGE_REDUCTION(plain, (), sum, bits);

TW_TEST(nd_range_kernels_with_barriers_reduce)
{
    static const size_t groups[] = {1, 7, 512, 3000, 20000};
    const unsigned zeros[64] = {0};
    tw_queue *queue = nd_queue();
    if (!queue)
        return;
    tw_buffer *in = make_values(), *sum = NULL, *least = NULL, *bins = NULL;
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(long), tw_range_1d(1), &sum));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(int), tw_range_1d(1), &least));
    TW_PASS(tw_buffer_create_copy(zeros, sizeof(unsigned), tw_range_1d(64), &bins));
    long expected = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
        unsigned of_bins[64] = {0}, got_bins[64];
        const size_t n = 32 * groups[g];
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(n), tw_range_1d(32)), neighbours,
                                 .in = tw_read(cg, in), .part = tw_local(cg, 32 * sizeof(int)),
                                 .sum = TW_REDUCE(cg, sum), .least = TW_REDUCE_INIT(cg, least),
                                 .bins = TW_REDUCE_ARRAY_INIT(cg, bins));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        int smallest = values[0], got_least;
        long got_sum;
        for (size_t i = 0; i < n; ++i) {
            expected += values[i];
            ++of_bins[values[i] % 64];
            smallest = values[i] < smallest ? values[i] : smallest;
        }
        tw_test_fetch(sum, &got_sum);
        tw_test_fetch(least, &got_least);
        tw_test_fetch(bins, got_bins);
        TW_EQUAL(got_sum, expected);
        TW_EQUAL(got_least, smallest);
        TW_CHECK(memcmp(got_bins, of_bins, sizeof of_bins) == 0);
    }
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&least));
    TW_PASS(tw_buffer_destroy(&bins));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(nd_range_kernels_of_any_size_reduce)
{
    tw_queue *queue = nd_queue();
    if (!queue)
        return;
    tw_buffer *in = make_values(), *sum = NULL, *bits = NULL;
    const float zero = 0;
    float expected = 0, got;
    unsigned expected_bits = 0, got_bits;
    const struct plain filled = {.filler = {1, 2, 4}};
    TW_PASS(tw_buffer_create_copy(&zero, sizeof(float), tw_range_1d(1), &sum));
    TW_PASS(tw_buffer_create_copy(&zero, sizeof(unsigned), tw_range_1d(1), &bits));
    for (size_t i = 0; i < (size_t)64 * 128; ++i)
        if (values[i] % 2 == 0) {
            expected += 0.5f * (float)(values[i] % 4);
            expected_bits |= (unsigned)filled.filler[values[i] % 3];
        }
    const tw_nd_range ranges[] = {tw_nd_range_make(tw_range_1d(64 * 128), tw_range_1d(64)),
                                  tw_nd_range_make(tw_range_2d(64, 128), tw_range_2d(8, 4)),
                                  tw_nd_range_make(tw_range_3d(16, 4, 128), tw_range_3d(2, 2, 8))};
    for (size_t r = 0; r < 3; ++r) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, ranges[r], plain, .in = tw_read(cg, in), .sum = TW_REDUCE(cg, sum),
                                 .bits = TW_REDUCE_INIT(cg, bits), .filler = {1, 2, 4});
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        tw_test_fetch(sum, &got);
        tw_test_fetch(bits, &got_bits);
        TW_CHECK(got == (float)(r + 1) * expected);
        TW_EQUAL(got_bits, expected_bits);
    }
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&bits));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- reproducible ------------------------------------------------------------------------------------------------ */

struct waves {
    const float *in;
    TW_REDUCTION(float, TW_SUM) sum;
    TW_REDUCTION_ARRAY(float, TW_SUM) columns;
};
static inline void waves(tw_nd_item item, const struct waves *k)
{
    const size_t i = tw_global_id(item, 0);
    tw_combine(k->sum, k->in[i]);
    tw_combine_at(k->columns, i % 24, k->in[i]);
}
TW_ND_RANGE_REDUCTION(waves, (48), sum, columns);

/* On a CPU sums of floating point, which depend on the order, have the same bits in every run. */
TW_TEST(the_same_bits_in_every_run)
{
    enum { COUNT = 48 * 1000, RUNS = 10 };
    static float waving[COUNT];
    float sum, columns[24], first_sum = 0, first_columns[24] = {0};
    tw_queue *queue = nd_cpu_queue();
    if (!queue)
        return;
    unsigned state = 1;
    for (size_t i = 0; i < COUNT; ++i) {
        state = state * 1664525u + 1013904223u;
        waving[i] = (float)(state >> 8) / (1 << 20);
    }
    tw_buffer *in = NULL, *out = NULL, *of_columns = NULL;
    TW_PASS(tw_buffer_create_over_const(waving, sizeof(float), tw_range_1d(COUNT), &in));
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(1), &out));
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(24), &of_columns));
    for (int run = 0; run < RUNS; ++run) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(COUNT), tw_range_1d(48)), waves,
                                 .in = tw_read(cg, in), .sum = TW_REDUCE_INIT(cg, out),
                                 .columns = TW_REDUCE_ARRAY_INIT(cg, of_columns));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        tw_test_fetch(out, &sum);
        tw_test_fetch(of_columns, columns);
        if (run == 0) {
            first_sum = sum;
            memcpy(first_columns, columns, sizeof columns);
        }
        TW_CHECK(memcmp(&sum, &first_sum, sizeof sum) == 0);
        TW_CHECK(memcmp(columns, first_columns, sizeof columns) == 0);
    }
    TW_CHECK(sum > 7.9f * COUNT && sum < 8.1f * COUNT);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&of_columns));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- more teams than a device runs at a time: work-items have loops ------------------------------------------------ */

struct turns {
    unsigned turns;
    TW_REDUCTION(unsigned long, TW_SUM) sum;
};
static inline unsigned after_turns(unsigned x, unsigned turns)
{
    for (unsigned i = 0; i < turns; ++i)
        x = x * 1664525u + 1013904223u;
    return x;
}
static inline void turns(tw_nd_item item, const struct turns *k)
{
    const unsigned x = after_turns((unsigned)tw_global_id(item, 0), k->turns);
    const unsigned all = tw_reduce_over_group(item, x, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        tw_combine(k->sum, all);
}
TW_ND_RANGE_REDUCTION(turns, (32), sum);

TW_TEST(values_of_many_teams_are_combined)
{
    enum { GROUP = 32, TURNS = 5 };
    static const size_t groups[] = {2048, 2049, 9000};
    tw_queue *queue = nd_queue();
    if (!queue)
        return;
    tw_buffer *sum = NULL;
    TW_PASS(tw_buffer_create(sizeof(unsigned long), tw_range_1d(1), &sum));
    for (size_t s = 0; s < sizeof groups / sizeof groups[0]; ++s) {
        unsigned long expected = 0, got;
        for (size_t i = 0; i < groups[s]; ++i) {
            unsigned all = 0;
            for (size_t j = 0; j < GROUP; ++j)
                all += after_turns((unsigned)(i * GROUP + j), TURNS);
            expected += all;
        }
        for (size_t run = 0; run < 2; ++run) {
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(groups[s] * GROUP), tw_range_1d(GROUP)), turns,
                                     .turns = TURNS, .sum = TW_REDUCE_INIT(cg, sum));
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        }
        tw_test_fetch(sum, &got);
        TW_EQUAL(got, expected);
    }
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- a sum beside an array in which neighbours are neighbours -------------------------------------------------------- */

struct lines {
    const int *in;
    TW_REDUCTION(int, TW_SUM) sum;
    TW_REDUCTION_ARRAY(int, TW_SUM) columns;
};
static inline void lines(tw_nd_item item, const struct lines *k)
{
    const int x = k->in[tw_global_id(item, 0)];
    tw_combine(k->sum, x);
    tw_combine_at(k->columns, tw_local_id(item, 0), x);
}
TW_ND_RANGE_REDUCTION(lines, (64), sum, columns);

TW_TEST(a_sum_beside_columns)
{
    enum { GROUPS = 100, COLUMNS = 64, COUNT = GROUPS * COLUMNS };
    static int in[COUNT];
    int sum = 0, columns[COLUMNS];
    tw_queue *queue = nd_queue();
    if (!queue)
        return;
    tw_buffer *from = NULL, *out = NULL, *of_columns = NULL;
    for (int i = 0; i < COUNT; ++i)
        in[i] = i % COLUMNS + 1;
    TW_PASS(tw_buffer_create_over_const(in, sizeof(int), tw_range_1d(COUNT), &from));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &out));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(COLUMNS), &of_columns));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(COUNT), tw_range_1d(COLUMNS)), lines,
                             .in = tw_read(cg, from), .sum = TW_REDUCE_INIT(cg, out),
                             .columns = TW_REDUCE_ARRAY_INIT(cg, of_columns));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(out, &sum);
    tw_test_fetch(of_columns, columns);
    TW_EQUAL(sum, GROUPS * COLUMNS * (COLUMNS + 1) / 2);
    for (int i = 0; i < COLUMNS; ++i)
        TW_EQUAL(columns[i], GROUPS * (i + 1));
    TW_PASS(tw_buffer_destroy(&from));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&of_columns));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Work-items combine with the same elements before and behind a way on which there could be a barrier. */
struct twice {
    int n;
    TW_REDUCTION(int, TW_SUM) sum;
    TW_REDUCTION_ARRAY(int, TW_SUM) columns;
};
static inline void twice(tw_nd_item item, const struct twice *k)
{
    const size_t column = tw_local_id(item, 0) % 4;
    tw_combine_at(k->columns, column, 1);
    tw_combine(k->sum, 1);
    if (k->n > 1) {
        tw_barrier(item, TW_LOCAL_SPACE);
        tw_combine(k->sum, k->n);
    } else {
        tw_combine_at(k->columns, column, 2);
        tw_combine(k->sum, 2);
    }
}
TW_ND_RANGE_REDUCTION(twice, (), sum, columns);

TW_TEST(elements_that_many_combine_with_twice)
{
    enum { ITEMS = 64, COUNT = 10 * ITEMS };
    int sum = 0, columns[4];
    tw_queue *queue = nd_queue();
    if (!queue)
        return;
    tw_buffer *out = NULL, *of_columns = NULL;
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(1), &out));
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(4), &of_columns));
    for (int n = 1; n <= 2; ++n) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(COUNT), tw_range_1d(ITEMS)), twice, .n = n,
                                 .sum = TW_REDUCE_INIT(cg, out), .columns = TW_REDUCE_ARRAY_INIT(cg, of_columns));
        TW_PASS(tw_queue_submit(queue, cg, NULL));
        tw_test_fetch(out, &sum);
        tw_test_fetch(of_columns, columns);
        TW_EQUAL(sum, 3 * COUNT);
        for (int i = 0; i < 4; ++i)
            TW_EQUAL(columns[i], (n > 1 ? 1 : 3) * COUNT / 4);
    }
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&of_columns));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

struct divergent {
    int n;
    TW_REDUCTION(int, TW_SUM) sum;
};
static inline void divergent(tw_nd_item item, const struct divergent *k)
{
    tw_combine(k->sum, 1);
    if (tw_local_id(item, 0) < (size_t)k->n)
        tw_barrier(item, TW_LOCAL_SPACE);
}
TW_ND_RANGE_REDUCTION(divergent, (), sum);

/* What the groups of a part report is what the launch reports, and the target stays as it is. */
TW_TEST(a_barrier_that_some_do_not_reach_is_reported)
{
    const int start = 17;
    int got;
    tw_queue *queue = nd_cpu_queue();
    if (!queue)
        return;
    tw_buffer *sum = NULL;
    TW_PASS(tw_buffer_create_copy(&start, sizeof start, tw_range_1d(1), &sum));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(256), tw_range_1d(8)), divergent, .n = 5,
                             .sum = TW_REDUCE(cg, sum));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_FAIL(tw_queue_wait_and_throw(queue), TW_ERROR_DIVERGENT_BARRIER);
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_create_copy(&start, sizeof start, tw_range_1d(1), &sum));
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(256), tw_range_1d(8)), divergent, .n = 8,
                             .sum = TW_REDUCE(cg, sum));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(sum, &got);
    TW_EQUAL(got, 17 + 256);
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A launch without groups: what is to be replaced is the identity, and what is kept stays. */
TW_TEST(a_combination_of_nothing_is_the_identity)
{
    tw_queue *queue = tw_test_queue();
    long sums[2] = {7, 7};
    int most[2] = {7, 7};
    unsigned groups = 7, bins[64];
    for (unsigned i = 0; i < 64; ++i)
        bins[i] = i + 1;
    tw_buffer *in = make_values(), *sum = NULL, *others = NULL, *count = NULL, *array = NULL;
    TW_PASS(tw_buffer_create_over(sums, sizeof *sums, tw_range_1d(2), &sum));
    TW_PASS(tw_buffer_create_over(most, sizeof *most, tw_range_1d(2), &others));
    TW_PASS(tw_buffer_create_over(&groups, sizeof groups, tw_range_1d(1), &count));
    TW_PASS(tw_buffer_create_over(bins, sizeof *bins, tw_range_1d(64), &array));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(0), tw_range_1d(64), tiles, .in = tw_read(cg, in),
                               .sum = TW_REDUCE_INIT(cg, sum), .most = TW_REDUCE_INIT(cg, others),
                               .groups = TW_REDUCE(cg, count), .bins = TW_REDUCE_ARRAY_INIT(cg, array));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(0), tw_range_1d(32)), neighbours, .in = tw_read(cg, in),
                             .part = tw_local(cg, 32 * sizeof(int)), .sum = TW_REDUCE_INIT_AT(cg, sum, 1),
                             .least = TW_REDUCE_INIT_AT(cg, others, 1), .bins = TW_REDUCE_ARRAY(cg, array));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait_and_throw(queue));
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&others));
    TW_PASS(tw_buffer_destroy(&count));
    TW_PASS(tw_buffer_destroy(&array));
    TW_EQUAL(sums[0], 0);
    TW_EQUAL(sums[1], 0);
    TW_EQUAL(most[0], INT_MIN);
    TW_EQUAL(most[1], INT_MAX);
    TW_EQUAL(groups, 7);
    for (unsigned i = 0; i < 64; ++i)
        TW_EQUAL(bins[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(wrong_targets_are_errors_of_the_group)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = make_values(), *narrow = NULL;
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(4), &narrow));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(4), any_tiles, .in = tw_read(cg, in),
                               .sum = TW_REDUCE(cg, narrow));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(strstr(tw_error_detail(), "sum"));
    cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(64), tw_range_1d(32)), neighbours, .in = tw_read(cg, in));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&narrow));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- bins of any count ------------------------------------------------------------------------------------------- */

struct tally {
    const unsigned *in;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
    unsigned count;
};
static inline void tally(tw_nd_item item, const struct tally *k)
{
    tw_combine_at(k->bins, k->in[tw_global_id(item, 0)] % k->count, 1u);
}
TW_ND_RANGE_REDUCTION(tally, (), bins);

/* Counts that only small groups divide, of one work-item too. */
TW_TEST(arrays_of_groups_of_any_size)
{
    static unsigned in[1024];
    ND_BEGIN(queue);
    for (unsigned i = 0; i < 1024; ++i)
        in[i] = i;
    for (unsigned count = 1; count <= 1024; count += count < 40 ? 1 : 123)
        for (unsigned bins = 1; bins < 50; bins += 12) {
            tw_buffer *from = NULL, *to = tw_test_zeroed(sizeof(unsigned), bins);
            unsigned found[50];
            TW_PASS(tw_buffer_create_copy(in, sizeof(unsigned), tw_range_1d(count), &from));
            tw_command_group *cg = tw_queue_begin(queue);
            tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(count), tw_range_any()), tally,
                                     .in = tw_read(cg, from), .bins = TW_REDUCE_ARRAY_INIT(cg, to), .count = bins);
            const bool runs = !nd_is_refused(queue, cg);
            TW_CHECK(runs || count % 32);
            TW_PASS(tw_buffer_read(to, found));
            for (unsigned b = 0; b < bins && runs; ++b)
                TW_EQUAL(found[b], count / bins + (b < count % bins));
            TW_PASS(tw_buffer_destroy(&from));
            TW_PASS(tw_buffer_destroy(&to));
        }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(hierarchical_kernels_reduce),
                TW_CASE(groups_of_any_size_and_dimensions),
                TW_CASE(nd_range_kernels_with_barriers_reduce),
                TW_CASE(nd_range_kernels_of_any_size_reduce),
                TW_CASE(the_same_bits_in_every_run),
                TW_CASE(values_of_many_teams_are_combined),
                TW_CASE(a_sum_beside_columns),
                TW_CASE(elements_that_many_combine_with_twice),
                TW_CASE(a_barrier_that_some_do_not_reach_is_reported),
                TW_CASE(a_combination_of_nothing_is_the_identity),
                TW_CASE(wrong_targets_are_errors_of_the_group),
                TW_CASE(arrays_of_groups_of_any_size),
                TW_CASES_END};
