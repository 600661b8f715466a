/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
/* C++17: host x86_64 (gpu-simt gpu-teams), values, unsanitized, long */
/* Views (view.h): ranges that travel with an accessor, indices in 1 to 3 dimensions, and checked indices. */
#define TW_DEBUG_BOUNDS 1
#include "tw_test.h"

struct add_2d {
    TW_VIEW(const float) a, b;
    TW_VIEW(float) c;
};
static inline void add_2d(tw_item item, const struct add_2d *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->c, i, j) = tw_at(k->a, i, j) + tw_at(k->b, i, j);
}
TW_RANGE_KERNEL(add_2d, 2);

struct number_3d {
    TW_VIEW(int) out;
};
static inline void number_3d(tw_item item, const struct number_3d *k)
{
    const size_t h = tw_global_id(item, 0), i = tw_global_id(item, 1), j = tw_global_id(item, 2);
    tw_at(k->out, h, i, j) =
        (int)((h * tw_extent(k->out, 1) + i) * tw_extent(k->out, 2) + j) - (int)tw_global_linear_id(item);
}
TW_RANGE_KERNEL(number_3d, 3);

/* Views that name their dimensions. */
struct add_fixed {
    TW_VIEW(const float, 2) a;
    TW_VIEW(float, 2) b;
    TW_VIEW(const float, 1) row;
};
static inline void add_fixed(tw_item item, const struct add_fixed *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    tw_at(k->b, i, j) = tw_at(k->a, i, j) + tw_at(k->row, j) + tw_at_id(k->a, tw_id_2d(i, j));
}
TW_RANGE_KERNEL(add_fixed, 2);

struct write_fixed {
    TW_VIEW(int, 3) out;
    size_t shift;
};
static inline void write_fixed(tw_item item, const struct write_fixed *k)
{
    tw_at(k->out, tw_global_id(item, 0), tw_global_id(item, 1) + k->shift, tw_global_id(item, 2)) = 1;
}
TW_RANGE_KERNEL(write_fixed, 3);

struct write_at {
    TW_VIEW(int) out;
    size_t shift;
};
static inline void write_at(tw_item item, const struct write_at *k)
{
    tw_at(k->out, tw_global_id(item, 0) + k->shift) = 1 + (int)tw_global_id(item, 0);
}
TW_RANGE_KERNEL(write_at, 1);

struct one_of_two {
    TW_VIEW(int) out;
};
static inline void one_of_two(const struct one_of_two *k)
{
    tw_at(k->out, 1) = 1;
}
TW_SINGLE_TASK(one_of_two);

struct two_of_one {
    TW_VIEW(int) out;
};
static inline void two_of_one(const struct two_of_one *k)
{
    tw_at(k->out, 1, 0) = 1;
}
TW_SINGLE_TASK(two_of_one);

/* A part of one grid is read, and one of another written. */
struct transpose {
    TW_PART_VIEW(const int) in;
    TW_PART_VIEW(int) out;
};
static inline void transpose(tw_item item, const struct transpose *k)
{
    const size_t i = tw_global_id(item, 0), j = tw_global_id(item, 1);
    const tw_id id = tw_id_2d(j, i);
    tw_at_id(k->out, id) = tw_at(k->in, i, j) + (int)tw_extent(k->in, 1);
}
TW_RANGE_KERNEL(transpose, 2);

struct number_part {
    TW_PART_VIEW(int) out;
};
static inline void number_part(tw_item item, const struct number_part *k)
{
    tw_at(k->out, tw_global_id(item, 0), tw_global_id(item, 1), tw_global_id(item, 2)) =
        1 + (int)tw_global_linear_id(item);
}
TW_RANGE_KERNEL(number_part, 3);

struct mark_view {
    TW_VIEW(int) out;
};
static inline void mark_view(tw_item item, const struct mark_view *k)
{
    tw_at(k->out, tw_global_id(item, 0), tw_global_id(item, 1)) += 10;
}
TW_RANGE_KERNEL(mark_view, 2);

struct write_part {
    TW_PART_VIEW(int) out;
    size_t shift;
};
static inline void write_part(tw_item item, const struct write_part *k)
{
    tw_at(k->out, tw_global_id(item, 0), tw_global_id(item, 1) + k->shift) = 1;
}
TW_RANGE_KERNEL(write_part, 2);

