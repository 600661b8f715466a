/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized */
/** reduction.h: reductions with operations of the program, of structs; and into unified shared memory. */
#include "nd_range_test.h"

#include <teamwork/command_graph.h>

enum { N = 100003, LOCAL = 32, BINS = 16 };

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* The least value, and where it is: of equal ones the first. */
struct least {
    float value;
    unsigned at;
};
static inline struct least lesser(struct least a, struct least b)
{
    return b.value < a.value || (b.value == a.value && b.at < a.at) ? b : a;
}
TW_REDUCTION_OPERATION(least_of, struct least, lesser, 1e30f, ~0u);

/* The greatest of the same type, by another operation. */
static inline struct least greater(struct least a, struct least b)
{
    return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}
TW_REDUCTION_OPERATION(most_of, struct least, greater, -1e30f, ~0u);

/* Mean and sum of squared differences from it, after Chan. */
struct moments {
    double mean, squares;
    unsigned long count;
};
static inline struct moments join(struct moments a, struct moments b)
{
    struct moments all = {0, 0, a.count + b.count};
    if (!all.count)
        return all;
    const double delta = b.mean - a.mean, part = (double)b.count / (double)all.count;
    all.mean = a.mean + delta * part;
    all.squares = a.squares + b.squares + delta * delta * (double)a.count * part;
    return all;
}
TW_REDUCTION_OPERATION(moments_of, struct moments, join, 0, 0, 0);

/* Sizes that are no number of words, and the largest one. */
struct odd {
    unsigned char at[13];
};
static inline struct odd add_odd(struct odd a, struct odd b)
{
    for (int i = 0; i < 13; ++i)
        a.at[i] = (unsigned char)(a.at[i] + b.at[i]);
    return a;
}
TW_REDUCTION_OPERATION(odd_sum, struct odd, add_odd, {0});

struct wide {
    unsigned at[14];
};
static inline struct wide add_wide(struct wide a, struct wide b)
{
    for (int i = 0; i < 14; ++i)
        a.at[i] += b.at[i];
    return a;
}
TW_REDUCTION_OPERATION(wide_sum, struct wide, add_wide, {0});

