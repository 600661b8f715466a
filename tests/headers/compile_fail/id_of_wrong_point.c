/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: no matching function for call to 'tw_local_id' */
/* A range kernel that asks for what only work-items of a group have. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_local_id(item, 0)] = 1; /* HERE */
}
TW_RANGE_KERNEL(fill);
