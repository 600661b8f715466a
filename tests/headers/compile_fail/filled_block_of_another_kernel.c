/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: incompatible pointer types initializing 'const shift_tw_block \*' */
/* A filled block is launched with another kernel. */
#include <teamwork/teamwork.h>

struct scale {
    float *x;
};
static inline void scale(tw_item item, const struct scale *k)
{
    k->x[tw_global_id(item, 0)] *= 2;
}
TW_RANGE_KERNEL(scale);

struct shift {
    float *x;
};
static inline void shift(tw_item item, const struct shift *k)
{
    k->x[tw_global_id(item, 0)] += 2;
}
TW_RANGE_KERNEL(shift);

void launch(tw_command_group *cg);
void launch(tw_command_group *cg)
{
    TW_FILL_BLOCK(scale, block);
    tw_parallel_for_kernel(cg, tw_range_1d(1), TW_FILLED(shift, block)); /* HERE */
}
