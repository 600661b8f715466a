/* SPDX-License-Identifier: Apache-2.0 */
/* Step 8 of the tutorial, solution of the exercise: y = M x on all devices; each has some rows of the matrix. */
#include "check.h"

enum { ROWS = 500, COLUMNS = 700 };

struct apply {
    TW_VIEW(const int, 2) matrix;
    TW_VIEW(const int, 1) x;
    TW_VIEW(int, 1) y;
};

static inline void apply(tw_item item, const struct apply *k)
{
    const size_t row = tw_global_id(item, 0);
    int sum = 0;
    for (size_t column = 0; column < COLUMNS; ++column)
        sum += tw_at(k->matrix, row, column) * tw_at(k->x, column);
    tw_at(k->y, row) = sum;
}
TW_RANGE_KERNEL(apply, 1);

int main(void)
{
    static int matrix[ROWS][COLUMNS], x[COLUMNS], y[ROWS];
    for (int row = 0; row < ROWS; ++row)
        for (int column = 0; column < COLUMNS; ++column)
            matrix[row][column] = (row + column) % 10;
    for (int column = 0; column < COLUMNS; ++column)
        x[column] = column % 3;

    tw_queue *queue;
    tw_buffer *matrices, *xs, *ys;
    check(tw_queue_create_over_selected(NULL, NULL, 0, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(matrix, sizeof(int), tw_range_2d(ROWS, COLUMNS), &matrices));
    check(tw_buffer_create_over_const(x, sizeof(int), tw_range_1d(COLUMNS), &xs));
    check(tw_buffer_create_over(y, sizeof(int), tw_range_1d(ROWS), &ys));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(ROWS), apply, .matrix = TW_READ_MAPPED_VIEW(cg, matrices, tw_one_to_one(), 2),
                    .x = TW_READ_MAPPED_VIEW(cg, xs, tw_all(), 1), .y = TW_DISCARD_WRITE_VIEW(cg, ys, 1));
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&matrices));
    check(tw_buffer_destroy(&xs));
    check(tw_buffer_destroy(&ys));
    check(tw_queue_destroy(&queue));

    int wrong = 0;
    for (int row = 0; row < ROWS; ++row) {
        int expected = 0;
        for (int column = 0; column < COLUMNS; ++column)
            expected += matrix[row][column] * x[column];
        wrong += y[row] != expected;
    }
    printf("y[0] = %d, %d of %d wrong\n", y[0], wrong, ROWS);
    return wrong != 0;
}
