/* SPDX-License-Identifier: Apache-2.0 */
/* Step 4 of the tutorial, solution of the exercise: the largest number of each group, halving the tile in each turn. */
#include "check.h"

enum { GROUPS = 100, GROUP = 256, COUNT = GROUPS * GROUP };

struct largest {
    const int *in;
    int *out; /* one for each group */
};

static inline void largest(tw_group group, const struct largest *k)
{
    TW_LOCAL(int, tile, [GROUP]);

    tw_parallel_for_work_item(group, item) {
        tile[tw_local_id(item, 0)] = k->in[tw_global_id(item, 0)];
    }
    for (size_t half = GROUP / 2; half > 0; half /= 2)
        tw_parallel_for_work_item_range(group, item, tw_range_1d(half)) {
            const size_t at = tw_local_id(item, 0);
            if (tile[at] < tile[at + half])
                tile[at] = tile[at + half];
        }
    TW_ONCE(group) {
        k->out[tw_group_id(group, 0)] = tile[0];
    }
}
TW_WORK_GROUP_KERNEL(largest, GROUP);

int main(void)
{
    static int in[COUNT], out[GROUPS];
    for (int i = 0; i < COUNT; ++i)
        in[i] = i * 7919 % 10007;

    tw_queue *queue;
    tw_buffer *ins, *outs;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(in, sizeof in[0], tw_range_1d(COUNT), &ins));
    check(tw_buffer_create_over(out, sizeof out[0], tw_range_1d(GROUPS), &outs));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(GROUPS), tw_range_1d(GROUP), largest, .in = tw_read(cg, ins),
                               .out = tw_discard_write(cg, outs));
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&ins));
    check(tw_buffer_destroy(&outs));
    check(tw_queue_destroy(&queue));

    int wrong = 0;
    for (int group = 0; group < GROUPS; ++group) {
        int expected = 0;
        for (int i = group * GROUP; i < (group + 1) * GROUP; ++i)
            expected = in[i] > expected ? in[i] : expected;
        wrong += out[group] != expected;
    }
    printf("out[0] = %d, out[99] = %d, %d of %d wrong\n", out[0], out[99], wrong, GROUPS);
    return wrong != 0;
}
