/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of an image that a texture may read: an instruction each, and code that reads any format is called. */
#include <teamwork/image.h>
#include <teamwork/teamwork.h>

struct sample_pairs {
    tw_sampled_image_2d in;
    float *out;
};
static inline void sample_pairs(tw_item item, const struct sample_pairs *k)
{
    const tw_float2 at = {(float)tw_global_id(item, 1), (float)tw_global_id(item, 0)};
    const tw_float4 both = tw_read_imagef(k->in, at) + tw_read_imagef(k->in, at + 1.5f);
    k->out[tw_global_linear_id(item)] = both.x;
}
TW_RANGE_KERNEL(sample_pairs, 2);
