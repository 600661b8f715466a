/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the kernel must be the function void fill\(tw_item item, const struct fill \*k\), and take the struct of its own name */
/* A kernel without an argument block of its name. */
#include <teamwork/teamwork.h>

struct fill_arguments {
    int *out;
};
static inline void fill(tw_item item, const struct fill_arguments *k)
{
    k->out[tw_global_id(item, 0)] = 1;
}
TW_RANGE_KERNEL(fill); /* HERE */