/* A number, by another operation than those of tw_operation. */
static inline unsigned gcd(unsigned a, unsigned b)
{
    while (b) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
TW_REDUCTION_OPERATION(gcd_of, unsigned, gcd, 0);

/* The elements: all different but for some, which are the least. */
static float element(size_t i)
{
    return i % 1000 == 77 ? -5.0f : (float)((i * 7919) % 10007);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

struct survey {
    const float *x;
    TW_REDUCTION_BY(least_of) low;
    TW_REDUCTION(unsigned, TW_SUM) count;
    TW_REDUCTION_BY(most_of) high;
};
static inline void survey_one(const struct survey *k, size_t i)
{
    const struct least mine = {k->x[i], (unsigned)i};
    tw_combine(k->low, mine);
    tw_combine(k->high, mine);
    if (k->x[i] < 0)
        tw_combine(k->count, 1u);
}
static inline void survey_range(tw_item item, const struct survey *k)
{
    survey_one(k, tw_global_id(item, 0));
}
TW_RANGE_REDUCTION(TW_BLOCK(survey) survey_range, 1, low, count, high);

static inline void survey_groups(tw_group group, const struct survey *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_linear_id(item);
        if (i < N)
            survey_one(k, i);
    }
}
TW_WORK_GROUP_REDUCTION(TW_BLOCK(survey) survey_groups, (), low, count, high);

static inline void survey_items(tw_nd_item item, const struct survey *k)
{
    const size_t i = tw_global_linear_id(item);
    if (i < N)
        survey_one(k, i);
}
TW_ND_RANGE_REDUCTION(TW_BLOCK(survey) survey_items, (LOCAL), low, count, high);

struct spread {
    const float *x;
    TW_REDUCTION_BY(moments_of) all;
};
static inline void spread(tw_item item, const struct spread *k)
{
    tw_combine(k->all, (struct moments){(double)k->x[tw_global_linear_id(item)], 0, 1});
}
TW_RANGE_REDUCTION(spread, 3, all);

struct sizes {
    TW_REDUCTION_BY(odd_sum) odd;
    TW_REDUCTION_BY(gcd_of) divisor;
};
static inline void sizes(tw_item item, const struct sizes *k)
{
    const size_t i = tw_global_id(item, 0);
    struct odd mine;
    for (int at = 0; at < 13; ++at)
        mine.at[at] = (unsigned char)(i * (size_t)(at + 1));
    tw_combine(k->odd, mine);
    tw_combine(k->divisor, (unsigned)(i + 1) * 12u);
}
TW_RANGE_REDUCTION(sizes, 1, odd, divisor);

struct widest {
    TW_REDUCTION_BY(wide_sum) all;
};
static inline void widest(tw_nd_item item, const struct widest *k)
{
    struct wide mine;
    for (int at = 0; at < 14; ++at)
        mine.at[at] = (unsigned)tw_global_linear_id(item) * (unsigned)at;
    tw_barrier(item, TW_LOCAL_SPACE);
    tw_combine(k->all, mine);
}
TW_ND_RANGE_REDUCTION(widest, (), all);

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static tw_buffer *elements(size_t n)
{
    tw_buffer *x = NULL;
    tw_host_accessor *accessor = NULL;
    TW_PASS(tw_buffer_create(sizeof(float), tw_range_1d(n), &x));
    TW_PASS(tw_host_access(x, TW_DISCARD_WRITE, &accessor));
    for (size_t i = 0; i < n; ++i)
        ((float *)tw_host_accessor_data(accessor))[i] = element(i);
    tw_host_accessor_release(&accessor);
    return x;
}

static tw_buffer *one(size_t bytes, const void *value)
{
    tw_buffer *buffer = NULL;
    TW_PASS(tw_buffer_create(bytes, tw_range_1d(1), &buffer));
    tw_test_store(buffer, value);
    return buffer;
}

/* Checks what a survey has found. */
static void expect_survey(tw_buffer *low, tw_buffer *count, tw_buffer *high, size_t n)
{
    struct least expected_low = {1e30f, ~0u}, expected_high = {-1e30f, ~0u}, got;
    unsigned negative = 0, counted;
    for (size_t i = 0; i < n; ++i) {
        const struct least mine = {element(i), (unsigned)i};
        expected_low = lesser(expected_low, mine);
        expected_high = greater(expected_high, mine);
        negative += element(i) < 0;
    }
    tw_test_fetch(low, &got);
    TW_EQUAL(got.at, expected_low.at);
    TW_CHECK(got.value == expected_low.value);
    tw_test_fetch(high, &got);
    TW_EQUAL(got.at, expected_high.at);
    TW_CHECK(got.value == expected_high.value);
    tw_test_fetch(count, &counted);
    TW_EQUAL(counted, negative);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

enum form { RANGE, GROUPS, ITEMS };

static void check_survey(tw_queue *queue, size_t n, enum form form)
{
    const struct least any = {1, 2};
    const unsigned zero = 0;
    tw_buffer *x = elements(n), *low = one(sizeof any, &any), *high = one(sizeof any, &any),
              *count = one(sizeof zero, &zero);
    const size_t groups = (n + LOCAL - 1) / LOCAL;
    tw_command_group *cg = tw_queue_begin(queue);
    if (form == RANGE)
        tw_parallel_for(cg, tw_range_1d(n), survey_range, .x = tw_read(cg, x), .low = TW_REDUCE_INIT(cg, low),
                        .count = TW_REDUCE(cg, count), .high = TW_REDUCE_INIT(cg, high));
    else if (form == GROUPS)
        tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(LOCAL), survey_groups, .x = tw_read(cg, x),
                                   .low = TW_REDUCE_INIT(cg, low), .count = TW_REDUCE(cg, count),
                                   .high = TW_REDUCE_INIT(cg, high));
    else
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(groups * LOCAL), tw_range_1d(LOCAL)), survey_items,
                                 .x = tw_read(cg, x), .low = TW_REDUCE_INIT(cg, low), .count = TW_REDUCE(cg, count),
                                 .high = TW_REDUCE_INIT(cg, high));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_queue_wait(queue));
    expect_survey(low, count, high, n);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&low));
    TW_PASS(tw_buffer_destroy(&high));
    TW_PASS(tw_buffer_destroy(&count));
}

