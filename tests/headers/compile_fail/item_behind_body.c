/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: use of undeclared identifier 'item'$ */
/* A body without braces, which ends behind its first statement. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    tw_parallel_for_work_item(group, item)
        k->out[2 * tw_global_id(item, 0)] = 1;
    k->out[2 * tw_global_id(item, 0) + 1] = 2; /* HERE */
}
TW_WORK_GROUP_KERNEL(fill);
