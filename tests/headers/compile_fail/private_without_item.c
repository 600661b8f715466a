/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: tw_private\(\) stands in a loop over work-items, and takes the item that the loop declares$ */
/* A private value at group scope, where there is no work-item. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    TW_PRIVATE(group, int, mine);
    tw_parallel_for_work_item(group, item) {
        tw_private(mine, item) = 1;
    }
    const int first = tw_private(mine, group); /* HERE */
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = first;
    }
}
TW_WORK_GROUP_KERNEL(fill);
