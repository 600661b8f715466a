/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: .*the rows of a matrix are a multiple of 16 */
/* A matrix has whole parts. */
#include <teamwork/matrix.h>
#include <teamwork/teamwork.h>

struct fill {
    float *out;
};
static inline void fill(tw_nd_item item, const struct fill *k)
{
    TW_JOINT_MATRIX(accumulator, float, 24, 16) c; /* HERE */
    tw_joint_matrix_fill(tw_get_sub_group(item), c, 0);
    tw_joint_matrix_store(tw_get_sub_group(item), c, k->out, 16, TW_ROW_MAJOR);
}
TW_ND_RANGE_KERNEL(fill);
