/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: static assertion failed.*scale.* must be integers, enumerations or bool */
/* A kernel specialized for a member that is a float. */
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
TW_RANGE_KERNEL(TW_SPECIALIZE(scale, 1, 2) fill, 1); /* HERE */
