/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and prefix sums in levels, in Teamwork. */
#include "../arrays_teamwork.h"
#include "levels.h"

#include <teamwork/group_functions.h>

enum { GROUP = LEVELS_GROUP, BLOCK = LEVELS_BLOCK };

/* ---- a sum -------------------------------------------------------------------------------------------------------- */

struct level_sum {
    const float *in;
    float *sums; /* one for each group */
    size_t count;
};

static inline void level_sum_items(tw_nd_item item, const struct level_sum *k)
{
    const size_t i = tw_global_id(item, 0);
    const float sum = tw_reduce_over_group(item, i < k->count ? k->in[i] : 0, TW_SUM);
    if (tw_local_id(item, 0) == 0)
        k->sums[tw_group_id(item, 0)] = sum;
}
TW_ND_RANGE_KERNEL(TW_BLOCK(level_sum) level_sum_items, GROUP);

static inline void level_sum_group(tw_group group, const struct level_sum *k)
{
    TW_PRIVATE(group, float, mine);
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        tw_private(mine, item) = i < k->count ? k->in[i] : 0;
    }
    const float sum = tw_reduce_over_group(group, mine, TW_SUM);
    TW_ONCE(group) {
        k->sums[tw_group_id(group, 0)] = sum;
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(level_sum) level_sum_group, GROUP);

/* ---- prefix sums -------------------------------------------------------------------------------------------------- */

struct level_scan {
    const uint32_t *in;
    uint32_t *out, *sums; /* a sum for each group; in and out may be the same */
    size_t count;
};

static inline void level_scan_items(tw_nd_item item, const struct level_scan *k)
{
    TW_LOCAL(uint32_t, tree, [BLOCK]);
    const size_t t = tw_local_id(item, 0), first = tw_group_id(item, 0) * BLOCK;
    tree[2 * t] = first + 2 * t < k->count ? k->in[first + 2 * t] : 0;
    tree[2 * t + 1] = first + 2 * t + 1 < k->count ? k->in[first + 2 * t + 1] : 0;
    size_t stride = 1;
    for (size_t pairs = BLOCK / 2; pairs > 0; pairs /= 2) {
        tw_barrier(item, TW_LOCAL_SPACE);
        if (t < pairs)
            tree[(2 * t + 2) * stride - 1] += tree[(2 * t + 1) * stride - 1];
        stride *= 2;
    }
    if (t == 0) {
        k->sums[tw_group_id(item, 0)] = tree[BLOCK - 1];
        tree[BLOCK - 1] = 0;
    }
    for (size_t pairs = 1; pairs < BLOCK; pairs *= 2) {
        stride /= 2;
        tw_barrier(item, TW_LOCAL_SPACE);
        if (t < pairs) {
            const uint32_t left = tree[(2 * t + 1) * stride - 1];
            tree[(2 * t + 1) * stride - 1] = tree[(2 * t + 2) * stride - 1];
            tree[(2 * t + 2) * stride - 1] += left;
        }
    }
    tw_barrier(item, TW_LOCAL_SPACE);
    if (first + 2 * t < k->count)
        k->out[first + 2 * t] = tree[2 * t];
    if (first + 2 * t + 1 < k->count)
        k->out[first + 2 * t + 1] = tree[2 * t + 1];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(level_scan) level_scan_items, GROUP);

