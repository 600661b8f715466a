/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: TW_AND, TW_OR and TW_XOR are for integers$ */
/* Bitwise operations of groups are for integers. */
#include <teamwork/group_vectors.h>
#include <teamwork/teamwork.h>

struct bits {
    tw_half *x;
};
static inline void bits(tw_nd_item item, const struct bits *k)
{
    const size_t i = tw_global_id(item, 0);
    k->x[i] = tw_reduce_over_group(item, k->x[i], TW_XOR); /* HERE */
}
TW_ND_RANGE_KERNEL(bits, 64);
