/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: no matching function */
/* Writing to an image that the kernel has for reading. */
#include <teamwork/image.h>
#include <teamwork/teamwork.h>

struct fill {
    tw_const_image_2d out;
};
static inline void fill(tw_item item, const struct fill *k)
{
    const tw_float4 white = {1, 1, 1, 1};
    tw_write_imagef(k->out, tw_get_global_id(item), white); /* HERE */
}
TW_RANGE_KERNEL(fill);
