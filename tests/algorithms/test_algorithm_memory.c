/* SPDX-License-Identifier: Apache-2.0 */
/* Variants: host */
/** Algorithms without memory: the n-th allocation while one is recorded and submitted fails, for every n. */
#include "failing_memory.h"

#include "algorithm_test.h"

TW_SCAN(sum_ints, int, tw_plus);

enum { COUNT = 100000 };

/* Scans ones in place. An error is that of a lack of memory, and leaves nothing behind. */
static tw_status scan(tw_queue *queue, tw_buffer *x)
{
    tw_command_group *cg = tw_queue_begin(queue);
    sum_ints_inclusive(cg, (const int *)tw_read(cg, x), COUNT, (int *)tw_write(cg, x));
    return tw_queue_submit(queue, cg, NULL);
}

TW_TEST(every_allocation_may_fail)
{
    NEEDS_MALLOC;
    tw_queue *queue = tw_test_queue();
    for (unsigned n = 1;; ++n) {
        TW_CHECK(n < 100);
        tw_buffer *x = tw_test_ints(COUNT, 1);
        int *got = (int *)room_for(sizeof *got, COUNT);
        arm(n);
        const tw_status status = scan(queue, x);
        disarm();
        const bool has_failed = fired;
        if (status != TW_SUCCESS)
            TW_CHECK(has_failed
                     && status == (tw_device_is_host(tw_queue_device(queue)) ? TW_ERROR_OUT_OF_MEMORY : status));
        (void)tw_queue_wait_and_throw(queue);
        if (status == TW_SUCCESS) {
            tw_test_fetch(x, got);
            TW_EQUAL(got[COUNT - 1], COUNT);
        }
        free(got);
        TW_PASS(tw_buffer_destroy(&x));
        if (!has_failed)
            break;
    }
    TW_PASS(tw_queue_destroy(&queue));
}

TW_TEST_LIST = {TW_CASE(every_allocation_may_fail), TW_CASES_END};