TW_TEST(two_dimensions)
{
    enum { ROWS = 37, COLUMNS = 53 };
    float a[ROWS * COLUMNS], b[ROWS * COLUMNS], c[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i;
        c[i] = -1.0f;
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *ba, *bb, *bc;
    const tw_range range = tw_range_2d(ROWS, COLUMNS);
    TW_PASS(tw_buffer_create_over_const(a, sizeof a[0], range, &ba));
    TW_PASS(tw_buffer_create_over_const(b, sizeof b[0], range, &bb));
    TW_PASS(tw_buffer_create_over(c, sizeof c[0], range, &bc));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, range, add_2d, .a = TW_READ_VIEW(cg, ba), .b = TW_READ_VIEW(cg, bb),
                    .c = TW_DISCARD_WRITE_VIEW(cg, bc));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&bc));
    TW_PASS(tw_buffer_destroy(&bb));
    TW_PASS(tw_buffer_destroy(&ba));
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        TW_CHECK(c[i] == 3.0f * (float)i);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(three_dimensions)
{
    int out[5 * 7 * 11];
    memset(out, 0x55, sizeof out);
    tw_queue *queue = tw_test_queue();
    tw_buffer *buffer;
    TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_3d(5, 7, 11), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_3d(5, 7, 11), number_3d, .out = TW_DISCARD_WRITE_VIEW(cg, buffer));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (size_t i = 0; i < sizeof out / sizeof out[0]; ++i)
        TW_EQUAL(out[i], 0);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(dimensions_in_the_type)
{
    enum { ROWS = 11, COLUMNS = 37 };
    float a[ROWS][COLUMNS], b[ROWS][COLUMNS], row[COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        a[i / COLUMNS][i % COLUMNS] = (float)i;
        row[i % COLUMNS] = (float)(i % COLUMNS);
    }
    tw_queue *queue = tw_test_queue();
    tw_buffer *ba, *bb, *brow;
    const tw_range range = tw_range_2d(ROWS, COLUMNS);
    TW_PASS(tw_buffer_create_over_const(a, sizeof a[0][0], range, &ba));
    TW_PASS(tw_buffer_create_over(b, sizeof b[0][0], range, &bb));
    TW_PASS(tw_buffer_create_over_const(row, sizeof row[0], tw_range_1d(COLUMNS), &brow));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, range, add_fixed, .a = TW_READ_VIEW(cg, ba, 2), .b = TW_DISCARD_WRITE_VIEW(cg, bb, 2),
                    .row = TW_READ_CONSTANT_VIEW(cg, brow, 1));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&brow));
    TW_PASS(tw_buffer_destroy(&bb));
    TW_PASS(tw_buffer_destroy(&ba));
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            TW_CHECK(b[i][j] == (float)(2 * (COLUMNS * i + j) + j));
    TW_PASS(tw_queue_destroy(&queue));
}

