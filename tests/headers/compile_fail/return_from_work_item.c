/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: cannot return from OpenMP region */
/* A return inside a loop over work-items, found where the loop is an OpenMP region. */
#define TW_CPU_DEVICE_PASS 1
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    tw_parallel_for_work_item(group, item) {
        if (tw_global_id(item, 0) > 5)
            return; /* HERE */
        k->out[tw_global_id(item, 0)] = 1;
    }
}
TW_WORK_GROUP_KERNEL(fill);
