/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: no matching function */
/* The coordinates of an image of two dimensions for one of three. */
#include <teamwork/image.h>
#include <teamwork/teamwork.h>

struct copy {
    tw_const_image_3d in;
    float *out;
};
static inline void copy(const struct copy *k)
{
    const tw_int2 at = {1, 2};
    *k->out = tw_read_imagef(k->in, at).x; /* HERE */
}
TW_SINGLE_TASK(copy);
