/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: an atomic store reads nothing to acquire */
/* A store with an order that acquires. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    float *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_store(k->object, 1.0f, TW_ORDER_ACQUIRE, TW_SCOPE_WORK_GROUP); /* HERE */
}
TW_RANGE_KERNEL(one);
