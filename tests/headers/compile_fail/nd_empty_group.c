/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: work-group size of fill must be positive */
/* A required size of no work-items. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_ND_RANGE_KERNEL(fill, 16, 0); /* HERE */
