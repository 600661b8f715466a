/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: changes address space of pointer */
/* A plain pointer does not say which memory it leads to. */
#define TW_CHECK_POINTERS
#include <teamwork/pointer.h>
#include <teamwork/teamwork.h>

struct one {
    float *values;
};
static inline float first(tw_local_ptr(const float) tile)
{
    return tile[0];
}
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    k->values[1] = first(k->values); /* HERE */
}
TW_RANGE_KERNEL(one, 1);
