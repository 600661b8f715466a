/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: incompatible pointer to integer conversion */
/* An accessor to a buffer where the block wants local memory. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
    tw_local_memory part;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    int *part = tw_local_data(item, k->part);
    part[tw_local_id(item, 0)] = 1;
    k->out[tw_global_id(item, 0)] = part[tw_local_id(item, 0)];
}
TW_ND_RANGE_KERNEL(fill);

void launch(tw_command_group *cg, tw_nd_range range, tw_buffer *buffer);
void launch(tw_command_group *cg, tw_nd_range range, tw_buffer *buffer)
{
    tw_parallel_for_nd_range(cg, range, fill, .out = tw_write(cg, buffer), .part = tw_write(cg, buffer)); /* HERE */
}
