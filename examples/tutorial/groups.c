/* SPDX-License-Identifier: Apache-2.0 */
/* Step 4 of the tutorial: sums over a window of neighbours, by a range kernel and by work-groups with local memory. */
#include "check.h"

enum { COUNT = 100000, REACH = 16, GROUP = 256 };

/* ---- a range: each work-item reads all of its window from global memory ---- */

struct window_range {
    const int *in; /* COUNT numbers, and REACH more on each side */
    int *out;
};

static inline void window_range(tw_item item, const struct window_range *k)
{
    const size_t i = tw_global_id(item, 0);
    int sum = 0;
    for (size_t at = i; at <= i + 2 * REACH; ++at)
        sum += k->in[at];
    k->out[i] = sum;
}
TW_RANGE_KERNEL(window_range, 1);

/* ---- groups: the work-items of a group read what they need together, once, into local memory ---- */

struct window_groups {
    const int *in;
    int *out;
};

static inline void window_groups(tw_group group, const struct window_groups *k)
{
    TW_LOCAL(int, tile, [GROUP + 2 * REACH]);
    const size_t first = tw_group_id(group, 0) * GROUP; /* group scope: the same for all work-items */
    const size_t length = COUNT + 2 * REACH - first < GROUP + 2 * REACH ? COUNT + 2 * REACH - first : GROUP + 2 * REACH;

    tw_parallel_for_work_item_range(group, item, tw_range_1d(length)) {
        tile[tw_local_id(item, 0)] = k->in[first + tw_local_id(item, 0)];
    }
    /* here all of the group have written */
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0), local = tw_local_id(item, 0);
        int sum = 0;
        if (i < COUNT) {
            for (size_t at = local; at <= local + 2 * REACH; ++at)
                sum += tile[at];
            k->out[i] = sum;
        }
    }
}
TW_WORK_GROUP_KERNEL(window_groups, GROUP);

int main(void)
{
    static int in[COUNT + 2 * REACH], by_range[COUNT], by_groups[COUNT];
    for (int i = 0; i < COUNT + 2 * REACH; ++i)
        in[i] = i % 7;

    tw_queue *queue;
    tw_buffer *ins, *range_sums, *group_sums;
    check(tw_queue_create(NULL, NULL, NULL, NULL, &queue));
    check(tw_buffer_create_over_const(in, sizeof in[0], tw_range_1d(COUNT + 2 * REACH), &ins));
    check(tw_buffer_create_over(by_range, sizeof by_range[0], tw_range_1d(COUNT), &range_sums));
    check(tw_buffer_create_over(by_groups, sizeof by_groups[0], tw_range_1d(COUNT), &group_sums));

    tw_command_group *cg = tw_queue_begin(queue);
    tw_parallel_for(cg, tw_range_1d(COUNT), window_range, .in = tw_read(cg, ins),
                    .out = tw_discard_write(cg, range_sums));
    check(tw_queue_submit(queue, cg, NULL));

    const size_t groups = (COUNT + GROUP - 1) / GROUP; /* rounded up: the last one has work-items too many */
    cg = tw_queue_begin(queue);
    tw_parallel_for_work_group(cg, tw_range_1d(groups), tw_range_1d(GROUP), window_groups, .in = tw_read(cg, ins),
                               .out = tw_discard_write(cg, group_sums));
    check(tw_queue_submit(queue, cg, NULL));

    check(tw_buffer_destroy(&ins));
    check(tw_buffer_destroy(&range_sums));
    check(tw_buffer_destroy(&group_sums));
    check(tw_queue_destroy(&queue));

    int different = 0;
    for (int i = 0; i < COUNT; ++i)
        different += by_range[i] != by_groups[i];
    printf("%zu groups of %d, out[0] = %d, %d of %d differ\n", groups, GROUP, by_groups[0], different, COUNT);
    return different != 0;
}
