/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** Algorithms without memory: the n-th allocation while one is recorded and submitted fails, for every n. */
#include "failing_memory.h"

#include "algorithm_test.h"

TW_SCAN(sum_ints, int, tw_plus);
TW_SORT_BY(sort_ints_by, int, tw_less);
TW_TOP_K(least_ints, int, tw_itself);
TW_HISTOGRAM_EVEN(count_ints, int, int);

enum { COUNT = 100000 };

enum algorithm { SCAN, SORT, LEAST, HISTOGRAM, ALGORITHMS };

/* Runs an algorithm on ones. An error is that of a lack of memory, and leaves nothing behind. */
static tw_status submit(enum algorithm algorithm, tw_queue *queue, tw_buffer *x, tw_buffer *y)
{
    tw_command_group *cg = tw_queue_begin(queue);
    const int *in = (const int *)tw_read(cg, x);
    int *out = (int *)tw_write(cg, y);
    if (algorithm == SCAN)
        sum_ints_inclusive(cg, in, COUNT, out);
    else if (algorithm == SORT)
        sort_ints_by(cg, in, COUNT, out);
    else if (algorithm == LEAST)
        least_ints_smallest(cg, in, COUNT, COUNT, out);
    else
        count_ints(cg, in, COUNT, COUNT, 2 - COUNT, 2, out);
    return tw_queue_submit(queue, cg, NULL);
}

static void fail_every_allocation(enum algorithm algorithm)
{
    tw_queue *queue = tw_test_queue();
    for (unsigned n = 1;; ++n) {
        TW_CHECK(n < 100);
        tw_buffer *x = tw_test_ints(COUNT, 1), *y = tw_test_ints(COUNT, 0);
        int *got = (int *)room_for(sizeof *got, COUNT);
        arm(n);
        const tw_status status = submit(algorithm, queue, x, y);
        disarm();
        bool is_lost = false; /* a step may fail when it runs, and cancels those behind it */
        while (tw_queue_wait_and_throw(queue) != TW_SUCCESS)
            is_lost = true;
        const bool has_failed = fired; /* of another thread's allocation, too */
        TW_CHECK(has_failed || !is_lost);
        if (status != TW_SUCCESS)
            TW_CHECK(has_failed
                     && status == (tw_device_is_host(tw_queue_device(queue)) ? TW_ERROR_OUT_OF_MEMORY : status));
        if (status == TW_SUCCESS && !is_lost) {
            tw_test_fetch(y, got);
            TW_EQUAL(got[COUNT - 1], algorithm == SCAN || algorithm == HISTOGRAM ? COUNT : 1);
        }
        free(got);
        TW_PASS(tw_buffer_destroy(&x));
        TW_PASS(tw_buffer_destroy(&y));
        if (!has_failed)
            break;
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST(every_allocation_may_fail)
{
    NEEDS_MALLOC;
    for (int algorithm = 0; algorithm < ALGORITHMS; ++algorithm)
        fail_every_allocation((enum algorithm)algorithm);
}

TW_TEST_LIST = {TW_CASE(every_allocation_may_fail), TW_CASES_END};
