/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices are instructions of tensor cores, whose operands are registers: of a sub-group those of a warp, with loads of whole
 * matrices from local memory; of a work-group, for sm_90a, those of four warps. The tiles of a pipeline are loaded past the
 * registers, for sm_90a by one work-item.
 */
#include <teamwork/group_matrix.h>
#include <teamwork/teamwork.h>

enum { SIDE = 32, INNER = 16, PITCH = 40 };

struct sub_group_product {
    const tw_half *a, *b;
    float *c;
};
static inline void sub_group_product(tw_nd_item item, const struct sub_group_product *k)
{
    TW_LOCAL(tw_half, a_tile, [SIDE * PITCH]);
    TW_LOCAL(tw_half, b_tile, [INNER * PITCH]);
    const tw_sub_group sub_group = tw_get_sub_group(item);
    TW_JOINT_MATRIX(a, tw_half, SIDE, INNER) a;
    TW_JOINT_MATRIX(b, tw_half, INNER, SIDE) b;
    TW_JOINT_MATRIX(accumulator, float, SIDE, SIDE) c;
    tw_async_work_group_load_2d(item, a_tile, PITCH, k->a, INNER, INNER, SIDE);
    tw_async_work_group_load_2d(item, b_tile, PITCH, k->b, SIDE, SIDE, INNER);
    tw_async_commit(item);
    tw_wait_for_all_but(item, 0);
    tw_joint_matrix_fill(sub_group, c, 0);
    tw_joint_matrix_load_local(sub_group, a, a_tile, PITCH, TW_ROW_MAJOR);
    tw_joint_matrix_load_local(sub_group, b, b_tile, PITCH, TW_ROW_MAJOR);
    tw_joint_matrix_mad(sub_group, c, a, b, c);
    tw_joint_matrix_store(sub_group, c, k->c, SIDE, TW_ROW_MAJOR);
}
TW_ND_RANGE_KERNEL(sub_group_product, 32);

struct group_product {
    const tw_bfloat16 *a, *b;
    float *c;
};
static inline void group_product(tw_nd_item item, const struct group_product *k)
{
    typedef TW_MATRIX_TILE(a, tw_bfloat16, 64, 64, TW_ROW_MAJOR) left;
    typedef TW_MATRIX_TILE(b, tw_bfloat16, 64, 128, TW_ROW_MAJOR) right;
    TW_LOCAL(left, a);
    TW_LOCAL(right, b);
    TW_GROUP_MATRIX(float, 64, 128, 128) c;
    tw_group_matrix_fill(item, c, 0);
    tw_matrix_tile_load(item, a, k->a, 64);
    tw_matrix_tile_load(item, b, k->b, 128);
    tw_async_commit(item);
    tw_wait_for_all_but(item, 0);
    tw_group_matrix_mad(item, c, a, b);
    tw_group_matrix_wait(item, c, 0);
    tw_group_matrix_store(item, c, k->c, 128, TW_ROW_MAJOR);
}
TW_ND_RANGE_KERNEL(group_product, 128);

typedef TW_MATRIX_PIPELINE(tw_half, 64, 64, 64, 2, TW_ROW_MAJOR, TW_ROW_MAJOR) tiles;

struct pipelined {
    const tw_half *a, *b;
    float *c;
    size_t rows, columns, inner;
    void *maps;
    tw_local_memory memory;
};
static inline void pipelined(tw_nd_item item, const struct pipelined *k)
{
    tiles pipeline;
    TW_GROUP_MATRIX(float, 64, 64, 128) c;
    tw_matrix_pipeline_open(item, pipeline, k->memory, k->maps, k->a, k->inner, k->b, k->columns, k->rows, k->columns,
                            k->inner);
    tw_matrix_pipeline_begin(item, pipeline, 0, 0);
    tw_group_matrix_fill(item, c, 0);
    tw_group_matrix_multiply(item, c, pipeline);
    tw_group_matrix_store_part(item, c, k->c, k->columns, TW_ROW_MAJOR, k->rows, k->columns);
}
TW_ND_RANGE_KERNEL(pipelined, 128);
