/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: atomic and, or and xor are for integers and bool$ */
/* Bits of a pointer mean nothing. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    int **object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_and(k->object, 7); /* HERE */
}
TW_RANGE_KERNEL(one);