TW_TEST(least_and_greatest_with_their_places)
{
    static const size_t counts[] = {1, 2, 31, 33, 255, 257, 1025, 5000, N};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        check_survey(queue, counts[i], RANGE);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(hierarchical_kernels_reduce_structs)
{
    tw_queue *queue = tw_test_queue();
    check_survey(queue, N, GROUPS);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(nd_range_kernels_reduce_structs)
{
    tw_queue *queue = nd_queue();
    if (!queue)
        TW_SKIP();
    check_survey(queue, N, ITEMS);
    TW_PASS(tw_queue_destroy(&queue));
}

/* The value that is there counts, also of a launch of no work-items; and the same launch gives the same bits. */
TW_TEST(mean_and_variance)
{
    const size_t sizes[] = {7, 33, 65};
    const size_t n = 7 * 33 * 65;
    const struct moments none = {0, 0, 0}, start = {1000, 500, 3};
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = elements(n);
    for (int keep = 0; keep < 2; ++keep) {
        struct moments first = {0, 0, 0};
        for (int run = 0; run < 3; ++run) {
            tw_buffer *out = one(sizeof start, keep ? &start : &none);
            struct moments got, expected = keep ? start : none;
            for (size_t i = 0; i < n; ++i)
                expected = join(expected, (struct moments){(double)element(i), 0, 1});
            TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_3d(sizes[0], sizes[1], sizes[2]), spread,
                                          .x = tw_read(cg, x), .all = TW_REDUCE(cg, out)));
            TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_3d(0, 1, 1), spread, .x = tw_read(cg, x),
                                          .all = TW_REDUCE(cg, out)));
            TW_PASS(tw_queue_wait(queue));
            tw_test_fetch(out, &got);
            TW_EQUAL(got.count, expected.count);
            TW_CHECK(got.mean > expected.mean * (1 - 1e-12) && got.mean < expected.mean * (1 + 1e-12));
            TW_CHECK(got.squares > expected.squares * (1 - 1e-11) && got.squares < expected.squares * (1 + 1e-11));
            TW_CHECK(run == 0 || (got.mean == first.mean && got.squares == first.squares));
            first = got;
            TW_PASS(tw_buffer_destroy(&out));
        }
    }
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(values_of_odd_sizes)
{
    static const size_t counts[] = {0, 1, 100, 3000, N};
    tw_queue *queue = tw_test_queue();
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        struct odd expected = {{0}}, got = {{1, 2, 3}};
        unsigned divisor = 0, got_divisor = 5;
        for (size_t i = 0; i < counts[c]; ++i) {
            for (int at = 0; at < 13; ++at)
                expected.at[at] = (unsigned char)(expected.at[at] + i * (size_t)(at + 1));
            divisor = gcd(divisor, (unsigned)(i + 1) * 12u);
        }
        tw_buffer *odd = one(sizeof got, &got), *common = one(sizeof divisor, &got_divisor);
        TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(counts[c]), sizes, .odd = TW_REDUCE_INIT(cg, odd),
                                      .divisor = TW_REDUCE_INIT(cg, common)));
        TW_PASS(tw_queue_wait(queue));
        tw_test_fetch(odd, &got);
        tw_test_fetch(common, &got_divisor);
        TW_CHECK(memcmp(&got, &expected, sizeof got) == 0); /* of no work-items: the neutral values */
        TW_EQUAL(got_divisor, divisor);
        TW_PASS(tw_buffer_destroy(&odd));
        TW_PASS(tw_buffer_destroy(&common));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(the_largest_values)
{
    tw_queue *queue = nd_queue();
    struct wide got, start;
    const unsigned n = 4096, sum = n * (n - 1) / 2;
    if (!queue)
        TW_SKIP();
    for (int at = 0; at < 14; ++at)
        start.at[at] = (unsigned)at;
    tw_buffer *all = one(sizeof start, &start);
    TW_PASS(tw_queue_parallel_for_nd_range(queue, cg, NULL, tw_nd_range_make(tw_range_1d(n), tw_range_1d(64)), widest,
                                           .all = TW_REDUCE(cg, all)));
    TW_PASS(tw_queue_wait(queue));
    tw_test_fetch(all, &got);
    for (int at = 0; at < 14; ++at)
        TW_EQUAL(got.at[at], (unsigned)at + sum * (unsigned)at);
    TW_PASS(tw_buffer_destroy(&all));
    TW_PASS(tw_queue_destroy(&queue));
}

