/* SPDX-License-Identifier: Apache-2.0 */
/* Step 5 of the tutorial: a program that is slower than it need be, since the host looks at a buffer in every step. */
#include "check.h"

enum { CELLS = 1000000, STEPS = 20 };

struct decay {
    float *cells;
};

static inline void decay(tw_item item, const struct decay *k)
{
    k->cells[tw_global_id(item, 0)] *= 0.5f;
}
TW_RANGE_KERNEL(decay, 1);

static void submit_decay(tw_queue *queue, tw_buffer *cells)
{
    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(CELLS), decay, .cells = tw_read_write(cg, cells));
    check(tw_queue_submit(queue, cg, NULL));
}

/* The host adds up all cells, and sets the first one again. */
static double sum_and_feed(tw_buffer *cells)
{
    double sum = 0;
    tw_host_accessor *accessor;
    check(tw_host_access(cells, TW_READ_WRITE, &accessor));
    float *cell = tw_host_accessor_data(accessor);
    for (int i = 0; i < CELLS; ++i)
        sum += cell[i];
    cell[0] = 1;
    check(tw_host_accessor_release(&accessor));
    return sum;
}

int main(void)
{
    static float start[CELLS];
    for (int i = 0; i < CELLS; ++i)
        start[i] = 1;

    tw_queue *queue;
    tw_buffer *cells;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_copy(start, sizeof start[0], tw_range_1d(CELLS), &cells));
    check(tw_buffer_set_name(cells, "cells"));

    double sum = 0;
    for (int step = 0; step < STEPS; ++step) {
        submit_decay(queue, cells);
        sum = sum_and_feed(cells);
    }
    printf("after %d steps the cells have %.4f together\n", STEPS, sum);

    check(tw_buffer_destroy(&cells));
    check(tw_queue_destroy(&queue));
    return !(sum > 1.45 && sum < 1.46);
}