/* They count rows, and elements of a row, in 32 bits. */
TW_TEST(views_refuse_buffers_that_do_not_fit_their_dimensions)
{
    static const struct {
        tw_range range;
        const char *message;
    } cases[] = {{{{4, 4, 1}, 2}, "a view of 3 dimensions of a buffer of 2"},
                 {{{8, 1, 1}, 1}, "a view of 3 dimensions of a buffer of 1"},
                 {{{(size_t)1 << 32, 1, 1}, 3}, "in 32 bits"},
                 {{{1 << 16, 1 << 16, 1}, 3}, "in 32 bits"},
                 {{{1, 1, (size_t)1 << 32}, 3}, "in 32 bits"},
                 {{{2, 3, 4}, 3}, NULL}};
    tw_queue *queue = tw_test_queue();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tw_buffer *buffer;
        TW_PASS(tw_buffer_create(cases[i].message ? 1 : sizeof(int), cases[i].range, &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_3d(1, 1, 1), write_fixed, .out = TW_DISCARD_WRITE_VIEW(cg, buffer, 3), .shift = 0);
        TW_EQUAL(tw_command_group_status(cg), cases[i].message ? TW_ERROR_INVALID_RANGE : TW_SUCCESS);
        if (cases[i].message) {
            TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
            TW_CHECK(strstr(tw_error_detail(), cases[i].message));
        } else {
            tw_command_group_discard(cg);
        }
        TW_PASS(tw_buffer_destroy(&buffer));
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(parts)
{
    enum { ROWS = 9, COLUMNS = 11 };
    int in[ROWS][COLUMNS], out[COLUMNS][ROWS] = {{0}}, cube[3][4][5] = {{{0}}};
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            in[i][j] = 100 * i + j;
    tw_queue *queue = tw_test_queue();
    tw_buffer *source, *target, *numbers;
    TW_PASS(tw_buffer_create_over_const(in, sizeof in[0][0], tw_range_2d(ROWS, COLUMNS), &source));
    TW_PASS(tw_buffer_create_over(out, sizeof out[0][0], tw_range_2d(COLUMNS, ROWS), &target));
    TW_PASS(tw_buffer_create_over(cube, sizeof cube[0][0][0], tw_range_3d(3, 4, 5), &numbers));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(4, 5), transpose,
                    .in = TW_READ_PART_VIEW(cg, source, tw_id_2d(3, 2), tw_range_2d(4, 5)),
                    .out = TW_DISCARD_WRITE_PART_VIEW(cg, target, tw_id_2d(6, 1), tw_range_2d(5, 4)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_3d(2, 2, 3), number_part,
                    .out = TW_WRITE_PART_VIEW(cg, numbers, tw_id_3d(1, 1, 2), tw_range_3d(2, 2, 3)));
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    TW_PASS(tw_buffer_destroy(&source));
    TW_PASS(tw_buffer_destroy(&target));
    TW_PASS(tw_buffer_destroy(&numbers));
    for (int i = 0; i < COLUMNS; ++i)
        for (int j = 0; j < ROWS; ++j) {
            const bool inside = i >= 6 && j >= 1 && j < 5;
            TW_EQUAL(out[i][j], inside ? 100 * (3 + j - 1) + 2 + i - 6 + 5 : 0);
        }
    for (int h = 0; h < 3; ++h)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 5; ++j) {
                const bool inside = h >= 1 && i >= 1 && i < 3 && j >= 2;
                TW_EQUAL(cube[h][i][j], inside ? 1 + ((h - 1) * 2 + i - 1) * 3 + j - 2 : 0);
            }
    TW_PASS(tw_queue_destroy(&queue));
}

/* A view takes a sub-buffer of whole rows, or of one row or element; one of columns needs the view of a part. */
TW_TEST(sub_buffers)
{
    tw_queue *queue = tw_test_queue();
    int data[6][4] = {{0}};
    tw_buffer *buffer, *sub;
    TW_PASS(tw_buffer_create_over(data, sizeof data[0][0], tw_range_2d(6, 4), &buffer));
    const tw_id offsets[] = {{{2, 0, 0}, 2}, {{1, 2, 0}, 2}, {{5, 3, 0}, 2}, {{4, 0, 0}, 2}};
    const tw_range ranges[] = {{{3, 4, 1}, 2}, {{1, 2, 1}, 2}, {{1, 1, 1}, 2}, {{2, 2, 1}, 2}};
    for (int turn = 0; turn < 4; ++turn) {
        TW_PASS(tw_buffer_create_sub(buffer, offsets[turn], ranges[turn], &sub));
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, ranges[turn], mark_view, .out = TW_READ_WRITE_VIEW(cg, sub));
        TW_EQUAL(tw_command_group_status(cg), turn < 3 ? TW_SUCCESS : TW_ERROR_INVALID_RANGE);
        if (turn == 3) {
            TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
            TW_CHECK(strstr(tw_error_detail(), "TW_PART_VIEW"));
            cg = tw_queue_begin(queue);
            tw_parallel_for(cg, ranges[turn], write_part, .shift = 0,
                            .out = TW_READ_WRITE_PART_VIEW(cg, sub, tw_id_2d(0, 0), ranges[turn]));
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        } else {
            TW_PASS(tw_queue_submit(queue, cg, NULL));
        }
        TW_PASS(tw_buffer_destroy(&sub));
    }
    TW_PASS(tw_buffer_destroy(&buffer));
    const int expected[6][4] = {{0}, {0, 0, 10, 10}, {10, 10, 10, 10}, {10, 10, 10, 10}, {1, 1, 10, 10}, {1, 1, 0, 10}};
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j)
            TW_EQUAL(data[i][j], expected[i][j]);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(host_accessors)
{
    int data[6][4] = {{0}};
    tw_buffer *buffer;
    tw_host_accessor *accessor;
    TW_PASS(tw_buffer_create_over(data, sizeof data[0][0], tw_range_2d(6, 4), &buffer));
    TW_PASS(tw_host_access_part(buffer, tw_id_2d(2, 1), tw_range_2d(3, 2), TW_READ_WRITE, &accessor));
    TW_HOST_VIEW(int) out = TW_HOST_VIEW_OF(accessor, int);
    TW_EQUAL(tw_extent(out, 0), 3);
    TW_EQUAL(tw_extent(out, 1), 2);
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 2; ++j)
            tw_at(out, i, j) = (int)(10 * i + j);
    TW_PASS(tw_host_accessor_release(&accessor));
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    TW_HOST_VIEW(const int) in = TW_HOST_VIEW_OF(accessor, const int);
    for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < 4; ++j)
            TW_EQUAL(tw_at_id(in, tw_id_2d(i, j)), i >= 2 && i < 5 && j >= 1 && j < 3 ? 10 * (i - 2) + j - 1 : 0);
    TW_PASS(tw_host_accessor_release(&accessor));
    TW_PASS(tw_buffer_destroy(&buffer));
}

