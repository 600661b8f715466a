/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host stacks x86_64 x86_64-teams gpu-simt (gpu-teams), internal */
/**
 * Reductions in launches that are parts of larger ones: a part combines the values of its own work-items, whose ids are
 * those of the whole.
 */
#include "launch_parts.h"

#include <teamwork/reduction.h>

enum { BINS = 8 };

#define TOTALS                                                                                                         \
    TW_REDUCTION(size_t, TW_SUM) sum;                                                                                  \
    TW_REDUCTION(size_t, TW_MIN) low;                                                                                  \
    TW_REDUCTION(size_t, TW_MAX) high;                                                                                 \
    TW_REDUCTION_ARRAY(unsigned, TW_SUM) bins
#define COMBINE(item)                                                                                                  \
    do {                                                                                                               \
        size_t id = tw_global_linear_id(item);                                                                         \
        tw_combine(k->sum, id *id);                                                                                    \
        tw_combine(k->low, tw_global_id(item, 0) + tw_global_range(item, 0));                                          \
        tw_combine(k->high, id + tw_global_offset(item, 0));                                                           \
        tw_combine_at(k->bins, id % BINS, 1);                                                                          \
    } while (0)

#define RANGE_REDUCTION(name, dims)                                                                                    \
    struct name {                                                                                                      \
        TOTALS;                                                                                                        \
    };                                                                                                                 \
    static inline void name(tw_item item, const struct name *k)                                                        \
    {                                                                                                                  \
        COMBINE(item);                                                                                                 \
    }                                                                                                                  \
    TW_RANGE_REDUCTION(name, dims, sum, low, high, bins)
RANGE_REDUCTION(reduce_1, 1);
RANGE_REDUCTION(reduce_2, 2);
RANGE_REDUCTION(reduce_3, 3);

struct reduce_groups {
    TOTALS;
};
static inline void reduce_groups(tw_group group, const struct reduce_groups *k)
{
    tw_parallel_for_work_item(group, item) {
        COMBINE(item);
    }
}
TW_WORK_GROUP_REDUCTION(reduce_groups, (), sum, low, high, bins);

struct reduce_nd {
    TOTALS;
};
static inline void reduce_nd(tw_nd_item item, const struct reduce_nd *k)
{
    TW_LOCAL(int, nothing);
    if (tw_local_linear_id(item) == 0)
        nothing = 0;
    tw_barrier(item, TW_LOCAL_SPACE);
    (void)nothing;
    COMBINE(item);
}
TW_ND_RANGE_REDUCTION(reduce_nd, (), sum, low, high, bins);

