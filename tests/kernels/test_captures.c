/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (x86_64-teams gpu-simt gpu-teams) */
/** What recording finds in the pointers among a launch's captures: NULL, and buffers with elements of another size. */
#include "tw_test.h"

#include <teamwork/vector.h>
#include <teamwork/view.h>

enum { N = 64, GROUP = 32 };

struct add {
    const int *in;
    int *out;
    int add;
};
static inline void add(tw_item item, const struct add *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = (k->in ? k->in[i] : 0) + k->add;
}
TW_RANGE_KERNEL(add, 1);

/* Pointers in all places of a block. */
struct cell {
    int value[5];
};
typedef double real; /* as programs choose their precision */
struct places {
    char byte;
    struct {
        struct {
            const float *deep;
        } inner;
        const int *rows[3];
    } table;
    union {
        const int *pointer;
        size_t number;
    } either;
    float (*columns)[4];
    const struct cell *cells;
    void *any;
    unsigned char *bytes;
    real *last;
};
static inline void places(const struct places *k)
{
    k->last[0] = k->table.rows[1] ? k->table.rows[1][0] : k->columns != NULL;
}
TW_SINGLE_TASK(places);

struct view {
    TW_VIEW(double, 1) out;
};
static inline void view(tw_item item, const struct view *k)
{
    tw_at(k->out, tw_global_id(item, 0)) = 1;
}
TW_RANGE_KERNEL(view, 1);

struct vectors {
    const tw_float4 *in;
    tw_float2 *out;
};
static inline void vectors(tw_item item, const struct vectors *k)
{
    const size_t i = tw_global_id(item, 0);
    k->out[i] = k->in[i].xy + k->in[i].zw;
}
TW_RANGE_KERNEL(vectors, 1);

/* A block that a loop fills. */
enum { FIELDS = 3 };
struct mix {
    const int *in[FIELDS];
    TW_VIEW(int, 1) out;
    int weights[FIELDS];
    TW_REDUCTION(long, TW_SUM) sums[2];
    double unused;
};
static inline void mix(tw_item item, const struct mix *k)
{
    const size_t i = tw_global_id(item, 0);
    int sum = 0;
    for (int f = 0; f < FIELDS; ++f)
        sum += k->in[f] ? k->weights[f] * k->in[f][i] : 0;
    tw_at(k->out, i) = sum + (k->unused != 0);
    tw_combine(k->sums[0], sum);
    tw_combine(k->sums[1], 1);
}
TW_RANGE_REDUCTION(mix, 1, sums[0], sums[1]);

/* Members by their names. */
TW_KERNEL_FUNCTION(blend, tw_item, item, (const int *, x), (TW_VIEW(int, 1), out), (__typeof__(int[2]), weights),
                   (long, TW_SUM, sum), (int, TW_MAX, most))
{
    const size_t i = tw_global_id(item, 0);
    tw_at(out, i) = weights[0] * x[i] + weights[1];
    tw_combine(*sum, tw_at(out, i));
    tw_combine(*most, (int)i);
}
TW_RANGE_REDUCTION(blend, 1, sum, most);

TW_TASK_FUNCTION(add_first, (int *, x), (int, value))
{
    x[0] += value;
}
TW_SINGLE_TASK(static add_first);

TW_KERNEL_FUNCTION(turn_around, tw_nd_item, item, (int *, x), (tw_local_memory, memory))
{
    int *mine = (int *)tw_local_data(item, memory);
    const size_t i = tw_local_id(item, 0), last = tw_local_range(item, 0) - 1;
    mine[i] = x[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    x[tw_global_id(item, 0)] = mine[last - i];
}
TW_ND_RANGE_KERNEL(turn_around);

static void expect_refusal(tw_queue *queue, tw_command_group *cg, const char *part)
{
    TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_ARGUMENT);
    if (!strstr(tw_error_detail(), part))
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", tw_error_detail(), part);
    TW_CHECK(strstr(tw_error_detail(), part) != NULL);
}

TW_TEST(a_forgotten_capture_is_named)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 7);
    for (int again = 0; again < 2; ++again) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, buffer), .add = 1);
        expect_refusal(queue, cg, "member out of kernel add is NULL: give it what an accessor");
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), add, .out = tw_write(cg, buffer), .add = 1);
        expect_refusal(queue, cg, "member in of kernel add is NULL");
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(N), view, .out.range = {N});
        expect_refusal(queue, cg, "member out.data of kernel view is NULL");
    }
    tw_test_expect_ints(buffer, 7);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(null_can_be_meant)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = tw_test_ints(N, 7);
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .in = TW_NULL, .out = tw_discard_write(cg, buffer), .add = 3);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_expect_ints(buffer, 3);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

/* An empty buffer has no address. */
TW_TEST(empty_buffers_give_null)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *empty = NULL, *buffer = tw_test_ints(N, 7);
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_1d(0), &empty));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, empty), .out = tw_discard_write(cg, buffer), .add = 4);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_expect_ints(buffer, 4);
    TW_PASS(tw_buffer_destroy(&empty));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(pointers_are_found_in_all_places)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer = NULL;
    double result = -1;
    TW_PASS(tw_buffer_create_over(&result, sizeof(double), tw_range_1d(1), &buffer));
