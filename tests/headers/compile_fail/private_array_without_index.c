/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: tw_private\(\) of an array takes as many indices as the array has$ */
/* An element of a private array, with the index where C has it: its elements do not lie side by side. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    TW_PRIVATE(group, int, pair, [2]);
    tw_parallel_for_work_item(group, item) {
        tw_private(pair, item)[1] = 1; /* HERE */
    }
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tw_private(pair, item, 1);
    }
}
TW_WORK_GROUP_KERNEL(fill);
