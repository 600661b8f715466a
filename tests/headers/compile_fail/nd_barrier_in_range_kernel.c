/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: tw_nd_item */
/* A barrier in a range kernel, which has no groups. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    tw_barrier(item, TW_LOCAL_SPACE); /* HERE */
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(fill);
