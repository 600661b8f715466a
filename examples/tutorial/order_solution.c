/* SPDX-License-Identifier: Apache-2.0 */
/* Step 2 of the tutorial, solution of the exercise: the hottest change of a step, which the program looks at now and then. */
#include "check.h"
#include <math.h>

enum { CELLS = 1000, STEPS = 1000, LOOK = 250 };

struct warm {
    float *now;
};

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

static inline void spread(tw_item item, const struct spread *k)
{
    const size_t i = tw_global_id(item, 0), last = tw_global_range(item, 0) - 1;
    const bool inside = i > 0 && i < last;
    k->next[i] = inside ? 0.5f * k->now[i] + 0.25f * (k->now[i - 1] + k->now[i + 1]) : k->now[i];
}
TW_RANGE_KERNEL(spread, 1);

struct difference {
    const float *now, *next;
    float *change;
};

static inline void difference(tw_item item, const struct difference *k)
{
    const size_t i = tw_global_id(item, 0);
    k->change[i] = k->next[i] - k->now[i];
}
TW_RANGE_KERNEL(difference, 1);

/* Returns the largest change. */
static float look(tw_buffer *changes)
{
    float largest = 0;
    tw_host_accessor *accessor;
    check(tw_host_access(changes, TW_READ, &accessor));
    const float *change = tw_host_accessor_const_data(accessor);
    for (int i = 0; i < CELLS; ++i)
        largest = fmaxf(largest, change[i]);
    check(tw_host_accessor_release(&accessor)); /* kernels may write to the buffer again */
    return largest;
}

int main(void)
{
    tw_queue *queue;
    tw_buffer *rods[2], *changes;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    for (int i = 0; i < 2; ++i)
        check(tw_buffer_create(sizeof(float), tw_range_1d(CELLS), &rods[i]));
    check(tw_buffer_create(sizeof(float), tw_range_1d(CELLS), &changes));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(CELLS), warm, .now = tw_discard_write(cg, rods[0]));
    check(tw_queue_submit(queue, cg, NULL));

    float largest = 0;
    for (int step = 1; step <= STEPS; ++step) {
        tw_buffer *now = rods[(step - 1) % 2], *next = rods[step % 2];
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(CELLS), spread, .now = tw_read(cg, now), .next = tw_discard_write(cg, next));
        check(tw_queue_submit(queue, cg, NULL));
        if (step % LOOK != 0)
            continue;
        cg = tw_queue_begin(queue);
        tw_parallel_for(cg, tw_range_1d(CELLS), difference, .now = tw_read(cg, now), .next = tw_read(cg, next),
                        .change = tw_discard_write(cg, changes));
        check(tw_queue_submit(queue, cg, NULL));
        largest = look(changes);
        printf("step %4d: no cell changes by more than %.4f\n", step, largest);
    }

    for (int i = 0; i < 2; ++i)
        check(tw_buffer_destroy(&rods[i]));
    check(tw_buffer_destroy(&changes));
    check(tw_queue_destroy(&queue));
    return !(largest > 0 && largest < 0.1f);
}
