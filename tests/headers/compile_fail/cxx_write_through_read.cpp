/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: no viable conversion from .*tw_internal_const_address.* to 'int \*' */
/* A reading accessor given to a member that the kernel writes through, in C++. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(fill);

void launch(tw_command_group *cg, tw_buffer *buffer)
{
    tw_parallel_for(cg, tw_range_1d(1), fill, .out = tw_read(cg, buffer)); /* HERE */
}
