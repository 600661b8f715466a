/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items with much to do in Teamwork, in all forms. */
#include "../arrays_teamwork.h"
#include "items.h"

#include <teamwork/group_functions.h>
#include <teamwork/math.h>
#include <teamwork/reduction.h>

enum { GROUP = ITEMS_GROUP };

/* ---- a path for each work-item ------------------------------------------------------------------------------------ */

struct paths {
    struct items_option option;
    uint32_t steps;
    TW_REDUCTION(float, TW_SUM) sum;
};

static inline float payoff(const struct paths *k, uint32_t path)
{
    float worth = 1, sum = 0;
    for (uint32_t step = 0; step < k->steps; ++step) {
        float u, v;
        ITEMS_RANDOM(k->option.seed, path, step, u, v);
        const float normal = tw_sqrt(-2 * tw_log(u)) * tw_cos(ITEMS_TWO_PI * v);
        worth *= tw_exp(k->option.drift + k->option.volatility * normal);
        sum += worth;
    }
    const float gain = sum / (float)k->steps - k->option.strike;
    return gain > 0 ? gain : 0;
}

static inline void paths_range(tw_item item, const struct paths *k)
{
    tw_combine(k->sum, payoff(k, (uint32_t)tw_global_id(item, 0)));
}
TW_RANGE_REDUCTION(TW_BLOCK(paths) paths_range, 1, sum);

static inline void paths_items(tw_nd_item item, const struct paths *k)
{
    const float sum = tw_reduce_over_group(item, payoff(k, (uint32_t)tw_global_id(item, 0)), TW_SUM);
    if (tw_local_id(item, 0) == 0)
        tw_combine(k->sum, sum);
}
TW_ND_RANGE_REDUCTION(TW_BLOCK(paths) paths_items, (GROUP), sum);

static inline void paths_group(tw_group group, const struct paths *k)
{
    tw_parallel_for_work_item(group, item) {
        tw_combine(k->sum, payoff(k, (uint32_t)tw_global_id(item, 0)));
    }
}
TW_WORK_GROUP_REDUCTION(TW_BLOCK(paths) paths_group, (GROUP), sum);

/* ---- a system of equations for each work-item --------------------------------------------------------------------- */

struct lines {
    const float *in, *coefficients;
    float *out;
    size_t count;
    int length;
};

static inline void solve(const struct lines *k, size_t line)
{
    float c[ITEMS_MOST], d[ITEMS_MOST];
    const float a = k->coefficients[line];
    float scale = 1 / (1 + 2 * a);
    c[0] = -a * scale;
    d[0] = k->in[line] * scale;
    for (int i = 1; i < k->length; ++i) {
        scale = 1 / (1 + 2 * a + a * c[i - 1]);
        c[i] = -a * scale;
        d[i] = (k->in[(size_t)i * k->count + line] + a * d[i - 1]) * scale;
    }
    float x = d[k->length - 1];
    k->out[(size_t)(k->length - 1) * k->count + line] = x;
    for (int i = k->length - 2; i >= 0; --i) {
        x = d[i] - c[i] * x;
        k->out[(size_t)i * k->count + line] = x;
    }
}

static inline void lines_range(tw_item item, const struct lines *k)
{
    solve(k, tw_global_id(item, 0));
}
TW_RANGE_KERNEL(TW_BLOCK(lines) lines_range, 1);

static inline void lines_items(tw_nd_item item, const struct lines *k)
{
    solve(k, tw_global_id(item, 0));
}
TW_ND_RANGE_KERNEL(TW_BLOCK(lines) lines_items, GROUP);

static inline void lines_group(tw_group group, const struct lines *k)
{
    tw_parallel_for_work_item(group, item) {
        solve(k, tw_global_id(item, 0));
    }
}
TW_WORK_GROUP_KERNEL(TW_BLOCK(lines) lines_group, GROUP);

/* ---- versions ----------------------------------------------------------------------------------------------------- */

#define GROUPS tw_nd_range_make(tw_range_1d(p->count), tw_range_1d(GROUP))
#define GROUPS_OF_ITEMS tw_range_1d(p->count / GROUP), tw_range_1d(GROUP)
#define PATHS                                                                                                          \
    .option = (struct items_option)ITEMS_OPTION, .steps = ITEMS_STEPS, .sum = TW_REDUCE_INIT(cg, s->at[ITEMS_OUT])
#define LINES                                                                                                          \
    .in = tw_read(cg, s->at[ITEMS_IN]), .coefficients = tw_read(cg, s->at[ITEMS_COEFFICIENTS]),                        \
    .out = tw_discard_write(cg, s->at[ITEMS_OUT]), .count = p->count, .length = ITEMS_LENGTH

SUITE_TEAMWORK_RUN(run_paths_range, items, tw_parallel_for, tw_range_1d(p->count), paths_range, PATHS)
SUITE_TEAMWORK_RUN(run_paths_items, items, tw_parallel_for_nd_range, GROUPS, paths_items, PATHS)
SUITE_TEAMWORK_RUN(run_paths_group, items, tw_parallel_for_work_group, GROUPS_OF_ITEMS, paths_group, PATHS)
SUITE_TEAMWORK_RUN(run_lines_range, items, tw_parallel_for, tw_range_1d(p->count), lines_range, LINES)
SUITE_TEAMWORK_RUN(run_lines_items, items, tw_parallel_for_nd_range, GROUPS, lines_items, LINES)
SUITE_TEAMWORK_RUN(run_lines_group, items, tw_parallel_for_work_group, GROUPS_OF_ITEMS, lines_group, LINES)

SUITE_TEAMWORK_LIST(paths, SUITE_TEAMWORK_VERSION("sum", "reduction", run_paths_range),
                    SUITE_TEAMWORK_VERSION("sum", "nd_range", run_paths_items),
                    SUITE_TEAMWORK_VERSION("sum", "hierarchical", run_paths_group))
SUITE_TEAMWORK_LIST(lines, SUITE_TEAMWORK_FORM_VERSIONS("flat", lines))
