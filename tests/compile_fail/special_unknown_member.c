/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: no member named 'widht' in 'struct fill' */
/* A kernel specialized for a member that its block has not. */
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
TW_RANGE_KERNEL(TW_SPECIALIZE(widht, 3, 5) fill, 1); /* HERE */
