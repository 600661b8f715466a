/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: a compare-exchange takes the address of a variable of the object's own type */
/* What is expected has another type than the object. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

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