#define PLACES(cg) .last = tw_write(cg, buffer)
    tw_command_group *cg = tw_queue_begin(queue);
    tw_single_task(cg, places, PLACES(cg));
    expect_refusal(queue, cg, "member table.inner.deep of kernel places is NULL");
    cg = tw_queue_begin(queue);
    tw_single_task(cg, places, PLACES(cg), .table.inner.deep = TW_NULL);
    expect_refusal(queue, cg, "member columns of kernel places is NULL");
    cg = tw_queue_begin(queue);
    tw_single_task(cg, places, PLACES(cg), .table.inner.deep = TW_NULL, .columns = TW_NULL, .cells = TW_NULL,
                   .any = TW_NULL);
    expect_refusal(queue, cg, "member bytes of kernel places is NULL");
    /* elements of arrays, and members of unions, may be NULL; TW_NULL is NULL there too */
    cg = tw_queue_begin(queue);
    tw_single_task(cg, places, PLACES(cg), .table = {.inner.deep = TW_NULL, .rows = {NULL, TW_NULL, TW_NULL}},
                   .columns = TW_NULL, .cells = TW_NULL, .any = TW_NULL, .bytes = TW_NULL);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_EQUAL((int)result, 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(elements_of_another_size_are_refused)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *ints = tw_test_ints(N, 7), *doubles = NULL;
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(N), &doubles));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), add, .in = tw_read(cg, ints), .out = tw_write(cg, doubles));
    expect_refusal(queue, cg,
                   "member out of kernel add points to elements of 4 bytes, and the buffer whose accessor gave it has "
                   "elements of 8 bytes");
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), view, .out = TW_WRITE_VIEW(cg, ints, 1));
    expect_refusal(queue, cg,
                   "member out.data of kernel view points to elements of 8 bytes, and the buffer whose accessor gave "
                   "it has elements of 4 bytes");
    cg = tw_queue_begin(queue); /* of a part, and not its first element */
    int *part = tw_write_part(cg, doubles, tw_id_1d(8), tw_range_1d(8));
    tw_parallel_for(cg, tw_range_1d(1), add, .in = TW_NULL, .out = part + 2);
    expect_refusal(queue, cg, "member out of kernel add points to elements of 4 bytes");
    cg = tw_queue_begin(queue); /* a typedef */
    tw_single_task(cg, places, .table.inner.deep = TW_NULL, .columns = TW_NULL, .cells = TW_NULL, .any = TW_NULL,
                   .bytes = TW_NULL, .last = tw_write(cg, ints));
    expect_refusal(queue, cg, "member last of kernel places points to elements of 8 bytes");
    TW_PASS(tw_buffer_destroy(&ints));
    TW_PASS(tw_buffer_destroy(&doubles));
    TW_PASS(tw_queue_destroy(&queue));
}

/* A buffer of floats may be read as vectors of them, and one of rows as their numbers; void, characters and structs may be
   of any buffer. */
