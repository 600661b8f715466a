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

static size_t count_of(const struct suite_teamwork *s)
{
    return ((const struct items *)s->problem)->count;
}

static tw_nd_range groups_of(size_t count)
{
    return tw_nd_range_make(tw_range_1d(count), tw_range_1d(GROUP));
}

static bool run_paths_range(void *state)
{
    static const struct items_option option = ITEMS_OPTION;
    const struct suite_teamwork *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(count_of(s)), paths_range, .option = option, .steps = ITEMS_STEPS,
                    .sum = TW_REDUCE_INIT(cg, s->at[ITEMS_OUT]));
    return suite_submit_and_wait(cg);
}

static bool run_paths_items(void *state)
{
    static const struct items_option option = ITEMS_OPTION;
    const struct suite_teamwork *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(cg, groups_of(count_of(s)), paths_items, .option = option, .steps = ITEMS_STEPS,
                             .sum = TW_REDUCE_INIT(cg, s->at[ITEMS_OUT]));
    return suite_submit_and_wait(cg);
}

static bool run_paths_group(void *state)
{
    static const struct items_option option = ITEMS_OPTION;
    const struct suite_teamwork *s = state;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(cg, tw_range_1d(count_of(s) / GROUP), tw_range_1d(GROUP), paths_group, .option = option,
                               .steps = ITEMS_STEPS, .sum = TW_REDUCE_INIT(cg, s->at[ITEMS_OUT]));
    return suite_submit_and_wait(cg);
}

static struct lines lines_block(tw_command_group *cg, const struct suite_teamwork *s)
{
    return (struct lines){.in = tw_read(cg, s->at[ITEMS_IN]),
                          .coefficients = tw_read(cg, s->at[ITEMS_COEFFICIENTS]),
                          .out = tw_discard_write(cg, s->at[ITEMS_OUT]),
                          .count = count_of(s),
                          .length = ITEMS_LENGTH};
}

static tw_range all_lines(const struct suite_teamwork *s)
{
    return tw_range_1d(count_of(s));
}

SUITE_TEAMWORK_FORMS(lines, lines, lines_block, all_lines, tw_range_1d(GROUP))

static const struct suite_version paths_versions[] = {
    SUITE_TEAMWORK_VERSION("sum", "reduction", run_paths_range),
    SUITE_TEAMWORK_VERSION("sum", "nd_range", run_paths_items),
    SUITE_TEAMWORK_VERSION("sum", "hierarchical", run_paths_group),
};
static const struct suite_version lines_versions[] = {SUITE_TEAMWORK_FORM_VERSIONS("flat", lines)};
const struct suite_versions suite_paths_teamwork = SUITE_VERSIONS(paths_versions);
const struct suite_versions suite_lines_teamwork = SUITE_VERSIONS(lines_versions);
