/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: incompatible pointer types passing 'tw_queue \*' .* to parameter of type 'tw_command_group \*' */
/* A launch in a queue, which would be a warning alone. */
#include <teamwork/teamwork.h>

struct scale {
    float *x;
};
static inline void scale(tw_item item, const struct scale *k)
{
    k->x[tw_global_id(item, 0)] *= 2;
}
TW_RANGE_KERNEL(static scale);

void launch(tw_queue *queue, float *x);
void launch(tw_queue *queue, float *x)
{
    tw_parallel_for(queue, tw_range_1d(1), scale, .x = x); /* HERE */
}