TW_TEST(other_sizes_are_taken_where_they_may_be_meant)
{
    tw_queue *queue = tw_test_queue();
    float in[4 * N], out[2 * N];
    for (size_t i = 0; i < sizeof in / sizeof *in; ++i)
        in[i] = (float)i;
    tw_buffer *floats = NULL, *pairs = NULL, *doubles = NULL;
    TW_PASS(tw_buffer_create_over_const(in, sizeof(float), tw_range_1d(4 * N), &floats));
    TW_PASS(tw_buffer_create_over(out, sizeof(tw_float2), tw_range_1d(N), &pairs));
    TW_PASS(tw_buffer_create(sizeof(double), tw_range_1d(N), &doubles));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), vectors, .in = tw_read(cg, floats), .out = tw_discard_write(cg, pairs));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N), vectors, .in = tw_read(cg, doubles), .out = tw_discard_write(cg, pairs));
    expect_refusal(queue, cg, "member in of kernel vectors points to elements of 16 bytes");
    cg = tw_queue_begin(queue);
    tw_single_task(cg, places, .table.inner.deep = tw_read(cg, floats), .columns = TW_NULL,
                   .cells = tw_read(cg, floats), .any = tw_write(cg, pairs), .bytes = tw_write(cg, pairs),
                   .last = tw_write(cg, doubles));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_buffer *rows = NULL;
    TW_PASS(tw_buffer_create(3 * sizeof(int), tw_range_1d(N / 3), &rows));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(N / 3 * 3), add, .in = TW_NULL, .out = tw_discard_write(cg, rows), .add = 1);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&rows));
    TW_PASS(tw_buffer_destroy(&pairs));
    for (int i = 0; i < 2 * N; ++i)
        TW_EQUAL((int)out[i], i % 2 ? 4 * i : 4 * i + 2);
    TW_PASS(tw_buffer_destroy(&floats));
    TW_PASS(tw_buffer_destroy(&doubles));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(loops_fill_a_block)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *fields[FIELDS] = {tw_test_ints(N, 2), tw_test_ints(N, 3), tw_test_ints(N, 5)};
    tw_buffer *out = tw_test_ints(N, 0), *sums = NULL;
    long got[2];
    TW_PASS(tw_buffer_create(sizeof(long), tw_range_1d(2), &sums));
    for (int without = 0; without < 2; ++without) {
        TW_COMMAND_GROUP(queue, cg) {
            TW_FILL_BLOCK(mix, block);
            for (int f = 0; f < FIELDS; ++f) {
                block.in[f] = f < without ? NULL : tw_read(cg, fields[f]);
                block.weights[f] = f + 1;
            }
            for (size_t s = 0; s < 2; ++s)
                tw_set(block.sums[s], TW_REDUCE_INIT_AT(cg, sums, s));
            tw_set(block.out, TW_DISCARD_WRITE_VIEW(cg, out, 1));
            tw_parallel_for_kernel(cg, tw_range_1d(N), TW_FILLED(mix, block));
        }
        TW_PASS(tw_queue_wait_and_throw(queue));
        tw_test_fetch(sums, got);
        tw_test_expect_ints(out, without ? 21 : 23);
        TW_EQUAL(got[0], N * (without ? 21 : 23));
        TW_EQUAL(got[1], N);
    }
    for (int f = 0; f < FIELDS; ++f)
        TW_PASS(tw_buffer_destroy(&fields[f]));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&sums));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(what_is_not_filled_is_named)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *in = tw_test_ints(N, 2), *out = tw_test_ints(N, 7), *sums = NULL;
    TW_PASS(tw_buffer_create(sizeof(long), tw_range_1d(2), &sums));
    for (int left_out = 0; left_out < 3; ++left_out) {
        static const char *const messages[] = {"member in[1] of kernel mix is not filled",
                                               "member out.data of kernel mix",
                                               "kernel mix reduces its member sums[1], which has no buffer"};
        tw_command_group *cg = tw_queue_begin(queue);
        TW_FILL_BLOCK(mix, block);
        for (int f = 0; f < FIELDS; ++f)
            if (f != 1 || left_out != 0)
                tw_set(block.in[f], tw_read(cg, in));
        if (left_out != 1)
            tw_set(block.out, TW_WRITE_VIEW(cg, out, 1));
        tw_set(block.sums[0], TW_REDUCE(cg, sums));
        if (left_out != 2)
            tw_set(block.sums[1], TW_REDUCE_AT(cg, sums, 1));
        tw_parallel_for_kernel(cg, tw_range_1d(N), TW_FILLED(mix, block));
        TW_FAIL(tw_queue_submit(queue, cg, NULL), left_out == 2 ? TW_ERROR_INVALID_KERNEL : TW_ERROR_INVALID_ARGUMENT);
        TW_CHECK(strstr(tw_error_detail(), messages[left_out]) != NULL);
    }
    tw_test_expect_ints(out, 7);
    TW_PASS(tw_buffer_destroy(&in));
    TW_PASS(tw_buffer_destroy(&out));
    TW_PASS(tw_buffer_destroy(&sums));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(members_are_there_by_their_names)
{
    tw_queue *queue = tw_test_queue();
    tw_buffer *x = tw_test_ints(N, 2), *sum = NULL, *most = tw_test_ints(1, 0);
    int got[N], highest;
    long total;
    TW_PASS(tw_buffer_create(sizeof(long), tw_range_1d(1), &sum));
    TW_PASS(tw_queue_single_task(queue, cg, NULL, add_first, .x = tw_read_write(cg, x), .value = 5));
    TW_PASS(tw_queue_parallel_for(queue, cg, NULL, tw_range_1d(N), blend, .x = tw_read(cg, x),
                                  .out = TW_WRITE_VIEW(cg, x, 1), .weights = {10, 1}, .sum = TW_REDUCE_INIT(cg, sum),
                                  .most = TW_REDUCE(cg, most)));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(GROUP)), turn_around,
                             .x = tw_read_write(cg, x), .memory = tw_local(cg, GROUP * sizeof(int)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(x, got);
    tw_test_fetch(sum, &total);
    tw_test_fetch(most, &highest);
    for (int i = 0; i < N; ++i)
        TW_EQUAL(got[i], i == GROUP - 1 ? 71 : 21);
    TW_EQUAL(total, 71 + (N - 1) * 21);
    TW_EQUAL(highest, N - 1);
    TW_PASS(tw_buffer_destroy(&x));
    TW_PASS(tw_buffer_destroy(&sum));
    TW_PASS(tw_buffer_destroy(&most));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {
    TW_CASE(a_forgotten_capture_is_named),
    TW_CASE(null_can_be_meant),
    TW_CASE(empty_buffers_give_null),
    TW_CASE(pointers_are_found_in_all_places),
    TW_CASE(elements_of_another_size_are_refused),
    TW_CASE(other_sizes_are_taken_where_they_may_be_meant),
    TW_CASE(loops_fill_a_block),
    TW_CASE(what_is_not_filled_is_named),
    TW_CASE(members_are_there_by_their_names),
    TW_CASES_END,
};