/* In a command graph, where each submission combines once more. */
TW_TEST(a_graph_reduces_structs)
{
    tw_queue *queue = tw_test_queue();
    const struct moments none = {0, 0, 0};
    struct moments got;
    tw_buffer *x = elements(1000), *out = one(sizeof none, &none);
    tw_command_graph *graph = NULL;
    TW_PASS(tw_queue_begin_recording(queue));
    TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_3d(10, 10, 10), spread, .x = tw_read(cg, x),
                                  .all = TW_REDUCE(cg, out)));
    TW_PASS(tw_queue_end_recording(queue, &graph));
    for (int i = 0; i < 5; ++i)
        TW_PASS(tw_queue_submit_graph(queue, graph, NULL));
    TW_PASS(tw_queue_wait(queue));
    tw_test_fetch(out, &got);
    TW_EQUAL(got.count, 5000);
    tw_command_graph_destroy(&graph);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_queue_destroy(&queue));
}

/* Each device reduces its part, and the parts are combined by the program's operation. */
TW_TEST(several_devices_reduce_structs)
{
    tw_test_use_sim(3);
    tw_queue *queue = tw_test_queue_over(3, 0);
    check_survey(queue, N, RANGE);
    check_survey(queue, N, GROUPS);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(a_buffer_of_other_elements_is_refused)
{
    tw_queue *queue = tw_test_queue();
    const struct least any = {1, 2};
    tw_buffer *x = elements(10), *low = one(sizeof any, &any);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_3d(10, 1, 1), spread, .x = tw_read(cg, x), .all = TW_REDUCE(cg, low));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_KERNEL);
    TW_CHECK(strstr(tw_error_detail(), "member all") != NULL);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&low));
    TW_PASS(tw_queue_destroy(&queue));
}

/* ---- unified shared memory --------------------------------------------------------------------------------------- */

struct bins {
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
    TW_REDUCTION(unsigned, TW_MAX) last;
    TW_REDUCTION_BY(gcd_of) divisor;
};
static inline void bins(tw_item item, const struct bins *k)
{
    const unsigned i = (unsigned)tw_global_id(item, 0);
    tw_combine_at(k->bins, i % BINS, 1u);
    tw_combine(k->last, i);
    tw_combine(k->divisor, 6u * i);
}
TW_RANGE_REDUCTION(bins, 1, bins, last, divisor);

