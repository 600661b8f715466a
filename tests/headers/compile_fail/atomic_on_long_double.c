/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: atomic operations are for integers of 8 to 64 bits, bool, float, double and pointers$ */
/* No device exchanges objects of any size. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    long double *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_exchange(k->object, 1.0L); /* HERE */
}
TW_RANGE_KERNEL(one);
