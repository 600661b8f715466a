/* SPDX-License-Identifier: Apache-2.0 */
/* Step 5 of the tutorial, solution of the exercise: the device adds up the cells, and only the sum goes to the host. */
#include "check.h"

enum { CELLS = 1000000, STEPS = 20 };

/* Halves the cells and adds them up in the same launch. */
struct decay {
    float *cells;
    TW_REDUCTION(double, TW_SUM) sum;
};

static inline void decay(tw_item item, const struct decay *k)
{
    const size_t i = tw_global_id(item, 0);
    const float halved = 0.5f * k->cells[i];
    tw_combine(k->sum, halved);
    k->cells[i] = i == 0 ? 1 : halved;
}
TW_RANGE_REDUCTION(decay, 1, sum);

int main(void)
{
    static float start[CELLS];
    for (int i = 0; i < CELLS; ++i)
        start[i] = 1;

    tw_queue *queue;
    tw_buffer *cells, *sums;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_copy(start, sizeof start[0], tw_range_1d(CELLS), &cells));
    check(tw_buffer_create(sizeof(double), tw_range_1d(1), &sums));

    for (int step = 0; step < STEPS; ++step) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(CELLS), decay, .cells = tw_read_write(cg, cells),
                        .sum = TW_REDUCE_INIT(cg, sums));
        check(tw_queue_submit(queue, cg, NULL));
    }
    double sum = 0;
    check(tw_buffer_read(sums, &sum)); /* waits for the last step; eight bytes */
    printf("after %d steps the cells have %.4f together\n", STEPS, sum);

    check(tw_buffer_destroy(&cells));
    check(tw_buffer_destroy(&sums));
    check(tw_queue_destroy(&queue));
    return !(sum > 1.45 && sum < 1.46);
}
