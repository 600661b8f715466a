/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: duplicate case value */
/* A kernel specialized for one value twice. */
#include <teamwork/teamwork.h>

struct fill {
    int *out;
    int width;
    bool flip;
    unsigned char small;
    float scale;
};
static inline void fill(tw_item item, const struct fill *k)
{
    k->out[tw_global_id(item, 0)] = k->width;
}
TW_RANGE_KERNEL(TW_SPECIALIZE(width, 3, 5, 3) fill, 1); /* HERE */
