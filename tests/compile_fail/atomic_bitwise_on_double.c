/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: no matching function for call to 'tw_atomic_fetch_xor'|call to 'tw_atomic_fetch_xor' is ambiguous */
/* Bitwise operations are for integers. */
#include <teamwork/lower/atomic.h>
#include <teamwork/lower/kernel.h>

struct one {
    double *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_xor(k->object, 1.0); /* HERE */
}
TW_RANGE_KERNEL(one);
