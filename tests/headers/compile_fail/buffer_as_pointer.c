/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: incompatible pointer types initializing 'int \*' with an expression of type 'tw_buffer \*' */
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
    tw_parallel_for(cg, tw_range_1d(1), fill, .out = buffer); /* HERE */
}
