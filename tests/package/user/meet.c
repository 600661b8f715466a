/* SPDX-License-Identifier: Apache-2.0 */
/* An nd_range kernel with a barrier: where it keeps a stack for each work-item, the library says so once, though it runs twice. */
#include <stdio.h>

#include <teamwork/teamwork.h>

enum { COUNT = 128, GROUP = 16 };

struct meet {
    int *data;
};

static inline void meet(tw_nd_item item, const struct meet *k)
{
    TW_LOCAL(int, all, [GROUP]);
    const size_t at = tw_local_id(item, 0);
    all[at] = k->data[tw_global_id(item, 0)];
    tw_barrier(item, TW_LOCAL_SPACE);
    k->data[tw_global_id(item, 0)] = all[GROUP - 1 - at];
}
TW_ND_RANGE_KERNEL(meet, GROUP);

int main(void)
{
    int data[COUNT];
    tw_queue *queue = NULL;
    tw_buffer *buffer = NULL;
    for (int i = 0; i < COUNT; ++i)
        data[i] = i;
    tw_status status = tw_queue_create(NULL, NULL, NULL, NULL, &queue);
    if (status == TW_SUCCESS)
        status = tw_buffer_create_over(data, sizeof data[0], tw_range_1d(COUNT), &buffer);
    for (int turn = 0; turn < 3 && status == TW_SUCCESS; ++turn) {
        tw_command_group *cg = tw_queue_begin(queue);
        tw_parallel_for_nd_range(cg, tw_nd_range_make(tw_range_1d(COUNT), tw_range_1d(GROUP)), meet,
                                 .data = tw_read_write(cg, buffer));
        status = tw_queue_submit(queue, cg, NULL);
    }
    const tw_status destroyed = tw_buffer_destroy(&buffer);
    if (status != TW_SUCCESS || destroyed != TW_SUCCESS || tw_queue_destroy(&queue) != TW_SUCCESS)
        return printf("%s\n", tw_error_detail()), 1;
    for (int i = 0; i < COUNT; ++i)
        if (data[i] != i / GROUP * GROUP + GROUP - 1 - i % GROUP)
            return printf("data[%d] is %d\n", i, data[i]), 1;
    printf("met\n");
    return 0;
}
