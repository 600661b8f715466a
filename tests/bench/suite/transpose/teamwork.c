/* SPDX-License-Identifier: Apache-2.0 */
/* Transposing in Teamwork. */
#include "../arrays_teamwork.h"
#include "transpose.h"

enum { TILE = TRANSPOSE_TILE, ROWS = TRANSPOSE_ROWS };

struct transpose_block {
    const float *in;
    float *out;
    unsigned side;
};

static inline void transpose_flat(tw_item item, const struct transpose_block *k)
{
    const unsigned row = (unsigned)tw_global_id(item, 0);
    const size_t column = tw_global_id(item, 1);
    (k->out + row * k->side)[column] = k->in[column * k->side + row];
}
TW_RANGE_KERNEL(TW_BLOCK(transpose_block) transpose_flat, 2);

static inline void transpose_tiled(tw_group group, const struct transpose_block *k)
{
    TW_LOCAL(float, tile, [TILE][TILE + 1]);
    const unsigned top = (unsigned)tw_group_id(group, 0) * TILE, left = (unsigned)tw_group_id(group, 1) * TILE;
    const float *in = k->in + (left * k->side + top);
    float *out = k->out + (top * k->side + left);

    tw_parallel_for_work_item_range(group, item, tw_range_2d(TILE, TILE)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        tile[i][j] = (in + i * k->side)[j];
    }
    tw_parallel_for_work_item_range(group, item, tw_range_2d(TILE, TILE)) {
        const unsigned i = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
        (out + i * k->side)[j] = tile[j][i];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(transpose_block) transpose_tiled, ROWS, TILE);

static inline void transpose_nd(tw_nd_item item, const struct transpose_block *k)
{
    TW_LOCAL(float, tile, [TILE][TILE + 1]);
    const unsigned top = (unsigned)tw_group_id(item, 0) * TILE, left = (unsigned)tw_group_id(item, 1) * TILE;
    const unsigned row = (unsigned)tw_local_id(item, 0), j = (unsigned)tw_local_id(item, 1);
    const float *in = k->in + ((left + row) * k->side + top + j);
    float *out = k->out + ((top + row) * k->side + left + j);

#pragma clang loop unroll(full)
    for (unsigned i = 0; i < TILE; i += ROWS)
        tile[row + i][j] = in[i * k->side];
    tw_barrier(item, TW_LOCAL_SPACE);
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < TILE; i += ROWS)
        out[i * k->side] = tile[j][row + i];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(transpose_block) transpose_nd, ROWS, TILE);

#define BLOCK .in = tw_read(cg, s->at[TRANSPOSE_IN]), .out = tw_discard_write(cg, s->at[TRANSPOSE_OUT]), .side = p->side

SUITE_TEAMWORK_RUN(run_flat, transpose, tw_parallel_for, tw_range_2d(p->side, p->side), transpose_flat, BLOCK)
SUITE_TEAMWORK_RUN(run_tiled, transpose, tw_parallel_for_work_group, tw_range_2d(p->side / TILE, p->side / TILE),
                   tw_range_2d(ROWS, TILE), transpose_tiled, BLOCK)
SUITE_TEAMWORK_RUN(run_nd, transpose, tw_parallel_for_nd_range,
                   tw_nd_range_make(tw_range_2d(p->side / TILE * ROWS, p->side), tw_range_2d(ROWS, TILE)), transpose_nd,
                   BLOCK)

SUITE_TEAMWORK_LIST(transpose, SUITE_TEAMWORK_VERSION("flat", "range", run_flat),
                    SUITE_TEAMWORK_VERSION("tiled", "hierarchical", run_tiled),
                    SUITE_TEAMWORK_VERSION("tiled", "nd_range", run_nd))
