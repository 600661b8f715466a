/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of each form for check.sh, which stops in them by name. The words in comments are for check.sh. */
#include <teamwork/teamwork.h>

enum { N = 8 };

struct scale {
    int *x;
    int by;
};
static inline void scale(tw_item item, const struct scale *k)
{
    const size_t i = tw_global_id(item, 0); /* first scale */
    k->x[i] *= k->by;                       /* second scale */
}
TW_RANGE_KERNEL(scale, 1);

struct task {
    int *x;
    int by;
};
static inline void task(const struct task *k)
{
    k->x[0] += k->by;   /* first task */
    k->x[1] += k->x[0]; /* second task */
}
TW_SINGLE_TASK(task);

struct tile {
    int *x;
    int by;
};
static inline void tile(tw_group group, const struct tile *k)
{
    int *x = k->x + 4 * tw_group_id(group, 0); /* first tile */
    tw_parallel_for_work_item(group, item) {   /* second tile */
        x[tw_local_id(item, 0)] += k->by;
    }
}
TW_WORK_GROUP_KERNEL(tile, 4);

struct step {
    int *x;
    int by;
};
static inline void step(tw_nd_item item, const struct step *k)
{
    const size_t i = tw_global_id(item, 0); /* first step */
    k->x[i] += k->by;                       /* second step */
    tw_barrier(item, TW_GLOBAL_SPACE);
}
TW_ND_RANGE_KERNEL(step, 4);

int main(void)
{
    int x[N] = {1, 2, 3, 4, 5, 6, 7, 8};
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    if (tw_queue_create(NULL, NULL, NULL, NULL, &queue) != TW_SUCCESS
        || tw_buffer_create_over(x, sizeof *x, tw_range_1d(N), &buffer) != TW_SUCCESS)
        return 1;
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for(cg, tw_range_1d(N), scale, .x = tw_read_write(cg, buffer), .by = 11);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_single_task(cg, task, .x = tw_read_write(cg, buffer), .by = 12);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_work_group(cg, tw_range_1d(N / 4), tw_range_1d(4), tile, .x = tw_read_write(cg, buffer),
                                   .by = 13);
    }
    TW_COMMAND_GROUP(queue, cg) {
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(N), tw_range_1d(4)), step,
                                 .x = tw_read_write(cg, buffer), .by = 14);
    }
    return tw_buffer_destroy(&buffer) != TW_SUCCESS || tw_queue_destroy(&queue) != TW_SUCCESS;
}
