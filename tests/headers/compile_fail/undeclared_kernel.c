/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: use of undeclared identifier 'fill_kernel' */
/* A kernel that was neither defined nor declared in this file, although its argument block was. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};

void launch(tw_command_group *cg, tw_buffer *buffer);
void launch(tw_command_group *cg, tw_buffer *buffer)
{
    tw_parallel_for(cg, tw_range_1d(1), fill, .out = tw_write(cg, buffer)); /* HERE */
}
