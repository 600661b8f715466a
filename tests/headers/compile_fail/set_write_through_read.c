/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: initializing 'typeof \(block.x\)' .* with an expression of type 'const void \*' discards qualifiers */
/* A filled member that is written through gets what an accessor for reading returns. */
#include <teamwork/teamwork.h>

struct scale {
    float *x;
};
static inline void scale(tw_item item, const struct scale *k)
{
    k->x[tw_global_id(item, 0)] *= 2;
}
TW_RANGE_KERNEL(static scale);

void launch(tw_command_group *cg, tw_buffer *x);
void launch(tw_command_group *cg, tw_buffer *x)
{
    TW_FILL_BLOCK(scale, block);
    tw_set(block.x, tw_read(cg, x)); /* HERE */
    tw_parallel_for_kernel(cg, tw_range_1d(1), TW_FILLED(scale, block));
}
