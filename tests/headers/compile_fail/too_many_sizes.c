/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*a kernel has up to six sizes of work-groups */
/* A kernel in seven sizes. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_ND_RANGE_KERNEL_SIZES(fill, 1, 2, 4, 8, (4, 4), 16, 32); /* HERE */