/* Values and arrays go to memory of each kind, and what is there counts or not. */
TW_TEST(kernels_reduce_into_unified_shared_memory)
{
    tw_queue *queue = tw_test_queue();
    tw_device *device = tw_queue_device(queue);
    for (int kind = 0; kind < 3; ++kind) {
        const size_t bytes = (BINS + 2) * sizeof(unsigned);
        unsigned *memory = (unsigned *)(kind == 0   ? tw_malloc_device(device, bytes)
                                        : kind == 1 ? tw_malloc_shared(device, bytes)
                                                    : tw_malloc_host(bytes));
        unsigned got[BINS + 2];
        if (!memory)
            continue; /* there is no shared memory */
        TW_PASS(tw_queue_memset(queue, memory, 0, bytes, NULL));
        TW_PASS(tw_queue_wait(queue));
        for (int twice = 0; twice < 2; ++twice) {
            TW_PASS(tw_queue_parallel_for(
                queue, cg, NULL, tw_range_1d(1000 * BINS), bins, .bins = TW_REDUCE_ARRAY_TO(cg, memory, BINS),
                .last = TW_REDUCE_INIT_TO(cg, memory + BINS), .divisor = TW_REDUCE_TO(cg, memory + BINS + 1)));
            TW_PASS(tw_queue_wait(queue));
        }
        TW_PASS(tw_queue_memcpy(queue, got, memory, bytes, NULL));
        TW_PASS(tw_queue_wait(queue));
        for (int i = 0; i < BINS; ++i)
            TW_EQUAL(got[i], 2000);
        TW_EQUAL(got[BINS], 1000 * BINS - 1);
        TW_EQUAL(got[BINS + 1], 6);
        TW_PASS(tw_queue_parallel_for(
            queue, cg, NULL, tw_range_1d(0), bins, .bins = TW_REDUCE_ARRAY_INIT_TO(cg, memory, BINS),
            .last = TW_REDUCE_INIT_TO(cg, memory + BINS), .divisor = TW_REDUCE_INIT_TO(cg, memory + BINS + 1)));
        TW_PASS(tw_queue_wait(queue));
        TW_PASS(tw_queue_memcpy(queue, got, memory, bytes, NULL));
        TW_PASS(tw_queue_wait(queue));
        for (int i = 0; i < BINS + 2; ++i)
            TW_EQUAL(got[i], 0);
        tw_free(memory);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

static void refuse(tw_queue *queue, unsigned *memory, size_t count, tw_status expected, const char *why)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(10), bins, .bins = TW_REDUCE_ARRAY_TO(cg, memory, count),
                    .last = TW_REDUCE_TO(cg, memory), .divisor = TW_REDUCE_TO(cg, memory));
    TW_FAIL(tw_queue_submit(queue, cg, NULL), expected);
    TW_CHECK(strstr(tw_error_detail(), why) != NULL);
}

TW_TEST(memory_that_kernels_cannot_use_is_refused)
{
    tw_queue *queues[2];
    unsigned own[BINS];
    tw_test_use_sim(2);
    tw_test_queues(queues, 2);
    unsigned *memory = (unsigned *)tw_malloc_device(tw_queue_device(queues[0]), sizeof own);
    refuse(queues[0], NULL, BINS, TW_ERROR_INVALID_ARGUMENT, "NULL");
    refuse(queues[0], own, BINS, TW_ERROR_INVALID_ARGUMENT, "not unified shared memory");
    refuse(queues[1], memory, BINS, TW_ERROR_INVALID_ARGUMENT, "does not reach");
    refuse(queues[0], memory, BINS + 1, TW_ERROR_INVALID_RANGE, "ends after");
    refuse(queues[0], memory, 0, TW_ERROR_INVALID_RANGE, "1 to");
    tw_test_destroy_queues(queues, 2);
    tw_queue *over = tw_test_queue_over(2, 0);
    refuse(over, memory, BINS, TW_ERROR_UNSUPPORTED, "several devices");
    TW_PASS(tw_queue_destroy(&over));
    tw_free(memory);
}

TW_TEST_LIST = {TW_CASE(least_and_greatest_with_their_places),
                TW_CASE(hierarchical_kernels_reduce_structs),
                TW_CASE(nd_range_kernels_reduce_structs),
                TW_CASE(mean_and_variance),
                TW_CASE(values_of_odd_sizes),
                TW_CASE(the_largest_values),
                TW_CASE(a_graph_reduces_structs),
                TW_CASE(several_devices_reduce_structs),
                TW_CASE(a_buffer_of_other_elements_is_refused),
                TW_CASE(kernels_reduce_into_unified_shared_memory),
                TW_CASE(memory_that_kernels_cannot_use_is_refused),
                TW_CASES_END};
