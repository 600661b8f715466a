/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams), optimized, long */
/**
 * A buffer that devices back in parts (128 MiB and more on GPUs), on whatever devices there are: parts on several queues,
 * columns whose rows are longer than a chunk, and all of it on one device in the end; a column with nothing around it.
 */
#include "tw_test.h"

enum { ROWS = 4, COLUMNS = 9 << 20, PARTS = 3 }; /* 144 MiB */

struct add_place {
    int *out;
    size_t pitch, column;
    int factor;
};
static inline void add_place(tw_item item, const struct add_place *k)
{
    const size_t r = tw_global_id(item, 0), c = tw_global_id(item, 1);
    k->out[r * k->pitch + c] += k->factor * (int)(r * k->pitch + k->column + c);
}
TW_RANGE_KERNEL(add_place, 2);

static void submit(tw_queue *queue, tw_buffer *buffer, size_t column, size_t width, int factor)
{
    tw_command_group *cg = tw_queue_begin(queue);
    int *out = tw_read_write_part(cg, buffer, tw_id_2d(0, column), tw_range_2d(ROWS, width));
    tw_parallel_for(cg, tw_range_2d(ROWS, width), add_place, .out = out, .pitch = COLUMNS, .column = column,
                    .factor = factor);
    TW_PASS(tw_queue_submit(queue, cg, NULL));
}

TW_TEST(columns_then_all)
{
    tw_queue *queues[PARTS];
    tw_buffer *buffer = NULL;
    tw_host_accessor *accessor = NULL;
    tw_test_queues(queues, PARTS);
    TW_PASS(tw_buffer_create(sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    TW_PASS(tw_host_access(buffer, TW_DISCARD_WRITE, &accessor));
    memset(tw_host_accessor_data(accessor), 0, tw_buffer_size(buffer));
    tw_host_accessor_release(&accessor);
    for (int turn = 0; turn < 2; ++turn)
        for (size_t p = 0; p < PARTS; ++p)
            submit(queues[p], buffer, p * COLUMNS / PARTS, COLUMNS / PARTS, 1);
    submit(queues[0], buffer, 0, COLUMNS, 3);
    TW_PASS(tw_host_access(buffer, TW_READ, &accessor));
    const int *data = tw_host_accessor_const_data(accessor);
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        if (data[i] != 5 * i)
            TW_EQUAL(data[i], 5 * i);
    tw_host_accessor_release(&accessor);
    TW_PASS(tw_buffer_destroy(&buffer));
    tw_test_destroy_queues(queues, PARTS);
}

/* One narrow column of page-locked memory, which the driver copies and fills itself: what lies between its rows is not
   backed. */
TW_TEST(a_column_with_nothing_between_its_rows)
{
    const size_t bytes = (size_t)ROWS * COLUMNS * sizeof(int), width = 1 << 18;
    tw_queue *queues[2];
    tw_buffer *buffer = NULL;
    int *host = tw_malloc_host(bytes);
    TW_CHECK(host != NULL);
    tw_test_queues(queues, 2);
    memset(host, 0, bytes);
    TW_PASS(tw_buffer_create_over(host, sizeof(int), tw_range_2d(ROWS, COLUMNS), &buffer));
    for (int turn = 0; turn < 2; ++turn)
        submit(queues[turn], buffer, COLUMNS / 2, width, 1);
    const int value = 7;
    tw_command_group *cg = tw_queue_begin(queues[1]);
    tw_fill_part(cg, buffer, tw_id_2d(0, 0), tw_range_2d(ROWS, width), &value);
    TW_PASS(tw_queue_submit(queues[1], cg, NULL));
    TW_PASS(tw_buffer_destroy(&buffer));
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        const size_t column = (size_t)i % COLUMNS;
        const int expected = column < width ? value : column - COLUMNS / 2 < width ? 2 * i : 0;
        if (host[i] != expected)
            TW_EQUAL(host[i], expected);
    }
    tw_free(host);
    tw_test_destroy_queues(queues, 2);
}

TW_TEST_LIST = {
    TW_CASE(columns_then_all),
    TW_CASE(a_column_with_nothing_between_its_rows),
    TW_CASES_END,
};
