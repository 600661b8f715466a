/* SPDX-License-Identifier: Apache-2.0 */
/* Step 6 of the tutorial, solution of the exercise: sums of rows by groups of 64, of 256 and of any size. */
#include "check.h"

enum { ROWS = 1000 };

struct row_sums {
    const int *in; /* as many numbers in a row as a group has work-items */
    int *sums;
};

static inline void row_sums(tw_nd_item item, const struct row_sums *k)
{
    const int sum = tw_reduce_over_group(item, k->in[tw_global_id(item, 0)], TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->sums[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL_SIZES(row_sums, 64, 256, TW_ANY_SIZE);

/* Adds up rows of `length` ones. Returns the number of sums that are wrong. */
static int add_up(tw_queue *queue, size_t length)
{
    static int in[ROWS * 256], sums[ROWS];
    for (size_t i = 0; i < ROWS * length; ++i)
        in[i] = 1;
    tw_buffer *ins, *outs;
    check(tw_buffer_create_over_const(in, sizeof in[0], tw_range_1d(ROWS * length), &ins));
    check(tw_buffer_create_over(sums, sizeof sums[0], tw_range_1d(ROWS), &outs));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(ROWS * length), tw_range_1d(length)), row_sums,
                             .in = tw_read(cg, ins), .sums = tw_discard_write(cg, outs));
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&ins));
    check(tw_buffer_destroy(&outs));
    int wrong = 0;
    for (int row = 0; row < ROWS; ++row)
        wrong += sums[row] != (int)length;
    return wrong;
}

int main(void)
{
    tw_queue *queue;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    int wrong = 0;
    const size_t lengths[] = {64, 96, 256};
    for (int i = 0; i < 3; ++i) {
        const int here = add_up(queue, lengths[i]);
        printf("groups of %zu: %d of %d sums wrong\n", lengths[i], here, ROWS);
        wrong += here;
    }
    check(tw_queue_destroy(&queue));
    return wrong != 0;
}
