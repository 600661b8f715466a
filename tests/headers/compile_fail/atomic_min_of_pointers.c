/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: atomic min and max are for integers, float and double$ */
/* Pointers to different objects have no order. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    int **object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_min(k->object, *k->object); /* HERE */
}
TW_RANGE_KERNEL(one);
