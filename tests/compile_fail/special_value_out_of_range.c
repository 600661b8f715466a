/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*300 is no value of the member small */
/* A kernel specialized for a value that the member cannot have. */
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
TW_RANGE_KERNEL(TW_SPECIALIZE(small, 3, 300) fill, 1); /* HERE */
