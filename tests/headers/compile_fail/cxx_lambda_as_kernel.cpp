/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: use of undeclared identifier 'kernel_kernel' */
/* A lambda given to a launch: a kernel is a function with a name. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};

void launch(tw_command_group *cg, tw_buffer *buffer)
{
    const auto kernel = [](tw_item item, const struct fill *k) { k->out[tw_global_id(item, 0)] = 1; };
    tw_parallel_for(cg, tw_range_1d(1), kernel, .out = tw_write(cg, buffer)); /* HERE */
}
