/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrix by vector in Teamwork: a work-item for each row, or a sub-group. */
#include "../arrays_teamwork.h"
#include "spmv.h"

/* Before a loop: lets a CPU add in another order, several numbers at a time. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define IN_VECTORS
#else
#define IN_VECTORS _Pragma("clang loop vectorize(enable)")
#endif

struct spmv_block {
    const uint32_t *first, *columns;
    const float *values, *x;
    float *y;
};

static inline void spmv_row(tw_item item, const struct spmv_block *k)
{
    const size_t row = tw_global_id(item, 0);
    const uint32_t past = k->first[row + 1];
    float sum = 0;
    IN_VECTORS
    for (uint32_t e = k->first[row]; e < past; ++e)
        sum += k->values[e] * k->x[k->columns[e]];
    k->y[row] = sum;
}
TW_RANGE_KERNEL(TW_BLOCK(spmv_block) spmv_row, 1);

/* Neighbouring lanes read neighbouring entries. A CPU's sub-groups have one lane. */
static inline void spmv_subgroup(tw_nd_item item, const struct spmv_block *k)
{
    const tw_sub_group sub_group = tw_get_sub_group(item);
    const unsigned lane = (unsigned)tw_sub_group_local_id(sub_group),
                   lanes = (unsigned)tw_sub_group_max_local_range(sub_group);
    const unsigned row = (unsigned)tw_global_id(item, 0) / lanes;
    const uint32_t past = k->first[row + 1];
    float sum = 0;
    IN_VECTORS
    for (uint32_t e = k->first[row] + lane; e < past; e += lanes)
        sum += k->values[e] * k->x[k->columns[e]];
    sum = tw_reduce_over_group(sub_group, sum, TW_SUM);
    if (lane == 0)
        k->y[row] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(spmv_block) spmv_subgroup, SPMV_GROUP);

#define BLOCK                                                                                                          \
    .first = tw_read(cg, s->at[SPMV_FIRST]), .columns = tw_read(cg, s->at[SPMV_COLUMNS]),                              \
    .values = tw_read(cg, s->at[SPMV_VALUES]), .x = tw_read(cg, s->at[SPMV_X]),                                        \
    .y = tw_discard_write(cg, s->at[SPMV_Y])

SUITE_TEAMWORK_RUN(run_row, spmv, tw_parallel_for, tw_range_1d(p->rows), spmv_row, BLOCK)
SUITE_TEAMWORK_RUN(run_subgroup, spmv, tw_parallel_for_nd_range,
                   tw_nd_range_make(tw_range_1d(p->rows *(bench_on_gpu() ? SPMV_LANES : 1)), tw_range_1d(SPMV_GROUP)),
                   spmv_subgroup, BLOCK)

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION("row", "range", run_row),
    SUITE_TEAMWORK_VERSION("subgroup", "nd_range", run_subgroup),
};
const struct suite_versions suite_spmv_teamwork = SUITE_VERSIONS(versions);
