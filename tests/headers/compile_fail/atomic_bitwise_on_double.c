/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: atomic and, or and xor are for integers and bool$ */
/* Bitwise operations are for integers. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    double *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_xor(k->object, 1.0); /* HERE */
}
TW_RANGE_KERNEL(one);
