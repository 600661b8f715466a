/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: atomic add and sub are for integers, float, double and pointers; bool has and, or and xor$ */
/* What is true plus true? */
#include <teamwork/atomic.h>
#include <teamwork/kernel_definition.h>

struct one {
    _Bool *object;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_atomic_fetch_add(k->object, 1); /* HERE */
}
TW_RANGE_KERNEL(one);
