/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: the required work-group size of fill must be positive */
/* A kernel that requires groups without work-items. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = 1;
    }
}
TW_WORK_GROUP_KERNEL(fill, 4, 0); /* HERE */
