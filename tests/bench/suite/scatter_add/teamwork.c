/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by key in Teamwork: with atomics of the device for each value, or of the work-group in local memory. */
#include "../arrays_teamwork.h"
#include "scatter_add.h"

enum { BINS = SCATTER_ADD_BINS, GROUP = SCATTER_ADD_GROUP };

static inline void add_for_all(float *sum, float value)
{
    tw_atomic_fetch_add(sum, value, TW_ORDER_RELAXED, TW_SCOPE_DEVICE);
}

static inline void add_in_group(float *sum, float value)
{
    tw_atomic_fetch_add(sum, value, TW_ORDER_RELAXED, TW_SCOPE_WORK_GROUP);
}

struct scatter_add_clear {
    float *sums;
};

static inline void scatter_add_clear(tw_item item, const struct scatter_add_clear *k)
{
    k->sums[tw_global_id(item, 0)] = 0;
}
TW_RANGE_KERNEL(scatter_add_clear, 1);

/* ---- global ------------------------------------------------------------------------------------------------------ */

struct scatter_add_global {
    const float *values;
    const uint32_t *keys;
    float *sums;
};

static inline void scatter_add_global(tw_item item, const struct scatter_add_global *k)
{
    const size_t i = tw_global_id(item, 0);
    add_for_all(&k->sums[k->keys[i]], k->values[i]);
}
TW_RANGE_KERNEL(scatter_add_global, 1);

/* ---- local: a group sums up its part of the values, and adds what it has to the sums of all ---------------------- */

struct scatter_add_groups {
    const float *values;
    const uint32_t *keys;
    float *sums;
    unsigned count, each; /* values in all, and of a group */
};

static inline unsigned in_part(unsigned first, unsigned each, unsigned count)
{
    return count - first < each ? count - first : each;
}

static inline void scatter_add_groups(tw_group group, const struct scatter_add_groups *k)
{
    TW_LOCAL(float, sums, [BINS]);
    const unsigned first = (unsigned)tw_group_id(group, 0) * k->each, count = in_part(first, k->each, k->count);
    const float *values = k->values + first;
    const uint32_t *keys = k->keys + first;

    tw_parallel_for_work_item_range(group, item, tw_range_1d(BINS)) {
        sums[tw_local_id(item, 0)] = 0;
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(count)) {
        const size_t i = tw_local_id(item, 0);
        add_in_group(&sums[keys[i]], values[i]);
    }
    tw_parallel_for_work_item_range(group, item, tw_range_1d(BINS)) {
        add_for_all(&k->sums[tw_local_id(item, 0)], sums[tw_local_id(item, 0)]);
    }
}
TW_WORK_GROUP_KERNEL(scatter_add_groups, GROUP);

struct scatter_add_items {
    const float *values;
    const uint32_t *keys;
    float *sums;
    unsigned count, each;
};

static inline void scatter_add_items(tw_nd_item item, const struct scatter_add_items *k)
{
    TW_LOCAL(float, sums, [BINS]);
    const unsigned first = (unsigned)tw_group_id(item, 0) * k->each, count = in_part(first, k->each, k->count);
    const unsigned local = (unsigned)tw_local_id(item, 0);
    const float *values = k->values + first;
    const uint32_t *keys = k->keys + first;

    for (unsigned bin = local; bin < BINS; bin += GROUP)
        sums[bin] = 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    for (unsigned i = local; i < count; i += GROUP)
        add_in_group(&sums[keys[i]], values[i]);
    tw_barrier(item, TW_LOCAL_SPACE);
    for (unsigned bin = local; bin < BINS; bin += GROUP)
        add_for_all(&k->sums[bin], sums[bin]);
}
TW_ND_RANGE_KERNEL(scatter_add_items, GROUP);

/* ---- versions ---------------------------------------------------------------------------------------------------- */

static bool clear(const struct suite_teamwork *s)
{
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(BINS), scatter_add_clear, .sums = tw_discard_write(cg, s->at[SCATTER_ADD_SUMS]));
    return suite_submit(cg);
}

static bool run_global(void *state)
{
    const struct suite_teamwork *s = state;
    const struct scatter_add *data = s->problem;
    if (!clear(s))
        return false;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for(cg, tw_range_1d(data->count), scatter_add_global, .values = tw_read(cg, s->at[SCATTER_ADD_VALUES]),
                    .keys = tw_read(cg, s->at[SCATTER_ADD_KEYS]), .sums = tw_atomic(cg, s->at[SCATTER_ADD_SUMS]));
    return suite_submit_and_wait(cg);
}

/* On a GPU as many groups as it holds; on a CPU a few for each core. */
static size_t groups_of(void)
{
    const tw_device *device = tw_queue_device(bench_queue());
    size_t units = 1;
    bench_passed(tw_device_info(device, TW_DEVICE_INFO_MAX_COMPUTE_UNITS, &units, sizeof units));
    return tw_device_is_gpu(device) ? units * SCATTER_ADD_RESIDENT : 4 * units;
}

static bool run_groups(void *state)
{
    const struct suite_teamwork *s = state;
    const struct scatter_add *data = s->problem;
    const size_t each = scatter_add_part(data->count, groups_of()), groups = (data->count + each - 1) / each;
    if (!clear(s))
        return false;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_work_group(
        cg, tw_range_1d(groups), tw_range_1d(GROUP), scatter_add_groups,
        .values = tw_read(cg, s->at[SCATTER_ADD_VALUES]), .keys = tw_read(cg, s->at[SCATTER_ADD_KEYS]),
        .sums = tw_atomic(cg, s->at[SCATTER_ADD_SUMS]), .count = (unsigned)data->count, .each = (unsigned)each);
    return suite_submit_and_wait(cg);
}

static bool run_items(void *state)
{
    const struct suite_teamwork *s = state;
    const struct scatter_add *data = s->problem;
    const size_t each = scatter_add_part(data->count, groups_of()), groups = (data->count + each - 1) / each;
    if (!clear(s))
        return false;
    tw_command_group *cg = tw_queue_begin(bench_queue());
    tw_parallel_for_nd_range(
        cg, tw_nd_range_make(tw_range_1d(groups * GROUP), tw_range_1d(GROUP)), scatter_add_items,
        .values = tw_read(cg, s->at[SCATTER_ADD_VALUES]), .keys = tw_read(cg, s->at[SCATTER_ADD_KEYS]),
        .sums = tw_atomic(cg, s->at[SCATTER_ADD_SUMS]), .count = (unsigned)data->count, .each = (unsigned)each);
    return suite_submit_and_wait(cg);
}

static const struct suite_version versions[] = {
    SUITE_TEAMWORK_VERSION("global", "range", run_global),
    SUITE_TEAMWORK_VERSION("local", "hierarchical", run_groups),
    SUITE_TEAMWORK_VERSION("local", "nd_range", run_items),
};
const struct suite_versions suite_scatter_add_teamwork = SUITE_VERSIONS(versions);
