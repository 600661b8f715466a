/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: too few arguments */
/* A barrier that does not say which memory it is for. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    tw_barrier(item); /* HERE */
    k->out[tw_global_id(item, 0)] = 1;
}
TW_ND_RANGE_KERNEL(fill);
