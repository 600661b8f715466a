/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: too few arguments to function call */
/* A single task that asks for a work-item. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_SINGLE_TASK(fill); /* HERE */
