/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void fill\(tw_nd_item item, const struct fill \*k\), and take the struct of its own name */
/* A kernel for another form than it is defined for. */
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
TW_ND_RANGE_KERNEL(fill); /* HERE */
