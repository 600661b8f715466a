/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*has up to eight values */
/* A kernel specialized for nine values. */
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
TW_RANGE_KERNEL(TW_SPECIALIZE(width, 1, 2, 3, 4, 5, 6, 7, 8, 9) fill, 1); /* HERE */
