/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host x86_64 (gpu-simt gpu-teams) */
/** root_group.h: a barrier over all groups of a launch, as many as the device runs at a time; launches of more are refused
 *  with both numbers; again with the same counter. */
#include "nd_range_test.h"

#include <stdlib.h>

#include <teamwork/root_group.h>

enum { ITEMS = 64, STEPS = 20 };

/* In each step a group takes what its neighbour wrote in the step before. */
struct pass_on {
    unsigned *numbers; /* STEPS + 1 rows, of a number for each group */
    tw_root_group all;
};
static inline void pass_on(tw_nd_item item, const struct pass_on *k)
{
    const size_t groups = tw_group_range(item, 0), me = tw_group_id(item, 0);
    for (unsigned step = 0; step < STEPS; ++step) {
        if (tw_local_linear_id(item) == ITEMS - 1)
            k->numbers[(step + 1) * groups + me] = k->numbers[step * groups + (me + 1) % groups] + 1;
        tw_root_group_barrier(item, k->all);
    }
}
TW_ND_RANGE_KERNEL(pass_on, ITEMS);

static size_t groups_of(tw_queue *queue)
{
    tw_kernel_limits limits = {0, 0, 0, 0};
    TW_PASS(tw_kernel_get_limits(tw_queue_device(queue), pass_on, ITEMS, 0, &limits));
    return limits.resident_groups;
}

static void record(tw_command_group *cg, size_t groups, tw_buffer *numbers, tw_buffer *counter)
{
    tw_parallel_for_nd_range(cg, nd_groups(tw_range_1d(groups), tw_range_1d(ITEMS)), pass_on,
                             .numbers = tw_write(cg, numbers), .all = tw_root_group_of(cg, tw_write(cg, counter)));
}

static void check_numbers(const unsigned *got, size_t groups)
{
    unsigned wrong = 0;
    for (size_t step = 0; step <= STEPS; ++step)
        for (size_t i = 0; i < groups; ++i)
            wrong += got[step * groups + i] != 7 * (i + step) % groups + step;
    TW_EQUAL(wrong, 0);
}

TW_TEST(all_groups_meet)
{
    ND_BEGIN(queue);
    const size_t groups = groups_of(queue), count = (STEPS + 1) * groups;
    unsigned *start = calloc(count, sizeof *start), *got = calloc(count, sizeof *got);
    tw_buffer *numbers = NULL, *counter = tw_test_zeroed(sizeof(unsigned), 1);
    TW_CHECK(start && got);
    for (size_t i = 0; i < groups; ++i)
        start[i] = (unsigned)(7 * i % groups);
    for (int turn = 0; turn < 3; ++turn) {
        TW_PASS(tw_buffer_create_copy(start, sizeof *start, tw_range_1d(count), &numbers));
        tw_command_group *cg = tw_queue_begin(queue);
        record(cg, groups, numbers, counter);
        const bool is_refused = nd_is_refused(queue, cg);
        if (!is_refused) {
            tw_test_fetch(numbers, got);
            check_numbers(got, groups);
        }
        TW_PASS(tw_buffer_destroy(&numbers));
    }
    TW_PASS(tw_buffer_destroy(&counter));
    free(start);
    free(got);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(more_groups_are_refused)
{
    ND_BEGIN(queue);
    const size_t groups = groups_of(queue);
    char asked[32], possible[48];
    tw_buffer *numbers = tw_test_zeroed(sizeof(unsigned), (STEPS + 1) * (groups + 1));
    tw_buffer *counter = tw_test_zeroed(sizeof(unsigned), 1);
    tw_command_group *cg = tw_queue_begin(queue);
    record(cg, groups + 1, numbers, counter);
    const tw_status status = tw_command_group_status(cg);
    snprintf(asked, sizeof asked, "%zu groups of kernel pass_on", groups + 1);
    snprintf(possible, sizeof possible, "runs %zu of them", groups);
    if (status != TW_ERROR_UNSUPPORTED) { /* the standard mapping, of a GPU */
        TW_FAIL(tw_queue_submit(queue, cg, NULL), TW_ERROR_INVALID_RANGE);
        TW_CHECK(strstr(tw_error_detail(), asked) && strstr(tw_error_detail(), possible));
    } else {
        tw_command_group_discard(cg);
    }
    TW_PASS(tw_buffer_destroy(&numbers));
    TW_PASS(tw_buffer_destroy(&counter));
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(without_a_counter)
{
    ND_BEGIN(queue);
    tw_command_group *cg = tw_queue_begin(queue);
    (void)tw_root_group_of(cg, NULL);
    TW_EQUAL(tw_command_group_status(cg), TW_ERROR_INVALID_ARGUMENT);
    tw_command_group_discard(cg);
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(all_groups_meet), TW_CASE(more_groups_are_refused), TW_CASE(without_a_counter), TW_CASES_END};
