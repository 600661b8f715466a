/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 x86_64-teams (gpu-simt gpu-teams) */
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

TW_TEST_LIST = {
    TW_CASE(two_dimensions),
    TW_CASE(three_dimensions),
    TW_CASE(an_index_outside_is_an_error_of_the_command),
    TW_CASE(there_are_as_many_indices_as_dimensions),
    TW_CASES_END,
};