static inline void level_scan_group(tw_group group, const struct level_scan *k)
{
    TW_LOCAL(uint32_t, tree, [BLOCK]);
    const size_t first = tw_group_id(group, 0) * BLOCK;
    tw_parallel_for_work_item(group, item) {
        const size_t t = tw_local_id(item, 0);
        tree[2 * t] = first + 2 * t < k->count ? k->in[first + 2 * t] : 0;
        tree[2 * t + 1] = first + 2 * t + 1 < k->count ? k->in[first + 2 * t + 1] : 0;
    }
    size_t stride = 1;
    for (size_t pairs = BLOCK / 2; pairs > 0; pairs /= 2) {
        tw_parallel_for_work_item(group, item) {
            const size_t t = tw_local_id(item, 0);
            if (t < pairs)
                tree[(2 * t + 2) * stride - 1] += tree[(2 * t + 1) * stride - 1];
        }
        stride *= 2;
    }
    TW_ONCE(group) {
        k->sums[tw_group_id(group, 0)] = tree[BLOCK - 1];
        tree[BLOCK - 1] = 0;
    }
    for (size_t pairs = 1; pairs < BLOCK; pairs *= 2) {
        stride /= 2;
        tw_parallel_for_work_item(group, item) {
            const size_t t = tw_local_id(item, 0);
            if (t < pairs) {
                const uint32_t left = tree[(2 * t + 1) * stride - 1];
                tree[(2 * t + 1) * stride - 1] = tree[(2 * t + 2) * stride - 1];
                tree[(2 * t + 2) * stride - 1] += left;
            }
        }
    }
    tw_parallel_for_work_item(group, item) {
        const size_t t = tw_local_id(item, 0);
        if (first + 2 * t < k->count)
            k->out[first + 2 * t] = tree[2 * t];
        if (first + 2 * t + 1 < k->count)
            k->out[first + 2 * t + 1] = tree[2 * t + 1];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(level_scan) level_scan_group, GROUP);

/* What is before each block is added to its numbers. */
struct level_add {
    const uint32_t *sums;
    uint32_t *out;
    size_t count;
};

static inline void level_add_items(tw_nd_item item, const struct level_add *k)
{
    const size_t i = tw_global_id(item, 0);
    if (i < k->count)
        k->out[i] += k->sums[i / BLOCK];
}
TW_ND_RANGE_KERNEL(TW_BLOCK(level_add) level_add_items, GROUP);

static inline void level_add_group(tw_group group, const struct level_add *k)
{
    tw_parallel_for_work_item(group, item) {
        const size_t i = tw_global_id(item, 0);
        if (i < k->count)
            k->out[i] += k->sums[i / BLOCK];
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(level_add) level_add_group, GROUP);

/* ---- versions ----------------------------------------------------------------------------------------------------- */

typedef void launcher(tw_command_group *cg, tw_range items, tw_range local, const tw_kernel *kernel, const void *block,
                      size_t bytes);

static size_t count_of(const struct suite_teamwork *s)
{
    return ((const struct levels *)s->problem)->count;
}

static bool launch(tw_command_group *cg, launcher *as, size_t items, const tw_kernel *kernel, const void *block,
                   size_t bytes)
{
    as(cg, tw_range_1d(items), tw_range_1d(GROUP), kernel, block, bytes);
    return suite_submit(cg);
}

static bool sum(const struct suite_teamwork *s, launcher *as, const tw_kernel *kernel)
{
    size_t first[LEVELS_MOST], counts[LEVELS_MOST];
    const unsigned levels = levels_of(count_of(s), GROUP, first, counts);
    for (unsigned level = 0; level < levels; ++level) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        const bool is_last = level + 1 == levels;
        float *sums = levels > 1 ? tw_read_write(cg, s->at[LEVELS_SUMS]) : NULL;
        const struct level_sum block = {.in = level == 0 ? tw_read(cg, s->at[LEVELS_IN])
                                              : sums     ? sums + first[level - 1]
                                                         : NULL,
                                        .sums = is_last ? tw_discard_write(cg, s->at[LEVELS_OUT])
                                                : sums  ? sums + first[level]
                                                        : NULL,
                                        .count = level == 0 ? count_of(s) : counts[level - 1]};
        if (!launch(cg, as, block.count, kernel, &block, sizeof block))
            return false;
    }
    return suite_wait();
}

/* Scans the numbers of a level, 0 for the array itself, with all levels above it. */
static bool scan(const struct suite_teamwork *s, launcher *as, const tw_kernel *kernel, const tw_kernel *add)
{
    size_t first[LEVELS_MOST], counts[LEVELS_MOST];
    const unsigned levels = levels_of(count_of(s), BLOCK, first, counts);
    for (unsigned level = 0; level < levels; ++level) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        uint32_t *sums = tw_read_write(cg, s->at[LEVELS_SUMS]), *below = sums && level ? sums + first[level - 1] : NULL;
        const struct level_scan block = {.in = level == 0 ? tw_read(cg, s->at[LEVELS_IN]) : below,
                                         .out = level == 0 ? tw_discard_write(cg, s->at[LEVELS_OUT]) : below,
                                         .sums = sums ? sums + first[level] : NULL,
                                         .count = level == 0 ? count_of(s) : counts[level - 1]};
        if (!launch(cg, as, (block.count + 1) / 2, kernel, &block, sizeof block))
            return false;
    }
    for (unsigned level = levels - 1; level-- > 0;) {
        tw_command_group *cg = tw_queue_begin(bench_queue());
        uint32_t *sums = tw_read_write(cg, s->at[LEVELS_SUMS]);
        const struct level_add block = {.sums = sums ? sums + first[level] : NULL,
                                        .out = level == 0 ? tw_read_write(cg, s->at[LEVELS_OUT])
                                               : sums     ? sums + first[level - 1]
                                                          : NULL,
                                        .count = level == 0 ? count_of(s) : counts[level - 1]};
        if (!launch(cg, as, block.count, add, &block, sizeof block))
            return false;
    }
    return suite_wait();
}

#define RUN(name, ...)                                                                                                 \
    static bool name(void *state)                                                                                      \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }
RUN(run_sum_items, sum(state, suite_launch_items, TW_KERNEL(level_sum_items)))
RUN(run_sum_group, sum(state, suite_launch_groups, TW_KERNEL(level_sum_group)))
RUN(run_scan_items, scan(state, suite_launch_items, TW_KERNEL(level_scan_items), TW_KERNEL(level_add_items)))
RUN(run_scan_group, scan(state, suite_launch_groups, TW_KERNEL(level_scan_group), TW_KERNEL(level_add_group)))

SUITE_TEAMWORK_LIST(sum_levels, SUITE_TEAMWORK_VERSION("levels", "nd_range", run_sum_items),
                    SUITE_TEAMWORK_VERSION("levels", "hierarchical", run_sum_group))
SUITE_TEAMWORK_LIST(scan_levels, SUITE_TEAMWORK_VERSION("levels", "nd_range", run_scan_items),
                    SUITE_TEAMWORK_VERSION("levels", "hierarchical", run_scan_group))
