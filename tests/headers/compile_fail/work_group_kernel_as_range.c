/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: tw_parallel_for\(\) runs a kernel that TW_RANGE_KERNEL or TW_RANGE_REDUCTION defines$ */
/* A hierarchical kernel launched over a plain range. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = 1;
    }
}
TW_WORK_GROUP_KERNEL(fill);

void launch(tw_command_group *cg, tw_buffer *buffer);
void launch(tw_command_group *cg, tw_buffer *buffer)
{
    tw_parallel_for(cg, tw_range_1d(1), fill, .out = tw_write(cg, buffer)); /* HERE */
}
