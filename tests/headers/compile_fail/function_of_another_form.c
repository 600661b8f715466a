/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void fill\(tw_nd_item item, const struct fill \*k\) */
/* A definition that names the function of a range kernel for an nd_range. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_ND_RANGE_KERNEL(TW_FUNCTION(fill) fill_64, 64); /* HERE */
