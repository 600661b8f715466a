/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: an atomic operation has its order and its scope as last arguments, or neither$ */
/* The scope is missing. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    int *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_add(k->object, 1, TW_ORDER_RELAXED); /* HERE */
}
TW_RANGE_KERNEL(one);
