/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: passing 'tw_item' .*to parameter of incompatible type 'tw_group' */
/* A range kernel whose function takes a group. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    k->out[tw_group_id(group, 0)] = 1;
}
TW_RANGE_KERNEL(fill); /* HERE */
