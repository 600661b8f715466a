/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT: error: the product of this pipeline has other columns than the sum */
/* A pipeline multiplies into a sum of its own shape. */
#include <teamwork/group_matrix.h>
#include <teamwork/teamwork.h>

typedef TW_MATRIX_PIPELINE(tw_half, 64, 128, 64, 2, TW_ROW_MAJOR, TW_ROW_MAJOR) tiles;

struct multiply {
    const tw_half *a, *b;
    float *out;
    void *maps;
    tw_local_memory memory;
};
static inline void multiply(tw_nd_item item, const struct multiply *k)
{
    tiles pipeline;
    TW_GROUP_MATRIX(float, 64, 64, 128) c;
    tw_matrix_pipeline_open(item, pipeline, k->memory, k->maps, k->a, 64, k->b, 64, 64, 64, 64);
    tw_matrix_pipeline_begin(item, pipeline, 0, 0);
    tw_group_matrix_fill(item, c, 0);
    tw_group_matrix_multiply(item, c, pipeline); /* HERE */
    tw_group_matrix_store(item, c, k->out, 64, TW_ROW_MAJOR);
}
TW_ND_RANGE_KERNEL(multiply, 128);
