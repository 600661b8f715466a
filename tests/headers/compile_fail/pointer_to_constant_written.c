/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: read-only variable is not assignable|cannot assign to .* const-qualified */
/* Nothing is written through a pointer to constant memory. */
#include <teamwork/pointer.h>
#include <teamwork/teamwork.h>

struct one {
    float *values;
};
static inline void one(tw_item item, const struct one *k)
{
    (void)item;
    tw_constant_ptr(float) values = tw_make_ptr(constant, k->values);
    values[0] = 1; /* HERE */
}
TW_RANGE_KERNEL(one, 1);
