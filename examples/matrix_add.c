/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix addition: three kernels that the library puts in order by itself. Two of them fill a matrix each, and share no
 * buffer, so they may run at the same time; the third reads both matrices, so it runs after them. The program waits in
 * one place only, where it asks for the sum with a host accessor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <teamwork/teamwork.h>

enum { ROWS = 2000, COLUMNS = 3000 };

/* Both matrices are linear in row and column, so one kernel fills either. */
struct fill {
    float *matrix;
    float by_row, by_column;
};

static inline void fill(tw_item item, const struct fill *k)
{
    float row = (float)tw_global_id(item, 0), column = (float)tw_global_id(item, 1);
    k->matrix[tw_global_linear_id(item)] = row * k->by_row + column * k->by_column;
}
TW_RANGE_KERNEL(fill, 2); /* only launched over two dimensions */

struct add {
    const float *a, *b;
    float *c;
};

static inline void add(tw_item item, const struct add *k)
{
    size_t i = tw_global_linear_id(item);
    k->c[i] = k->a[i] + k->b[i];
}
TW_RANGE_KERNEL(add, 2);

static void check(tw_status status)
{
    if (status != TW_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_error_detail());
        exit(1);
    }
}

static size_t count_wrong(const float *c)
{
    size_t wrong = 0;
    for (size_t i = 0; i < ROWS; ++i)
        for (size_t j = 0; j < COLUMNS; ++j) /* every sum is below 2^24, so a float holds it exactly */
            wrong += c[i * COLUMNS + j] != (float)(i * (2 + 2014) + j * (1 + 42));
    return wrong;
}

int main(void)
{
    const tw_range all = tw_range_2d(ROWS, COLUMNS);
    tw_queue *queue;
    tw_buffer *a, *b, *c;

    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    /* Buffers without host memory: the matrices exist where they are used, and nowhere else. */
    check(tw_buffer_create(sizeof(float), all, &a));
    check(tw_buffer_create(sizeof(float), all, &b));
    check(tw_buffer_create(sizeof(float), all, &c));

    /* In the block form an error of the submission comes with the next wait. */
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, all, fill, .matrix = tw_discard_write(cg, a), .by_row = 2, .by_column = 1);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, all, fill, .matrix = tw_discard_write(cg, b), .by_row = 2014, .by_column = 42);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, all, add, .a = tw_read(cg, a), .b = tw_read(cg, b), .c = tw_discard_write(cg, c));
    }

    /* Waits for the addition, and so for all three kernels, and brings the sum to the host. */
    tw_host_accessor *sum;
    check(tw_host_access(c, TW_READ, &sum));
    size_t wrong = count_wrong(tw_host_accessor_const_data(sum));
    tw_host_accessor_release(&sum);

    check(tw_buffer_destroy(&a));
    check(tw_buffer_destroy(&b));
    check(tw_buffer_destroy(&c));
    check(tw_queue_destroy(&queue));

    printf("%d x %d sums, %zu of them wrong\n", ROWS, COLUMNS, wrong);
    return wrong != 0;
}