/* A reader that is wrong fails alone; what a writer could write is lost. */
TW_TEST(an_index_outside_is_an_error_of_the_host_accessor)
{
    int data[6][4] = {{0}};
    tw_buffer *buffer;
    tw_host_accessor *accessor;
    TW_PASS(tw_buffer_create_over(data, sizeof data[0][0], tw_range_2d(6, 4), &buffer));
    TW_PASS(tw_host_access_part(buffer, tw_id_2d(2, 1), tw_range_2d(3, 2), TW_READ, &accessor));
    TW_HOST_VIEW(const int) in = TW_HOST_VIEW_OF(accessor, const int);
    TW_EQUAL(tw_at(in, 2, 2), 0);
    TW_FAIL(tw_host_accessor_release(&accessor), TW_ERROR_OUT_OF_BOUNDS);
    TW_CHECK(strstr(tw_error_detail(), "the program used index (2, 2) of a view of 3 x 2 elements"));
    TW_CHECK(!accessor);
    TW_PASS(tw_host_access(buffer, TW_READ_WRITE, &accessor));
    TW_HOST_VIEW(int) out = TW_HOST_VIEW_OF(accessor, int);
    tw_at_id(out, tw_id_1d(3)) = 1;
    TW_FAIL(tw_host_accessor_release(&accessor), TW_ERROR_OUT_OF_BOUNDS);
    TW_CHECK(strstr(tw_error_detail(), "1 index, (3), for a view of 2 dimensions"));
    TW_FAIL(tw_host_access(buffer, TW_READ, &accessor), TW_ERROR_DATA_LOST);
    TW_CHECK(strstr(tw_error_detail(), "a host access") && strstr(tw_error_detail(), "1 index, (3)"));
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
}

/* On an offload device a violation ends the program, as documented; it is not provoked there. */
TW_TEST(an_index_outside_is_an_error_of_the_command)
{
    int out[16] = {0}, canary[16] = {0};
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (!strcmp(backend, "omp")) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    tw_buffer *buffer;
    tw_event *event;
    TW_PASS(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(16), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(16), write_at, .out = TW_WRITE_VIEW(cg, buffer), .shift = 1);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_OUT_OF_BOUNDS);
    TW_CHECK(strstr(tw_error_detail(), "write_at") && strstr(tw_error_detail(), "index 16 "));
    tw_event_release(&event);
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_OUT_OF_BOUNDS);
    for (int i = 0; i < 16; ++i)
        TW_EQUAL(canary[i], 0);
}

/* An element of the buffer, but not of the part. */
TW_TEST(an_index_outside_of_the_part_is_an_error_of_the_command)
{
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (!strcmp(backend, "omp")) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    int data[6][4] = {{0}};
    tw_buffer *buffer;
    tw_event *event;
    TW_PASS(tw_buffer_create_over(data, sizeof data[0][0], tw_range_2d(6, 4), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_2d(1, 2), write_part, .shift = 1,
                    .out = TW_WRITE_PART_VIEW(cg, buffer, tw_id_2d(1, 1), tw_range_2d(2, 2)));
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_OUT_OF_BOUNDS);
    TW_CHECK(strstr(tw_error_detail(), ", 2) of a view of 2 x 2 elements"));
    tw_event_release(&event);
    TW_FAIL(tw_buffer_destroy(&buffer), TW_ERROR_DATA_LOST);
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_OUT_OF_BOUNDS);
}

