/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: read-only variable is not assignable$ */
/* What an accessor for reading gave is not written to. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    const int *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_add(k->object, 1); /* HERE */
}
TW_RANGE_KERNEL(one);
