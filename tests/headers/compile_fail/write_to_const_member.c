/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: read-only variable is not assignable|cannot assign to */
/* A kernel that writes through a pointer to const, as reading accessors are. */
#include <teamwork/teamwork.h>

struct fill {
    const int *out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = 1; /* HERE */
}
TW_RANGE_KERNEL(fill);
