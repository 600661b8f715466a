/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: passing 'tw_range'.* to parameter of incompatible type 'tw_nd_range' */
/* A launch that does not say how large groups are. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_ND_RANGE_KERNEL(fill);

void launch(tw_command_group *cg, tw_buffer *buffer);
void launch(tw_command_group *cg, tw_buffer *buffer)
{
    tw_parallel_for_nd_range(cg, tw_range_1d(64), fill, .out = tw_write(cg, buffer)); /* HERE */
}
