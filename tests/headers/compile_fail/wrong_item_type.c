/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void fill\(.*const struct fill \*k\), and take the struct of its own name */
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
