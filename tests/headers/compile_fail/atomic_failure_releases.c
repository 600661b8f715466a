/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: a failed compare-exchange writes nothing to release */
/* A compare-exchange that releases when it fails. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    long *at;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    long e = 0;
    tw_atomic_compare_exchange_strong(k->at, &e, 1L, TW_ORDER_SEQ_CST, TW_ORDER_RELEASE, TW_SCOPE_DEVICE); /* HERE */
}
TW_RANGE_KERNEL(one);
