/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: the failure order of a compare-exchange is stronger than its success order */
/* A compare-exchange that promises more when it fails than when it succeeds. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    unsigned *at;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    unsigned e = 0;
    tw_atomic_compare_exchange_weak(k->at, &e, 1u, TW_ORDER_ACQ_REL, TW_ORDER_SEQ_CST, TW_SCOPE_DEVICE); /* HERE */
}
TW_RANGE_KERNEL(one);
