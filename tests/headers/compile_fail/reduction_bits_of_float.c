/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: TW_AND, TW_OR and TW_XOR are for integers$ */
/* An array of bits has no floating-point elements. */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

struct bits {
    const float *in;
    TW_REDUCTION_ARRAY(float, TW_OR) all;
};
static inline void bits(tw_nd_item item, const struct bits *k)
{
    tw_combine_at(k->all, 0, k->in[tw_global_id(item, 0)]); /* HERE */
}
TW_ND_RANGE_REDUCTION(bits, (64), all);
