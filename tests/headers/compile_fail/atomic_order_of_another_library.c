/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: this is not a tw_memory_order */
/* __ATOMIC_SEQ_CST is a number of the compiler's own. */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    int *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_add(k->object, 1, __ATOMIC_SEQ_CST, TW_SCOPE_DEVICE); /* HERE */
}
TW_RANGE_KERNEL(one);
