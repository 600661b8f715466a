/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: field designator 'valeu' does not refer to any field */
/* A capture that the argument block does not have. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
    int value;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = k->value;
}
TW_RANGE_KERNEL(fill);

void launch(tw_command_group *cg, tw_buffer *buffer);
void launch(tw_command_group *cg, tw_buffer *buffer)
{
    tw_parallel_for(cg, tw_range_1d(1), fill, .out = tw_write(cg, buffer), .valeu = 1); /* HERE */
}
