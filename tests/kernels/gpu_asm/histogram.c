/* SPDX-License-Identifier: Apache-2.0 */
/* A reduction into an array: its additions say which memory they go to, a team's or all of the device's. */
#include <teamwork/kernel_definition.h>
#include <teamwork/teamwork.h>

struct histogram {
    const unsigned char *bytes;
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins;
};
static inline void histogram(tw_item item, const struct histogram *k)
{
    tw_combine_at(k->bins, k->bytes[tw_global_id(item, 0)], 1);
}
TW_RANGE_REDUCTION(histogram, 1, bins);
