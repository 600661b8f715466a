/* SPDX-License-Identifier: Apache-2.0 */
/* Step 2 of the tutorial: heat that spreads along a rod. The accessors alone say in which order the kernels run. */
#include "check.h"

enum { CELLS = 1000, STEPS = 1000 };

struct warm {
    float *now;
};

/* A cold rod, with one hot end. */
static inline void warm(tw_item item, const struct warm *k)
{
    const size_t i = tw_global_id(item, 0);
    k->now[i] = i == 0 ? 100.0f : 0.0f;
}
TW_RANGE_KERNEL(warm, 1);

struct spread {
    const float *now;
    float *next;
};

/* A quarter of the heat of each neighbour. The cells at the ends stay as they are. */
static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), last = tw_global_range(item, 0) - 1;
    const bool inside = i > 0 && i < last;
    k->next[i] = inside ? 0.5f * k->now[i] + 0.25f * (k->now[i - 1] + k->now[i + 1]) : k->now[i];
}
TW_RANGE_KERNEL(spread, 1);

int main(void)
{
    tw_queue *queue;
    tw_buffer *rods[2];
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (int i = 0; i < 2; ++i)
        check(tw_buffer_create(sizeof(float), tw_range_1d(CELLS), &rods[i]));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(CELLS), warm, .now = tw_discard_write(cg, rods[0]));
    check(tw_queue_submit(queue, cg, NULL));

    for (int step = 0; step < STEPS; ++step) {
        tw_buffer *now = rods[step % 2], *next = rods[(step + 1) % 2];
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(CELLS), spread, .now = tw_read(cg, now), .next = tw_discard_write(cg, next));
        check(tw_queue_submit(queue, cg, NULL));
    }
    printf("All steps are submitted.\n");

    tw_host_accessor *accessor;
    check(tw_host_access(rods[STEPS % 2], TW_READ, &accessor)); /* waits for the kernels that write to it */
    const float *rod = tw_host_accessor_const_data(accessor);
    printf("cell 0: %.2f, cell 10: %.2f, cell 50: %.2f\n", rod[0], rod[10], rod[50]);
    const bool right = rod[0] == 100 && rod[10] > rod[50] && rod[50] > 0;
    check(tw_host_accessor_release(&accessor));

    for (int i = 0; i < 2; ++i)
        check(tw_buffer_destroy(&rods[i]));
    check(tw_queue_destroy(&queue));
    return !right;
}
