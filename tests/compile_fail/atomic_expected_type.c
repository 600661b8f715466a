/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: call to 'tw_internal_swap_if' is ambiguous */
/* What is expected has another type than the object. */
#include <teamwork/lower/atomic.h>
#include <teamwork/lower/kernel.h>

struct one {
    unsigned *at;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    long e = 0;
    tw_atomic_compare_exchange_strong(k->at, &e, 1u); /* HERE */
}
TW_RANGE_KERNEL(one);
