/* SPDX-License-Identifier: Apache-2.0 */
/* Literal kernels in Teamwork. */
#include "../arrays_teamwork.h"
#include "literal.h"

#include <teamwork/group_functions.h>

struct sums {
    const float *in;
    float *sums; /* one for each group */
};

static inline void group_sum(tw_nd_item item, const struct sums *k)
{
    const float sum = tw_reduce_over_group(item, k->in[tw_global_id(item, 0)], TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->sums[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sums) group_sum, LITERAL_GROUP);

/* The same with a size that is known at run time. */
static inline void group_sum_sized(tw_nd_item item, const struct sums *k)
{
    const float sum = tw_reduce_over_group(item, k->in[tw_global_id(item, 0)], TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->sums[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sums) group_sum_sized);

static inline void tree_sum(tw_nd_item item, const struct sums *k)
{
    TW_LOCAL(float, part, [LITERAL_GROUP]);
    const size_t at = tw_local_id(item, 0);
    part[at] = k->in[tw_global_id(item, 0)];
    for (size_t half = tw_local_range(item, 0) / 2; half > 0; half /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (at < half)
            part[at] += part[at + half];
    }
    if (at == 0)
        k->sums[tw_group_id(item, 0)] = part[0];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(sums) tree_sum, LITERAL_GROUP);

struct clamped_mask {
    const float *in;
    float *out;
    struct literal_mask mask;
    int width, height;
};

static inline void clamped_mask(tw_nd_item item, const struct clamped_mask *k)
{
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);
    float sum = 0;
    for (int j = 0; j < LITERAL_MASK; ++j)
        for (int i = 0; i < LITERAL_MASK; ++i)
            sum += k->mask.at[j * LITERAL_MASK + i]
                   * k->in[literal_clamp(y + j - LITERAL_RADIUS, k->height - 1) * k->width
                           + literal_clamp(x + i - LITERAL_RADIUS, k->width - 1)];
    k->out[y * k->width + x] = sum;
}
TW_ND_RANGE_KERNEL(clamped_mask, LITERAL_TILE, LITERAL_TILE);

/* The same with a radius that is known at run time. */
struct clamped_mask_any {
    const float *in;
    float *out;
    struct literal_mask mask;
    int width, height, radius;
};

static inline void clamped_mask_any(tw_nd_item item, const struct clamped_mask_any *k)
{
    const int y = (int)tw_global_id(item, 0), x = (int)tw_global_id(item, 1);
    float sum = 0;
    for (int j = -k->radius; j <= k->radius; ++j)
        for (int i = -k->radius; i <= k->radius; ++i)
            sum += k->mask.at[(j + k->radius) * (2 * k->radius + 1) + i + k->radius]
                   * k->in[literal_clamp(y + j, k->height - 1) * k->width + literal_clamp(x + i, k->width - 1)];
    k->out[y * k->width + x] = sum;
}
TW_ND_RANGE_KERNEL(clamped_mask_any);
TW_ND_RANGE_KERNEL(TW_BLOCK(clamped_mask_any) TW_FUNCTION(clamped_mask_any) TW_SPECIALIZE(radius, 1, 2, 3)
                       clamped_mask_special);

#define GROUPS tw_nd_range_make(tw_range_1d(p->count), tw_range_1d(LITERAL_GROUP))
#define TILES tw_nd_range_make(tw_range_2d(p->count, p->count), tw_range_2d(LITERAL_TILE, LITERAL_TILE))
#define SUMS .in = tw_read(cg, s->at[LITERAL_IN]), .sums = tw_discard_write(cg, s->at[LITERAL_OUT])
#define MASK                                                                                                           \
    .in = tw_read(cg, s->at[LITERAL_IN]), .out = tw_discard_write(cg, s->at[LITERAL_OUT]), .mask = p->mask,            \
    .width = (int)p->count, .height = (int)p->count

SUITE_TEAMWORK_RUN(run_group_sum, literal, tw_parallel_for_nd_range, GROUPS, group_sum, SUMS)
SUITE_TEAMWORK_RUN(run_group_sum_sized, literal, tw_parallel_for_nd_range, GROUPS, group_sum_sized, SUMS)
SUITE_TEAMWORK_RUN(run_tree_sum, literal, tw_parallel_for_nd_range, GROUPS, tree_sum, SUMS)
SUITE_TEAMWORK_RUN(run_clamped_mask, literal, tw_parallel_for_nd_range, TILES, clamped_mask, MASK)
SUITE_TEAMWORK_RUN(run_clamped_mask_any, literal, tw_parallel_for_nd_range, TILES, clamped_mask_any, MASK,
                   .radius = LITERAL_RADIUS)
SUITE_TEAMWORK_RUN(run_clamped_mask_special, literal, tw_parallel_for_nd_range, TILES, clamped_mask_special, MASK,
                   .radius = LITERAL_RADIUS)

SUITE_TEAMWORK_LIST(group_sum, SUITE_TEAMWORK_VERSION("groups", "nd_range", run_group_sum),
                    SUITE_TEAMWORK_VERSION("groups of any size", "nd_range", run_group_sum_sized))
SUITE_TEAMWORK_LIST(tree_sum, SUITE_TEAMWORK_VERSION("groups", "nd_range", run_tree_sum))
SUITE_TEAMWORK_LIST(clamped_mask, SUITE_TEAMWORK_VERSION("flat", "nd_range", run_clamped_mask),
                    SUITE_TEAMWORK_VERSION("flat, any radius", "nd_range", run_clamped_mask_any),
                    SUITE_TEAMWORK_VERSION("flat, specialized radius", "nd_range", run_clamped_mask_special))