struct totals {
    size_t sum, low, high;
    unsigned bins[BINS];
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What the reductions of a part are; of all work-items for part 0. */
static struct totals expect_totals(const struct space *space, size_t part)
{
    struct totals totals = {0, SIZE_MAX, 0, {0}};
    size_t inner = 1;
    for (unsigned d = 1; d < 3; ++d)
        inner *= space->range[d] * space->local[d];
    for (size_t i = 0; i < count_items(space); ++i) {
        if (part && part_of(space, i) != part)
            continue;
        totals.sum += i * i;
        totals.low = least(totals.low, i / inner + space->offset[0] + space->range[0] * space->local[0]);
        totals.high = i + space->offset[0];
        ++totals.bins[i % BINS];
    }
    return totals;
}

struct targets {
    tw_buffer *sum, *low, *high, *bins;
};

typedef void reduce_function(tw_command_group *cg, const struct space *space, const struct targets *to);

#define INTO                                                                                                           \
    .sum = TW_REDUCE_INIT(cg, to->sum), .low = TW_REDUCE_INIT(cg, to->low), .high = TW_REDUCE_INIT(cg, to->high),      \
    .bins = TW_REDUCE_ARRAY_INIT(cg, to->bins)

#define RECORD_REDUCTION(name)                                                                                         \
    static void record_##name(tw_command_group *cg, const struct space *space, const struct targets *to)               \
    {                                                                                                                  \
        tw_parallel_for_offset(cg, range_of(space, space->range), offset_of(space), name, INTO);                       \
    }
RECORD_REDUCTION(reduce_1)
RECORD_REDUCTION(reduce_2)
RECORD_REDUCTION(reduce_3)

static void record_reduce_groups(tw_command_group *cg, const struct space *space, const struct targets *to)
{
    tw_parallel_for_work_group_offset(cg, range_of(space, space->range), range_of(space, space->local),
                                      offset_of(space), reduce_groups, INTO);
}

static void record_reduce_nd(tw_command_group *cg, const struct space *space, const struct targets *to)
{
    tw_parallel_for_nd_range(cg, nd_range_of(space), reduce_nd, INTO);
}

/* Each part combines the values of its own work-items. Ends where the device's mapping refuses groups of that size. */
static void check_reduction(tw_queue *queue, const struct space *space, reduce_function *record)
{
    static const size_t zero;
    size_t first[3], count[3];
    struct space moved = *space;
    struct targets to;
    moved.offset[0] = 12;
    TW_PASS(tw_buffer_create_copy(&zero, sizeof(size_t), tw_range_1d(1), &to.sum));
    TW_PASS(tw_buffer_create_copy(&zero, sizeof(size_t), tw_range_1d(1), &to.low));
    TW_PASS(tw_buffer_create_copy(&zero, sizeof(size_t), tw_range_1d(1), &to.high));
    TW_PASS(tw_buffer_create(sizeof(unsigned), tw_range_1d(BINS), &to.bins));
    for (size_t part = 0; !part || find_part(&moved, part - 1, first, count); ++part) {
        tw_command_group *cg = tw_queue_begin(queue);
        if (part)
            tw_command_group_set_part(cg, first, count);
        record(cg, &moved, &to);
        if (nd_is_refused(queue, cg))
            break;
        struct totals got;
        tw_test_fetch(to.sum, &got.sum);
        tw_test_fetch(to.low, &got.low);
        tw_test_fetch(to.high, &got.high);
        tw_test_fetch(to.bins, got.bins);
        const struct totals expected = expect_totals(&moved, part);
        TW_EQUAL(got.sum, expected.sum);
        TW_EQUAL(got.low, expected.low);
        TW_EQUAL(got.high, expected.high);
        TW_CHECK(memcmp(got.bins, expected.bins, sizeof expected.bins) == 0);
    }
    TW_PASS(tw_buffer_destroy(&to.sum));
    TW_PASS(tw_buffer_destroy(&to.low));
    TW_PASS(tw_buffer_destroy(&to.high));
    TW_PASS(tw_buffer_destroy(&to.bins));
}

TW_TEST(reductions_of_ranges)
{
    static const struct space large_2 = {2, {300, 211, 1}, {1, 1, 1}, {0, 0, 0}, {{140}, {17, 200}, {0}}};
    tw_queue *queue = tw_test_queue();
    check_reduction(queue, &items_1, record_reduce_1);
    check_reduction(queue, &items_2, record_reduce_2);
    check_reduction(queue, &items_3, record_reduce_3);
    check_reduction(queue, &large_2, record_reduce_2);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(reductions_of_groups)
{
    tw_queue *queue = tw_test_queue();
    check_reduction(queue, &groups_1, record_reduce_groups);
    check_reduction(queue, &groups_2, record_reduce_groups);
    check_reduction(queue, &groups_3, record_reduce_groups);
    check_reduction(queue, &usual_2, record_reduce_groups);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(reductions_of_nd_ranges)
{
    ND_BEGIN(queue);
    check_reduction(queue, &groups_1, record_reduce_nd);
    check_reduction(queue, &groups_2, record_reduce_nd);
    check_reduction(queue, &groups_3, record_reduce_nd);
    check_reduction(queue, &usual_1, record_reduce_nd);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(reductions_of_ranges), TW_CASE(reductions_of_groups), TW_CASE(reductions_of_nd_ranges),
                TW_CASES_END};