/* Too few indices, all of them inside, would mean the first element of a row; too many, another element. */
TW_TEST(there_are_as_many_indices_as_dimensions)
{
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    if (!strcmp(backend, "omp")) {
        TW_PASS(tw_queue_destroy(&queue));
        TW_SKIP();
    }
    for (int turn = 0; turn < 2; ++turn) {
        tw_buffer *buffer;
        tw_event *event;
        TW_PASS(tw_buffer_create(sizeof(int), turn ? tw_range_1d(10) : tw_range_2d(4, 10), &buffer));
        tw_command_group *cg = tw_queue_begin(queue);
        if (turn)
            tw_single_task(cg, two_of_one, .out = TW_DISCARD_WRITE_VIEW(cg, buffer));
        else
            tw_single_task(cg, one_of_two, .out = TW_DISCARD_WRITE_VIEW(cg, buffer));
        TW_PASS(tw_queue_submit(queue, cg, &event));
        TW_FAIL(tw_event_wait(event), TW_ERROR_OUT_OF_BOUNDS);
        TW_CHECK(turn ? strstr(tw_error_detail(), "2 indices, (1, 0), for a view of 1 dimension, 10 elements") != NULL
                      : strstr(tw_error_detail(), "1 index, (1), for a view of 2 dimensions, 4 x 10 elements") != NULL);
        tw_event_release(&event);
        TW_FAIL(tw_queue_wait(queue), TW_ERROR_OUT_OF_BOUNDS);
        (void)tw_buffer_destroy(&buffer);
    }
    TW_PASS(tw_queue_destroy(&queue));
}

struct remainders {
    TW_REDUCTION_ARRAY(int, TW_SUM) counts;
    size_t divisor;
};
static inline void remainders(tw_item item, const struct remainders *k)
{
    tw_combine_at(k->counts, tw_global_id(item, 0) % k->divisor, 1);
}
TW_RANGE_REDUCTION(remainders, 1, counts);

TW_TEST(an_index_outside_of_a_reduced_array_is_an_error_of_the_command)
{
    int counts[5] = {0};
    tw_queue *queue = tw_test_queue();
    const char *backend = NULL;
    TW_PASS(tw_device_info(tw_queue_device(queue), TW_DEVICE_INFO_BACKEND, &backend, sizeof backend));
    tw_buffer *buffer;
    tw_event *event;
    TW_PASS(tw_buffer_create_copy(counts, sizeof counts[0], tw_range_1d(5), &buffer));
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(23), remainders, .counts = TW_REDUCE_ARRAY(cg, buffer), .divisor = 5);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
    tw_test_fetch(buffer, counts);
    for (int i = 0; i < 5; ++i)
        TW_EQUAL(counts[i], i < 3 ? 5 : 4);
    if (!strcmp(backend, "omp")) {
        TW_PASS(tw_buffer_destroy(&buffer));
        TW_PASS(tw_queue_destroy(&queue));
        return;
    }
    cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(23), remainders, .counts = TW_REDUCE_ARRAY(cg, buffer), .divisor = 6);
    TW_PASS(tw_queue_submit(queue, cg, &event));
    TW_FAIL(tw_event_wait(event), TW_ERROR_OUT_OF_BOUNDS);
    TW_CHECK(strstr(tw_error_detail(), "remainders") && strstr(tw_error_detail(), "index 5 "));
    tw_event_release(&event);
    TW_PASS(tw_buffer_destroy(&buffer));
    TW_FAIL(tw_queue_destroy(&queue), TW_ERROR_OUT_OF_BOUNDS);
}

TW_TEST_LIST = {
    TW_CASE(two_dimensions),
    TW_CASE(three_dimensions),
    TW_CASE(dimensions_in_the_type),
    TW_CASE(views_refuse_buffers_that_do_not_fit_their_dimensions),
    TW_CASE(parts),
    TW_CASE(sub_buffers),
    TW_CASE(host_accessors),
    TW_CASE(an_index_outside_is_an_error_of_the_host_accessor),
    TW_CASE(an_index_outside_is_an_error_of_the_command),
    TW_CASE(an_index_outside_of_the_part_is_an_error_of_the_command),
    TW_CASE(there_are_as_many_indices_as_dimensions),
    TW_CASE(an_index_outside_of_a_reduced_array_is_an_error_of_the_command),
    TW_CASES_END,
};
