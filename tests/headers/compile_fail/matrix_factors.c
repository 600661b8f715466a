/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the shapes of these matrices do not fit */
/* A row of a has as many elements as a column of b. */
#include <teamwork/matrix.h>
#include <teamwork/teamwork.h>

struct multiply {
    const tw_half *a, *b;
    float *out;
};
static inline void multiply(tw_nd_item item, const struct multiply *k)
{
    const tw_sub_group sub_group = tw_get_sub_group(item);
    TW_JOINT_MATRIX(a, tw_half, 16, 32) a;
    TW_JOINT_MATRIX(b, tw_half, 16, 16) b;
    TW_JOINT_MATRIX(accumulator, float, 16, 16) c;
    tw_joint_matrix_load(sub_group, a, k->a, 32, TW_ROW_MAJOR);
    tw_joint_matrix_load(sub_group, b, k->b, 16, TW_ROW_MAJOR);
    tw_joint_matrix_fill(sub_group, c, 0);
    tw_joint_matrix_mad(sub_group, c, a, b, c); /* HERE */
    tw_joint_matrix_store(sub_group, c, k->out, 16, TW_ROW_MAJOR);
}
TW_ND_RANGE_KERNEL(multiply);
