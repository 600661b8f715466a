/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: multiple address spaces specified for type */
/* There is no conversion between kinds of pointers. */
#define TW_CHECK_POINTERS
#include <teamwork/pointer.h>
#include <teamwork/teamwork.h>

struct one {
    float *values;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_global_ptr(float) values = tw_make_ptr(global, k->values);
    *tw_make_ptr(local, values) = 1; /* HERE */
}
TW_RANGE_KERNEL(one, 1);
