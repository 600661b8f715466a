/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void mine\(tw_item item, const struct mine \*k\), and take the struct of its own name */
/* A kernel function that takes the argument block of another kernel. */
#include <teamwork/teamwork.h>

struct other {
    int *out;
};

struct mine {
    int *out;
    int value;
};
static inline void mine(tw_item item, const struct other *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(mine); /* HERE */
