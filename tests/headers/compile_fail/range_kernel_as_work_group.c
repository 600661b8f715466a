/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: tw_parallel_for_work_group\(\) runs a kernel that TW_WORK_GROUP_KERNEL or TW_WORK_GROUP_REDUCTION defines$ */
/* A range kernel launched over work-groups. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(fill);

void launch(tw_command_group *cg, tw_buffer *buffer);
void launch(tw_command_group *cg, tw_buffer *buffer)
{
    int *out = tw_write(cg, buffer);
    tw_parallel_for_work_group(cg, tw_range_1d(1), tw_range_1d(1), fill, .out = out); /* HERE */
}
