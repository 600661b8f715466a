/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: an atomic load writes nothing to release */
/* A load with an order that releases. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    int *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_load(k->object, TW_ORDER_ACQ_REL, TW_SCOPE_DEVICE); /* HERE */
}
TW_RANGE_KERNEL(one);
