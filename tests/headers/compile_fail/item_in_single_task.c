/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void fill\(const struct fill \*k\), and take the struct of its own name */
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
