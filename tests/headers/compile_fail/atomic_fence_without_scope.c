/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: too few arguments to function call */
/* A fence says to whom it applies. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    int *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fence(TW_ORDER_ACQ_REL); /* HERE */
}
TW_RANGE_KERNEL(one);
