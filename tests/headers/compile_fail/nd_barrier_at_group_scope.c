/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: tw_nd_item */
/* A barrier at group scope of a hierarchical kernel, where the loops' edges are the barriers. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = 1;
    }
    tw_barrier(group, TW_LOCAL_SPACE); /* HERE */
}
TW_WORK_GROUP_KERNEL(fill);
