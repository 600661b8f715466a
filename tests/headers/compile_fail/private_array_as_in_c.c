/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the sizes of a private array are an argument of their own: TW_PRIVATE\(group, type, name, \[n\]\) */
/* A private array that is declared as arrays are in C. */
#include <teamwork/teamwork.h>

struct fill {
    float *out;
};
static inline void fill(tw_group group, const struct fill *k)
{
    TW_PRIVATE(group, float, sum[4]); /* HERE */
    tw_parallel_for_work_item(group, item) {
        k->out[tw_global_id(item, 0)] = tw_private(sum, item, 1);
    }
}
TW_WORK_GROUP_KERNEL(fill);
