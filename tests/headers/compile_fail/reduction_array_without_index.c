/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the member is an array: tw_combine_at\(member, index, x\)$ */
/* Which element of the array does the value go to? */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

struct histogram {
    const unsigned char *bytes;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};
static inline void histogram(tw_item item, const struct histogram *k)
{
    tw_combine(k->bins, k->bytes[tw_global_id(item, 0)]); /* HERE */
}
TW_RANGE_REDUCTION(histogram, 1, bins);
